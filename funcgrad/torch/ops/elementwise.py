"""Functions of one number, applied to every element: powers and logarithms, angles, rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops import elementwise as core
from funcgrad.ops import special as core_special
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.declare.checks import Constant, Undifferentiable, check_kinds, refusing
from funcgrad.torch.declare.kernels import check_not_recorded, into
from funcgrad.torch.declare.op import UNARY, op
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.texts import elementwise as texts


def _float(primitive: Any, name: str, doc: str, *names: str, node: str = "", written: str = "") -> Callable:
    """Declare a function that makes floating numbers of integers.

    Arguments:
        written: the node of the function in place, where that has no derivative.
    """
    operation = Operation(primitive, node or f"{name.capitalize()}Backward0", operands=("self",), promote="float")
    inplace: Any = True
    if written:

        def inverse(x: Any) -> Any:
            return primitive(x)

        refused = Undifferentiable(inverse, f"{name}_", f"inplace version of {name}")
        inplace = unary_function(Operation(refused, written, operands=("self",), promote="float"))
    return op(name, UNARY, inplace=inplace, inplace_function=True, names=names, doc=doc)(operation)


# Roots, exponentials and logarithms.

sqrt = _float(core.sqrt, "sqrt", "The square root, elementwise; nan for negative numbers.")
rsqrt = _float(conventions.rsqrt, "rsqrt", "1 over the square root, elementwise.")
exp = _float(core.exp, "exp", "e to the power of input, elementwise.")
exp2 = _float(core.exp2, "exp2", "2 to the power of input, elementwise.")
expm1 = _float(core.expm1, "expm1", "exp(input) - 1, elementwise, accurate for small numbers.")
log = _float(core.log, "log", "The natural logarithm, elementwise.")
log2 = _float(core.log2, "log2", "The logarithm to base 2, elementwise.")
log10 = _float(core.log10, "log10", "The logarithm to base 10, elementwise.")
log1p = _float(core.log1p, "log1p", "log(1 + input), elementwise, accurate for small numbers.", node="Log1PBackward0")

# Trigonometric and hyperbolic functions.

sin = _float(core.sin, "sin", "The sine, elementwise.")
cos = _float(core.cos, "cos", "The cosine, elementwise.")
tan = _float(core.tan, "tan", "The tangent, elementwise.")
asin = _float(conventions.arcsin, "asin", "The angle between -pi/2 and pi/2 whose sine is input.", "arcsin")
acos = _float(conventions.arccos, "acos", "The angle between 0 and pi whose cosine is input.", "arccos")
atan = _float(core.arctan, "atan", "The angle between -pi/2 and pi/2 whose tangent is input.", "arctan")
sinh = _float(core.sinh, "sinh", "The hyperbolic sine, elementwise.")
cosh = _float(core.cosh, "cosh", "The hyperbolic cosine, elementwise.")
# What the rule of tanh computes with is recorded by this name where gradients are differentiated again.
TANH_BACKWARD = Operation(conventions.tanh_backward, "TanhBackwardBackward0", operands=("grad_output", "output"))
tanh = _float(conventions.tanh, "tanh", "The hyperbolic tangent, elementwise.")
asinh = _float(
    core.arcsinh, "asinh", "The inverse of the hyperbolic sine, elementwise.", "arcsinh", written="AsinhBackward1"
)
acosh = _float(
    conventions.arccosh,
    "acosh",
    "The inverse of the hyperbolic cosine, elementwise.",
    "arccosh",
    written="AcoshBackward1",
)
atanh = _float(
    conventions.arctanh,
    "atanh",
    "The inverse of the hyperbolic tangent, elementwise.",
    "arctanh",
    written="AtanhBackward1",
)


def _no_complex(primitive: Any, name: str, node: str, doc: str) -> Callable:
    def check(x: Any) -> None:
        if x._value.dtype.kind == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    operation = Operation(primitive, node, operands=("self",), promote="float", before=check)
    fast = unary_function(operation)

    def call(x: Any) -> Any:
        check(x)
        return fast(x)

    return op(name, UNARY, kernel=operation, inplace=True, inplace_function=True, writes=1, doc=doc)(call)


deg2rad = _no_complex(core.deg2rad, "deg2rad", "Deg2RadBackward0", "Degrees to radians, elementwise.")
rad2deg = _no_complex(core.rad2deg, "rad2deg", "Rad2DegBackward0", "Radians to degrees, elementwise.")

# Rounding: integers stay as they are.


def _same(x: Any) -> Any:
    """The values again, laid out as the result of a kernel."""
    found = x.clone()
    if type(found._value) is np.ndarray and found._value.ndim > 1:
        found._value = laid_out(np.ascontiguousarray(found._value), (found._value,))
    return found


def _rounding(primitive: Any, name: str, doc: str, *names: str) -> Callable:
    complex_text = f"{name} is not supported for complex inputs"

    def check(x: Any) -> None:
        if x._value.dtype.kind == "c":
            raise NotImplementedError(complex_text)

    operation = Operation(
        primitive, f"{name.capitalize()}Backward0", operands=("self",), zero=True, result="own", before=check
    )
    fast = unary_function(operation)

    def call(x: Any) -> Any:
        return _same(x) if x._value.dtype.kind in "iu" else fast(x)

    checked = refusing(call, f"{name}_vml_cpu", "bc", complex_text)
    return op(name, UNARY, kernel=operation, inplace=True, inplace_function=True, names=names, doc=doc)(checked)


floor = _rounding(core.floor, "floor", "Rounded down, elementwise.")
ceil = _rounding(core.ceil, "ceil", "Rounded up, elementwise.")
trunc = _rounding(core.trunc, "trunc", "Rounded towards zero, elementwise.", "fix")
ROUND = Operation(core.rint, "RoundBackward0", operands=("self",), zero=True, result="own")
_rounded = unary_function(ROUND)
_round = refusing(lambda x: _same(x) if x._value.dtype.kind in "iu" else _rounded(x), "round_vml_cpu", "bc")


def _round_decimals(x: Any, *, decimals: int) -> Any:
    """torch scales, rounds, and scales back: other last digits than NumPy's for some numbers."""
    scale = 10 ** abs(decimals)
    return np.rint(x / scale) * scale if decimals < 0 else np.rint(x * scale) / scale


ROUND_DECIMALS = Operation(_round_decimals, "RoundBackward1", operands=("self",), zero=True, result="own")


@op(
    "round",
    UNARY,
    "(Tensor input, *, int decimals, Tensor out = None)",
    kernel=ROUND,
    inplace=True,
    inplace_function=True,
    form=lambda args, named: ".decimals" if named else "",
)
def round(input: Any, *, decimals: int | None = None) -> Any:
    """Rounded to the nearest integer, halves to the even one.

    Arguments:
        input: a tensor.
        decimals: how many digits behind the point to keep; negative ones are before the point.
        out: where to write the result.
    """
    if decimals is None:
        return _round(input)
    check_kinds("round_cpu" if decimals else "round_vml_cpu", input.dtype, "iubc")
    return ROUND_DECIMALS(input, decimals=decimals)


_FRAC = Operation(conventions.frac, "FracBackward0", operands=("self",), result="own")
frac = op(
    "frac",
    UNARY,
    kernel=_FRAC,
    inplace=True,
    inplace_function=True,
    doc="What rounding towards zero takes away, elementwise.",
)(refusing(unary_function(_FRAC), "frac_cpu", "iubc"))


# Signs.


def _check_sign(x: Any) -> None:
    if x._value.dtype.kind == "c":
        raise NotImplementedError(texts.SIGN_OF_COMPLEX)


_SGN = Operation(conventions.sign, "SgnBackward0", operands=("self",), result="own", again=True)
_SIGN = Operation(conventions.sign, "SignBackward0", operands=("self",), zero=True, result="own", before=_check_sign)
_sgn, _signs = unary_function(_SGN), unary_function(_SIGN)


@op("sign", UNARY, kernel=_SIGN, inplace=True)
def sign(x: Any) -> Any:
    """-1, 0 or 1, elementwise."""
    _check_sign(x)
    return _same(x) if x._value.dtype.kind == "b" else _signs(x)


@op("sgn", UNARY, kernel=_SGN, inplace=True)
def sgn(x: Any) -> Any:
    """The sign, elementwise; of a complex number the number over its absolute value."""
    return _same(x) if x._value.dtype.kind == "b" else _sgn(x)


def _signbit(x: Any) -> Any:
    return np.signbit(x) if x.dtype.kind in "fV" else x < 0


SIGNBIT = Operation(Constant(_signbit), "SignbitBackward0", operands=("self",), result="only bool")
signbit = op("signbit", UNARY, kernel=SIGNBIT, doc="Whether the sign is a minus, elementwise; -0. has one, too.")(
    refusing(unary_function(SIGNBIT), "signbit_cpu", "c", "signbit is not implemented for complex tensors.")
)


# Numbers that are none.

NAN_TO_NUM = Operation(core_special.nan_to_num, "NanToNumBackward0", operands=("self",), result="own")


def _into_same(name: str, op: Operation, operands: tuple, out: Any, compute: Callable) -> Any:
    check_not_recorded(name, out, *operands)
    if out.dtype is not operands[0].dtype:
        have, wanted = out.dtype.title, operands[0].dtype.title
        raise RuntimeError(f"nan_to_num: dtype of out: {have} should be same as input: {wanted}")
    return into(name, op, operands, out, compute)


def _without_nan(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """What `nan_to_num_` writes: torch does not refuse complex numbers there."""
    if input._value.dtype.kind in "iub":
        return input.clone()
    return NAN_TO_NUM(input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


@op(
    "nan_to_num",
    "(Tensor input, float? nan = None, float? posinf = None, float? neginf = None, *, Tensor out = None)",
    kernel=NAN_TO_NUM,
    inplace=_without_nan,
    inplace_function=True,
    into=_into_same,
)
def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Numbers in the place of nan and infinities.

    Arguments:
        input: a tensor.
        nan: instead of nan; 0 by default.
        posinf, neginf: instead of the infinities; the largest and the smallest number of the dtype by default.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.nan_to_num(torch.tensor([float("nan"), 1.0]), nan=2.0)
        tensor([2., 1.])
    """
    if input._value.dtype.kind == "c" and state.grad and input.requires_grad:
        raise RuntimeError(texts.NO_GRADIENT_OF_COMPLEX.format(name="nan_to_num"))
    found = _without_nan(input, nan, posinf, neginf)
    return found if input._value.dtype.kind in "iub" else counted(found, 1, input)

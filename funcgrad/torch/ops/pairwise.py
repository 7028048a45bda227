"""Functions of two and more numbers, elementwise: extremes, bounds, angles, interpolation, products with a sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import elementwise as core
from funcgrad.torch.base import dtypes, return_types
from funcgrad.torch.base.dtypes import CPP_NAMES, can_cast, of_numpy
from funcgrad.torch.base.overloads import ARITHMETIC, COMPUTED_FIRST, tensors
from funcgrad.torch.declare.checks import Undifferentiable, check_kinds
from funcgrad.torch.declare.op import TWO_TENSORS, WITH_NUMBER, op
from funcgrad.torch.primitives import conventions, fused
from funcgrad.torch.tensor.fast import binary_function
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import cast, raw
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import elementwise as texts


def _pair(
    kernel: Operation,
    name: str,
    doc: str,
    *,
    kinds: str = "",
    names: tuple[str, ...] = (),
    inplace: bool = True,
    refusal: str = "",
) -> Callable:
    """Declare a function of two tensors that refuses some kinds of dtype."""
    fast = binary_function(kernel)

    def call(x: Any, y: Any) -> Any:
        if x._value.dtype.kind in kinds or y._value.dtype.kind in kinds:
            d = common_dtype((x, y))
            if kernel.before is not None:
                kernel.before(x, y)
            check_kinds(f"{name}_cpu", d, kinds, x, y)
        return fast(x, y)

    return op(name, TWO_TENSORS, kernel=kernel, names=names, inplace=inplace, refusal=refusal, doc=doc)(
        call if kinds else fast
    )


# Extremes.


def _extreme(primitive: Any, name: str, doc: str) -> tuple[Operation, Callable]:
    def check(x: Any, y: Any) -> None:
        if x._value.dtype.kind == "c" or y._value.dtype.kind == "c":
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    operation = Operation(primitive, f"{name.capitalize()}Backward0", promote="common", before=check)
    return operation, _pair(operation, name, doc, kinds="c", inplace=False)


MAXIMUM, maximum = _extreme(conventions.maximum, "maximum", "The larger of both elements; nan if one is nan.")
MINIMUM, minimum = _extreme(conventions.minimum, "minimum", "The smaller of both elements; nan if one is nan.")
_extreme(conventions.fmax, "fmax", "The larger of both elements, where a number counts more than nan.")
_extreme(conventions.fmin, "fmin", "The smaller of both elements, where a number counts more than nan.")


# Bounds.


def _word(t: Any) -> str:
    return CPP_NAMES[of_numpy(t._value.dtype)]


CLAMP = Operation(conventions.clamp, "ClampBackward1", operands=("self",), again=True)
CLAMP_MIN = Operation(conventions.clamp, "ClampMinBackward0", operands=("self",))
CLAMP_MAX = Operation(conventions.clamp, "ClampMaxBackward0", operands=("self",))


def _within(x: Any, min: Any, max: Any) -> Any:
    """x, or the bound that it exceeds; max if the bounds contradict each other, nan if one is nan."""
    if min is None:
        return _at_most(x, max)
    if max is None:
        return _at_least(x, min)
    if x.dtype.kind in "iub":
        return np.minimum(np.maximum(x, min), max)
    bound = np.where((max < min) | (x > max), max, min)
    return _but_nan(np.where((x >= min) & (x <= max), x, bound), x, min, max)


def _at_least(x: Any, min: Any) -> Any:
    return np.maximum(x, min) if x.dtype.kind in "iub" else _but_nan(np.where(x >= min, x, min), x, min)


def _at_most(x: Any, max: Any) -> Any:
    return np.minimum(x, max) if x.dtype.kind in "iub" else _but_nan(np.where(x <= max, x, max), x, max)


def _but_nan(out: Any, *operands: Any) -> Any:
    none = np.isnan(operands[0])
    for o in operands[1:]:
        none = none | np.isnan(o)
    return np.where(none, np.nan, out)


def _check_bounded(x: Any, *bounds: Any) -> None:
    """Raise torch's error if there are no bounds, or of a tensor that can't hold what lies between numbers."""
    if not bounds:
        raise RuntimeError(texts.CLAMP_WITHOUT_BOUNDS)
    if x.is_complex():
        raise NotImplementedError(texts.CLAMP_OF_COMPLEX)
    if isinstance(bounds[0], Tensor):
        return
    d = common_dtype((x, *bounds))
    if not x.is_floating_point() and not can_cast(d, x.dtype):
        raise RuntimeError(texts.NO_CAST.format(have=d.title, wanted=_word(x)))


def _check_bound(x: Any, bound: Any) -> None:
    if not isinstance(bound, Tensor):
        _check_bounded(x, bound)


CLAMP_TENSORS = Operation(
    _within, "ClampBackward0", operands=("self", "min", "max"), promote="common", before=_check_bounded
)
CLAMP_MIN_TENSOR = Operation(
    _at_least, "ClampMinBackward1", operands=("self", "min"), promote="common", before=_check_bound
)
CLAMP_MAX_TENSOR = Operation(
    _at_most, "ClampMaxBackward1", operands=("self", "max"), promote="common", before=_check_bound
)


_PLAIN = frozenset((float, int, type(None)))


def _bounded(op: Operation, kernel: str, x: Any, min: Any, max: Any) -> Any:
    """x between two numbers: a floating dtype stays, others become what they have in common with them."""
    value = raw(x)
    kind = value.dtype
    if kind.kind == "f" and type(min) in _PLAIN and type(max) in _PLAIN:
        return record(op, (x,), [value], {"min": min, "max": max})
    if kind.kind in "iubc":
        d = common_dtype([a for a in (x, min, max) if a is not None])
        if d.category == dtypes.COMPLEX:
            raise NotImplementedError(texts.CLAMP_OF_COMPLEX)
        check_kinds(kernel, d, "b")
        kind = d.numpy
        value = cast(value, kind)
    elif any(isinstance(b, complex) and b.imag for b in (min, max)):
        raise RuntimeError(arguments_texts.OVERFLOW.format(kind="double"))
    min, max = (None if b is None else np.asarray(b.real).astype(kind)[()] for b in (min, max))
    return record(op, (x,), [value], {"min": min, "max": max}, kind)


_BOTH, _ONE = "clamp_scalar_cpu", ("clamp_max_scalar_cpu", "clamp_min_scalar_cpu")


@op(
    "clamp",
    "(Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)",
    "(Tensor input, Number min = None, Number max = None, *, Tensor out = None)",
    kernel=CLAMP_TENSORS,
    records=CLAMP,
    inplace=True,
    inplace_function=True,
    names=("clip",),
    form=".Tensor|",
)
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Elements below min become min, and those above max become max.

    Arguments:
        input: a tensor.
        min, max: the bounds, both numbers or both tensors that broadcast with input; one may be left out.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.clamp(torch.tensor([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    if type(min) in _PLAIN and type(max) in _PLAIN and (min is not None or max is not None):
        return _bounded(CLAMP, _BOTH if None not in (min, max) else _ONE[max is None], input, min, max)
    bounds = [b for b in (min, max) if b is not None]
    if not bounds:
        raise RuntimeError(texts.CLAMP_WITHOUT_BOUNDS)
    if all(isinstance(b, Tensor) for b in bounds):
        d = common_dtype((input, *bounds))
        if input._value.dtype.kind == "c":
            raise NotImplementedError(texts.CLAMP_OF_COMPLEX)
        kernel = "clamp_cpu" if len(bounds) == 2 else "maximum_cpu" if max is None else "minimum_cpu"
        check_kinds(kernel, d, "bc" if len(bounds) == 2 else "c", input, *bounds)
        values = [None if a is None else cast(raw(a), d.numpy) for a in (input, min, max)]
        check_broadcast(values)
        return record(CLAMP_TENSORS, (input, min, max), values, {}, d.numpy)
    low, high = (b.item() if isinstance(b, Tensor) else b for b in (min, max))
    return _bounded(CLAMP, _BOTH if len(bounds) == 2 else _ONE[max is None], input, low, high)


def _bound(name: str, word: str, kernel: str, tensors: Operation, number: Operation, doc: str) -> None:
    def call(x: Any, bound: Any) -> Any:
        if isinstance(bound, Tensor):
            check_kinds(f"{kernel}imum_cpu", common_dtype((x, bound)), "c", x, bound)
            return tensors(x, bound)
        low, high = (bound, None) if word == "min" else (None, bound)
        return _bounded(number, f"clamp_{word}_scalar_cpu", x, low, high)

    op(
        name,
        f"(Tensor input, Tensor {word}, *, Tensor out = None)",
        f"(Tensor input, Number {word}, *, Tensor out = None)",
        kernel=tensors,
        records=number,
        inplace=True,
        inplace_function=True,
        form=".Tensor|",
        refusal=ARITHMETIC,
        doc=doc,
    )(call)


_bound("clamp_min", "min", "max", CLAMP_MIN_TENSOR, CLAMP_MIN, "Elements below min, a number or a tensor, become min.")
_bound("clamp_max", "max", "min", CLAMP_MAX_TENSOR, CLAMP_MAX, "Elements above max, a number or a tensor, become max.")


# Angles, lengths, logarithms of sums.

_pair(
    Operation(conventions.arctan2, "Atan2Backward0", promote="float"),
    "atan2",
    "The angle of the point (other, input), between -pi and pi.",
    kinds="c",
    names=("arctan2",),
    refusal=COMPUTED_FIRST,
)
_pair(
    Operation(conventions.hypot, "HypotBackward0", promote="common"),
    "hypot",
    "The square root of input² + other², without overflow.",
    kinds="biuc",
)
LOGADDEXP = Operation(core.logaddexp, "LogaddexpBackward0", promote="common")
_logaddexp_of_reals = binary_function(LOGADDEXP)


def _logaddexp_complex(x: Any, y: Any) -> Any:
    """The operand of the larger real part is taken out of the sum; if that is -inf, so is the result."""
    first = fnp.real(x) < fnp.real(y)
    large, small = fnp.where(first, y, x), fnp.where(first, x, y)
    nothing = fnp.isneginf(fnp.real(large))
    return fnp.where(nothing, small, large + fnp.log1p(fnp.exp(fnp.where(nothing, 0, small - large))))


LOGADDEXP_COMPLEX = Operation(_logaddexp_complex, "LogaddexpBackward0", promote="common")


@op("logaddexp", TWO_TENSORS, kernel=LOGADDEXP)
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(input) + exp(other)), without overflow."""
    d = common_dtype((x, y))
    check_kinds("logaddexp_cpu", d, "biu", x, y)
    return LOGADDEXP_COMPLEX(x, y) if d.category == dtypes.COMPLEX else _logaddexp_of_reals(x, y)


_pair(
    Operation(core.logaddexp2, "Logaddexp2Backward0", promote="common"),
    "logaddexp2",
    "log2(2**input + 2**other), without overflow.",
    kinds="biuc",
    inplace=False,
)
_pair(
    Operation(conventions.nextafter, "NextafterBackward0", promote="common"),
    "nextafter",
    "The next floating number after input in the direction of other.",
    kinds="biuc",
)

COPYSIGN = Operation(conventions.copysign, "CopysignBackward0", promote="float", saves=(0,), saves_out=True, again=True)
COPYSIGN_NUMBER = Operation(conventions.copysign, "CopysignBackward1", promote="float", edges=1)


@op(
    "copysign",
    *WITH_NUMBER,
    kernel=COPYSIGN,
    records=COPYSIGN_NUMBER,
    inplace=True,
    form=".Tensor|.Scalar",
    refusal=COMPUTED_FIRST,
)
def copysign(x: Any, y: Any) -> Any:
    """The size of input with the sign of other."""
    check_kinds("copysign_cpu", common_dtype((x, y)), "c", x, y)
    return (COPYSIGN if isinstance(y, Tensor) else COPYSIGN_NUMBER)(x, y)


def _step(x: Any, y: Any) -> Any:
    """0 for negative x, 1 for positive x, y for 0, and nan for nan."""
    return np.where(x == 0, y, x > 0).astype(x.dtype)


def _check_step(x: Any, y: Any) -> None:
    if x._value.dtype.kind == "c" or y._value.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if x._value.dtype != y._value.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


HEAVISIDE = Operation(
    Undifferentiable(_step, "aten::heaviside"),
    "NotImplemented",
    operands=("self", "values"),
    promote="common",
    before=_check_step,
    blind=True,
    only_linked=True,
)


@op("heaviside", "(Tensor input, Tensor values, *, Tensor out = None)", kernel=HEAVISIDE, inplace=True)
def heaviside(x: Any, values: Any) -> Any:
    """0 where input is negative, 1 where it is positive, the element of values where it is zero."""
    _check_step(x, values)
    return HEAVISIDE(x, values)


# Powers of two.


LDEXP = Operation(conventions.ldexp_real, "LdexpBackward0", promote="float")
LDEXP_INTEGERS = Operation(conventions.ldexp, "LdexpBackward0")


@op("ldexp", TWO_TENSORS, kernel=LDEXP, inplace=True, inplace_function=True)
def ldexp(x: Any, y: Any) -> Any:
    """input * 2**other, elementwise."""
    check_broadcast([x._value, y._value])
    if y._value.dtype.kind == "b" and x._value.dtype.kind in "fV":
        check_kinds("ldexp_cpu_exp", y.dtype, "b")
    if y._value.dtype.kind in "iu" and x._value.dtype.kind == "f":
        return LDEXP_INTEGERS(x, y)
    return LDEXP(x, y)


FREXP = Operation(core.frexp, "FrexpBackward0", operands=("self",))


@op("frexp", "(Tensor input, *, tuple of Tensors out = None)", records=(FREXP,))
def frexp(input: Any) -> Any:
    """The mantissa, between 0.5 and 1 in size, and the exponent, such that input = mantissa * 2**exponent."""
    if input._value.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_types.frexp(FREXP(input))


# Interpolation.


def _check_way(input: Any, end: Any, weight: Any) -> None:
    for word, t in (("end", end), ("weight", weight)):
        if isinstance(t, Tensor) and t.dtype is not input.dtype and not (word == "weight" and t._value.ndim == 0):
            raise RuntimeError(f"expected dtype {_word(input)} for `{word}` but got dtype {_word(t)}")


LERP = Operation(
    fused.lerp, "LerpBackward0", operands=("self", "end"), promote="common", result="own", before=_check_way
)
LERP_TENSOR = Operation(fused.lerp_by, "LerpBackward1", operands=("self", "end", "weight"), promote="common")


@op(
    "lerp",
    "(Tensor input, Tensor end, Tensor weight, *, Tensor out = None)",
    "(Tensor input, Tensor end, Number weight, *, Tensor out = None)",
    kernel=LERP,
    records=(LERP_TENSOR,),
    inplace=True,
    form=lambda args, named: ".Tensor" if tensors((*args, *named.values())) > 1 else ".Scalar",
)
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input), elementwise.

    Arguments:
        input, end: where the way begins and ends, tensors of one dtype.
        weight: how far to go, a number or a tensor.
        out: where to write the result.
    """
    _check_way(input, end, weight)
    kind = input._value.dtype
    if isinstance(weight, Tensor):
        d = common_dtype((input, end, weight))
        kind = d.numpy
        values = [cast(raw(t), kind) for t in (input, end, weight)]
        check_broadcast(values)
        check_kinds("lerp_kernel_tensor", d, "iub")
        return record(LERP_TENSOR, (input, end, weight), values, {}, kind)
    values = [raw(input), raw(end)]
    check_broadcast(values)
    check_kinds("lerp_kernel_scalar", input.dtype, "iub")
    return record(LERP, (input, end), values, {"weight": weight}, kind)


# A product or a quotient, added.


ADDCMUL = Operation(fused.addcmul, "AddcmulBackward0", operands=("self", "tensor1", "tensor2"), promote="common")


def _check_division(input: Any, tensor1: Any, tensor2: Any) -> None:
    if common_dtype((tensor1, tensor2)).category < dtypes.FLOATING:
        raise RuntimeError(texts.ADDCDIV_OF_INTEGERS)


ADDCDIV = Operation(
    fused.addcdiv,
    "AddcdivBackward0",
    operands=("self", "tensor1", "tensor2"),
    promote="common",
    before=_check_division,
)


_ADDED = (
    "(Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)",
    "~(Tensor input, Number value, Tensor tensor1, Tensor tensor2, *, Tensor out = None)",
)


@op("addcmul", *_ADDED, kernel=ADDCMUL, inplace=True)
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2, elementwise.

    Arguments:
        input, tensor1, tensor2: tensors that broadcast.
        value: a number.
        out: where to write the result.
    """
    d = common_dtype((input, tensor1, tensor2))
    check_kinds("addcmul_cpu_out", d, "b", input, tensor1, tensor2)
    return ADDCMUL(input, tensor1, tensor2, value=int(value) if d.category < dtypes.FLOATING else value)


@op("addcdiv", *_ADDED, kernel=ADDCDIV, inplace=True)
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2, elementwise.

    Arguments:
        input, tensor1, tensor2: tensors that broadcast.
        value: a number.
        out: where to write the result.
    """
    _check_division(input, tensor1, tensor2)
    return ADDCDIV(input, tensor1, tensor2, value=value)

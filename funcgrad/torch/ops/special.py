"""Special functions: error function, gamma function, Bessel functions and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops import bessel, bessel_functions, entropy, error_functions, gamma
from funcgrad.ops import special as core_special
from funcgrad.ops.error_functions import in_double
from funcgrad.torch.base import dtypes
from funcgrad.torch.declare.checks import Constant, HalfDifferentiable, check_kinds, refusing
from funcgrad.torch.declare.declare import check_tensor, exports, install, write_out
from funcgrad.torch.declare.pointwise import EITHER_NUMBER, elementwise, function_of, unary, unary_in_namespace
from funcgrad.torch.ops.cumulative import SCALED
from funcgrad.torch.ops.reducing import is_traced
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS, cast, raw

functions: dict[str, Any] = {}
"""What is in torch.special, by name."""


# Functions of one number.


def _declare(primitive: Any, name: str, node: str, doc: str, *, kernel: str = "") -> Callable:
    """A function that is in torch, too."""
    op = Operation(primitive, node, operands=("self",), promote="float")
    call = refusing(unary_function(op), kernel or f"{name}_vml_cpu", "c")
    return unary(op, name, doc, call=call)


def special(op: Operation, name: str, call: Callable, doc: str) -> Callable:
    """Declare torch.special.name, a function of one tensor."""
    functions[name] = unary_in_namespace(call, op, f"special_{name}", doc, f"special_{name}")
    return call


erf = _declare(error_functions.erf, "erf", "ErfBackward0", "The error function, elementwise.")
erfc = _declare(error_functions.erfc, "erfc", "ErfcBackward0", "1 - erf(input), elementwise, accurate for large input.")
erfinv = _declare(
    error_functions.erfinv, "erfinv", "ErfinvBackward0", "The inverse of the error function, elementwise."
)
lgamma = _declare(
    gamma.lgamma, "lgamma", "LgammaBackward0", "The logarithm of the absolute value of the gamma function."
)
digamma = _declare(
    gamma.digamma, "digamma", "DigammaBackward0", "The derivative of lgamma, elementwise.", kernel="digamma"
)
i0 = _declare(bessel_functions.i0, "i0", "I0Backward0", "The modified Bessel function of order 0, elementwise.")
for _name in ("erfinv_", "lgamma_", "digamma_"):
    del exports[_name]


def _plain_sinc(x: Any) -> Any:
    return core_special.sinc(x, order=0)


SINC = Operation(_plain_sinc, "SincBackward0", operands=("self",), promote="float")
unary(SINC, "sinc", "sin(pi input) / (pi input), and 1 at 0, elementwise.", call=lambda x: SINC(x))


def _only_special(primitive: Any, name: str, node: str, doc: str) -> Callable:
    op = Operation(primitive, node, operands=("self",), promote="float")
    half = name in ("erfcx", "ndtri", "log_ndtr")
    return special(op, name, refusing(unary_function(op), f"{name}_cpu", "c", half=half), doc)


_only_special(entropy.entr, "entr", "SpecialEntrBackward0", "-input * log(input), elementwise; 0 at 0.")
_only_special(error_functions.erfcx, "erfcx", "SpecialErfcxBackward0", "exp(input²) erfc(input), elementwise.")
_only_special(error_functions.ndtri, "ndtri", "SpecialNdtriBackward0", "The inverse of ndtr, elementwise.")
_only_special(error_functions.log_ndtr, "log_ndtr", "SpecialLogNdtrBackward0", "log(ndtr(input)), elementwise.")
_only_special(bessel_functions.i0e, "i0e", "SpecialI0EBackward0", "exp(-|input|) i0(input), elementwise.")
_only_special(bessel_functions.i1, "i1", "SpecialI1Backward0", "The modified Bessel function of order 1, elementwise.")
_only_special(bessel_functions.i1e, "i1e", "SpecialI1EBackward0", "exp(-|input|) i1(input), elementwise.")

# torch works this one out of erf, and so it is recorded; erfc is accurate for negative numbers, too.


def _ndtr(x: Any) -> Any:
    return 0.5 * error_functions.erfc(x * -0.7071067811865476)


NDTR = Operation(_ndtr, "MulBackward1", operands=("self",), promote="float")
_ONE_MORE = Operation(lambda x: x + 1, "AddBackward1", operands=("self",), saves=())
_plain_ndtr = refusing(NDTR, "erf_vml_cpu", "c")


def _recorded_ndtr(x: Any) -> Any:
    found = _plain_ndtr(x)
    if found._node is None or is_traced(found):
        return found
    steps = SCALED(_ONE_MORE(erf(SCALED(x, by=0.7071067811865476))), by=0.5)
    steps._value = found._value
    return steps


special(
    NDTR,
    "ndtr",
    _recorded_ndtr,
    "The distribution function of the normal distribution, elementwise.",
)

# Functions without a derivative in torch.

for _name, _function, _doc in (
    ("airy_ai", bessel.airy_ai, "Airy's function Ai, elementwise."),
    ("bessel_j0", bessel.j0, "The Bessel function of the first kind of order 0, elementwise."),
    ("bessel_j1", bessel.j1, "The Bessel function of the first kind of order 1, elementwise."),
    ("bessel_y0", bessel.y0, "The Bessel function of the second kind of order 0, elementwise."),
    ("bessel_y1", bessel.y1, "The Bessel function of the second kind of order 1, elementwise."),
    ("modified_bessel_i0", bessel.i0, "The modified Bessel function of the first kind of order 0, elementwise."),
    ("modified_bessel_i1", bessel.i1, "The modified Bessel function of the first kind of order 1, elementwise."),
    ("modified_bessel_k0", bessel.k0, "The modified Bessel function of the second kind of order 0, elementwise."),
    ("modified_bessel_k1", bessel.k1, "The modified Bessel function of the second kind of order 1, elementwise."),
    ("scaled_modified_bessel_k0", bessel.k0e, "exp(input) modified_bessel_k0(input), elementwise."),
    ("scaled_modified_bessel_k1", bessel.k1e, "exp(input) modified_bessel_k1(input), elementwise."),
    ("spherical_bessel_j0", bessel.spherical_j0, "sin(input) / input, and 1 at 0, elementwise."),
):
    _node = f"Special{_name.title().replace('_', '')}Backward0"
    _operation = Operation(Constant(in_double(_function)), _node, promote="float")
    special(_operation, _name, refusing(_operation, f"{_name}_cpu", "c", half=True), _doc)


# Functions of two numbers.


def _pair(name: str, primitive: Any, node: str, kernel: str, doc: str) -> None:
    """A function of two tensors, of a number and a tensor, of a tensor and a number."""

    def swapped(y: Any, x: Any) -> Any:
        return primitive(x, y)

    both = Operation(primitive, f"{node}Backward0", promote="float")
    number_first = Operation(swapped, f"{node}Backward1", operands=("other", "self"), edges=1, promote="float")
    number_second = Operation(primitive, f"{node}Backward2", edges=1, promote="float")

    def call(input: Any, other: Any) -> Any:
        numbers = [not isinstance(a, Tensor) for a in (input, other)]
        if all(numbers) or not all(isinstance(a, (Tensor, *NUMBERS)) for a in (input, other)):
            raise TypeError("operands")
        d = common_dtype((input, other))
        kind = (dtypes.get_default_dtype() if d.category < dtypes.FLOATING else d).numpy
        values = [
            np.asarray(a).astype(kind) if n else cast(raw(a), kind)
            for a, n in zip((input, other), numbers, strict=True)
        ]
        check_broadcast(values)
        check_kinds(kernel, d, "c")
        if numbers[0]:
            return record(number_first, (other, input), values[::-1], {}, kind)
        if numbers[1]:
            return record(number_second, (input, other), values, {}, kind)
        return record(both, (input, other), values, {}, kind)

    call.__doc__ = doc
    if name.startswith("special_"):
        functions[name.removeprefix("special_")] = function_of(call, both, name, EITHER_NUMBER)
    else:
        elementwise(both, name, *EITHER_NUMBER, namespace_inplace=True)(call)


_XLOGY = "input * log(other), and 0 where input is 0."
_pair("xlogy", entropy.xlogy, "Xlogy", "xlogy_cpu", _XLOGY)
_pair("special_xlogy", entropy.xlogy, "Xlogy", "xlogy_cpu", _XLOGY)
_pair(
    "special_xlog1py",
    entropy.xlog1py,
    "SpecialXlog1Py",
    "xlog1py_cpu",
    "input * log1p(other), and 0 where input is 0.",
)
_pair(
    "special_zeta",
    HalfDifferentiable(gamma.zeta, lambda g, x, y: g * -x * gamma.zeta(x + 1, y), "special_zeta", "zeta"),
    "SpecialZeta",
    "zeta_cpu",
    "Hurwitz's zeta function, the sum of (k + other)**-input, elementwise.",
)


def _incomplete(primitive: Any, name: str, node: str, doc: str) -> Callable:
    kernel = node.removesuffix("Backward0").lower()
    sign = 1 if kernel == "igamma" else -1

    def by_second(g: Any, x: Any, y: Any) -> Any:
        return sign * g * np.exp((x - 1) * np.log(y) - y - gamma.lgamma(x))

    op = Operation(HalfDifferentiable(primitive, by_second, kernel, f"{kernel}: input"), node, promote="common")

    def public(input: Any, other: Any, *, out: Any = None) -> Any:
        check_tensor(name, input)
        check_tensor(name, other, "other", 2)
        check_kinds(f"{kernel}_cpu", common_dtype((input, other)), "biuc")
        found = op(input, other)
        return found if out is None else write_out(name, found, out)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = doc
    return public


for _name, _alias, _primitive, _node, _doc in (
    ("igamma", "gammainc", gamma.gammainc, "IgammaBackward0", "The part of the integral for gamma(input) below other."),
    ("igammac", "gammaincc", gamma.gammaincc, "IgammacBackward0", "The part of that integral above other."),
):
    _function = _incomplete(_primitive, _name, _node, _doc)
    install(_name, _function, _function)
    functions[_alias] = _incomplete(_primitive, f"special_{_alias}", _node, _doc)


# Functions with a whole number for parameter.

POLYGAMMA = Operation(gamma.polygamma, "PolygammaBackward0", operands=("self",), promote="float")


def polygamma(n: int, input: Any, *, out: Any = None) -> Any:
    """The derivative of order n of digamma, elementwise."""
    check_tensor("polygamma", input, "input", 2)
    found = _polygamma(input, n)
    return found if out is None else write_out("polygamma", found, out)


def _polygamma(self: Any, n: int) -> Any:
    """The derivative of order n of digamma, elementwise."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    check_kinds("digamma" if n == 0 else "polygamma", self.dtype, "c")
    return POLYGAMMA(self, n=n)


install("polygamma", polygamma, _polygamma)


def _mvlgamma(x: Any, *, p: int) -> Any:
    total = p * (p - 1) / 4 * np.log(np.pi).item()
    for j in range(p):
        total = total + gamma.lgamma(x - j / 2)
    return total


MVLGAMMA = Operation(_mvlgamma, "MvlgammaBackward0", operands=("self",), promote="float", saves=(0,))


def mvlgamma(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the gamma function of p variables, elementwise."""
    check_tensor("mvlgamma", input)
    if input._value.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    found = MVLGAMMA(input, p=p)
    return found if out is None else write_out("mvlgamma", found, out)


install("mvlgamma", mvlgamma, mvlgamma)

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
from funcgrad.torch.declare.op import EITHER_NUMBER, ROWS, TWO_TENSORS, UNARY, op
from funcgrad.torch.ops.activation import logit
from funcgrad.torch.ops.cumulative import SCALED
from funcgrad.torch.ops.elementwise import ROUND, round
from funcgrad.torch.ops.reducing import is_traced
from funcgrad.torch.ops.softmax import log_softmax, logsumexp, softmax
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import cast, raw

# Functions of one number.


def _declare(
    primitive: Any, name: str, node: str, doc: str, *, kernel: str = "", inplace_function: bool = True
) -> Callable:
    """A function that is in torch, too."""
    operation = Operation(primitive, node, operands=("self",), promote="float")
    call = refusing(unary_function(operation), kernel or f"{name}_vml_cpu", "c")
    return op(name, UNARY, kernel=operation, inplace=True, inplace_function=inplace_function, doc=doc)(call)


erf = _declare(error_functions.erf, "erf", "ErfBackward0", "The error function, elementwise.")
erfc = _declare(error_functions.erfc, "erfc", "ErfcBackward0", "1 - erf(input), elementwise, accurate for large input.")
erfinv = _declare(
    error_functions.erfinv,
    "erfinv",
    "ErfinvBackward0",
    "The inverse of the error function, elementwise.",
    inplace_function=False,
)
lgamma = _declare(
    gamma.lgamma,
    "lgamma",
    "LgammaBackward0",
    "The logarithm of the absolute value of the gamma function.",
    inplace_function=False,
)
digamma = _declare(
    gamma.digamma,
    "digamma",
    "DigammaBackward0",
    "The derivative of lgamma, elementwise.",
    kernel="digamma",
    inplace_function=False,
)
i0 = _declare(bessel_functions.i0, "i0", "I0Backward0", "The modified Bessel function of order 0, elementwise.")


def _plain_sinc(x: Any) -> Any:
    return core_special.sinc(x, order=0)


SINC = Operation(_plain_sinc, "SincBackward0", operands=("self",), promote="float")
op(
    "sinc",
    UNARY,
    kernel=SINC,
    inplace=True,
    inplace_function=True,
    doc="sin(pi input) / (pi input), and 1 at 0, elementwise.",
)(lambda x: SINC(x))


def _only_special(primitive: Any, name: str, node: str, doc: str) -> Callable:
    operation = Operation(primitive, node, operands=("self",), promote="float")
    half = name in ("erfcx", "ndtri", "log_ndtr")
    call = refusing(unary_function(operation), f"{name}_cpu", "c", half=half)
    return op(f"special.{name}", UNARY, kernel=operation, doc=doc)(call)


_only_special(entropy.entr, "entr", "SpecialEntrBackward0", "-input * log(input), elementwise; 0 at 0.")
_only_special(error_functions.erfcx, "erfcx", "SpecialErfcxBackward0", "exp(input²) erfc(input), elementwise.")
_only_special(error_functions.ndtri, "ndtri", "SpecialNdtriBackward0", "The inverse of ndtr, elementwise.")
_only_special(error_functions.log_ndtr, "log_ndtr", "SpecialLogNdtrBackward0", "log(ndtr(input)), elementwise.")
_only_special(bessel_functions.i0e, "i0e", "SpecialI0EBackward0", "exp(-|input|) i0(input), elementwise.")
_only_special(
    bessel_functions.i1,
    "i1",
    "SpecialI1Backward0",
    "The modified Bessel function of order 1, elementwise.",
)
_only_special(bessel_functions.i1e, "i1e", "SpecialI1EBackward0", "exp(-|input|) i1(input), elementwise.")

# torch works this one out of erf, and so it is recorded; erfc is accurate for negative numbers, too.


def _ndtr(x: Any) -> Any:
    return 0.5 * error_functions.erfc(x * -0.7071067811865476)


NDTR = Operation(_ndtr, "MulBackward1", operands=("self",), promote="float")
_ONE_MORE = Operation(lambda x: x + 1, "AddBackward1", operands=("self",), saves=())
_plain_ndtr = refusing(NDTR, "erf_vml_cpu", "c")


@op("special.ndtr", UNARY, kernel=NDTR)
def ndtr(x: Any) -> Any:
    """The distribution function of the normal distribution, elementwise."""
    found = _plain_ndtr(x)
    if found._node is None or is_traced(found):
        return found
    steps = SCALED(_ONE_MORE(erf(SCALED(x, by=0.7071067811865476))), by=0.5)
    steps._value = found._value
    return steps


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
    op(f"special.{_name}", UNARY, kernel=_operation, doc=_doc)(refusing(_operation, f"{_name}_cpu", "c", half=True))


# Functions of two numbers.


def _pair(name: str, primitive: Any, node: str, kernel: str, doc: str, **options: Any) -> Callable:
    """A function of two tensors, of a number and a tensor, of a tensor and a number."""

    def swapped(y: Any, x: Any) -> Any:
        return primitive(x, y)

    both = Operation(primitive, f"{node}Backward0", promote="float", again=True)
    number_first = Operation(swapped, f"{node}Backward1", operands=("other", "self"), edges=1, promote="float")
    number_second = Operation(primitive, f"{node}Backward2", edges=1, promote="float")

    def call(input: Any, other: Any) -> Any:
        numbers = [not isinstance(a, Tensor) for a in (input, other)]
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

    return op(name, *EITHER_NUMBER, kernel=both, records=(number_first, number_second), doc=doc, **options)(call)


_xlogy = _pair(
    "xlogy",
    entropy.xlogy,
    "Xlogy",
    "xlogy_cpu",
    "input * log(other), and 0 where input is 0.",
    inplace=True,
    inplace_function=True,
    form=".Tensor|.Scalar_Other",
)
op("special.xlogy", *EITHER_NUMBER, kernel=ROWS["xlogy"].kernel)(_xlogy)
xlog1py = _pair(
    "special.xlog1py",
    entropy.xlog1py,
    "SpecialXlog1Py",
    "xlog1py_cpu",
    "input * log1p(other), and 0 where input is 0.",
)
_pair(
    "special.zeta",
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

    operation = Operation(HalfDifferentiable(primitive, by_second, kernel, f"{kernel}: input"), node, promote="common")

    def call(input: Any, other: Any) -> Any:
        check_kinds(f"{kernel}_cpu", common_dtype((input, other)), "biuc")
        return operation(input, other)

    call.__doc__ = doc
    return op(name, TWO_TENSORS, inplace="." not in name, records=operation)(call)


for _name, _alias, _primitive, _node, _doc in (
    ("igamma", "gammainc", gamma.gammainc, "IgammaBackward0", "The part of the integral for gamma(input) below other."),
    ("igammac", "gammaincc", gamma.gammaincc, "IgammacBackward0", "The part of that integral above other."),
):
    _incomplete(_primitive, _name, _node, _doc)
    _incomplete(_primitive, f"special.{_alias}", _node, _doc)


# Functions with a whole number for parameter.

POLYGAMMA = Operation(gamma.polygamma, "PolygammaBackward0", operands=("self",), promote="float")


@op("special.polygamma", "(int n, Tensor input, *, Tensor out = None)", records=(POLYGAMMA,))
@op("polygamma", "(int n, Tensor input, *, Tensor out = None)", method=False, records=POLYGAMMA)
def polygamma(n: int, input: Any) -> Any:
    """The derivative of order n of digamma, elementwise."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    check_kinds("digamma" if n == 0 else "polygamma", input.dtype, "c")
    return POLYGAMMA(input, n=n)


@op("Tensor.polygamma", "(Tensor self, int n)", inplace=True, records=(POLYGAMMA,))
def _polygamma(self: Any, n: int) -> Any:
    """The derivative of order n of digamma, elementwise."""
    return polygamma(n, self)


def _mvlgamma(x: Any, *, p: int) -> Any:
    total = p * (p - 1) / 4 * np.log(np.pi).item()
    for j in range(p):
        total = total + gamma.lgamma(x - j / 2)
    return total


MVLGAMMA = Operation(_mvlgamma, "MvlgammaBackward0", operands=("self",), promote="float", saves=(0,))


@op("special.multigammaln", "(Tensor input, int p, *, Tensor out = None)", records=(MVLGAMMA,))
@op("mvlgamma", "(Tensor input, int p, *, Tensor out = None)", inplace=True, records=MVLGAMMA)
def mvlgamma(input: Any, p: int) -> Any:
    """The logarithm of the gamma function of p variables, elementwise."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    return MVLGAMMA(input, p=p)


# What torch.special has under a name of its own.

for _name, _of in (
    ("digamma", "digamma"),
    ("erf", "erf"),
    ("erfc", "erfc"),
    ("erfinv", "erfinv"),
    ("exp2", "exp2"),
    ("expit", "sigmoid"),
    ("expm1", "expm1"),
    ("gammaln", "lgamma"),
    ("i0", "i0"),
    ("log1p", "log1p"),
    ("psi", "digamma"),
    ("sinc", "sinc"),
):
    op(f"special.{_name}", UNARY, kernel=ROWS[_of].kernel, out_name=_of)(ROWS[_of].body)
op("special.logit", "(Tensor input, float? eps = None, *, Tensor out = None)")(logit)
op("special.softmax", "(Tensor input, int dim, torch.dtype? dtype = None)")(softmax)
op("special.log_softmax", "(Tensor input, int dim, *, torch.dtype? dtype = None)")(log_softmax)
op("special.logsumexp", "(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)", writes=1)(
    logsumexp
)


@op("special.round", "(Tensor input, *, int decimals = 0, Tensor out = None)", kernel=ROUND, out_name="round")
def _round(input: Any, *, decimals: int = 0) -> Any:
    """Rounded to the nearest integer, or to a number of decimals; halves to the even one."""
    return round(input, decimals=decimals)

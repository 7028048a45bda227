"""`torch.special`: special functions, named as in scipy.special. https://docs.pytorch.org/docs/stable/special.html"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.declare import exports
from funcgrad.torch.declare.pointwise import operations, unary_in_namespace
from funcgrad.torch.ops import activation, polynomials, special

_SAME = {
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "gammaln": "lgamma",
    "i0": "i0",
    "log1p": "log1p",
    "psi": "digamma",
    "sinc": "sinc",
}
"""Functions of one tensor that torch has under another name, or the same."""


def _alias(name: str, of: str) -> Callable:
    call, op = getattr(special.Tensor, of), operations[of]
    return unary_in_namespace(call, op, f"special_{name}", exports[of].__doc__ or "", of)


def round(input: Any, *, decimals: int = 0, out: Any = None) -> Any:
    """Rounded to the nearest integer, or to a number of decimals; halves to the even one."""
    return exports["round"](input, decimals=decimals, out=out)


def logit(input: Any, eps: float | None = None, *, out: Any = None) -> Any:
    """log(input / (1 - input)), elementwise; with eps, of input brought between eps and 1 - eps."""
    return activation.logit(input, eps, out=out)


def polygamma(n: int, input: Any, *, out: Any = None) -> Any:
    """The derivative of order n of digamma, elementwise."""
    return special.polygamma(n, input, out=out)


def multigammaln(input: Any, p: int, *, out: Any = None) -> Any:
    """The logarithm of the gamma function of p variables, elementwise."""
    return special.mvlgamma(input, p, out=out)


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """exp(input) over its sum along a dimension."""
    return input.softmax(dim, dtype=dtype)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The logarithm of softmax."""
    return input.log_softmax(dim, dtype=dtype)


def logsumexp(input: Any, dim: Any, keepdim: bool = False, *, out: Any = None) -> Any:
    """log of the sum of exp(input) along dimensions, without overflow."""
    return exports["logsumexp"](input, dim, keepdim, out=out)


special.functions.update({name: _alias(name, of) for name, of in _SAME.items()})
globals().update(special.functions)

__all__ = sorted(
    {*special.functions, "log_softmax", "logit", "logsumexp", "multigammaln", "polygamma", "round", "softmax"}
)
assert polynomials  # which fills special.functions

publish(__name__)

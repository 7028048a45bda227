"""Which function computes the Kullback-Leibler divergence of which pair of families."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import total_ordering
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}
"""What was found for pairs of classes; NotImplemented for those of which nothing is known."""


def register_kl(type_p: Any, type_q: Any) -> Callable:
    """Declare a function of two distributions as their divergence: a decorator.

    Arguments:
        type_p, type_q: their classes. The function serves subclasses, too, unless another one is closer.
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(given, type) and issubclass(given, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def decorator(fun: Callable) -> Callable:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


@total_ordering
class _Match:
    """Classes, of which those that derive from others come before them; the first that differs decides."""

    __slots__ = ("types",)

    def __init__(self, *types: type) -> None:
        self.types = types

    def __eq__(self, other: Any) -> bool:
        return self.types == other.types

    def __le__(self, other: Any) -> bool:
        for x, y in zip(self.types, other.types, strict=True):
            if not issubclass(x, y):
                return False
            if x is not y:
                break
        return True

    __hash__ = None  # type: ignore[assignment]  # they are compared only


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The function for a pair of classes, or NotImplemented."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left_p, left_q = min(_Match(*m) for m in matches).types
    right_q, right_p = min(_Match(*reversed(m)) for m in matches).types
    found = _KL_REGISTRY[left_p, left_q]
    if found is not _KL_REGISTRY[right_p, right_q]:
        names = {"p": type_p, "q": type_q, "p_match": left_p, "q_match": right_q}
        text = texts.AMBIGUOUS_KL.format(**{n: t.__name__ for n, t in names.items()})
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    return found


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence, the mean under p of log(p/q).

    Arguments:
        p, q: distributions.

    Returns:
        A tensor of the shape of their batch.

    Raises:
        NotImplementedError: none is known of these families; `register_kl` declares one.

    Example:
        >>> from funcgrad import torch
        >>> Normal = torch.distributions.Normal
        >>> torch.distributions.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    pair = type(p), type(q)
    fun = _KL_MEMOIZE.get(pair)
    if fun is None:
        fun = _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    if fun is NotImplemented:
        raise NotImplementedError(texts.NO_KL.format(p=pair[0].__name__, q=pair[1].__name__))
    return fun(p, q)


show_as_torch(__name__)
publish(__name__)

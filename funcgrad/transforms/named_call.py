"""`named_call`: a function that tapes show as one equation under its name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import raw
from funcgrad.core.trace import running
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.transforms.call import Call, RecordedPullback, call_closed
from funcgrad.transforms.vjp import record


def named_call(fun: Callable, *, name: str | None = None) -> Callable[..., PyTree]:
    """The same function, which tapes and drawings show as one equation with a name.

    Arguments:
        fun: a function of pytrees of arrays.
        name: by default that of fun.

    Returns:
        A function with the arguments and results of fun.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> layer = fg.named_call(lambda x: fnp.tanh(2.0 * x), name="layer")
        >>> print(fg.vjp(lambda x: layer(layer(x)), 1.0)[1].tape)
        tape(a: float64[]):
          b: (float64[]) = layer(a)
          c: float64[] = item(b, index=0)
          d: (float64[]) = layer(c)
          e: float64[] = item(d, index=0)
          return e

    Source: `jax.named_call`.
    """
    if not callable(fun):
        raise ArgumentError(f"named_call takes a function, got {fun!r} of type {type(fun).__name__}")
    title: str = name or str(getattr(fun, "__name__", "function"))

    @functools.wraps(fun, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def named(*args: Any, **kwargs: Any) -> PyTree:
        if not running():
            return fun(*args, **kwargs)
        return call_closed(lambda body, _: NamedCall(body, title), fun, args, kwargs, "named_call")

    return named


class NamedCall(Call):
    """A function under a name. Reverse mode records its inside in a level of its own."""

    __slots__ = ()

    def derived(self, body: Any) -> Call:
        return NamedCall(body, self.name)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        chosen = [raw(x) for x, m in zip(primals, mask, strict=True) if m]

        def f(*xs: Any) -> tuple:
            ys = iter(xs)
            return tuple(self.body(*[next(ys) if m else x for x, m in zip(primals, mask, strict=True)]))

        outs, pullback, _ = record(f, chosen, tree.structure(tuple(chosen)), False, self.name)
        return list(outs), RecordedPullback(pullback, range(len(outs)))

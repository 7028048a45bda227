"""`named_call`: a function that tapes show as one equation under its name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.tape import Equation
from funcgrad.core.trace import running
from funcgrad.core.types import PyTree
from funcgrad.core.weak import is_weak, strong
from funcgrad.errors import ArgumentError
from funcgrad.transforms.arguments import called, split_arrays
from funcgrad.transforms.bodies import with_pullback
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close, taped, weakened
from funcgrad.transforms.vjp import Pullback
from funcgrad.transforms.wraps import name_of


def named_call(fun: Callable, *, name: str | None = None) -> Callable[..., PyTree]:
    """The same function, which tapes and drawings show as one equation with a name.

    Arguments:
        fun: a function of pytrees; leaves that are no arrays are passed as they are.
        name: by default that of fun.

    Returns:
        A function with the arguments and results of fun.

    Raises:
        ArgumentError: fun can't be called.

    Example:
        >>> layer = fg.named_call(lambda x: fnp.tanh(2.0 * x), name="layer")
        >>> print(fg.vjp(lambda x: layer(layer(x)), 1.0)[1].tape)
        tape(a: float64[]):
          b: (float64[]) = layer(a)
          c: float64[] = item(b, index=0)
          d: (float64[]) = layer(c)
          e: float64[] = item(d, index=0)
          return e

    Source: `jax.named_call` (https://docs.jax.dev/en/latest/_autosummary/jax.named_call.html).
    """
    if not callable(fun):
        raise ArgumentError(f"named_call takes a function, got {fun!r} of type {type(fun).__name__}")
    title = name or name_of(fun)

    @functools.wraps(fun, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def named(*args: Any, **kwargs: Any) -> PyTree:
        if not running():
            return called(fun, args, kwargs)
        operands, whole = split_arrays((args, kwargs))
        outs: list[Any]
        restore: Callable

        def flat(*xs: Any) -> list[Any]:
            nonlocal outs, restore
            a, k = whole(xs)
            outs, restore = split_arrays(fun(*a, **k))
            return outs

        body, constants, _ = close(flat, operands, title)
        found = NamedCall(body, title)(*constants, *[strong(x) for x in operands])
        return restore([weakened(x) if is_weak(o) else x for x, o in zip(found, outs, strict=True)])

    return named


class NamedCall(Call):
    """A function under a name. Reverse mode records its inside in a level of its own."""

    __slots__ = ()
    transparent = True

    def derived(self, body: Any) -> Call:
        return NamedCall(body, self.name)

    def for_tape(self, args: tuple) -> tuple[Call, tuple]:
        return taped(self, args)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs, pullback = with_pullback(self.body, primals, mask, self.name)
        return outs, RecordedPullback(pullback)


class RecordedPullback:
    """The pullback of a call whose results were recorded in a level of its own."""

    __slots__ = ("pullback",)

    def __init__(self, pullback: Pullback) -> None:
        self.pullback = pullback

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        seeds: dict[Equation, Any] = {}
        for (e, _), g in zip(self.pullback.outputs, cotangents, strict=True):
            if e is not None and g is not None:
                seeds[e] = seeds[e] + g if e in seeds else g
        return self.pullback.pull(seeds)


tree.register_pytree_node(
    RecordedPullback, lambda p: ((p.pullback,), None), lambda _, children: RecordedPullback(*children)
)

"""`pure_callback`: a function of plain ndarrays inside a program that is being transformed.

The function runs on the host's terms: it gets read-only ndarrays, in the batch or example by example as it asks for,
and no transform sees inside. What it gives is announced by shape and dtype, so that a tape can hold the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import raw, wrap
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NotDifferentiableError, ShapeError, TreeError, type_text
from funcgrad.transforms.arguments import input_values, leaf_value
from funcgrad.transforms.call import Call
from funcgrad.transforms.vmap import BatchTrace

VMAP_METHODS = ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized")


def pure_callback(
    callback: Callable,
    result_shape_dtypes: PyTree,
    *args: PyTree,
    sharding: None = None,
    vmap_method: str | None = None,
    **kwargs: PyTree,
) -> PyTree:
    """Call a function of ndarrays, which transforms can't look into.

    Arguments:
        callback: takes ndarrays (read-only) and gives a pytree of ndarrays or numbers. It must have no side effects and
            depend on its arguments only: it may run any number of times.
        result_shape_dtypes: a pytree of ShapeDtypeStructs (or of arrays) like the result.
        args, kwargs: pytrees of arrays for the callback.
        sharding: must be None; there is one device.
        vmap_method: what vmap does: "sequential" calls it for each example; "expand_dims" calls it once, with the batch
            dimension in front of all arguments, of length one where an argument has none; "broadcast_all" likewise,
            with all arguments repeated. By default vmap is an error.

    Returns:
        A pytree of Arrays. It has no derivative: give the function around it one with custom_jvp or custom_vjp.

    Raises:
        TreeError, ShapeError, ArgumentError: the result is not what was announced.
        NotDifferentiableError: it is differentiated.

    Example:
        >>> import math, numpy as np, funcgrad as fg
        >>> kind = fg.ShapeDtypeStruct((), "float64")
        >>> fg.pure_callback(lambda x: np.float64(math.gamma(x)), kind, 5.0)
        Array(24., dtype=float64)

    Source: `jax.pure_callback` (https://docs.jax.dev/en/latest/_autosummary/jax.pure_callback.html).
    """
    if sharding is not None:
        raise ArgumentError("pure_callback: sharding must be None, there is one device")
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise ArgumentError(f"pure_callback: vmap_method must be one of {VMAP_METHODS} or None, got {vmap_method!r}")
    values, in_tree = input_values((args, kwargs), "pure_callback", ("args", "kwargs"))
    kinds, out_tree = tree.flatten(result_shape_dtypes)
    kinds = [ShapeDtypeStruct(k.shape, k.dtype) for k in kinds]
    host = HostFunction(callback, in_tree, out_tree, kinds)
    return out_tree.unflatten(CallbackCall(host, getattr(callback, "__name__", "callback"), vmap_method)(*values))


def ndarrays(args: Sequence[Any]) -> list[np.ndarray]:
    """Arrays as the host sees them: ndarrays that it can't write to."""
    return [np.asarray(x) for x in args]


class HostFunction:
    """The body that a host function is: on flat Arrays, its results checked.

    Arguments:
        callback: the function.
        in_tree: of `(args, kwargs)`.
        out_tree, out_kinds: what it is to give.
    """

    __slots__ = ("callback", "in_tree", "out_kinds", "out_tree")

    def __init__(self, callback: Callable, in_tree: Any, out_tree: Any, out_kinds: list[ShapeDtypeStruct]) -> None:
        self.callback, self.in_tree, self.out_tree, self.out_kinds = callback, in_tree, out_tree, out_kinds

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.out_kinds

    def __call__(self, *args: Any) -> list[Any]:
        given, named = self.in_tree.unflatten(ndarrays(args))
        found, out_tree = tree.flatten(self.callback(*given, **named))
        if out_tree != self.out_tree:
            raise TreeError(f"the callback was announced to give {self.out_tree}, but gave {out_tree}")
        return [self._checked(x, k) for x, k in zip(found, self.out_kinds, strict=True)]

    def _checked(self, x: Any, kind: ShapeDtypeStruct) -> Any:
        if isinstance(x, int | float | complex) and not isinstance(x, np.generic):
            x = np.asarray(x).astype(kind.dtype)
        value = leaf_value(x, lambda: "the result of the callback")
        if value.shape != kind.shape:
            raise ShapeError(f"the callback was announced to give {type_text(kind)}, but gave {type_text(value)}")
        if value.dtype != kind.dtype:
            raise ArgumentError(
                f"the callback was announced to give {type_text(kind)}, but gave {type_text(value)}; convert its "
                f"result with .astype, or announce that dtype"
            )
        return wrap(value)


class CallbackCall(Call):
    """The call of a host function."""

    __slots__ = ("vmap_method",)
    body: HostFunction

    def __init__(self, body: HostFunction, name: str, vmap_method: str | None) -> None:
        super().__init__(body, name)
        self.vmap_method = vmap_method

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        raise self._no_derivative()

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        raise self._no_derivative()

    def _no_derivative(self) -> NotDifferentiableError:
        return NotDifferentiableError(
            f"Pure callbacks do not support JVP: the host function {self.name} can't be looked into. Give the function "
            f"around it a derivative with custom_jvp or custom_vjp, or cut its arguments off with stop_gradient"
        )

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        method, size = self.vmap_method, trace.size
        if method is None:
            raise ArgumentError(
                f"vmap is not supported for pure_callback without vmap_method: say how {self.name} takes a batch, with "
                f"vmap_method= one of {VMAP_METHODS[:-1]}"
            )
        body = self.body
        if method in ("sequential", "sequential_unrolled"):
            rows = [self(*[x[i] if m else x for x, m in zip(args, mask, strict=True)]) for i in range(size)]
            if not rows:
                return [wrap(np.zeros((0, *k.shape), k.dtype)) for k in body.out_kinds], (True,) * len(body.out_kinds)
            outs = [wrap(np.stack([raw(r) for r in column])) for column in zip(*rows, strict=True)]
            return outs, (True,) * len(outs)
        kinds = [ShapeDtypeStruct((size, *k.shape), k.dtype) for k in body.out_kinds]
        if method == "legacy_vectorized":
            given = list(args)
        else:
            length = size if method == "broadcast_all" else 1
            given = [x if m else np.broadcast_to(raw(x), (length, *x.shape)) for x, m in zip(args, mask, strict=True)]
        whole = HostFunction(body.callback, body.in_tree, body.out_tree, kinds)
        return CallbackCall(whole, self.name, method)(*given), (True,) * len(kinds)

"""`pure_callback` and `io_callback`: functions of plain ndarrays inside a program that is being transformed.

The function runs on the host's terms: it gets ndarrays of its own, in the batch or example by example as it asks for,
and no transform sees inside. What it gives is announced by shape and dtype, so that a tape can hold the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import raw, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, CallbackError, type_text
from funcgrad.transforms.arguments import input_values, leaf_value
from funcgrad.transforms.call import Call
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.wraps import name_of

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
        callback: takes ndarrays and gives a pytree of ndarrays or numbers. It must have no side effects and
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
        CallbackError: the result is not what was announced; or it is differentiated, or batched without vmap_method.
        ArgumentError: an argument is no array.

    Example:
        >>> import math
        >>> kind = fg.ShapeDtypeStruct((), "float64")
        >>> fg.pure_callback(lambda x: np.float64(math.gamma(x)), kind, 5.0)
        Array(24., dtype=float64)

    Source: `jax.pure_callback` (https://docs.jax.dev/en/latest/_autosummary/jax.pure_callback.html).
    """
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise CallbackError(f"pure_callback: vmap_method must be one of {VMAP_METHODS} or None, got {vmap_method!r}")
    host, values = _host_function("pure_callback", callback, result_shape_dtypes, args, kwargs, sharding)
    return host.out_tree.unflatten(CallbackCall(host, name_of(callback), vmap_method)(*values))


def io_callback(
    callback: Callable,
    result_shape_dtypes: PyTree,
    *args: PyTree,
    sharding: None = None,
    ordered: bool = False,
    **kwargs: PyTree,
) -> PyTree:
    """Call a function of ndarrays that has side effects: it runs exactly once for each call, whoever reads its result.

    Arguments:
        callback, result_shape_dtypes, args, kwargs, sharding: as for `pure_callback`.
        ordered: whether calls must stay in the order of the program, which is then no program for a batch. Calls are in
            that order here anyway.

    Returns:
        A pytree of Arrays, which has no derivative.

    Raises:
        CallbackError: the result is not what was announced; or it is differentiated; or it is ordered, and batched.
        ArgumentError: an argument is no array.

    Example:
        >>> from funcgrad.transforms.callback import io_callback
        >>> log = []
        >>> tape = fg.make_tape(lambda x: (io_callback(log.append, None, x), x + 1.0)[1])(0.0)
        >>> tape(1.0), tape(2.0), log
        (Array(2., dtype=float64), Array(3., dtype=float64), [array(1.), array(2.)])

    Source: `jax.experimental.io_callback`
        (https://docs.jax.dev/en/latest/_autosummary/jax.experimental.io_callback.html).
    """
    host, values = _host_function("io_callback", callback, result_shape_dtypes, args, kwargs, sharding)
    return host.out_tree.unflatten(IoCallbackCall(host, name_of(callback), None if ordered else "sequential")(*values))


def _host_function(
    transform: str, callback: Callable, announced: PyTree, args: tuple, kwargs: dict, sharding: Any
) -> tuple[HostFunction, list[Any]]:
    """A callback as a body, and the leaves of its arguments."""
    if not callable(callback):
        raise ArgumentError(f"{transform} takes a function, got {callback!r} of type {type(callback).__name__}")
    if sharding is not None:
        raise ArgumentError(f"{transform}: sharding must be None, there is one device")
    values, in_tree = input_values((args, kwargs), transform, ("args", "kwargs"))
    kinds, out_tree = tree.flatten(announced)
    for k in kinds:
        if not (hasattr(k, "shape") and hasattr(k, "dtype")):
            raise ArgumentError(
                f"{transform}: the result is announced by shapes and dtypes, as ShapeDtypeStructs or arrays, got {k!r}"
            )
    kinds = [ShapeDtypeStruct(k.shape, k.dtype) for k in kinds]
    return HostFunction(callback, f"{transform}: {name_of(callback)}", in_tree, out_tree, kinds), values


def ndarrays(args: Sequence[Any]) -> list[np.ndarray]:
    """Arrays as the host sees them: ndarrays of its own."""
    return [np.asarray(x) for x in args]


class HostFunction:
    """The body that a host function is: on flat Arrays, its results checked.

    Arguments:
        callback: the function.
        title: for messages.
        in_tree: of `(args, kwargs)`.
        out_tree, out_kinds: what it is to give.
    """

    __slots__ = ("callback", "in_tree", "out_kinds", "out_tree", "title")

    def __init__(
        self, callback: Callable, title: str, in_tree: Any, out_tree: Any, out_kinds: list[ShapeDtypeStruct]
    ) -> None:
        self.callback, self.title, self.in_tree = callback, title, in_tree
        self.out_tree, self.out_kinds = out_tree, out_kinds

    def of_batches(self, size: int) -> HostFunction:
        """The same function, that is to give batches."""
        kinds = [ShapeDtypeStruct((size, *k.shape), k.dtype) for k in self.out_kinds]
        return HostFunction(self.callback, self.title, self.in_tree, self.out_tree, kinds)

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.out_kinds

    def __call__(self, *args: Any) -> list[Any]:
        given, named = self.in_tree.unflatten(ndarrays(args))
        result = self.callback(*given, **named)
        if not self.out_kinds:  # nothing was announced, so nobody reads it
            return []
        found, out_tree = tree.flatten(result)
        if out_tree != self.out_tree:
            raise CallbackError(f"{self.title} was announced to give {self.out_tree}, but gave {out_tree}")
        return [self._checked(x, k) for x, k in zip(found, self.out_kinds, strict=True)]

    def _checked(self, x: Any, kind: ShapeDtypeStruct) -> Any:
        if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic):
            x = np.asarray(x).astype(kind.dtype)
        value = leaf_value(x, lambda: f"{self.title}: the result")
        if value.shape != kind.shape or value.dtype != kind.dtype:
            raise CallbackError(
                f"{self.title} was announced to give {type_text(kind)}, but gave {type_text(value)}; convert its "
                f"result, or announce what it gives"
            )
        return wrap(value)


class CallbackCall(Call):
    """The call of a host function.

    Arguments:
        body, name: as for a Call.
        vmap_method: one of VMAP_METHODS, or None.
    """

    __slots__ = ("vmap_method",)
    body: HostFunction
    kind = "Pure"
    host = True
    recorded = True

    def __init__(self, body: HostFunction, name: str, vmap_method: str | None) -> None:
        super().__init__(body, name)
        self.vmap_method = vmap_method

    def evaluate(self, *args: Any) -> list[Any]:
        if any(isinstance(x, Tracer) for x in args):  # somebody looks for linear parts inside
            raise self._none("transpose")
        return super().evaluate(*args)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        raise self._none("JVP")

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        raise self._none("JVP")

    def _none(self, what: str) -> CallbackError:
        return CallbackError(
            f"{self.kind} callbacks do not support {what}. The host function {self.name} can't be looked into: give "
            f"the function around it a derivative with custom_jvp or custom_vjp, or cut its arguments off with "
            f"stop_gradient"
        )

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        method, size = self.vmap_method, trace.size
        every = (True,) * len(self.body.out_kinds)
        if method is None:
            raise self._no_method()
        if method in ("sequential", "sequential_unrolled"):
            return one_by_one(self, size, args, mask), every
        given = list(args)
        if method != "legacy_vectorized":
            length = size if method == "broadcast_all" else 1
            given = [x if m else np.broadcast_to(raw(x), (length, *x.shape)) for x, m in zip(args, mask, strict=True)]
        return CallbackCall(self.body.of_batches(size), self.name, method)(*given), every

    def _no_method(self) -> CallbackError:
        return CallbackError(
            f"vmap is only supported for pure_callback with a vmap_method: say how {self.name} takes a batch, with "
            f"vmap_method= one of {VMAP_METHODS[:-1]}"
        )


class IoCallbackCall(CallbackCall):
    """The call of a host function that has side effects."""

    __slots__ = ()
    kind = "IO"
    effect = True
    repeatable = False

    def _no_method(self) -> CallbackError:
        return CallbackError(
            f"Cannot `vmap` ordered IO callback {self.name}: the examples of a batch have no order. Pass ordered=False"
        )


def one_by_one(call: Call, size: int, args: Sequence[Any], mask: Sequence[bool]) -> list[Any]:
    """The results of a call for each example of a batch, as batches."""
    rows = [call(*[wrap(x[i]) if m else x for x, m in zip(args, mask, strict=True)]) for i in range(size)]
    if not rows:
        return [wrap(np.zeros((0, *k.shape), k.dtype)) for k in call.kinds([])]
    return [wrap(np.stack([raw(r) for r in column])) for column in zip(*rows, strict=True)]

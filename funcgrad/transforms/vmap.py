"""`vmap`: a function of one example becomes a function of a batch of them.

Inside, a batched value is a `BatchTracer`: it looks like one example, and one level down it is the whole batch, with
the batch dimension in front. A primitive that meets one runs once on the batch, by the batching rule of its record; one
that has no rule runs example by example (see core/batching.py).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import NUMBERS, Array, raw, wrap
from funcgrad.core.batching import elementwise, one_by_one
from funcgrad.core.trace import Trace, Tracer, bind, constant, innermost
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, AxisNameError, NoValueError, ShapeError, TreeError, user_line
from funcgrad.transforms.arguments import float0, input_values, output_values


def axis(name: Any) -> BatchTrace:
    """The trace whose axis has this name; the innermost, if several have.

    Raises:
        AxisNameError: no vmap that is running gave its axis the name.
    """
    trace, others = innermost(), []
    while trace is not None:
        if isinstance(trace, BatchTrace) and trace.axis_name is not None:
            if trace.axis_name == name:
                return trace
            others.append(repr(trace.axis_name))
        trace = trace.outer
    here = f"those here are {others}" if others else "there is none here"
    raise AxisNameError(
        f"unbound axis name: {name!r}; {here}. Name the axis of a vmap around this call: vmap(f, axis_name={name!r})"
    )


class BatchTracer(Tracer):
    """One example to who looks at it; one level down, the batch, its batch dimension in front."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._value.shape[1:]

    @property
    def ndim(self) -> int:
        return self._value.ndim - 1

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def _leave(self, action: str) -> Any:
        return self._concrete(action)

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        raise NoValueError(
            f"{action} on {self.describe()}{user_line()}: it stands for a whole batch, whose examples may differ. "
            f"Choose between arrays with funcgrad.numpy.where instead of `if`"
        )

    def _known(self) -> None:
        return None

    def describe(self) -> str:
        return f"a batched value, for each example of type {self.dtype}[{','.join(map(str, self.shape))}]"

    def __repr__(self) -> str:
        return f"Tracer<{self._trace.transform}, level {self._trace.level}, batched>({wrap(self._value)!r})"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)


class BatchTrace(Trace):
    """Runs primitives on whole batches.

    Arguments:
        transform: its name, for messages.
        size: of the batch.
        axis_name: by which collective operations call its axis.
    """

    __slots__ = ()

    def __init__(self, transform: str, size: int, axis_name: Any = None) -> None:
        super().__init__(transform)
        self.size, self.axis_name = size, axis_name

    def tracer(self, value: Any) -> BatchTracer:
        t = BatchTracer()
        t._trace, t._value = self, value
        return t

    def out(self, o: Any) -> Any:
        """A result as it is one level down: the batch, also of a value that is the same for all examples."""
        return wrap(o._value if self.own(o) else np.broadcast_to(raw(o), (self.size, *o.shape)))

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        mask = tuple([self.own(a) for a in args])
        values = tuple([a._value if m else constant(a) for a, m in zip(args, mask, strict=True)])
        out = (primitive.batch or one_by_one)(primitive, self.size, values, mask, params)
        return tuple([self.tracer(o) for o in out]) if primitive.multiple else self.tracer(out)

    def unary(self, primitive: Any, x: Any) -> Any:
        if primitive.batch is not elementwise or primitive.multiple:
            return self.process(primitive, (x,), {})
        value = x._value
        t = BatchTracer()
        t._trace, t._value = self, bind(primitive, (value,), {}) if isinstance(value, Array) else primitive.impl(value)
        return t

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        """`process` written out for elementwise operations on batches that line up, and numbers."""
        if primitive.batch is not elementwise or primitive.multiple:
            return self.process(primitive, (x, y), {})
        if type(x) is BatchTracer and x._trace is self:
            a, kind = x._value, type(y)
            if kind is float or kind is int:
                b = y
            elif kind is BatchTracer and y._trace is self:
                b = y._value
                if a.ndim != b.ndim:
                    return self.process(primitive, (x, y), {})
            elif (kind is Array or (kind is np.ndarray and y.dtype.kind in NUMBERS)) and y.ndim < a.ndim:
                b = y._value if kind is Array else y
            else:
                return self.process(primitive, (x, y), {})
        else:
            b, kind = y._value, type(x)
            if kind is float or kind is int:
                a = x
            elif (kind is Array or (kind is np.ndarray and x.dtype.kind in NUMBERS)) and x.ndim < b.ndim:
                a = x._value if kind is Array else x
            else:
                return self.process(primitive, (x, y), {})
        t = BatchTracer()
        t._trace = self
        t._value = bind(primitive, (a, b), {}) if isinstance(a, Array) or isinstance(b, Array) else primitive.impl(a, b)
        return t

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        mask = tuple([self.own(a) for a in args])
        outs, batched = call.batch(self, [wrap(a._value) if m else a for a, m in zip(args, mask, strict=True)], mask)
        return [self.tracer(raw(o)) if b else o for o, b in zip(self.below(call, outs), batched, strict=True)]


def vmap(
    f: Callable,
    in_axes: Any = 0,
    out_axes: Any = 0,
    axis_name: Any = None,
    axis_size: int | None = None,
    spmd_axis_name: Any = None,
) -> Callable[..., PyTree]:
    """Map a function over an axis of its arguments, all examples at once.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        in_axes: along which axis of each argument the examples lie; None for one that all examples share. An int for
            all arguments, or a tuple with an entry for each, which may be a pytree that is a prefix of the argument.
        out_axes: along which axis of the result the examples shall lie; None where the result is the same for all.
        axis_name: by which collective operations inside (`funcgrad.lax.psum` and its like) call the axis of examples.
        axis_size: the number of examples; needed only if no argument has them.
        spmd_axis_name: accepted as in JAX, where it says how devices share the batch; here there is one.

    Returns:
        A function of batches. Keyword arguments are batched along their first axis.

    Raises:
        ArgumentError: no argument is mapped, or an axis is no int.
        ShapeError: arguments have different numbers of examples, or not the axis.
        TreeError: in_axes or out_axes does not fit the arguments or the result.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda x: x @ x)(fnp.array([[1.0, 2.0], [3.0, 4.0]]))
        Array([ 5., 25.], dtype=float64)

    Source: the convention is that of `jax.vmap` (https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html).
    """
    if not callable(f):
        raise ArgumentError(f"vmap takes a function, got {f!r} of type {type(f).__name__}")
    if axis_size is not None and (type(axis_size) is not int or axis_size < 0):
        raise ArgumentError(f"vmap: axis_size must be an int that is not negative, got {axis_size!r}")

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__"))
    def batched(*args: Any, **kwargs: Any) -> PyTree:
        given, names = (*args, *kwargs.values()), (*range(len(args)), *kwargs)
        axes = _axes_of_arguments(in_axes, args) + [0] * len(tree.leaves(tuple(kwargs.values())))
        given, hollow = _filled(given)
        values, in_tree = input_values(given, "vmap", names)
        size = _batch_size(values, axes, given, names, axis_size)
        trace = BatchTrace("vmap", size, axis_name)
        with trace:
            leaves = [
                wrap(v) if a is None else trace.tracer(_moved(v, a, 0)) for v, a in zip(values, axes, strict=True)
            ]
            arguments = in_tree.unflatten(_hollowed(leaves, hollow))
            n = len(args)
            out = f(*arguments[:n], **dict(zip(kwargs, arguments[n:], strict=True)))
            out, hollow = _filled(out)
            outs, out_tree = output_values(out, "vmap")
            results = []
            for o, a in zip(outs, _spread(out_axes, out, "out_axes"), strict=True):
                if trace.own(o):
                    if a is None:
                        raise ArgumentError(
                            "vmap: out_axes is None for a result that differs from example to example; give the axis "
                            "along which the examples shall lie"
                        )
                    results.append(wrap(_moved(o._value, 0, a)))
                elif a is None:
                    results.append(o)
                else:
                    results.append(wrap(_moved(np.broadcast_to(o, (size, *o.shape)), 0, a)))
        return out_tree.unflatten(_hollowed(results, hollow))

    return batched


def _moved(value: Any, source: int, target: int) -> Any:
    """A raw value with its batch dimension in another place; a view."""
    ndim = value.ndim
    if not -ndim <= target < ndim:
        raise ShapeError(
            f"vmap: out_axes asks for axis {target} of a result that has {ndim} axes with that of the examples; it "
            f"must lie between {-ndim} and {ndim - 1}"
        )
    return value if source % ndim == target % ndim else np.moveaxis(value, source, target)


def _filled(values: Any) -> tuple[Any, list[bool]]:
    """A pytree in which booleans stand in for the arrays of dtype float0, and which leaves those are.

    Such arrays are the cotangents of integers. They hold nothing, so there are no Arrays of them.
    """
    hollow = [getattr(x, "dtype", None) == float0 for x in tree.leaves(values)]
    if any(hollow):
        values = tree.map(lambda x: np.zeros(x.shape, bool) if getattr(x, "dtype", None) == float0 else x, values)
    return values, hollow


def _hollowed(leaves: list[Any], hollow: list[bool]) -> list[Any]:
    return [np.zeros(x.shape, float0) if h else x for x, h in zip(leaves, hollow, strict=True)]


def _is_axis(x: Any) -> bool:
    return x is None or isinstance(x, int)


def _spread(axes: Any, values: Any, name: str) -> list[Any]:
    """One axis for each leaf of values, from a pytree of axes that is a prefix of it."""
    if type(axes) is int or axes is None:
        return [axes] * len(tree.leaves(values))
    found: list[Any] = []

    def add(axis: Any, sub: Any) -> None:
        if not _is_axis(axis) or isinstance(axis, bool):
            raise ArgumentError(f"vmap: {name} holds ints and None, got {axis!r} of type {type(axis).__name__}")
        found.extend([axis] * len(tree.leaves(sub)))

    try:
        tree.map(add, axes, values, is_leaf=_is_axis)
    except TreeError as e:
        raise TreeError(f"vmap: {name} must be a prefix of what it describes: {e}") from None
    return found


def _axes_of_arguments(in_axes: Any, args: tuple) -> list[Any]:
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ArgumentError(
            f"vmap: in_axes has {len(in_axes)} entries, one for each argument, but there are {len(args)} arguments"
        )
    if not isinstance(in_axes, int | tuple | None) or isinstance(in_axes, bool):
        raise ArgumentError(
            f"vmap: in_axes must be an int, None, or a tuple with an entry for each argument; got {in_axes!r}. For one "
            f"argument that is a pytree write ({in_axes!r},)"
        )
    return _spread(in_axes, args, "in_axes")


def _batch_size(values: list[Any], axes: list[Any], given: tuple, names: tuple, axis_size: int | None) -> int:
    """The common length of the mapped axes.

    Raises:
        ArgumentError: there is none.
        ShapeError: they differ; the message lists each argument, its axis and size.
    """

    def place(k: int) -> str:
        return tree.argument_place(tree.leaves_with_path(given)[k][0], names)

    def line(k: int) -> str:
        v, a = values[k], axes[k]
        return f"\n  {place(k)}: axis {a} of shape {v.shape} has size {v.shape[a]}"

    sizes: dict[int, list[int]] = {}
    for k, (v, a) in enumerate(zip(values, axes, strict=True)):
        if a is None:
            continue
        if not -v.ndim <= a < v.ndim:
            has = f"has axes {-v.ndim} to {v.ndim - 1}" if v.ndim else "is a scalar"
            raise ShapeError(
                f"vmap: {place(k)}, of shape {v.shape}, is to be mapped along axis {a}, but it {has}. For a value that "
                f"all examples share give None in in_axes; keyword arguments are always mapped along axis 0, so close "
                f"over such a value instead"
            )
        sizes.setdefault(v.shape[a], []).append(k)
    if axis_size is not None:
        sizes.setdefault(axis_size, [])
    if not sizes:
        raise ArgumentError(
            "vmap: no argument is mapped, so the number of examples is unknown; give axis_size, or an axis in in_axes"
        )
    if len(sizes) > 1:
        lines = "".join([line(k) for found in sizes.values() for k in found])
        lines += "" if axis_size is None else f"\n  axis_size={axis_size}"
        raise ShapeError(f"vmap: the mapped axes must have one size, but they differ:{lines}")
    return next(iter(sizes))

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
from funcgrad.core.array import NUMBERS, Array, is_number, raw, wrap
from funcgrad.core.batching import elementwise, one_by_one
from funcgrad.core.trace import DeadTrace, Trace, Tracer, bind, constant, current, innermost
from funcgrad.core.types import PyTree
from funcgrad.core.uncover import uncover
from funcgrad.errors import ArgumentError, AxisNameError, ShapeError, no_value
from funcgrad.transforms.arguments import float0, input_value, output_value
from funcgrad.transforms.batch_axes import axis_of_each, batch_size, checked_axes
from funcgrad.transforms.whole import whole
from funcgrad.transforms.wraps import wraps


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
        f"unbound axis name: {name}; {here}. Name the axis of a vmap around this call: vmap(f, axis_name={name!r})"
    )


_REMEDIES = {
    "bool(x)": "Choose between arrays with funcgrad.numpy.where instead of `if`, or with funcgrad.lax.cond",
    "x as an index": "Index an Array with x itself, as in funcgrad.numpy.asarray(a)[x] for a list or an ndarray a, and "
    "loop with funcgrad.lax.fori_loop instead of range",
    "np.asarray(x)": "Use the functions of funcgrad.numpy, which take x as it is",
    "np.asarray(x) of integers": "Use the functions of funcgrad.numpy, which take x as it is; to index an ndarray a "
    "with it write funcgrad.numpy.asarray(a)[x], or funcgrad.numpy.take(a, x)",
    "float(x)": "Keep computing with x itself: with functions of funcgrad.numpy instead of those of math, and with "
    "y = y.at[i].set(x) on an Array y instead of y[i] = x on a plain ndarray",
}
"""What to write instead of the actions that need the numbers of one example."""


class BatchTracer(Tracer):
    """One example to who looks at it; one level down, the batch, its batch dimension in front."""

    __slots__ = ()
    return_it = "Return what you need from the function that is mapped; its result may be any pytree"

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
        case = "np.asarray(x) of integers" if action == "np.asarray(x)" and self.dtype.kind in "iu" else action
        remedy = _REMEDIES.get(
            case, "Keep computing with x itself, whose examples may differ in value but not in shape"
        )
        raise no_value(action, self, f"It stands for a whole batch, whose examples may differ. {remedy}")

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
    sum_match: bool = False,
) -> Callable[..., PyTree]:
    """Map a function over an axis of its arguments, all examples at once.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        in_axes: along which axis of each argument the examples lie; None for one that all examples share, which need
            not be an array. An int for all arguments, or a tuple with an entry for each, which may be a pytree that is
            a prefix of the argument.
        out_axes: along which axis of the result the examples shall lie; None where the result is the same for all. An
            int, or a pytree that is a prefix of the result.
        axis_name: by which collective operations inside (`funcgrad.lax.psum` and its like) call the axis of examples.
        axis_size: the number of examples; needed only if no argument has them.
        spmd_axis_name: accepted as in JAX, where it says how devices share the batch; here there is one.
        sum_match: whether a result that differs from example to example, and has None in out_axes, is summed over them.

    Returns:
        A function of batches. Keyword arguments are batched along their first axis.

    Raises:
        ArgumentError: no argument is mapped, an axis is no int, or a result with None in out_axes differs from example
            to example.
        ShapeError: arguments have different numbers of examples, or not the axis.
        TreeError: in_axes or out_axes does not fit the arguments or the result.

    Example:
        >>> fg.vmap(lambda x: x @ x)(fnp.array([[1.0, 2.0], [3.0, 4.0]]))
        Array([ 5., 25.], dtype=float64)

    Source: the convention is that of `jax.vmap` (https://docs.jax.dev/en/latest/_autosummary/jax.vmap.html).
    """
    if not callable(f):
        raise ArgumentError(f"vmap takes a function, got {f!r} of type {type(f).__name__}")
    if axis_size is not None and (type(axis_size) is not int or axis_size < 0):
        raise ArgumentError(f"vmap: axis_size must be an int that is not negative, got {axis_size!r}")
    in_axes, out_axes = checked_axes(in_axes, "in_axes"), checked_axes(out_axes, "out_axes")

    @wraps(f, "Vectorized version of {}: its arguments have an additional axis, along which the examples lie.")
    def batched(*args: Any, **kwargs: Any) -> PyTree:
        given, names = (*args, *kwargs.values()), (*range(len(args)), *kwargs)
        leaves, in_tree = tree.flatten(given)
        further = len(tree.leaves(tuple(kwargs.values()))) if kwargs else 0
        axes = axis_of_each(in_axes, args, len(leaves) - further, "in_axes") + [0] * further

        def place(k: int) -> str:
            return f"vmap: {tree.argument_place(tree.leaves_with_path(given)[k][0], names)}"

        values = [
            x if a is None or _is_hollow(x) else input_value(x, functools.partial(place, k))
            for k, (x, a) in enumerate(zip(leaves, axes, strict=True))
        ]
        trace = BatchTrace("vmap", batch_size(f, values, axes, args, kwargs, axis_size), axis_name)
        outer = current.get()
        try:
            trace.__enter__()
            examples = in_tree.unflatten([_example(trace, x, a) for x, a in zip(values, axes, strict=True)])
            n = len(args)
            out = f(*examples[:n], **dict(zip(kwargs, examples[n:], strict=True)))
            outs, out_tree = tree.flatten(out)

            def key(k: int) -> str:
                return tree.keystr(tree.leaves_with_path(out)[k][0])

            results = [
                _result(trace, o, a, sum_match, functools.partial(key, k))
                for k, (o, a) in enumerate(zip(outs, axis_of_each(out_axes, out, len(outs), "out_axes"), strict=True))
            ]
        except Exception as error:  # of any kind: what went wrong may be hidden in it
            uncover(error, error.__traceback__)
            raise
        finally:  # an interrupt can't come before the last call here (docs/design/scopes.md)
            trace.__class__ = DeadTrace  # type: ignore[assignment]  # all have the same slots
            current.set(outer)
        return out_tree.unflatten(results)

    # what a collective operation does depends on what is around it, so a vmap with a named axis is not compiled
    return whole(f, ("vmap", in_axes, out_axes, axis_size, sum_match), batched) if axis_name is None else batched


def _example(trace: BatchTrace, x: Any, axis: int | None) -> Any:
    """A leaf of the arguments as the function sees it. What all examples share may be anything."""
    if axis is None:
        given = isinstance(x, (np.ndarray, np.generic)) and is_number(x.dtype)
        return wrap(input_value(x, lambda: "vmap: an argument")) if given else x
    if _is_hollow(x):
        return np.zeros(np.delete(x.shape, axis), float0)
    return trace.tracer(_moved(x, axis, 0))


def _result(trace: BatchTrace, o: Any, axis: int | None, sum_match: bool, key: Callable[[], str]) -> Any:
    """A leaf of the result as the caller sees it: the batch."""
    if _is_hollow(o):
        return o if axis is None else _moved(np.zeros((trace.size, *o.shape), float0), 0, axis)
    o = output_value(o, lambda: f"Output from batched function{f' at {key()}' if key() else ''}")
    if axis is not None:
        return wrap(_moved(raw(trace.out(o)), 0, axis))
    if not trace.own(o):
        return o
    if sum_match:
        return wrap(np.add.reduce(o._value, axis=0))
    name = "" if trace.axis_name is None else f" (axis_name={trace.axis_name})"
    raise ArgumentError(
        f"vmap has mapped output{name} but out_axes is None: at vmap out_axes{key()}, the result differs from example "
        f"to example. Give the axis along which the examples shall lie"
    )


def _is_hollow(x: Any) -> bool:
    """Whether x is the cotangent of an integer, of dtype float0. It holds nothing, so there are no Arrays of it."""
    return getattr(x, "dtype", None) == float0


def _moved(value: Any, source: int, target: int) -> Any:
    """A raw value with its batch dimension in another place; a view."""
    ndim = value.ndim
    if not -ndim <= target < ndim:
        raise ShapeError(
            f"vmap out_axes: axis {target} is out of bounds for a result that has {ndim} axes with that of the "
            f"examples; it must lie between {-ndim} and {ndim - 1}"
        )
    return value if source % ndim == target % ndim else np.moveaxis(value, source, target)

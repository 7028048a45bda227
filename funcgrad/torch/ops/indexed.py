"""Primitives of the core that read or write at an index, where torch sees the arrays in the index as operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.core.plan import Plan, Plans, numbered
from funcgrad.core.trace import bind
from funcgrad.ops import index as core
from funcgrad.torch.base.storage import allocate, preserved_strides
from funcgrad.torch.ops.geometry import saved
from funcgrad.torch.ops.overwriting import written
from funcgrad.torch.tensor.composite import batched_as_one, is_recorded_as_one
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import contiguous_strides
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import indexing as texts


class Taken:
    """What is taken of an operand before it is read or written: a part of it, in another shape, times a number.

    To torch this is part of the operation, so the history leads to the operand itself.
    """

    __slots__ = ("factor", "part", "shape")

    def __init__(self, shape: tuple[int, ...], part: Any = None, factor: Any = 1) -> None:
        self.shape, self.part, self.factor = shape, part, factor

    def __call__(self, x: Any) -> Any:
        if self.part is not None:
            x = self.part(x)
        if x.shape != self.shape:
            x = x.reshape(self.shape)
        return x if self.factor == 1 else x * self.factor

    def back(self, g: Any, shape: tuple[int, ...]) -> Any:
        """The gradient of the operand, of this shape, from that of what was taken."""
        if self.part is not None:
            return self.part.back(g, shape)
        if self.factor != 1:
            g = g * self.factor
        return g if g.shape == shape else g.reshape(shape)


class Corner:
    """The part of a source that is as large as an index, which is what scatter takes of it.

    Arguments:
        shape: of the index.
        name: of the node.
    """

    __slots__ = ("name", "shape")

    def __init__(self, shape: tuple[int, ...], name: str) -> None:
        self.shape, self.name = shape, name

    def __call__(self, x: Any) -> Any:
        if 0 in self.shape:
            return x.reshape((-1,))[:0]
        return x[tuple([slice(n) for n in self.shape])]

    def back(self, g: Any, shape: tuple[int, ...]) -> Any:
        """The gradient of the source, of this shape.

        Raises:
            RuntimeError: the source is larger. torch gives no zeros to the rest, and says that it can't go on.
        """
        try:
            fits = np.broadcast_shapes(shape, self.shape) == self.shape
        except ValueError:
            fits = False
        if not fits:
            raise RuntimeError(texts.INVALID_GRADIENT.format(name=self.name, got=list(self.shape), wanted=list(shape)))
        return g.reshape(self.shape)


class WithIndices:
    """A primitive of the core whose index is made of operands: `f(x, i, j, index=...)`.

    To the core the index is a parameter. torch saves the tensors in it and checks that nobody has written into them; so
    here they are operands as well, behind those of the primitive itself.

    Arguments:
        primitive: computes, and says what goes forward.
        back: for each differentiable operand the primitive whose rule says what goes back to it.
        layout: gives a result the memory order it should have.
        watched: which of the primitive's operands torch saves, too, though no rule needs them.
    """

    __slots__ = ("back", "layout", "multiple", "name", "operands", "plans", "preserves", "primitive", "rest", "watched")

    def __init__(
        self, primitive: Any, *back: Any, layout: Callable | None = None, watched: tuple[int, ...] = ()
    ) -> None:
        self.primitive, self.back, self.layout, self.watched = primitive, back, layout, watched
        self.name, self.operands, self.multiple, self.preserves = f"{primitive.name} with indices", None, False, False
        self.rest = (None,) * (len(primitive.operands) - len(back))  # the core's own operand for indices, here unused
        self.plans = Plans(self._plan)

    def _plan(self, mask: tuple[bool, ...]) -> _IndexedPlan | None:
        return _IndexedPlan(self, mask) if any(mask[: len(self.back)]) else None

    def own(self, values: tuple, taken: Taken | None) -> tuple:
        """The operands that can be differentiated; of the last one there is what is taken of it."""
        own = values[: len(self.back)]
        return own if taken is None else (*own[:-1], taken(own[-1]))

    def impl(self, *values: Any, index: Any, taken: Taken | None = None) -> Any:
        own = self.own(values, taken)
        out = self.primitive.impl(*own, *self.rest, index=index)
        return out if self.layout is None else self.layout(out, own[0], index)

    def __call__(self, *values: Any, index: Any, taken: Taken | None = None) -> Any:
        """The same for tracers, among the operands or in the index."""
        known = not any(isinstance(a, Array) for a in values[len(self.back) :])
        if known and is_recorded_as_one(self, values):
            return bind(self, values, {"index": index} if taken is None else {"index": index, "taken": taken})
        return self.f(*values, index=index, taken=taken)

    batch = staticmethod(batched_as_one)

    def f(self, *values: Any, index: Any, taken: Taken | None = None) -> Any:
        """What it does in primitives of the core."""
        own, arrays = self.own(values, taken), values[len(self.back) :]
        if any(isinstance(a, Array) for a in arrays):
            indices = fnp.stack(fnp.broadcast_arrays(*arrays))
            if len(own) == 1:
                return core.gather(*own, indices, index=index)
            return self.primitive(*own, indices, index=index)
        return self.primitive(*own, *self.rest, index=index)


class _IndexedPlan(Plan):
    """How a primitive with indices is differentiated: by the plans of the core's primitives."""

    __slots__ = ("back", "forward", "kept", "own", "rest")
    names = ("xs", "residuals", "taken")

    def __init__(self, owner: WithIndices, mask: tuple[bool, ...]) -> None:
        self.own, self.rest = len(owner.back), owner.rest
        super().__init__(owner, mask[: self.own])
        self.operands = numbered(len(mask))
        self.kept = frozenset((*owner.watched, *range(self.own, len(mask))))
        self.forward = owner.primitive.plans[mask[: self.own] + (False,) * len(self.rest)]
        one = [tuple([k == i for k in range(self.own + len(self.rest))]) for i in self.linked]
        self.back = [owner.back[i].plans[m] for i, m in zip(self.linked, one, strict=True)]

    def keep(self, out: Any, params: dict, *values: Any) -> tuple:
        taken = params.get("taken")
        own = self.primitive.own(values, taken)
        xs = tuple([v if i in self.kept else None for i, v in enumerate(values)])
        of = None if taken is None else (taken, values[self.own - 1].shape)
        params = {"index": params["index"]}
        return xs, tuple([p.keep(out, params, *own, *self.rest) for p in self.back]), of

    def pull(self, g: Any, kept: tuple) -> Any:
        found = [p.pull(g, k) for p, k in zip(self.back, kept[1], strict=True)]
        if kept[2] is not None and self.linked[-1] == self.own - 1:
            taken, shape = kept[2]
            last = found[-1]
            found[-1] = taken.back(last.dense() if isinstance(last, Deferred) else last, shape)
        return found[0] if self.single else tuple(found)

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        taken, known = params.get("taken"), tangents[: self.own]
        if taken is not None and known[-1] is not None:
            known = (*known[:-1], taken(known[-1]))
        own = self.primitive.own(values, taken)
        return self.forward.push(out, {"index": params["index"]}, known + self.rest, *own, *self.rest)


# Operations.


def as_operand(out: ndarray, x: ndarray, *read: Any) -> ndarray:
    """The result of writing with the strides that a copy of x has."""
    steps = preserved_strides(x.shape, tuple([s // x.itemsize for s in x.strides]))
    if not out.size or out.strides == tuple([s * out.itemsize for s in steps]):
        return out
    found = allocate(out.shape, out.dtype, steps)
    found[...] = out
    return found


def contiguous(out: ndarray, *read: Any) -> ndarray:
    """The result of reading as a contiguous array, in dimensions of size 1 as well."""
    steps = tuple([out.itemsize * s for s in contiguous_strides(out.shape)])
    return out if out.strides == steps else out.copy(order="C")


def writing(
    name: str,
    operands: tuple[str, ...],
    *,
    add: bool = False,
    edges: int = 2,
    watched: tuple[int, ...] = (),
    layout: Callable | None = None,
) -> Operation:
    """An operation that writes values to, or adds them at, the places of an index.

    Where a place is written to twice the last value stays, but torch gives the gradient to both: backward it is an
    addition. `layout` gives the memory order of the result, if that is not C order.
    """
    primitive = core.index_add if add else core.index_set
    rules = WithIndices(primitive, primitive, core.index_add, watched=watched, layout=layout or contiguous)
    return Operation(rules, name, operands=operands, edges=edges)


READ = WithIndices(core.getitem, core.getitem, layout=contiguous)
READ_WATCHED = WithIndices(core.getitem, core.getitem, layout=contiguous, watched=(0,))


# As what the rule of reading is recorded where a gradient is differentiated again.
Operation(core.scatter_add, "IndexPutImplBackward0", operands=("values",), again=True)


def read_at(op: Operation, x: Any, index: Any, tensors: tuple, /, **shown: Any) -> Any:
    """Read x at an index that was made of tensors; the node shows these as what it saved.

    A tensor without dimensions is read as if it had one.
    """
    params = {"index": index} if x._value.ndim else {"index": index, "taken": Taken((1,))}
    t = record(op, (x, *tensors), [raw(x), *[raw(i) for i in tensors]], params)
    return saved(t, **shown)


def write_at(
    op: Operation,
    x: Any,
    value: Any,
    index: Any,
    tensors: tuple,
    /,
    *,
    inplace: bool,
    v: Any = None,
    taken: Taken | None = None,
    **shown: Any,
) -> Any:
    """Write a value into x, or into a copy of it, at an index that was made of tensors.

    Arguments:
        op: made by `writing`.
        value: a tensor, or None for a number.
        v: the raw value, if it is not that of the tensor.
        taken: what is written of the value, if not all of it.
    """
    v = raw(value) if v is None else v
    args, values = (x, value, *tensors), [raw(x), v, *[raw(i) for i in tensors]]
    params = {"index": index} if taken is None else {"index": index, "taken": taken}
    v = v if taken is None or not inplace else taken(v)
    if not inplace:
        return saved(record(op, args, values, params), **shown)

    def put(memory: ndarray) -> None:
        if op.primitive.primitive is core.index_add:
            np.add.at(memory, index, v)
        else:
            memory[index] = v

    written(op, x, args, values, params, put)
    return x if x._view is not None else saved(x, **shown)

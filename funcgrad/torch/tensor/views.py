"""Views: tensors that share memory, and how their history follows when one of them is written into.

A view knows its base, the tensor that is no view itself, and shares its version counter. Its `grad_fn` is worked out
anew when the version has moved since: what was written through the base or through another view is then part of it.
https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.base.storage import UntypedStorage, pointer, reach, strided
from funcgrad.torch.tensor.levels import derivative_levels, home, put_together, taken_apart, unseen, usable, without
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.node import shortened
from funcgrad.torch.tensor.operation import Operation, link_one, through
from funcgrad.torch.tensor.tensor import SUBCLASSES, Tensor, contiguous_strides, is_dim, no_arguments, wrap_dim
from funcgrad.torch.tensor.traced import link_alias, memory_shown, offset_shown, register
from funcgrad.torch.tensor.values import like_operands, new, wrapped
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import tensor as tensor_texts
from funcgrad.torch.texts import writing as texts

DEFAULT, IN_CUSTOM_FUNCTION, MULTI_OUTPUT, NO_GRAD, INFERENCE = range(5)
"""How a view came to be, which says whether it may be written into."""


class View:
    """What a tensor knows as a view.

    Attributes:
        base: the tensor that is no view.
        version: of the memory when grad_fn was last worked out.
        replay: makes the view from the base once more, where strides alone can't; else None.
        creation: one of the constants above.
    """

    __slots__ = ("base", "creation", "replay", "version")

    def __init__(self, base: Any, version: int, replay: Callable | None, creation: int) -> None:
        self.base, self.version, self.replay, self.creation = base, version, replay, creation

    def remade(self, x: Any) -> Callable:
        """What makes the view, which is x, from the base once more."""
        return self.replay if self.replay is not None else restride(x)


class ViewOperation(Operation):
    """An operation whose result looks at the memory of its operand.

    Arguments (beside those of Operation):
        look: gives the view, as an ndarray, of an ndarray and the parameters; by default the primitive itself.
        replayed: whether the view can't be made from the base by sizes and strides alone (another dtype).
        trailing: whether it looks at trailing dimensions only, so that it looks at a batch of arrays as at one. The
            primitives of others, or their batching rules, give views themselves.
    """

    __slots__ = ("look", "replayed", "trailing")

    def __init__(
        self,
        primitive: Any,
        name: str,
        *,
        look: Callable | None = None,
        replayed: bool = False,
        trailing: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(primitive, name, operands=("self",), **options)
        self.look, self.replayed, self.trailing = look or self.impl, replayed, trailing

    def look_at_batch(self, x: Any, params: dict) -> Any:
        """The view of a tensor that stands for a batch in memory; None if it has to be computed."""
        memory, traces = taken_apart(x._value)
        if not self.trailing or type(memory) is not ndarray:
            return None
        return put_together(self.look(memory, **params), traces)

    def __call__(self, x: Any, *, creation: int = DEFAULT, **params: Any) -> Any:
        return view(self, x, params, creation)

    def in_rule(self, tensors: tuple, values: list, params: dict) -> Any:
        (x,) = tensors
        if self.look is not None and isinstance(x, Tensor) and x._value is values[0] and type(values[0]) is ndarray:
            value = self.seen_by_rule(x._settle(), params)
            if value is not None:
                return view(self, x, params, value=value)
        return super().in_rule(tensors, values, params)

    def of(self, primitive: Any) -> Operation:
        """The same for another primitive, such as that of a batch, which computes what this one looks at."""
        twin: Any = super().of(primitive)
        twin.look = None
        return twin

    def seen_by_rule(self, value: ndarray, params: dict) -> ndarray | None:
        """The look at an array that a rule of the core asks for; None if there is none in torch."""
        if params.get("order", "C") != "C":
            return None
        index = params.get("index")
        if index is not None and (type(index) is not tuple or not all(_is_place(i) for i in index)):
            return None
        try:
            return self.look(value, **{k: v for k, v in params.items() if k != "order"})
        except RuntimeError:  # the elements do not lie so in memory
            return None


def _is_place(i: Any) -> bool:
    """Whether an entry of an index leaves the elements where they are."""
    return i is Ellipsis or type(i) is int or (type(i) is slice and (i.step is None or i.step > 0))


def share(x: Any, value: Any) -> Any:
    """A tensor on the memory of x with x's lazy bits, which autograd does not know to be a view."""
    t = new(Tensor)
    t._value = value
    if type(value) is ndarray and type(x._value) is ndarray:
        if value is x._value:
            t._value = x._settle()
        t._store = x._storage()
    if not x._plain:
        t._set(lazy=x._lazy)
    if state.transforms:
        t._level, t._home = state.transforms[-1], home(x)
    return t


def place(x: Any, storage: UntypedStorage, size: tuple, stride: tuple, offset: int) -> Any:
    """Let a new tensor look at a part of a storage."""
    x._value = strided(storage, x._value.dtype, size, stride, offset)
    x._store = storage
    return x


def counter_of(x: Any) -> list[int]:
    """The version counter of a tensor, made when first shared."""
    if x._counter is None:
        x._counter = [0]
    return x._counter


def alias(x: Any) -> Any:
    """x.detach() without forward derivatives: the same memory and version counter, no history."""
    t = stripped(x, derivative_levels())
    t._inference = x._inference
    if not x._inference:
        t._counter = counter_of(x)
    elif not state.inference:
        t._counter = [0]
    return t


def stripped(x: Any, levels: tuple[float, ...]) -> Any:
    """A tensor on the memory of x without the history that x has at some levels."""
    if not isinstance(x._value, Array):
        t = share(x, x._value)
    else:
        t = share(x, usable(without(x._value, levels)))
    if state.transforms:
        link_alias(t, x, levels)
    return t


def view_of_value(value: Any, counter: Any) -> Any:
    """A tensor around memory that a node saved, with its version counter."""
    t = wrapped(value)
    t._counter = counter
    return t


def view(op: Any, x: Any, params: dict, creation: int = DEFAULT, value: Any = None) -> Any:
    """Apply a view operation: share memory and version counter, remember the base, record.

    `value` is the look at x's memory if the caller has it already.
    """
    t = seen(op, x, params, value)
    replayed = op.replayed or isinstance(x._value, Array)
    as_view_of(t, x, (lambda b: view(op, b, params)) if replayed else None, creation)
    return like_operands((x,), t) if SUBCLASSES else t


def seen(op: Any, x: Any, params: dict, value: Any = None) -> Any:
    """As `view`, but the result is no view: it has a history of its own, and no base."""
    if isinstance(x._value, Array):
        value = op.look_at_batch(x, params)
        if value is None:
            value = without(through(op, (x._value,), params), unseen())
    elif value is None:
        value = op.look(x._settle(), **params)
    t = share(x, value)
    if isinstance(value, Array):
        t._operation = op.name
    if x._inference:
        t._inference = True
    else:
        link_one(op, x, x._value, params, value, t)
    if x._tangent is not None and state.forward_grad:
        give_tangent(t, op(x._tangent, **params))
    return t


def as_view_of(t: Any, x: Any, again: Callable | None, creation: int = DEFAULT) -> None:
    """Make t, which shares x's memory, a view of x for autograd; `again` makes it from x once more."""
    if x._inference:
        t._inference = True
        return
    t._counter = counter = counter_of(x)
    if state.inference:
        creation = INFERENCE
    elif creation == DEFAULT and not state.grad:
        creation = NO_GRAD
    parent = x._view
    if parent is None:
        t._view = View(x, counter[0], again, creation)
        if state.transforms:
            register(t, x)
        return
    replay = None
    if again is not None or parent.replay is not None:
        replay = _both(parent.remade(x), again or restride(t))
    t._view = View(parent.base, counter[0], replay, creation if creation != DEFAULT else parent.creation)
    if state.transforms:
        register(t, x)


def _both(first: Callable, then: Callable) -> Callable:
    return lambda b: then(first(b))


def restride(x: Any) -> Callable:
    """What makes a tensor with the sizes, strides and offset of x from another one."""
    size, stride, offset = geometry(x)
    return lambda b: AS_STRIDED(b, size=size, stride=stride, offset=offset, of=geometry(b))


# Geometry.


@member_of(Tensor)
def stride(self: Any, dim: int | None = None) -> Any:
    """By how many elements memory moves from one index to the next, for each dimension or for one."""
    if dim is not None and not is_dim(dim):
        raise TypeError(tensor_texts.DIM_NO_INT.format(name="stride", kind=type(dim).__name__))
    value = self._value
    if isinstance(value, Array):
        value = memory_shown(self)
    if value is None:
        strides = contiguous_strides(self._value.shape)
    else:
        item = value.itemsize
        strides = tuple([s // item for s in value.strides])
        if 0 in value.shape and self._store is None and not any(strides):
            strides = contiguous_strides(value.shape)  # which NumPy does not say of an array without elements
    if dim is None:
        return strides
    if not strides:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
    return strides[wrap_dim(dim, len(strides))]


@member_of(Tensor)
def storage_offset(self: Any, *extra: Any) -> int:
    """Where in its storage the tensor begins, in elements."""
    if extra:
        raise no_arguments("storage_offset", extra)
    if isinstance(self._value, Array):
        return offset_shown(self)
    if self._store is None:
        return 0
    return (pointer(self._value) - self._store.origin) // self._value.itemsize


def geometry(x: Any) -> tuple[tuple, tuple, int]:
    """Sizes, strides and storage offset, in elements."""
    value = x._value
    if isinstance(value, Array):
        return value.shape, contiguous_strides(value.shape), 0
    item = value.itemsize
    return value.shape, tuple([s // item for s in value.strides]), x.storage_offset()


def positions(size: tuple, stride: tuple, offset: int) -> ndarray:
    """For each element its place in the storage."""
    found = np.full(size, offset, np.int64)
    for axis, (n, s) in enumerate(zip(size, stride, strict=True)):
        found += (np.arange(n) * s).reshape((n,) + (1,) * (len(size) - axis - 1))
    return found


def _as_strided(x: Any, *, size: tuple, stride: tuple, offset: int, of: tuple) -> Any:
    """The elements of x that lie at these places of its storage, x having the geometry `of`."""
    wanted = positions(size, stride, offset)
    held = positions(*of).reshape(-1)
    first = int(held.min()) if held.size else 0
    place = np.zeros((int(held.max()) - first + 1) if held.size else 1, np.int64)
    place[held - first] = np.arange(held.size)
    return fnp.reshape(x, (-1,))[place[np.clip(wanted - first, 0, place.size - 1)]]


class _AsStrided(ViewOperation):
    __slots__ = ()

    def look_at_batch(self, x: Any, params: dict) -> Any:
        memory, traces = taken_apart(x._value)
        own = memory_shown(x)
        if type(memory) is not ndarray or (own is None and x._value.size):
            return None
        size, stride, offset = params["size"], params["stride"], params["offset"]
        item, first = memory.itemsize, x.storage_offset()
        check_range(size, stride, offset, first, own)
        if own is None:
            return None
        sizes, steps = memory.shape[: len(traces)], memory.strides[: len(traces)]
        start = np.ndarray((), memory.dtype, UntypedStorage(memory).bytes, (offset - first) * item)
        return put_together(as_strided(start, (*sizes, *size), (*steps, *[s * item for s in stride])), traces)

    def __call__(self, x: Any, *, creation: int = DEFAULT, **params: Any) -> Any:
        if isinstance(x._value, Array):
            return view(self, x, params, creation)
        value = strided(x._storage(), x._value.dtype, params["size"], params["stride"], params["offset"])
        return view(self, x, params, creation, value)


def check_range(size: tuple, stride: tuple, offset: int, first: int, own: Any) -> None:
    """Raise torch's error if as_strided inside vmap would see more of the storage than its operand does.

    Arguments:
        first: where the operand begins in the storage.
        own: its memory, None if it has no elements.
    """
    if 0 in size:
        return
    if own is None:
        raise _out_of_range(size, stride, offset, memory_texts.AS_STRIDED_NO_STORAGE)
    last = offset + reach(size, stride)
    end = first + reach(own.shape, [s // own.itemsize for s in own.strides])
    if offset < first or last > end:
        ranges = memory_texts.AS_STRIDED_RANGES.format(low=offset, high=last, first=first, last=end)
        raise _out_of_range(size, stride, offset, ranges)


def _out_of_range(size: tuple, stride: tuple, offset: int, ranges: str) -> RuntimeError:
    text = memory_texts.AS_STRIDED_IN_VMAP
    return RuntimeError(text.format(size=list(size), stride=list(stride), offset=offset, ranges=ranges))


AS_STRIDED = _AsStrided(_as_strided, "AsStridedBackward0", saves=(), params={"offset": "storage_offset"}, again=True)


# History of views.


@member_of(Tensor)
def _made_by(self: Any) -> Any:
    """The node in torch's own graph."""
    return self._node if self._view is None else current_grad_fn(self)


def current_grad_fn(v: Any) -> Any:
    """The grad_fn of a view: worked out anew if the memory was written into since it was last."""
    found = v._view
    base = found.base
    if v._node is None and not (base._requires or base._node is not None):
        return None
    version = v._counter[0]
    if int(found.version) != int(version):
        check_creation(v, modified=False)
        if base._requires or base._node is not None:
            before, state.grad = state.grad, True
            try:
                fresh = found.remade(v)(base)
            finally:
                state.grad = before
            v._node, v._nr = fresh._node, fresh._nr
        found.version = version
    return v._node


def check_creation(v: Any, *, modified: bool) -> None:
    """Whether a view may be written into, by how it came to be; raises torch's error if not."""
    found = v._view
    if found.creation == DEFAULT:
        return
    touched = "is being" if modified else "its base or another view of its base has been"
    inference, node = found.creation == INFERENCE, v._node
    output = None if node is None else f"Output {v._nr} of {shortened(node.name())} is a view"
    if output is None or found.creation in (NO_GRAD, INFERENCE):
        made = "A view was created" if output is None else f"{output} of a view which was created"
        mode, now = ("inference", "in normal mode") if inference else ("no_grad", "with grad mode enabled")
        text = f"{made} in {mode} mode and {touched} modified inplace {now}."
    else:
        text = f"{output} and {touched} modified inplace."
    if found.creation in (NO_GRAD, INFERENCE):
        block = "inference_mode" if inference else "no_grad"
        raise RuntimeError(texts.VIEW_OF_MODE.format(why=text, block=block))
    if found.creation == MULTI_OUTPUT:
        raise RuntimeError(texts.VIEW_OF_MANY.format(why=text))
    raise RuntimeError(texts.VIEW_OF_CUSTOM_FUNCTION.format(why=text))

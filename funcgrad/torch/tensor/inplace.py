"""Writing into tensors: what is forbidden, the version counter, and how history is rewritten.

An in-place operation computes its result as the operation out of place does, recorded with the old value as an operand;
then the result is copied into the tensor's memory, and the tensor takes over the result's history. If the tensor is a
view, so does its base: a `CopySlices` node says that part of it was replaced.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.torch.base.dtypes import can_cast, of_numpy
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.tensor.journal import journal, note, refused, wrote
from funcgrad.torch.tensor.levels import batch_sizes, check_write, derivative_levels, unseen
from funcgrad.torch.tensor.node import Node, next_edge, next_number
from funcgrad.torch.tensor.run_node import call_node
from funcgrad.torch.tensor.traced import count_below, graph_value, is_shared_with_traced, write_traced
from funcgrad.torch.tensor.values import raw, requires
from funcgrad.torch.tensor.views import AS_STRIDED, check_creation, counter_of, geometry, positions
from funcgrad.torch.texts import elementwise as elementwise_texts
from funcgrad.torch.texts import tensor as tensor_texts
from funcgrad.torch.texts import writing as texts


def check_inplace(x: Any, *others: Any, name: str, named: dict[str, Any] | None = None, recorded: bool = True) -> None:
    """Raise torch's error if x may not be written into.

    Arguments:
        x: the tensor.
        others, named: what else takes part in it, arguments of the method that writes.
        name: of that method, or of its form; see `overloads.overload`.
        recorded: whether autograd takes note of it; to logic, for one, it is blind.
    """
    if state.transforms:
        check_write(x, name, others, named)
    if named:
        others = (*others, *named.values())
    if state.before_write is not None:
        state.before_write(x)
    if not recorded or not state.grad or not (requires(x) or any(requires(o) for o in others)):
        return
    if x._view is not None:
        check_creation(x, modified=True)
        if x.requires_grad and x._view.base.is_leaf:
            raise refused(name, texts.VIEW_OF_LEAF_WRITTEN, x)
    if x.requires_grad and x.is_leaf:
        raise refused(name, texts.LEAF_WRITTEN, x)


def check_overlap(x: Any) -> None:
    """Raise torch's error if several elements of x are one place in memory."""
    value = x._value
    if (
        type(value) is ndarray
        and value.size
        and any(s == 0 and n > 1 for s, n in zip(value.strides, value.shape, strict=True))
    ):
        raise RuntimeError(texts.OVERLAPS_ITSELF)


def bump(x: Any) -> None:
    """x was written into: its version, and that of all that share the counter, moves on."""
    x._bump()


_LAID_OUT = frozenset([
    "AddBackward0", "Atan2Backward0", "DivBackward0", "DivBackward1", "MulBackward0", "SubBackward0",
])  # fmt: skip
"""The operations in place whose rule for batches gives both operands as many dimensions."""


def write(x: Any, result: Any, recorded: bool = True) -> Any:
    """Copy the result of an operation into x, which takes over its history; gives x.

    Arguments:
        x: the tensor.
        result: what is written.
        recorded: whether autograd takes note of it; if not, x keeps the history, and the tangent, that it has.
    """
    value = x._value
    new = graph_value(result) if isinstance(value, Array) else raw(result)
    if value.shape != new.shape:
        try:
            fits = np.broadcast_shapes(value.shape, new.shape) == value.shape
        except ValueError:
            fits = False
        mapped = [] if fits or result._operation not in _LAID_OUT else batch_sizes((x,))
        shape = (1,) * (len(new.shape) - value.ndim if mapped else 0) + value.shape
        if mapped and new.shape == shape:
            new = fnp.reshape(new, value.shape)
        elif not fits:
            raise RuntimeError(
                tensor_texts.RESULT_SHAPE.format(shape=[*mapped, *shape], broadcast=[*mapped, *new.shape])
            )
    have, got = of_numpy(value.dtype), of_numpy(new.dtype)
    if not can_cast(got, have):
        raise RuntimeError(elementwise_texts.NO_CAST.format(have=got.title, wanted=have.title))
    check_overlap(x)
    store(x, new, recorded)
    bump(x)
    if isinstance(x._value, Array):
        count_below(x)
    if journal.on and (not recorded or result._node is None):
        wrote(x, "a write in place", (result._entry,))
    if not recorded:
        return x
    x._operation = result._operation if x._view is None else "AsStridedBackward0"
    node = result._node
    if node is not None:
        if node.outputs == 1 and (node.dtype != value.dtype or node.shape != value.shape):
            node.dtype, node.shape = value.dtype, value.shape
        _repoint(node, result, x)
        rebase(x, node, result._nr)
    if not state.forward_grad:
        return x
    if result._tangent is not None:
        write_tangent(x, result._tangent)
    elif x._tangent is not None:
        x._tangent.zero_()
    return x


def store(x: Any, new: Any, recorded: bool = True) -> None:
    """Put new values into the memory of x: bits of lazy conjugation and negation are taken into account.

    Without `recorded` no derivative sees it.
    """
    value = x._value
    if state.before_write is not None:
        state.before_write(x)
    if x._lazy:
        new = np.conj(new) if x._lazy & 1 else new
        new = -new if x._lazy & 2 else new
    if isinstance(value, Array) or isinstance(new, Array) or (state.transforms and is_shared_with_traced(x)):
        write_traced(x, new, unseen() if recorded else derivative_levels())
        return
    if not value.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if new.dtype.kind == "c" and value.dtype.kind != "c":
        new = new.real
    with np.errstate(all="ignore"):
        np.copyto(value, new, casting="unsafe")


def write_tangent(x: Any, tangent: Any) -> None:
    """The forward derivative of x after it was written into; the base of a view gets one, too."""
    if x._tangent is not None:
        x._tangent.copy_(tangent)
        return
    if x._view is not None:
        base = x._view.base
        if base._tangent is None:
            give_tangent(base, base.new_zeros(base.shape))
        replay = x._view.replay
        size, stride, offset = geometry(x)
        t = replay(base._tangent) if replay else base._tangent.as_strided(size, stride, offset)
        t.copy_(tangent)
        give_tangent(x, t)
    else:
        give_tangent(x, tangent.expand(x.shape).clone() if tangent.shape != x.shape else tangent)


def _repoint(node: Node, result: Any, x: Any) -> None:
    """A node that saved its result saved a temporary; the result is now what x holds."""
    saved = node.saved
    if not saved or all(t is not None for t, _, _ in saved):
        return
    temporary = result._value
    node.residuals = tuple([x._value if r is temporary else r for r in node.residuals])
    counter = counter_of(x)
    node.saved = tuple([(t, c, v) if t is not None else (None, counter, counter[0]) for t, c, v in saved])


def rebase(x: Any, node: Node, number: int) -> None:
    """Make node the history of x, and of its base if it is a view."""
    if x._view is None:
        move_retain(x, node, number)
        x._node, x._nr, x._requires, x._entry = node, number, False, node.number
        return
    base = x._view.base
    slices = CopySlices(base, x, node)
    if journal.on:
        value = base._value
        base._entry = note(
            slices.number, "CopySlices", None, True, value.shape, value.dtype, (base._entry, node.number)
        )
    x._entry = node.number
    move_retain(base, slices, 0)
    base._node, base._nr, base._requires = slices, 0, False
    x._view.version = -1
    old = x._node
    x._node = None
    if node.saved and node.saved[-1][0] is None:  # what it saved is its result, which the view now shows
        node._view_fn = ref(x.grad_fn)
    if x._retain_call is not None and old is not None:
        fresh = x.grad_fn
        old.retain(0, None)
        fresh.retain(x._nr, x._retain_call)


def move_retain(x: Any, node: Node, number: int) -> None:
    """A tensor that retains its grad does so for its new history."""
    if x._retain_call is not None:
        if x._node is not None:
            x._node.retain(x._nr, None)
        node.retain(number, x._retain_call)


class CopySlices(Node):
    """Part of `base` was replaced by the result of an operation on that part."""

    __slots__ = ("again", "fn", "strides", "views")
    title = "torch::autograd::CopySlices"

    def __init__(self, base: Any, x: Any, fn: Node) -> None:
        super().__init__()
        self.slow = True
        edge = next_edge(base)
        self.number, self.plan, self.op, self.params = next_number(), None, None, {}
        self.shape, self.dtype = base._value.shape, base._value.dtype
        self.fn, self.again = fn, x._view.replay
        self.views, self.strides = geometry(x), geometry(base)
        self.residuals, self.saved = (), ()
        own = [] if edge is None else [(0, edge, base._nr)]
        others = [(k, i, n) for k, i, n in zip(fn.linked, fn.inputs, fn.numbers, strict=True) if k > 0]
        rows = own + others
        self.linked = tuple(k for k, _, _ in rows)
        self.inputs = tuple(i for _, i, _ in rows)
        self.numbers = tuple(n for _, _, n in rows)

    def edge_count(self) -> int:
        return max(1, self.fn.edge_count())

    def run(self, grads: list, create_graph: bool) -> list:
        """The gradient of the old base: that of the new one, with the part that was replaced pulled through fn."""
        (g,) = grads
        if g is None:
            return [None] * self.edge_count()
        if 0 in self.views[0]:  # nothing was replaced
            others = call_node(self.fn, [g.new_empty(self.views[0])], create_graph)[1:]
            return [g if 0 in self.linked else None, *others] + [None] * (self.edge_count() - 1 - len(others))
        size, stride, _ = self.strides
        traced = isinstance(g._value, Array)  # a batch of gradients
        in_place = dense_strides(size, stride) and not traced
        if traced:
            result = g.clone()
        else:
            result = g.new_empty_strided(size, stride) if in_place else g.new_empty(size)
            result.copy_(g)
        if self.again is not None:
            part = self.again(result)
        else:
            vsize, vstride, voffset = self.views
            where = voffset - self.strides[2]
            if not in_place:
                vstride, where = _contiguous_geometry(self.views, self.strides)
            part = AS_STRIDED(result, size=vsize, stride=vstride, offset=where, of=geometry(result))
        found = call_node(self.fn, [part.clone()], create_graph)
        if 0 in self.linked:
            own = found[0] if 0 in self.fn.linked else None
            if own is None:
                part.zero_()
            else:
                part.copy_(own)
        return [result if k == 0 and 0 in self.linked else f for k, f in enumerate(found)] or [result]

    def release(self) -> None:
        self.fn.release()


def dense_strides(size: tuple, stride: tuple) -> bool:
    """Whether these sizes and strides fill their memory without gaps or overlaps."""
    expected = 1
    for n, s in sorted(((n, s) for n, s in zip(size, stride, strict=True) if n != 1), key=lambda p: p[1]):
        if s != expected:
            return False
        expected *= n
    return True


def _contiguous_geometry(part: tuple, whole: tuple) -> tuple[tuple, int]:
    """Strides and offset of a part in a contiguous copy of the whole, whose dimensions are a subset in order."""
    held = positions(*whole).reshape(-1)
    place = {p: k for k, p in enumerate(held.tolist())}
    size, stride, offset = part
    strides = []
    for n, s in zip(size, stride, strict=True):
        strides.append(place[offset + s] - place[offset] if n > 1 else 0)
    return tuple(strides), place[offset]

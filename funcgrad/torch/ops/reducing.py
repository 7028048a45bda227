"""What the functions that reduce dimensions share: their dimensions, and recording of results computed ahead."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops.index import pick_along_axis, scatter_along_axis, take_along_axis
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation, link_one, record
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import cast, new, raw, requires, wrapped


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""The default of an argument that None is different from."""

EVERY = tuple([tuple(range(n)) for n in range(65)])
"""All dimensions of a tensor with n dimensions."""


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that `dim` names, counted from the front; None and () name all of them.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: one of them is named twice.
        TypeError: dim is neither an int nor a sequence of ints.
    """
    if type(dim) is int:
        return (wrap_dim(dim, ndim),) if ndim else zero_dim(dim)
    if dim is None:
        return EVERY[ndim]
    if not isinstance(dim, (tuple, list)):
        return dims_of(operator.index(dim), ndim)
    found: list[int] = []
    for d in dim:
        i = wrap_dim(operator.index(d), ndim)
        if i in found:
            raise RuntimeError(f"dim {i} appears multiple times in the list of dims")
        found.append(i)
    return (tuple(found) if ndim else ()) if found else EVERY[ndim]


def zero_dim(dim: int) -> tuple[int, ...]:
    """The dimensions of a 0-d tensor that 0 or -1 names: there are none to reduce."""
    wrap_dim(dim, 0)
    return ()


def shown(dim: Any) -> Any:
    """`dim` as torch shows it in `grad_fn._saved_dim`: as unsigned numbers of 64 bits."""
    if dim is None or dim is UNSET:
        return None
    return tuple([int(d) % 2**64 for d in (dim if isinstance(dim, (tuple, list)) else (dim,))])


def shown_one(dim: int) -> int:
    """As `shown`, for a parameter that is one dimension."""
    return int(dim) % 2**64


def contiguous(a: ndarray) -> ndarray:
    """An array with the strides of a contiguous tensor, also where a dimension has size one."""
    if not a.flags.c_contiguous:
        return np.ascontiguousarray(a)
    return a.reshape(-1).reshape(a.shape) if 1 in a.shape and a.ndim > 1 else a


def simple(x: Any) -> bool:
    """Whether x is a tensor whose ndarray is all there is to it."""
    return type(x) is Tensor and x._plain


def recorded(op: Operation, x: Any, value: ndarray, out: Any, params: dict, saved: dict) -> Any:
    """A tensor for `out`, which `op` would compute of the ndarray of x; recorded if x requires grad.

    Arguments:
        op: the operation.
        x: a tensor with an ndarray.
        value: the ndarray that op takes, x's own or one in another dtype.
        out: the result.
        params: the parameters of op.
        saved: what the node shows as saved beside tensors.
    """
    if type(out) is not ndarray:
        out = np.asarray(out)
    elif 1 in out.shape or not out.flags.c_contiguous:
        out = contiguous(out)
    t = new(Tensor)
    t._value = out
    if state.transforms:
        t._level = state.transforms[-1]
    node = link_one(op, x, value, params, out, t)
    if node is not None:
        node.params = saved
    elif state.inference:
        t._inference = True
    return t


def applied(op: Operation, args: tuple, params: dict, saved: dict, dtype: Any = None) -> Any:
    """Apply an operation to tensors as they are, the first brought to a dtype; the result is contiguous."""
    values = [raw(a) for a in args]
    if dtype is not None and values[0].dtype != dtype:
        values[0] = converted(args[0], dtype)
    found = record(op, args, values, params)
    for t in found if op.multiple else (found,):
        if type(t._value) is ndarray:
            t._value = contiguous(t._value)
        if t._node is not None:
            t._node.params = saved
    return found


def converted(x: Any, kind: np.dtype) -> Any:
    """The value of a tensor in another dtype.

    Raises:
        RuntimeError: x requires grad, and values of the dtype have none.
    """
    value = raw(x)
    if value.dtype.kind == "c" and kind.kind not in "cb":
        if value.size:
            warn_once("Casting complex values to real discards the imaginary part", stacklevel=6)
        value = np.real(value)
    if kind.kind in "iub" and state.grad and requires(x):
        raise RuntimeError(f"Autograd not support dtype: {of_numpy(kind).title}")
    return cast(value, kind) if isinstance(value, Array) else quiet.run(cast, value, kind)


def title(x: Any) -> str:
    """The name of a tensor's dtype in error texts."""
    return of_numpy(x._value.dtype).title


def is_traced(x: Any) -> bool:
    """Whether a transform of the functional face follows what happens to x."""
    return isinstance(x._value, Array)


# Elements picked along one dimension.

SCATTER = Operation(scatter_along_axis, "ScatterBackward0", operands=("self", "index"), edges=1)
GATHER = Operation(take_along_axis, "GatherBackward0", operands=("self", "index"), edges=1, again=True)
"""What the gradients of picking, and theirs in turn, are called where they are recorded themselves."""


def _only(x: Any, indices: Any) -> Any:
    """The element of a 0-d tensor."""
    return fnp.reshape(x, ())


class Picking:
    """A function that gives, along one dimension, elements at indices found before: the largest, sorted ones.

    Arguments:
        name: of its node.
        unique: whether no index repeats.
        saves: which operands it saves.
        again: whether second derivatives record picking by this name.
    """

    __slots__ = ("_gone", "_kept", "_only", "unique")

    def __init__(self, name: str, *, unique: bool = True, saves: tuple[int, ...] = (1,), again: bool = False) -> None:
        self._gone, self._kept, self._only = (
            Operation(f, name, operands=("self", "indices"), edges=1, saves=saves, again=again and f is pick_along_axis)
            for f in (pick_along_axis, take_along_axis, _only)
        )
        self.unique = unique

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What it records."""
        return self._gone, self._kept, self._only

    def set_forward(self, kept: Callable, gone: Callable) -> None:
        """Set the formulas of forward derivatives, where the dimension is kept and where it goes."""
        self._kept.forward, self._gone.forward = kept, gone

    def __call__(self, x: Any, indices: Any, dim: int, saved: dict, *, keepdim: bool = True) -> Any:
        """The elements of x at `indices`, a tensor, along a dimension, which goes unless keepdim."""
        if not x._value.ndim:
            return applied(self._only, (x, indices), {}, saved)
        if keepdim:
            return applied(self._kept, (x, indices), {"axis": dim, "unique": self.unique}, saved)
        return applied(self._gone, (x, indices), {"axis": dim}, saved)


def picked(pick: Picking, x: Any, indices: Any, dim: int, keepdim: bool, given: int) -> tuple[Any, Any]:
    """The elements at these indices, which have kept their dimension, and the indices, as tensors.

    Arguments:
        pick: how the node is called.
        x: the tensor.
        indices: an array.
        dim: the dimension, counted from the front.
        keepdim: whether it stays, with size one.
        given: the dimension as it was given, which the node shows.
    """
    if not keepdim and x._value.ndim:
        indices = indices.squeeze(dim) if type(indices) is ndarray else fnp.squeeze(indices, dim)
    places = wrapped(contiguous(indices) if type(indices) is ndarray else indices)
    followed("indices", places, x)
    saved = {"dim": shown_one(given), "keepdim": keepdim, "self_sym_sizes": x._value.shape}
    return pick(x, places, dim, saved, keepdim=keepdim), places

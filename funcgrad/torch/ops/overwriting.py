"""Writing straight into the memory of a tensor, and what has to be looked at before."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.inplace import bump, dense_strides, rebase, write
from funcgrad.torch.tensor.journal import called, entries, journal, wrote
from funcgrad.torch.tensor.operation import Operation, link, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import new, requires
from funcgrad.torch.tensor.views import geometry
from funcgrad.torch.texts import memory as texts


def written(op: Operation, x: Any, args: tuple, values: list, params: dict, put: Callable) -> Any:
    """Apply an operation whose result goes into the memory of x, its first operand; gives x.

    Where nothing but the values is asked for, `put(memory)` writes them straight into place, which costs what is
    written and not the size of x. The rules of such an operation need neither the old value nor the new one.
    """
    if not x._plain or x._tangent is not None or any(_traced(a) for a in args):
        return write(x, record(op, args, values, params))
    memory, node = x._value, None
    if state.grad and (memory.dtype.kind not in "iub" or op.name != "CopyBackwards"):  # integers get a history, too
        mask = tuple([requires(a) for a in args])
        if True in mask:
            recording = op.recordings[mask]
            if recording is not None:
                if memory.dtype.kind == "c":
                    recording = recording.conjugated
                node = link(op, recording, args, values, params, memory, None, new(Tensor))
    with np.errstate(all="ignore"):
        put(memory)
    bump(x)
    if node is not None:
        rebase(x, node, 0)
    elif journal.on:
        wrote(x, called(op.name) + "_", entries(args[1:]))
    return x


def _traced(a: Any) -> bool:
    return isinstance(a, Array) or (isinstance(a, Tensor) and (a._tangent is not None or isinstance(a._value, Array)))


def overlaps(x: Any) -> bool:
    """Whether several elements of x are one place in memory."""
    value = x._value
    if type(value) is not ndarray or not value.size:
        return False
    return any(s == 0 and n > 1 for s, n in zip(value.strides, value.shape, strict=True))


def check_apart(x: Any, *others: Any, same: bool = False) -> None:
    """Raise torch's error if a tensor that is read lies in the memory of x, which is written to.

    As in torch, only tensors without gaps are looked at.

    Arguments:
        same: whether it may be just the memory of x, element by element.
    """
    for other in others:
        if other is not x and (not isinstance(other, Tensor) or other._store is None or other._store is not x._store):
            continue
        if other is x and not same:
            raise _overlap()
        (size, stride, first), (other_size, other_stride, other_first) = geometry(x), geometry(other)
        last, other_last = first + math.prod(size), other_first + math.prod(other_size)
        if not (first < other_last and other_first < last):
            continue
        if same and (first, last, stride) == (other_first, other_last, other_stride):
            continue
        if dense_strides(size, stride) and dense_strides(other_size, other_stride):
            raise _overlap()


def _overlap() -> RuntimeError:
    return RuntimeError(texts.SAME_MEMORY)

"""Whose memory the gradients of a backward walk lie in, which torch shows: as versions, views and shared memory.

A walk adds to a gradient in place if nobody else holds it, and a leaf takes over as its `.grad` what nobody else holds.
A gradient that looks at the memory of another one is a view.
"""

from __future__ import annotations

import sys
from typing import Any
from weakref import ref

import numpy as np
from numpy import ndarray
from numpy.lib.stride_tricks import as_strided

from funcgrad.core import cotangent
from funcgrad.torch.base.storage import is_dense
from funcgrad.torch.tensor.promotion import check_fits
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import NO_GRAD, View, counter_of


def alone(x: Any, holders: int) -> bool:
    """Whether an array's memory is its own, and held in no more places than the caller knows of."""
    if type(x) is not ndarray and not isinstance(x, np.generic):
        return False
    return x.base is None and sys.getrefcount(x) <= holders + 3  # this function's, getrefcount's and the caller's


def dense(x: ndarray) -> bool:
    """Whether an array fills its memory without gaps or overlaps, in whatever order of axes."""
    return x.size == 0 or x.flags.forc or is_dense(x.shape, tuple([s // x.itemsize for s in x.strides]))


def obeys_layout(x: ndarray, leaf: ndarray) -> bool:
    """Whether a gradient may be taken over by a leaf: it has the leaf's strides if that is dense, or is contiguous."""
    if not x.size:
        return x.base is None
    if 0 in x.strides:
        return False
    if x.strides == leaf.strides:
        return dense(leaf)
    if dense(leaf):
        return x.ndim == leaf.ndim and all(
            n == 1 or s == t for n, s, t in zip(x.shape, x.strides, leaf.strides, strict=True)
        )
    return x.flags.c_contiguous


def copied_for(leaf: ndarray, x: Any) -> tuple[ndarray, int]:
    """A gradient in new memory, in the layout of its leaf if that is dense; and the version that torch gives it."""
    if not dense(leaf):
        return np.array(x, order="C"), 0
    fresh = np.empty_like(leaf, dtype=x.dtype, subok=False)
    if leaf.shape != x.shape:
        check_fits(leaf.shape, x.shape)
    np.copyto(fresh, x)
    return fresh, 1


def expanded(x: ndarray) -> ndarray:
    """A writeable look at an expanded cotangent, of which the walk owns the single elements."""
    base = x[tuple([slice(0, 1) if s == 0 else slice(None) for s in x.strides])].copy()
    strides = tuple([0 if s == 0 else t for s, t in zip(x.strides, base.strides, strict=True)])
    return np.ndarray(x.shape, x.dtype, base, 0, strides)


def writeable(ct: ndarray) -> ndarray:
    """A cotangent as memory for a tensor, which has no negative strides and can be written to."""
    if ct.flags.forc and ct.flags.writeable:
        return ct
    if any(s < 0 for s in ct.strides):
        return ct.copy()
    if ct.flags.writeable:
        return ct
    return expanded(ct) if 0 in ct.strides and ct.size else ct.copy()


def fit(ct: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """`cotangent.fit`, whose result is a view where torch takes leading dimensions away after summing them."""
    found = cotangent.fit(ct, shape, dtype)
    if type(ct) is not ndarray:
        return found
    if 1 in shape and ct.ndim and type(found) is ndarray and 0 in found.strides:
        return _stretched(found) if ct.size < found.size else ct.reshape(shape) if ct.dtype is dtype else found
    if type(found) is ndarray and found is not ct and shape:
        if found.base is None and ct.ndim > len(shape) and ct.dtype is dtype:
            return found[...]
        if type(found.base) is ndarray and ct.ndim == len(shape) and _is_reshaped(found.base, found):
            return found.base
    return found


def _stretched(x: ndarray) -> ndarray:
    """An expanded cotangent whose dimensions of size 1 have the strides that torch gives them."""
    strides = list(x.strides)
    for d in reversed(range(x.ndim)):
        if x.shape[d] == 1 and not strides[d]:
            strides[d] = x.shape[d + 1] * strides[d + 1] if d + 1 < x.ndim else x.itemsize
    return as_strided(x, x.shape, strides)


def looks_at(x: Any, y: Any) -> bool:
    """Whether one cotangent is another one, or lies in its memory."""
    if x is y or type(x) is not ndarray or x.base is None:
        return x is y
    return x.base is y or x.base is y.base or (isinstance(y, np.generic) and getattr(x.base, "ndim", 1) == 0)


def _is_reshaped(base: ndarray, x: ndarray) -> bool:
    """Whether an array shows all of its memory's owner, and not a part of it that was expanded."""
    if base.shape != x.shape or base.dtype is not x.dtype or not base.flags.writeable:
        return False
    return all(s == t or n == 1 for n, s, t in zip(x.shape, x.strides, base.strides, strict=True))


def as_tensor(value: Any, version: int = 0, shown: dict[int, Any] | None = None, *, view: bool = True) -> Any:
    """A cotangent as a tensor: a view if it looks at other memory and autograd is to know.

    Arguments:
        value: the cotangent.
        version: how often torch has written into it.
        shown: weak references to the tensors as which others were seen, which it may be a view of.
        view: whether it may be one.
    """
    t = wrapped(value)
    if version:
        t._counter = [version]
    if view and type(value) is ndarray and value.base is not None and not t._inference:
        base = value.base
        seen = None if shown is None else shown.get(id(base))
        hidden = None if seen is None else seen()
        if hidden is None or hidden._value is not base:
            hidden = wrapped(base if type(base) is ndarray else value)
            hidden._counter = t._counter
            if shown is not None:
                shown[id(base)] = ref(hidden)
        t._counter = counter_of(hidden)
        t._view = View(hidden, t._counter[0], None, NO_GRAD)
        t._store = hidden._storage()
    return t

"""Into tensors and out of them: the raw values that the core computes with, and tensors around results."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.array import raw as unwrapped
from funcgrad.ops.structural import astype
from funcgrad.torch.base.dtypes import recast
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.tensor import SUBCLASSES, Tensor

F4, F8 = np.dtype("f4"), np.dtype("f8")
FAST = {Tensor}
"""The classes whose results are plain tensors: Tensor, and Parameter."""
NUMBERS = (bool, int, float, complex, np.generic)

new: Any = object.__new__


def requires(x: Any) -> bool:
    """Whether x is a tensor that requires grad."""
    return isinstance(x, Tensor) and (x._requires or x._node is not None or (x._view is not None and x._linked()))


def raw(x: Any) -> Any:
    """What the core computes with: a tensor's ndarray (conjugation and negation carried out), others as they are."""
    if isinstance(x, Tensor):
        return x._value if x._plain else x._resolved()
    return x


def wrapped(value: Any) -> Any:
    """A new tensor, no view of anything, around an ndarray that is nobody else's, or a tracer."""
    if type(value) is not ndarray:
        if type(value) is GraphTracer:
            return value._tensor
        value = unwrapped(value) if isinstance(value, Array) else np.asarray(value)
    t = new(Tensor)
    t._value = value
    if state.inference:
        t._inference = True
    if state.transforms:
        t._level = state.transforms[-1]
    if isinstance(value, Array):
        t._plain = False  # as `_set` would say
    return t


def cast(value: Any, kind: np.dtype) -> Any:
    """A raw operand in another dtype."""
    if isinstance(value, Array):
        return value if value.dtype == kind else astype(value, dtype=kind)
    if type(value) is ndarray:
        return value if value.dtype == kind else recast(value, kind)
    if kind.kind in "fc" and isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return value if abs(value) < 1e300 else np.asarray(value).astype(kind)
    return recast(np.asarray(value), kind)


def owned(out: Any, values: list) -> Any:
    """A result that aliases no operand and has torch's strides: neither negative nor zero."""
    if type(out) is not ndarray:
        return out if isinstance(out, Array) else np.asarray(out)
    if any(out is v for v in values):
        return out.copy()
    if not out.flags.writeable:
        return out.copy()
    if out.base is not None and (
        any(s <= 0 for s, n in zip(out.strides, out.shape, strict=True) if n > 1)
        or any(type(v) is ndarray and np.may_share_memory(out, v) for v in values)
    ):
        return out.copy()
    return out


def tensor_of(x: Any) -> Any:
    """The tensor that a result of the core's rules stands for."""
    if type(x) is GraphTracer:
        return x._tensor
    if isinstance(x, Tensor):
        return x
    x = unwrapped(x)
    return wrapped(x if isinstance(x, Array) else owned(np.asarray(x), []))


def like_operands(args: tuple, results: Any) -> Any:
    """Results of operations on a subclass of Tensor are of that class, unless it is one that stays with its leaves."""
    for a in args:
        if type(a) in SUBCLASSES:
            return tuple([a._like_self(r) for r in results]) if type(results) is tuple else a._like_self(results)
    return results

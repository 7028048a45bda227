"""Symmetry: whether an array is the same to the last bit when two of its axes change places.

Most matrices of distances and of covariances are, by the way they are computed: of differences of all pairs, of their
squares, and of functions of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import contract, elementwise, reduce, structural

_EVEN = (elementwise.square, elementwise.absolute)
_DEEP = 40  # operations back to where it must be known


def parity(x: Any, i: int, j: int, depth: int = _DEEP) -> int:
    """1 if x stays the same when its axes i and j change places, -1 if it becomes its negative, 0 if nobody knows."""
    shape = shape_of(x)
    if _at(shape, i) == _at(shape, j) == 1:
        return 1
    if _at(shape, i) != _at(shape, j) or not depth:
        return 0
    if type(x) is not Equation:
        return int(isinstance(x, np.ndarray) and np.array_equal(x, x.swapaxes(i, j)))
    p, inputs = x.primitive, x.inputs
    if p is structural.astype:
        return parity(inputs[0], i, j, depth - 1)
    if p is structural.transpose and x.params["axes"] == (1, 0):
        return parity(inputs[0], i, j, depth - 1)
    if p is contract.matmul:
        return int((i, j) == (0, 1) and _is_transpose(*inputs))
    if p is reduce.reduce_sum:
        kept = [a for a in range(len(inputs[0].shape)) if a not in x.params["axis"]]
        axes = (i, j) if x.params.get("keepdims") else (kept[i], kept[j])
        return 0 if set(axes) & set(x.params["axis"]) else parity(inputs[0], *axes, depth - 1)
    if not _is_elementwise(x):
        return 0
    places = [(i - len(shape) + len(shape_of(o)), j - len(shape) + len(shape_of(o))) for o in inputs]
    found = [parity(o, *at, depth - 1) for o, at in zip(inputs, places, strict=True)]
    if p in (elementwise.multiply, elementwise.divide):
        sign = found[0] * found[1]
    elif p in _EVEN:
        sign = abs(found[0])
    elif p in (elementwise.negative, elementwise.add, elementwise.subtract) and len(set(found)) == 1:
        sign = found[0]
    else:
        sign = int(all(f == 1 for f in found))
    if not sign and p in (elementwise.add, elementwise.multiply, elementwise.subtract):
        return _mirrored(inputs[0], inputs[1], i - len(shape), j - len(shape)) * (
            -1 if p is elementwise.subtract else 1
        )
    return sign


def _at(shape: tuple[int, ...], axis: int) -> int:
    """The length of an axis, which is one where broadcasting adds it."""
    return shape[axis] if 0 <= axis < len(shape) else 1


def _is_elementwise(x: Equation) -> bool:
    p = x.primitive
    return isinstance(p, Primitive) and isinstance(p.impl, np.ufunc) and p.impl.signature is None and not p.multiple


def _is_transpose(x: Any, y: Any) -> bool:
    """Whether one of two matrices is the other one transposed: NumPy computes half of such a product."""
    return any(
        type(a) is Equation and a.primitive is structural.transpose and a.inputs[0] is b and len(a.shape) == 2
        for a, b in ((x, y), (y, x))
    )


def _mirrored(x: Any, y: Any, i: int, j: int) -> int:
    """Whether y has the elements of x, which lie along one of two axes, along the other; axes count from the end."""
    if type(x) is not Equation or type(y) is not Equation or _elements(x) is not _elements(y):
        return 0
    n = max(len(x.shape), len(y.shape))
    a, b = [list((1,) * (n - len(s)) + s) for s in (x.shape, y.shape)]
    between = range(n + min(i, j) + 1, n + max(i, j))
    if 1 not in (a[i], a[j]) or any(a[k] != 1 for k in between):
        return 0
    a[i], a[j] = a[j], a[i]
    return int(a == b)


def _elements(x: Equation) -> Equation:
    """What an array is a reshape of."""
    while x.primitive is structural.reshape and x.params.get("order", "C") == "C" and type(x.inputs[0]) is Equation:
        x = x.inputs[0]
    return x


__all__ = ["parity"]

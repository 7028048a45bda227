"""Distances: of two tensors, and of all pairs of rows. Where one is zero, so is its gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.reducing import applied, title
from funcgrad.torch.ops.vector_norms import (
    check_identity,
    giving_no_gradient,
    magnitude,
    p_norm,
    root,
    without_gradient,
)
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import products as products_texts
from funcgrad.torch.texts import reductions as texts


def _dist(x: Any, y: Any, *, p: float) -> Any:
    d = x - y
    return p_norm(d, p, tuple(range(d.ndim)))


DIST = Operation(_dist, "DistBackward0", saves_out=True, promote="common")


ZERO_DIST = giving_no_gradient(
    Operation(_dist, "DistBackward0", promote="common", saves=(0, 1), saves_out=True),
    *((True, True), (True, False), (False, True)),
)


@op("dist", "(Tensor input, Tensor other, Number p = 2)", records=(ZERO_DIST, DIST))
def dist(input: Any, other: Any, p: float = 2) -> Tensor:
    """The p-norm of input - other.

    Arguments:
        input, other: the tensors.
        p: a number, or infinity.
    """
    p = p.item() if isinstance(p, Tensor) else p
    _check_dist(input, other, p)
    if p == 0:
        return without_gradient(apply(ZERO_DIST, (input, other), {"p": 0.0}), p=p)
    found = apply(DIST, (input, other), {"p": float(p)})
    return _shows(found, p=p)


def _check_dist(x: Tensor, y: Tensor, p: float) -> None:
    kinds = x._value.dtype, y._value.dtype
    if kinds[0].kind == "b" or kinds[1].kind == "b":
        x - y  # raises torch's error about bools
    d = dtypes.promote_types(of_numpy(kinds[0]), of_numpy(kinds[1]))
    if d.category < FLOATING:
        raise RuntimeError(texts.NORM_INPUT.format(dtype=d.title))
    if math.isinf(p) and not (x._value.size and y._value.size):
        check_identity(p, None, (), ())


def _shows(t: Tensor, **saved: Any) -> Tensor:
    if t._node is not None:
        t._node.params = saved
    return t


def _distances(x: Any, y: Any, p: float) -> Any:
    """The p-norms of differences along the last axis. For the largest difference each that attains it counts."""
    d = x - y
    last = (d.ndim - 1,)
    if p != math.inf:
        return p_norm(d, p, last)
    a = magnitude(d)
    top = stop(core.reduce_max(a, axis=last, keepdims=True))
    attained = a == top
    total = core.reduce_sum(fnp.where(attained, a, 0), axis=last)
    return total - stop(total) + stop(core.reduce_max(a, axis=last))


def _cdist(x: Any, y: Any, *, p: float) -> Any:
    if not x.shape[-1]:
        total = (
            core.reduce_sum(x, axis=(x.ndim - 1,))[..., :, None] + core.reduce_sum(y, axis=(y.ndim - 1,))[..., None, :]
        )
        return total * 0
    return _distances(x[..., :, None, :], y[..., None, :, :], p)


def _euclidean(x: Any, y: Any) -> Any:
    """By |x|^2 + |y|^2 - 2 x y, which is less exact and faster."""
    norms = [core.reduce_sum(a * a, axis=(a.ndim - 1,)) for a in (x, y)]
    square = norms[0][..., :, None] + norms[1][..., None, :] - 2 * (x @ fnp.swapaxes(y, -1, -2))
    return root(fnp.where(square < 0, 0, square), 2)


EUCLIDEAN = Operation(_euclidean, "EuclideanDistBackward0", operands=("x1", "x2"), saves_out=True)
CDIST = Operation(_cdist, "CdistBackward0", operands=("x1", "x2"), saves_out=True, backward_only="_cdist_forward")
_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@op("cdist", "(Tensor x1, Tensor x2, float p = 2, str? compute_mode = None)", method=False, records=(EUCLIDEAN, CDIST))
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = _MODES[0]) -> Tensor:
    """The distances between all pairs of rows of two (batches of) matrices.

    Arguments:
        x1: (..., m, k).
        x2: (..., n, k).
        p: of the norm, not negative.
        compute_mode: when to compute Euclidean distances by a product of matrices: by default if m or n is above 25.

    Returns:
        (..., m, n).
    """
    if compute_mode is not None and compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for k, x in enumerate((x1, x2), 1):
        if x._value.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{k} got: {x._value.ndim}D")
    (m, k1), (n, k2) = x1._value.shape[-2:], x2._value.shape[-2:]
    if k1 != k2:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {k1} X2: {k2}")
    for k, x in enumerate((x1, x2), 1):
        if x._value.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{k} got: {title(x)}")
    if x1._value.dtype != x2._value.dtype:
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected=title(x1), found=title(x2)))
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    by_product = compute_mode == _MODES[1] or (compute_mode != _MODES[2] and (m > 25 or n > 25))
    if p == 2 and by_product and k1:
        found = applied(EUCLIDEAN, (x1, x2), {}, {})
        return found.view(found.shape)
    if x1._value.dtype.itemsize == 2:
        raise NotImplementedError(f"\"cdist\" not implemented for '{title(x1)}'")
    return applied(CDIST, (x1, x2), {"p": float(p)}, {"p": float(p)})


def _pdist(x: Any, *, p: float) -> Any:
    i, j = np.triu_indices(x.shape[0], 1)
    return _distances(x[i], x[j], p)


PDIST = Operation(_pdist, "PdistBackward0", operands=("self",), saves_out=True)


@op("pdist", "(Tensor input, float p = 2)", method=False, records=(PDIST,))
def pdist(input: Any, p: float = 2) -> Tensor:
    """The distances between all pairs of different rows of a matrix, row by row of the upper triangle.

    Arguments:
        input: a matrix of floats.
        p: of the norm, not negative.
    """
    if input._value.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._value.ndim}D")
    if input._value.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input._value.dtype.itemsize == 2:
        raise NotImplementedError(f"\"pdist\" not implemented for '{title(input)}'")
    return applied(PDIST, (input,), {"p": float(p)}, {"p": float(p)})

"""Norms and distances. Where a norm is zero its gradient is taken to be zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.declare.signatures import declared, flag, whole
from funcgrad.torch.ops.reducing import UNSET, applied, dims_of, shown, shown_one, title
from funcgrad.torch.tensor.operation import Operation, Recording, apply
from funcgrad.torch.tensor.plans import ZeroPlan, keeping
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.texts import reductions as texts

# |x| and its p-norms, differentiable as torch has it.


def magnitude(x: Any) -> Any:
    """|x|, with derivative 0 at 0."""
    if x.dtype.kind != "c":
        sign = stop(np.sign(x))
        return x * fnp.where(sign == sign, sign, 0)  # the sign of nan is 0
    zero = x == 0
    return fnp.where(zero, 0, np.abs(fnp.where(zero, 1, x)))


def _root(s: Any, p: float) -> Any:
    """s to the power 1/p, with derivative 0 at 0."""
    zero = s == 0
    safe = fnp.where(zero, 1, s)
    root = np.sqrt(safe) if p == 2 else safe ** (1 / p)
    return fnp.where(zero, stop(s ** (1 / p)), root)


def p_norm(x: Any, p: float, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    """The p-norm over axes."""
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if p == 0:
        return core.reduce_sum((x != 0).astype(_real(x.dtype)), **options)
    if p == 2:
        square = np.square(x) if x.dtype.kind != "c" else np.real(x) ** 2 + np.imag(x) ** 2
        return _root(core.reduce_sum(square, **options), 2)
    a = magnitude(x)
    if math.isinf(p):
        reduce = core.reduce_max if p > 0 else core.reduce_min
        nan = core.reduce_sum(stop(a), **options)
        return fnp.where(nan != nan, nan, reduce(fnp.where(a != a, 0, a), **options))
    if p == 1:
        return core.reduce_sum(a, **options)
    if p < 2:
        zero = a == 0
        power = fnp.where(zero, stop(np.abs(a) ** p), fnp.where(zero, 1, a) ** p)
    else:
        power = a**p
    return _root(core.reduce_sum(power, **options), p)


def _real(kind: np.dtype) -> np.dtype:
    return of_numpy(kind).to_real().numpy


def _vector_norm(x: Any, *, ord: float, axis: tuple, keepdims: bool, dtype: Any, computed: Any) -> Any:
    x = x if x.dtype == computed else x.astype(computed)
    out = p_norm(x, ord, axis, keepdims)
    return out if out.dtype == dtype else out.astype(dtype)


VECTOR_NORM = Operation(_vector_norm, "LinalgVectorNormBackward0", operands=("self",), saves=(0,), saves_out=True)


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The vector norm of torch.linalg.

    Arguments:
        x: the tensor, of floating or complex dtype.
        ord: a number, or plus or minus infinity.
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    if isinstance(ord, (Tensor, str)) or ord is None:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    shape = x._value.shape
    d = of_numpy(x._value.dtype)
    if d.category < FLOATING:
        raise RuntimeError(texts.VECTOR_NORM_INPUT.format(dtype=d.title))
    if dtype is not None:
        if dtype.category < FLOATING:
            raise RuntimeError(texts.VECTOR_NORM_DTYPE.format(dtype=dtype.title))
        if d.is_complex != dtype.is_complex:
            kinds = ("complex", "real") if d.is_complex else ("real", "complex")
            raise RuntimeError(texts.VECTOR_NORM_KIND.format(kind=kinds[0], dtype=dtype.title))
        if dtypes.promote_types(d, dtype) is not dtype:
            raise RuntimeError(texts.VECTOR_NORM_NARROWS.format(input=d.title, dtype=dtype.title))
        d = dtype
    dims = dims_of(dim, len(shape))
    if 0 in shape and (ord < 0 or ord == math.inf):
        _check_identity(ord, dim, dims, shape)
    wide = {"float16": dtypes.float32, "bfloat16": dtypes.float32}.get(d.name, d)
    params = {"ord": float(ord), "axis": dims, "keepdims": flag(keepdim)}
    params |= {"dtype": d.to_real().numpy, "computed": wide.numpy}
    saved = {"ord": ord, "dim": shown(dim), "keepdim": keepdim}
    if ord == 0:
        return _without_gradient(applied(ZERO_NORM, (x,), params, saved), **saved)
    return applied(VECTOR_NORM, (x,), params, saved)


def _check_identity(ord: Any, dim: Any, dims: tuple, shape: tuple) -> None:
    word = f"{ord:g}"
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        raise RuntimeError(texts.VECTOR_NORM_OF_NOTHING.format(ord=word))
    for d in dim if isinstance(dim, (tuple, list)) else (dim,):
        if not shape[d]:
            raise RuntimeError(texts.VECTOR_NORM_OF_EMPTY_DIM.format(ord=word, dim=d))


@declared(
    '(Tensor input, Number p = "fro", tuple of ints dim = None, bool keepdim = False, *, Tensor out = None, '
    "torch.dtype dtype = None)",
    method=False,
)
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a tensor.

    Arguments:
        input: the tensor, of floating or complex dtype.
        p: a number, plus or minus infinity, "fro" or "nuc" (the nuclear norm of matrices).
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{type(input).__name__}' object has no attribute 'layout'")
    dims = [dim] if isinstance(dim, int) else dim
    if isinstance(p, str):
        if p == "fro" and (dims is None or len(dims) <= 2):
            return vector_norm(input, 2, dims, keepdim, dtype)
        from funcgrad.torch import linalg

        dims = list(range(input._value.ndim)) if dims is None else dims
        return linalg.matrix_norm(input, p, dims, keepdim, dtype=dtype)
    return vector_norm(input, 2.0 if p is None else p, dims, keepdim, dtype)


def _norm_of(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The norm of the tensor, as `torch.norm` has it."""
    return norm(self, p, dim, keepdim, dtype=dtype)


_norm_of.__name__ = _norm_of.__qualname__ = "norm"
Tensor.norm = _norm_of


def _frobenius(x: Any, *, axis: tuple, keepdims: bool) -> Any:
    return p_norm(x, 2, axis, keepdims)


FROBENIUS = Operation(_frobenius, "NormBackward1", operands=("self",), saves=(0,), saves_out=True)


@declared("(Tensor input, tuple of ints dim = (), bool keepdim = False, *, Tensor out = None)", method=False)
def frobenius_norm(input: Any, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The square root of the sum of squares over one or two dimensions."""
    dims = dims_of(dim, input._value.ndim)
    warn_once(texts.FROBENIUS_NORM_DEPRECATED, stacklevel=3)
    if input._value.dtype.kind in "iub":
        raise RuntimeError(texts.NORM_INPUT.format(dtype=title(input)))
    saved = {"p": 2.0, "dim": dims, "keepdim": flag(keepdim)}
    return applied(FROBENIUS, (input,), {"axis": dims, "keepdims": keepdim}, saved)


@declared(
    "(Tensor input, bool keepdim = False)", "(Tensor input, tuple of ints dim, bool keepdim = False)", method=False
)
def nuclear_norm(input: Any, dim: Any = UNSET, keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices."""
    if isinstance(dim, bool):
        dim, keepdim = UNSET, dim
    return norm(input, "nuc", None if dim is UNSET else dim, keepdim)


# Distances.


def _dist(x: Any, y: Any, *, p: float) -> Any:
    d = x - y
    return p_norm(d, p, tuple(range(d.ndim)))


DIST = Operation(_dist, "DistBackward0", saves_out=True, promote="common")


class NoGradient(ZeroPlan):
    """The plan of an operation that is recorded, but passes no gradient on."""

    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        return None if self.single else (None,) * len(self.linked)


def _gives_no_gradient(op: Operation, *masks: tuple[bool, ...]) -> Operation:
    for mask in masks:
        plan = keeping(NoGradient(op.primitive, mask), op.saved_by(mask), op.saves_out)
        recording = Recording(op, plan)
        recording._conjugated = op.recordings[mask] = recording
    return op


ZERO_NORM = _gives_no_gradient(
    Operation(_vector_norm, "LinalgVectorNormBackward0", operands=("self",), saves=(0,), saves_out=True), (True,)
)
ZERO_DIST = _gives_no_gradient(
    Operation(_dist, "DistBackward0", promote="common", saves=(0, 1), saves_out=True),
    *((True, True), (True, False), (False, True)),
)


@declared("(Tensor input, Tensor other, Number p = 2)")
def dist(input: Any = UNSET, other: Any = UNSET, p: float = 2) -> Tensor:
    """The p-norm of input - other.

    Arguments:
        input, other: the tensors.
        p: a number, or infinity.
    """
    if not isinstance(other, Tensor) or isinstance(p, (str, Tensor)):
        raise TypeError("Tensor expected")
    _check_dist(input, other, p)
    if p == 0:
        return _without_gradient(apply(ZERO_DIST, (input, other), {"p": 0.0}), p=p)
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
        _check_identity(p, None, (), ())


def _without_gradient(t: Tensor, **saved: Any) -> Tensor:
    """The number of elements that are not zero: its node passes no gradient on, not even zeros."""
    if t._node is not None:
        t._node.slow, t._node.params = True, saved
    return t


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
    return _root(fnp.where(square < 0, 0, square), 2)


EUCLIDEAN = Operation(_euclidean, "EuclideanDistBackward0", operands=("x1", "x2"), saves_out=True)
CDIST = Operation(_cdist, "CdistBackward0", operands=("x1", "x2"), saves_out=True, backward_only="_cdist_forward")
_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@declared("(Tensor x1, Tensor x2, float p = 2, str? compute_mode = None)", method=False)
def cdist(x1: Any = UNSET, x2: Any = UNSET, p: float = 2.0, compute_mode: str | None = _MODES[0]) -> Tensor:
    """The distances between all pairs of rows of two (batches of) matrices.

    Arguments:
        x1: (..., m, k).
        x2: (..., n, k).
        p: of the norm, not negative.
        compute_mode: when to compute Euclidean distances by a product of matrices: by default if m or n is above 25.

    Returns:
        (..., m, n).
    """
    for position, (name, x) in enumerate((("x1", x1), ("x2", x2)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"cdist(): argument '{name}' (position {position}) must be Tensor, not {type(x).__name__}")
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
        raise RuntimeError(f"expected scalar type {title(x1)} but found {title(x2)}")
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


@declared("(Tensor input, float p = 2)", method=False)
def pdist(input: Any = UNSET, p: float = 2) -> Tensor:
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


def _renorm(x: Any, *, p: float, dim: int, maxnorm: float) -> Any:
    others = tuple([i for i in range(x.ndim) if i != dim])
    lengths = p_norm(x, p, others, True)
    out = x * fnp.where(lengths > maxnorm, maxnorm / (lengths + 1e-7), 1)
    return out if out.dtype == x.dtype else out.astype(x.dtype)


RENORM = Operation(_renorm, "RenormBackward0", operands=("self",), saves=(0,))


@declared("(Tensor input, Number p, int dim, Number maxnorm, *, Tensor out = None)", inplace=True, writes=1)
def renorm(input: Any = UNSET, p: Any = UNSET, dim: Any = UNSET, maxnorm: Any = UNSET) -> Tensor:
    """input with each slice along a dimension scaled down, so that its p-norm is at most maxnorm.

    Arguments:
        input: a tensor of at least two dimensions.
        p: of the norm, positive.
        dim: the dimension along which the slices follow each other.
        maxnorm: the largest norm that is left as it is.
    """
    if maxnorm is UNSET:
        raise TypeError("maxnorm expected")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    ndim = input._value.ndim
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    along = wrap_dim(whole(dim), ndim)
    if input._value.dtype.kind in "iub":
        raise RuntimeError(texts.VECTOR_NORM_INPUT.format(dtype=title(input)))
    saved = {"p": p, "dim": shown_one(dim), "maxnorm": maxnorm}
    params = {"p": float(p), "dim": along, "maxnorm": float(maxnorm)}
    return applied(RENORM, (input,), params, saved)

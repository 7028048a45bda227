"""Products composed of those in contract.py: outer, inner and Kronecker products, tensordot, cross, chains, powers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.declare.writing import write_out
from funcgrad.torch.ops.contract import broadcast, c_name, dot, matmul, mm
from funcgrad.torch.ops.matrices import check_square
from funcgrad.torch.ops.view_ops import UNSAFE_VIEW
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import seen
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import products as texts


@op("outer", "(Tensor input, Tensor vec2, *, Tensor out = None)", names=("ger",))
def outer(input: Any, vec2: Any) -> Tensor:
    """The products of all elements of one vector with all of another, "n" and "m" to "n m"."""
    for v, name in ((input, "self"), (vec2, "vec2")):
        if v.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v.ndim}-D")
    return input.reshape(input._value.shape[0], 1) * vec2


@op("inner", "(Tensor input, Tensor other, *, Tensor out = None)")
def inner(input: Any, other: Any) -> Tensor:
    """The sums of products over the last dimensions."""
    if not input.ndim or not other.ndim:
        return input * other
    if input._value.shape[-1] != other._value.shape[-1]:
        raise RuntimeError(texts.INNER_SHAPES.format(input=list(input._value.shape), other=list(other._value.shape)))
    return tensordot(input, other, ([-1], [-1]))


def _dimension_lists(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    """The dimensions of both tensors that tensordot sums over, as they were given."""
    if isinstance(dims, (tuple, list)):
        first, second = (list(d) if isinstance(d, (tuple, list)) else [d] for d in dims)
        return first, second
    if isinstance(dims, Tensor) and dims.numel() > 1:
        first, second = dims.tolist()
        return first, second
    if not isinstance(dims, (int, Tensor)):
        raise RuntimeError(texts.TENSORDOT_DIMS.format(dims=dims))
    n = int(dims)
    if n < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={n}")
    if n > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
    return list(range(-n, 0)), list(range(n))


_TENSORDOT = Signatures(
    "tensordot", ("(Tensor input, Tensor other, tuple of ints dims_self, tuple of ints dims_other)",)
)


@op("tensordot", "(Any a, Any b, Any dims = 2, *, Tensor out = None)", method=False)
def tensordot(a: Any, b: Any, dims: Any = 2) -> Tensor:
    """The sums of products over several dimensions.

    Arguments:
        a, b: tensors.
        dims: how many of the last dimensions of a and the first of b are summed over, or two lists of dimensions.
    """
    given_a, given_b = _dimension_lists(a, b, dims)
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        _TENSORDOT.bind((a, b, given_a, given_b), {})
    if len(given_a) != len(given_b):
        raise RuntimeError("both dimension lists should have same length")
    if a._value.dtype != b._value.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for t, given in ((a, given_a), (b, given_b)):
        if given and not t.ndim:
            raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=given[0]))
    over_a, over_b = _distinct(given_a, a.ndim), _distinct(given_b, b.ndim)
    for i, j, d, e in zip(over_a, over_b, given_a, given_b, strict=True):
        n, m = a._value.shape[i], b._value.shape[j]
        if n != m and 1 not in (n, m):
            raise RuntimeError(texts.CONTRACTED_SIZES.format(first=n, first_dim=d, second=m, second_dim=e))
        if m == 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif n == 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
    free_a, free_b = [[i for i in range(t.ndim) if i not in over] for t, over in ((a, over_a), (b, over_b))]
    rows, inside = (math.prod(a._value.shape[i] for i in dims) for dims in (free_a, over_a))
    columns = math.prod(b._value.shape[j] for j in free_b)
    shape = [a._value.shape[i] for i in free_a] + [b._value.shape[j] for j in free_b]
    left, right = a.permute((*free_a, *over_a)), b.permute((*over_b, *free_b))
    if rows == columns == 1:
        return dot(left.reshape(inside), right.reshape(inside)).reshape(shape)
    return mm(left.reshape(rows, inside), right.reshape(inside, columns)).reshape(shape)


def _distinct(dims: list[int], ndim: int) -> list[int]:
    found: list[int] = []
    for d in dims:
        i = wrap_dim(d, ndim)
        if i in found:
            raise RuntimeError(f"dim {i} appears multiple times in the list of dims")
        found.append(i)
    return found


@op("kron", "(Tensor input, Tensor other, *, Tensor out = None)", records=(UNSAFE_VIEW,))
def kron(input: Any, other: Any) -> Tensor:
    """The Kronecker product: every element of input times all of other."""
    n = max(input.ndim, other.ndim)
    a, b = ((1,) * (n - t.ndim) + t._value.shape for t in (input, other))
    left = seen(UNSAFE_VIEW, input, {"shape": tuple(s for k in a for s in (k, 1))})
    right = seen(UNSAFE_VIEW, other, {"shape": tuple(s for k in b for s in (1, k))})
    return seen(UNSAFE_VIEW, left * right, {"shape": tuple(p * q for p, q in zip(a, b, strict=True))})


# The cross product.


def _cross(x: Any, y: Any, *, dim: int) -> Any:
    return fnp.cross(x, y, axis=dim)


CROSS = Operation(_cross, "LinalgCrossBackward0")


def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three components along `dim`."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if not input.ndim:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
    d = wrap_dim(dim, input.ndim)
    n, m = input._value.shape[d], other._value.shape[d]
    if n != 3 or m != 3:
        raise RuntimeError(texts.CROSS_SIZE.format(dim=dim, n=n, m=m))
    broadcast(input._value.shape, other._value.shape)
    if input._value.dtype.kind == "b":
        raise not_implemented("cross", input.dtype)
    if input._value.dtype != other._value.dtype:
        raise RuntimeError(texts.SCALAR_TYPES.format(expected=input.dtype.title, found=other.dtype.title))
    return apply(CROSS, (input, other), {"dim": d})


@op("cross", "(Tensor input, Tensor other, int? dim = None, *, Tensor out = None)", records=(CROSS,), exact=True)
def cross(input: Any, other: Any, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three components along `dim`, by default the first dimension of size 3."""
    if dim is None:
        warnings.warn(texts.CROSS_WITHOUT_DIM, UserWarning, stacklevel=3)
        found = [i for i, n in enumerate(input._value.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return linalg_cross(input, other, dim=dim)


# Chains.


def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, in the order of multiplications that costs least."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for i, t in enumerate(tensors):
        if i in (0, len(tensors) - 1):
            if t.ndim not in (1, 2):
                place = "last" if i else "first"
                raise RuntimeError(f"multi_dot(): the {place} tensor must be 1D or 2D but got {t.ndim}D")
        elif t.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.ndim}D")
        if t._value.dtype != tensors[0]._value.dtype:
            raise RuntimeError(texts.CHAIN_DTYPES.format(first=c_name(tensors[0]), i=i, dtype=c_name(t)))
    shape = (*tensors[0]._value.shape[:-1], *tensors[-1]._value.shape[1:])
    given = [list(t._value.shape) for t in tensors]
    as_vector = [t.ndim == 1 for t in (tensors[0], tensors[-1])]
    if as_vector[0]:
        tensors[0] = tensors[0].unsqueeze(0)
    if as_vector[1]:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    for i in range(len(tensors) - 1):
        if tensors[i]._value.shape[-1] != tensors[i + 1]._value.shape[0]:
            raise RuntimeError(texts.CHAIN_SHAPES.format(i=i, j=i + 1, first=given[i], second=given[i + 1]))
    found = _chain(tensors, 0, len(tensors) - 1, _splits([t._value.shape for t in tensors]))
    return found.view(shape)


def _splits(shapes: list) -> dict:
    """Where to split each run of matrices: the classical dynamic program."""
    n = len(shapes)
    cost = {(i, i): 0 for i in range(n)}
    split: dict = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + shapes[i][0] * shapes[k][1] * shapes[j][1], k) for k in range(i, j)
            )
    return split


def _chain(tensors: list, i: int, j: int, split: dict) -> Tensor:
    if i == j:
        return tensors[i]
    k = split[i, j]
    return mm(_chain(tensors, i, k, split), _chain(tensors, k + 1, j, split))


@op("chain_matmul", method=False)
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """The product of several matrices."""
    warnings.warn(texts.CHAIN_MATMUL_DEPRECATED, UserWarning, stacklevel=2)
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, t in enumerate(matrices):
        if not isinstance(t, Tensor):
            raise TypeError(texts.NOT_A_TENSOR.format(i=i, type=type(t).__name__))
    found = matrices[0] if len(matrices) == 1 else multi_dot(matrices)
    return found if out is None else write_out("chain_matmul", found, out, matrices)


# Powers.


@op("matrix_power", "(Tensor input, int n, *, Tensor out = None)")
def matrix_power(input: Any, n: int) -> Tensor:
    """The n-th power of a square matrix, by repeated squaring; of the inverse if n is negative."""
    check_square("linalg.matrix_power", input)
    if n == 0:
        return input.clone().copy_(_identity(input))
    if n == 1:
        return input.clone()
    if n == -1:
        return input.inverse()
    base, n = (input.inverse(), -n) if n < 0 else (input, n)
    if n == 1:
        return base
    if n == 3:
        return matmul(matmul(base, base), base)
    result, square = None, None
    while n:
        square = base if square is None else matmul(square, square)
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
    return result  # type: ignore[return-value]


def _identity(x: Tensor) -> Tensor:
    return wrapped(np.eye(x._value.shape[-1], dtype=x._value.dtype))

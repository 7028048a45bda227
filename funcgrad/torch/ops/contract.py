"""Products of vectors, matrices and batches of them.

`matmul` and `einsum` are composed of mm, mv, dot, bmm and views, as torch's are, so that the graph shows the same nodes.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import contract as core
from funcgrad.ops import structural
from funcgrad.torch.declare import function
from funcgrad.torch.operation import Operation, requires
from funcgrad.torch.tensor import Tensor, wrap_dim

MM = Operation(core.matmul, "MmBackward0", operands=("self", "mat2"))
MV = Operation(core.matmul, "MvBackward0", operands=("self", "vec"))
DOT = Operation(core.matmul, "DotBackward0", operands=("self", "tensor"))
BMM = Operation(core.matmul, "BmmBackward0", operands=("self", "mat2"))

_C_NAMES = {"Float": "float", "Double": "double", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Long": "int64_t", "Int": "int", "Short": "int16_t", "Char": "signed char", "Byte": "unsigned char", "Bool": "bool", "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>"}  # fmt: skip  # noqa: E501


def _same_dtype(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        names = f"{_C_NAMES[a.dtype.title]} != {_C_NAMES[b.dtype.title]}"
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names}")


def _no_bool(a: Tensor, kernel: str) -> None:
    if a._value.dtype.kind == "b":
        raise NotImplementedError(f'"{kernel}" not implemented for \'Bool\'')


@function(out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, "n m" and "m k"."""
    if input.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    (n, m), (m2, k) = input._value.shape, mat2._value.shape
    if m != m2:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {m2}x{k})")
    if input._value.dtype is not mat2._value.dtype:
        _same_dtype(input, mat2)
    _no_bool(input, "addmm_impl_cpu_")
    return MM(input, mat2)


@function(out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix "n m" and a vector "m"."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {1 if input.ndim else 0}, {input.ndim}, {vec.ndim}")
    if input._value.shape[1] != vec._value.shape[0]:
        n, m = input._value.shape
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({vec._value.shape[0]})")
    if input.dtype is not vec.dtype:
        a, b = vec.dtype.title, input.dtype.title
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {a}, {b}, and {a}")
    _no_bool(input, "addmv_impl_cpu")
    return MV(input, vec)


def _check_dot(a: Tensor, b: Tensor, name: str = "dot") -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name} : expected both vectors to have same dtype, but found {a.dtype.title} and {b.dtype.title}"
        )
    n, m = a.numel(), b.numel()
    if n != m:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but got "
            f"{n} and {m} elements respectively"
        )


@function(out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of products of two vectors."""
    _check_dot(input, tensor)
    _no_bool(input, "dot")
    return DOT(input, tensor)


def _vdot(x: Any, y: Any) -> Any:
    return core.matmul(np.conjugate(x), y)


VDOT = Operation(_vdot, "VdotBackward0")


@function(out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products of two vectors, the first conjugated."""
    _check_dot(input, other, "vdot")
    return VDOT(input, other)


@function(out=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices, "b n m" and "b m k"."""
    if input.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    b, _, m = input._value.shape
    if mat2._value.shape[:2] != (b, m):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {m}] but got: "
            f"{list(mat2._value.shape[:2])}."
        )
    if input.dtype is not mat2.dtype:
        names = [_SCALAR_TYPES.get(t.dtype.title, t.dtype.title) for t in (input, mat2)]
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    return BMM(input, mat2)


_SCALAR_TYPES = {"ComplexFloat": "ComplexFloat", "ComplexDouble": "ComplexDouble"}


UNSAFE_VIEW = Operation(structural.reshape, "UnsafeViewBackward0", operands=("self",))


def _unsafe_view(x: Tensor, shape: tuple) -> Tensor:
    """x in another shape, on memory that nobody else knows of, so that it need not be a view."""
    t = UNSAFE_VIEW(x, shape=tuple(shape), order="C")
    if t._node is not None:
        t._node.params = {"self_sym_sizes": x._value.shape}
    return t


@function(out=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product with the rules of `@`: vectors, matrices, and batches that broadcast.

    Arguments:
        input: "... n m" or "m".
        other: "... m k" or "m".

    Returns:
        "... n k", without the dimensions that a vector has not.
    """
    p, q = input._value.ndim, other._value.ndim
    if p == 2 and q == 2:
        return mm(input, other)
    if not p or not q:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {p}D and {q}D")
    if p == 1 and q == 1:
        return dot(input, other)
    if p == 2 and q == 1:
        return mv(input, other)
    if p == 1 and q == 2:
        return mm(input.unsqueeze(0), other).squeeze_(0)
    if _folds(input, other):
        return _folded(other.mT, input.t() if p == 2 else input, True) if q > p else _folded(input, other, False)
    return _batched(input, other)


def _folds(a: Tensor, b: Tensor) -> bool:
    """Whether a batch times one matrix or vector is computed as one product of a taller matrix.

    It is if the single factor requires grad, whose gradient would have to be summed over the batch otherwise, or if the
    rows of the batch follow each other in memory.
    """
    larger, smaller = (a, b) if a.ndim >= b.ndim else (b.mT, a)
    if larger.ndim < 3 or smaller.ndim > 2:
        return False
    if requires(smaller):
        return True
    if a.ndim == 2:
        return False
    shape, strides = larger._value.shape, larger.stride()
    return not larger.numel() or all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _folded(a: Tensor, b: Tensor, transposed: bool) -> Tensor:
    """A batch times one matrix or vector; `transposed` says that it is the transposed problem which was asked for."""
    lead, m = a._value.shape[:-1], a._value.shape[-1]
    flat = a.reshape(math.prod(lead), m)
    if b.ndim == 1:
        return _unsafe_view(mv(flat, b), lead)
    product = _unsafe_view(mm(flat, b), (*lead, b._value.shape[-1]))
    return product.mT.contiguous() if transposed else product


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """A product of two batches, which are expanded to a common one."""
    left, right = a._value.shape, b._value.shape
    lead_a, lead_b = left[:-2], right[:-2]
    if len(left) == len(right) == 3 and lead_a != lead_b:
        if lead_a == (1,) and requires(a):
            return matmul(a.squeeze(0), b)
        if lead_b == (1,) and requires(b):
            return matmul(a, b.squeeze(0))
    lead = _broadcast(lead_a, lead_b)
    n = math.prod(lead)
    flat_a = a.expand(*lead, *(left[-2:] if len(left) > 1 else (1, *left))).reshape(n, *(left[-2:] if len(left) > 1 else (1, *left)))
    if len(right) == 1:
        flat_b = b.expand(*lead, *right).reshape(n, *right).unsqueeze(2)
        return _unsafe_view(bmm(flat_a, flat_b).squeeze(-1), (*lead, *left[-2:-1]))
    flat_b = b.expand(*lead, *right[-2:]).reshape(n, *right[-2:])
    return _unsafe_view(bmm(flat_a, flat_b), (*lead, *left[-2:-1], right[-1]))


def _broadcast(a: tuple, b: tuple) -> tuple:
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    for i in range(n - 1, -1, -1):
        if x[i] != y[i] and x[i] != 1 and y[i] != 1:
            raise RuntimeError(
                f"The size of tensor a ({x[i]}) must match the size of tensor b ({y[i]}) at non-singleton dimension {i}"
            )
    return tuple(q if p == 1 else p for p, q in zip(x, y, strict=True))


def _matmul_operator(self: Any, other: Any) -> Any:
    if not isinstance(self, Tensor) or not isinstance(other, Tensor):
        return NotImplemented
    return matmul(self, other)


Tensor.__matmul__ = _matmul_operator
Tensor.__rmatmul__ = lambda self, other: _matmul_operator(other, self)


# Products that are added to something.


def _scaled(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _addmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = _scaled(core.matmul(a, b), alpha)
    return product if beta == 0 else _scaled(x, beta) + product


def _addbmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = _scaled(np.add.reduce(core.matmul(a, b), axis=0), alpha)
    return product if beta == 0 else _scaled(x, beta) + product


def _addr(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = _scaled(a[:, None] * b[None, :], alpha)
    return product if beta == 0 else _scaled(x, beta) + product


ADDMM = Operation(_addmm, "AddmmBackward0", operands=("self", "mat1", "mat2"), saves=(1, 2))
ADDMV = Operation(_addmm, "AddmvBackward0", operands=("self", "mat", "vec"), saves=(1, 2))
ADDBMM = Operation(_addbmm, "AddbmmBackward0", operands=("self", "batch1", "batch2"), saves=(1, 2))
BADDBMM = Operation(_addmm, "BaddbmmBackward0", operands=("self", "batch1", "batch2"), saves=(1, 2))
ADDR = Operation(_addr, "AddrBackward0", operands=("self", "vec1", "vec2"), saves=(1, 2))


def _check_expands(x: Tensor, shape: tuple) -> None:
    """Raise torch's error if x does not broadcast to this shape."""
    have = x._value.shape
    if len(have) > len(shape):
        raise RuntimeError(
            f"The expanded size of the tensor ({shape[0] if shape else 1}) must match the existing size ({have[0]}) at "
            f"non-singleton dimension 0.  Target sizes: {list(shape)}.  Tensor sizes: {list(have)}"
        )
    for i in range(1, len(have) + 1):
        if have[-i] != shape[-i] and have[-i] != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[-i]}) must match the existing size ({have[-i]}) at "
                f"non-singleton dimension {len(shape) - i}.  Target sizes: {list(shape)}.  Tensor sizes: {list(have)}"
            )


@function(out=True, inplace=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    if mat1.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {mat1.ndim}-D tensor")
    if mat2.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    (n, m), (m2, k) = mat1._value.shape, mat2._value.shape
    if m != m2:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {m2}x{k})")
    _same_dtype(mat1, mat2)
    _check_expands(input, (n, k))
    if input.dtype is not mat1.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {input.dtype.title} and {mat1.dtype.title}")
    return ADDMM(input, mat1, mat2, beta=beta, alpha=alpha)


@function(out=True, inplace=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    n, m = mat._value.shape
    if m != vec._value.shape[0] or input.numel() not in (1, n):
        raise RuntimeError(f"size mismatch, got input ({input.numel()}), mat ({n}x{m}), vec ({vec._value.shape[0]})")
    if len({input.dtype, mat.dtype, vec.dtype}) > 1:
        a, b, c = (t.dtype.title for t in (input, mat, vec))
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {a}, {b}, and {c}")
    return ADDMV(input, mat, vec, beta=beta, alpha=alpha)


@function(out=True, inplace=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the sum over the batch of batch1 @ batch2."""
    _check_batches(batch1, batch2)
    _check_expands(input, (batch1._value.shape[1], batch2._value.shape[2]))
    return ADDBMM(input, batch1, batch2, beta=beta, alpha=alpha)


@function(out=True, inplace=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2)."""
    _check_batches(batch1, batch2)
    _check_expands(input, (*batch1._value.shape[:2], batch2._value.shape[2]))
    return BADDBMM(input, batch1, batch2, beta=beta, alpha=alpha)


def _check_batches(a: Tensor, b: Tensor) -> None:
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    n, _, m = a._value.shape
    if b._value.shape[:2] != (n, m):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{n}, {m}] but got: "
            f"{list(b._value.shape[:2])}."
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected scalar type {a.dtype.title} but found {b.dtype.title}")


@function(out=True, inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the outer product of vec1 and vec2."""
    for v, name in ((vec1, "vec1"), (vec2, "vec2")):
        if v.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {v.ndim}-D")
    _check_expands(input, (vec1.numel(), vec2.numel()))
    return ADDR(input, vec1, vec2, beta=beta, alpha=alpha)


# Compositions.


@function(out=True, names=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of all elements of one vector with all of another, "n" and "m" to "n m"."""
    for v, name in ((input, "self"), (vec2, "vec2")):
        if v.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v.ndim}-D")
    return input.reshape(input._value.shape[0], 1) * vec2


@function(out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products over the last dimensions."""
    if not input.ndim or not other.ndim:
        return input * other
    if input._value.shape[-1] != other._value.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._value.shape)} and {list(other._value.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


@function(method=False, out=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sums of products over several dimensions.

    Arguments:
        a, b: tensors.
        dims: how many of the last dimensions of a and the first of b are summed over, or two lists of dimensions.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        over_a, over_b = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        over_a, over_b = (list(d) if isinstance(d, (list, tuple)) else [d] for d in dims)
    if len(over_a) != len(over_b):
        raise RuntimeError("both dimension lists should have same length")
    over_a, over_b = [wrap_dim(d, a.ndim) for d in over_a], [wrap_dim(d, b.ndim) for d in over_b]
    _same_dtype_tensordot(a, b)
    for i, j in zip(over_a, over_b, strict=True):
        n, m = a._value.shape[i], b._value.shape[j]
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {m} in dim {j}"
            )
        if n != m:
            a, b = (a.sum(i, keepdim=True), b) if m == 1 else (a, b.sum(j, keepdim=True))
    free_a = [i for i in range(a.ndim) if i not in over_a]
    free_b = [j for j in range(b.ndim) if j not in over_b]
    rows = math.prod(a._value.shape[i] for i in free_a)
    inside = math.prod(a._value.shape[i] for i in over_a)
    columns = math.prod(b._value.shape[j] for j in free_b)
    left = a.permute(*free_a, *over_a).reshape(rows, inside)
    right = b.permute(*over_b, *free_b).reshape(inside, columns)
    shape = [a._value.shape[i] for i in free_a] + [b._value.shape[j] for j in free_b]
    if rows == 1 and columns == 1:
        return dot(left.reshape(inside), right.reshape(inside)).view(shape)
    return mm(left, right).view(shape)


def _same_dtype_tensordot(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")


@function(out=True)
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every element of input times all of other."""
    n = max(input.ndim, other.ndim)
    a, b = ((1,) * (n - t.ndim) + t._value.shape for t in (input, other))
    left = input.reshape([s for k in a for s in (k, 1)])
    right = other.reshape([s for k in b for s in (1, k)])
    return _unsafe_view(left * right, tuple(p * q for p, q in zip(a, b, strict=True)))


def _cross(x: Any, y: Any, *, dim: int) -> Any:
    return fnp.cross(x, y, axis=dim)


CROSS = Operation(_cross, "LinalgCrossBackward0", promote="common")


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Any = None) -> Tensor:
    """The cross product of vectors of three components along `dim`."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input.ndim)
    if input._value.shape[d] != 3 or other._value.shape[d] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input._value.shape[d]} and "
            f"{other._value.shape[d]}"
        )
    return CROSS(input, other, dim=d)


@function(out=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three components."""
    if dim is None:
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in "
            "a future release.",
            UserWarning,
            stacklevel=3,
        )
        found = [i for i, n in enumerate(input._value.shape) if n == 3]
        if not found:
            raise RuntimeError("no dimension of size 3 in input")
        dim = found[0]
    return linalg_cross(input, other, dim=dim)


def multi_dot(tensors: Any, *, out: Any = None) -> Tensor:
    """The product of several matrices, in the order of multiplications that costs least."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got 1" if tensors else "multi_dot(): expected at least 2 tensors but got 0")  # fmt: skip  # noqa: E501
    first, last = tensors[0].ndim == 1, tensors[-1].ndim == 1
    if first:
        tensors[0] = tensors[0].unsqueeze(0)
    if last:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    for i, t in enumerate(tensors):
        if t.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.ndim}D")
    found = _chain(tensors, 0, len(tensors) - 1, _chain_order([t._value.shape for t in tensors]))
    if first:
        found = found.squeeze(0)
    return found.squeeze(-1) if last else found


def _chain_order(shapes: list) -> dict:
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


@function(method=False)
def chain_matmul(*matrices: Tensor, out: Any = None) -> Tensor:
    """The product of several matrices."""
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
        UserWarning,
        stacklevel=3,
    )
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


@function(names=("linalg_matrix_power",))
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of a square matrix, by repeated squaring; of the inverse if n is negative."""
    if input.ndim < 2 or input._value.shape[-1] != input._value.shape[-2]:
        if input.ndim < 2:
            raise RuntimeError(f"linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {input._value.shape[-2]} by "
            f"{input._value.shape[-1]} matrices"
        )
    if n == 0:
        from funcgrad.torch.ops.creation import eye

        return input.clone().copy_(eye(input._value.shape[-1], dtype=input.dtype))
    if n < 0:
        return matrix_power(input.inverse(), -n)
    if n == 1:
        return input.clone()
    if n == 3:
        return matmul(matmul(input, input), input)
    result, square = None, input
    while n:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        if n:
            square = matmul(square, square)
    return result  # type: ignore[return-value]


# Einstein summation.


@function(method=False)
def einsum(equation: Any, *operands: Any) -> Tensor:
    """The sums of products that an equation of subscripts describes, such as 'bij,bjk->bik'.

    Arguments:
        equation: the subscripts; or the first operand, in the form einsum(op1, [0, 1], op2, [1, 2], [0, 2]).
        operands: the tensors.

    Source: torch.einsum (https://docs.pytorch.org/docs/stable/generated/torch.einsum.html).
    """
    if isinstance(equation, Tensor):
        equation, operands = _from_sublists((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise ValueError("einsum(): must provide at least one operand")
    labels, out = _parse(equation, operands)
    order = out + [c for c in dict.fromkeys(c for ls in labels for c in ls) if c not in out]
    sizes: dict[str, int] = {}
    aligned = []
    for k, (ls, t) in enumerate(zip(labels, operands, strict=True)):
        ls, t = _diagonals(ls, t, k)
        for c, n in zip(ls, t._value.shape, strict=True):
            if sizes.setdefault(c, n) != n:
                if sizes[c] != 1 and n != 1:
                    raise RuntimeError(
                        f"einsum(): subscript {c} has size {n} for operand {k} which does not broadcast with previously "
                        f"seen size {sizes[c]}"
                    )
                sizes[c] = max(n, sizes[c])
        present = [c for c in order if c in ls]
        t = t.permute([ls.index(c) for c in present])
        for i, c in enumerate(order):
            if c not in ls:
                t = t.unsqueeze(i)
        aligned.append(t)
    result, remaining = aligned[0], aligned[1:]
    n_out = len(out)
    if not remaining:
        over = list(range(n_out, len(order)))
        return result.sum(over) if over else result
    last_use = {c: max(k for k, ls in enumerate(labels) if c in ls) for c in order[n_out:]}
    for k, t in enumerate(remaining, 1):
        over = [i for i, c in enumerate(order) if i >= n_out and last_use[c] <= k and (result._value.shape[i] != 1 or t._value.shape[i] != 1 or last_use[c] == k)]  # fmt: skip  # noqa: E501
        over = [i for i in over if last_use[order[i]] == k or (k == 1 and last_use[order[i]] < k)]
        result = _pair(result, t, over)
    if len(order) > n_out:
        result = result.view(result._value.shape[:n_out]) if result.is_contiguous() or n_out == 0 else result.reshape(result._value.shape[:n_out])  # fmt: skip  # noqa: E501
    return result


def _pair(a: Tensor, b: Tensor, over: list[int]) -> Tensor:
    """The product of two aligned tensors, summed over some dimensions, which stay with length one."""
    n = a.ndim
    sa, sb = a._value.shape, b._value.shape
    for i in over:
        if sa[i] != 1 and sb[i] == 1:
            a = a.sum(i, keepdim=True)
        elif sa[i] == 1 and sb[i] != 1:
            b = b.sum(i, keepdim=True)
    sa, sb = a._value.shape, b._value.shape
    over = [i for i in over if sa[i] != 1 and sb[i] != 1]
    if not over:
        return a * b
    batch = [i for i in range(n) if i not in over and sa[i] != 1 and sb[i] != 1]
    left = [i for i in range(n) if i not in over and i not in batch and sa[i] != 1]
    right = [i for i in range(n) if i not in over and i not in batch and sa[i] == 1]
    size = lambda dims, s: math.prod(s[i] for i in dims)  # noqa: E731
    x = a.permute(batch + left + over + right).reshape(size(batch, sa), size(left, sa), size(over, sa))
    y = b.permute(batch + over + right + left).reshape(size(batch, sa), size(over, sa), size(right, sb))
    shape = [sa[i] for i in batch] + [sa[i] for i in left] + [1] * len(over) + [sb[i] for i in right]
    placed = batch + left + over + right
    return bmm(x, y).view(shape).permute([placed.index(i) for i in range(n)])


def _diagonals(labels: list[str], t: Tensor, operand: int) -> tuple[list[str], Tensor]:
    """Repeated subscripts of one operand mean its diagonal."""
    labels = list(labels)
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if t._value.shape[i] != t._value.shape[j]:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {operand} but the sizes don't match, "
                    f"{t._value.shape[j]} != {t._value.shape[i]}"
                )
            t = t.diagonal(0, i, j)
            labels = [d for k, d in enumerate(labels) if k not in (i, j)] + [c]
    return labels, t


def _parse(equation: str, operands: tuple) -> tuple[list[list[str]], list[str]]:
    """The subscripts of each operand, the dots written out as upper-case-free private labels, and of the result."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    for place, c in enumerate(left):
        if not (c.isalpha() and c.isascii()) and c not in ",.":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {place} in the equation string, subscripts must be in [a-zA-Z]"
            )
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    longest, labels = 0, []
    for k, (term, t) in enumerate(zip(terms, operands, strict=True)):
        named = term.replace("...", "")
        if "..." in term:
            extra = t.ndim - len(named)
            if extra < 0:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(named)}) is more than the number of "
                    f"dimensions ({t.ndim}) for operand {k}"
                )
            longest = max(longest, extra)
            dots = [f".{i}" for i in range(extra, 0, -1)]
            at = term.index("...")
            labels.append(list(term[:at]) + dots + list(term[at + 3 :]))
        else:
            if len(named) != t.ndim:
                if len(named) > t.ndim:
                    raise RuntimeError(
                        f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number "
                        f"of dimensions ({t.ndim}) for operand {k} and no ellipsis was given"
                    )
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number of "
                    f"dimensions ({t.ndim}) for operand {k} and no ellipsis was given"
                )
            labels.append(list(term))
    dots = [f".{i}" for i in range(longest, 0, -1)]
    if not arrow:
        counts: dict[str, int] = {}
        for ls in labels:
            for c in ls:
                counts[c] = counts.get(c, 0) + 1
        return labels, dots + sorted(c for c, n in counts.items() if n == 1 and not c.startswith("."))
    out: list[str] = []
    if "..." in right:
        at = right.index("...")
        out = list(right[:at]) + dots + list(right[at + 3 :])
    else:
        out = list(right)
    known = {c for ls in labels for c in ls}
    for i, c in enumerate(out):
        if c in out[:i]:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in known and not c.startswith("."):
            raise RuntimeError(
                f"einsum(): output subscript {c} does not appear in the equation for any input operand"
            )
    return labels, out


def _from_sublists(args: tuple) -> tuple[str, tuple]:
    """The form einsum(op1, [0, 1], op2, [1, 2], [0, 2]) as an equation."""

    def letters(numbers: Any) -> str:
        return "".join("..." if i is Ellipsis else chr(ord("A") + i) if i < 26 else chr(ord("a") + i - 26) for i in numbers)

    operands, lists = args[0::2], args[1::2]
    if len(args) % 2:
        out = operands[-1]
        operands = operands[:-1]
        return ",".join(letters(i) for i in lists) + "->" + letters(out), operands
    return ",".join(letters(i) for i in lists), operands



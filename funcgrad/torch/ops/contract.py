"""Products of vectors, matrices and batches of them, and products that are added to something.

`matmul` is composed of mm, mv, dot, bmm and views, as torch's is, so that the graph shows the same nodes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.plan import Plans
from funcgrad.ops import contract as core
from funcgrad.ops import structural
from funcgrad.torch.base.dtypes import CPP_NAMES, INTEGER, of_number, of_numpy
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.arguments import python_number
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.ops.shapes import expanded_shape
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.composite import Composite, CompositePlan
from funcgrad.torch.tensor.fast import binary_function
from funcgrad.torch.tensor.inner_graph import requires_grad
from funcgrad.torch.tensor.levels import batches_of
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.operation import Operation, apply, record
from funcgrad.torch.tensor.promotion import promoted
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, requires
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import products as texts

MM = Operation(core.matmul, "MmBackward0", operands=("self", "mat2"), again=True)
MV = Operation(core.matmul, "MvBackward0", operands=("self", "vec"))
DOT = Operation(core.matmul, "DotBackward0", operands=("self", "tensor"))
BMM = Operation(core.matmul, "BmmBackward0", operands=("self", "mat2"))
UNSAFE_VIEW = Operation(structural.reshape, "UnsafeViewBackward0", operands=("self",))


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product in the dtype of its operands: of bfloat16 NumPy gives float32.

    A product over one element is not added to anything, so that a zero keeps its sign.
    """
    outer = a.ndim == b.ndim > 1 and a.shape[-1] == 1 and a.dtype.char in "fd"
    out = a * b if outer else np.matmul(a, b)
    return out if out.dtype == a.dtype else out.astype(a.dtype)


def product(a: Any, b: Any) -> Any:
    """The same for the core's arrays."""
    out = core.matmul(a, b)
    return out if out.dtype == a.dtype else structural.astype(out, dtype=a.dtype)


for _op in (MM, MV, DOT, BMM):
    _op.impl = _product


def _contiguous(op: Operation) -> Callable:
    """The fast entry of an operation, with a contiguous result whatever the layout of the operands."""
    call = binary_function(op)

    def f(a: Any, b: Any) -> Tensor:
        t = call(a, b)
        value = t._value
        if type(value) is np.ndarray and not value.flags.c_contiguous:
            t._value = np.ascontiguousarray(value)
        return t

    return f


_mm, _mv, _bmm = _contiguous(MM), _contiguous(MV), _contiguous(BMM)
_dot = binary_function(DOT)


def c_name(x: Tensor) -> str:
    """The name of a tensor's dtype in C++, which some errors show."""
    return CPP_NAMES[x.dtype]


def no_bool(x: Tensor, kernel: str) -> None:
    """Raise the error of a kernel that has no code for booleans."""
    if x._value.dtype.kind == "b":
        raise not_implemented(kernel, x.dtype)


def _size(x: Tensor, dim: int) -> int:
    shape = x._value.shape
    if not shape:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
    return x.size(dim) if dim >= len(shape) else shape[dim]


_FACTORS = "Number beta = 1, Number alpha = 1"


def _factors_first(operands: str, out: str = "") -> tuple[str, str]:
    """The deprecated signatures of beta * input + alpha * (x @ y), in which numbers stand before what they multiply."""
    added, others = operands.split(", ", 1)
    return (
        f"~(Number beta, {added}, Number alpha, {others}{out})",
        f"~(Number beta, {added}, {others}{out})",
    )


_OUT = ", *, Tensor out = None"


def _with_out_dtype(operands: str, options: str = "") -> tuple[str, str]:
    """The signatures of a function that other devices than this one can give in another dtype, too."""
    return (
        f"({operands}, *, {options}Tensor out = None)",
        f"({operands}, torch.dtype out_dtype, *, {options}Tensor out = None)",
    )


def _no_out_dtype(name: str) -> NotImplementedError:
    return NotImplementedError(f"Could not run 'aten::{name}.dtype' with arguments from the 'CPU' backend.")


# Matrices and vectors.


@op("Tensor.mm", "(Tensor self, Tensor mat2)")
@op("mm", *_with_out_dtype("Tensor input, Tensor mat2"), method=False, exact=True, records=(MM,))
def mm(input: Any, mat2: Any, out_dtype: Any = None) -> Tensor:
    """The product of two matrices, "n m" and "m k"."""
    if out_dtype is not None:
        raise _no_out_dtype("mm")
    a, b = input._value, mat2._value
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    (n, m), (m2, k) = a.shape, b.shape
    if m != m2:
        raise RuntimeError(texts.MATRIX_SHAPES.format(n=n, m=m, p=m2, k=k))
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(input)} != {c_name(mat2)}")
    no_bool(input, "addmm_impl_cpu_")
    return _mm(input, mat2)


@op("mv", "(Tensor input, Tensor vec, *, Tensor out = None)", exact=True)
def mv(input: Any, vec: Any) -> Tensor:
    """The product of a matrix "n m" and a vector "m"."""
    n = _size(input, 0)
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    m, length = input._value.shape[1], vec._value.shape[0]
    if m != length:
        raise RuntimeError(texts.VECTOR_SHAPES.format(size=n, n=n, m=m, length=length))
    if input._value.dtype != vec._value.dtype:
        vector, matrix = vec.dtype.title, input.dtype.title
        raise RuntimeError(texts.ADDMV_DTYPES.format(added=vector, matrix=matrix, vector=vector))
    no_bool(input, "addmv_impl_cpu")
    return counted(_mv(input, vec), 1, input, vec)


def _check_examples(a: Tensor, b: Tensor, n: int, m: int) -> None:
    """Raise the error of the product of matrices by which vmap computes a batch of dot products."""
    batches = [batches_of(x) for x in (a, b)]
    if not any(batches):
        return
    top = max((level for found in batches for level in found), key=lambda level: level.number)
    size, (first, second) = top.trace.size, [top in found for found in batches]
    if first and second:
        raise RuntimeError(texts.BATCHES_DIFFER.format(n=size, m=n, shape=[size, m]))
    if first:
        raise RuntimeError(texts.VECTOR_SHAPES.format(size=size, n=size, m=n, length=m))
    raise RuntimeError(texts.MATRIX_SHAPES.format(n=1, m=n, p=m, k=size))


def _check_vectors(a: Tensor, b: Tensor) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a._value.dtype != b._value.dtype:
        raise RuntimeError(texts.DOT_DTYPES.format(first=a.dtype.title, second=b.dtype.title))
    n, m = a.numel(), b.numel()
    if n != m:
        _check_examples(a, b, n, m)
        raise RuntimeError(texts.DOT_SIZES.format(n=n, m=m))
    no_bool(a, "dot")


@op("dot", "(Tensor input, Tensor tensor, *, Tensor out = None)", exact=True, writes=1)
def dot(input: Any, tensor: Any) -> Tensor:
    """The sum of products of two vectors."""
    _check_vectors(input, tensor)
    return _dot(input, tensor)


def _conjugate_dot(x: Any, y: Any) -> Any:
    return product(np.conjugate(x) if x.dtype.kind == "c" else x, y)


VDOT = Operation(_conjugate_dot, "VdotBackward0")


@op("vdot", "(Tensor input, Tensor other, *, Tensor out = None)", exact=True, writes=1, records=(VDOT,))
def vdot(input: Any, other: Any) -> Tensor:
    """The sum of products of two vectors, the first conjugated."""
    _check_vectors(input, other)
    return VDOT(input, other)


@op("Tensor.bmm", "(Tensor self, Tensor mat2)")
@op("bmm", *_with_out_dtype("Tensor input, Tensor mat2"), method=False, exact=True)
def bmm(input: Any, mat2: Any, out_dtype: Any = None) -> Tensor:
    """The products of two batches of matrices, "b n m" and "b m k"."""
    if out_dtype is not None:
        raise _no_out_dtype("bmm")
    _check_batches(input, mat2)
    if input._value.dtype != mat2._value.dtype:
        raise RuntimeError(texts.SCALAR_TYPES.format(expected=input.dtype.title, found=mat2.dtype.title))
    no_bool(input, "bmm")
    return _bmm(input, mat2)


def _check_batches(a: Tensor, b: Tensor) -> None:
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    n, _, m = a._value.shape
    if b._value.shape[:2] != (n, m):
        raise RuntimeError(texts.BATCHES_DIFFER.format(n=n, m=m, shape=list(b._value.shape[:2])))


# The product with the rules of `@`.


def unsafe_view(x: Tensor, shape: tuple) -> Tensor:
    """x in another shape, on memory that nobody else knows of, so that it need not be a view."""
    t = UNSAFE_VIEW(x, shape=tuple(shape), order="C")
    if t._node is not None:
        t._node.params = {"self_sym_sizes": x._value.shape}
    return t


@op("matmul", "(Tensor input, Tensor other, *, Tensor out = None)", exact=True, records=(MM, MV, DOT, BMM, UNSAFE_VIEW))
def matmul(input: Any, other: Any) -> Tensor:
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
        raise RuntimeError(texts.MATMUL_SCALAR.format(p=p, q=q))
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
    rows of the batch follow each other in memory. A symbol of a program has no memory.
    """
    larger, smaller = (a, b) if a.ndim >= b.ndim else (b.mT, a)
    if larger.ndim < 3 or smaller.ndim > 2:
        return False
    if requires_grad(smaller):
        return True
    if isinstance(larger._value, Array) and larger._value._trace.symbolic:
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
        return unsafe_view(mv(flat, b), lead)
    product = unsafe_view(mm(flat, b), (*lead, b._value.shape[-1]))
    return product.mT.contiguous() if transposed and b.ndim == 2 else product


def _batched(a: Tensor, b: Tensor) -> Tensor:
    """A product of two batches, which are expanded to a common one."""
    left, right = a._value.shape, b._value.shape
    if len(left) == len(right) == 3 and left[0] != right[0]:
        if left[0] == 1 and requires(a):
            return matmul(a.squeeze(0), b)
        if right[0] == 1 and requires(b):
            return matmul(a, b.squeeze(0))
    lead = broadcast(left[:-2], right[:-2])
    n = math.prod(lead)
    rows = left[-2:] if len(left) > 1 else (1, *left)
    first = a.expand(*lead, *rows).reshape(n, *rows)
    if len(right) == 1:
        second = b.expand(*lead, *right).reshape(n, *right).unsqueeze(2)
        return unsafe_view(bmm(first, second).squeeze(-1), (*lead, *left[-2:-1]))
    second = b.expand(*lead, *right[-2:]).reshape(n, *right[-2:])
    return unsafe_view(bmm(first, second), (*lead, *left[-2:-1], right[-1]))


def broadcast(a: tuple, b: tuple) -> tuple:
    """The shape that two shapes broadcast to."""
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    for i in range(n - 1, -1, -1):
        if x[i] != y[i] and x[i] != 1 and y[i] != 1:
            raise RuntimeError(indexing_texts.SIZES_DIFFER.format(n=x[i], m=y[i], dim=i))
    return tuple(q if p == 1 else p for p, q in zip(x, y, strict=True))


@member_of(Tensor, name="__matmul__")
def _matmul(self: Tensor, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


@member_of(Tensor, name="__rmatmul__")
def _matmul_reflected(self: Tensor, other: Any) -> Any:
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


# Products that are added to something.


def _combined(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta * x + alpha * product. With beta zero nothing of x counts, not even nan."""
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        out = product + np.zeros(x.shape, x.dtype)
    else:
        out = (x if beta == 1 else x * beta) + product
    return out if out.dtype == x.dtype else structural.astype(out, dtype=x.dtype)  # of bfloat16 NumPy gives float32


def _addmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _combined(x, product(a, b), beta, alpha)


def _addbmm(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _combined(x, np.add.reduce(product(a, b), axis=0, dtype=a.dtype), beta, alpha)


def _addr(x: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _combined(x, a[:, None] * b[None, :], beta, alpha)


class AddmmPlan(CompositePlan):
    """How addmm is differentiated where no transform looks on: by products of plain matrices."""

    __slots__ = ()

    def evaluate(self, values: tuple, params: dict) -> tuple[Any, tuple]:
        """The result and the residuals."""
        out = quiet.run(_plain_addmm, *values, **params)
        return out, (None, values, params, out)

    def pull(self, g: Any, kept: tuple) -> Any:
        """The cotangents of matrices lie in memory as the matrices do."""
        _, (x, a, b), params, _ = kept
        if type(g) is not np.ndarray or not type(x) is type(a) is type(b) is np.ndarray:
            return super().pull(g, kept)
        found: list[Any] = []
        for i in self.linked:
            if i == 0:
                ct, factor = g, params["beta"]
            else:
                ct = _left_cotangent(g, a, b) if i == 1 else _right_cotangent(g, a, b)
                factor = params["alpha"]
            found.append(ct if factor == 1 else ct * np.asarray(factor, ct.dtype))
        return found[0] if self.single else tuple(found)


def _left_cotangent(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of a in the product of a and b."""
    if a.strides[0] == a.itemsize and a.shape[0] > 1:
        return _product(b, g.T).T
    return _product(g, b.T)


def _right_cotangent(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of b in the product of a and b."""
    if b.strides[0] == b.itemsize and b.shape[0] > 1:
        return _product(g.T, a).T
    return _product(a.T, g)


def _plain_addmm(x: np.ndarray, a: np.ndarray, b: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    if beta == 1 == alpha and a.shape[-1] != 1:
        out = np.matmul(a, b)
        if out.dtype == x.dtype:
            out += x
            return out
    return raw(_addmm(x, a, b, beta=beta, alpha=alpha))


_ADDMM = Composite(_addmm)
_ADDMM.plans = Plans(functools.partial(AddmmPlan, _ADDMM))
# each factor is saved for the gradient of the other
_OTHER_FACTOR: dict[tuple[bool, ...], tuple[int, ...]] = {
    (x, a, b): (1,) * b + (2,) * a for x in (False, True) for a in (False, True) for b in (False, True) if x or a or b
}
ADDMM = Operation(_ADDMM, "AddmmBackward0", operands=("self", "mat1", "mat2"), saves=_OTHER_FACTOR)
ADDMV = Operation(_addmm, "AddmvBackward0", operands=("self", "mat", "vec"), saves=_OTHER_FACTOR)
ADDBMM = Operation(_addbmm, "AddbmmBackward0", operands=("self", "batch1", "batch2"), saves=_OTHER_FACTOR)
BADDBMM = Operation(_addmm, "BaddbmmBackward0", operands=("self", "batch1", "batch2"), saves=_OTHER_FACTOR)
ADDR = Operation(_addr, "AddrBackward0", operands=("self", "vec1", "vec2"), saves=_OTHER_FACTOR)


def _factors(x: Tensor, beta: Any, alpha: Any) -> dict:
    """The parameters beta and alpha; for integers they are cut to integers."""
    beta, alpha = python_number(beta), python_number(alpha)
    if x.dtype.category <= INTEGER:
        beta, alpha = int(beta), int(alpha)
    return {"beta": beta, "alpha": alpha}


def _check_matrices(x: Tensor, a: Tensor, b: Tensor) -> tuple[int, ...]:
    _check_matrix_dtypes(x, a, b)
    if a.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {a.ndim}-D tensor")
    if b.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {b.ndim}-D tensor")
    (n, m), (m2, k) = a._value.shape, b._value.shape
    if m != m2:
        raise RuntimeError(texts.MATRIX_SHAPES.format(n=n, m=m, p=m2, k=k))
    no_bool(x, "addmm_impl_cpu_")
    return n, k


def _check_matrix_dtypes(x: Tensor, a: Tensor, b: Tensor) -> None:
    for first, second, names in ((x, b, "self and mat2"), (a, b, "mat1 and mat2")):
        if first._value.dtype != second._value.dtype:
            d, e = first.dtype.title, second.dtype.title
            raise RuntimeError(f"{names} must have the same dtype, but got {d} and {e}")


@op(
    "Tensor.addmm",
    f"(Tensor self, Tensor mat1, Tensor mat2, *, {_FACTORS})",
    *_factors_first("Tensor self, Tensor mat1, Tensor mat2"),
)
@op(
    "addmm",
    *_with_out_dtype("Tensor input, Tensor mat1, Tensor mat2", _FACTORS + ", "),
    *_factors_first("Tensor input, Tensor mat1, Tensor mat2", _OUT),
    method=False,
    exact=True,
    records=(ADDMM,),
)
def addmm(input: Any, mat1: Any, mat2: Any, out_dtype: Any = None, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    if out_dtype is not None:
        raise _no_out_dtype("addmm")
    expanded_shape(input, _check_matrices(input, mat1, mat2))
    return apply(ADDMM, (input, mat1, mat2), _factors(input, beta, alpha))


def _check_matrix_vector(x: Tensor, a: Tensor, b: Tensor) -> tuple[int, ...]:
    if a.ndim != 2 or b.ndim != 1 or x.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {x.ndim}, {a.ndim}, {b.ndim}")
    n, m = a._value.shape
    if m != b._value.shape[0] or x.numel() not in (1, n):
        raise RuntimeError(texts.VECTOR_SHAPES.format(size=x.numel(), n=n, m=m, length=b._value.shape[0]))
    if not x._value.dtype == a._value.dtype == b._value.dtype:
        added, matrix, vector = (t.dtype.title for t in (x, a, b))
        raise RuntimeError(texts.ADDMV_DTYPES.format(added=added, matrix=matrix, vector=vector))
    no_bool(x, "addmv_impl_cpu")
    return (n,)


@op(
    "addmv",
    f"(Tensor input, Tensor mat, Tensor vec, *, {_FACTORS}, Tensor out = None)",
    *_factors_first("Tensor input, Tensor mat, Tensor vec", _OUT),
    exact=True,
    records=(ADDMV,),
)
def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    _check_matrix_vector(input, mat, vec)
    return apply(ADDMV, (input, mat, vec), _factors(input, beta, alpha))


def _check_sum_of_batches(x: Tensor, a: Tensor, b: Tensor) -> tuple[int, ...]:
    shape = (_size(a, 1), _size(b, 2))
    expanded_shape(x, shape)
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    (count, n, m), (other, m2, k) = a._value.shape, b._value.shape
    if count != other:
        raise RuntimeError(texts.BATCH_COUNTS.format(count=count, other=other))
    if m != m2:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({n}x{m} and {m2}x{k})")
    _check_matrix_dtypes(x, a, b)
    no_bool(x, "addmm_impl_cpu_")
    return shape


@op(
    "addbmm",
    f"(Tensor input, Tensor batch1, Tensor batch2, *, {_FACTORS}, Tensor out = None)",
    *_factors_first("Tensor input, Tensor batch1, Tensor batch2", _OUT),
    records=(ADDBMM,),
)
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the sum over the batch of batch1 @ batch2."""
    _check_sum_of_batches(input, batch1, batch2)
    return apply(ADDBMM, (input, batch1, batch2), _factors(input, beta, alpha))


def _check_batch(x: Tensor, a: Tensor, b: Tensor) -> tuple[int, ...]:
    shape = (_size(a, 0), _size(a, 1), _size(b, 2))
    expanded_shape(x, shape)
    _check_batches(a, b)
    if x._value.dtype == a._value.dtype != b._value.dtype:
        raise RuntimeError(texts.SCALAR_TYPES.format(expected=x.dtype.title, found=b.dtype.title))
    if not x._value.dtype == a._value.dtype == b._value.dtype:
        names = [c_name(t) for t in (x, a, b)]
        raise RuntimeError(texts.BADDBMM_DTYPES.format(input=names[0], batch1=names[1], batch2=names[2]))
    no_bool(x, "baddbmm")
    return shape


@op(
    "Tensor.baddbmm",
    f"(Tensor self, Tensor batch1, Tensor batch2, *, {_FACTORS})",
    *_factors_first("Tensor self, Tensor batch1, Tensor batch2"),
)
@op(
    "baddbmm",
    *_with_out_dtype("Tensor input, Tensor batch1, Tensor batch2", _FACTORS + ", "),
    *_factors_first("Tensor input, Tensor batch1, Tensor batch2", _OUT),
    method=False,
    exact=True,
    records=(BADDBMM,),
)
def baddbmm(input: Any, batch1: Any, batch2: Any, out_dtype: Any = None, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2)."""
    if out_dtype is not None:
        raise _no_out_dtype("baddbmm")
    _check_batch(input, batch1, batch2)
    return apply(BADDBMM, (input, batch1, batch2), _factors(input, beta, alpha))


def _outer_factors(kind: Any, beta: Any, alpha: Any) -> dict:
    """The parameters beta and alpha, which addr takes only if the dtype of the result holds such numbers."""
    factors = {"beta": python_number(beta), "alpha": python_number(alpha)}
    for name, factor in factors.items():
        if isinstance(factor, bool) and kind.category:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if kind.category <= INTEGER < of_number(factor).category:
            raise RuntimeError(texts.INTEGRAL_FACTOR.format(name=name))
    return factors


def _check_outer(x: Tensor, a: Tensor, b: Tensor) -> tuple[int, ...]:
    for v, name in ((a, "vec1"), (b, "vec2")):
        if v.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {v.ndim}-D")
    return a.numel(), b.numel()


@op(
    "addr",
    f"(Tensor input, Tensor vec1, Tensor vec2, *, {_FACTORS}, Tensor out = None)",
    *_factors_first("Tensor input, Tensor vec1, Tensor vec2", _OUT),
    records=(ADDR,),
)
def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * the outer product of vec1 and vec2."""
    expanded_shape(input, _check_outer(input, vec1, vec2))
    args = (input, vec1, vec2)
    values, _ = promoted(args, [raw(t) for t in args], "common")
    return record(ADDR, args, values, _outer_factors(of_numpy(values[0].dtype), beta, alpha))


# The same in place: the tensor must have the shape of the result.


def _bad_call(x: Tensor, a: Tensor, b: Tensor, shape: tuple) -> RuntimeError:
    return RuntimeError(texts.BAD_IN_PLACE.format(have=list(x._value.shape), shape=list(shape)))


def _bad_outer(x: Tensor, a: Tensor, b: Tensor, shape: tuple) -> RuntimeError:
    if x.ndim != 2:
        return RuntimeError(f"2D tensor expected, got {x.ndim}D tensor for input")
    return RuntimeError(f"size mismatch, input: {list(x._value.shape)}, v1: [{a.numel()}], v2: [{b.numel()}]")


def _in_place(name: str, operands: str, f: Callable, check: Callable, wrong: Callable = _bad_call) -> None:
    """Declare the form of a function that writes its result into its first operand; the row names the other two."""

    @op(
        name,
        f"({operands}, *, {_FACTORS})",
        *_factors_first(operands),
        doc=f"As `{f.__name__}`, writing the result into this tensor.",
    )
    def written(self: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        inplace.check_inplace(self, a, b, name=name.removeprefix("Tensor."))
        shape = check(self, a, b)
        if self._value.shape != shape:
            raise wrong(self, a, b, shape)
        inplace.check_overlap(self)
        return inplace.write(self, f(self, a, b, beta=beta, alpha=alpha))


_in_place("Tensor.addmm_", "Tensor self, Tensor mat1, Tensor mat2", addmm, _check_matrices)
_in_place("addmv_", "Tensor input, Tensor mat, Tensor vec", addmv, _check_matrix_vector)
_in_place("Tensor.addbmm_", "Tensor self, Tensor batch1, Tensor batch2", addbmm, _check_sum_of_batches)
_in_place("Tensor.baddbmm_", "Tensor self, Tensor batch1, Tensor batch2", baddbmm, _check_batch)
_in_place("Tensor.addr_", "Tensor self, Tensor vec1, Tensor vec2", addr, _check_outer, _bad_outer)

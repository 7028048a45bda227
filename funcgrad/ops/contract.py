"""Primitives that multiply and sum: matmul and its kin, dot, tensordot, einsum of two operands, convolution.

Each is linear in either operand, so forward mode is the operation itself, and the transpose with respect to one operand
is a product of the cotangent with the other. The rules work on transposed views, let BLAS do the sum over a batch where
only one operand has it, and leave other broadcast axes to the backward walk.
"""

from __future__ import annotations

import functools
import math
import string
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, multilinear
from funcgrad.core.types import PYTHON_NUMBERS, ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.structural import pad


def _signature_shape(name: str, inputs: tuple[str, str], output: str) -> Callable:
    """The shape rule of a generalised ufunc of two operands, whose core axes are letters; capitals may be left out.

    As in NumPy's signature of matmul, (N,k),(k,M)->(N,M), an axis that is left out of an operand is left out of the
    result. Axes before the core axes broadcast.
    """

    def shape(*xs: Any) -> ShapeDtypeStruct:
        sizes: dict[str, int] = {}
        batches = []
        for axes, x in zip(inputs, xs, strict=True):
            given = shape_of(x)
            if len(given) < len(axes):
                axes = "".join(a for a in axes if a.islower())
            if len(given) < len(axes):
                raise ValueError(f"{name}: an operand has {len(given)} axes, but it needs {len(axes)}")
            split = len(given) - len(axes)
            batches.append(given[:split])
            for a, n in zip(axes, given[split:], strict=True):
                if sizes.setdefault(a, n) != n:
                    raise ValueError(f"{name}: operands of shapes {shape_of(xs[0])} and {shape_of(xs[1])} do not match")
        core = tuple(sizes[a] for a in output if a in sizes)
        return ShapeDtypeStruct(np.broadcast_shapes(*batches) + core, _result_dtype(*xs))

    return shape


def _result_dtype(x: Any, y: Any) -> np.dtype:
    return np.result_type(dtype_of(x), dtype_of(y))


def conj(x: Any) -> Any:
    """The conjugate; real arrays pass."""
    return np.conj(x) if x.dtype.kind == "c" else x


def _single(shape: tuple[int, ...]) -> bool:
    """Whether an operand of this shape is one matrix, and not a stack of several."""
    return math.prod(shape[:-2]) == 1


def _rows(x: Any) -> Any:
    """All axes but the last as one."""
    shape = x.shape
    return x if len(shape) == 2 else x.reshape((math.prod(shape[:-1]), shape[-1]))


def _outer(u: Any, v: Any, shape: tuple[int, ...]) -> Any:
    """The outer products of vectors, which are the cotangent of matrices; of one matrix, their sum over the batch."""
    if _single(shape) and u.shape[:-1] == v.shape[:-1]:
        return _rows(u).T @ _rows(v)
    return outer_product(u, v)


# Products of vectors with vectors: the cotangent of a matrix that a vector was multiplied with.


def _outer_product(x: Any, y: Any) -> Any:
    if x.ndim == 1 == y.ndim:
        return np.multiply.outer(x, y)
    return np.einsum("...i,...j->...ij", x, y)  # faster than to broadcast, whose inner loops are short


outer_product: Primitive = multilinear(
    _outer_product,
    operands="x y",
    transpose=(lambda g, y: (g @ y[..., None])[..., 0], lambda g, x: (x[..., None, :] @ g)[..., 0, :]),
    shape=_signature_shape("outer_product", ("m", "n"), "mn"),
    batch=batching.trailing(1, 1),
    samples=lambda draw: [
        Sample(draw(3), draw(2)),
        Sample(draw(2, 3), draw(2)),
        Sample(draw(2, 1, 2), draw(3, 2)),
        Sample(draw(0), draw(2)),
        Sample(draw.strided(2, 3), draw(2, 0)),
        Sample(draw(2), np.arange(3)),
    ],
)


# matmul: a stack of matrices, or one vector, on either side.


def _product(x: Any, y: Any) -> Any:
    """x @ y. Of two matrices NumPy's dot is the same product, and costs 0.5 µs less to call."""
    if type(x) is ndarray and type(y) is ndarray and x.ndim == 2 == y.ndim and x.shape[1] == len(y):  # or its error
        return x.dot(y)
    return np.matmul(x, y)


def _matmul_x(g: Any, x_shape: tuple[int, ...], y: Any) -> Any:
    n, y_shape = len(x_shape), y.shape
    if n == 2 == len(y_shape):
        return _product(g, y.T)
    if len(y_shape) == 1:
        return g * y if n == 1 else outer_product(g, y)
    if n == 1:
        return y @ g if len(y_shape) == 2 else (y @ g[..., None])[..., 0]
    if _single(y_shape):
        return (_rows(g) @ y.reshape(y_shape[-2:]).T).reshape(x_shape)
    if _single(x_shape) and x_shape[-2] > y_shape[-1]:  # large products: sum over the batch within one product instead
        axes = (*range(len(y_shape) - 2), len(y_shape) - 1)
        return tensordot(g.reshape(y_shape[:-2] + g.shape[-2:]), y, axes=(axes, axes))
    return g @ y.mT


def _matmul_y(g: Any, x: Any, y_shape: tuple[int, ...]) -> Any:
    n, x_shape = len(y_shape), x.shape
    if n == 2 == len(x_shape):
        return _product(x.T, g)
    if len(x_shape) == 1:
        return g * x if n == 1 else outer_product(x, g)
    if n == 1:
        return _rows(x).T @ g.reshape(-1)
    if _single(y_shape):
        return _rows(x).T @ _rows(g)
    return x.mT @ g


_MATRICES = batching.trailing(2, 2)


def _matmul_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """One product where the examples share a matrix: their rows, or columns, are those of one large matrix."""
    x, y = args
    n, m = x.ndim - mask[0], y.ndim - mask[1]
    if not mask[1] and m <= 2:
        if n == 1:
            return x @ y
        return (_rows(x) @ y).reshape(x.shape[:-1] + y.shape[1:])
    if not mask[0] and n <= 2 and m == 1:
        return y @ x.T
    if not mask[0] and n == 2:
        columns = y.mT
        return (_rows(columns) @ x.T).reshape(columns.shape[:-1] + x.shape[:1]).mT
    x, y = x[..., None, :] if n == 1 else x, y[..., None] if m == 1 else y
    out = _MATRICES(matmul, size, (x, y), mask, {})
    if n == 1:
        out = out[..., 0, :]
    return out[..., 0] if m == 1 else out


def _matmul_samples(draw: Draw) -> list[Sample]:
    shapes = [
        ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 1, 3), (3, 2)), ((2, 3), (2, 3, 1)),
        ((3,), (2, 3, 1)), ((2, 2, 3), (3,)), ((2, 1, 1, 2), (1, 3, 2, 1)), ((1, 2, 3), (2, 3, 1)),
        ((2, 1, 3), (1, 3, 2)), ((1, 1, 2, 1), (2, 1, 3)), ((1, 1, 3, 2), (2, 2, 1)), ((3, 2), (2, 2, 2, 1)),
        ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((0, 2, 3), (3, 1)),
    ]  # fmt: skip  # in rows
    pairs = [Sample(draw(*a), draw(*b)) for a, b in shapes]
    return [*pairs, Sample(draw.strided(2, 3), draw.strided(3, 2)), Sample(draw(3, 2).T, np.arange(6).reshape(3, 2))]


matmul = multilinear(
    np.matmul,
    operands="x y",
    transpose=(_matmul_x, _matmul_y),
    shape=_signature_shape("matmul", ("Nk", "kM"), "NM"),
    batch=_matmul_batch,
    samples=_matmul_samples,
    infix=_product,
)


# The other generalised ufuncs of this kind. vecdot and vecmat conjugate their first operand; NumPy 2.1 lacks matvec and
# vecmat.


def _numpy_matvec(x: Any, y: Any) -> Any:
    return np.matmul(x, y[..., None])[..., 0]


def _numpy_vecmat(x: Any, y: Any) -> Any:
    return np.matmul(np.conj(x)[..., None, :], y)[..., 0, :]


def _matvec_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, y = args
    if not mask[1] and y.ndim == 1:
        return (_rows(x) @ y).reshape(x.shape[:-1])
    if not mask[0] and x.ndim == 2:
        return (_rows(y) @ x.T).reshape(y.shape[:-1] + x.shape[:1])
    return batching.trailing(2, 1)(primitive, size, args, mask, params)


def _vecmat_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, y = args
    if not mask[1] and y.ndim == 2:
        return (conj(_rows(x)) @ y).reshape(x.shape[:-1] + y.shape[1:])
    return batching.trailing(1, 2)(primitive, size, args, mask, params)


vecdot = multilinear(
    np.vecdot,
    operands="x y",
    transpose=(lambda g, y: conj(g[..., None] * y), lambda g, x: g[..., None] * conj(x)),
    shape=_signature_shape("vecdot", ("n", "n"), ""),
    batch=batching.trailing(1, 1),
    samples=lambda draw: [
        Sample(draw(3), draw(3)),
        Sample(draw(2, 3), draw(3)),
        Sample(draw(2, 1, 3), draw(2, 3)),
        Sample(draw(0), draw(0)),
        Sample(draw.strided(2, 3), draw(0, 2, 3)),
    ],
)

matvec: Primitive = multilinear(
    getattr(np, "matvec", _numpy_matvec),
    name="matvec",
    operands="x y",
    transpose=(lambda g, x_shape, y: _outer(g, y, x_shape), lambda g, x: matvec(x.mT, g)),
    shape=_signature_shape("matvec", ("mn", "n"), "m"),
    batch=_matvec_batch,
    samples=lambda draw: [
        Sample(draw(2, 3), draw(3)),
        Sample(draw(2, 3), draw(2, 2, 3)),
        Sample(draw(2, 2, 3), draw(3)),
        Sample(draw(2, 1, 1, 2), draw(1, 3, 2)),
        Sample(draw(2, 0), draw(3, 0)),
        Sample(draw(3, 2).T, draw(3, 2).T),
    ],
)

vecmat = multilinear(
    getattr(np, "vecmat", _numpy_vecmat),
    name="vecmat",
    operands="x y",
    transpose=(lambda g, y: conj(matvec(y, g)), lambda g, x, y_shape: _outer(conj(x), g, y_shape)),
    shape=_signature_shape("vecmat", ("n", "nm"), "m"),
    batch=_vecmat_batch,
    samples=lambda draw: [
        Sample(draw(3), draw(3, 2)),
        Sample(draw(2, 2, 3), draw(3, 2)),
        Sample(draw(3), draw(2, 3, 2)),
        Sample(draw(1, 3, 2), draw(2, 1, 2, 1)),
        Sample(draw(3, 0), draw(0, 2)),
        Sample(draw(3, 2).T, draw(2, 3).T),
    ],
)


# dot: the last axis of x with the last but one of y; numbers multiply.


def _dot_x(g: Any, x_shape: tuple[int, ...], y: Any) -> Any:
    n, m = len(x_shape), np.ndim(y)
    if n == 0 or m == 0:
        return g * y
    if m == 1:
        return g * y if n == 1 else outer_product(g, y)
    if m == 2:
        return y @ g if n == 1 else g @ y.T
    return tensordot(g, y, axes=(tuple(range(n - 1, n + m - 2)), (*range(m - 2), m - 1)))


def _dot_y(g: Any, x: Any, y_shape: tuple[int, ...]) -> Any:
    n, m = np.ndim(x), len(y_shape)
    if n == 0 or m == 0:
        return g * x
    if n == 1:
        return g * x if m == 1 else outer_product(x, g)
    if m == 1:
        return _rows(x).T @ g.reshape(-1)
    if n == 2 == m:
        return x.T @ g
    leading = tuple(range(n - 1))
    return np.moveaxis(tensordot(x, g, axes=(leading, leading)), 0, -2)


def _dot_shape(x: Any, y: Any) -> ShapeDtypeStruct:
    a, b = shape_of(x), shape_of(y)
    if a and b and a[-1] != b[max(len(b) - 2, 0)]:
        raise ValueError(f"dot: operands of shapes {a} and {b} do not match")
    out = a[:-1] + b[:-2] + b[-1:] * (len(b) > 1) if a and b else a + b
    return ShapeDtypeStruct(out, _result_dtype(x, y))


def _dot_samples(draw: Draw) -> list[Sample]:
    shapes = [
        ((), ()), ((), (3,)), ((2, 3), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)),
        ((2, 1, 3), (3,)), ((2, 1, 3), (3, 2)), ((3,), (2, 3, 1)), ((2, 3), (2, 3, 1)), ((2, 1, 3), (1, 3, 2)),
        ((2, 0), (0, 2)), ((0,), (0,)),
    ]  # fmt: skip  # in rows
    pairs = [Sample(draw(*a), draw(*b)) for a, b in shapes]
    return [*pairs, Sample(draw.strided(2, 3), draw.strided(3)), Sample(draw(2), 0.5), Sample(2.0, draw(2, 2))]


def _dot_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, y = [np.asarray(a) if type(a) in PYTHON_NUMBERS else a for a in args]
    n, m = x.ndim - mask[0], y.ndim - mask[1]
    if n == 0 or m == 0:
        return np.multiply(*batching.aligned((x, y), mask))
    if m <= 2:
        return _matmul_batch(matmul, size, (x, y), mask, {})
    return _tensordot_batch(tensordot, size, (x, y), mask, {"axes": ((n - 1,), (m - 2,))})


dot = multilinear(
    np.dot,
    operands="x y",
    transpose=(_dot_x, _dot_y),
    shape=_dot_shape,
    batch=_dot_batch,
    samples=_dot_samples,
)


# tensordot: axes is a pair of tuples of non-negative axes, of x and of y.


def _others(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([i for i in range(ndim) if i not in axes])


def _ordered(x: Any, places: tuple[int, ...]) -> Any:
    """The axes of x moved so that axis i comes to places[i]."""
    order = tuple(sorted(range(len(places)), key=places.__getitem__))
    return x if order == tuple(range(len(order))) else x.transpose(order)


def _tensordot_x(g: Any, x_shape: tuple[int, ...], y: Any, axes: tuple) -> Any:
    ax, ay = axes
    free_x, free_y = _others(len(x_shape), ax), _others(np.ndim(y), ay)
    ct = tensordot(g, y, axes=(tuple(range(len(free_x), len(free_x) + len(free_y))), free_y))
    return _ordered(ct, free_x + tuple([ax[ay.index(j)] for j in sorted(ay)]))


def _tensordot_y(g: Any, x: Any, y_shape: tuple[int, ...], axes: tuple) -> Any:
    ax, ay = axes
    free_x, free_y = _others(np.ndim(x), ax), _others(len(y_shape), ay)
    ct = tensordot(x, g, axes=(free_x, tuple(range(len(free_x)))))
    return _ordered(ct, tuple([ay[ax.index(i)] for i in sorted(ax)]) + free_y)


def _tensordot_shape(x: Any, y: Any, *, axes: tuple) -> ShapeDtypeStruct:
    a, b = shape_of(x), shape_of(y)
    if [a[i] for i in axes[0]] != [b[j] for j in axes[1]]:
        raise ValueError(f"tensordot: operands of shapes {a} and {b} do not match along axes {axes}")
    out = tuple(a[i] for i in _others(len(a), axes[0])) + tuple(b[j] for j in _others(len(b), axes[1]))
    return ShapeDtypeStruct(out, _result_dtype(x, y))


def _tensordot_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x, y), (ax, ay) = args, params["axes"]
    if not mask[1]:
        return primitive(x, y, axes=(tuple([i + 1 for i in ax]), ay))
    if not mask[0]:
        return np.moveaxis(primitive(x, y, axes=(ax, tuple([j + 1 for j in ay]))), x.ndim - len(ax), 0)
    n, m = x.ndim - 1, y.ndim - 1
    a, b = list(string.ascii_letters[:n]), list(string.ascii_letters[n : n + m])
    for i, j in zip(ax, ay, strict=True):
        b[j] = a[i]
    free = [a[i] for i in _others(n, ax)] + [b[j] for j in _others(m, ay)]
    return _einsum_batch(einsum, size, args, mask, {"subscripts": f"{''.join(a)},{''.join(b)}->{''.join(free)}"})


tensordot = multilinear(
    np.tensordot,
    operands="x y",
    transpose=(_tensordot_x, _tensordot_y),
    shape=_tensordot_shape,
    batch=_tensordot_batch,
    samples=lambda draw: [
        Sample(draw(2, 3), draw(3, 2), axes=((1,), (0,))),
        Sample(draw(2, 3), draw(3, 2), axes=((0, 1), (1, 0))),
        Sample(draw(2, 3, 1), draw(2, 2, 3), axes=((1, 0), (2, 0))),
        Sample(draw(2, 1, 3), draw(3, 2, 2), axes=((2, 0), (0, 1))),
        Sample(draw(2), draw(3), axes=((), ())),
        Sample(draw(), draw(2, 2), axes=((), ())),
        Sample(draw(0, 3), draw(3, 2), axes=((1,), (0,))),
        Sample(draw.strided(2, 3), draw.strided(2, 3), axes=((1,), (1,))),
    ],
)


# einsum of two operands, in a normal form: each operand and the result has each letter at most once, a letter has one
# size, and it is in at least two of the three. That form is closed under transposition: to differentiate is to swap the
# result with an operand. funcgrad.numpy.einsum brings every contraction into it.


@functools.lru_cache(maxsize=4096)
def as_matmul(subscripts: str, x_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> tuple | None:
    """How an einsum is done by one matmul: axes and shape for each operand, then shape and axes for the result.

    None if nothing is summed, or if each sum is the product of two vectors: NumPy's own loop is the faster one then.
    """
    inputs, z = subscripts.split("->")
    x, y = inputs.split(",")
    size = dict(zip(x + y, x_shape + y_shape, strict=True))
    batch = [a for a in x if a in y and a in z]
    summed = [a for a in x if a in y and a not in z]
    free_x, free_y = [a for a in x if a not in y], [a for a in y if a not in x]
    if not summed or (batch and not free_x and not free_y):
        return None

    def sizes(letters: list[str]) -> tuple[int, ...]:
        return tuple(size[a] for a in letters)

    def merged(letters: list[str]) -> tuple[int, ...]:
        return (math.prod(sizes(letters)),) if letters or batch else ()

    k = (math.prod(sizes(summed)),)
    made = batch + free_x + free_y
    return (
        tuple(x.index(a) for a in batch + free_x + summed),
        sizes(batch) + merged(free_x) + k,
        tuple(y.index(a) for a in batch + summed + free_y),
        sizes(batch) + k + merged(free_y),
        sizes(made),
        tuple(made.index(a) for a in z),
    )


def _einsum(x: Any, y: Any, *, subscripts: str) -> Any:
    plan = as_matmul(subscripts, x.shape, y.shape) if x.dtype.char in "fdFD" and y.dtype.char in "fdFD" else None
    if plan is None:
        return np.einsum(subscripts, x, y)
    x_axes, x_matrix, y_axes, y_matrix, shape, axes = plan
    out = np.matmul(x.transpose(x_axes).reshape(x_matrix), y.transpose(y_axes).reshape(y_matrix))
    return out.reshape(shape).transpose(axes)


def _einsum_x(g: Any, y: Any, subscripts: str) -> Any:
    inputs, z = subscripts.split("->")
    a, b = inputs.split(",")
    return einsum(g, y, subscripts=f"{z},{b}->{a}")


def _einsum_y(g: Any, x: Any, subscripts: str) -> Any:
    inputs, z = subscripts.split("->")
    a, b = inputs.split(",")
    return einsum(x, g, subscripts=f"{a},{z}->{b}")


def _einsum_shape(x: Any, y: Any, *, subscripts: str) -> ShapeDtypeStruct:
    inputs, z = subscripts.split("->")
    size = dict(zip(inputs.replace(",", ""), shape_of(x) + shape_of(y), strict=True))
    return ShapeDtypeStruct(tuple(size[a] for a in z), _result_dtype(x, y))


def _einsum_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batch dimension is one more letter."""
    subscripts = params["subscripts"]
    inputs, z = subscripts.split("->")
    new = next(c for c in string.ascii_letters if c not in subscripts)
    x, y = [new + a if m else a for a, m in zip(inputs.split(","), mask, strict=True)]
    return primitive(*args, subscripts=f"{x},{y}->{new}{z}")


einsum = multilinear(
    _einsum,
    operands="x y",
    transpose=(_einsum_x, _einsum_y),
    shape=_einsum_shape,
    batch=_einsum_batch,
    samples=lambda draw: [
        Sample(draw(2, 3), draw(3, 2), subscripts="ab,bc->ac"),
        Sample(draw(2, 3), draw(3, 2), subscripts="ab,bc->ca"),
        Sample(draw(2, 3), draw(3, 2), subscripts="ab,ba->"),
        Sample(draw(2, 3), draw(2, 3), subscripts="ab,ab->a"),
        Sample(draw(2, 3), draw(3, 2), subscripts="ab,ba->ba"),
        Sample(draw(2), draw(3), subscripts="a,b->ba"),
        Sample(draw(2, 2, 3), draw(3, 2), subscripts="abc,cb->ab"),
        Sample(draw(2, 1, 3), draw(2, 3, 2), subscripts="bik,bkj->jbi"),
        Sample(draw(2, 3, 2), draw(3, 2), subscripts="iaj,aj->i"),
        Sample(draw(), draw(2, 2), subscripts=",ab->ba"),
        Sample(draw(0, 3), draw(3, 2), subscripts="ab,bc->ac"),
        Sample(draw.strided(2, 3), draw.strided(2, 3), subscripts="ab,cb->ac"),
    ],
)


# Convolution of two vectors. mode is "full", or "valid" with x at least as long as y.


def _convolve(x: Any, y: Any, *, mode: Any) -> Any:
    """np.convolve, which goes through y from the end: many times faster if that is how y lies in memory."""
    return np.convolve(np.ascontiguousarray(x), np.ascontiguousarray(y[::-1])[::-1], mode)


def _convolve_x(g: Any, y: Any, mode: str) -> Any:
    return convolve(g, y[::-1], mode="valid" if mode == "full" else "full")


def _convolve_y(g: Any, x: Any, mode: str) -> Any:
    return convolve(g, x[::-1], mode="valid") if mode == "full" else convolve(x, g[::-1], mode="valid")[::-1]


def _convolve_shape(x: Any, y: Any, *, mode: str) -> ShapeDtypeStruct:
    (n,), (m,) = shape_of(x), shape_of(y)
    return ShapeDtypeStruct((n + m - 1 if mode == "full" else n - m + 1,), _result_dtype(x, y))


def _convolve_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """A product with the windows of the longer operand, if the shorter one is so short that this is not too much.

    Otherwise NumPy's own convolution of each example is the faster one.
    """
    (x, y), (mx, my) = args, mask
    if x.shape[-1] < y.shape[-1]:
        (x, y), (mx, my) = (y, x), (my, mx)
    k = y.shape[-1]
    if k > _SHORT:
        return batching.one_by_one(primitive, size, args, mask, params)
    if params["mode"] == "full":
        x = pad(x, widths=((0, 0), (k - 1, k - 1)) if mx else ((k - 1, k - 1),))
    windows = x[..., np.arange(x.shape[-1] - k + 1)[:, None] + np.arange(k)]
    return _matvec_batch(matvec, size, (windows, y[..., ::-1]), (mx, my), {})


_SHORT = 64


convolve = multilinear(
    _convolve,
    operands="x y",
    transpose=(_convolve_x, _convolve_y),
    shape=_convolve_shape,
    batch=_convolve_batch,
    samples=lambda draw: [
        Sample(draw(*n), draw(*m), mode=mode)
        for n, m, mode in [
            ((4,), (2,), "full"), ((2,), (4,), "full"), ((1,), (1,), "full"),
            ((4,), (2,), "valid"), ((3,), (3,), "valid"), ((4,), (1,), "valid"),
        ]
    ] + [Sample(draw.strided(5), draw.strided(3), mode="valid")],
)  # fmt: skip  # in rows

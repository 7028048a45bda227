"""New arrays, arrangements, parts, reductions, sorting, products."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError, NotDifferentiableError, ShapeError
from funcgrad.testing import check_grads

X = np.arange(12.0).reshape(3, 4) / 10


def same(out, expected):
    expected = np.asarray(expected)
    assert type(out) is fg.Array and (out.shape, out.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(out, expected)


# New arrays and conversions.


def test_new_arrays():
    same(lax.full((2,), 3), [3, 3])
    same(lax.full((2, 1), 3, "float32"), np.full((2, 1), 3, np.float32))
    same(lax.full_like(X, 3), np.full((3, 4), 3.0))
    same(lax.full_like(X, 3, int, (2,)), [3, 3])
    same(lax.zeros_like_array(X), np.zeros((3, 4)))
    same(lax.iota("float32", 3), np.arange(3, dtype=np.float32))
    same(lax.broadcasted_iota(int, (2, 3), 1), [[0, 1, 2]] * 2)
    same(fg.grad(lambda x: fnp.sum(lax.full((2, 2), x)))(3.0), 4.0)
    with pytest.raises(ArgumentError, match="full must be called with scalar fill_value"):
        lax.full((2,), np.ones(2))


def test_conversions():
    same(lax.convert_element_type(np.array([1.7, -1.7]), int), [1, -1])
    same(lax.convert_element_type(1.7, np.int32), np.int32(1))
    same(fg.grad(lambda x: lax.convert_element_type(x, np.float32).astype(float) * 3)(1.0), 3.0)


def test_bits_as_another_dtype():
    x = np.array([[1.0, -2.5], [0.1, np.inf]], np.float32)
    same(lax.bitcast_convert_type(x, np.int32), x.view(np.int32))
    same(lax.bitcast_convert_type(x, np.uint8), x.view(np.uint8).reshape(2, 2, 4))
    same(lax.bitcast_convert_type(lax.bitcast_convert_type(x, np.uint8), np.float32), x)
    same(lax.bitcast_convert_type(np.float32(1), np.int32), np.int32(1065353216))
    same(fg.vmap(lambda row: lax.bitcast_convert_type(row, np.uint8))(x), x.view(np.uint8).reshape(2, 2, 4))
    same(fg.make_tape(lambda x: lax.bitcast_convert_type(x, np.float64))(x)(x), x.view(np.float64)[:, 0])
    with pytest.raises(ArgumentError, match="the last axis of an array of float32 must have length 2"):
        lax.bitcast_convert_type(np.ones(3, np.float32), np.float64)
    same(fg.grad(lambda x: lax.bitcast_convert_type(x, np.float64).sum())(np.ones(2)), np.ones(2))  # the same dtype
    with pytest.raises(NotDifferentiableError, match="the bits of a number"):
        fg.grad(lambda x: lax.bitcast_convert_type(x, np.float32).sum())(np.ones(2))


# Arrangements.

ARRANGED = {
    "reshape": (lambda x: lax.reshape(x, (2, 6)), lambda x: x.reshape(2, 6)),
    "reshape in another order": (lambda x: lax.reshape(x, (12,), (1, 0)), lambda x: x.T.reshape(12)),
    "transpose": (lambda x: lax.transpose(x, (1, 0)), lambda x: x.T),
    "broadcast": (lambda x: lax.broadcast(x, (2, 1)), lambda x: np.broadcast_to(x, (2, 1, 3, 4))),
    "broadcast_in_dim": (
        lambda x: lax.broadcast_in_dim(x, (3, 2, 4), (0, 2)),
        lambda x: np.broadcast_to(x[:, None], (3, 2, 4)),
    ),
    "squeeze": (lambda x: lax.squeeze(x[None, :, None], (0, 2)), lambda x: x),
    "expand_dims": (lambda x: lax.expand_dims(x, (0, -1)), lambda x: x[None, ..., None]),
    "collapse": (lambda x: lax.collapse(x[None], 0, 2), lambda x: x),
    "collapse to the end": (lambda x: lax.collapse(x, 0), lambda x: x.reshape(12)),
    "collapse of nothing": (lambda x: lax.collapse(x, 1, 1), lambda x: x),
    "rev": (lambda x: lax.rev(x, (0, 1)), lambda x: x[::-1, ::-1]),
    "tile": (lambda x: lax.tile(x, (2, 1)), lambda x: np.tile(x, (2, 1))),
    "split": (lambda x: lax.split(x, (1, 3), axis=1)[1], lambda x: x[:, 1:]),
    "concatenate": (lambda x: lax.concatenate([x, x[:1]], 0), lambda x: np.concatenate([x, x[:1]])),
    "pad": (
        lambda x: lax.pad(x, 9.0, [(1, 2, 0), (0, 1, 0)]),
        lambda x: np.pad(x, [(1, 2), (0, 1)], constant_values=9),
    ),
    "pad with less than nothing": (
        lambda x: lax.pad(x, 9.0, [(-1, 0, 0), (-1, -2, 0)]),
        lambda x: x[1:, 1:-2],
    ),
    "slice": (lambda x: lax.slice(x, (1, 0), (3, 4), (1, 2)), lambda x: x[1:, ::2]),
    "slice_in_dim": (lambda x: lax.slice_in_dim(x, -3, None, 2, axis=1), lambda x: x[:, -3::2]),
    "index_in_dim": (lambda x: lax.index_in_dim(x, -1, axis=1), lambda x: x[:, -1:]),
    "index_in_dim without it": (lambda x: lax.index_in_dim(x, 1, keepdims=False), lambda x: x[1]),
    "reduce_sum": (lambda x: lax.reduce_sum(x, axes=(0,)), lambda x: x.sum(0)),
    "reduce_max": (lambda x: lax.reduce_max(x, (1,)), lambda x: x.max(1)),
    "reduce_min": (lambda x: lax.reduce_min(x, (0, 1)), lambda x: x.min()),
    "reduce_prod": (lambda x: lax.reduce_prod(x + 1, (0,)), lambda x: (x + 1).prod(0)),
    "reduce": (lambda x: lax.reduce(x, 0.5, lax.add, (1,)), lambda x: 0.5 + x.sum(1)),
    "reduce by a function": (
        lambda x: lax.reduce(x, 0.5, lambda a, b: a + b + 0.1 * a * b, (1,)),
        lambda x: ((1 + 0.1 * x).prod(1) * 1.05 - 1) / 0.1,
    ),
    "cumsum": (lambda x: lax.cumsum(x, 1), lambda x: x.cumsum(1)),
    "cumprod": (lambda x: lax.cumprod(x + 1, 0), lambda x: (x + 1).cumprod(0)),
    "cummax": (lambda x: lax.cummax(np.sin(9 * x), 0), lambda x: np.maximum.accumulate(np.sin(9 * x))),
    "cummin": (
        lambda x: lax.cummin(fnp.sin(9 * x), 1, reverse=True),
        lambda x: np.minimum.accumulate(np.sin(9 * x)[:, ::-1], 1)[:, ::-1],
    ),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), lambda x: np.log(np.exp(x).cumsum(1))),
    "sort": (lambda x: lax.sort(fnp.cos(3 * x), 0), lambda x: np.sort(np.cos(3 * x), 0)),
    "dot": (lambda x: lax.dot(x, x[0]), lambda x: x @ x[0]),
    "dot_general": (
        lambda x: lax.dot_general(x[None], x[None], (((1,), (1,)), ((0,), (0,)))),
        lambda x: (x.T @ x)[None],
    ),
    "batch_matmul": (lambda x: lax.batch_matmul(x[None], x.T[None]), lambda x: (x @ x.T)[None]),
}


@pytest.mark.parametrize("name", ARRANGED)
def test_operations(name):
    f, reference = ARRANGED[name]
    out = f(X)
    assert type(out) is fg.Array and out.dtype == float
    np.testing.assert_allclose(out, reference(X), rtol=1e-13)
    assert f(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(fg.make_tape(f)(X)(X), reference(X), rtol=1e-13)
    np.testing.assert_allclose(fg.vmap(f)(np.stack([X, 2 * X])), [reference(X), reference(2 * X)], rtol=1e-13)
    check_grads(f, (X + 0.05,), order=2)


def test_padding_between_elements():
    same(lax.pad(np.array([1.0, 2.0, 3.0]), 9.0, [(1, 2, 1)]), [9.0, 1, 9, 2, 9, 3, 9, 9])
    same(lax.pad(np.array([1.0, 2.0, 3.0]), 9.0, [(-2, 1, 2)]), [9.0, 2, 9, 9, 3, 9])
    same(lax.pad(np.zeros((0,)), 9.0, [(1, 1, 3)]), [9.0, 9.0])
    same(fg.grad(lambda v: fnp.sum(lax.pad(np.ones(3), v, [(1, 2, 1)])))(0.0), 5.0)


def test_several_arrays_reduced_together():
    """The largest element and where it is."""

    def larger(a, b):
        take = (b[0] > a[0]) | ((b[0] == a[0]) & (b[1] < a[1]))
        return fnp.where(take, b[0], a[0]), fnp.where(take, b[1], a[1])

    x = np.array([[3.0, 1.0, 3.0], [2.0, 5.0, 4.0]])
    numbers = lax.broadcasted_iota(int, (2, 3), 1)
    value, place = lax.reduce((x, numbers), (-np.inf, 99), larger, (1,))
    same(value, [3.0, 5.0])
    same(place, [0, 1])
    assert lax.reduce(np.zeros((0,)), 7.0, lambda a, b: a * b, (0,)) == 7.0


@pytest.mark.parametrize("values", [[True, False, True], [6, 3, 2], []])
def test_reductions_of_bits(values):
    x = np.array(values, bool if True in values else int)
    for ours, numpys in (
        (lax.reduce_and, np.bitwise_and),
        (lax.reduce_or, np.bitwise_or),
        (lax.reduce_xor, np.bitwise_xor),
    ):
        same(ours(x, (0,)), numpys.reduce(x))


def test_dtypes_stay():
    x = np.array([100, 100], np.int8)
    assert lax.reduce_sum(x, (0,)).dtype == lax.cumsum(x).dtype == np.int8
    same(lax.argmax(np.array([1.0, 3.0, 3.0]), 0, "int32"), np.int32(1))
    same(lax.argmin(np.array([1.0, 3.0, 1.0]), 0, "int8"), np.int8(0))


@pytest.mark.parametrize(
    "n, expected", [(2, [1.5, 0.5]), (4, [2.0, 1.0, 0.75, 0.25]), (5, [2.125, 1.125, 0.875, 0.375, 0.5])]
)
def test_ties_of_cumulative_extrema(n, expected):
    """Recorded from JAX 0.10."""
    for f in (lax.cummax, lax.cummin):
        same(fg.grad(lambda x: fnp.sum(f(x)))(np.ones(n)), expected)


def test_nan_in_cumulative_extrema():
    same(lax.cummax(np.array([1.0, np.nan, 3.0])), [1.0, np.nan, np.nan])


# Parts that start where it turns out.


@pytest.mark.parametrize("start", [0, 3, 8, 12, -3, -20])
def test_dynamic_parts(start):
    x = np.arange(10.0)
    first = min(max(start + 10 if start < 0 else start, 0), 6)
    expected = x[first : first + 4]
    for s in (start, np.int8(start), fnp.asarray(start)):
        same(lax.dynamic_slice(x, (s,), (4,)), expected)
        same(lax.dynamic_slice_in_dim(x, s, 4), expected)
        same(fg.make_tape(lambda s: lax.dynamic_slice(x, (s,), (4,)))(s)(s), expected)
        same(fg.vmap(lambda s: lax.dynamic_slice(x, (s,), (4,)))(np.stack([s, s])), [expected] * 2)
    written = x.copy()
    written[first : first + 4] = 7
    same(lax.dynamic_update_slice(x, np.full(4, 7.0), (start,)), written)
    same(fg.make_tape(lambda s: lax.dynamic_update_slice(x, np.full(4, 7.0), (s,)))(start)(start), written)
    gradient = fg.grad(lambda x, s: fnp.sum(lax.dynamic_slice(x, (s,), (4,)) ** 2))
    same(gradient(x, start), np.where((x >= first) & (x < first + 4), 2 * x, 0.0))
    same(fg.make_tape(gradient)(x, start)(x, start), gradient(x, start))


def test_dynamic_parts_of_matrices():
    x = np.arange(20.0).reshape(4, 5)
    same(lax.dynamic_slice(x, np.array([1, 2]), (2, 2)), x[1:3, 2:4])
    same(fg.make_tape(lambda i: lax.dynamic_slice(x, i, (2, 2)))(np.array([0, 0]))(np.array([1, 9])), x[1:3, 3:])
    same(lax.dynamic_index_in_dim(x, 30), x[3:])
    same(lax.dynamic_index_in_dim(x, -1, 1, keepdims=False), x[:, -1])
    y = x.copy()
    y[1] = 7
    same(lax.dynamic_update_index_in_dim(x, np.full(5, 7.0), 1, 0), y)
    same(lax.dynamic_update_index_in_dim(x, np.full((1, 5), 7.0), 1, 0), y)
    same(lax.dynamic_update_slice_in_dim(x, np.full((1, 5), 7.0), fnp.asarray(1), 0), y)
    xs, starts = np.stack([x, x + 100]), np.array([[0, 1], [2, 3]])
    same(fg.vmap(lambda x, s: lax.dynamic_slice(x, s, (2, 2)))(xs, starts), np.stack([x[:2, 1:3], x[2:, 3:] + 100]))


# Sorting.


def test_sorting_several_arrays():
    keys, values, others = np.array([3.0, 1, 2, 1]), np.array([3.0, 2, 1, 0]), np.arange(4)
    for out, order in (
        (lax.sort((keys, values, others)), [1, 3, 2, 0]),
        (lax.sort((keys, values, others), num_keys=2), [3, 1, 2, 0]),
    ):
        for got, x in zip(out, (keys, values, others), strict=True):
            same(got, x[order])
    same(lax.sort_key_val(keys, others)[1], [1, 3, 2, 0])
    same(lax.sort(np.array([[2.0, 1.0], [0.0, 3.0]]), dimension=0), [[0.0, 1.0], [2.0, 3.0]])
    gradient = fg.grad(lambda v: fnp.sum(lax.sort_key_val(keys, v)[1] * np.arange(4)))(values)
    same(gradient, [3.0, 0.0, 2.0, 1.0])


def test_top_k():
    values, places = lax.top_k(np.array([[3.0, 1.0, 2.0, 3.0], [np.nan, 5.0, 1.0, 7.0]]), 2)
    same(values, [[3.0, 3.0], [np.nan, 7.0]])
    same(places, np.array([[0, 3], [0, 3]], np.int32))
    same(lax.top_k(np.array([[3, 1], [5, 9], [4, 0]], np.uint8), 2, axis=0)[0], np.array([[5, 9], [4, 1]], np.uint8))
    same(fg.grad(lambda x: lax.top_k(x, 2)[0][1])(np.array([1.0, 3.0, 2.0])), [0.0, 0.0, 1.0])
    assert [a.shape for a in lax.top_k(np.ones(3), 0)] == [(0,), (0,)]


# Products.


def test_dot_general_orders_its_axes():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 2, 3, 5)), rng.normal(size=(3, 6, 4, 5))
    out = lax.dot_general(a, b, (((3,), (3,)), ((2, 0), (0, 2))))
    np.testing.assert_allclose(out, np.einsum("bikc,kjbc->kbij", a, b), rtol=1e-13)
    f32 = np.ones((2, 3), np.float32)
    assert lax.dot_general(f32, f32.T, (((1,), (0,)), ((), ())), preferred_element_type=float).dtype == float
    assert lax.dot(f32, f32.T, precision=lax.Precision.HIGHEST).dtype == np.float32
    assert lax.dot(a, b, dimension_numbers=(((3,), (3,)), ((), ()))).shape == (4, 2, 3, 3, 6, 4)


# Errors.


@pytest.mark.parametrize(
    "f, error, message",
    [
        (lambda: lax.reshape(X, (6, -1)), TypeError, "reshape new_sizes must all be positive"),
        (
            lambda: lax.reshape(X, (5,)),
            ShapeError,
            r"total size must be unchanged, got new_sizes \(5,\) for shape \(3, 4\)",
        ),
        (lambda: lax.transpose(X, (1, 1)), TypeError, "isn't a permutation of operand dimensions"),
        (
            lambda: lax.broadcast_in_dim(X, (3, 5), (0, 1)),
            TypeError,
            "must either be 1, or be equal to their corresponding",
        ),
        (lambda: lax.broadcast_in_dim(X, (3, 4), (1, 0)), TypeError, "in ascending order"),
        (lambda: lax.squeeze(X, (0,)), ValueError, "axes of length one"),
        (lambda: lax.split(X, (1, 1)), ShapeError, "Sum of sizes 2 must be equal to dimension 0"),
        (lambda: lax.concatenate([X, X[0]], 0), TypeError, "different numbers of dimensions"),
        (lambda: lax.concatenate([X, X.T], 0), TypeError, "dimensions other than the one being concatenated"),
        (lambda: lax.concatenate([X, X], 2), TypeError, "concatenate dimension out of bounds"),
        (
            lambda: lax.concatenate([X, X.astype(int)], 0),
            TypeError,
            "lax.concatenate requires arguments to have the same",
        ),
        (lambda: lax.concatenate([], 0), ValueError, "non-empty"),
        (lambda: lax.pad(X, 9, [(0, 0, 0)] * 2), TypeError, "lax.pad requires arguments to have the same dtypes"),
        (lambda: lax.pad(X, 9.0, [(0, 0, 0)]), TypeError, "pad takes a scalar to pad with and, for each axis"),
        (lambda: lax.slice(X, (0, 0), (4, 4)), TypeError, r"must lie within the operand shape \(3, 4\)"),
        (lambda: lax.slice(X, (0,), (4, 4)), TypeError, "as many start_indices, limit_indices and strides"),
        (lambda: lax.index_in_dim(X, 3), IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        (lambda: lax.index_in_dim(X, 0, axis=2), TypeError, "axis 2 is out of bounds"),
        (lambda: lax.dynamic_slice(X, (0,), (1, 1)), ShapeError, "must match number of operand dimensions"),
        (lambda: lax.dynamic_slice(X, (0, 0), (4, 1)), TypeError, "slice_sizes must be less than or equal to operand"),
        (lambda: lax.dynamic_slice(X, (0.0, 0), (1, 1)), TypeError, "must be integers of the same type, got: float64"),
        (
            lambda: lax.dynamic_update_slice(X, np.ones(2), (0, 0)),
            TypeError,
            "update must have the same rank as operand",
        ),
        (
            lambda: lax.dynamic_update_slice(X, np.ones((5, 1)), (0, 0)),
            TypeError,
            "less than or equal to operand shape",
        ),
        (lambda: lax.dynamic_update_slice(X, np.ones((1, 1), int), (0, 0)), TypeError, "have the same dtypes"),
        (lambda: lax.reduce_sum(X, (-1,)), ValueError, r"reduction axes \(-1,\) contains out-of-bounds"),
        (lambda: lax.reduce_sum(X > 0, (0,)), TypeError, "reduce_sum does not accept dtype bool"),
        (lambda: lax.reduce((X, X), 0.0, lax.add, (0,)), ArgumentError, "must have one structure"),
        (lambda: lax.reduce((X, X[0]), (0.0, 0.0), lax.add, (0,)), ArgumentError, "reduce takes operands of one shape"),
        (lambda: lax.cumsum(X, -1), ValueError, "axes of lax operations are not negative"),
        (lambda: lax.cumsum(X, 2), ValueError, "axis 2 is out of bounds"),
        (lambda: lax.cumsum(X > 0), TypeError, "cumsum does not accept dtype bool"),
        (lambda: lax.sort((X, X[0])), ArgumentError, "sort takes arrays of one shape"),
        (lambda: lax.sort((X, X), num_keys=3), ArgumentError, "num_keys must be between 1 and the number of arrays"),
        (lambda: lax.top_k(X, 5), ValueError, "k argument to top_k must be no larger than size along axis; got k=5"),
        (lambda: lax.top_k(1.0, 1), ArgumentError, "top_k takes an array with one axis at least"),
        (lambda: lax.dot(X, X), ShapeError, r"dimension_numbers must be specified .* lhs_shape=\(3, 4\)"),
        (
            lambda: lax.dot_general(X, X, (((1,), (0,)), ((), ()))),
            TypeError,
            "contracting dimensions to have the same shape",
        ),
        (lambda: lax.dot_general(X, X, (((1,), (1,)), ((1,), (1,)))), TypeError, "dimensions to be distinct"),
        (lambda: lax.batch_matmul(X, X), TypeError, "batch_matmul takes arrays with two axes at least"),
    ],
)
def test_arguments_that_do_not_fit(f, error, message):
    with pytest.raises(error, match=message):
        f()


@pytest.mark.parametrize(
    "numbers, text",
    [
        ((((2,), (0,)), ((), ())), r"of lhs to be in \[0, 2\), for it has shape \(2, 3\); got 2"),
        ((((1,), (-1,)), ((), ())), r"of rhs to be in \[0, 2\).*got -1"),
        ((((1,), ()), ((), ())), r"equally many contracting dimensions"),
        ((((), ()), ((0,), ())), r"equally many batch dimensions"),
        ((((1, 1), (0, 0)), ((), ())), "distinct"),
        (((0,), (0,)), "form"),
        ((((1,), (0,)), ()), "form"),
        ((((1.0,), (0,)), ((), ())), "form"),
        (None, "form"),
        (1, "form"),
        ((((0,), (0,)), ((), ())), "same shape, got"),
    ],
    ids=str,
)
def test_dot_general_says_what_is_wrong_with_dimension_numbers(numbers, text):
    with pytest.raises(ArgumentError, match=text):
        lax.dot_general(np.ones((2, 3)), np.ones((3, 2)), numbers)

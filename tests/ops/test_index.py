"""The index primitives: what the generated tests cannot see. Costs, repeated indices, the short form of cotangents."""

import time
import tracemalloc

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.cotangent import Deferred
from funcgrad.core.primitive import registry
from funcgrad.ops.index import HERE, IndexedCotangent, add_at, fill, repeats, scatter_add


def squares_by_element(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * x[i]
    return total


def seconds(f, *args):
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        f(*args)
        best = min(best, time.perf_counter() - start)
    return best


class TestLinearCost:
    """Note [indexing is sparse backwards]: a loop over all elements costs what it reads."""

    def test_values(self):
        x = np.arange(5.0)
        np.testing.assert_array_equal(fg.grad(squares_by_element)(x), 2 * x)
        hessian_vector = fg.grad(lambda x: (fg.grad(squares_by_element)(x) * x * x).sum())
        np.testing.assert_allclose(hessian_vector(x), 6 * x**2)

    def test_more_elements_than_a_group_of_traced_ones(self):
        x = np.linspace(0.0, 1.0, 2500)
        second = fg.grad(lambda x: (fg.grad(squares_by_element)(x) * x).sum())
        np.testing.assert_allclose(second(x), 4 * x)

    @pytest.mark.parametrize(
        "derivative",
        [
            pytest.param(fg.grad, id="first"),
            pytest.param(lambda f: fg.grad(lambda x: (fg.grad(f)(x) * x).sum()), id="second", marks=pytest.mark.slow),
        ],
    )
    def test_time_grows_linearly(self, derivative):
        few, many = np.ones(500), np.ones(8000)
        ratio = seconds(derivative(squares_by_element), many) / seconds(derivative(squares_by_element), few)
        assert ratio < 16 * 6, "16 times the elements; quadratic cost would be 256 times"

    def test_memory_is_that_of_what_is_read(self):
        x = np.zeros(1_000_000)  # 8 MB; a dense cotangent for each read would be 8 MB each

        def f(x):
            return x[1] * x[2] * x[3] * x[4] * x[5] * x[6]

        _, pullback = fg.vjp(f, x)
        tracemalloc.start()
        pullback(1.0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2.5 * x.nbytes


class TestIndexedCotangent:
    def make(self, g, index):
        return IndexedCotangent(np.float64(g), index, (3,), np.dtype(float))

    def test_adds_up_in_any_order(self):
        dense = np.array([1.0, 1.0, 1.0])
        total = dense + (self.make(2.0, 0) + self.make(3.0, 0)) + dense
        assert isinstance(total, Deferred)
        total = self.make(5.0, 2) + total
        np.testing.assert_array_equal(total.dense(), [7.0, 2.0, 7.0])
        np.testing.assert_array_equal(dense, 1.0)

    def test_in_a_walk_with_dense_cotangents(self):
        x = np.array([1.0, 2.0, 3.0])
        f = lambda x: x[0] * 2 + (x * x).sum() + x[1:][0] * x[0]
        np.testing.assert_array_equal(fg.grad(f)(x), 2 * x + [2 + 2, 1, 0])


@pytest.mark.parametrize("shape", [(4,), (4, 5), (200, 3)])  # NumPy's loop, the flat one, and the loop for a small part
def test_repeated_indices_accumulate(shape):
    rng = np.random.default_rng(0)
    index = rng.integers(0, shape[0], 6)
    g = rng.standard_normal((6, *shape[1:]))
    expected = np.zeros(shape)
    for i, row in zip(index, g, strict=True):
        expected[i] += row
    np.testing.assert_allclose(scatter_add(g, indices=(index,), shape=shape), expected)


@pytest.mark.parametrize(
    "index, expected",
    [
        (0, False),
        (slice(2), False),
        ((1, None, Ellipsis), False),
        (np.array([True, True]), False),
        (np.array([1]), False),
        (np.array([1, 2]), True),
        ((0, np.array([[1], [0]])), True),
    ],
)
def test_repeats(index, expected):
    assert repeats(index) is expected


def test_fill():
    a, b = np.array([1]), np.array([2])
    assert fill(HERE, np.stack([a])) == a
    assert fill((0, HERE, slice(2), HERE), np.stack([a, b])) == (0, a, slice(2), b)


@pytest.mark.parametrize("name", ["index_set", "index_add"])
def test_operand_is_not_written_to(name):
    x = np.zeros(3)
    registry[name](x, 1.0, None, index=1)
    assert not x.any()


def test_set_of_one_element_twice_gives_the_gradient_to_the_last_value():
    index = np.array([1, 1, 0])

    def f(v):
        return registry["index_set"](np.zeros(2), v, None, index=index)

    out, pullback = fg.vjp(f, np.array([5.0, 7.0, 9.0]))
    np.testing.assert_array_equal(out, [9.0, 7.0])
    np.testing.assert_array_equal(pullback(np.array([1.0, 10.0]))[0], [0.0, 10.0, 1.0])


@pytest.mark.parametrize("name, value", [("index_min", 0.5), ("index_max", 9.0)])
def test_ties_share_evenly(name, value):
    """As in jax 0.10: x.at[i].min(v) with three equal candidates gives each a third."""
    index = np.array([1, 1, 0])
    f = lambda x, v: registry[name](x, v, None, index=index)
    _, pullback = fg.vjp(f, np.array([1.0, 2.0]), np.array([2.0, 2.0, value]))
    x, v = pullback(np.array([1.0, 9.0]))
    np.testing.assert_allclose(x, [0.0, 3.0])
    np.testing.assert_allclose(v, [3.0, 3.0, 1.0])


def test_where_keeps_single_precision_beside_python_numbers():
    x = np.ones(2, np.float32)
    condition = np.array([True, False])
    out, pullback = fg.vjp(lambda x: registry["where"](condition, x, 2.5), x)
    assert out.dtype == np.float32 and pullback(out)[0].dtype == np.float32


def test_condition_of_a_caller_may_change_later():
    condition = np.array([True, False])
    _, pullback = fg.vjp(lambda x: registry["where"](condition, x, 0.0), np.ones(2))
    condition[:] = False
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, 0.0])


@pytest.mark.parametrize("rest", [(), (1,), (3,), (2, 2), (9,)])
@pytest.mark.parametrize("order", ["sorted", "shuffled", "in runs", "equal"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_many_numbers_with_and_without_runs(rest, order, dtype):
    rng = np.random.default_rng(0)
    numbers = {
        "sorted": np.sort(rng.integers(-50, 50, 6000)),
        "shuffled": rng.integers(-50, 50, 6000),
        "in runs": np.repeat(rng.integers(-50, 50, 60), 100),
        "equal": np.zeros(6000, int),
    }[order]
    values = rng.integers(-9, 9, (6000, *rest)).astype(dtype)  # whose sums are exact
    out = np.ones((50, *rest), dtype)
    expected = out.copy()
    for k, v in zip(numbers, values, strict=True):
        expected[k] += v
    add_at(out, numbers, values)
    np.testing.assert_array_equal(out, expected)
    add_at(out, numbers.reshape(60, 100), -values.reshape(60, 100, *rest))
    np.testing.assert_array_equal(out, np.ones_like(out))


def test_runs_of_numbers_out_of_bounds_are_errors():
    with pytest.raises(IndexError):
        add_at(np.zeros(4), np.repeat([0, 4], 5000), np.ones(10000))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
@pytest.mark.parametrize("places, shape, row", [(100, (50,), (64,)), (1000, (20, 30), (7, 10)), (30, (200,), (64,))])
def test_long_rows_are_added_in_the_same_order(places, shape, row, dtype):
    rng = np.random.default_rng(0)
    numbers = rng.integers(-places, places, shape)
    values = (10 * rng.normal(size=(*shape, *row))).astype(dtype)
    for given in (values, np.broadcast_to(values[:1], values.shape)):
        out = rng.normal(size=(places, *row)).astype(dtype)
        expected = out.copy()
        np.add.at(expected, numbers, given)
        add_at(out, numbers, given)
        np.testing.assert_array_equal(out, expected)
    add_at(out, numbers[:0], values[:0])
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(IndexError):
        add_at(out, numbers + places, values)


@pytest.mark.parametrize("shape", [(200, 5), (40, 3, 32), (5, 200), (600, 2)])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extrema_of_short_rows(name, shape):
    x = np.random.default_rng(0).normal(size=shape)
    x[3, 1], x[1, ..., 0], x[2] = np.nan, np.inf, -np.inf
    f, reference = getattr(fg.numpy, name), getattr(np, name)
    for keepdims in (False, True):
        for call in (f, fg.jit(f, static_argnames=("axis", "keepdims"))):
            np.testing.assert_array_equal(call(x, axis=-1, keepdims=keepdims), reference(x, axis=-1, keepdims=keepdims))
    tiled = fg.jit(lambda x: fg.numpy.exp(x - f(x, axis=-1, keepdims=True)), backend="numpy")
    x = np.nan_to_num(np.resize(x, (20 * shape[0], *shape[1:])), posinf=3, neginf=-3)
    np.testing.assert_allclose(tiled(x), np.exp(x - reference(x, axis=-1, keepdims=True)), rtol=1e-15)

"""x.at[i]: values as ndarray's own assignment and ufunc.at, gradients by differences, JAX's modes."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ImmutableArrayError, NoValueError, ShapeError
from funcgrad.testing import check_grads

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
MASK = X > 4
# An index, and values that broadcast to the part.
PLACES = [
    (0, np.array([0.5, 1.5, 2.5])),
    ((1, -1), np.float64(2.5)),
    ((..., slice(None, None, 2)), np.array([[0.5], [7.5]])),
    (MASK, np.array([0.5, 7.0])),
    ((slice(None), np.array([2, 0])), np.array([0.5, 8.0])),
    (np.array([1, 1, 0]), np.array([0.5, 2.5, 1.5])),
    ((np.array([0, 1, 0, 0]), np.array([2, 1, 2, 2])), np.array([0.5, 2.5, 1.5, 3.5])),
    ((np.array([[0], [0]]), np.array([1, 1])), np.array([1.5, 0.5])),
    (np.array([], int), np.float64(1.5)),
]
UFUNCS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "mul": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "min": np.minimum,
    "max": np.maximum,
}


def shaped(index, values):
    """Rows that are picked by one index array have three entries."""
    if isinstance(index, np.ndarray) and index.dtype == int and values.ndim:
        return values[:, None] * np.array([1.0, 1.1, 0.9])
    return values


@pytest.mark.parametrize("index, values", PLACES, ids=lambda p: str(p).replace("\n", ""))
class TestEveryPlace:
    @pytest.mark.parametrize("method", UFUNCS)
    def test_arithmetic(self, method, index, values):
        values = shaped(index, values)
        expected = X.copy()
        UFUNCS[method].at(expected, index, values)
        update = lambda x, v: getattr(fnp.asarray(x).at[index], method)(v)
        np.testing.assert_allclose(update(X, values), expected, rtol=1e-14)
        np.testing.assert_allclose(fg.make_tape(update)(X, values)(X, values), expected, rtol=1e-14)
        check_grads(update, (X, values), order=2)

    def test_set(self, index, values):
        values = shaped(index, values)
        expected = X.copy()
        expected[index] = values
        update = lambda x, v: fnp.asarray(x).at[index].set(v)
        np.testing.assert_array_equal(update(X, values), expected)
        check_grads(lambda x, v: update(x, v) ** 2, (X, values), order=2)

    def test_apply(self, index, values):
        expected = X.copy()
        for i in np.arange(X.size).reshape(X.shape)[index].ravel():
            expected.flat[i] = np.sqrt(expected.flat[i])
        update = lambda x: fnp.asarray(x).at[index].apply(np.sqrt)
        np.testing.assert_array_equal(update(X), expected)
        check_grads(update, (X,), order=2)


def test_get():
    assert fnp.asarray(X).at[1, 2].get() == 6.0
    with pytest.raises(IndexError):
        fnp.asarray(X).at[5].get()


class TestModes:
    """Numbers recorded from jax 0.10; without a mode funcgrad raises, as NumPy does."""

    x = fnp.array([1.0, 2.0, 3.0, 4.0])
    i = np.array([-9, -1, 7, 0])

    @pytest.mark.parametrize(
        "mode, written, read, added",
        [
            ("clip", [40, 2, 3, 30], [1, 4, 4, 1], [3, 2, 3, 6]),
            ("drop", [40, 2, 3, 20], [np.nan, 4, np.nan, 1], [2, 2, 3, 5]),
            ("fill", [40, 2, 3, 20], [np.nan, 4, np.nan, 1], [2, 2, 3, 5]),
        ],
    )
    def test_one_axis(self, mode, written, read, added):
        at = self.x.at[self.i]
        np.testing.assert_array_equal(at.set(np.array([10.0, 20.0, 30.0, 40.0]), mode=mode), written)
        np.testing.assert_array_equal(at.get(mode=mode), read)
        np.testing.assert_array_equal(at.add(1.0, mode=mode), added)
        f = lambda x, v: fnp.asarray(x).at[self.i].multiply(v, mode=mode)
        check_grads(f, (self.x, np.array([2.0, 3.0, 4.0, 5.0])), order=2)

    @pytest.mark.parametrize(
        "index, dropped, clipped, read",
        [
            ((9, slice(None)), [[1, 2], [3, 4]], [[1, 2], [0, 0]], [-1, -1]),
            ((slice(None), [0, 7]), [[0, 2], [0, 4]], [[0, 0], [0, 0]], [[1, -1], [3, -1]]),
            (([0, 9], [0, 0]), [[0, 2], [3, 4]], [[0, 2], [0, 4]], [1, -1]),
            ((..., -3), [[1, 2], [3, 4]], [[0, 2], [0, 4]], [-1, -1]),
            ((None, 9), [[1, 2], [3, 4]], [[1, 2], [0, 0]], [[-1, -1]]),
            ((np.array([True, False]), 5), [[1, 2], [3, 4]], [[1, 0], [3, 4]], [-1]),
        ],
        ids=str,
    )
    def test_several_axes(self, index, dropped, clipped, read):
        at = fnp.array([[1, 2], [3, 4]]).at[index]
        np.testing.assert_array_equal(at.set(0, mode="drop"), dropped)
        np.testing.assert_array_equal(at.set(0, mode="clip"), clipped)
        np.testing.assert_array_equal(at.get(mode="fill", fill_value=-1), read)

    def test_fill_values(self):
        assert fnp.arange(3).at[5].get(mode="fill") == np.iinfo(int).min
        assert fnp.arange(3, dtype=np.uint8).at[5].get(mode="fill") == 255
        assert bool(fnp.array([False]).at[5].get(mode="fill")) is True
        assert self.x.at[5].get(mode="fill", fill_value=2.5) == 2.5

    def test_default_raises(self):
        with pytest.raises(IndexError):
            self.x.at[9].set(1.0)
        with pytest.raises(ValueError, match="mode"):
            self.x.at[0].set(1.0, mode="wrap")

    @pytest.mark.parametrize("run", [lambda f: f, fg.jit], ids=["eager", "jit"])
    @pytest.mark.parametrize("mode", ["clip", "drop", "fill", "promise_in_bounds"])
    @pytest.mark.parametrize("wrap", [True, False])
    def test_negative_indices_may_count_as_out_of_bounds(self, run, mode, wrap):
        x = np.array([1.0, 2.0, 3.0, 4.0])
        i = np.array([-2, 1, 4, -5], np.int8)
        reached = np.where(i < 0, i + 4, i) if wrap else i
        inside = (reached >= 0) & (reached < 4)
        clipped = np.clip(reached, 0, 3)
        got = run(lambda x, i: fnp.asarray(x).at[i].get(mode=mode, fill_value=9.0, wrap_negative_indices=wrap))(x, i)
        reads = x[clipped] if mode in ("clip", "promise_in_bounds") else np.where(inside, x[clipped], 9.0)
        np.testing.assert_array_equal(got, reads)
        for method, ufunc in (("add", np.add), ("multiply", np.multiply), ("min", np.minimum), ("power", np.power)):
            expected, keep = x.copy(), np.ones(4, bool) if mode == "clip" else inside
            ufunc.at(expected, clipped[keep], np.array([2.0, 3.0, 0.5, 7.0])[keep])
            update = lambda x, i, method=method: getattr(fnp.asarray(x).at[i], method)(
                [2.0, 3.0, 0.5, 7.0], mode=mode, wrap_negative_indices=wrap
            )
            np.testing.assert_allclose(run(update)(x, i), expected, err_msg=method)

    def test_negative_index_that_must_not_wrap_raises_by_default(self):
        for run in (lambda f: f, fg.jit):
            with pytest.raises(IndexError, match="out of bounds"):
                run(lambda x, i: fnp.asarray(x).at[i].set(1.0, wrap_negative_indices=False))(np.ones(3), np.array(-1))

    def test_the_size_of_an_axis_may_exceed_the_dtype_of_the_indices(self):
        i = np.array([-1, 100], np.int8)
        out = fnp.zeros(300).at[i].set(1.0, mode="drop")
        np.testing.assert_array_equal(np.flatnonzero(out), [100, 299])


def one_example(f):
    """f by way of vmap, of one example."""
    return lambda *args: fg.tree.map(lambda y: y[0], fg.vmap(f)(*[x[None] for x in args]))


@pytest.mark.parametrize("run", [lambda f: f, fg.jit, one_example], ids=["eager", "jit", "vmap"])
@pytest.mark.parametrize("method, ufunc", [("multiply", np.multiply), ("divide", np.divide)])
def test_products_at_indices_that_repeat_need_no_values(run, method, ufunc):
    x, i, v = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 0, 0, 2, -1]), np.array([2.0, 3.0, 5.0, 0.7, 1.1, 1.3])
    expected = x.copy()
    ufunc.at(expected, i, v)
    update = lambda x, i, v: getattr(fnp.asarray(x).at[i], method)(v)
    np.testing.assert_allclose(run(update)(x, i, v), expected, rtol=1e-15)
    gradient = fg.grad(lambda x, i, v: (update(x, i, v) * np.array([1.0, 2.0, 3.0])).sum(), (0, 2))
    check_grads(lambda x, v: update(x, i, v), (x, v), order=2)
    for a, b in zip(run(gradient)(x, i, v), gradient(x, i, v), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


class TestDtypes:
    def test_values_are_cast(self):
        x = fnp.ones(2, dtype="float32")
        out, pullback = fg.vjp(lambda x, v: x.at[0].multiply(v), x, np.float64(2.0))
        assert out.dtype == np.float32
        assert [g.dtype.name for g in pullback(out)] == ["float32", "float64"]
        assert fnp.arange(3, dtype="uint8").at[1].subtract(1).tolist() == [0, 0, 2]
        assert fnp.array([True, True]).at[0].set(0).tolist() == [False, True]
        assert fnp.zeros(2, dtype=complex).at[0].set(1.5).dtype == complex

    @pytest.mark.parametrize("x, v", [(np.arange(3), 1.5), (np.ones(3), 1j), (np.arange(3), np.float32(1))])
    def test_nothing_is_lost_silently(self, x, v):
        with pytest.raises(ArgumentError, match=r"astype\('"):
            fnp.asarray(x).at[0].set(v)

    def test_integer_division_has_no_place(self):
        with pytest.raises(ArgumentError, match="float64"):
            fnp.arange(3).at[0].divide(2)


@pytest.mark.parametrize("method", ["set", "add", "min", "multiply"])
@pytest.mark.parametrize("index", [0, (0, 1), [0, 1, 1], (slice(None), [0, 1]), MASK], ids=str)
def test_values_that_do_not_fit(method, index):
    v = np.ones((5, 4))
    for run in (lambda f: f(fnp.asarray(X)), lambda f: fg.vjp(f, X), lambda f: fg.make_tape(f)(X)):
        with pytest.raises(ShapeError, match=r"values of shape \(5, 4\)"):
            run(lambda x: getattr(x.at[index], method)(v))


def test_assignment_leaves_out_leading_axes_of_length_one():
    for run in (lambda f: f(fnp.asarray(X)), lambda f: fg.make_tape(f)(X)(X)):
        np.testing.assert_array_equal(run(lambda x: x.at[0].set(np.zeros((1, 1, 3))))[0], 0.0)


class TestUnderMakeTape:
    """Indices and masks that have no values."""

    @pytest.mark.parametrize("method", ["set", "add", "min", "max"])
    @pytest.mark.parametrize("index", [1, [0, 1, 0]])
    def test_primitives(self, method, index):
        index = np.array(index)
        v = np.array([7.0, 0.5, 2.5]) if index.ndim == 0 else np.arange(9.0).reshape(3, 3) + 0.5
        f = lambda x, v, i: (getattr(x.at[i], method)(v) ** 2).sum()
        np.testing.assert_array_equal(fg.make_tape(f)(X, v, index)(X, v, index), f(fnp.asarray(X), v, index))
        gradients = fg.make_tape(fg.grad(f, (0, 1)))(X, v, index)(X, v, index)
        for a, b in zip(gradients, fg.grad(f, (0, 1))(X, v, index), strict=True):
            np.testing.assert_array_equal(a, b)

    @pytest.mark.parametrize("promise", [True, False])
    def test_apply(self, promise):
        f = lambda x, i: x.at[i].apply(lambda row: np.sqrt(row) + 1, unique_indices=promise)
        for i in (np.array([1, 0]), np.array(1), np.array([1, 1])):
            if i.size == 2 and i[0] == i[1] and promise:
                continue
            expected = f(fnp.asarray(X), i)
            np.testing.assert_array_equal(fg.make_tape(f)(X, i)(X, i), expected)
            np.testing.assert_array_equal(fg.vmap(f, (None, 0))(X, i[None])[0], expected)
        check_grads(lambda x: fg.jit(f)(x, np.array([1, 1, 0])), (X,), order=2)

    @pytest.mark.parametrize("method, v", [("set", 7.0), ("add", 7.0), ("power", 2.0), ("max", 5.5)])
    def test_mask(self, method, v):
        f = lambda x: getattr(x.at[x > 4], method)(v)
        np.testing.assert_array_equal(fg.make_tape(f)(X)(X), f(fnp.asarray(X)))
        rows = lambda x: getattr(x.at[x[:, 0] > 2], method)(v)
        np.testing.assert_array_equal(fg.make_tape(rows)(X)(X), rows(fnp.asarray(X)))

    def test_mask_takes_one_value(self):
        tape = fg.make_tape(lambda x: x.at[x > 4].apply(np.negative))(X)
        np.testing.assert_array_equal(tape(X), np.where(MASK, -X, X))
        with pytest.raises(NoValueError, match="takes one value"):
            fg.make_tape(lambda x: x.at[x > 4].set(np.ones(2)))(X)


@pytest.mark.parametrize(
    "axis, indices, values",
    [(1, [[2, 1], [0, 2]], [[7.0], [8.0]]), (0, [[1, 0, 1]], 9.0), (None, [5, 0], [7.0, 8.0])],
)
def test_put_along_axis(axis, indices, values):
    indices, expected = np.array(indices), X.copy()
    np.put_along_axis(expected, indices, np.array(values), axis)
    np.testing.assert_array_equal(fnp.put_along_axis(X, indices, values, axis, inplace=False), expected)
    with pytest.raises(ImmutableArrayError, match=r"y\.at"):
        np.put_along_axis(fnp.asarray(X), indices, values, axis)


def test_put_along_axis_checks_axes():
    with pytest.raises(ValueError, match="axes"):
        fnp.put_along_axis(X, [0], 0.0, 0, inplace=False)


def test_values_of_a_caller_may_change_later():
    v = np.array([2.0, 3.0])
    out, pullback = fg.vjp(lambda x: x.at[np.array([0, 1])].multiply(v), np.array([5.0, 7.0]))
    v[:] = 0
    np.testing.assert_array_equal(out, [10.0, 21.0])
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [2.0, 3.0])

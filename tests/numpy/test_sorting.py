"""Sorting, searching, interpolation: NumPy's values; gradients by differences and as recorded from JAX."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import UnsupportedError
from funcgrad.testing import check_grads

X = np.array([[3.0, -1.0, 2.0], [0.5, 9.0, -4.0]])
Z = X + 1j * X[::-1]


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("x", [X, Z, X.astype(int), X.astype("f")], ids=lambda x: x.dtype.name)
def test_sort(axis, x):
    for kind in (None, "stable", "heapsort"):
        ours = fnp.sort(x, axis, kind)
        assert ours.dtype == x.dtype
        np.testing.assert_array_equal(ours, np.sort(x, axis))
        np.testing.assert_array_equal(fnp.argsort(x, axis, kind), np.argsort(x, axis))
    if x.dtype.char in "dD":
        check_grads(lambda x: np.sort(x, axis) ** 2, (x,), order=2)


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_partition(axis):
    n = X.size if axis is None else X.shape[axis]
    for kth in (0, n - 1, (0, n - 1), fnp.array(1)):
        out = np.asarray(fnp.partition(X, kth, axis))
        ordered = np.sort(X, axis)
        np.testing.assert_array_equal(np.sort(out, 0 if axis is None else axis), ordered)
        at = np.atleast_1d(np.asarray(kth))
        np.testing.assert_array_equal(np.take(out, at, axis or 0), np.take(ordered, at, axis or 0))
        places = fnp.argpartition(X, kth, axis)
        np.testing.assert_array_equal(fnp.take_along_axis(X, places, axis), out)
    check_grads(lambda x: np.partition(x, 1, axis) ** 2, (X,), order=2)
    with pytest.raises(ValueError):
        fnp.partition(X, 99)


def test_options():
    with pytest.raises(UnsupportedError, match="order"):
        fnp.sort(X, order="name")
    with pytest.raises(ValueError, match="kind"):
        fnp.argsort(X, kind="bogosort")
    with pytest.raises(ValueError, match="both"):
        fnp.argsort(X, kind="stable", stable=True)
    with pytest.raises(np.exceptions.AxisError):
        fnp.sort(X, 2)
    with pytest.raises(np.exceptions.AxisError):
        fnp.sort(1.0)
    ties = np.array([1, 0] * 20)
    np.testing.assert_array_equal(fnp.argsort(ties, stable=True), np.argsort(ties, kind="stable"))


@pytest.mark.parametrize("code", "bhilfdFD")
def test_sort_complex(code):
    ours, theirs = fnp.sort_complex(X[0].astype(code)), np.sort_complex(X[0].astype(code))
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)


def test_lexsort():
    names, ages = np.array([2, 1, 2, 1]), np.array([0.5, 2.5, 0.1, 1.5])
    for keys in ((ages, names), np.stack([ages, names]), [ages, names]):
        np.testing.assert_array_equal(fnp.lexsort(keys), np.lexsort((ages, names)))
    np.testing.assert_array_equal(fnp.lexsort((X, X > 0), axis=0), np.lexsort((X, X > 0), axis=0))
    with pytest.raises(ValueError, match="same shape"):
        fnp.lexsort((ages, names[:2]))
    with pytest.raises(TypeError):
        fnp.lexsort(())


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    a, v = np.array([1.0, 2.0, 2.0, 5.0]), np.array([[0.0, 2.0], [5.0, 9.0]])
    np.testing.assert_array_equal(fnp.searchsorted(a, v, side), np.searchsorted(a, v, side))
    order = np.array([3, 1, 0, 2])
    back = np.argsort(order)
    np.testing.assert_array_equal(fnp.searchsorted(a[order], v, side, back), np.searchsorted(a, v, side))
    gradient = fg.grad(lambda v: (v * np.searchsorted(a, v, side)).sum())(v)
    np.testing.assert_array_equal(gradient, np.searchsorted(a, v, side))
    with pytest.raises(ValueError, match="side"):
        fnp.searchsorted(a, v, "middle")


def test_unsigned_bins_may_fall():
    x, bins = np.array([1, 2, 5], np.uint8), np.array([6, 3, 1], np.uint8)
    for f in (fnp.digitize, fg.jit(fnp.digitize)):
        np.testing.assert_array_equal(f(x, bins), [2, 2, 1])


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right):
    bins, x = np.array([0.0, 1.0, 2.5]), np.array([[-1.0, 0.0], [1.0, 2.0], [2.5, 9.0]])
    for b in (bins, bins[::-1], bins[:1], np.ones(2)):
        np.testing.assert_array_equal(fnp.digitize(x, b, right), np.digitize(x, b, right))
    tape = fg.make_tape(lambda x: fnp.digitize(x, bins, right))(x)
    np.testing.assert_array_equal(tape(x), np.digitize(x, bins, right))
    with pytest.raises(ValueError, match="monoton"):
        fnp.digitize(x, [0, 2, 1])


class TestInterp:
    xp = np.array([0.0, 1.0, 3.0])
    fp = np.array([0.0, 10.0, 20.0])
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0])

    @pytest.mark.parametrize(
        "options", [{}, {"left": -7.0}, {"right": 8.0, "left": 1}, {"period": 4.0}, {"period": -3.5}], ids=str
    )
    @pytest.mark.parametrize("fp", [fp, fp - 1j * fp**2])
    def test_values(self, options, fp):
        expected = np.interp(self.x, self.xp, fp, **options)
        for x in (self.x, self.x.astype("f")):
            ours = fnp.interp(x, self.xp, fp, **options)
            assert ours.dtype == expected.dtype
            np.testing.assert_array_equal(ours, expected)
            traced = fg.vjp(lambda x: np.interp(x, self.xp, fp, **options), x)[0]
            assert traced.dtype == expected.dtype
            np.testing.assert_allclose(traced, expected, rtol=1e-14)
        tape = fg.make_tape(lambda x: fnp.interp(x, self.xp, fp, **options))(self.x)
        np.testing.assert_allclose(tape(self.x), expected)
        inside = np.array([-0.3, 0.2, 1.7, 3.3])
        check_grads(lambda x, xp, fp: np.interp(x, xp, fp, **options), (inside, self.xp + 0.05, fp), order=2)

    @pytest.mark.parametrize(
        "x, slope, xp, fp",
        [  # jax.grad(jnp.interp, (0, 1, 2)), recorded from jax 0.10
            (-1.0, 0.0, [0, 0, 0], [1, 0, 0]),
            (0.0, 10.0, [-10, 0, 0], [1, 0, 0]),
            (0.5, 10.0, [-5, -5, 0], [0.5, 0.5, 0]),
            (1.0, 5.0, [0, -5, 0], [0, 1, 0]),
            (2.0, 5.0, [0, -2.5, -2.5], [0, 0.5, 0.5]),
            (3.0, 5.0, [0, 0, -5], [0, 0, 1]),
            (4.0, 0.0, [0, 0, 0], [0, 0, 1]),
        ],
    )
    def test_derivatives_at_the_points_are_those_of_jax(self, x, slope, xp, fp):
        got = fg.grad(fnp.interp, (0, 1, 2))(x, self.xp, self.fp)
        for g, e in zip(got, (slope, xp, fp), strict=True):
            np.testing.assert_allclose(g, e)

    def test_left_and_right_are_differentiable(self):
        got = fg.grad(fnp.interp, (3, 4))(-1.0, self.xp, self.fp, 7.0, 8.0)
        np.testing.assert_array_equal(got, [1.0, 0.0])

    def test_one_point_and_repeated_points(self):
        for xp, fp in (([1.0], [5.0]), ([1.0, 1.0], [5.0, 6.0]), ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.0])):
            x = np.array([0.5, 1.0, 1.5])
            traced, pullback = fg.vjp(lambda x: fnp.interp(x, np.array(xp), np.array(fp)), x)
            np.testing.assert_array_equal(traced, np.interp(x, xp, fp))
            assert np.isfinite(pullback(np.ones(3))[0]).all()

    def test_bad_arguments(self):
        with pytest.raises(ValueError):
            fnp.interp(self.x, self.xp, self.fp[:2])
        with pytest.raises(ValueError, match="one length"):
            fg.grad(lambda x: fnp.interp(x, self.xp, self.fp[:2]))(1.0)
        with pytest.raises(ValueError, match="period"):
            fg.grad(lambda x: fnp.interp(x, self.xp, self.fp, period=0.0))(1.0)


@pytest.mark.parametrize("x", [np.array([3, 1, 2, 1, 3]), np.array([[0.5, np.nan, -1.0], [2.0, 2.0, 7.0]])], ids=str)
@pytest.mark.parametrize("axis", [-1, 0, None])
def test_descending(x, axis):
    expected = np.flip(np.sort(x, axis), -1 if axis is None else axis)
    for run in (lambda f: f(x), lambda f: fg.jit(f)(x)):
        np.testing.assert_array_equal(run(lambda x: fnp.sort(x, axis, descending=True)), expected)
        order = run(lambda x: fnp.argsort(x, axis, descending=True))
        flat = x.ravel() if axis is None else x
        picked = np.take_along_axis(flat, np.asarray(order), 0 if axis is None else axis)
        np.testing.assert_array_equal(picked, expected)


def test_descending_keeps_the_order_of_equals():
    assert fnp.argsort(fnp.array([1, 3, 1, 3]), descending=True).tolist() == [1, 3, 0, 2]
    assert fg.grad(lambda x: fnp.sort(x, descending=True)[0])(np.array([1.0, 5.0, 2.0])).tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("bins", [[0.0, 1.0, 2.5], [2.5, 1.0, 0.0], [1.0, 1.0], [3.0], []], ids=str)
@pytest.mark.parametrize("right", [False, True])
def test_digitize_without_values(bins, right):
    x, bins = np.array([-1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 9.0]), np.array(bins)
    expected = np.digitize(x, bins, right)
    np.testing.assert_array_equal(fnp.digitize(x, bins, right, method="sort"), expected)
    np.testing.assert_array_equal(fg.jit(lambda x, b: fnp.digitize(x, b, right))(x, bins), expected)
    with pytest.raises(ValueError, match="vector"):
        fnp.digitize(x, 1.0)


@pytest.mark.parametrize("left, right", [("extrapolate", None), (None, "extrapolate"), ("extrapolate", "extrapolate")])
def test_interp_goes_on_with_the_slopes_at_the_ends(left, right):
    x, xp, fp = np.array([-1.0, 0.5, 2.5, 4.0]), np.array([0.0, 1.0, 3.0]), np.array([10.0, 20.0, 26.0])
    expected = np.interp(x, xp, fp)
    expected[0] = 0.0 if left else expected[0]
    expected[-1] = 29.0 if right else expected[-1]
    f = lambda x, xp, fp: fnp.interp(x, xp, fp, left, right)
    for run in (f, fg.jit(f)):
        np.testing.assert_allclose(run(x, xp, fp), expected)
    check_grads(f, (x, xp, fp), order=2)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"left": "interpolate"}, "left must be a number or 'extrapolate'"),
        ({"right": "nothing"}, "right must be"),
        ({"period": np.array([1.0])}, "period must be a number"),
    ],
)
def test_options_of_interp(options, text):
    with pytest.raises(ValueError, match=text):
        fnp.interp(0.5, [0.0, 1.0], [2.0, 3.0], **options)

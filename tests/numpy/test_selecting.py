"""where, select, choose and piecewise."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

X = np.array([[-2.0, -0.5, 0.5], [1.0, 2.0, 3.0]])


class TestWhere:
    def test_values_and_dtypes(self):
        for x, y in ((X, 1), (X.astype("f"), 2.5), (1, X[0]), (True, X), (1, 2), (X[:, :1], X[0] + 1j)):
            ours, theirs = fnp.where(X > 0, x, y), np.where(X > 0, x, y)
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)

    def test_gradients(self):
        f = lambda x, y: np.where(X > 0, x**2, y)
        check_grads(f, (X, X[0]), order=2)
        gx, gy = fg.grad(lambda x, y: f(x, y).sum(), (0, 1))(X, X[0])
        np.testing.assert_array_equal(gx, np.where(X > 0, 2 * X, 0))
        np.testing.assert_array_equal(gy, [1.0, 1.0, 0.0])

    def test_branch_not_taken_is_harmless_with_a_second_where(self):
        safe = lambda x: fnp.where(x > 0, fnp.log(fnp.where(x > 0, x, 1.0)), 0.0).sum()
        np.testing.assert_array_equal(fg.grad(safe)(np.array([0.0, 2.0])), [0.0, 0.5])

    def test_one_argument(self):
        np.testing.assert_array_equal(fnp.where(X > 0), np.where(X > 0))
        with pytest.raises(ValueError, match="both or neither"):
            fnp.where(X > 0, X)

    def test_traced_condition_is_a_constant(self):
        g = fg.grad(lambda x: fnp.where(x, 2 * x, 5.0).sum())(np.array([0.0, 3.0]))
        np.testing.assert_array_equal(g, [0.0, 2.0])


def test_select():
    conditions = [X < 0, X < 1, X < 2.5]
    for choices, default in (([X, X**2, 1], 7), ([X.astype("f"), 0.5, 2], 0), ([1, 2, 3], 4)):
        ours, theirs = fnp.select(conditions, choices, default), np.select(conditions, choices, default)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    check_grads(lambda x, y: np.select(conditions, [x, x**2, y], x * y), (X, X[0]), order=2)
    with pytest.raises(ValueError, match="3 and 1"):
        fnp.select(conditions, [X])
    with pytest.raises(ValueError):
        fnp.select([], [])
    with pytest.raises(TypeError, match="condition 0"):
        fnp.select([X], [X])


def test_choose():
    numbers = np.array([0, 2, 1])
    choices = [X, X[0], np.float64(5.0)]
    np.testing.assert_array_equal(fnp.choose(numbers, choices), np.choose(numbers, choices))
    np.testing.assert_array_equal(fnp.choose([1, 0, 1], X), np.choose([1, 0, 1], X))
    for mode in ("wrap", "clip"):
        far = [-1, 4, 1]
        np.testing.assert_array_equal(fnp.choose(far, choices, mode=mode), np.choose(far, choices, mode=mode))
    check_grads(lambda x, y: np.choose(numbers, [x, y, x * y]) ** 2, (X, X[0]), order=2)
    for bad in (3, -1):
        with pytest.raises(ValueError, match="invalid entry"):
            fnp.choose(bad, choices)
    tape = fg.make_tape(lambda i, x: fnp.choose(i, [x, -x], mode="clip"))(1, X)
    np.testing.assert_array_equal(tape(np.array(1), X), -X)


class TestPiecewise:
    @pytest.mark.parametrize(
        "x, conditions, pieces",
        [
            (X, [X < 0, X >= 0], [lambda v: -v, np.sqrt]),
            (X, [X < 0, X > 1], [lambda v: v**2, 5.0, np.exp]),
            (X, [X < 1, X < 0], [1.0, 2.0]),
            (X[0], X[0] < 0, [-1.0, np.sin]),
            (np.array(2.0), np.array(2.0) > 0, [np.sin]),
            (np.arange(4), [np.arange(4) > 1], [2.7, 0]),
        ],
    )
    def test_values(self, x, conditions, pieces):
        ours, theirs = fnp.piecewise(x, conditions, pieces), np.piecewise(x, conditions, pieces)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)

    def test_gradient_sees_just_its_own_elements(self):
        f = lambda x: np.piecewise(x, [x < 0, x >= 0], [lambda v, a: a * v, lambda v, a: v**1.5], 3.0).sum()
        expected = np.where(X < 0, 3.0, 1.5 * np.sqrt(np.abs(X)))
        np.testing.assert_allclose(fg.grad(f)(X), expected)

    def test_recorded(self):
        f = lambda x: fnp.piecewise(x, [x < 0], [lambda v: v**2, lambda v: 3 * v])
        np.testing.assert_array_equal(fg.make_tape(f)(X)(X), f(X))

    def test_lengths(self):
        with pytest.raises(ValueError, match="either 1 or 2"):
            fnp.piecewise(X, [X > 0], [1, 2, 3])

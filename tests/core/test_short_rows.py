"""Operations on short rows give what the ufunc gives, whichever operand is repeated first."""

import itertools

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core import short_rows
from funcgrad.ops import elementwise

RNG = np.random.default_rng(0)
SHAPES = [shape for n in range(4) for shape in itertools.product((1, 2, 3), repeat=n)]


def outcome(f, a, b):
    try:
        return f(a, b)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("p", [elementwise.subtract, elementwise.divide], ids=str)
def test_all_pairs_of_shapes(p, monkeypatch):
    monkeypatch.setattr(short_rows, "_LARGE", 2)
    repeated = 0
    for s, t in itertools.product(SHAPES, SHAPES):
        a, b = np.asarray(RNG.normal(size=s)), np.asarray(RNG.normal(size=t))
        found, expected = outcome(lambda a, b: short_rows.broadcast(p, a, b), a, b), outcome(p.impl, a, b)
        np.testing.assert_array_equal(found, expected)
        assert np.shape(found) == np.shape(expected)
        repeated += len(s) >= len(t) and short_rows._repeated(a, b) is not None
    assert repeated > 20


@pytest.mark.parametrize("dtypes", ["dd", "ff", "DD", "fd", "dD", "di", "??"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("p", [elementwise.add, elementwise.multiply, elementwise.power, elementwise.less], ids=str)
def test_large_operands_are_left_as_they_are(p, order, dtypes):
    x = np.asarray(np.abs(RNG.normal(size=(300, 1, 3))) + 1, dtypes[0], order=order)
    y = np.asarray(np.abs(RNG.normal(size=(40, 3))) + 1, dtypes[1], order=order)
    for a, b in ((x, y), (y, x), (x, y[None]), (x[..., ::-1], y)):
        before = a.copy(), b.copy()
        found, expected = short_rows.broadcast(p, a, b), p.impl(a, b)
        np.testing.assert_array_equal(found, expected)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(a, before[0])
        np.testing.assert_array_equal(b, before[1])


def test_gradient_of_distances_between_pairs():
    x, y = RNG.normal(size=(200, 3)), RNG.normal(size=(50, 3))
    value, (gx, gy) = fg.value_and_grad(lambda x, y: fnp.sum((x[:, None, :] - y) ** 2), argnums=(0, 1))(x, y)
    difference = x[:, None, :] - y
    np.testing.assert_allclose(value, np.sum(difference**2), 1e-13)
    np.testing.assert_allclose(gx, 2 * difference.sum(1), 1e-12)
    np.testing.assert_allclose(gy, -2 * difference.sum(0), 1e-12)
    np.testing.assert_array_equal(fg.Array(x)[:, None, :] - fg.Array(y), difference)


def test_it_warns_as_numpy_does():
    x, y = np.ones((300, 1, 3)), np.zeros((40, 3))
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        short_rows.broadcast(elementwise.divide, x, y)

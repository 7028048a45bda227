import operator

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError, ShapeError, TreeError
from funcgrad.testing import check_grads


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "shape, axis", [((n,), 0) for n in (0, 1, 2, 3, 4, 5, 10, 1000)] + [((2, 3), 1), ((7, 5), -2), ((5, 6, 7), 1)]
)
def test_cumulative_sums(shape, axis, reverse):
    x = np.arange(np.prod(shape)).reshape(shape) + 7
    expected = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    np.testing.assert_array_equal(lax.associative_scan(operator.add, x, reverse=reverse, axis=axis), expected)


def test_an_operation_that_does_not_commute():
    """Products of matrices, each combined with what is on its left."""
    ms = np.random.default_rng(0).normal(size=(9, 2, 2))
    products = [ms[0]]
    for m in ms[1:]:
        products.append(products[-1] @ m)
    np.testing.assert_allclose(lax.associative_scan(fnp.matmul, ms), products, rtol=1e-10)
    backwards = [ms[-1]]
    for m in ms[-2::-1]:
        backwards.append(backwards[-1] @ m)
    np.testing.assert_allclose(lax.associative_scan(fnp.matmul, ms, reverse=True), backwards[::-1], rtol=1e-10)


def test_containers():
    elems = {"a": np.array([1.0, 2.0, 3.0]), "b": (np.array([[1.0], [0.5], [2.0]]),)}

    def combine(x, y):
        return {"a": x["a"] * y["a"], "b": (x["b"][0] + y["b"][0],)}

    out = lax.associative_scan(combine, elems)
    np.testing.assert_array_equal(out["a"], [1.0, 2.0, 6.0])
    np.testing.assert_array_equal(out["b"][0], [[1.0], [1.5], [3.5]])
    assert lax.associative_scan(combine, ()) == ()


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_derivatives(n):
    x = np.linspace(0.5, 1.5, n)
    check_grads(lambda x: fnp.sum(lax.associative_scan(fnp.multiply, x) ** 2), (x,), order=2)
    gradient = fg.grad(lambda x: fnp.sum(lax.associative_scan(fnp.multiply, x) ** 2))
    np.testing.assert_allclose(gradient(x), fg.grad(lambda x: fnp.sum(fnp.cumprod(x) ** 2))(x), rtol=1e-12)


def test_the_number_of_calls_is_logarithmic():
    calls = []

    def counted(x, y):
        calls.append(len(x))
        return x + y

    lax.associative_scan(counted, np.ones(1000))
    assert len(calls) <= 2 * 10


def test_errors():
    with pytest.raises(ShapeError, match=r"must have the same first dimension. \(saw: \[\(5,\), \(4,\)\]"):
        lax.associative_scan(operator.add, (np.ones(5), np.ones(4)))
    with pytest.raises(np.exceptions.AxisError):
        lax.associative_scan(operator.add, np.ones(5), axis=1)
    with pytest.raises(TreeError, match="fn takes pytrees of structure"):
        lax.associative_scan(lambda x, y: (x, y), np.ones(5))
    with pytest.raises(ArgumentError, match="fn argument should be callable"):
        lax.associative_scan(1, np.ones(5))

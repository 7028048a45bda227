"""Methods of ufuncs on Arrays and tracers give what they give on ndarrays, and differentiate."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ImmutableArrayError, LostTraceError
from funcgrad.testing import check_grads

A = np.array([[1.5, -2.0, 3.0], [0.25, 4.0, -1.0]])
UFUNCS = [np.add, np.multiply, np.maximum, np.minimum, np.logaddexp]


@pytest.mark.parametrize(
    "options",
    [{}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}, {"dtype": "f4"}, {"initial": 2.0},
     {"initial": 2.0, "where": A > 0}],
    ids=lambda o: ",".join(o),
)  # fmt: skip
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_reduce(ufunc, options):
    ours, theirs = ufunc.reduce(fnp.array(A), **options), ufunc.reduce(A, **options)
    assert isinstance(ours, fg.Array) and ours.dtype == theirs.dtype
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)
    if "dtype" not in options:
        check_grads(lambda x: ufunc.reduce(x, **options), (A,), order=2)


@pytest.mark.parametrize("ufunc", [np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or, np.gcd, np.subtract])
def test_reduce_of_integers(ufunc):
    x = np.array([[6, 4], [2, 0]])
    np.testing.assert_array_equal(ufunc.reduce(fnp.array(x), axis=1), ufunc.reduce(x, axis=1))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("ufunc", UFUNCS[:4], ids=lambda u: u.__name__)
def test_accumulate(ufunc, axis):
    np.testing.assert_array_equal(ufunc.accumulate(fnp.array(A), axis), ufunc.accumulate(A, axis))
    check_grads(lambda x: ufunc.accumulate(x, axis), (A,), order=2)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.maximum, np.hypot])
def test_outer(ufunc):
    np.testing.assert_allclose(np.asarray(ufunc.outer(fnp.array(A), A[0])), ufunc.outer(A, A[0]))
    check_grads(ufunc.outer, (fnp.array(A), fnp.array([0.5, 2.5])), order=2)
    assert ufunc.outer(A, fnp.array(2.0)).shape == A.shape


@pytest.mark.parametrize("indices", [[0, 2], [0, 3, 1, 3], [2, 2, 1], [3]])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum], ids=lambda u: u.__name__)
def test_reduceat(ufunc, indices):
    x = np.array([1.5, -2.0, 3.0, 0.5])
    np.testing.assert_allclose(np.asarray(ufunc.reduceat(fnp.array(x), indices)), ufunc.reduceat(x, indices))
    np.testing.assert_allclose(fg.vjp(lambda x: ufunc.reduceat(x, indices), x)[0], ufunc.reduceat(x, indices))
    check_grads(lambda x: ufunc.reduceat(x, indices), (x,), order=2)
    rows = np.stack([x, 2 * x])
    got = fg.vjp(lambda x: ufunc.reduceat(x, indices, axis=1), rows)[0]
    np.testing.assert_allclose(got, ufunc.reduceat(rows, indices, axis=1))


STEPWISE = [np.subtract, np.divide, np.hypot, np.logaddexp2, np.fmax]


@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": -1, "keepdims": True, "initial": 2.0, "where": A > 0}])
@pytest.mark.parametrize("ufunc", STEPWISE, ids=lambda u: u.__name__)
def test_reduce_step_by_step(ufunc, options):
    np.testing.assert_array_equal(ufunc.reduce(fnp.array(A), **options), ufunc.reduce(A, **options))
    value, shape = fg.vjp(lambda x: ufunc.reduce(x, **options), A)[0], ufunc.reduce(A, **options).shape
    np.testing.assert_allclose(value, ufunc.reduce(A, **options), rtol=1e-15)
    assert value.shape == shape
    check_grads(lambda x: ufunc.reduce(x, **options), (A,), order=2)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("ufunc", [*STEPWISE, np.logaddexp], ids=lambda u: u.__name__)
def test_accumulate_step_by_step(ufunc, axis):
    np.testing.assert_array_equal(ufunc.accumulate(fnp.array(A), axis), ufunc.accumulate(A, axis))
    np.testing.assert_allclose(fg.vjp(lambda x: ufunc.accumulate(x, axis), A)[0], ufunc.accumulate(A, axis))
    check_grads(lambda x: ufunc.accumulate(x, axis), (A,), order=2)


def test_step_by_step_several_axes_and_a_traced_beginning():
    check_grads(lambda x, y: np.hypot.reduce(x, axis=(0, 1), initial=y), (A, 2.0), order=2)
    with pytest.raises(ValueError, match="not reorderable"):
        fg.grad(lambda x: np.subtract.reduce(x, axis=None))(A)
    with pytest.raises(ValueError, match="no identity"):
        fg.grad(lambda x: np.subtract.reduce(x))(np.ones(0))


def test_at_writes_numbers_of_an_array_into_an_ndarray():
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2], fnp.array([1.0, 2.0, 4.0]))
    assert y.tolist() == [3.0, 0.0, 4.0]
    with pytest.raises(LostTraceError):
        fg.grad(lambda x: np.add.at(y, [0], x))(1.0)
    with pytest.raises(ImmutableArrayError):
        np.add.at(fnp.zeros(3), [0], 1.0)


def test_reduceat_checks_its_indices():
    with pytest.raises(IndexError, match="out-of-bounds"):
        fg.grad(lambda x: np.add.reduceat(x, [0, 4]).sum())(np.ones(4))

"""Reductions that pass over NaN, against NumPy and finite differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

A = np.array([[1.5, np.nan, 3.0], [0.25, 4.0, np.nan], [2.0, 5.0, 1.0]])
NAMES = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_is_numpys(name, options):
    for x in (A, A.astype("f4"), A + 1j * A, np.arange(6).reshape(2, 3)):
        ours, theirs = getattr(fnp, name)(x, **options), getattr(np, name)(x, **options)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_derivative_is_that_of_the_numbers(name):
    numbers = ~np.isnan(A)
    got = fg.grad(getattr(fnp, name))(A)
    expected = fg.grad(getattr(fnp, name.removeprefix("nan")))(A[numbers])
    np.testing.assert_allclose(np.asarray(got)[numbers], expected)
    np.testing.assert_array_equal(np.asarray(got)[~numbers], 0)
    tangent = fg.jvp(getattr(fnp, name), (A,), (np.ones_like(A),))[1]
    np.testing.assert_allclose(tangent, np.sum(np.asarray(expected)), atol=1e-12)


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_cumulative(name, axis):
    np.testing.assert_array_equal(getattr(fnp, name)(A, axis), getattr(np, name)(A, axis))
    assert np.isfinite(np.asarray(fg.grad(lambda x: getattr(fnp, name)(x, axis).sum())(A))).all()


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_arg(name):
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(getattr(fnp, name)(A, axis), getattr(np, name)(A, axis))
    with pytest.raises(ValueError, match="All-NaN"):
        getattr(fnp, name)(np.full(2, np.nan))


@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
def test_no_number_at_all(name):
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        out = getattr(fnp, name)(np.array([[np.nan, np.nan], [1.0, np.nan]]), axis=1)
    np.testing.assert_array_equal(out, [np.nan, 1])
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        assert fg.grad(lambda x: getattr(fnp, name)(x))(np.full(2, np.nan)).tolist() == [0, 0]  # as jax

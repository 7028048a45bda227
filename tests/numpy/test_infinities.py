"""Reductions that pass over NaN, and quantiles, of rows with infinities, against NumPy's.

Where NumPy interpolates and meets inf - inf or 0 * inf it gives nan. Here a quantile that is an element is that
element, and one between a number and infinity is infinite.
"""

import itertools
import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

VALUES = (1.0, 2.0, np.inf, -np.inf, np.nan)
ROWS = [np.array(r) for n in (1, 2, 3) for r in itertools.product(VALUES, repeat=n)]
REDUCTIONS = [n for n in dir(np) if n.startswith("nan") and n not in ("nan", "nan_to_num")] + ["median"]
QUANTILES = ("nanquantile", "nanpercentile", "quantile", "percentile")
METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased"]
METHODS += ["normal_unbiased", "inverted_cdf", "averaged_inverted_cdf", "closest_observation"]
METHODS += ["interpolated_inverted_cdf"]
Q = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def evaluated(f, *args, **kwargs):
    """The result, or the class of the error, and whether a warning came that no row without a number explains."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out = np.asarray(f(*args, **kwargs))
        except ValueError as e:
            out = type(e)
    return out, {str(w.message) for w in caught}


@pytest.mark.parametrize("name", [n for n in REDUCTIONS if n not in QUANTILES])
def test_reductions(name):
    for row in ROWS:
        expected, told = evaluated(getattr(np, name), row)
        got, ours = evaluated(getattr(fnp, name), row)
        if isinstance(expected, type):
            assert got is expected, row
        else:
            np.testing.assert_array_equal(got, expected, err_msg=str(row))
            assert {w for w in ours if "slice" in w} == {w for w in told if "slice" in w}, row
            assert not ours or told, row


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", QUANTILES)
def test_quantiles(name, method):
    q = Q * 100 if "percentile" in name else Q
    for row in ROWS:
        numbers = np.sort(row[~np.isnan(row)])
        expected, _ = evaluated(getattr(np, name), row, q, method=method)
        got, told = evaluated(getattr(fnp, name), row, q, method=method)
        assert told == ({"All-NaN slice encountered"} if "nan" in name and not numbers.size else set()), row
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(got[number], expected[number], err_msg=str(row))
        if numbers.size == row.size or ("nan" in name and numbers.size):
            # what is a number for finite elements is one, or infinite, unless it lies between both infinities
            places = np.quantile(np.arange(len(numbers), dtype=float), Q, method=method)
            below, above = numbers[np.floor(places).astype(int)], numbers[np.ceil(places).astype(int)]
            open_ = np.isinf(below) & np.isinf(above) & (below != above)
            limit = np.where(np.isinf(below), below, above)
            infinite = (np.isinf(below) | np.isinf(above)) & ~open_
            np.testing.assert_array_equal(got[infinite], limit[infinite], err_msg=str(row))
            assert np.isnan(got[open_]).all()
        else:
            assert np.isnan(got).all()


@pytest.mark.slow
@pytest.mark.parametrize("transform", [fg.jit, lambda f: lambda x: fg.vmap(f)(x[None])[0]])
def test_compiled_and_vectorised(transform):
    for row in ROWS:
        for f in (fnp.nanmedian, lambda x: fnp.quantile(x, Q), lambda x: fnp.nanquantile(x, Q)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.testing.assert_array_equal(transform(f)(row), f(row), err_msg=str(row))


def test_derivatives():
    """The middle element has all of the derivative, whatever the others are."""
    np.testing.assert_array_equal(fg.grad(fnp.nanmedian)(np.array([np.inf, 1.0, 2.0])), [0, 0, 1])
    np.testing.assert_array_equal(fg.grad(fnp.median)(np.array([np.inf, 1.0, -np.inf])), [0, 1, 0])

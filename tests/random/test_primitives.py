"""What the samplers are made of: fused multiply-add, the inverse error function, the last accepted proposal."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from funcgrad.ops.erf_inv import erf_inv
from funcgrad.ops.multiply_add import multiply_add
from funcgrad.ops.random_bits import counters, threefry2x32
from funcgrad.ops.random_counts import Stream, _last_accepted, _stirling_rest
from funcgrad.ops.random_gamma import gamma_ratio
from funcgrad.ops.tiles import TILE


def rounded(exact, dtype):
    """The float that is nearest to a fraction; float(Fraction) is correctly rounded."""
    if dtype == np.float64:
        return float(exact)
    near = np.float32(float(exact))
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return min(around, key=lambda a: abs(Fraction(float(a)) - exact))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_multiply_add_rounds_once(dtype):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400)).astype(dtype)
    z = np.where(rng.random(400) < 0.5, rng.normal(size=400), -x * y).astype(dtype)  # half of them cancel
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z)]
    found = multiply_add(x, y, z)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, [rounded(e, dtype) for e in exact])
    assert (found != x * y + z).any()


def test_multiply_add_of_extreme_numbers():
    big = np.array([1e300, 1e300, np.inf, np.nan, 0.0, 1e-310])
    np.testing.assert_array_equal(multiply_add(big, 3.0, 1.0), [3e300, 3e300, np.inf, np.nan, 1.0, 1.0])
    np.testing.assert_array_equal(multiply_add(1e308 * np.ones(2), 1e308, -1.0), [np.inf, np.inf])


def test_multiply_add_in_half_precision_rounds_twice():
    x = np.float16([0.1, 0.3, 0.7])
    found = multiply_add(x, np.float16(1.7), np.float16(-0.3))
    np.testing.assert_array_equal(found, x * np.float16(1.7) + np.float16(-0.3))


@pytest.mark.parametrize("dtype, rtol", [(np.float64, 2e-15), (np.float32, 1e-6), (np.float16, 2e-3)])
def test_erf_inv(dtype, rtol):
    near = 1 - np.logspace(-8 if dtype == np.float64 else -3, 0, 200)
    x = np.concatenate([near, -near, [0.0, 1e-3]]).astype(dtype)
    found = erf_inv(x)
    assert found.dtype == dtype
    loss = np.finfo(dtype).eps / (1 - np.abs(x.astype(float)) + np.finfo(dtype).eps)  # digits that x² loses near 1
    error = np.abs(found - special.erfinv(x.astype(float)))
    assert (error <= (rtol + loss) * np.abs(found)).all()


def test_erf_inv_at_the_ends_and_beyond():
    for dtype in (np.float64, np.float32):
        x = np.array([1, -1, 0, -0.0, 1.5, np.nan], dtype)
        np.testing.assert_array_equal(erf_inv(x), [np.inf, -np.inf, 0, -0.0, np.nan, np.nan])
    assert np.signbit(erf_inv(np.float64(-0.0)))
    far = np.nextafter(1.0, 0)
    np.testing.assert_allclose(erf_inv(np.array([far, -far])), [5.8636, -5.8636], rtol=2e-2)


def test_erf_inv_in_tiles():
    x = np.linspace(-0.999, 0.999, 2 * TILE + 5)
    found = erf_inv(x)
    np.testing.assert_array_equal(found[::1000], [erf_inv(v) for v in x[::1000]])
    np.testing.assert_array_equal(erf_inv(x[::-2]), found[::-2])


@pytest.mark.parametrize("k", [0.0, 3.0, 9.0, 10.0, 40.0, 1000.0])
def test_what_stirlings_formula_lacks(k):
    stirling = (k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(_stirling_rest(np.array([k])), math.lgamma(k + 1) - stirling, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("keys", [(), (4,), (2, 3)])
def test_the_last_accepted_proposal(keys):
    """A plain loop per key: propose for all, until each was accepted once; later acceptances overwrite."""
    key = threefry2x32(np.uint64(5), counters(keys))
    shape = (*keys, 30)

    def make(stream):
        def propose(first, second, i):
            u = stream.uniform(first, i, np.dtype(float))
            v = stream.uniform(second, i, np.dtype(float))
            return u, v < 0.4

        return propose

    stream = Stream(key, shape)
    found = _last_accepted(stream, make(stream)).reshape(-1, 30)
    for one, row in zip(np.ravel(key), found):
        stream = Stream(one, (30,))
        propose, everyone = make(stream), np.arange(30)
        out, seen = np.zeros(30), np.zeros(30, bool)
        while not seen.all():
            pair = stream.split(1), stream.split(2)
            stream.keys = stream.split(0)
            value, accepted = propose(*pair, everyone)
            out = np.where(accepted, value, out)
            seen |= accepted
        np.testing.assert_array_equal(row, out)


def test_the_slope_of_a_quantile_is_not_a_number_without_a_distribution():
    assert np.isnan(gamma_ratio(np.zeros(2), np.array([-1.0, np.nan]), order=1)).all()

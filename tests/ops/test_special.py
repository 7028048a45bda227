"""sinc, Bessel functions, nan_to_num and unwrap: against SciPy's numbers, series and NumPy."""

import math

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.ops import special


def taylor_of_sinc(x, order):
    """Derivatives of sin(πx) / (πx) from its power series in exact-enough arithmetic, for |x| below 1."""
    u, total = math.pi * x, 0.0
    for m in range(order % 2, 60, 2):
        sign = -1 if (m + order) // 2 % 2 else 1
        total += sign * u**m / (math.factorial(m) * (m + order + 1))
    return math.pi**order * total


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("x", [0.0, 1e-9, -0.3, 0.7, 1.0, -1.3])
def test_derivatives_of_sinc(x, order):
    got = special.sinc(np.float64(x), order=order)
    np.testing.assert_allclose(got, taylor_of_sinc(x, order), rtol=1e-10, atol=1e-12 * math.pi**order)


def test_derivatives_of_sinc_far_out():
    x = np.linspace(3, 30, 7)
    u = np.pi * x
    np.testing.assert_allclose(special.sinc(x, order=1), np.pi * (np.cos(u) / u - np.sin(u) / u**2), atol=1e-14)
    second = -np.sin(u) / u - 2 * np.cos(u) / u**2 + 2 * np.sin(u) / u**3
    np.testing.assert_allclose(special.sinc(x, order=2), np.pi**2 * second, atol=1e-13)


def test_fourth_derivative_of_sinc_at_zero_through_grad():
    f = fnp.sinc
    for _ in range(4):
        f = fg.grad(f)
    np.testing.assert_allclose(float(f(0.0)), math.pi**4 / 5, rtol=1e-14)


def test_sinc_of_complex_numbers_is_holomorphic():
    fg.testing.check_grads(fnp.sinc, (np.array([0.2 + 0.1j, 1.5 - 0.4j, -0.01j]),), order=2)


# scipy.special.iv(n, x)
BESSEL = {
    (1, 1e-8): 5e-09,
    (1, 1.0): 0.5651591039924851,
    (1, -1.0): -0.5651591039924851,
    (2, 1.0): 0.13574766976703828,
    (3, 10.0): 1758.3807166108531,
    (1, 50.0): 2.903078590103557e20,
    (1, 700.0): 1.5285003902339025e302,
}


@pytest.mark.parametrize("order, x", BESSEL)
def test_bessel_functions(order, x):
    np.testing.assert_allclose(special.bessel_i(np.float64(x), order=order), BESSEL[order, x], rtol=2e-14)


def test_derivatives_of_i0_at_zero():
    f, found = fnp.i0, []
    for _ in range(5):
        found.append(float(f(0.0)))
        f = fg.grad(f)
    np.testing.assert_allclose(found, [1, 0, 1 / 2, 0, 3 / 8], atol=1e-15)


def test_nan_to_num_passes_gradients_through_finite_numbers_only():
    x = np.array([1.0, np.nan, np.inf, -np.inf, -2.0])
    out, pullback = fg.vjp(lambda x: fnp.nan_to_num(x, nan=5.0, posinf=6.0), x)
    np.testing.assert_array_equal(out, np.nan_to_num(x, nan=5.0, posinf=6.0))
    np.testing.assert_array_equal(pullback(np.ones(5))[0], [1, 0, 0, 0, 1])
    z = np.array([1 + 2j, complex(np.nan, 3), complex(4, np.inf)])
    out, pullback = fg.vjp(lambda z: fnp.nan_to_num(z, posinf=9.0), z)
    np.testing.assert_array_equal(out, np.nan_to_num(z, posinf=9.0))
    np.testing.assert_array_equal(pullback(np.full(3, 1 + 1j))[0], [1 + 1j, 1j, 1])


def test_unwrap():
    x = np.array([[0.0, 3.0, 6.5, 9.0], [1.0, -3.0, 2.0, -2.5]])
    for options in ({}, {"axis": 0}, {"period": 4.0}, {"discont": 5.0}):
        out, pullback = fg.vjp(lambda x, o=options: fnp.unwrap(x, **o), x)
        np.testing.assert_array_equal(out, np.unwrap(x, **options))
        np.testing.assert_array_equal(pullback(2 * x)[0], 2 * x)

"""Derivatives of the incomplete beta function by its parameters, against numbers of mpmath and against differences."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.ops.beta import beta_density, betainc, betainc_order

pytest.importorskip("scipy")

# mpmath.diff of the regularised betainc at 40 digits: a, b, x, orders by a and b, derivative.
RECORDED = [
    (0.7, 1.3, 0.4, 1, 0, -0.459011258017219),
    (0.7, 1.3, 0.4, 0, 1, 0.24889937590164887),
    (0.7, 1.3, 0.4, 1, 1, 0.1049819021209383),
    (2.5, 0.5, 0.99, 1, 0, -0.0365365216955085),
    (2.5, 0.5, 0.99, 0, 1, 0.629313757817247),
    (2.5, 0.5, 0.99, 1, 1, 0.07016062254024748),
    (40.0, 60.0, 0.41, 1, 0, -0.04750126636383834),
    (40.0, 60.0, 0.41, 0, 1, 0.03228590089926871),
    (40.0, 60.0, 0.41, 1, 1, 0.0008789999105704138),
    (1000.0, 900.0, 0.52, 1, 0, -0.0075059383327777465),
    (1000.0, 900.0, 0.52, 0, 1, 0.008235173971077895),
    (1000.0, 900.0, 0.52, 1, 1, -9.964138293080531e-05),
    (0.01, 3.0, 0.0001, 1, 0, -7.149380174388543),
    (0.01, 3.0, 0.0001, 0, 1, 0.003648010344386669),
    (0.01, 3.0, 0.0001, 1, 1, 0.3359189434702108),
    (3.0, 0.01, 0.9999, 1, 0, -0.003648010344386665),
    (3.0, 0.01, 0.9999, 0, 1, 7.149380174388637),
    (3.0, 0.01, 0.9999, 1, 1, -0.33591894347021),
    (200.0, 0.3, 0.9995, 1, 0, -0.0007590510406477149),
    (200.0, 0.3, 0.9995, 0, 1, 1.196554130740987),
    (200.0, 0.3, 0.9995, 1, 1, -0.0009081565700010924),
    (0.05, 0.04, 0.6, 1, 0, -4.884963907853907),
    (0.05, 0.04, 0.6, 0, 1, 6.298940061570778),
    (0.05, 0.04, 0.6, 1, 1, -11.84101933542106),
]


@pytest.mark.parametrize("a, b, x, by_a, by_b, expected", RECORDED)
def test_against_many_digits(a, b, x, by_a, by_b, expected):
    found = betainc_order(a, b, x, by_a=by_a, by_b=by_b)
    np.testing.assert_allclose(found, expected, rtol=1e-9 if by_a + by_b > 1 else 1e-11)


def test_at_the_ends():
    for x in (0.0, 1.0):
        assert betainc_order(2.0, 3.0, x, by_a=1, by_b=0) == 0
        assert fg.grad(betainc, (0, 1, 2))(2.0, 3.0, x) == (0, 0, 0)
    assert beta_density(1.0, 3.0, 0.0, by_a=0, by_b=0) == 3
    assert beta_density(0.5, 3.0, 0.0, by_a=0, by_b=0) == np.inf
    assert np.isnan(betainc_order(-1.0, 3.0, 0.5, by_a=1, by_b=0))
    assert np.isnan(betainc_order(1.0, 3.0, 1.5, by_a=1, by_b=0))


def test_symmetry():
    """I(a, b, x) = 1 - I(b, a, 1 - x), for each derivative."""
    a, b, x = np.array([0.3, 2.0, 40.0]), np.array([5.0, 0.7, 60.0]), np.array([0.03, 0.8, 0.45])
    for i, j in [(1, 0), (1, 1), (2, 1)]:
        found = betainc_order(a, b, x, by_a=i, by_b=j)
        np.testing.assert_allclose(found, -betainc_order(b, a, 1 - x, by_a=j, by_b=i), rtol=1e-11)


def test_an_empty_array():
    assert betainc_order(np.zeros(0), 1.0, 0.5, by_a=1, by_b=0).shape == (0,)

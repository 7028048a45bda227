"""Sines and cosines of the same array come of one tangent, in the tiles of large arrays."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.numpy_backend.angles import sine_and_cosine

N = 1 << 14


@pytest.mark.parametrize("scale", [1e-300, 0.1, 3.0, 1e6, 1e200])
def test_a_pair_is_near_that_of_numpy(scale):
    x = scale * np.random.default_rng(0).normal(size=1000)
    sine, cosine = np.empty_like(x), np.empty_like(x)
    sine_and_cosine(x, sine, cosine)
    np.testing.assert_allclose(sine, np.sin(x), rtol=8e-16)
    np.testing.assert_allclose(cosine, np.cos(x), atol=3e-16)


@pytest.mark.parametrize("where", ["sine", "cosine", "neither"])
def test_one_of_a_pair_may_lie_where_the_angles_do(where):
    x = np.array([0.0, -0.0, np.pi, -np.pi / 2, 1e22, np.inf, -np.inf, np.nan])
    expected = np.sin(x[:5]), np.cos(x[:5])
    given = x.copy()
    sine = given if where == "sine" else np.empty_like(x)
    cosine = given if where == "cosine" else np.empty_like(x)
    with np.errstate(invalid="ignore"):
        sine_and_cosine(given, sine, cosine)
    np.testing.assert_allclose((sine[:5], cosine[:5]), expected, atol=3e-16, rtol=0)
    assert np.isnan([sine[5:], cosine[5:]]).all() and np.signbit(sine[1])


FUNCTIONS = {
    "sine": (lambda x: fnp.sum(fnp.sin(x)), lambda x: np.cos(x)),
    "cosine": (lambda x: fnp.sum(fnp.cos(x)), lambda x: -np.sin(x)),
    "both": (lambda x: fnp.sum(fnp.sin(x) * fnp.cos(x)), lambda x: np.cos(2 * x)),
    "of what is computed": (lambda x: fnp.sum(fnp.sin(x * x)), lambda x: 2 * x * np.cos(x * x)),
    "and of others": (
        lambda x: fnp.sum(fnp.sin(x) ** 2 * fnp.cos(x + 1)),
        lambda x: np.sin(2 * x) * np.cos(x + 1) - np.sin(x) ** 2 * np.sin(x + 1),
    ),
}


@pytest.mark.parametrize("f, derivative", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("shape", [(4 * N,), (N, 2)])
def test_derivatives(f, derivative, shape):
    x = np.random.default_rng(0).normal(size=shape)
    value, gradient = fg.jit(fg.value_and_grad(f))(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(gradient, derivative(x), rtol=0, atol=3e-15)
    single = fg.jit(fg.grad(f))(x.astype("float32"))
    np.testing.assert_allclose(single, fg.grad(f)(x.astype("float32")), rtol=1e-5, atol=1e-6)


def test_results_may_be_the_pair_itself():
    x = np.random.default_rng(0).normal(size=4 * N)
    f = fg.jit(lambda x: (fnp.cos(2 * x), fnp.sin(2 * x), fnp.sin(2 * x) * x), backend="numpy")
    assert f.source(x).count("sine_and_cosine(") == 1
    for found, expected in zip(f(x), (np.cos(2 * x), np.sin(2 * x), np.sin(2 * x) * x), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-15)


def test_a_sine_alone_is_that_of_numpy():
    x = np.random.default_rng(0).normal(size=4 * N)
    np.testing.assert_array_equal(fg.jit(lambda x: fnp.sin(x) * 2, backend="numpy")(x), np.sin(x) * 2)

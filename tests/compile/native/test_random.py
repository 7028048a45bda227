"""Random numbers in machine code: the same bits, and normal numbers as near as the polynomials are."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
from funcgrad.ops.erf_inv import erf_inv
from funcgrad.ops.random_bits import threefry2x32


@pytest.mark.parametrize("shape", [(), (3,), (5000,), (40, 1)])
def test_bits_are_the_same(shape):
    f = fg.jit(lambda key, count: threefry2x32(key, count), backend="native")
    rng = np.random.default_rng(0)
    for keys in ((), (7, *[1] * len(shape))):
        key, count = [rng.integers(0, 2**64, s, np.uint64) for s in (keys, shape)]
        np.testing.assert_array_equal(f(key, count), threefry2x32(key, count))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_inverse_error_function(dtype):
    near = np.geomspace(1e-17, 0.5, 3000)
    x = np.concatenate([near, 1 - near, [0.0, 1.0, np.nan, 1.5]]).astype(dtype)
    x = np.concatenate([x, -x])
    f = fg.jit(lambda x: erf_inv(x), backend="native")
    assert f.cost(x).outside == ()
    with np.errstate(all="ignore"):
        found, expected = np.asarray(f(x)), np.asarray(erf_inv(x))
    number = np.isfinite(expected)
    np.testing.assert_array_equal(found[~number], expected[~number])
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))
    np.testing.assert_allclose(found[number], expected[number], rtol=8 * float(np.finfo(dtype).eps))


def test_a_step_that_draws_is_one_function():
    def step(key, w, x):
        key, one = fg.random.split(key)
        kept = fg.random.bernoulli(one, 0.8, x.shape)
        noise = fg.random.normal(key, x.shape)
        return fg.numpy.mean((fg.numpy.where(kept, x, 0) @ w + noise @ w) ** 2)

    key, w, x = fg.random.key(3), np.linspace(-1, 1, 40).reshape(8, 5), np.linspace(0, 1, 96).reshape(12, 8)
    f = fg.jit(fg.value_and_grad(step, 1), backend="native")
    for found, wanted in zip(f(key, w, x), fg.value_and_grad(step, 1)(key, w, x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    assert f.cost(key, w, x).outside == ()

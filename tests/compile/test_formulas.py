"""Elementwise operations that are written as several of NumPy's: the logistic function, and logarithms of sums."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn

INF = np.inf
FAR = np.array([-INF, -1000.0, -745.0, -700.0, -40.0, -1.0, -0.0, 0.5, 36.0, 41.0, 709.0, 1000.0, INF, np.nan])
SIZE = 1 << 15  # so large that the operations are carried out in tiles


def slope(x):
    e = np.exp(-np.abs(x))
    return e / (1 + e) ** 2


FUNCTIONS = {
    "sigmoid": (nn.sigmoid, lambda x: np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x))), slope),
    "softplus": (nn.softplus, lambda x: np.logaddexp(x, 0), lambda x: FUNCTIONS["sigmoid"][1](x)),
    "of two": (
        lambda x: fnp.logaddexp(2.5, x),
        lambda x: np.logaddexp(2.5, x),
        lambda x: FUNCTIONS["sigmoid"][1](x - 2.5),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [1, 14, SIZE])
def test_far_from_zero(name, size):
    f, value, derivative = FUNCTIONS[name]
    x = np.resize(FAR, size)
    call = fg.jit(fg.value_and_grad(lambda x: (fnp.sum(fnp.sin(y := f(x))), y), has_aux=True), backend="numpy")
    with np.errstate(all="ignore"):
        y, dy = value(x), derivative(x)
        (_, found), gradient = call(x)
        wanted = np.cos(y) * dy
    np.testing.assert_allclose(found, y, rtol=4e-16, atol=1e-323)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-14, atol=1e-322)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ["sigmoid", "softplus"])
def test_of_fewer_digits_without_warnings(name, dtype):
    f, value, derivative = FUNCTIONS[name]
    x = FAR[: -1 if name == "softplus" else None].astype(dtype)  # NumPy's logaddexp warns of nan
    with np.errstate(all="ignore"):
        y, dy = [f(x.astype(float)).astype(dtype) for f in (value, derivative)]
    digits = {"rtol": 4 * float(np.finfo(dtype).eps), "atol": float(np.finfo(dtype).smallest_normal)}
    for way in (lambda f: f, lambda f: fg.jit(f, backend="numpy")):
        found, slopes = way(lambda x: (f(x), fg.vmap(fg.grad(f))(x)))(x)
        assert found.dtype == slopes.dtype == dtype
        np.testing.assert_allclose(found, y, **digits)
        np.testing.assert_allclose(slopes, dy, **digits)


def test_what_pytorch_does_goes_back_by_the_result():
    torch = fg.torch

    def f(x):
        y = torch.sigmoid(x)
        return (y * y).sum()

    x = np.linspace(-3, 3, SIZE)
    y = 1 / (1 + np.exp(-x))
    tensor = torch.tensor(x, requires_grad=True)
    torch.compile(f)(tensor).backward()
    np.testing.assert_allclose(tensor.grad.numpy(), 2 * y * (1 - y) * y, rtol=1e-14)


def test_machine_code_is_as_near():
    pytest.importorskip("llvmlite")
    x = np.linspace(-800, 800, 4097)
    with np.errstate(all="ignore"):
        y = FUNCTIONS["sigmoid"][1](x)
    f = fg.jit(nn.sigmoid, backend="native")
    normal = y > np.finfo(float).smallest_normal
    np.testing.assert_allclose(f(x)[normal], y[normal], rtol=5e-16)
    assert not np.any(f(x)[~normal] > np.finfo(float).smallest_normal)


@pytest.mark.parametrize("number", [-1e30, -1e9, -INF])
@pytest.mark.parametrize("rows", [3, 300])
def test_softmax_of_masked_scores(rows, number):
    rng = np.random.default_rng(0)
    scores, mask = 3 * rng.normal(size=(rows, 40)), rng.random((rows, 40)) < 0.5
    mask[:, 0] = True
    scores[1, 1], mask[1, 1], mask[2] = np.nan, True, number == -INF  # a row of nothing but the number is uniform
    call = fg.jit(fg.value_and_grad(lambda s: (fnp.sum((p := f(s)) ** 2), p), has_aux=True), backend="numpy")

    def f(s):
        s = fnp.where(mask, s, number)
        e = fnp.exp(s - fnp.max(s, axis=1, keepdims=True))
        return e / fnp.sum(e, axis=1, keepdims=True)

    (_, found), gradient = call(scores)
    with np.errstate(all="ignore"):
        e = np.exp(np.where(mask, scores, number) - np.max(np.where(mask, scores, number), axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, p, rtol=1e-14)
    assert np.all(np.asarray(found)[3:][~mask[3:]] == 0)
    slope = np.where(mask, 2 * p * (p - np.sum(p * p, axis=1, keepdims=True)), 0)
    np.testing.assert_allclose(np.delete(gradient, 1, axis=0), np.delete(slope, 1, axis=0), rtol=1e-12, atol=1e-15)

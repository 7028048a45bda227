"""Symmetric matrices are recognised, and Cholesky's factor of one solves its equations in compiled programs."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified
from funcgrad.compile.passes.symmetry import parity

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 3))
EYE = np.eye(6)


def differences(x):
    return x[:, None, :] - x[None, :, :]


def squares(x):
    s = fnp.sum(x * x, axis=1)
    return s[:, None] + s[None, :] - 2 * (x @ x.T)


@pytest.mark.parametrize(
    "f, expected",
    [
        (lambda x: fnp.sum(differences(x) ** 2, axis=2), 1),
        (lambda x: fnp.exp(-0.5 * fnp.sum(differences(x) ** 2 * fnp.exp(x[0]), axis=-1)) + 0.1 * EYE, 1),
        (lambda x: fnp.sqrt(squares(x) + 7) / fnp.abs(fnp.sum(differences(x), axis=2) + EYE * 0), 0),
        (lambda x: squares(x), 1),
        (lambda x: fnp.sum(differences(x), axis=2), -1),
        (lambda x: -fnp.sum(differences(x), axis=2) - fnp.sum(differences(x) * 3, axis=2), -1),
        (lambda x: fnp.abs(x[:, 0][:, None] - x[:, 0]), 1),
        (lambda x: fnp.sum(differences(x), axis=2) * (fnp.sum(x, 1)[:, None] - fnp.sum(x, 1)), 1),
        (lambda x: fnp.cos(x[:, 1][:, None] * x[:, 1]).astype("float32").T, 1),
        (lambda x: x[:, :1] * x[:, 1], 0),
        (lambda x: fnp.sum(differences(x), axis=2) + squares(x), 0),
        (lambda x: fnp.exp(fnp.sum(differences(x), axis=2)), 0),
        (lambda x: x[:, :1] - x[:, 1] + EYE, 0),
        (lambda x: x @ x[::-1].T, 0),
        (lambda x: squares(x) + np.tri(6), 0),
        (lambda x: squares(x) * x[:, 0], 0),
        (lambda x: fnp.sum(x) * EYE + 1, 1),
        (lambda x: x[:2, None, :] - x[None, :2, :], 0),  # 2 × 2 × 3: not of the first axes
    ],
)
def test_what_stays_the_same_when_axes_change_places(f, expected):
    (e,) = simplified(inline(fg.make_tape(f)(X))).outputs
    found = parity(e, *((0, 1) if len(e.shape) == 2 else (0, 2)))
    assert found == expected
    if expected:
        np.testing.assert_array_equal(f(X), expected * np.asarray(f(X)).T)


def likelihood(x, y, turned=False):
    k = fnp.exp(-0.5 * fnp.sum(differences(x) ** 2, axis=2)) + 0.1 * EYE.astype(x.dtype)
    c = fnp.linalg.cholesky(k)
    return 0.5 * fnp.sum(y * fnp.linalg.solve(k.T if turned else k, y)) + fnp.sum(fnp.log(fnp.diagonal(c)))


def solves(f, *args):
    return [e.primitive.name for e in fg.jit(f).lower(*args).equations].count("solve")


@pytest.mark.parametrize("dtype, rtol", [("float64", 1e-10), ("float32", 1e-3)])
@pytest.mark.parametrize("columns", [(), (2,)])
@pytest.mark.parametrize("turned", [False, True])
def test_the_likelihood_of_a_gaussian_process_is_one_factorization(columns, dtype, rtol, turned):
    x, y = X.astype(dtype), RNG.normal(size=(6, *columns)).astype(dtype)
    f = fg.value_and_grad(lambda x, y: likelihood(x, y, turned), (0, 1))
    assert solves(f, x, y) == 0
    assert [e.primitive.name for e in fg.jit(f).lower(x, y).equations].count("cholesky") == 1
    for a, b in zip(fg.tree.leaves(fg.jit(f)(x, y)), fg.tree.leaves(f(x, y)), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rtol)


def test_other_systems_are_solved_as_they_stand():
    y = RNG.normal(size=6)

    def skew(x, y):  # cholesky takes the symmetric part, solve does not
        k = fnp.exp(-fnp.sum(differences(x) ** 2, axis=2)) + EYE + 0.1 * x[:, :1]
        return y @ fnp.linalg.solve(k, y) + fnp.sum(fnp.log(fnp.diagonal(fnp.linalg.cholesky(k))))

    f = fg.value_and_grad(skew)
    assert solves(f, X, y) == 2
    for a, b in zip(fg.jit(f)(X, y), f(X, y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    assert solves(likelihood, X, y) == 1  # whose factor is not inverted
    with pytest.raises(np.linalg.LinAlgError):
        fg.jit(fg.grad(lambda x: likelihood(x, y) + fnp.sum(fnp.linalg.cholesky(-x @ x.T))))(X)

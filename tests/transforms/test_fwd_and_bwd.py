"""`fwd_and_bwd`: the two halves of vjp as functions."""

import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, TreeError

X, W = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, -1.0], [2.0, 1.0]])
C = np.array([[1.0, 0.0], [10.0, 100.0]])


@pytest.mark.parametrize("jitted", [True, False])
def test_a_product(jitted):
    fwd, bwd = fg.fwd_and_bwd(lambda x, w: x @ w, argnums=(0, 1), jitted=jitted)
    y, residuals = fwd(X, W)
    np.testing.assert_allclose(y, X @ W)
    for cotangent in (C, 2 * C):  # any number of times
        x, w = bwd(residuals, cotangent)
        np.testing.assert_allclose(x, cotangent @ W.T)
        np.testing.assert_allclose(w, X.T @ cotangent)


@pytest.mark.parametrize("argnums, expected", [(0, 12.0), (1, 8.0), (-1, 8.0), ([1], (8.0,)), ((1, 0), (8.0, 12.0))])
def test_argnums(argnums, expected):
    fwd, bwd = fg.fwd_and_bwd(lambda x, y: 4 * x * y, argnums)
    found = bwd(fwd(2.0, 3.0)[1], 1.0)
    assert fg.tree.map(float, found) == expected


def test_pytrees_aux_and_keywords():
    fwd, bwd = fg.fwd_and_bwd(lambda p, power=1: ({"y": p["x"] ** power}, {"p": p, "s": "words"}), 0, has_aux=True)
    y, residuals, aux = fwd({"x": 3.0, "n": 2}, power=2)
    assert float(y["y"]) == 9.0 and float(aux["p"]["x"]) == 3.0 and aux["s"] == "words"
    found = bwd(residuals, {"y": 1.0})
    assert float(found["x"]) == 6.0 and found["n"].dtype == fg.float0


def test_the_backward_function_does_not_know_the_forward_call():
    """What passes between them are residuals alone, which go through transforms and files."""
    fwd, bwd = fg.fwd_and_bwd(lambda x, w: fnp.sum(fnp.sin(x) * w), argnums=0)
    (_, first), (_, second) = fwd(X, W), fwd(W, X)
    np.testing.assert_allclose(bwd(second, 1.0), np.cos(W) * X)
    np.testing.assert_allclose(bwd(first, 1.0), np.cos(X) * W)
    np.testing.assert_allclose(bwd(pickle.loads(pickle.dumps(first)), 1.0), np.cos(X) * W)
    _, rows = fg.vmap(fwd)(X, W)
    np.testing.assert_allclose(fg.vmap(bwd)(rows, np.array([1.0, 2.0])), np.cos(X) * W * [[1.0], [2.0]])
    again = fg.grad(lambda x: fnp.sum(bwd(fwd(x, W)[1], 1.0)))(X)
    np.testing.assert_allclose(again, -np.sin(X) * W)


def test_wrong_use():
    with pytest.raises(ArgumentError, match="fwd_and_bwd takes a function, got 3"):
        fg.fwd_and_bwd(3, 0)
    with pytest.raises(ArgumentError, match="fwd_and_bwd: argnums"):
        fg.fwd_and_bwd(lambda x: x, "x")
    with pytest.raises(ArgumentError, match="argnums=1 requires at least 2 positional arguments"):
        fg.fwd_and_bwd(lambda x, y: x, 1)[0](1.0, y=2.0)
    fwd, bwd = fg.fwd_and_bwd(lambda x: (x, x), 0)
    with pytest.raises(TreeError, match="structure"):
        bwd(fwd(1.0)[1], 1.0)

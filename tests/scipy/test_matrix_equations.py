"""Equations for matrices: the residual of the solution, and derivatives against differences."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ShapeError
from funcgrad.scipy import linalg
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(0)


def drawn(*shape, kind="d"):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape)).astype(kind) if kind in "FD" else x.astype(kind)


@pytest.mark.parametrize("kind", "fdFD")
def test_sylvester(kind):
    a, b, q = drawn(3, 3, kind=kind), drawn(2, 2, kind=kind), drawn(3, 2, kind=kind)
    x = linalg.solve_sylvester(a, b, q)
    assert x.dtype == q.dtype
    np.testing.assert_allclose(np.asarray(x), reference.solve_sylvester(a, b, q), rtol=1e-3 if kind in "fF" else 1e-10)


@pytest.mark.parametrize("kind", "dD")
def test_derivatives_of_sylvester(kind):
    args = drawn(3, 3, kind=kind), drawn(2, 2, kind=kind), drawn(3, 2, kind=kind)
    check_grads(linalg.solve_sylvester, args, order=2)


def test_stacks_of_sylvester():
    a, b, q = drawn(4, 3, 3), drawn(2, 2), drawn(4, 3, 2)
    expected = np.stack([reference.solve_sylvester(x, b, y) for x, y in zip(a, q, strict=True)])
    np.testing.assert_allclose(np.asarray(linalg.solve_sylvester(a, b, q)), expected, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(fg.vmap(linalg.solve_sylvester, (0, None, 0))(a, b, q)), expected, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(fg.jit(linalg.solve_sylvester)(a, b, q)), expected, rtol=1e-9)


def test_without_a_solution_it_is_nan():
    a, q = np.diag([1.0, 2.0]), np.ones((2, 2))
    assert np.isnan(np.asarray(linalg.solve_sylvester(a, -a, q))).all()
    assert np.isnan(np.asarray(fg.grad(lambda a: linalg.solve_sylvester(a, -np.diag([1.0, 2.0]), q).sum())(a))).any()
    assert np.isnan(np.asarray(linalg.solve_sylvester(np.full((2, 2), np.nan), a, q))).all()


@pytest.mark.parametrize("kind", "dD")
def test_lyapunov(kind):
    a, q = 0.3 * drawn(4, 4, kind=kind), drawn(4, 4, kind=kind)
    x = np.asarray(linalg.solve_continuous_lyapunov(a, q))
    np.testing.assert_allclose(a @ x + x @ a.conj().T, q, atol=1e-9)
    for method in (None, "direct", "bilinear"):
        x = np.asarray(linalg.solve_discrete_lyapunov(a, q, method=method))
        np.testing.assert_allclose(a @ x @ a.conj().T - x + q, 0 * q, atol=1e-9)
    if kind == "d":
        check_grads(linalg.solve_continuous_lyapunov, (a, q), order=1)
        check_grads(linalg.solve_discrete_lyapunov, (a, q), order=1)


def test_what_does_not_fit():
    with pytest.raises(ShapeError, match="must have shape"):
        linalg.solve_sylvester(np.eye(3), np.eye(2), np.ones((2, 3)))
    with pytest.raises(ValueError, match="method"):
        linalg.solve_sylvester(np.eye(3), np.eye(2), np.ones((3, 2)), method="other")
    with pytest.raises(ValueError, match="method"):
        linalg.solve_discrete_lyapunov(np.eye(2), np.eye(2), method="other")


@pytest.mark.parametrize("kind", "fdFD")
def test_eigenvalues_that_cancel_are_seen_through_rounding(kind):
    """B has the eigenvalues of A with the other sign, after a change of basis that rounds."""
    values, basis = drawn(6, kind=kind), drawn(6, 6, kind=kind) + 3 * np.eye(6, dtype=kind)
    a = basis @ np.diag(values) @ np.linalg.inv(basis)
    assert np.isnan(np.asarray(linalg.solve_sylvester(a, -a, drawn(6, 6, kind=kind), tol=1e-5))).all()

"""Functions of matrices: SciPy's values, closed forms of their derivatives, and agreement of the transforms."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.scipy import linalg
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(0)
A = rng.normal(size=(4, 4)) * 0.3 + np.diag([1.0, 2.0, 3.0, 4.0])
C = A + 1j * rng.normal(size=(4, 4)) * 0.3
E = rng.normal(size=(4, 4))
NAMES = ["sqrtm", "logm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm", "signm", "expm"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [A, C, A.astype("f"), C.astype("F"), np.stack([A, A @ A])], ids=lambda x: x.dtype.str)
def test_values_are_those_of_scipy(name, x):
    f, theirs = getattr(linalg, name), getattr(reference, name)
    precise = x.astype("D" if x.dtype.kind == "c" else "d")
    expected = theirs(precise) if x.ndim == 2 else np.stack([theirs(m) for m in precise])
    tol = 1e-11 if x.dtype.char in "dD" else 2e-3
    found = f(x)
    assert np.dtype(found.dtype).char.lower() == x.dtype.char.lower()
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tol, atol=tol)
    np.testing.assert_allclose(np.asarray(fg.jit(f)(x)), np.asarray(found), rtol=tol, atol=tol)
    if x.ndim == 3:
        np.testing.assert_allclose(np.asarray(fg.vmap(f)(x)), np.asarray(found), rtol=tol, atol=tol)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [A, C], ids=["real", "complex"])
def test_derivatives(name, x):
    """Along a matrix that commutes with A, f moves as the function of numbers does; and against differences."""
    check_grads(getattr(linalg, name), (x,), order=1)


def test_second_derivatives():
    check_grads(linalg.sqrtm, (A[:2, :2],), order=2)
    check_grads(linalg.logm, (A[:2, :2],), order=2)


def test_root_and_logarithm_in_closed_form():
    """d √A along A is √A / 2, d log A along A is the identity, with equal eigenvalues as well."""
    for x in (A, C, 2 * np.eye(3), np.array([[2.0, 1.0], [0.0, 2.0]])):
        root, moved = fg.jvp(linalg.sqrtm, (x,), (x,))
        np.testing.assert_allclose(np.asarray(moved), np.asarray(root) / 2, atol=1e-12)
        moved = fg.jvp(linalg.logm, (x,), (x,))[1]
        np.testing.assert_allclose(np.asarray(moved), np.eye(len(x)), atol=1e-10)


def test_the_root_of_a_singular_matrix_has_no_derivative():
    x = np.diag([0.0, 4.0])
    np.testing.assert_allclose(np.asarray(linalg.sqrtm(x)), np.diag([0.0, 2.0]))
    for derivative in (fg.jacrev, fg.jacfwd, lambda f: fg.jit(fg.jacrev(f))):
        assert np.isnan(np.asarray(derivative(lambda x: linalg.sqrtm(x).real)(x))).any()


def test_expm_frechet():
    for x, e in ((A, E), (C, E.astype("D"))):
        value, moved = linalg.expm_frechet(x, e)
        expected, expected_moved = reference.expm_frechet(x, e)
        np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(np.asarray(moved), expected_moved, rtol=1e-12, atol=1e-10)
        np.testing.assert_allclose(
            np.asarray(fg.jvp(linalg.expm, (x,), (e,))[1]), expected_moved, rtol=1e-12, atol=1e-10
        )
    with pytest.raises(ValueError, match="same shape"):
        linalg.expm_frechet(A, E[:2, :2])
    with pytest.raises(ValueError, match="method"):
        linalg.expm_frechet(A, E, method="other")


def test_options_of_expm():
    x = rng.normal(size=(3, 3))
    np.testing.assert_allclose(np.asarray(linalg.expm(x, upper_triangular=True)), reference.expm(np.triu(x)))
    assert np.isnan(np.asarray(linalg.expm(100 * np.eye(2), max_squarings=2))).all()


@pytest.mark.parametrize("x", [A, C], ids=["real", "complex"])
def test_funm(x):
    for f, g in ((fnp.exp, reference.expm), (fnp.cos, reference.cosm), (lambda z: z**3, lambda m: m @ m @ m)):
        np.testing.assert_allclose(np.asarray(linalg.funm(x, f)), g(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        np.asarray(fg.jvp(lambda x: linalg.funm(x, fnp.exp), (x,), (E.astype(x.dtype),))[1]),
        reference.expm_frechet(x, E, compute_expm=False),
        rtol=1e-8,
        atol=1e-8,
    )
    _value, error = linalg.funm(x, fnp.exp, disp=False)
    np.testing.assert_allclose(float(error), reference.funm(x, np.exp, disp=False)[1], rtol=1e-6)


def test_fractional_powers():
    for t in (0.5, -1.3, 2.0):
        np.testing.assert_allclose(
            np.asarray(linalg.fractional_matrix_power(A, t)), reference.fractional_matrix_power(A, t), atol=1e-11
        )
    moved = fg.jvp(lambda t: linalg.fractional_matrix_power(A, t), (0.5,), (1.0,))[1]
    np.testing.assert_allclose(np.asarray(moved), reference.logm(A) @ reference.sqrtm(A), atol=1e-11)


def test_what_is_not_finite_gives_nan():
    bad = np.full((2, 2), np.nan)
    for f in (linalg.sqrtm, linalg.logm):
        assert np.isnan(np.asarray(f(bad))).all()

"""Schur, Hessenberg, polar and pivoted forms: they are what they should be, and so are their derivatives."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NotDifferentiableError, NoValueError
from funcgrad.scipy import linalg
from funcgrad.testing import check_grads, check_jvp

reference = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(0)
REAL = rng.normal(size=(5, 5))
COMPLEX = REAL + 1j * rng.normal(size=(5, 5))
APART = rng.normal(size=(5, 5)) * 0.2 + np.diag([1.0, 2.0, 3.0, 4.0, 5.0])


def adjoint(x):
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_schur(x):
    for output in ("real", "complex"):
        t, z = linalg.schur(x, output=output)
        for ours, theirs in zip((t, z), reference.schur(x, output=output), strict=True):
            np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-12)
        stacked = fg.vmap(lambda x, output=output: linalg.schur(x, output=output))(np.stack([x, x @ x]))
        np.testing.assert_allclose(np.asarray(stacked[0][0]), np.asarray(t), atol=1e-12)
    with pytest.raises(ValueError, match="output"):
        linalg.schur(x, output="other")


@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_the_complex_schur_form_moves_with_its_matrix(x):
    """The product is the matrix, Z stays unitary, T a triangle, and the diagonal of T are the eigenvalues."""
    e = rng.normal(size=(5, 5)) + (1j if x.dtype.kind == "c" else 0)

    def product(x):
        t, z = linalg.schur(x, output="complex")
        return z @ t @ z.mT.conj(), z @ z.mT.conj(), fnp.tril(t, -1), fnp.sum(fnp.diagonal(t) ** 3)

    moved = fg.jvp(product, (x,), (e.astype(x.dtype),))[1]
    expected = (e, 0 * e, 0 * e, 3 * np.trace(x @ x @ e))
    for a, b in zip(moved, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, atol=1e-9)

    def without_phases(x):
        t, z = linalg.schur(x, output="complex")
        return (z * fnp.diagonal(t)) @ z.mT.conj(), fnp.abs(t[np.triu_indices(5)]) ** 2

    check_grads(without_phases, (x,), order=1)


def test_equal_eigenvalues_have_no_schur_derivative():
    for derivative in (fg.jacfwd, fg.jacrev, lambda f: fg.jit(fg.jacfwd(f))):
        d = derivative(lambda x: linalg.schur(x, output="complex")[1].real)(np.eye(3))
        assert np.isnan(np.asarray(d)).any()


def test_the_real_schur_form_has_no_rule():
    with pytest.raises(NotDifferentiableError, match='output="complex"'):
        fg.grad(lambda x: linalg.schur(x)[0].sum())(REAL)
    with pytest.raises(NotDifferentiableError, match="Schur"):
        fg.grad(lambda x: linalg.rsf2csf(x, REAL)[0].real.sum())(REAL)


def test_rsf2csf():
    t, z = reference.schur(REAL)
    for ours, theirs in zip(linalg.rsf2csf(t, z), reference.rsf2csf(t, z), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_hessenberg(x, n):
    x = x[:n, :n]
    h, q = linalg.hessenberg(x, calc_q=True)
    np.testing.assert_allclose(np.asarray(q @ h) @ adjoint(q), x, atol=1e-12)
    if n:
        np.testing.assert_allclose(np.asarray(h), reference.hessenberg(x), atol=1e-12)
        check_grads(lambda x: linalg.hessenberg(x, calc_q=True), (x,), order=2 if n == 3 else 1)
    stack = np.stack([x, 2 * x])
    np.testing.assert_allclose(np.asarray(fg.vmap(linalg.hessenberg)(stack)[1]), 2 * np.asarray(h), atol=1e-12)
    np.testing.assert_allclose(np.asarray(linalg.hessenberg(stack)[0]), np.asarray(h), atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", "dD")
def test_polar(shape, side, kind):
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind == "D" else 0)
    for ours, theirs in zip(linalg.polar(x, side=side), reference.polar(x, side=side), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-12)
    check_grads(lambda x: linalg.polar(x, side=side), (x,), order=1)


def test_the_polar_factor_moves_though_singular_values_are_equal():
    """At the identity u moves by the antisymmetric part of a tangent, p by the symmetric one."""
    e = rng.normal(size=(3, 3))
    for x in (np.eye(3), 2 * np.eye(3)):
        tu, tp = fg.jvp(linalg.polar, (x,), (e,))[1]
        np.testing.assert_allclose(np.asarray(tu), (e - e.T) / 2 / x[0, 0], atol=1e-12)
        np.testing.assert_allclose(np.asarray(tp), (e + e.T) / 2, atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
@pytest.mark.parametrize("mode", ["full", "economic", "r"])
@pytest.mark.parametrize("pivoting", [False, True])
def test_qr(shape, mode, pivoting):
    x = rng.normal(size=shape)
    for ours, theirs in zip(
        linalg.qr(x, mode=mode, pivoting=pivoting), reference.qr(x, mode=mode, pivoting=pivoting), strict=False
    ):
        np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-12)
    if mode == "economic":
        check_grads(lambda x: linalg.qr(x, mode=mode, pivoting=pivoting)[:2], (x,), order=1)


def test_rq_and_qr_multiply():
    for shape in ((4, 4), (3, 5), (5, 3)):
        x = rng.normal(size=shape)
        r, q = linalg.rq(x, mode="economic")
        np.testing.assert_allclose(np.asarray(r @ q), x, atol=1e-12)
        np.testing.assert_allclose(np.asarray(q) @ adjoint(q), np.eye(min(shape)), atol=1e-12)
    x, c = rng.normal(size=(5, 3)), rng.normal(size=(2, 5))
    for ours, theirs in zip(linalg.qr_multiply(x, c), reference.qr_multiply(x, c), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, atol=1e-12)


def test_orth_and_null_space():
    x = rng.normal(size=(4, 2)) @ rng.normal(size=(2, 5))
    for name, size in (("orth", 2), ("null_space", 3)):
        f = getattr(linalg, name)
        basis = np.asarray(f(x))
        theirs = getattr(reference, name)(x)
        assert basis.shape == theirs.shape and basis.shape[1] == size
        np.testing.assert_allclose(basis @ basis.T, theirs @ theirs.T, atol=1e-12)
        with pytest.raises(NoValueError, match="rank"):
            fg.make_tape(f)(x)
    wide = rng.normal(size=(2, 5))
    check_jvp(lambda x: (lambda n: n @ n.T)(linalg.null_space(x)), (wide,))


def test_generalized_eigenvalues():
    a, b = REAL + REAL.T, REAL @ REAL.T + np.eye(5)
    for type_ in (1, 2, 3):
        w, v = linalg.eigh(a, b, type=type_)
        theirs, their_v = reference.eigh(a, b, type=type_)
        np.testing.assert_allclose(np.asarray(w), theirs, atol=1e-10)
        np.testing.assert_allclose(np.abs(np.asarray(v)), np.abs(their_v), atol=1e-9)
        check_grads(lambda a, b, type_=type_: linalg.eigh(a, b, type=type_, eigvals_only=True), (a, b), order=1)
    np.testing.assert_allclose(
        np.asarray(linalg.eigh(a, eigvals_only=True, subset_by_index=(1, 2))), np.linalg.eigvalsh(a)[1:3]
    )
    w, v = linalg.eig(REAL, b)
    np.testing.assert_allclose(REAL @ np.asarray(v), b @ np.asarray(v * w), atol=1e-10)
    np.testing.assert_allclose(np.asarray(linalg.eigvals(REAL, b)), np.asarray(w), atol=1e-10)


def test_tridiagonal_eigenvalues():
    d, e = rng.normal(size=5), rng.normal(size=4)
    expected = reference.eigvalsh_tridiagonal(d, e)
    np.testing.assert_allclose(np.asarray(linalg.eigvalsh_tridiagonal(d, e)), expected, atol=1e-12)
    w, v = linalg.eigh_tridiagonal(d, e, select="i", select_range=(1, 3))
    np.testing.assert_allclose(np.asarray(w), expected[1:4], atol=1e-12)
    matrix = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    np.testing.assert_allclose(matrix @ np.asarray(v), np.asarray(v * w), atol=1e-12)
    w = linalg.eigvalsh_tridiagonal(d, e, select="v", select_range=(expected[0], expected[2]))
    np.testing.assert_allclose(np.asarray(w), expected[1:3], atol=1e-12)
    np.testing.assert_allclose(np.asarray(fg.vmap(linalg.eigvalsh_tridiagonal)(d[None], e[None]))[0], expected)
    check_grads(linalg.eigh_tridiagonal, (d, e), order=1)


def test_subspace_angles_and_procrustes():
    a, b = rng.normal(size=(5, 2)), rng.normal(size=(5, 3))
    for x, y in ((a, b), (b, a), (a, a + 1e-3 * b[:, :2])):
        np.testing.assert_allclose(
            np.asarray(linalg.subspace_angles(x, y)), reference.subspace_angles(x, y), atol=1e-10
        )
    r, scale = linalg.orthogonal_procrustes(REAL, APART)
    theirs, their_scale = reference.orthogonal_procrustes(REAL, APART)
    np.testing.assert_allclose(np.asarray(r), theirs, atol=1e-10)
    np.testing.assert_allclose(float(scale), their_scale)

"""Functions of funcgrad.scipy.linalg against SciPy's, and their derivatives against finite differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.scipy import linalg
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.linalg")

rng = np.random.default_rng(3)
A = rng.standard_normal((4, 4)) + 2 * np.eye(4)
P = A @ A.T + np.eye(4)
C = A + 1j * rng.standard_normal((4, 4))
H = C @ C.conj().T + np.eye(4)
B = rng.standard_normal((4, 2))


def close(found, expected):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("b", [B, B[:, 0]], ids=["matrix", "vector"])
@pytest.mark.parametrize("kind", ["gen", "sym", "her", "pos"])
@pytest.mark.parametrize("lower", [False, True])
def test_solve(kind, lower, b):
    for a in (P, H):
        if kind == "sym":
            a = (a + a.T) / 2
        half = np.tril(a) if lower else np.triu(a)
        close(linalg.solve(a if kind == "gen" else half, b, assume_a=kind, lower=lower), np.linalg.solve(a, b))
    check_grads(lambda a, b: linalg.solve(a, b, assume_a=kind, lower=lower), (P, b), order=1)


@pytest.mark.parametrize("a", [A, C], ids=["real", "complex"])
@pytest.mark.parametrize("options", [{}, {"lower": True}, {"trans": "T"}, {"trans": 2, "unit_diagonal": True}])
def test_solve_triangular(a, options):
    for b in (B, B[:, 0]):
        close(linalg.solve_triangular(a, b, **options), reference.solve_triangular(a, b, **options))
    check_grads(lambda a: linalg.solve_triangular(a, B, **options), (a,), order=1)


@pytest.mark.parametrize("a", [P, H], ids=["real", "complex"])
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(a, lower):
    close(linalg.cholesky(a, lower=lower), reference.cholesky(a, lower=lower))
    close(linalg.cho_solve(linalg.cho_factor(a, lower=lower), B), np.linalg.solve(a, B))


@pytest.mark.parametrize("a", [A, C, A[:, :3], A[:3]], ids=["real", "complex", "tall", "wide"])
def test_lu(a):
    close(linalg.lu(a), reference.lu(a))
    close(linalg.lu(a, permute_l=True), reference.lu(a, permute_l=True))


@pytest.mark.parametrize("a", [A, C], ids=["real", "complex"])
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_lu_solve(a, trans):
    factors = linalg.lu_factor(a)
    np.testing.assert_array_equal(factors[1], reference.lu_factor(a)[1])
    for b in (B, B[:, 0]):
        close(linalg.lu_solve(factors, b, trans=trans), reference.lu_solve(reference.lu_factor(a), b, trans=trans))

    def f(a):
        return linalg.lu_solve(linalg.lu_factor(a), B, trans=trans)

    check_grads(f, (a,), order=1)
    batch = np.stack([a, a.T, a + np.eye(4)])
    close(fg.vmap(f)(batch), np.stack([f(x) for x in batch]))


def test_the_others():
    close(linalg.expm(A), reference.expm(A))
    check_grads(linalg.expm, (A / 4,), order=2)
    close(linalg.eigh(H, eigvals_only=True), reference.eigh(H, eigvals_only=True))
    values, vectors = linalg.eigh(P)
    close(P @ vectors, vectors * values)
    close(linalg.svd(A, compute_uv=False), reference.svd(A, compute_uv=False))
    u, s, vh = linalg.svd(B, full_matrices=False)
    close(u * s @ vh, B)
    for mode in ("full", "economic"):
        q, r = linalg.qr(B, mode=mode)
        close((q @ r, abs(r)), (B, abs(reference.qr(B, mode=mode)[1])))
    close(abs(linalg.qr(B, mode="r")[0]), abs(reference.qr(B, mode="r")[0]))
    close((linalg.det(A), linalg.inv(A), linalg.pinv(B)), (np.linalg.det(A), np.linalg.inv(A), np.linalg.pinv(B)))


def test_matrices_from_parts():
    for args in ((A, 1.0, [2.0, 3.0]), (), (B, np.zeros((0, 2)))):
        close(linalg.block_diag(*args), reference.block_diag(*args))
    check_grads(linalg.block_diag, (B, 2.0), order=1)
    for args in (([1, 2, 3],), ([1, 2], [1, 5, 6, 7]), ([1.0, 2j],)):
        close(linalg.toeplitz(*args), reference.toeplitz(*args))
    check_grads(linalg.toeplitz, (B[:, 0], B[:3, 1]), order=1)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: linalg.solve(A, B, assume_a="orthogonal"), ValueError),
        (lambda: linalg.solve_triangular(A, B, trans=3), ArgumentError),
        (lambda: linalg.lu_solve(linalg.lu_factor(A), B, trans="T"), ArgumentError),
        (lambda: linalg.eigh(A, subset_by_value=(0, 1)), ArgumentError),
        (lambda: linalg.schur(A, sort="lhp"), ArgumentError),
        (lambda: linalg.qr(A, mode="complete"), ValueError),
        (lambda: linalg.block_diag(np.zeros((1, 1, 1))), ShapeError),
        (lambda: linalg.cholesky(fnp.ones((2, 3))), np.linalg.LinAlgError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call()

"""The names of jax.lax.linalg: LAPACK's values, JAX's conventions, and derivatives where JAX has none."""

import inspect

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, NotDifferentiableError, ShapeError
from funcgrad.lax import linalg
from funcgrad.testing import check_grads

lapack = pytest.importorskip("scipy.linalg.lapack")
rng = np.random.default_rng(0)


def drawn(*shape, kind="d"):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape)).astype(kind) if kind in "FD" else x.astype(kind)


def adjoint(x):
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


def close(a, b, kind="d"):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), atol=1e-11 if kind in "dD" else 2e-4)


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("transpose_a, conjugate_a", [(False, False), (True, False), (True, True), (False, True)])
def test_triangular_solve(kind, lower, left_side, transpose_a, conjugate_a):
    a = drawn(2, 3, 3, kind=kind) + 4 * np.eye(3, dtype=kind)
    b = drawn(2, 3, 3, kind=kind)[..., :2]
    b = b if left_side else np.swapaxes(b, -1, -2).copy()
    options = {"lower": lower, "left_side": left_side, "transpose_a": transpose_a, "conjugate_a": conjugate_a}
    x = np.asarray(linalg.triangular_solve(a, b, **options))
    op = np.tril(a) if lower else np.triu(a)
    op = np.conj(op) if conjugate_a else op
    op = np.swapaxes(op, -1, -2) if transpose_a else op
    close(op @ x if left_side else x @ op, b, kind)
    close(fg.vmap(lambda a, b: linalg.triangular_solve(a, b, **options))(a, b), x, kind)
    if kind in "dD":
        check_grads(lambda a, b: linalg.triangular_solve(a, b, **options), (a, b), order=1)


def test_triangular_solve_of_vectors():
    a, b = drawn(3, 3) + 4 * np.eye(3), drawn(3)
    close(np.triu(a) @ np.asarray(linalg.triangular_solve(a, b, left_side=True)), b)
    close(np.asarray(linalg.triangular_solve(a, b)) @ np.triu(a), b)
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.triangular_solve(a, np.ones((2, 2)), left_side=True)
    with pytest.raises(ArgumentError, match="one dtype"):
        linalg.triangular_solve(a, b.astype("f"))


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 4, 3)])
def test_reflectors(kind, shape):
    a = drawn(*shape, kind=kind)
    packed, taus = linalg.geqrf(a)
    q = linalg.householder_product(packed, taus)
    close(q @ fnp.triu(packed)[..., : shape[-1], :], a, kind)
    close(adjoint(q) @ np.asarray(q), np.broadcast_to(np.eye(shape[-1]), (*shape[:-2], shape[-1], shape[-1])), kind)
    m = shape[-2]
    full = linalg.ormqr(packed, taus, np.broadcast_to(np.eye(m, dtype=kind), (*shape[:-2], m, m)))
    c = drawn(*shape[:-2], m, m, kind=kind)
    for left in (True, False):
        for transpose in (True, False):
            op = adjoint(full) if transpose else np.asarray(full)
            found = linalg.ormqr(packed, taus, c, left=left, transpose=transpose)
            close(found, op @ c if left else c @ op, kind)


def test_the_derivative_of_reflectors():
    a, taus, c = drawn(4, 3), drawn(3), drawn(4, 2)
    check_grads(linalg.householder_product, (a, taus), order=2)
    check_grads(linalg.ormqr, (a, taus, c), order=1)
    with pytest.raises(NotDifferentiableError, match="reflectors"):
        fg.grad(lambda a: linalg.geqrf(a)[0].sum())(a)
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.householder_product(a.T, taus)


@pytest.mark.parametrize("kind", "dD")
def test_eig_with_left_eigenvectors(kind):
    a = drawn(4, 4, kind=kind)
    w, left, right = linalg.eig(a)
    close(a @ np.asarray(right), np.asarray(right * w))
    close(adjoint(left) @ a, np.asarray(w)[:, None] * adjoint(left))
    assert len(linalg.eig(a, compute_left_eigenvectors=False, compute_right_eigenvectors=False)) == 1
    if kind == "D":
        check_grads(linalg.eig, (a,), order=1, rtol=1e-5)
    e = drawn(4, 4, kind=kind)
    moved = fg.jvp(linalg.eig, (a,), (e,))[1]
    left, right = np.asarray(left), np.asarray(right)
    slopes = np.sum(left.conj() * (e @ right), 0) / np.sum(left.conj() * right, 0)
    close(moved[0], slopes)
    for x in linalg.eig(np.full((3, 3), np.nan)):
        assert np.isnan(np.asarray(x)).all()


def test_eigh_svd_qr_and_cholesky():
    a = drawn(4, 4)
    spd = a @ a.T + np.eye(4)
    v, w = linalg.eigh(spd)
    close(spd @ np.asarray(v), np.asarray(v * w))
    v, w = linalg.eigh(np.tril(spd), symmetrize_input=False, subset_by_index=(1, 3))
    close(w, np.linalg.eigvalsh(spd)[1:3])
    assert v.shape == (4, 2)
    close(linalg.svd(a, compute_uv=False, full_matrices=False, subset_by_index=(0, 2)), np.linalg.svd(a)[1][:2])
    u, s, vh = linalg.svd(a[:, :2], full_matrices=False)
    close(u * s @ vh, a[:, :2])
    q, r, p = linalg.qr(a, pivoting=True)
    close(q @ r, a[:, np.asarray(p)])
    close(linalg.cholesky(np.tril(spd), symmetrize_input=False), np.linalg.cholesky(spd))
    close(linalg.cholesky(spd), np.linalg.cholesky(spd))
    g = np.asarray(fg.grad(lambda x: linalg.cholesky(x, symmetrize_input=False).sum())(spd))
    assert not np.triu(g, 1).any()


def test_cholesky_update():
    a = drawn(4, 4)
    spd, w = a @ a.T + np.eye(4), drawn(4)
    r = np.linalg.cholesky(spd).T
    close(linalg.cholesky_update(r, w), np.linalg.cholesky(spd + np.outer(w, w)).T)
    check_grads(linalg.cholesky_update, (r, w), order=1)
    close(fg.vmap(linalg.cholesky_update, (None, 0))(r, np.stack([w, 2 * w]))[0], linalg.cholesky_update(r, w))


def test_lu_and_its_order_of_rows():
    a = drawn(2, 4, 3)
    both, pivots, order = map(np.asarray, linalg.lu(a))
    lower, upper = np.tril(both, -1) + np.eye(4, 3), np.triu(both)[..., :3, :]
    close(lower @ upper, np.take_along_axis(a, order[..., None], axis=-2))
    np.testing.assert_array_equal(np.asarray(linalg.lu_pivots_to_permutation(pivots, 4)), order)
    f = fg.vmap(lambda p: linalg.lu_pivots_to_permutation(p, 4))
    np.testing.assert_array_equal(np.asarray(fg.jit(f)(pivots)), order)
    with pytest.raises(ShapeError, match="at most 2"):
        linalg.lu_pivots_to_permutation([0, 1, 2], 2)


@pytest.mark.parametrize("kind", "fdFD")
def test_what_lapack_packs(kind):
    a = drawn(4, 4, kind=kind)
    packed, taus = linalg.hessenberg(a)
    theirs = getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[kind] + "gehrd")(a)
    close(packed, theirs[0], kind)
    close(taus, theirs[1], kind)
    name = {"f": "ssytrd", "d": "dsytrd", "F": "chetrd", "D": "zhetrd"}[kind]
    for lower in (True, False):
        theirs = getattr(lapack, name)(a, lower=lower)
        for ours, expected in zip(linalg.tridiagonal(a, lower=lower), theirs, strict=False):
            close(ours, expected, kind)
    t, z = linalg.schur(a)
    close(z @ t @ adjoint(z), a, kind)
    assert len(linalg.schur(a, compute_schur_vectors=False)) == 1
    for f in (linalg.hessenberg, linalg.tridiagonal, linalg.schur):
        with pytest.raises(NotDifferentiableError, match=r"scipy\.linalg|LAPACK"):
            fg.jvp(f, (a,), (a,))


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("batch", [(), (2,)])
def test_tridiagonal_solve(kind, batch):
    dl, du, b = drawn(*batch, 5, kind=kind), drawn(*batch, 5, kind=kind), drawn(*batch, 5, 2, kind=kind)
    d = drawn(*batch, 5, kind=kind) + np.dtype(kind).type(5)
    x = linalg.tridiagonal_solve(dl, d, du, b)
    k = np.arange(4)
    dense = np.zeros((*batch, 5, 5), kind)
    dense[..., np.arange(5), np.arange(5)] = d
    dense[..., k + 1, k], dense[..., k, k + 1] = dl[..., 1:], du[..., :-1]
    close(x, np.linalg.solve(dense, b), kind)
    if kind in "dD":
        check_grads(linalg.tridiagonal_solve, (dl, d, du, b), order=1)


def test_singular_tridiagonal_systems():
    zeros, b = np.zeros(3), np.ones((3, 1))
    assert np.isnan(np.asarray(linalg.tridiagonal_solve(zeros, zeros, zeros, b))).all()
    assert (np.abs(np.asarray(linalg.tridiagonal_solve(zeros, zeros, zeros, b, perturb_singular=True))) > 1e6).all()
    with pytest.raises(ShapeError, match="one shape"):
        linalg.tridiagonal_solve(zeros, zeros, zeros[:2], b)


def test_symmetric_product():
    a, c = drawn(3, 2), np.eye(3)
    for symmetrize in (True, False):
        found = linalg.symmetric_product(a, c, alpha=2.0, beta=0.5, symmetrize_output=symmetrize)
        close(found, 2 * a @ a.T + 0.5 * c)
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.symmetric_product(a, np.eye(2))


def test_the_signatures_are_those_of_jax():
    theirs = pytest.importorskip("jax.lax.linalg")
    for name in linalg.__all__:
        if name in ("geqrf",) or name[0].isupper():
            continue
        ours, expected = (inspect.signature(getattr(m, name)) for m in (linalg, theirs))
        assert [(p.name, p.kind) for p in ours.parameters.values()] == [
            (p.name, p.kind) for p in expected.parameters.values()
        ], name

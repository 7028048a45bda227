"""Systems with a band matrix, a Toeplitz or a circulant one: SciPy's values and the derivatives of the dense system."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ShapeError
from funcgrad.ops import banded, lapack
from funcgrad.scipy import linalg
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.linalg")
rng = np.random.default_rng(0)


def diagonals(lower, upper, n, kind="d"):
    ab = rng.normal(size=(lower + upper + 1, n)) + (1j * rng.normal(size=(lower + upper + 1, n)) if kind == "D" else 0)
    ab[upper] += 6
    return ab


@pytest.mark.parametrize("lower, upper", [(0, 0), (1, 0), (0, 2), (1, 1), (2, 1), (3, 4)])
@pytest.mark.parametrize("columns", [(), (3,)])
@pytest.mark.parametrize("kind", "dD")
def test_solve_banded(lower, upper, columns, kind):
    ab, b = diagonals(lower, upper, 6, kind), rng.normal(size=(6, *columns)).astype(kind)

    def f(ab, b):
        return linalg.solve_banded((lower, upper), ab, b)

    expected = reference.solve_banded((lower, upper), ab, b)
    np.testing.assert_allclose(np.asarray(f(ab, b)), expected, atol=1e-12)
    np.testing.assert_allclose(np.asarray(fg.jit(f)(ab, b)), expected, atol=1e-12)
    stacked = fg.vmap(f, (0, None))(np.stack([ab, 2 * ab]), b)
    np.testing.assert_allclose(np.asarray(stacked), np.stack([expected, expected / 2]), atol=1e-12)
    check_grads(f, (ab, b), order=2)
    dense = banded.dense(ab, lower, upper)
    np.testing.assert_allclose(dense @ expected, b, atol=1e-12)
    holomorphic = kind == "D"
    ours = fg.jacrev(f, holomorphic=holomorphic)(ab, b)

    def of_dense(ab):  # the same through the dense matrix
        out = fnp.zeros((6, 6), kind)
        for k in range(lower + upper + 1):
            j = np.arange(max(0, upper - k), min(6, 6 + upper - k))
            out = out.at[j + k - upper, j].set(ab[k, j])
        return fnp.linalg.solve(out, b)

    np.testing.assert_allclose(
        np.asarray(ours), np.asarray(fg.jacrev(of_dense, holomorphic=holomorphic)(ab)), atol=1e-12
    )


def test_without_scipy_the_matrix_is_made_dense(monkeypatch):
    ab, b = diagonals(2, 1, 6), rng.normal(size=6)
    expected = reference.solve_banded((2, 1), ab, b)

    def missing(what):
        raise ImportError(what)

    monkeypatch.setattr(lapack, "linalg", missing)
    np.testing.assert_allclose(np.asarray(linalg.solve_banded((2, 1), ab, b)), expected, atol=1e-12)


def test_singular_matrices_raise():
    with pytest.raises(np.linalg.LinAlgError):
        linalg.solve_banded((1, 1), np.zeros((3, 3)), np.ones(3))
    with pytest.raises(ShapeError, match="3 rows"):
        linalg.solve_banded((1, 1), np.zeros((2, 3)), np.ones(3))
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.solve_banded((1, 1), np.zeros((3, 3)), np.ones(4))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kind", "dD")
def test_solveh_banded(lower, kind):
    ab = rng.normal(size=(3, 5)) + (1j * rng.normal(size=(3, 5)) if kind == "D" else 0)
    ab[0 if lower else -1] = 8.0
    b = rng.normal(size=5).astype(kind)
    expected = reference.solveh_banded(ab, b, lower=lower)
    np.testing.assert_allclose(np.asarray(linalg.solveh_banded(ab, b, lower=lower)), expected, atol=1e-12)
    if kind == "d":
        check_grads(lambda ab, b: linalg.solveh_banded(ab, b, lower=lower), (ab, b), order=1)


def test_toeplitz_and_circulant_systems():
    c, r, b = rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)
    c[0] = r[0] = 5
    np.testing.assert_allclose(np.asarray(linalg.solve_toeplitz((c, r), b)), reference.solve_toeplitz((c, r), b))
    np.testing.assert_allclose(np.asarray(linalg.solve_toeplitz(c, b)), reference.solve_toeplitz(c, b))
    np.testing.assert_allclose(np.asarray(linalg.solve_circulant(c, b)), reference.solve_circulant(c, b))
    np.testing.assert_allclose(np.asarray(linalg.matmul_toeplitz((c, r), b)), reference.matmul_toeplitz((c, r), b))
    np.testing.assert_allclose(np.asarray(linalg.matmul_toeplitz(c + 0j, b)), reference.matmul_toeplitz(c + 0j, b))
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        linalg.solve_circulant([1.0, -1.0], [1.0, 2.0])
    with pytest.raises(ShapeError, match="do not fit"):
        linalg.matmul_toeplitz(c, np.ones(3))

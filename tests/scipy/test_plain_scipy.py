"""SciPy's own functions of linear algebra, on values that are being differentiated: no gradient is lost without a word.

Every public function of scipy.linalg is called by its own name. It differentiates, or it raises an error that names it,
the line, and the function of funcgrad to call instead.
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.scipy.linalg
from funcgrad.callers import counterpart
from funcgrad.errors import FuncgradError, LostTraceError, NoValueError
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.linalg")

M = np.array([[2.1, 0.3, 0.4], [0.2, 1.7, 0.6], [0.5, 0.1, 2.9]])
SPD, B = M @ M.T, np.array([0.83, 0.26, 0.47])

# How a function is called with a matrix x, where it is not f(x).
CALLS = {
    "bandwidth": lambda x: scipy.bandwidth(x),  # compiled: the line that calls it is what names it
    "block_diag": lambda x: scipy.block_diag(x, 1.0),
    "cdf2rdf": lambda x: scipy.cdf2rdf(x[0], x),
    "cho_solve": lambda x: scipy.cho_solve((x, True), B),
    "cho_solve_banded": lambda x: scipy.cho_solve_banded((x, True), B),
    "circulant": lambda x: scipy.circulant(x[0]),
    "clarkson_woodruff_transform": lambda x: scipy.clarkson_woodruff_transform(x, 2, seed=0),
    "companion": lambda x: scipy.companion(x[0]),
    "convolution_matrix": lambda x: scipy.convolution_matrix(x[0], 2),
    "cossin": lambda x: scipy.cossin(x, 1, 1),
    "diagsvd": lambda x: scipy.diagsvd(x[0], 3, 3),
    "eigh_tridiagonal": lambda x: scipy.eigh_tridiagonal(x[0], x[1, :2]),
    "eigvalsh_tridiagonal": lambda x: scipy.eigvalsh_tridiagonal(x[0], x[1, :2]),
    "expm_frechet": lambda x: scipy.expm_frechet(x, M),
    "fiedler": lambda x: scipy.fiedler(x[0]),
    "fiedler_companion": lambda x: scipy.fiedler_companion(x[0]),
    "fractional_matrix_power": lambda x: scipy.fractional_matrix_power(x, 0.5),
    "funm": lambda x: scipy.funm(x, np.exp),
    "hankel": lambda x: scipy.hankel(x[0]),
    "ishermitian": lambda x: scipy.ishermitian(x),
    "issymmetric": lambda x: scipy.issymmetric(x),
    "khatri_rao": lambda x: scipy.khatri_rao(x, M),
    "leslie": lambda x: scipy.leslie(x[0], x[1, :2]),
    "lstsq": lambda x: scipy.lstsq(x, B),
    "lu_solve": lambda x: scipy.lu_solve((x, np.arange(3)), B),
    "matmul_toeplitz": lambda x: scipy.matmul_toeplitz(x[0], B),
    "ordqz": lambda x: scipy.ordqz(x, M),
    "orthogonal_procrustes": lambda x: scipy.orthogonal_procrustes(x, M),
    "qr_delete": lambda x: scipy.qr_delete(x, M, 0),
    "qr_insert": lambda x: scipy.qr_insert(x, M, B, 0),
    "qr_multiply": lambda x: scipy.qr_multiply(x, B),
    "qr_update": lambda x: scipy.qr_update(x, M, B, B),
    "qz": lambda x: scipy.qz(x, M),
    "rsf2csf": lambda x: scipy.rsf2csf(x, M),
    "solve": lambda x: scipy.solve(x, B),
    "solve_banded": lambda x: scipy.solve_banded((1, 1), x, B),
    "solve_circulant": lambda x: scipy.solve_circulant(x[0], B),
    "solve_continuous_are": lambda x: scipy.solve_continuous_are(x, M, SPD, SPD),
    "solve_continuous_lyapunov": lambda x: scipy.solve_continuous_lyapunov(x, SPD),
    "solve_discrete_are": lambda x: scipy.solve_discrete_are(x, M, SPD, SPD),
    "solve_discrete_lyapunov": lambda x: scipy.solve_discrete_lyapunov(x, SPD),
    "solve_lyapunov": lambda x: scipy.solve_lyapunov(x, SPD),
    "solve_sylvester": lambda x: scipy.solve_sylvester(x, M, SPD),
    "solve_toeplitz": lambda x: scipy.solve_toeplitz(x[0], B),
    "solve_triangular": lambda x: scipy.solve_triangular(x, B),
    "solveh_banded": lambda x: scipy.solveh_banded(x, B),
    "subspace_angles": lambda x: scipy.subspace_angles(x, M),
    "toeplitz": lambda x: scipy.toeplitz(x[0]),
}
OF_SIZES = ("dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal")
ABOUT_ROUTINES = ("find_best_blas_type", "get_blas_funcs", "get_lapack_funcs")  # they look at dtypes only
NAMES = [
    name
    for name in scipy.__all__
    if callable(getattr(scipy, name))
    and not isinstance(getattr(scipy, name), type)
    and name not in OF_SIZES + ABOUT_ROUTINES
]
DIFFERENTIATE = {"solve_circulant", "clarkson_woodruff_transform"}
"""What is written in functions of NumPy that take our values, or multiplies them with a sparse matrix."""


@pytest.mark.parametrize("name", NAMES)
def test_it_differentiates_or_says_what_does(name):
    f = CALLS.get(name) or getattr(scipy, name)
    if name in DIFFERENTIATE:
        check_grads(f, (SPD,), order=1)
        return
    alias = {"solve_lyapunov": "solve_continuous_lyapunov"}.get(name, name)
    for transform, error in (
        (lambda f: fg.vjp(f, SPD), LostTraceError),
        (lambda f: fg.jvp(f, (SPD,), (M,)), LostTraceError),
        (lambda f: fg.vmap(f)(np.stack([SPD, M])), NoValueError),
        (lambda f: fg.jit(f)(SPD), NoValueError),
        (lambda f: fg.jit(fg.grad(lambda x: f(x)))(SPD), FuncgradError),
    ):
        with pytest.raises(error) as caught:
            transform(f)
        text = str(caught.value)
        assert f"scipy.linalg.{alias}" in text.split("(")[0], text
        assert "test_plain_scipy.py, line" in text, text
        ours = counterpart(f"scipy.linalg.{alias}")
        assert (f"Call {ours} instead" if ours else "funcgrad has no version of it") in text, text


def test_the_constants_are_as_they_were():
    """An Array outside of transforms is a value like any other."""
    for name in ("solve", "det", "expm", "sqrtm", "cho_factor", "schur"):
        f = CALLS.get(name) or getattr(scipy, name)
        for a, b in zip(fg.tree.leaves(f(fg.Array(SPD))), fg.tree.leaves(f(SPD)), strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_which_functions_of_scipy_have_a_counterpart():
    without = {name for name in NAMES if counterpart(f"scipy.linalg.{name}") is None} - DIFFERENTIATE
    assert without == {
        *("bandwidth", "cdf2rdf", "cho_solve_banded", "cholesky_banded", "cossin"),
        *(
            "diagsvd",
            "eig_banded",
            "eigvals_banded",
            "expm_cond",
            "ishermitian",
            "issymmetric",
            "ldl",
            "matrix_balance",
        ),
        *("ordqz", "qr_delete", "qr_insert", "qr_update", "qz", "solve_continuous_are", "solve_discrete_are"),
    }

"""Matrices whose factors are not determined: equal values, no full rank, zero, defective; with every decomposition.

A derivative that does not exist is nan, without a warning. One that exists is what finite differences say, although the
factors that it is computed from may have none. At a kink it is the stated one. And it is the same in every transform.
"""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.linalg as scipy_linalg

pytestmark = pytest.mark.no_cover

linalg = fnp.linalg

MATRICES = {
    "identity": np.eye(3),
    "two equal": np.diag([2.0, 2.0, 1.0]),
    "rank 2": np.diag([2.0, 1.0, 0.0]),
    "rank 1": np.diag([2.0, 0.0, 0.0]),
    "zero": np.zeros((3, 3)),
    "nilpotent": np.diag([1.0, 1.0], 1),
    "complex two equal": np.diag([2.0, 2.0, 1.0]) + 0j,
    "complex rank 1": np.diag([2.0, 0.0, 0.0]) + 0j,
    "tall two equal": np.eye(4, 3) * [2.0, 2.0, 1.0],
    "tall rank 1": np.eye(4, 3) * [2.0, 0.0, 0.0],
    "wide two equal": np.eye(3, 4) * np.array([[2.0], [2.0], [1.0]]),
    "wide rank 1": np.eye(3, 4) * np.array([[2.0], [0.0], [0.0]]),
}
EVERY = set(MATRICES)
SQUARE = {name for name, x in MATRICES.items() if x.shape == (3, 3)}
HERMITIAN = SQUARE - {"nilpotent"}
REGULAR = {"identity", "two equal", "complex two equal"}
SINGULAR = SQUARE - REGULAR
TALL = SQUARE | {name for name, x in MATRICES.items() if x.shape == (4, 3)}
WITHOUT_FULL_RANK = SINGULAR | {"tall rank 1", "wide rank 1"}
TIED = EVERY - {"rank 2"}  # equal singular values, those of the nilpotent one are 1, 1, 0
EQUAL_EIGENVALUES = HERMITIAN - {"rank 2"}
RIGHT = np.array([[1.0, 0.5], [-0.3, 2.0], [0.7, 1.1], [0.4, -0.8]])


class Row:
    """A function of a matrix.

    Arguments:
        f: the function.
        where: the matrices that it is tried on.
        nan: those at which its derivative does not exist.
        error: those at which it raises LinAlgError: there is no value either.
        choice: those at which the derivative exists for some directions only (at a kink, or while the rank stays), or
            is that for a fixed choice of signs: it is compared between transforms, and with no differences.
        infinite: those at which the value is infinite, where inf, nan and warnings come of it.
        second: those where the second derivative is nan; by default where the first is.
    """

    def __init__(self, f, where=EVERY, nan=(), error=(), choice=(), infinite=(), second=None):
        self.f, self.where, self.nan, self.error = f, where, set(nan) & where, set(error) & where
        self.choice, self.infinite = set(choice) & where, set(infinite) & where
        self.second = self.nan if second is None else set(second) & where


def svd(x):
    return linalg.svd(x, full_matrices=False)


def squares(x):
    """Free of signs and phases."""
    return (fnp.conj(x) * x).real


def kinks(f, where=EVERY):
    """A function of the singular values that is no smooth one: LAPACK's vectors decide."""
    return Row(f, where, choice=where, second=TIED & where)


# The functions of numpy.linalg and scipy.linalg that factor a matrix or depend on its rank, result by result.
ROWS = {
    "svd: |U|²": Row(lambda x: squares(svd(x)[0]), nan=TIED),
    "svd: |Vh|²": Row(lambda x: squares(svd(x)[2]), nan=TIED),
    "svd: S": kinks(lambda x: svd(x)[1]),
    "svd: S, a smooth function": Row(lambda x: (svd(x)[1] ** 2).sum(), second=TIED),
    "svd: U S Vh": Row(lambda x: (lambda u, s, vh: (u * s) @ vh)(*svd(x)), nan=TIED),
    "svd: zero times U": Row(lambda x: 0.0 * svd(x)[0], nan=TIED),
    "svd: an entry of U that is zero": Row(lambda x: svd(x)[0][0, 1] ** 2, nan=TIED),
    "svd: hermitian": Row(
        lambda x: linalg.svd(x, hermitian=True)[1], HERMITIAN, choice=HERMITIAN, second=EQUAL_EIGENVALUES
    ),
    "svdvals": kinks(linalg.svdvals),
    "svdvals, a smooth function": Row(lambda x: (linalg.svdvals(x) ** 2).sum(), second=TIED),
    "scipy: svd": Row(lambda x: squares(scipy_linalg.svd(x, full_matrices=False)[0]), nan=TIED),
    "eigh: |v|²": Row(lambda x: squares(linalg.eigh(x)[1]), HERMITIAN, nan=EQUAL_EIGENVALUES),
    "eigh: an entry of v that is zero": Row(lambda x: linalg.eigh(x)[1][0, 1] ** 2, HERMITIAN, nan=EQUAL_EIGENVALUES),
    "eigh: v w vh": Row(
        lambda x: (lambda w, v: v * w @ fnp.conj(v).T)(*linalg.eigh(x)), HERMITIAN, nan=EQUAL_EIGENVALUES
    ),
    "eigh: w": Row(lambda x: linalg.eigh(x)[0], HERMITIAN, choice=HERMITIAN, second=EQUAL_EIGENVALUES),
    "eigh: w, a smooth function": Row(lambda x: (linalg.eigh(x)[0] ** 3).sum(), HERMITIAN, second=EQUAL_EIGENVALUES),
    "eigvalsh, a smooth function": Row(lambda x: (linalg.eigvalsh(x) ** 3).sum(), HERMITIAN, second=EQUAL_EIGENVALUES),
    "scipy: eigh": Row(lambda x: squares(scipy_linalg.eigh(x)[1]), HERMITIAN, nan=EQUAL_EIGENVALUES),
    "eig: |v|²": Row(lambda x: squares(linalg.eig(x)[1]), SQUARE, nan=SQUARE - {"rank 2"}, choice=SQUARE),
    "eig: an entry of v that is zero": Row(
        lambda x: linalg.eig(x)[1][0, 1] ** 2, SQUARE, nan=SQUARE - {"rank 2"}, choice=SQUARE
    ),
    "eig: w, a smooth function": Row(
        lambda x: (linalg.eig(x)[0] ** 3).sum(), SQUARE, nan={"nilpotent"}, second=SQUARE - {"rank 2"}
    ),
    "eigvals, a smooth function": Row(
        lambda x: (linalg.eigvals(x) ** 3).sum(), SQUARE, nan={"nilpotent"}, second=SQUARE - {"rank 2"}
    ),
    "qr: Q": Row(lambda x: linalg.qr(x)[0], nan=WITHOUT_FULL_RANK, choice=EVERY),
    "qr: R": Row(lambda x: linalg.qr(x)[1], nan=WITHOUT_FULL_RANK, choice=EVERY),
    "qr: r": Row(lambda x: linalg.qr(x, "r"), nan=WITHOUT_FULL_RANK, choice=EVERY),
    "qr: |R|²": Row(lambda x: squares(linalg.qr(x)[1]), nan=WITHOUT_FULL_RANK),
    "qr: zero times Q": Row(lambda x: 0.0 * linalg.qr(x)[0], nan=WITHOUT_FULL_RANK),
    "scipy: qr": Row(lambda x: squares(scipy_linalg.qr(x, mode="economic")[1]), nan=WITHOUT_FULL_RANK),
    "pinv": Row(linalg.pinv, choice=WITHOUT_FULL_RANK),
    "scipy: pinv": Row(scipy_linalg.pinv, choice=WITHOUT_FULL_RANK),
    "lstsq: x": Row(lambda x: linalg.lstsq(x, RIGHT[: x.shape[0]])[0], choice=WITHOUT_FULL_RANK),
    "lstsq: s": kinks(lambda x: linalg.lstsq(x, RIGHT[: x.shape[0]])[3]),
    "norm": Row(linalg.norm, EVERY - {"zero"}),
    "norm: 2": kinks(lambda x: linalg.norm(x, 2)),
    "norm: -2": kinks(lambda x: linalg.norm(x, -2)),
    "norm: nuc": kinks(lambda x: linalg.norm(x, "nuc")),
    "norm: nuc of full rank": Row(lambda x: linalg.norm(x, "nuc"), EVERY - WITHOUT_FULL_RANK, second=TIED),
    "matrix_norm": Row(linalg.matrix_norm, EVERY - {"zero"}),
    "cond": Row(linalg.cond, nan=WITHOUT_FULL_RANK, choice=EVERY, second=EVERY),
    "cond: -2": Row(lambda x: linalg.cond(x, -2), nan={"zero"}, choice=EVERY, second=TIED),
    "cond: 1": Row(
        lambda x: linalg.cond(x, 1), {n for n in SQUARE if MATRICES[n].dtype == float}, nan=SINGULAR, choice=SQUARE
    ),
    "cond: fro": Row(lambda x: linalg.cond(x, "fro"), SQUARE, nan=SINGULAR),
    "cholesky": Row(linalg.cholesky, HERMITIAN, error=SINGULAR),
    "scipy: cholesky": Row(scipy_linalg.cholesky, HERMITIAN, error=SINGULAR),
    "scipy: cho_factor": Row(lambda x: scipy_linalg.cho_factor(x)[0], HERMITIAN, error=SINGULAR),
    "scipy: cho_solve": Row(lambda x: scipy_linalg.cho_solve((x, True), RIGHT[:3]), SQUARE, infinite=SINGULAR),
    "det": Row(linalg.det, SQUARE),
    "scipy: det": Row(scipy_linalg.det, SQUARE),
    "slogdet": Row(lambda x: linalg.slogdet(x)[1], SQUARE, nan=SINGULAR),
    "inv": Row(linalg.inv, SQUARE, error=SINGULAR),
    "scipy: inv": Row(scipy_linalg.inv, SQUARE, error=SINGULAR),
    "tensorinv": Row(lambda x: linalg.tensorinv(x, 1), SQUARE, error=SINGULAR),
    "solve": Row(lambda x: linalg.solve(x, RIGHT[:3]), SQUARE, error=SINGULAR),
    "scipy: solve": Row(lambda x: scipy_linalg.solve(x, RIGHT[:3]), SQUARE, error=SINGULAR),
    "tensorsolve": Row(lambda x: linalg.tensorsolve(x, RIGHT[:3, 0]), SQUARE, error=SINGULAR),
    "scipy: solve_triangular": Row(lambda x: scipy_linalg.solve_triangular(x, RIGHT[:3]), SQUARE, infinite=SINGULAR),
    "matrix_power": Row(lambda x: linalg.matrix_power(x, 3), SQUARE),
    "matrix_power: -2": Row(lambda x: linalg.matrix_power(x, -2), SQUARE, error=SINGULAR),
    "matrix_rank": Row(lambda x: linalg.matrix_rank(x) * x, choice=EVERY),
    "scipy: lu": Row(lambda x: scipy_linalg.lu(x)[2], SQUARE, infinite=SINGULAR),
    "scipy: lu_factor": Row(lambda x: scipy_linalg.lu_factor(x)[0], SQUARE, infinite=SINGULAR),
    "scipy: lu_solve": Row(
        lambda x: scipy_linalg.lu_solve(scipy_linalg.lu_factor(x), RIGHT[:3]), SQUARE, infinite=SINGULAR
    ),
    "scipy: expm": Row(scipy_linalg.expm, SQUARE),
    "scipy: expm_frechet": Row(lambda x: scipy_linalg.expm_frechet(x, RIGHT[:3] @ RIGHT.T[:, :3])[1], SQUARE),
    "scipy: cosm, sinm": Row(lambda x: scipy_linalg.cosm(x) + scipy_linalg.sinm(x), SQUARE),
    "scipy: coshm, sinhm": Row(lambda x: scipy_linalg.coshm(x) + scipy_linalg.sinhm(x), SQUARE),
    "scipy: tanm, tanhm": Row(lambda x: scipy_linalg.tanm(x) + scipy_linalg.tanhm(x), SQUARE),
    "scipy: schur": Row(  # beside a diagonal matrix LAPACK gives the eigenvalues in another order
        lambda x: squares(scipy_linalg.schur(x, output="complex")[1]), SQUARE, nan=SQUARE - {"rank 2"}, choice=SQUARE
    ),
    "scipy: hessenberg": Row(scipy_linalg.hessenberg, SQUARE, nan=SQUARE),
    "scipy: polar, u": Row(lambda x: scipy_linalg.polar(x)[0], TALL, nan=WITHOUT_FULL_RANK),
    "scipy: polar, p": Row(lambda x: scipy_linalg.polar(x)[1], TALL, nan=WITHOUT_FULL_RANK),
    "scipy: sqrtm": Row(scipy_linalg.sqrtm, SQUARE, nan=SINGULAR, infinite={"nilpotent"}),
    "scipy: logm, fractional_matrix_power": Row(scipy_linalg.logm, SQUARE, infinite=SINGULAR),
    "scipy: funm": Row(lambda x: scipy_linalg.funm(x, fnp.exp), SQUARE, nan=SQUARE - {"rank 2"}),
    "scipy: solve_sylvester": Row(
        lambda x: scipy_linalg.solve_sylvester(x, np.eye(3), RIGHT[:3] @ RIGHT.T[:, :3]), SQUARE
    ),
    "scipy: solve_continuous_lyapunov, solve_lyapunov": Row(
        lambda x: scipy_linalg.solve_continuous_lyapunov(x, RIGHT[:3] @ RIGHT.T[:, :3]), SQUARE, nan=SINGULAR
    ),
    "scipy: solve_banded": Row(
        lambda x: scipy_linalg.solve_banded((2, 0), x, RIGHT[:3]), SQUARE - {"nilpotent"}, error=SQUARE
    ),
    "scipy: svdvals, a smooth function": Row(lambda x: (scipy_linalg.svdvals(x) ** 2).sum(), second=TIED),
    "scipy: eigh, generalized": Row(
        lambda x: squares(scipy_linalg.eigh(x, np.diag([1.0, 1.0, 1.0]))[1]), HERMITIAN, nan=EQUAL_EIGENVALUES
    ),
}
COMPOSED = {
    *("eigh_tridiagonal", "eigvalsh_tridiagonal", "null_space", "orth", "orthogonal_procrustes", "pinvh"),
    *("qr_multiply", "rq", "signm", "solve_circulant", "solve_discrete_lyapunov", "solve_toeplitz", "solveh_banded"),
    *("subspace_angles", "rsf2csf"),
}
"""Functions of scipy.linalg that are composed of those with a row; or have no derivative."""
NO_FACTORS = {
    *("circulant", "companion", "convolution_matrix", "dft", "fiedler", "fiedler_companion", "hadamard", "hankel"),
    *("helmert", "hilbert", "invhilbert", "invpascal", "khatri_rao", "leslie", "matmul_toeplitz", "pascal"),
    *("LinAlgError", "cross", "diagonal", "matmul", "matrix_transpose", "multi_dot", "outer", "tensordot", "trace"),
    *("vecdot", "vector_norm", "block_diag", "toeplitz"),
}
POINTS = [(name, matrix) for name, row in ROWS.items() for matrix in MATRICES if matrix in row.where]


def test_every_decomposition_has_a_row():
    named = {part for name in ROWS for part in name.replace(":", " ").replace(",", " ").split()}
    assert set(linalg.__all__) | set(scipy_linalg.__all__) <= NO_FACTORS | COMPOSED | named


def loss(row):
    """A real function: the entries of the result with weights that are not symmetric."""

    def f(x):
        y = row.f(x)
        w = np.cos(1.0 + np.arange(y.size)).reshape(y.shape)
        return fnp.sum(w * y.real + np.sin(w) * y.imag) if y.dtype.kind == "c" else fnp.sum(w * y)

    return f


def direction(x):
    return np.random.default_rng(0).standard_normal(x.shape).astype(x.dtype)


def beside(f, x):
    """f by vmap, on x and on a regular matrix at its side."""
    other = np.eye(*x.shape, dtype=x.dtype) * 3 + 0.1 * direction(x)
    other = other @ other.conj().T if x.shape == (3, 3) else other
    return lambda _: np.asarray(f(np.stack([x, other])))[0]


def evaluated(f, x, silent):
    """f(x), or the class of the error; no warnings if it is to be silent."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error" if silent else "ignore")
        with np.errstate(**(dict.fromkeys(("divide", "over", "invalid"), "warn") if silent else {})):
            try:
                return np.asarray(f(x))
            except np.linalg.LinAlgError as e:
                return type(e)


def in_every_transform(f, x, silent, by_vmap=True):
    """The common result of f(x), of its compiled and its vectorised forms."""
    forms = {"plain": f, "jit": fg.jit(f)}
    if by_vmap:
        forms |= {"vmap": beside(fg.vmap(f), x), "jit of vmap": beside(fg.jit(fg.vmap(f)), x)}
    found = {form: evaluated(g, x, silent) for form, g in forms.items()}
    plain = found.pop("plain")
    for form, other in found.items():
        if isinstance(plain, type):
            assert other is plain, form
        else:
            np.testing.assert_allclose(other, plain, rtol=1e-7, atol=1e-9, err_msg=form)
    return plain


@pytest.mark.parametrize("name, matrix", POINTS)
def test_derivative(name, matrix):
    row, x = ROWS[name], MATRICES[matrix]
    f, t, silent = loss(row), direction(x), matrix not in row.infinite
    gradient = in_every_transform(fg.grad(f), x, silent)
    tangent = in_every_transform(lambda x: fg.jvp(f, (x,), (t,))[1], x, silent)
    inner = evaluated(fg.grad(fg.jit(f)), x, silent)
    if matrix in row.error:
        assert gradient is tangent is inner is np.linalg.LinAlgError
        return
    np.testing.assert_allclose(inner, gradient, rtol=1e-7, atol=1e-9)
    if matrix in row.nan:
        assert np.isnan(tangent)
        assert np.isnan(gradient).any()
    elif matrix not in row.infinite:
        np.testing.assert_allclose(np.sum(gradient * t).real, tangent, rtol=1e-7, atol=1e-9)
        if matrix not in row.choice:
            h = 1e-5
            differences = (f(x + h * t) - f(x - h * t)) / (2 * h)
            np.testing.assert_allclose(tangent, differences, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name, matrix", [(n, m) for n, m in POINTS if m not in ROWS[n].error])
def test_second_derivative(name, matrix):
    row, x = ROWS[name], MATRICES[matrix]
    f, t, silent = loss(row), direction(x), matrix not in row.infinite

    def reverse(x):
        return fg.grad(lambda x: fnp.sum(fg.grad(f)(x) * t).real)(x)

    def forward(x):
        return fg.jvp(fg.grad(f), (x,), (t,))[1]

    hessians = [in_every_transform(g, x, silent) for g in (reverse, forward)]
    for h in hessians:
        if matrix in row.second:
            assert np.isnan(h).any()
        elif matrix not in row.infinite:
            assert np.isfinite(h).all()
    if matrix not in row.choice | row.second | row.infinite and x.dtype == float:
        differences = (evaluated(fg.grad(f), x + 1e-5 * t, True) - evaluated(fg.grad(f), x - 1e-5 * t, True)) / 2e-5
        for h in hessians:
            np.testing.assert_allclose(h, differences, rtol=1e-5, atol=1e-5)


DIAGONAL_KINKS = [
    (lambda x: linalg.norm(x, 2), "two equal", [0.5, 0.5, 0.0]),  # a tie of the largest: equal shares
    (lambda x: linalg.norm(x, 2), "zero", [1 / 6, 1 / 6, 1 / 6]),  # half to the least value of a norm
    (lambda x: linalg.norm(x, -2), "rank 1", [0.0, 0.5, 0.5]),  # the derivative from the right, as that of abs
    (lambda x: linalg.norm(x, "nuc"), "rank 1", [1.0, 1.0, 1.0]),
]


@pytest.mark.parametrize("f, matrix, expected", DIAGONAL_KINKS)
def test_kinks_of_diagonal_matrices(f, matrix, expected):
    np.testing.assert_allclose(in_every_transform(fg.grad(f), MATRICES[matrix], True), np.diag(expected), atol=1e-15)

"""Linear algebra primitives where the generated tests cannot look: phases, singular points, degenerate values."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NotDifferentiableError
from funcgrad.ops import factorizations, linalg
from funcgrad.ops.least_squares import lstsq
from funcgrad.testing import check_adjoint, check_grads

RNG = np.random.default_rng(3)


def normal(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


SHAPES = [(3, 3), (4, 2), (2, 4), (2, 3, 2)]


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


# Complex vectors: functions that do not depend on their phases have derivatives that differences see.


@pytest.mark.parametrize("shape", SHAPES)
def test_svd_of_complex_matrices(shape):
    def invariant(x):
        u, s, vh = factorizations.svd(x)
        return (u * np.cos(s)[..., None, :]) @ vh, np.abs(u) ** 2, np.abs(vh) ** 2

    check_grads(invariant, (normal(*shape),), order=2)


@pytest.mark.parametrize("uplo", [None, "L", "U"])
def test_eigh_of_complex_matrices(uplo):
    def invariant(x):
        w, v = factorizations.eigh(x, uplo=uplo)
        return (v * np.exp(1j * w)[..., None, :]) @ adjoint(v), np.abs(v) ** 2

    x = normal(2, 3, 3)
    check_grads(invariant, (x + adjoint(x),), order=2)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_modes_agree_on_complex_svd(shape):
    """Also for what depends on the phase: both take the tangent without a change of phase."""
    check_adjoint(factorizations.svd, (normal(*shape),))


def test_the_modes_agree_on_complex_eigh():
    x = normal(3, 3)
    check_adjoint(lambda x: factorizations.eigh(x, uplo=None), (x + adjoint(x),))


def test_eigenvectors_stay_normalised_along_a_tangent():
    x, t = normal(4, 4), normal(4, 4)
    (_, v), (_, tv) = fg.jvp(factorizations.eig, (x,), (t,))
    v, tv = np.asarray(v), np.asarray(tv)
    largest = np.argmax(np.abs(v), axis=0), np.arange(4)
    np.testing.assert_allclose(np.sum(np.conj(v) * tv, axis=0).real, 0, atol=1e-13)
    np.testing.assert_allclose(tv[largest].imag, 0, atol=1e-13)


# Equal values: they have derivatives, their vectors have not.


@pytest.mark.parametrize("values", [lambda x: factorizations.eigh(x, uplo=None)[0], lambda x: factorizations.svd(x)[1]])
def test_equal_values_have_derivatives_though_vectors_were_computed(values):
    g = fg.grad(lambda x: np.sum(values(x)))(np.eye(3))
    np.testing.assert_allclose(np.asarray(g), np.eye(3), atol=1e-15)


# Singular matrices.


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", [float, complex])
def test_cofactors_of_singular_matrices(rank, dtype):
    """Against determinants of minors; with rank below n - 1 they are all zero."""
    a, b = normal(4, rank), normal(rank, 4)
    x = (a @ b).astype(complex) if dtype is complex else a.real @ b.real
    x[3] = 0  # singular to the last bit
    minors = [
        [np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)) * (-1) ** (i + j) for j in range(4)] for i in range(4)
    ]
    np.testing.assert_allclose(linalg.cofactor(x), minors, atol=1e-12)
    g = fg.grad(lambda x: np.real(linalg.det(x)))(x)
    np.testing.assert_allclose(np.asarray(g), minors, atol=1e-12)


def test_det_of_a_singular_matrix_to_third_order():
    """det is multilinear in the rows; of [[1, 2], [2, 4]] the Hessian has ±1 where the other entries are."""
    x = np.array([[1.0, 2.0], [2.0, 4.0]])

    def directional(t):
        return fg.grad(lambda x: fg.jvp(linalg.det, (x,), (t,))[1])(x)

    np.testing.assert_array_equal(np.asarray(directional(np.array([[1.0, 0.0], [0.0, 0.0]]))), [[0, 0], [0, 1]])
    np.testing.assert_array_equal(np.asarray(directional(np.array([[0.0, 1.0], [0.0, 0.0]]))), [[0, 0], [-1, 0]])
    check_grads(linalg.det, (np.zeros((3, 3)),), order=3)


def test_second_derivative_of_a_larger_singular_determinant_says_so():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        fg.grad(lambda x: np.sum(fg.grad(linalg.det)(x)))(np.diag([1.0, 2.0, 3.0, 0.0]))


def test_pinv_and_lstsq_where_the_rank_is_constant():
    """Along a change of the matrix that keeps its rank, differences see the derivative."""
    a, b = RNG.standard_normal((4, 2)), RNG.standard_normal((2, 3))
    y = RNG.standard_normal((4, 2))
    check_grads(lambda a, b: linalg.pinv(a @ b, 1e-10), (a, b), order=2)
    check_grads(lambda a, b, y: lstsq(a @ b, y, rcond=1e-10)[0], (a, b, y), order=2)


# Hermitian matrices.


@pytest.mark.parametrize(
    "f", [factorizations.cholesky, lambda x: factorizations.eigvalsh(x, uplo=None)], ids=["cholesky", "eigvalsh"]
)
def test_gradients_of_functions_of_a_hermitian_matrix_are_hermitian(f):
    """A gradient pairs without conjugation, so it is Hermitian as a matrix all the same."""
    x = normal(3, 3)
    x = x @ adjoint(x) + np.eye(3)
    g = np.asarray(fg.grad(lambda x: np.sum(np.abs(f(x)) ** 3))(x))
    np.testing.assert_allclose(g, adjoint(g), atol=1e-12)


def test_cholesky_gives_the_gradient_of_log_det():
    x = normal(3, 3).real
    x = x @ x.T + np.eye(3)
    g = fg.grad(lambda x: 2 * np.sum(np.log(fnp.diagonal(factorizations.cholesky(x)))))(x)
    np.testing.assert_allclose(np.asarray(g), np.linalg.inv(x), rtol=1e-12)


@pytest.mark.parametrize("uplo, other", [("L", np.triu), ("U", np.tril)])
def test_uplo_looks_at_one_triangle(uplo, other):
    x = normal(3, 3).real
    x = x + x.T
    (g,) = fg.vjp(lambda x: factorizations.eigvalsh(x, uplo=uplo), x)[1](np.ones(3) * [1, 2, 3])
    np.testing.assert_array_equal(other(np.asarray(g), 1 if uplo == "L" else -1), 0)
    spoiled = x + other(np.ones((3, 3)), 1 if uplo == "L" else -1)
    np.testing.assert_allclose(factorizations.eigvalsh(spoiled, uplo=uplo), np.linalg.eigvalsh(x), rtol=1e-12)


def test_inv_lower_in_blocks():
    x = np.tril(RNG.standard_normal((2, 130, 130))) * 0.1 + 2 * np.eye(130)
    np.testing.assert_allclose(linalg.inv_lower(x + np.triu(np.ones(130), 1)), np.linalg.inv(x), atol=1e-12)


@pytest.mark.parametrize("shape", [(5, 2), (2, 4, 2)])
@pytest.mark.parametrize("kind", "dD")
def test_the_further_columns_of_a_complete_q(shape, kind):
    """The space that they span moves as differences say; the columns themselves do not turn inside it."""
    x = RNG.standard_normal(shape) + (1j * RNG.standard_normal(shape) if kind == "D" else 0)
    n = shape[-1]

    def projector(x):
        q, r = factorizations.qr_complete(x)
        rest = q[..., n:]
        return rest @ np.conj(rest.mT), q @ r, np.abs(r) ** 2

    check_grads(projector, (x,), order=1)
    q, tangent = fg.jvp(lambda x: factorizations.qr_complete(x)[0], (x,), (np.ones_like(x),))
    q, tangent = np.asarray(q), np.asarray(tangent)
    np.testing.assert_allclose(np.conj(q[..., n:].mT) @ tangent[..., n:], 0, atol=1e-12)


@pytest.mark.parametrize("shape", [(100_000, 2), (2, 100_000)])
def test_the_pseudoinverse_of_long_matrices_takes_no_square(shape):
    """A square of the longer side would take 80 GB."""
    x = RNG.standard_normal(shape)
    g = np.asarray(fg.grad(lambda x: (linalg.pinv(x, 1e-12) ** 2).sum())(x))
    s2 = np.linalg.inv(x @ x.T if shape[0] == 2 else x.T @ x)  # the sum of squares is the trace of this inverse
    np.testing.assert_allclose(g, -2 * (s2 @ s2 @ x if shape[0] == 2 else x @ s2 @ s2), atol=1e-12)
    np.testing.assert_allclose(
        fg.jvp(lambda x: (linalg.pinv(x, 1e-12) ** 2).sum(), (x,), (x,))[1], np.sum(g * x), rtol=1e-9
    )


# What has no derivative.


@pytest.mark.parametrize(
    "f, text",
    [
        (factorizations.svd_full, "full_matrices=False"),
        (factorizations.qr_raw, 'mode="reduced"'),
    ],
)
@pytest.mark.parametrize(
    "transform", [lambda f, x: fg.vjp(f, x), lambda f, x: fg.jvp(f, (x,), (x,))], ids=["vjp", "jvp"]
)
def test_undetermined_vectors_are_refused(transform, f, text):
    with pytest.raises(NotDifferentiableError, match=text):
        transform(f, np.ones((3, 2)))


@pytest.mark.parametrize(
    "f",
    [
        linalg.inv,
        linalg.det,
        linalg.slogdet,
        factorizations.cholesky,
        factorizations.eig,
        lambda x: factorizations.eigh(x, uplo=None),
        lambda x: linalg.solve(x, x),
    ],
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_what_is_no_square_matrix_raises_also_when_only_shapes_are_known(f, shape):
    for run in (f, fg.make_tape(f)):
        with pytest.raises(np.linalg.LinAlgError):
            run(fg.Array(np.ones(shape)))


@pytest.mark.parametrize(
    "primitive, args, error, text",
    [
        (linalg.inv, (np.ones((2, 2), np.float16),), TypeError, "got float16"),
        (linalg.solve, (np.ones((2, 2)), np.ones(3)), ValueError, "do not match"),
        (
            lambda a, b: lstsq(a, b, rcond=None),
            (np.ones((2, 2)), np.ones((3, 1))),
            np.linalg.LinAlgError,
            "match",
        ),
    ],
)
def test_shape_rules_refuse_what_numpy_refuses(primitive, args, error, text):
    with pytest.raises(error, match=text):
        fg.eval_shape(primitive, *args)
    with pytest.raises(error):
        primitive(*args)


def test_norm_of_integers_is_a_float():
    assert fg.eval_shape(lambda x: linalg.norm(x, axis=(0,)), np.array([3, 4])).dtype == float
    assert linalg.norm(np.array([3, 4]), axis=(0,)) == 5


# The cotangent of a diagonal, which the rule of cholesky takes as it is.


def log_determinant(k):
    return fnp.sum(fnp.log(fnp.diagonal(fnp.linalg.cholesky(k), axis1=-2, axis2=-1).real))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(4, 4), (2, 3, 3)])
def test_the_gradient_of_a_log_determinant_is_half_the_inverse(dtype, shape):
    rng = np.random.default_rng(0)
    a = (
        (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
        if dtype[0] == "c"
        else rng.normal(size=shape)
    )
    k = a @ a.conj().mT + 2 * np.eye(shape[-1])
    expected = 0.5 * np.linalg.inv(k).mT
    np.testing.assert_allclose(fg.grad(log_determinant)(k), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(fg.jit(fg.grad(log_determinant))(k), expected, rtol=1e-12, atol=1e-14)


def test_a_diagonal_and_the_whole_factor():
    """Derivatives against differences where the cotangents of a diagonal meet each other, and dense ones."""
    k = np.random.default_rng(0).normal(size=(3, 3))
    k = k @ k.T + np.eye(3)

    def f(order):
        def loss(k):
            c = fnp.linalg.cholesky(k)
            terms = [fnp.sum(fnp.log(fnp.diagonal(c))), fnp.sum(fnp.diagonal(c) ** 3), fnp.sum(fnp.sin(c)), c[1, 0]]
            return sum(terms[i] for i in order)

        return loss

    for order in ((0, 1), (0, 2), (2, 0, 1), (3, 0), (0, 3, 2), (3, 1, 2, 0)):
        check_grads(f(order), (k,), order=2 if len(order) == 4 else 1)


def test_diagonals_of_other_values_have_dense_cotangents():
    x = np.random.default_rng(0).normal(size=(2, 3, 3))
    expected = np.cos(np.diagonal(x, axis1=1, axis2=2))[:, None, :] * np.eye(3)
    f = fg.grad(lambda x: fnp.sum(fnp.sin(fnp.diagonal(x, axis1=1, axis2=2))))
    np.testing.assert_allclose(f(x), expected, rtol=1e-15)
    both = fg.grad(lambda x: fnp.sum(fnp.sin(fnp.diagonal(x, axis1=1, axis2=2))) + fnp.sum(x) + fnp.sum(x[0]))
    np.testing.assert_allclose(both(x), expected + 1 + np.array([1, 0])[:, None, None], rtol=1e-15)
    other = fg.grad(lambda x: fnp.sum(fnp.sin(fnp.diagonal(x, 1, 1, 2))))
    expected = np.zeros_like(x)
    expected[:, [0, 1], [1, 2]] = np.cos(np.diagonal(x, 1, 1, 2))
    np.testing.assert_allclose(other(x), expected, rtol=1e-15)


def test_the_exponential_of_halves_is_the_same_compiled():
    x = np.array([[0.0, 1.0], [0.0, 0.5]], np.float16)
    for f in (fg.scipy.linalg.expm, fg.jit(fg.scipy.linalg.expm)):
        assert f(x).dtype == np.float32
        np.testing.assert_allclose(f(x), [[1, 2 * np.expm1(0.5)], [0, np.exp(0.5)]], rtol=1e-6)

"""Sparse matrices of SciPy as constants: their products and systems against the dense ones, values and derivatives."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LostTraceError, ShapeError, UnsupportedError
from funcgrad.scipy.sparse.linalg import factorized, splu, spsolve
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.sparse")
RNG = np.random.default_rng(0)
DENSE = np.where(RNG.uniform(size=(5, 4)) < 0.5, RNG.standard_normal((5, 4)), 0.0)
SQUARE = np.where(RNG.uniform(size=(5, 5)) < 0.3, RNG.standard_normal((5, 5)), 0.0) + 3 * np.eye(5)
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]
KINDS = [f"{f}_{kind}" for f in FORMATS for kind in ("matrix", "array")]

PRODUCTS = {
    "A @ x": (lambda A, x: A @ x, (4,)),
    "A @ X": (lambda A, x: A @ x, (4, 3)),
    "A @ column": (lambda A, x: A @ x, (4, 1)),
    "A.T @ x": (lambda A, x: A.T @ x, (5,)),
    "A.dot(x)": (lambda A, x: A.dot(x), (4,)),
    "x @ A": (lambda A, x: x @ A, (5,)),
    "X @ A": (lambda A, x: x @ A, (3, 5)),
    "A.T @ (A @ x)": (lambda A, x: A.T @ (A @ x), (4,)),
}


def no_dense(monkeypatch):
    """From here on writing out a sparse matrix is an error."""

    def refuse(*args, **kwargs):
        raise AssertionError("the matrix was written out")

    for name in ("toarray", "todense"):
        for kind in KINDS:
            monkeypatch.setattr(getattr(scipy, kind), name, refuse)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("product", PRODUCTS)
def test_products(kind, product, monkeypatch):
    if kind.startswith("coo") and product == "A.dot(x)":
        return  # the method is another one there, which would hand NotImplemented to the user; see below
    f, shape = PRODUCTS[product]
    A, x = getattr(scipy, kind)(DENSE), RNG.standard_normal(shape)
    no_dense(monkeypatch)
    expected = f(DENSE, x)
    np.testing.assert_allclose(np.asarray(f(A, fg.Array(x))), expected, atol=1e-14)
    g = fg.grad(lambda x: fnp.sum(np.sin(f(A, x))))
    dense = np.asarray(fg.grad(lambda x: fnp.sum(np.sin(f(DENSE, x))))(x))
    np.testing.assert_allclose(np.asarray(g(x)), dense, atol=1e-13)
    np.testing.assert_allclose(np.asarray(fg.jit(g)(x)), dense, atol=1e-13)
    np.testing.assert_allclose(np.asarray(fg.jit(lambda x: f(A, x))(x)), expected, atol=1e-13)
    rows = fg.vmap(lambda x: f(A, x))(np.stack([x, 2 * x]))
    np.testing.assert_allclose(np.asarray(rows), np.stack([expected, 2 * expected]), atol=1e-13)
    tangent = fg.jvp(lambda x: f(A, x), (x,), (x,))[1]
    np.testing.assert_allclose(np.asarray(tangent), expected, atol=1e-13)


def test_the_product_by_star_is_that_of_a_matrix_and_not_of_an_array():
    x = RNG.standard_normal(4)
    g = fg.grad(lambda x: fnp.sum((scipy.csr_matrix(DENSE) * x) ** 2))(x)
    np.testing.assert_allclose(np.asarray(g), 2 * DENSE.T @ DENSE @ x)
    for f in (lambda x: (scipy.csr_array(DENSE) * x).sum(), lambda x: x * scipy.csr_array(DENSE)):
        with pytest.raises((TypeError, UnsupportedError), match="sparse"):
            fg.grad(f)(x)


def test_complex_numbers_and_higher_derivatives():
    A, x = scipy.csr_array(DENSE * (1 + 2j)), RNG.standard_normal(4)
    check_grads(lambda x: (A @ x).real ** 2 + (A @ x).imag ** 3, (x,), order=2)
    check_grads(lambda x: scipy.csr_array(DENSE) @ x, (x + 1j,), order=1)
    hessian = fg.hessian(lambda x: fnp.sum((scipy.csr_array(DENSE) @ x) ** 2))(x)
    np.testing.assert_allclose(np.asarray(hessian), 2 * DENSE.T @ DENSE, atol=1e-13)


def test_what_happens_to_the_matrix_later_does_not_change_the_gradient():
    A, x = scipy.csr_array(DENSE), RNG.standard_normal(4)
    _, pullback = fg.vjp(lambda x: A @ x, x)
    A.data[:] = 0
    np.testing.assert_allclose(np.asarray(pullback(np.ones(5))[0]), DENSE.sum(axis=0))


def test_a_tape_with_a_sparse_matrix_prints_and_gives_its_source():
    A, x = scipy.csr_array(DENSE), RNG.standard_normal(4)
    tape = fg.make_tape(lambda x: A @ x)(x)
    assert "sparse_product(a, matrix=csr 5x4)" in str(tape)
    namespace = {}
    exec(tape.source(), namespace)
    np.testing.assert_allclose(np.asarray(namespace["program"](x)[0]), DENSE @ x)


@pytest.mark.parametrize("kind", KINDS)
def test_systems(kind, monkeypatch):
    A, b = getattr(scipy, kind)(SQUARE), RNG.standard_normal((5, 2))
    no_dense(monkeypatch)
    expected = np.linalg.solve(SQUARE, b)
    np.testing.assert_allclose(np.asarray(spsolve(A, b)), expected)
    np.testing.assert_allclose(np.asarray(factorized(A)(b[:, 0])), expected[:, 0])
    np.testing.assert_allclose(np.asarray(splu(A).solve(b, "T")), np.linalg.solve(SQUARE.T, b))
    np.testing.assert_allclose(np.asarray(splu(A).solve(b * 1j, "H")), np.linalg.solve(SQUARE.T, b * 1j))
    np.testing.assert_allclose(np.asarray(spsolve(A, b[:, 0] * 1j)), expected[:, 0] * 1j)
    check_grads(lambda b: np.sin(spsolve(A, b)), (b,), order=2)
    np.testing.assert_allclose(np.asarray(fg.jit(lambda b: spsolve(A, b))(b)), expected)
    np.testing.assert_allclose(np.asarray(fg.vmap(lambda b: spsolve(A, b), in_axes=1, out_axes=1)(b)), expected)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fg.grad(lambda x: fnp.sum(scipy.csr_array(DENSE) @ x))(np.ones(3)), ShapeError, "inner dimensions"),
        (lambda: fg.grad(lambda x: fnp.sum(x @ scipy.csr_array(DENSE)))(np.ones(3)), ShapeError, "inner dimensions"),
        (lambda: fg.grad(lambda x: x * scipy.csr_matrix(DENSE))(1.0), UnsupportedError, "is a constant"),
        (lambda: fg.grad(lambda x: scipy.coo_array(DENSE).dot(x).sum())(np.ones(4)), LostTraceError, "coo_array.dot"),
        (lambda: spsolve(SQUARE, np.ones(5)), ArgumentError, "a sparse matrix of SciPy"),
        (lambda: spsolve(scipy.csr_array(DENSE), np.ones(5)), ShapeError, "square"),
        (lambda: spsolve(scipy.csr_array(SQUARE), np.ones(4)), ShapeError, "as many rows"),
        (lambda: splu(scipy.csr_array(SQUARE)).solve(np.ones(5), "C"), ArgumentError, "trans must be"),
        (lambda: spsolve(scipy.csr_array((2, 2)), np.ones(2)), np.linalg.LinAlgError, "singular"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

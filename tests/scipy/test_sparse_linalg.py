"""cg, bicgstab, gmres: solutions against SciPy's and NumPy's, derivatives against those of np.linalg.solve."""

from functools import partial

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError, TreeError
from funcgrad.scipy.sparse.linalg import bicgstab, cg, gmres
from funcgrad.testing import check_grads

rng = np.random.default_rng(7)
N = 6


def matrix(kind, dtype=float, n=N):
    """One that the method can solve, its eigenvalues well apart from zero."""
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if dtype is complex else 0)
    return a @ a.conj().T + 2 * np.eye(n) if kind == "hermitian" else a / 2 + 4 * np.eye(n)


METHODS = [
    pytest.param(cg, "hermitian", id="cg"),
    pytest.param(bicgstab, "general", id="bicgstab"),
    pytest.param(gmres, "general", id="gmres"),
]
PRECONDITIONERS = {
    "none": lambda a: None,
    "function": lambda a: lambda x: x / fnp.diag(a).real,
    "matrix": lambda a: np.linalg.inv(a + 0.3 * np.eye(len(a))),
}


def close(found, expected, rtol=1e-8):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("preconditioner", PRECONDITIONERS)
@pytest.mark.parametrize("method, kind", METHODS)
def test_solutions(method, kind, preconditioner, dtype):
    a = matrix(kind, dtype)
    b = rng.standard_normal(N).astype(dtype)
    M = PRECONDITIONERS[preconditioner](a)
    for A in (a, fnp.array(a), lambda x: a @ x):
        x, info = method(A, b, tol=1e-12, M=M)
        close(x, np.linalg.solve(a, b))
        assert info == 0
    close(method(a, b, x0=np.linalg.solve(a, b) + 0.1, tol=1e-12, M=M)[0], np.linalg.solve(a, b))
    close(method(a, b, x0=b, maxiter=0, M=M)[0], b)


@pytest.mark.parametrize("steps", [1, 3, 5])
@pytest.mark.parametrize("preconditioner", [False, True])
@pytest.mark.parametrize("method, kind", METHODS)
def test_each_step_as_in_scipy(method, kind, preconditioner, steps):
    scipy = pytest.importorskip("scipy.sparse.linalg")
    a, b = matrix(kind), rng.standard_normal(N)
    M = np.linalg.inv(a + 2 * np.eye(N)) if preconditioner else None
    count = {"restart": steps, "maxiter": 1} if method is gmres else {"maxiter": steps}
    expected, info = getattr(scipy, method.__name__)(a, b, M=M, rtol=1e-14, **count)
    x, found = method(a, b, M=M, tol=1e-14, **count)
    close(x, expected)
    assert found != 0 and info != 0


@pytest.mark.parametrize("method, kind", METHODS)
def test_derivatives(method, kind):
    a, b = matrix(kind, n=3), rng.standard_normal(3)

    def f(a, b):
        a = (a + a.T) / 2 if method is cg else a
        return method(a, b, tol=1e-14)[0]

    def g(a, b):
        a = (a + a.T) / 2 if method is cg else a
        return fnp.linalg.solve(a, b)

    check_grads(f, (a, b), order=2)

    def loss(f):
        return lambda *args: fnp.sum(fnp.sin(f(*args)))

    close(fg.grad(loss(f), argnums=(0, 1))(a, b), fg.grad(loss(g), argnums=(0, 1))(a, b))
    close(fg.hessian(loss(f))(a, b), fg.hessian(loss(g))(a, b), rtol=1e-6)
    close(fg.jvp(fg.grad(loss(f)), (a, b), (a, b)), fg.jvp(fg.grad(loss(g)), (a, b), (a, b)), rtol=1e-6)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("method, kind", METHODS)
def test_derivatives_with_respect_to_what_the_function_closes_over(method, kind, dtype):
    a, b = matrix(kind, dtype, 3), rng.standard_normal(3).astype(dtype)

    def f(c, b):
        return method(lambda x: c * x + a @ x, b, tol=1e-14, M=lambda x: x / (fnp.diag(a).real + c))[0]

    check_grads(f, (0.5, b), order=2)
    expected = fg.grad(lambda c: fnp.linalg.solve(c * np.eye(3) + a, b).real.sum())(0.5)
    close(fg.grad(lambda c: f(c, b).real.sum())(0.5), expected)


@pytest.mark.parametrize("form", ["matrix", "function"])
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("method, kind", METHODS)
def test_batches(method, kind, dtype, form):
    """Examples that take different numbers of steps, and one that takes none."""
    aa = np.stack([matrix(kind, dtype), np.eye(N).astype(dtype), matrix(kind, dtype)])
    bb = rng.standard_normal((3, N)).astype(dtype)
    bb[2] = 0

    def f(a, b):
        return method(a if form == "matrix" else lambda x: a @ x, b, tol=1e-12)

    def expected(a, b):
        return np.linalg.solve(a, b[..., None])[..., 0]

    x, info = fg.vmap(f)(aa, bb)
    close(x, expected(aa, bb))
    assert info.shape == (3,) and not info.any()
    close(fg.vmap(f, (None, 0))(aa[0], bb)[0], expected(aa[0], bb))
    close(fg.vmap(f, (0, None))(aa, bb[0])[0], expected(aa, np.stack([bb[0]] * 3)))


@pytest.mark.parametrize("method, kind", METHODS)
def test_batches_of_derivatives(method, kind):
    aa = np.stack([matrix(kind, n=3), 2 * np.eye(3), matrix(kind, n=3)])
    bb = rng.standard_normal((3, 3))

    def f(a, b):
        return fnp.sum(fnp.sin(method((a + a.T) / 2, b, tol=1e-14, M=lambda x: x / fnp.diag(a))[0]))

    def g(a, b):
        return fnp.sum(fnp.sin(fnp.linalg.solve((a + a.T) / 2, b)))

    both = {"argnums": (0, 1)}
    close(fg.vmap(fg.grad(f, **both))(aa, bb), fg.vmap(fg.grad(g, **both))(aa, bb))
    total = [fg.grad(lambda a, b: fg.vmap(h, (0, None))(a, b).sum(), **both)(aa, bb[0]) for h in (f, g)]
    close(*total)
    close(fg.vmap(fg.hessian(f))(aa, bb), fg.vmap(fg.hessian(g))(aa, bb), rtol=1e-6)


@pytest.mark.parametrize("method, kind", METHODS)
def test_on_tapes(method, kind):
    a, b = matrix(kind), rng.standard_normal(N)
    f = partial(method, tol=1e-12)
    tape = fg.make_tape(f)(a, b)
    assert [e.primitive.name for e in tape if e.primitive.name != "item"] == [method.__name__]
    close(tape(2 * a, b)[0], np.linalg.solve(2 * a, b))
    g = fg.grad(lambda a: f(a, b)[0].sum())
    close(fg.make_tape(g)(a)(2 * a), g(2 * a))
    close(fg.vmap(tape)(np.stack([a, 2 * a]), np.stack([b, b]))[0][1], np.linalg.solve(2 * a, b))
    (transposed,) = fg.linear_transpose(lambda b: f(a, b)[0], b)(b)
    close(transposed, np.linalg.solve(a.T, b))


@pytest.mark.parametrize("method, kind", METHODS)
def test_pytrees_and_shapes(method, kind):
    def A(x):
        return {"u": 4.0 * x["u"] + 0.1 * x["v"].sum(), "v": (3.0 * x["v"] + 0.1 * x["u"].sum()).astype(np.float32)}

    b = {"u": np.array([1.0, 2.0]), "v": np.ones((2, 2), np.float32)}
    x, info = method(A, b, tol=1e-10, x0=b)
    close(A(x), b, rtol=1e-5)
    assert info == 0
    assert x["v"].dtype == np.float32
    a, b = matrix(kind), rng.standard_normal((N, 2))
    close(method(a, b, tol=1e-12)[0], np.linalg.solve(a, b))


@pytest.mark.parametrize("method, kind", METHODS)
def test_dtypes(method, kind):
    assert method(2 * np.eye(3, dtype=np.float32), np.ones(3, np.float32))[0].dtype == np.float32
    x, _ = method(2 * np.eye(3, dtype=int), np.array([2, 4, 6]))
    close(x, np.array([1.0, 2.0, 3.0]))
    x, _ = method(lambda x: 2.0 * x, np.array([2, 4, 6]))
    close(x, np.array([1.0, 2.0, 3.0]))
    x, _ = method(2j * np.eye(3) if method is not cg else np.eye(3) + 0j, np.ones(3))
    assert x.dtype == complex


@pytest.mark.parametrize("method, kind", METHODS)
def test_info_tells_of_failure(method, kind):
    a = np.diag(np.arange(1.0, 41.0))
    x, info = method(a, np.ones(40), tol=1e-10, maxiter=1)
    assert info == 1
    assert np.linalg.norm(a @ np.asarray(x) - 1) > 1e-10 * np.sqrt(40)
    x, info = method(a, np.zeros(40))
    assert info == 0 and not x.any()


@pytest.mark.parametrize("method, kind", METHODS)
def test_tolerances(method, kind):
    a, b = matrix(kind, n=30), rng.standard_normal(30)
    for options, limit in (({"tol": 1e-3}, 1e-3 * np.linalg.norm(b)), ({"tol": 0.0, "atol": 0.1}, 0.1)):
        x, info = method(a, b, **options)
        assert info == 0 and np.linalg.norm(a @ np.asarray(x) - b) <= limit


def test_gmres_restarts():
    a, b = matrix("general", n=30), rng.standard_normal(30)
    x, info = gmres(a, b, tol=1e-10, restart=4, solve_method="incremental")
    close(x, np.linalg.solve(a, b))
    assert info == 0
    rotation = np.roll(np.eye(8), 1, axis=0)
    _, info = gmres(rotation, np.eye(8)[0], restart=3)
    assert info == 1, "no Krylov space of less than 8 dimensions gets nearer"


def test_a_function_that_leaves_funcgrad():
    a, b = matrix("hermitian"), rng.standard_normal(N)

    def A(x):
        return np.asarray(a) @ np.asarray(x)

    close(cg(A, b, tol=1e-12)[0], np.linalg.solve(a, b))
    close(fg.grad(lambda b: cg(A, b, tol=1e-12)[0].sum())(b), np.linalg.solve(a, np.ones(N)))


def test_a_sparse_matrix_of_scipy():
    scipy = pytest.importorskip("scipy.sparse")
    a, b = matrix("hermitian"), rng.standard_normal(N)
    S = scipy.csr_matrix(a)
    close(cg(S, b, tol=1e-12)[0], np.linalg.solve(a, b))
    close(fg.jacfwd(lambda b: cg(S, b, tol=1e-12)[0])(b), np.linalg.inv(a))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: cg(np.ones((2, 3)), np.ones(3)), ShapeError, "square matrix, but has shape: \\(2, 3\\)"),
        (lambda: cg(np.eye(3), np.ones(2)), ShapeError, "array of 3 rows"),
        (lambda: cg(np.eye(3), {"a": np.ones(3)}), ShapeError, "give A as a function"),
        (lambda: cg(3.0, np.ones(3)), ArgumentError, "a matrix or a function"),
        (lambda: cg(np.eye(3), np.ones(3), M=np.ones(3)), ShapeError, "square matrix"),
        (lambda: cg(lambda x: x[:2], np.ones(3)), ShapeError, r"matvec\(\) output shapes"),
        (lambda: bicgstab(np.eye(3), np.ones(3), x0=(np.ones(3),)), TreeError, "matching tree structure"),
        (lambda: gmres(np.eye(3), np.ones(3), x0=np.ones(2)), ShapeError, "matching shapes"),
        (lambda: gmres(np.eye(3), np.ones(3), solve_method="fast"), ValueError, "solve_method"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

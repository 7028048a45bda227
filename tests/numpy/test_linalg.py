"""numpy.linalg against NumPy's own values, in both ways of calling, and its derivatives against differences and JAX."""

import inspect

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError
from funcgrad.testing import check_grads

RNG = np.random.default_rng(6)
REAL = RNG.standard_normal((3, 3))
COMPLEX = REAL + 1j * RNG.standard_normal((3, 3))
STACK = RNG.standard_normal((2, 3, 3))
TALL = RNG.standard_normal((4, 2))
VECTOR = RNG.standard_normal(3)
TENSOR = RNG.standard_normal((2, 3, 6))
POSITIVE = COMPLEX @ COMPLEX.conj().T + np.eye(3)
HERMITIAN = POSITIVE - 3 * np.eye(3)  # eigenvalues of both signs
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
INF = np.inf


def on_all(*names):
    return [(n, (x,), {}) for n in names for x in (REAL, COMPLEX, STACK)]


CASES = [
    *on_all("inv", "det", "slogdet", "pinv", "svd", "svdvals", "qr", "cond", "trace", "diagonal", "matrix_transpose"),
    *[("solve", (x, b), {}) for x in (REAL, COMPLEX, STACK) for b in (VECTOR, REAL, np.stack([TALL[:3], TALL[:3]]))],
    *[("matrix_power", (x, n), {}) for x in (REAL, STACK) for n in (-3, -1, 0, 1, 2, 3, 6)],
    *[("norm", (x, o, (-2, -1)), {"keepdims": k}) for x in (COMPLEX, STACK)
      for o in (None, "fro", "nuc", 1, -1, 2, -2, INF, -INF) for k in (False, True)],
    *[("norm", (x, o), {"axis": a, "keepdims": k}) for x in (COMPLEX, STACK)
      for o in (None, 1, 2, 3, 0.5, -1, INF, -INF) for a in (0, -1) for k in (False, True)],
    *[("norm", (x,), {"keepdims": k}) for x in (VECTOR, COMPLEX, STACK) for k in (False, True)],
    ("norm", (VECTOR, 2), {}), ("norm", (REAL, "f"), {}), ("norm", (REAL, 2), {}), ("norm", (STACK, 1, (2, 0)), {}),
    *[("vector_norm", (STACK,), {"axis": a, "ord": o, "keepdims": k})
      for a in (None, 1, (0, 2)) for o in (2, 1, 3, INF) for k in (False, True)],
    *[("matrix_norm", (STACK,), {"ord": o}) for o in ("fro", "nuc", 1, 2)],
    ("matrix_norm", (REAL,), {"keepdims": True}),
    *[("cond", (x, p), {}) for x in (COMPLEX, STACK) for p in (None, 2, -2, 1, -INF, "fro")], ("cond", (TALL,), {}),
    ("pinv", (TALL,), {"rcond": 1e-3}), ("pinv", (TALL.T,), {"rtol": None}), ("pinv", (STACK, [1e-3, 1e-6]), {}),
    ("svd", (TALL,), {"full_matrices": False}), ("svd", (TALL.T, False), {}),
    ("qr", (TALL,), {}), ("qr", (TALL.T,), {}), ("qr", (TALL.T, "complete"), {}), ("qr", (TALL, "r"), {}),
    ("multi_dot", ([VECTOR, REAL, COMPLEX, VECTOR],), {}), ("multi_dot", ([REAL, COMPLEX],), {}),
    ("multi_dot", ([TALL, TALL.T, TALL, TALL.T, TALL[:, 0]],), {}), ("multi_dot", ([TALL[0], TALL.T, TALL],), {}),
    ("tensorsolve", (TENSOR, RNG.standard_normal((2, 3))), {}),
    ("tensorsolve", (np.moveaxis(TENSOR, -1, 0), RNG.standard_normal((2, 3))), {"axes": (0,)}),
    ("tensorinv", (TENSOR,), {}), ("tensorinv", (TENSOR.reshape(6, 2, 3),), {"ind": 1}),
    ("lstsq", (REAL, VECTOR), {}), ("lstsq", (TALL, RNG.standard_normal(4)), {}), ("lstsq", (TALL.T, TALL[:2]), {}),
    ("lstsq", (COMPLEX[:, :2], REAL), {"rcond": -1}),
    ("outer", (VECTOR, COMPLEX[0]), {}), ("cross", (STACK, REAL), {}), ("cross", (STACK, STACK[::-1]), {"axis": 1}),
    ("matmul", (STACK, REAL), {}), ("tensordot", (STACK, REAL), {"axes": 1}), ("vecdot", (COMPLEX, REAL), {"axis": 0}),
    ("trace", (STACK,), {"offset": 1}), ("diagonal", (STACK,), {"offset": -1}),
]  # fmt: skip

# Values only: of what depends on a phase, or is not real where NumPy's is.
FURTHER = [
    ("cholesky", (POSITIVE,), {}), ("cholesky", (POSITIVE.real,), {"upper": True}),
    ("eigh", (HERMITIAN,), {}), ("eigh", (COMPLEX, "U"), {}),
    ("eigvalsh", (HERMITIAN,), {}), ("eigvalsh", (REAL, "l"), {}), ("eig", (COMPLEX,), {}), ("eigvals", (COMPLEX,), {}),
    ("svd", (TALL,), {}), ("svd", (HERMITIAN,), {"compute_uv": False, "hermitian": True}),
    ("svd", (HERMITIAN.real,), {"hermitian": True}),
    ("qr", (TALL, "complete"), {}), ("qr", (TALL, "raw"), {}),
    ("matrix_rank", (SINGULAR,), {}), ("matrix_rank", (STACK, [0.1, 10.0]), {}), ("matrix_rank", (VECTOR,), {}),
    ("matrix_rank", (HERMITIAN,), {"hermitian": True, "rtol": 0.5}),
    ("norm", (VECTOR, 0), {}), ("norm", (np.zeros(0), INF), {}), ("norm", (np.zeros((0, 2)), 2), {}),
    ("norm", (5.0,), {}), ("norm", (np.arange(3),), {}), ("det", (np.zeros((0, 0)),), {}),
    ("inv", ([[1, 2], [3, 5]],), {}), ("cond", (SINGULAR, 1), {}), ("cond", (np.stack([SINGULAR, np.eye(2)]), INF), {}),
    ("cond", (np.zeros((2, 2)),), {}), ("matrix_power", (np.array([[1, 1], [0, 1]]), 5), {}),
    ("lstsq", (np.ones((3, 2)), VECTOR), {}), ("pinv", (STACK, [1e-3, 0.5]), {}),
    ("pinv", (HERMITIAN,), {"hermitian": True}),
]  # fmt: skip


def ids(case):
    name, args, options = case
    return f"{name}-{'-'.join(str(getattr(a, 'shape', a)) for a in args)}-{options}"


def as_tuple(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def wrapped(x):
    if isinstance(x, np.ndarray):
        return fg.Array(x)
    return [wrapped(e) for e in x] if isinstance(x, list) else x


@pytest.mark.parametrize("name, args, options", CASES + FURTHER, ids=map(ids, CASES + FURTHER))
@pytest.mark.parametrize("namespace", [fnp, np], ids=["fnp", "np"])
def test_values_are_those_of_numpy(namespace, name, args, options):
    expected = as_tuple(getattr(np.linalg, name)(*args, **options))
    got = as_tuple(getattr(namespace.linalg, name)(*[wrapped(a) for a in args], **options))
    for e, g in zip(expected, got, strict=True):
        if namespace is fnp or any(isinstance(a, np.ndarray) for a in args):
            assert isinstance(g, fg.Array)
        assert g.dtype == np.asarray(e).dtype and g.shape == np.shape(e)
        np.testing.assert_allclose(np.asarray(g), e, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name, args, options", CASES, ids=map(ids, CASES))
def test_derivatives(name, args, options):
    """Of the plain NumPy function; factors whose phase is arbitrary are put together again."""
    function = getattr(np.linalg, name)

    def f(*args):
        out = function(*args, **options)
        if name == "svd":
            return (out.U * np.cos(out.S)[..., None, :]) @ out.Vh, out.S
        return out[:2] if name == "lstsq" else out

    constants = name in ("matrix_power", "norm", "cond", "pinv", "qr", "svd")  # their further arguments steer
    check_grads(lambda *xs: f(*xs, *args[1:]) if constants else f(*xs), args[:1] if constants else args, order=1)


@pytest.mark.parametrize("name", ["inv", "det", "pinv", "norm", "cond", "svdvals", "eigvalsh", "cholesky", "eigvals"])
def test_single_precision_stays(name):
    x = POSITIVE.real.astype("f")
    out = getattr(fnp.linalg, name)(x)
    assert out.dtype == ("F" if name == "eigvals" else "f")
    assert fg.grad(lambda x: fnp.sum(fnp.abs(getattr(fnp.linalg, name)(x))))(x).dtype == np.float32


def test_eigenvalues_of_real_matrices_are_complex():
    """Not if they happen to be, as in NumPy: the dtype does not depend on values."""
    for x in (np.diag([1.0, 2.0]), np.array([[0.0, 1.0], [-1.0, 0.0]])):
        w, v = fnp.linalg.eig(x)
        assert w.dtype == v.dtype == fnp.linalg.eigvals(x).dtype == complex
        np.testing.assert_allclose(np.asarray(w), np.linalg.eigvals(x))


def test_results_are_of_the_type_that_numpy_gives():
    """So a program has one type of result, differentiated or not."""
    for name in ("eig", "eigh", "qr", "slogdet", "svd"):
        assert type(getattr(fnp.linalg, name)(REAL)) is type(getattr(np.linalg, name)(REAL))


def test_hermitian_variants():
    u, s, vh = fnp.linalg.svd(HERMITIAN, hermitian=True)
    np.testing.assert_allclose(np.asarray((u * s) @ vh), HERMITIAN, atol=1e-13)
    np.testing.assert_allclose(np.asarray(s), np.linalg.svdvals(HERMITIAN), rtol=1e-13)
    np.testing.assert_allclose(np.asarray(fnp.linalg.svd(-POSITIVE, True, False, True)), np.linalg.svdvals(POSITIVE))
    check_grads(lambda x: np.linalg.pinv(x + np.conj(x.T), hermitian=True), (COMPLEX,), order=2)
    check_grads(lambda x: np.linalg.svd(x @ x.T - 2 * np.eye(3), compute_uv=False, hermitian=True), (REAL,), order=2)


# Points where there is no derivative, or several: recorded from JAX 0.10.


@pytest.mark.parametrize(
    "f, x, expected",
    [
        (lambda x: fnp.linalg.norm(x), np.zeros(2), [np.nan, np.nan]),
        (lambda x: fnp.linalg.norm(x, 1), np.zeros(2), [1, 1]),
        (lambda x: fnp.linalg.norm(x, INF), np.zeros(3), [1 / 6, 1 / 6, 1 / 6]),
        (lambda x: fnp.linalg.norm(x, 0), np.array([0.0, 3.0]), [0, 0]),
        (lambda x: fnp.linalg.norm(x, "fro"), np.zeros((1, 2)), [[np.nan, np.nan]]),
        (lambda x: fnp.linalg.norm(x, "nuc"), np.zeros((2, 2)), [[1, 0], [0, 1]]),
        (lambda x: fnp.linalg.norm(x, 2), np.zeros((2, 2)), [[0.25, 0], [0, 0.25]]),
        (lambda x: fnp.linalg.norm(x, -2), np.zeros((2, 2)), [[0.5, 0], [0, 0.5]]),
        (lambda x: fnp.linalg.det(x), SINGULAR, [[4, -2], [-2, 1]]),
        (lambda x: fnp.linalg.det(x), np.diag([1.0, 2.0, 3.0, 0.0]), np.diag([0, 0, 0, 6])),
        (lambda x: fnp.sum(fnp.linalg.pinv(x)), np.zeros((2, 2)), [[0, 0], [0, 0]]),
        (
            lambda x: fnp.linalg.eigvalsh(x)[0],
            np.array([[2.0, 1.0], [1.0, 3.0]]),
            [[0.7236067977, -0.4472135955], [-0.4472135955, 0.2763932023]],
        ),
        (
            lambda x: fnp.linalg.cholesky(x)[1, 1],
            np.array([[2.0, 1.0], [1.0, 3.0]]),
            [[0.0790569415, -0.1581138830], [-0.1581138830, 0.3162277660]],
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_singular_points_are_those_of_jax(f, x, expected):
    np.testing.assert_allclose(np.asarray(fg.grad(f)(x)), expected, atol=1e-10)


def test_residuals_of_least_squares_while_only_shapes_are_known():
    tape = fg.make_tape(fnp.linalg.lstsq)(TALL, np.ones(4))
    for got, expected in zip(tape(TALL, np.ones(4)), np.linalg.lstsq(TALL, np.ones(4)), strict=True):
        np.testing.assert_allclose(np.asarray(got), expected)


def test_right_sides_of_least_squares_alone():
    check_grads(lambda b: np.linalg.lstsq(TALL, b)[0], (np.ones((4, 2)),), order=2)


def test_rank_has_no_derivative():
    g = fg.grad(lambda x: fnp.sum(x) * fnp.linalg.matrix_rank(x))(REAL)
    np.testing.assert_array_equal(np.asarray(g), np.full((3, 3), 3.0))


def test_multi_dot_multiplies_in_the_cheapest_order():
    """A column first: 4 by 1, 1 by 4, 4 by 4 is cheapest from the right."""
    a, b = np.ones((4, 1)), np.ones((1, 4))
    tape = fg.make_tape(lambda a, b, c: fnp.linalg.multi_dot([a, b, c]))(a, b, np.ones((4, 4)))
    assert [e.shape for e in tape.equations if e.shape == (1, 4)] and tape.equations[-1].shape == (4, 4)
    assert not [e for e in tape.equations[:-1] if e.shape == (4, 4) and e.inputs]


_PRODUCT = ["precision", "preferred_element_type"]
OPTIONS_OF_JAX = {
    "cholesky": ["symmetrize_input"],
    "eigh": ["symmetrize_input"],
    "eigvalsh": ["symmetrize_input"],
    "lstsq": ["numpy_resid"],
    "matmul": _PRODUCT,
    "multi_dot": ["precision"],
    "slogdet": ["method"],
    "svd": ["subset_by_index"],
    "tensordot": _PRODUCT,
    "vecdot": _PRODUCT,
}


def test_the_signatures_are_those_of_numpy_and_then_of_jax():
    for name in fnp.linalg.__all__:
        if name == "LinAlgError":
            continue
        ours, theirs = (inspect.signature(getattr(m.linalg, name)) for m in (fnp, np))
        numpys = [(p.name, p.kind) for p in theirs.parameters.values()]
        assert [(p.name, p.kind) for p in ours.parameters.values()][: len(numpys)] == numpys, name
        assert list(ours.parameters)[len(numpys) :] == OPTIONS_OF_JAX.get(name, []), name
    assert set(fnp.linalg.__all__) == set(np.linalg.__all__)
    assert fnp.linalg.LinAlgError is np.linalg.LinAlgError


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.linalg.inv(SINGULAR), np.linalg.LinAlgError, "Singular"),
        (lambda: fnp.linalg.inv(TALL), np.linalg.LinAlgError, "square"),
        (lambda: fnp.linalg.eigvalsh(TALL), np.linalg.LinAlgError, r"square matrices, got an array of shape \(4, 2\)"),
        (lambda: fnp.linalg.cholesky(-np.eye(2)), np.linalg.LinAlgError, "positive definite"),
        (lambda: fnp.linalg.solve(REAL, TALL), ValueError, "mismatch"),
        (lambda: fnp.linalg.matrix_power(TALL, 2), np.linalg.LinAlgError, "square"),
        (lambda: fnp.linalg.matrix_power(REAL, 0.5), TypeError, "0.5"),
        (lambda: fnp.linalg.norm(VECTOR, "nuc"), ValueError, "'nuc'"),
        (lambda: fnp.linalg.norm(REAL, 3), ValueError, "order 3"),
        (lambda: fnp.linalg.norm(STACK, 2), ValueError, "got 3"),
        (lambda: fnp.linalg.norm(REAL, axis=(0, 0)), ValueError, "different"),
        (lambda: fnp.linalg.norm(REAL, axis=2), np.exceptions.AxisError, "axis 2"),
        (lambda: fnp.linalg.norm(REAL, axis="x"), TypeError, "'x'"),
        (lambda: fnp.linalg.qr(REAL, "economic"), ValueError, "'economic'"),
        (lambda: fnp.linalg.eigh(REAL, "X"), ValueError, "'X'"),
        (lambda: fnp.linalg.pinv(REAL, 0.1, rtol=0.1), ValueError, "only one"),
        (lambda: fnp.linalg.pinv(np.float64(2), hermitian=True), np.linalg.LinAlgError, "pinv takes a matrix"),
        (lambda: fnp.linalg.pinv(np.ones(3), hermitian=True), np.linalg.LinAlgError, "pinv takes a matrix"),
        (lambda: fnp.linalg.matrix_rank(REAL, 0.1, rtol=0.1), ValueError, "only one"),
        (lambda: fnp.linalg.cond(np.zeros((0, 2))), np.linalg.LinAlgError, "empty"),
        (lambda: fnp.linalg.cond(TALL, 1), np.linalg.LinAlgError, "square"),
        (lambda: fnp.linalg.multi_dot([REAL]), ValueError, "at least two"),
        (lambda: fnp.linalg.multi_dot([REAL, STACK, REAL]), np.linalg.LinAlgError, "array 1 has shape"),
        (lambda: fnp.linalg.multi_dot([REAL, REAL], out=np.zeros((3, 3))), LostTraceError, "out="),
        (lambda: fnp.linalg.tensorinv(TENSOR, 0), ValueError, "got 0"),
        (lambda: fnp.linalg.tensorsolve(TENSOR, np.ones(2)), np.linalg.LinAlgError, "no square system"),
        (lambda: fnp.linalg.outer(REAL, VECTOR), ValueError, "two vectors"),
        (lambda: fnp.linalg.cross(TALL, TALL), ValueError, "length three"),
        (lambda: fnp.linalg.lstsq(REAL, TALL), np.linalg.LinAlgError, "Incompatible"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text), np.errstate(all="ignore"):
        call()


@pytest.mark.parametrize("upper", [False, True])
def test_numpys_own_functions_read_one_triangle(upper):
    """Of a matrix that is not symmetric NumPy reads one triangle; under a transform np.linalg does the same."""
    x = REAL @ REAL.T + 3 * np.eye(3)
    x[0, 2] += 0.5
    triangle = "U" if upper else "L"
    calls = [
        lambda x: np.linalg.cholesky(x, upper=upper),
        lambda x: np.linalg.eigvalsh(x, triangle),
        lambda x: np.linalg.eigh(x, triangle).eigenvalues,
        *([] if upper else [np.linalg.eigvalsh, lambda x: np.linalg.eigh(x)[0], np.linalg.cholesky]),
    ]
    if not upper:
        calls += [
            lambda x: np.linalg.pinv(x, hermitian=True),
            lambda x: np.linalg.svd(x, compute_uv=False, hermitian=True),
        ]
    for f in calls:
        value, pullback = fg.vjp(f, x)
        np.testing.assert_allclose(np.asarray(value), f(x), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.asarray(f(fg.Array(x))), f(x), rtol=1e-12, atol=1e-12)
        g = np.asarray(pullback(np.ones(value.shape))[0])
        assert not (np.tril(g, -1) if upper else np.triu(g, 1)).any()
        check_grads(f, (x,), order=1)


@pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])
def test_the_pseudoinverse_of_a_hermitian_matrix(x):
    """Its function of all elements is that of the Hermitian part, and its derivative too."""

    def f(x):
        return fnp.linalg.pinv(x, hermitian=True)

    np.testing.assert_allclose(np.asarray(f(x)), np.linalg.pinv((x + x.conj().T) / 2), atol=1e-12)
    check_grads(f, (x,), order=1)

# ruff: noqa: E501  (a program and its reference stand on one line)
"""The idioms of plain NumPy in differentiated functions, each against the same program in funcgrad.numpy.

The programs on the left know nothing of funcgrad. What NumPy cannot do exactly raises, with the line and the remedy.
"""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError, UnsupportedError
from funcgrad.numpy.protocols import MOST

A = np.array([[1.0, 2.0, -1.0], [0.5, -2.0, 3.0], [2.0, 1.0, 1.0]])
C = np.array([0.5, -1.0, 2.0])


def rotation(m):
    return lambda q: m.array([[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]]) @ np.array([1.0, 2.0])


def filled(x):
    out = np.zeros_like(np.asarray(x))
    for i in range(3):
        out[i] = x[i] * x[i - 1]
    return out


def added(x):
    total = np.array([x, 2.0, x * x])
    total += x
    return total


NUMBERS = {  # functions of one number
    "array": (lambda x: np.array([x, 2.0, x * x]), lambda x: fnp.stack([x, x * 0 + 2.0, x * x])),
    "array of functions": (lambda x: np.array([np.sin(x), np.exp(x)]), lambda x: fnp.stack([fnp.sin(x), fnp.exp(x)])),
    "nested array": (
        lambda x: np.array([[x, 1.0], [0.0, x * x]]).T,
        lambda x: fnp.array([[x, 0.0], [1.0, x * x]]),
    ),
    "rotation": (rotation(np), rotation(fnp)),
    "matrix by array": (lambda x: A @ np.array([x, 2.0, x * x]), lambda x: A @ fnp.array([x, 2.0, x * x])),
    "array by matrix": (lambda x: np.array([x, 2.0, x * x]) @ A, lambda x: fnp.array([x, 2.0, x * x]) @ A),
    "arithmetic": (
        lambda x: 1 / (np.array([x, x * x]) ** 2 + C[:2]),
        lambda x: 1 / (fnp.array([x, x * x]) ** 2 + C[:2]),
    ),
    "array by tracer": (lambda x: np.array([x, 3.0]) * x, lambda x: fnp.array([x * x, 3.0 * x])),
    "tracer by array": (lambda x: x - np.array([x * x, 3.0]), lambda x: fnp.array([x - x * x, x - 3.0])),
    "in place": (added, lambda x: fnp.array([2 * x, 2.0 + x, x * x + x])),
    "exp": (lambda x: np.exp(np.array([x, -x])), lambda x: fnp.exp(fnp.array([x, -x]))),
    "sum": (lambda x: np.sum([x, 2.0, x * x]), lambda x: x + 2.0 + x * x),
    "sum of an axis": (lambda x: np.sum([[x, 2.0], [x * x, x]], axis=0), lambda x: fnp.array([x + x * x, 2.0 + x])),
    "prod": (lambda x: np.prod([x, 2.0, x * x]), lambda x: 2 * x**3),
    "mean": (lambda x: np.mean([x, 2.0, x * x]), lambda x: (x + 2.0 + x * x) / 3),
    "mean of an array": (
        lambda x: np.array([[x, 2.0], [x * x, x]]).mean(1),
        lambda x: fnp.array([x + 2, x * x + x]) / 2,
    ),
    "var": (lambda x: np.var([x, 2.0, x * x]), lambda x: fnp.var(fnp.array([x, 2.0, x * x]))),
    "std": (lambda x: np.std([x, 2.0, x * x], ddof=1), lambda x: fnp.std(fnp.array([x, 2.0, x * x]), ddof=1)),
    "average": (lambda x: np.average([x, x * x], weights=[1.0, 3.0]), lambda x: (x + 3 * x * x) / 4),
    "cumsum": (lambda x: np.cumsum([x, 2.0, x * x]), lambda x: fnp.array([x, x + 2, x + 2 + x * x])),
    "norm": (lambda x: np.linalg.norm([x, 2.0, x * x]), lambda x: fnp.sqrt(x * x + 4 + x**4)),
    "dot": (lambda x: np.dot([x, 2.0], [x, x * x]), lambda x: 3 * x * x),
    "outer": (lambda x: np.outer([x, 2.0], [x, 1.0]), lambda x: fnp.array([[x * x, x], [2 * x, 2.0]])),
    "cross": (lambda x: np.cross([x, 2.0, 0.0], [1.0, x, x]), lambda x: fnp.array([2 * x, -x * x, x * x - 2])),
    "trace": (lambda x: np.trace(np.array([[x, 1.0], [2.0, x * x]])), lambda x: x + x * x),
    "einsum": (lambda x: np.einsum("ij,j->i", A, np.array([x, 2.0, x * x])), lambda x: A @ fnp.array([x, 2.0, x * x])),
    "full": (lambda x: np.full(3, x), lambda x: x * np.ones(3)),
    "r_": (lambda x: np.r_[x, C], lambda x: fnp.concatenate([fnp.array([x]), C])),
    "c_": (lambda x: np.c_[[x, x * x], C[:2]], lambda x: fnp.array([[x, C[0]], [x * x, C[1]]])),
    "stack": (lambda x: np.stack([np.array([x, 2.0]), C[:2]]), lambda x: fnp.array([[x, 2.0], [C[0], C[1]]])),
    "concatenate": (lambda x: np.concatenate([[x, 2.0], C]), lambda x: fnp.array([x, 2.0, *C])),
    "append": (lambda x: np.append([x, 2.0], C), lambda x: fnp.array([x, 2.0, *C])),
    "diag": (lambda x: np.diag([x, 2.0]), lambda x: fnp.array([[x, 0.0], [0.0, 2.0]])),
    "tile": (lambda x: np.tile([x, 2.0], 2), lambda x: fnp.array([x, 2.0, x, 2.0])),
    "polynomial": (lambda x: np.polynomial.Polynomial([1.0, 2.0, 3.0])(x), lambda x: 1 + 2 * x + 3 * x * x),
    "its coefficients": (lambda x: np.polynomial.Polynomial([x, 2.0, x * x]).deriv()(0.5), lambda x: 2.0 + x * x),
    "chebyshev": (
        lambda x: np.polynomial.chebyshev.chebval(x, [1.0, 2.0, 3.0]),
        lambda x: 1 + 2 * x + 3 * (2 * x**2 - 1),
    ),
    "polyval": (lambda x: np.polyval([x, 2.0, 1.0], 3.0), lambda x: 9 * x + 7),
    "trapezoid": (lambda x: np.trapezoid([x, 2.0, x * x], dx=0.5), lambda x: (x + 4 + x * x) / 4),
    "diff": (lambda x: np.diff([x, 2.0, x * x]), lambda x: fnp.array([2 - x, x * x - 2])),
    "atleast_1d": (lambda x: np.atleast_1d(x), lambda x: fnp.reshape(x, (1,))),
    "asarray": (lambda x: np.asarray(x) * 2, lambda x: 2 * x),
    "reshape": (lambda x: np.reshape([x, 2.0, x, x * x], (2, 2)), lambda x: fnp.array([[x, 2.0], [x, x * x]])),
}
VECTORS = {  # functions of three numbers
    "asarray": (lambda x: np.asarray(x) ** 2, lambda x: x**2),
    "asarray of objects": (lambda x: np.asarray(x, dtype=object) ** 2, lambda x: x**2),
    "array": (lambda x: np.sum(np.sin(np.array(x)) * C), lambda x: fnp.sum(fnp.sin(x) * C)),
    "array twice": (lambda x: A @ np.array(np.asarray(x)), lambda x: A @ x),
    "copy": (lambda x: np.array(x, copy=True)[::-1] * C, lambda x: x[::-1] * C),
    "unpacked": (lambda x: np.array([x[0] * x[1], x[2], 1.0]), lambda x: fnp.stack([x[0] * x[1], x[2], x[0] * 0 + 1.0])),
    "list of rows": (lambda x: np.array([x, C, 2 * x]) @ C, lambda x: fnp.stack([x @ C, C @ C + 0 * x[0], 2 * (x @ C)])),
    "comprehension": (lambda x: np.array([np.exp(-t) for t in x]), lambda x: fnp.exp(-x)),
    "mean of losses": (lambda x: np.mean([(t - c) ** 2 for t, c in zip(x, C)]), lambda x: fnp.mean((x - C) ** 2)),
    "vectorize": (lambda x: np.vectorize(lambda t: t * t + 1)(x), lambda x: x * x + 1),
    "vectorize of two": (lambda x: np.vectorize(lambda t, c: t * c)(x, C), lambda x: x * C),
    "apply_along_axis": (lambda x: np.apply_along_axis(np.sum, 0, np.outer(x, C)), lambda x: fnp.sum(fnp.outer(x, C), 0)),
    "r_": (lambda x: np.r_[x, C, 1.0], lambda x: fnp.concatenate([x, C, np.ones(1)])),
    "r_ of entries": (lambda x: np.r_[x[0], x[1:] ** 2], lambda x: fnp.concatenate([x[:1], x[1:] ** 2])),
    "c_": (lambda x: np.c_[x, C], lambda x: fnp.stack([x, C], axis=1)),
    "column_stack": (lambda x: np.column_stack([x, C]), lambda x: fnp.stack([x, C], axis=1)),
    "diag": (lambda x: np.diag(x), lambda x: fnp.diag(x)),
    "polynomial of coefficients": (lambda x: np.polynomial.Polynomial(x)(0.7), lambda x: x @ 0.7 ** np.arange(3)),
    "polynomial at points": (lambda x: np.polynomial.Polynomial([1.0, 2.0])(x), lambda x: 1 + 2 * x),
    "legendre": (lambda x: np.polynomial.legendre.legval(0.5, x), lambda x: x[0] + x[1] / 2 + x[2] * (3 * 0.25 - 1) / 2),
    "filled": (filled, lambda x: x * fnp.roll(x, 1)),
    "some of them": (lambda x: np.asarray(x)[[2, 0]] * x[1], lambda x: x[fnp.array([2, 0])] * x[1]),
    "there and back": (lambda x: fnp.sin(np.asarray(x)), lambda x: fnp.sin(x)),
    "norm": (lambda x: np.linalg.norm(np.asarray(x)), lambda x: fnp.sqrt(fnp.sum(x * x))),
    "matrix": (lambda x: np.array([[x[0], x[1]], [x[1], x[2]]]) @ x[:2], lambda x: fnp.stack([x[0] ** 2 + x[1] ** 2, x[0] * x[1] + x[1] * x[2]])),
    "sum of Python": (lambda x: sum(np.asarray(x)), lambda x: fnp.sum(x)),
    "flat": (lambda x: np.asarray(np.outer(x, C)).flatten(), lambda x: fnp.ravel(fnp.outer(x, C))),
}  # fmt: skip
X, V = 1.3, np.array([0.4, 1.2, -0.7])
CASES = [(n, *p, X) for n, p in NUMBERS.items()] + [(n, *p, V) for n, p in VECTORS.items()]


def batched(f, x):
    return fg.vmap(f)(np.stack([x, 2 * x, -x]))


def scalar(f, x):
    """A function of x that is a number, of second order where f is."""
    return fg.grad(lambda t: fnp.sum(fnp.asarray(f(t)) ** 2))(x)


def twice(f, x):
    return fg.jacfwd(fg.jacrev(f))(x)


def compiled_gradient(f, x):
    return fg.jit(fg.jacrev(f))(x)


def pushed(f, x):
    return fg.jvp(f, (x,), (np.ones_like(x),))


def checkpointed(f, x):
    return fg.jacrev(fg.checkpoint(f))(x)


def linearized(f, x):
    return fg.linearize(f, x)[1](np.ones_like(x))


def in_a_scan(f, x):
    return fg.jacrev(lambda x: fg.lax.scan(lambda c, t: (c * 0.5, f(c * t)), x, np.array([1.0, 2.0]))[1])(x)


def of_batches(f, x):
    return fg.vmap(fg.jacrev(f))(np.stack([x, 2 * x]))


def with_aux(f, x):
    return fg.grad(lambda t: (fnp.sum(fnp.asarray(f(t))), f(t)), has_aux=True)(x)


def of_float32(f, x):
    return fg.jacrev(f)(np.asarray(x, np.float32))


TRANSFORMS = [
    fg.jacrev, fg.jacfwd, fg.hessian, fg.jit, fg.eval_shape, batched, scalar, twice, compiled_gradient, pushed,
    checkpointed, linearized, in_a_scan, of_batches, with_aux, of_float32,
]  # fmt: skip


def outcome(transform, f, x):
    return transform(f, x) if transform.__module__ == __name__ or transform is fg.eval_shape else transform(f)(x)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("idiom, reference, x", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_idioms(idiom, reference, x, transform):
    found, expected = fg.tree.leaves(outcome(transform, idiom, x)), fg.tree.leaves(outcome(transform, reference, x))
    for a, b in zip(found, expected, strict=True):
        assert isinstance(a, fg.Array | fg.ShapeDtypeStruct) and a.shape == b.shape
        if isinstance(a, fg.Array):
            np.testing.assert_allclose(
                np.asarray(a), np.asarray(b), rtol=1e-5 if transform is of_float32 else 1e-12, atol=1e-12
            )


def test_what_steers_by_order_runs_on_values():
    """NumPy sorts the roots before it multiplies: their order is looked at, and is a constant."""
    found = fg.jacrev(lambda x: np.polynomial.polynomial.polyfromroots([x, 2.0]))(X)
    np.testing.assert_allclose(found, [2.0, -1.0, 0.0])
    with pytest.raises(fg.errors.NoValueError, match=r"polyfromroots.*test_idioms\.py, line"):
        fg.jit(lambda x: np.polynomial.polynomial.polyfromroots([x, 2.0]))(X)


def test_where_and_comparisons_of_values():
    np.testing.assert_allclose(
        fg.jacrev(lambda x: np.where(np.asarray(x) > 0, np.asarray(x) ** 2, 0.0))(V), np.diag([0.8, 2.4, 0.0])
    )
    np.testing.assert_allclose(fg.grad(lambda x: np.max(np.array([x, 1.0, x * x])))(X), 2 * X)
    np.testing.assert_allclose(fg.grad(lambda x: np.sort(np.array([x, 1.0, x * x]))[1])(X), 1.0)
    np.testing.assert_allclose(fg.grad(lambda x: np.median([x, 1.0, x * x, 5.0]))(X), (1 + 2 * X) / 2)
    np.testing.assert_allclose(fg.grad(lambda x: np.sum(np.floor(np.array([x, x * x]))) + x)(X), 1.0)


def test_an_array_comes_back_as_it_went():
    def f(x):
        assert fnp.asarray(np.asarray(x)) is x
        assert fnp.asarray(np.array(x)) is x
        assert fnp.asarray(np.asarray(x).reshape(3, 1).T).shape == (1, 3)
        return fnp.sum(x)

    fg.grad(f)(V)


def test_some_entries_are_one_operation():
    tape = fg.make_tape(lambda x: fnp.asarray(np.asarray(x)[[2, 0]]))(V)
    assert [e.primitive.name for e in tape.equations] == ["getitem"]


def test_the_argument_of_an_inner_transform_may_be_an_array_of_objects():
    def f(x):
        a = np.array([x, x * x])
        inner = fg.grad(lambda b: fnp.sum(b**3))(a)
        return np.sum(a * inner) + fg.jit(lambda b: b @ b)(a) + np.asarray(x) * fg.grad(np.sin)(a[1])

    def reference(x):
        return 3 * (x**3 + x**6) + x**2 + x**4 + x * fnp.cos(x * x)

    np.testing.assert_allclose(fg.grad(f)(X), fg.grad(reference)(X), rtol=1e-12)
    np.testing.assert_allclose(fg.grad(fg.grad(f))(X), fg.grad(fg.grad(reference))(X), rtol=1e-12)


TAKERS = {  # what takes an array, and must give its square
    "jit": fg.jit(np.square),
    "vmap": fg.vmap(np.square),
    "checkpoint": fg.checkpoint(np.square),
    "scan": lambda x: fg.lax.scan(lambda c, t: (c, t * t), 0.0, x)[1],
    "carry": lambda x: fg.lax.fori_loop(0, 1, lambda i, c: c * x, x),
    "cond": lambda x: fg.lax.cond(True, np.square, np.square, x),
    "while_loop": lambda x: fg.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, c[1] * c[1]), (0, x))[1],
    "jvp": lambda x: fg.jvp(lambda y: y**3 / 3, (x,), (np.ones(3),))[1],
    "a tangent": lambda x: fg.jvp(lambda y: y**2 / 2, (fnp.asarray(x),), (x,))[1],
    "a cotangent": lambda x: fg.vjp(lambda y: y**2 / 2, fnp.asarray(x))[1](x)[0],
    "linearize": lambda x: fg.linearize(lambda y: y**2 / 2, fnp.asarray(x))[1](x),
    "custom_jvp": fg.custom_jvp(lambda x: x * x),
    "lax": lambda x: fg.lax.mul(x, x),
    "at": lambda x: fnp.zeros(3).at[:].set(x) * x,
    "ravel_pytree": lambda x: fg.ravel_pytree({"a": x})[0] ** 2,
    "divmod": lambda x: divmod(fnp.asarray(x), x)[1] + fnp.asarray(x) ** 2,
    "power": lambda x: fnp.asarray(x) ** np.full(3, 2.0, object),
    "matmul": lambda x: fnp.diag(x) @ x,
    "ufunc": lambda x: np.multiply(x, fnp.asarray(x)),
    "stop_gradient": lambda x: fnp.square(x) + fg.stop_gradient(x),
}
TAKERS["custom_jvp"].defjvp(lambda x, t: (x[0] ** 2, 2 * x[0] * t[0]))


@pytest.mark.parametrize("f", TAKERS.values(), ids=TAKERS)
def test_arrays_of_objects_go_wherever_arrays_go(f):
    for g in (lambda x: f(np.asarray(x)), lambda x: f(np.array([t + 0.0 for t in x]))):
        np.testing.assert_allclose(fg.jacrev(g)(V), np.diag(2 * V), atol=1e-12)
        np.testing.assert_allclose(fg.jit(fg.jacfwd(g))(V), np.diag(2 * V), atol=1e-12)


def test_numbers_of_two_levels_in_one_array():
    def f(x):
        return fg.grad(lambda y: np.sum(np.array([x * y, y * y, x]) @ np.array([y, 1.0, x])))(x)

    np.testing.assert_allclose(f(X), 2 * X * X + 2 * X)
    np.testing.assert_allclose(fg.grad(f)(X), 4 * X + 2)  # of 2 x y + 2 y at y = x, by both


def test_dtypes():
    assert fg.jit(lambda x, y: np.array([x, y]))(1, 2).dtype == np.int64
    assert fg.jit(lambda x, y: np.array([x, y]))(1, 2.0).dtype == np.float64
    x = np.float32(1.5)
    assert fg.jacrev(lambda x: np.array([x, x]))(x).dtype == np.float32
    assert fg.jacrev(lambda x: np.array([x, np.float64(2)]))(x).dtype == np.float32
    assert fg.jvp(lambda x: np.array([x, np.float64(2)]), (x,), (x,))[0].dtype == np.float64


def test_numbers_know_their_dtype():
    def f(x):
        a = np.asarray(x)
        assert a[0].dtype == np.float32 and a[0].shape == () and a[0].ndim == 0 and a[0].size == 1
        assert float(fg.stop_gradient(a[0])) == np.float32(0.4) and "Tracer<grad" in repr(a[1])
        return a[0] * 2

    fg.grad(f)(V.astype(np.float32))


def write(x):
    buffer = np.zeros(3)
    buffer[0] = x
    return buffer.sum()


def fill(x):
    square = np.zeros((2, 2))
    np.fill_diagonal(square, x)
    return square.sum()


REFUSED = {  # what says so, and what it must name
    "a dtype": (
        lambda x: np.sum(np.asarray(x, dtype=float)),
        V,
        r"np.asarray\(x, dtype=float64\).*Leave the dtype out",
    ),
    "a dtype of a list": (lambda x: np.sum(np.array([x, 1.0], dtype=float)), X, "float"),
    "astype": (lambda x: np.sum(np.array([x, 1.0]).astype(float)), X, "float"),
    "float64": (lambda x: np.float64(x) * x, X, "np.asarray"),
    "a buffer": (write, X, r"buf\[i\] = x.*at\[i\]"),
    "fill_diagonal": (fill, X, "fill_diagonal"),
    "too many": (lambda x: np.sum(np.asarray(x)), np.ones(MOST + 1), r"np.asarray\(x\).*leave np.asarray out"),
    "solve": (lambda x: np.linalg.solve([[x, 1.0], [0.0, 1.0]], C[:2])[0], X, r"numpy.linalg.solve.*funcgrad.numpy"),
    "inv": (lambda x: np.linalg.inv(np.array([[x, 1.0], [0.0, 1.0]]))[0, 0], X, r"numpy.linalg.inv.*funcgrad.numpy"),
    "isnan": (lambda x: np.sum(np.isnan([x, 1.0])), X, r"numpy.isnan.*funcgrad.numpy"),
    "a number beside": (lambda x: np.sum(np.exp(np.array([x, 1.0]))), X, r"numpy.exp.*funcgrad.numpy.exp"),
    "a number beside two": (lambda x: np.sum(np.hypot([1.0, x], 1.0)), X, r"numpy.hypot.*funcgrad.numpy.hypot"),
    "fft": (lambda x: np.abs(np.fft.fft([x, 1.0]))[0], X, r"numpy.fft.fft.*funcgrad.numpy"),
    "interp": (lambda x: np.interp([x], [0.0, 1.0], [1.0, 2.0])[0], X, r"interp"),
    "gradient": (lambda x: np.sum(np.gradient(np.array([x, 1.0, 2.0]))), X, r"numpy.gradient.*funcgrad.numpy.gradient"),
    "random": (lambda x: np.random.default_rng(0).normal(x), X, "float"),
    "text in it": (lambda x: np.array([x, "a"], dtype=object), X, "'a' of type str"),
    "arrays in it": (lambda x: np.array([x, [1.0, 2.0]], dtype=object), X, "list"),
}


@pytest.mark.parametrize("f, x, text", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_exact_raises_with_its_name_and_the_line(f, x, text):
    with pytest.raises((LostTraceError, UnsupportedError, fg.errors.ArgumentError), match=f"(?s){text}") as info:
        fg.grad(f)(x)
    if "in it" not in text:
        assert "test_idioms.py, line" in str(info.value) or isinstance(info.value, fg.errors.ArgumentError)


@pytest.mark.parametrize(
    "f", [lambda x: np.linalg.solve(x, 1), lambda x: np.ones("a"), lambda x: x.nothing, lambda x: [].f]
)
def test_other_errors_of_the_user_stay_as_they_are(f):
    with pytest.raises(Exception) as info:
        fg.grad(lambda x: f(np.ones(2)) + x)(X)
    assert not isinstance(info.value, fg.errors.FuncgradError)


def test_libraries_get_no_arrays_of_objects():
    pandas = pytest.importorskip("pandas")
    for f in (lambda x: pandas.Series(x).sum(), lambda x: pandas.Series([x, x]).mean()):
        with pytest.raises(LostTraceError, match=r"test_idioms\.py, line"):
            fg.grad(f)(X)


def test_a_number_that_outlives_its_transform():
    kept = []
    fg.grad(lambda x: kept.append(np.asarray(x)) or fnp.sum(x))(V)
    with pytest.raises(fg.errors.LeakedTracerError, match="grad"):
        kept[0] + 1.0
    with pytest.raises(fg.errors.LeakedTracerError, match="grad"):
        fnp.sin(kept[0])
    with pytest.raises(fg.errors.LeakedTracerError, match="grad"):
        fg.grad(lambda y: np.sum(kept[0] * y))(X)


def test_arrays_of_objects_without_traced_numbers():
    with pytest.raises(fg.errors.ArgumentError, match="dtype object"):
        fnp.asarray(np.array([1.0, 2.0], dtype=object))
    assert np.array([fnp.asarray(1.0), 2.0]).dtype == np.float64  # outside of transforms numbers are numbers


def test_methods_of_numbers_are_those_that_ufuncs_ask_for():
    """Every ufunc with a loop for objects gives on them what it gives on numbers, or says that it cannot."""
    ufuncs = {u for u in vars(np).values() if isinstance(u, np.ufunc) and u.nout == 1 and u.signature is None}
    tried = 0
    for ufunc in sorted(ufuncs, key=lambda u: u.__name__):
        if "O" * ufunc.nin + "->O" not in ufunc.types or ufunc.__name__.startswith("logical_"):  # `and` of Python
            continue
        point = (0.3, 0.6) if ufunc not in (np.arccosh,) else (1.3,)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = ufunc(*point[: ufunc.nin])
            except TypeError:
                continue  # integers only
            found = fg.jvp(lambda *xs, u=ufunc: u(*[np.array([x]) for x in xs]), point[: ufunc.nin], (1.0,) * ufunc.nin)
            reference = fg.jvp(lambda *xs, u=ufunc: u(*xs), point[: ufunc.nin], (1.0,) * ufunc.nin)
        np.testing.assert_allclose(np.asarray(found[0], float), [expected], err_msg=ufunc.__name__)
        if reference[1].dtype.kind == "f" and found[1].dtype.kind == "f":
            np.testing.assert_allclose(found[1], [reference[1]], err_msg=ufunc.__name__)
        tried += 1
    assert tried > 50


def test_scipy_names_itself_for_an_array_of_objects():
    distance = pytest.importorskip("scipy.spatial.distance")
    with pytest.raises(UnsupportedError, match=r"(?s)pdist does not take an array of objects.*test_idioms\.py"):
        fg.grad(lambda x: np.sum(distance.pdist(np.array([[x, 1.0], [0.0, x * x]]))))(2.0)

"""`linearize`: the derivative as a function of its own."""

import copy
import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.torch  # its primitives join the registry
from funcgrad.core.primitive import registry
from funcgrad.errors import ArgumentError, LeakedTracerError, NotDifferentiableError, ShapeError, TreeError
from funcgrad.testing import samples
from funcgrad.testing.samples import as_function

PRECISE = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes if c in "dD"]

# The forward rule takes the function of a block matrix in which the tangent stands: what it does to the tangent is
# linear as a whole, but no step of it is.
NOT_LINEAR_STEP_BY_STEP = ("logm", "matrix_exp")


def like(rng, x):
    """Random numbers in the shape and dtype of x."""
    values = rng.standard_normal(x.shape)
    if x.dtype.kind == "c":
        values = values + 1j * rng.standard_normal(x.shape)
    return np.asarray(values).astype(x.dtype)


def close(a, b):
    for x, y in zip(fg.tree.leaves(a), fg.tree.leaves(b), strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        if x.dtype != fg.float0:
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("primitive, code", PRECISE)
def test_every_primitive(primitive, code):
    """The linearized function is jvp, and its transpose the pullback, on every sample in the registry."""
    rng = np.random.default_rng(0)
    for sample in samples(primitive, code):
        f, args = as_function(primitive, sample)
        tangents = tuple(like(rng, x) for x in args)
        try:
            out, tangent = fg.jvp(f, args, tangents)
        except NotDifferentiableError:
            with pytest.raises(NotDifferentiableError):
                fg.linearize(f, *args)
            continue
        result, f_jvp = fg.linearize(f, *args)
        close(result, out)
        close(f_jvp(*tangents), tangent)
        if primitive.name in NOT_LINEAR_STEP_BY_STEP:
            with pytest.raises(NotDifferentiableError, match="not linear"):
                fg.linear_transpose(f_jvp, *args)
        elif args and all(x.dtype.kind in "fc" for x in fg.tree.leaves(out)):
            cotangent = fg.tree.map(lambda x: like(rng, x), out)
            close(fg.linear_transpose(f_jvp, *args)(cotangent), fg.vjp(f, *args)[1](cotangent))


# What is computed when


def test_the_function_runs_once_and_on_known_values():
    calls = []

    def f(x):
        calls.append(float(fg.stop_gradient(x)))
        return fnp.sin(x) if x > 0 else x

    y, f_jvp = fg.linearize(f, 2.0)
    assert [float(f_jvp(t)) for t in (0.0, 1.0, 3.0)] == pytest.approx([0.0, np.cos(2), 3 * np.cos(2)])
    assert float(y) == pytest.approx(np.sin(2)) and calls == [2.0]


def test_only_what_is_done_to_tangents_is_on_the_tape():
    _, f_jvp = fg.linearize(lambda x: fnp.exp(fnp.sin(x)) + fnp.log(fg.stop_gradient(x)), 2.0)
    assert [e.primitive.name for e in f_jvp.tape] == ["multiply", "multiply"]
    factors = [x for e in f_jvp.tape for x in e.inputs if isinstance(x, np.generic | np.ndarray)]
    assert [float(x) for x in factors] == pytest.approx([np.cos(2.0), np.exp(np.sin(2.0))])
    assert repr(f_jvp) == "Pushforward((float64[]) -> (float64[]), 2 equations)"


# Structure, dtypes, aux


def test_pytrees():
    p, t = {"a": np.array([1.0, 2.0]), "b": (3.0, None)}, {"a": np.array([1.0, 0.5]), "b": (2.0, None)}
    y, f_jvp = fg.linearize(lambda p, c: {"out": [p["a"] * p["b"][0] * c], "same": p["a"]}, p, 10.0)
    assert y["out"][0].tolist() == [30.0, 60.0]
    tangent = f_jvp(t, 1.0)
    assert tangent["out"][0].tolist() == [30.0 + 20.0 + 3.0, 15.0 + 40.0 + 6.0]
    assert tangent["same"].tolist() == [1.0, 0.5]


def test_aux():
    y, f_jvp, aux = fg.linearize(lambda x: (x * x, {"x": x + 1, "s": "words"}), 3.0, has_aux=True)
    assert (float(y), float(f_jvp(2.0)), float(aux["x"]), aux["s"]) == (9.0, 12.0, 4.0, "words")


@pytest.mark.parametrize("zero", [np.zeros(2, fg.float0), np.zeros(2, int), 0])
def test_integers(zero):
    y, f_jvp = fg.linearize(lambda n, x: (n, n * x, x > 0), np.arange(2), 3.0)
    assert y[0].tolist() == [0, 1]
    tangent = f_jvp(zero, 2.0)
    assert tangent[0].dtype == tangent[2].dtype == fg.float0 and tangent[1].tolist() == [0.0, 2.0]
    assert f_jvp.tape(None, 2.0)[1].tolist() == [0.0, 2.0]


def test_results_that_do_not_depend():
    _, f_jvp = fg.linearize(lambda x: (fnp.floor(x), fnp.ones(2, np.float32), 5.0, None), 1.5)
    first, second, third, none = f_jvp(1.0)
    assert float(first) == float(third) == 0.0 and second.tolist() == [0.0, 0.0] and none is None
    assert second.dtype == np.float32
    assert float(fg.linearize(lambda: 1.0)[1]()) == 0.0


def test_dtypes():
    _, f_jvp = fg.linearize(lambda x, y: x * y, np.ones(2, np.float32), np.ones(2, np.float32))
    assert f_jvp(np.ones(2, np.float32), np.ones(2, np.float32)).dtype == np.float32
    _, f_jvp = fg.linearize(lambda z: z * z, 1 + 2j)
    assert complex(f_jvp(1j)) == 2j * (1 + 2j)
    _, f_jvp = fg.linearize(lambda x: x * 1j, 2.0)
    assert complex(f_jvp(1.0)) == 1j


# With other transforms


X, T = np.array([0.3, -0.5, 1.2]), np.array([1.0, 2.0, -0.5])


def g(x):
    return fnp.stack([fnp.sum(fnp.sin(x) * x[::-1]), fnp.prod(x)])


JACOBIAN = fg.jacfwd(g)(X)


@pytest.mark.parametrize(
    "use, expected",
    [
        (lambda f_jvp: fg.vmap(f_jvp)(np.eye(3)).T, JACOBIAN),
        (lambda f_jvp: fg.vmap(f_jvp, in_axes=1, out_axes=1)(np.eye(3)), JACOBIAN),
        (lambda f_jvp: fg.jacrev(f_jvp)(X), JACOBIAN),
        (lambda f_jvp: fg.jvp(f_jvp, (X,), (T,))[1], JACOBIAN @ T),
        (lambda f_jvp: fg.linearize(f_jvp, X)[1](T), JACOBIAN @ T),
        (lambda f_jvp: fg.vjp(f_jvp, X)[1](np.array([1.0, 2.0]))[0], np.array([1.0, 2.0]) @ JACOBIAN),
        (lambda f_jvp: fg.make_tape(f_jvp)(X)(T), JACOBIAN @ T),
        (lambda f_jvp: f_jvp.tape(T), JACOBIAN @ T),
        (lambda f_jvp: pickle.loads(pickle.dumps(f_jvp))(T), JACOBIAN @ T),
        (lambda f_jvp: copy.deepcopy(f_jvp)(T), JACOBIAN @ T),
        (lambda f_jvp: fg.tree.map(lambda x: x, f_jvp)(T), JACOBIAN @ T),
    ],
)
def test_the_linearized_function_is_one_like_any_other(use, expected):
    np.testing.assert_allclose(use(fg.linearize(g, X)[1]), expected, rtol=1e-13)


def test_at_a_point_that_is_being_differentiated():
    second = lambda x: fg.linearize(fnp.sin, x)[1](1.0)
    assert float(fg.grad(second)(0.4)) == pytest.approx(-np.sin(0.4))
    assert float(fg.jvp(second, (0.4,), (2.0,))[1]) == pytest.approx(-2 * np.sin(0.4))
    np.testing.assert_allclose(fg.vmap(second)(X), np.cos(X))
    np.testing.assert_allclose(fg.make_tape(second)(1.0)(0.4), np.cos(0.4))
    assert float(fg.grad(lambda a: fg.linearize(lambda x: a * x, 1.0)[1](5.0))(3.0)) == 5.0
    third = lambda x: fg.linearize(lambda x: fg.linearize(fg.grad(fnp.sin), x)[1](1.0), x)[1](1.0)
    assert float(third(0.4)) == pytest.approx(-np.cos(0.4))


def test_it_passes_through_vmap():
    f_jvps = fg.vmap(lambda x: fg.linearize(g, x)[1])(np.stack([X, 2 * X]))
    found = fg.vmap(lambda f_jvp, t: f_jvp(t))(f_jvps, np.stack([T, T]))
    np.testing.assert_allclose(found, [fg.jvp(g, (x,), (T,))[1] for x in (X, 2 * X)])


def test_its_leaves_are_the_arrays_on_the_tape():
    _, f_jvp = fg.linearize(lambda x: fnp.sin(x) * 2.0, X)
    (leaf,) = fg.tree.leaves(f_jvp)
    np.testing.assert_allclose(leaf, np.cos(X))
    other = fg.tree.map(lambda x: x + 1, f_jvp)
    np.testing.assert_allclose(other(T), 2 * (np.cos(X) + 1) * T)
    np.testing.assert_allclose(f_jvp(T), 2 * np.cos(X) * T)


@fg.custom_jvp
def sine_with_a_rule(x):
    return fnp.sin(x)


@sine_with_a_rule.defjvp
def _(primals, tangents):
    return sine_with_a_rule(*primals), 10 * tangents[0] * fnp.cos(primals[0])  # ten times the truth: the rule is used


@pytest.mark.parametrize(
    "sine, factor", [(fg.checkpoint(fnp.sin), 1), (fg.named_call(fnp.sin), 1), (sine_with_a_rule, 10)]
)
def test_operations_that_hold_functions(sine, factor):
    def f(x):
        y = sine(x)
        return y * 2 if y[0] > 0 else y  # their results are known, too

    y, f_jvp = fg.linearize(f, X)
    np.testing.assert_allclose(y, 2 * np.sin(X))
    np.testing.assert_allclose(f_jvp(T), 2 * factor * np.cos(X) * T)
    np.testing.assert_allclose(fg.linear_transpose(f_jvp, X)(T)[0], 2 * factor * np.cos(X) * T)
    np.testing.assert_allclose(fg.jacfwd(f)(X), np.diag(2 * factor * np.cos(X)))
    _, aux = fg.jacfwd(lambda x: (f(x), sine(x)), has_aux=True)(X)
    np.testing.assert_allclose(aux, np.sin(X))


def test_operations_with_several_results():
    _, f_jvp = fg.linearize(lambda x: fnp.split(x**2, 3)[1] * 5, X)
    parts = fg.tree.map(lambda x: 2 * x, f_jvp)
    assert f_jvp(T).tolist() == pytest.approx([10 * X[1] * T[1]]) and parts(T).tolist() == pytest.approx(
        [20 * X[1] * T[1]]
    )
    np.testing.assert_allclose(pickle.loads(pickle.dumps(f_jvp))(T), f_jvp(T))


def test_a_long_program_pickles():
    def f(x):
        for _ in range(3000):
            x = fnp.sin(x)
        return x

    _, f_jvp = fg.linearize(f, 1.0)
    assert float(pickle.loads(pickle.dumps(f_jvp))(1.0)) == float(f_jvp(1.0)) == pytest.approx(float(fg.grad(f)(1.0)))


def test_nobody_can_change_it():
    a, x = np.array([2.0, 3.0]), np.array([1.0, 1.0])
    y, f_jvp = fg.linearize(lambda x: x * a, x)
    a[:] = x[:] = 100.0
    t = np.array([1.0, 2.0])
    tangent = f_jvp(t)
    t[:] = 7.0
    assert y.tolist() == [2.0, 3.0] and tangent.tolist() == [2.0, 6.0]
    same = fg.linearize(lambda x: x, np.ones(2))[1](t)
    t[:] = 9.0
    assert same.tolist() == [7.0, 7.0]


# Errors


@pytest.mark.parametrize(
    "tangents, error, words",
    [
        ((), TreeError, "structure of the arguments"),
        (({"a": 1.0},), TreeError, "structure"),
        (({"a": 1.0, "n": 0}, 2.0), TreeError, "structure"),
        (
            ({"a": np.ones(2), "n": 0},),
            ShapeError,
            r"inconsistent with.*argument 0 at \['a'\].*\(\).*\(2,\)",
        ),
        (({"a": np.float32(1), "n": 0},), ArgumentError, "float64.*float32"),
        (({"a": 1j, "n": 0},), ArgumentError, "complex"),
        (({"a": 1.0, "n": 1},), ArgumentError, r"\['n'\].*got 1\. Integers have no tangents"),
        (({"a": "t", "n": 0},), ArgumentError, "'t'"),
    ],
)
def test_tangents_that_do_not_fit(tangents, error, words):
    _, f_jvp = fg.linearize(lambda p: p["a"] * p["n"], {"a": 2.0, "n": 3})
    with pytest.raises(error, match=words):
        f_jvp(*tangents)


def test_wrong_use():
    with pytest.raises(ArgumentError, match="linearize takes a function, got 3"):
        fg.linearize(3, 1.0)
    with pytest.raises(ArgumentError, match=r"linearize: argument 1.*'x'"):
        fg.linearize(lambda x, y: x, 1.0, "x")
    with pytest.raises(ArgumentError, match=r"linearize: the result of the function.*'x'"):
        fg.linearize(lambda x: "x", 1.0)
    with pytest.raises(ArgumentError, match="pair"):
        fg.linearize(lambda x: x, 1.0, has_aux=True)
    kept = []
    fg.grad(lambda x: kept.append(fg.linearize(lambda y: y * x, 1.0)[1]) or x)(2.0)
    with pytest.raises(LeakedTracerError):
        kept[0](1.0)

"""Transforms of a compiled function are compiled as a whole."""

import functools

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.jit import Jitted
from funcgrad.errors import ArgumentError, NoValueError, ShapeError, TreeError

X = np.linspace(0.2, 1.5, 4)
V = np.array([1.0, -2.0, 0.5, 3.0])


def f(x, y):
    return fnp.sum(fnp.sin(x * y["a"]) * y["b"])


def rows(x, y):
    return fnp.cumsum(x * y["a"]) + y["b"]


ARGS = (X, {"a": 2.0, "b": V})

MADE = {
    "grad": (fg.grad, f),
    "grad, two": (functools.partial(fg.grad, argnums=(0, 1)), f),
    "grad, last": (functools.partial(fg.grad, argnums=-1), f),
    "value_and_grad": (fg.value_and_grad, f),
    "value_and_grad with aux": (
        functools.partial(fg.value_and_grad, has_aux=True),
        lambda x, y: (f(x, y), {"n": 2 * x}),
    ),
    "jacfwd": (fg.jacfwd, rows),
    "jacrev": (functools.partial(fg.jacrev, argnums=1), rows),
    "hessian": (fg.hessian, f),
    "vmap": (functools.partial(fg.vmap, in_axes=(0, None)), rows),
    "vmap, prefix": (functools.partial(fg.vmap, in_axes=(0, {"a": None, "b": 0})), lambda x, y: x * y["a"] + y["b"]),
    "vmap, out": (functools.partial(fg.vmap, in_axes=(0, None), out_axes=1), lambda x, y: x * y["b"]),
    "vmap of grad": (lambda g: fg.vmap(fg.grad(g), (0, None)), f),
    "grad of grad": (lambda g: fg.grad(lambda x, y: fnp.sum(fg.grad(g)(x, y))), f),
}


@pytest.mark.parametrize("name", MADE)
def test_values_are_those_without_jit(name):
    transform, g = MADE[name]
    args = (np.stack([X, X + 1, X + 2]), ARGS[1]) if name == "vmap" else ARGS
    compiled = transform(fg.jit(g))
    for _ in range(2):
        found, expected = compiled(*args), transform(g)(*args)
        assert fg.tree.structure(found) == fg.tree.structure(expected)
        for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_jvp_with_and_without_aux():
    g = fg.jit(lambda x, y: rows(x, {"a": y, "b": 1.0}))
    for primals in ((X, V), [X, V], (fnp.asarray(X), V), (X, 2.0)):
        tangents = type(primals)(np.ones(4) if np.shape(p) else 1.0 for p in primals)
        found, expected = fg.jvp(g, primals, tangents), fg.jvp(g.f, primals, tangents)
        np.testing.assert_allclose(np.stack(found), np.stack(expected), rtol=1e-12)
    out, tangent, aux = fg.jvp(fg.jit(lambda x: (x * x, {"x": x})), (X,), (V,), has_aux=True)
    np.testing.assert_allclose(np.stack([out, tangent, aux["x"]]), np.stack([X * X, 2 * X * V, X]))


def test_python_runs_once_and_programs_are_found_again():
    runs = []

    @fg.jit
    def g(x):
        runs.append(None)
        return fnp.sum(x * x)

    for k in range(5):
        np.testing.assert_array_equal(fg.grad(g)(X + k), 2 * (X + k))
        np.testing.assert_array_equal(fg.vmap(g)(X[:, None] + k), (X + k) ** 2)
        fg.jvp(g, (X + k,), (V,))
    assert len(runs) == 2, "for a vector and for an example of the batch"
    assert fg.grad(g)._cache_size() == 1
    assert "program(" in fg.grad(g).source(X)
    g.clear_cache()
    fg.grad(g)(X)
    assert len(runs) == 3


def test_static_arguments_and_options_stay():
    power = fg.jit(lambda x, n, scale: fnp.sum(x**n) * scale, static_argnames="n")
    np.testing.assert_allclose(fg.grad(power)(X, 3, 2.0), 6 * X**2)
    np.testing.assert_allclose(fg.grad(power)(X, n=2, scale=2.0), 4 * X)
    np.testing.assert_allclose(fg.grad(power, argnums=2)(X, 2, 2.0), np.sum(X**2))
    np.testing.assert_allclose(fg.vmap(power, (0, None, None))(X[:, None], 3, 2.0), 2 * X**3)
    eager = fg.grad(fg.jit(power.f, static_argnames="n", backend="eager"))
    assert eager.source(X, 2, 1.0).startswith("tape(")


def test_keyword_arguments():
    np.testing.assert_allclose(fg.grad(fg.jit(f))(X, y=ARGS[1]), fg.grad(f)(X, y=ARGS[1]), rtol=1e-14)
    np.testing.assert_allclose(fg.vmap(fg.jit(lambda x, y: x * y))(X, y=V), X * V)


def test_a_method_is_compiled_for_its_object():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @functools.partial(fg.jit, static_argnums=0)
        def loss(self, x):
            return fnp.sum(x) * self.scale

        @functools.partial(fg.grad, argnums=1)
        @functools.partial(fg.jit, static_argnums=0)
        def slope(self, x):
            return fnp.sum(x) * self.scale

    for scale in (2.0, 3.0):
        np.testing.assert_array_equal(fg.grad(Model(scale).loss)(X), scale)
        np.testing.assert_array_equal(Model(scale).slope(X), scale)


def test_within_other_transforms_and_where_compiled_functions_run_as_they_stand():
    g = fg.jit(lambda x: fnp.sum(fnp.sin(x)))
    gradient = fg.grad(g)
    np.testing.assert_allclose(fg.jacfwd(lambda x: gradient(x))(X), -np.diag(np.sin(X)), atol=1e-15)
    np.testing.assert_allclose(
        fg.grad(lambda w: fnp.sum(fg.grad(fg.jit(lambda x: fnp.sum(w * x * x)))(X)))(2.0), 2 * X.sum()
    )
    np.testing.assert_allclose(fg.jit(gradient)(X), np.cos(X))
    np.testing.assert_allclose(fg.make_tape(gradient)(X)(X), np.cos(X))
    with fg.disable_jit():
        np.testing.assert_allclose(gradient(X), np.cos(X))
        np.testing.assert_allclose(fg.jvp(g, (X,), (V,))[1], np.cos(X) @ V)
    with fg.debug.nans():
        np.testing.assert_allclose(gradient(X), np.cos(X))
        np.testing.assert_allclose(fg.vmap(g)(X[:, None]), np.sin(X))
    named = fg.vmap(fg.jit(lambda x: x / fg.lax.psum(x, "i")), axis_name="i")
    assert not isinstance(named, Jitted)
    np.testing.assert_allclose(named(X), X / X.sum())


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: fg.grad(fg.jit(lambda x: 2 * x))(X), ShapeError, "scalar-output"),
        (lambda: fg.grad(fg.jit(lambda x: 2 * x))(3), ArgumentError, "real- or complex-valued inputs"),
        (lambda: fg.grad(fg.jit(lambda x: 2 * x), argnums=1)(3.0), ArgumentError, "argnums"),
        (lambda: fg.grad(fg.jit(lambda x: 2 * x))("a"), ArgumentError, "argument x of"),
        (lambda: fg.grad(fg.jit(lambda x: x if x > 0 else -x))(1.0), NoValueError, "argument x"),
        (lambda: fg.vmap(fg.jit(lambda x, y: x + y))(X, X[:2]), ShapeError, "inconsistent sizes"),
        (lambda: fg.jvp(fg.jit(lambda x: x), (X,), (X[:2],)), ShapeError, "shapes"),
        (lambda: fg.jvp(fg.jit(lambda x: x), (X,), [X]), TreeError, "structure"),
        (lambda: fg.jvp(fg.jit(lambda x: x), (X,), (X.astype("float32"),)), ArgumentError, "dtype"),
    ],
)
def test_errors_are_those_of_the_transform(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_names_and_documentation_are_those_of_the_transform():
    def square(x: float) -> float:
        """The square of x."""
        return x * x

    compiled, plain = fg.grad(fg.jit(square)), fg.grad(square)
    assert compiled.__name__ == plain.__name__ == "square"
    assert compiled.__doc__ == plain.__doc__


def test_options_that_cannot_be_hashed():
    g = fg.jit(lambda d: d["a"] * d["b"])
    np.testing.assert_array_equal(fg.vmap(g, in_axes=({"a": 0, "b": None},))({"a": X, "b": 2.0}), 2 * X)
    np.testing.assert_array_equal(fg.grad(fg.jit(lambda x, y: x * y), argnums=[0, 1])(2.0, 3.0), (3.0, 2.0))

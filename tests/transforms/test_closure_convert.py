"""closure_convert: what a function closes over becomes arguments."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, NoValueError, TreeError

X = np.array([0.3, -1.2, 2.0])


def test_without_transforms_there_is_nothing_to_hoist():
    converted, constants = fg.closure_convert(lambda x: {"y": X * x}, 2.0)
    assert constants == []
    np.testing.assert_array_equal(converted(3.0)["y"], 3 * X)


def test_values_that_are_transformed_become_arguments():
    counts = []

    def f(a, b):
        c = fnp.sin(a)  # derived from an argument, so it is hoisted, and the unused one is not
        converted, constants = fg.closure_convert(lambda x: c * x + c, 1.0)
        counts.append(len(constants))
        return converted(2.0, *constants) * b

    assert float(fg.grad(f)(0.5, 1.0)) == pytest.approx(3 * np.cos(0.5))
    np.testing.assert_allclose(fg.vmap(f)(X, np.ones(3)), 3 * np.sin(X))
    np.testing.assert_allclose(fg.make_tape(f)(0.5, 1.0)(0.7, 2.0), 6 * np.sin(0.7))
    np.testing.assert_allclose(fg.vmap(fg.grad(f))(X, np.ones(3)), 3 * np.cos(X))
    assert counts == [1, 1, 1, 1]


def test_functions_with_rules_take_closures_in_this_way():
    apply = fg.custom_vjp(lambda f, x, *constants: f(x, *constants), nondiff_argnums=(0,))
    apply.defvjp(
        lambda f, x, *constants: (f(x, *constants), (x, constants)),
        lambda f, kept, g: (17.0 * kept[0] * g, *[42.0 * c * g for c in kept[1]]),
    )

    def f(a, x):
        converted, constants = fg.closure_convert(lambda y: a * y, x)
        return apply(converted, x, *constants)

    assert [float(g) for g in fg.grad(f, (0, 1))(2.0, 3.0)] == [84.0, 51.0]


def test_converted_derivatives():
    def f(a, x):
        converted, constants = fg.closure_convert(fg.grad(lambda y: a * y**3), x)
        return converted(x, *constants)

    assert float(fg.grad(f)(2.0, 3.0)) == 27.0
    assert float(fg.grad(f, 1)(2.0, 3.0)) == 36.0


def test_a_pullback_converts():
    _, pullback = fg.vjp(lambda x, z: z * x, 2.0, 3.0)
    converted, constants = fg.closure_convert(pullback, 1.0)
    assert [float(g) for g in converted(10.0, *constants)] == [30.0, 20.0]


def test_arguments_are_pytrees():
    def f(a):
        converted, constants = fg.closure_convert(lambda p, q: p["x"] * a + q, {"x": 1.0}, 2.0)
        return converted({"x": np.float64(3.0)}, 4.0, *constants)

    assert (float(f(5.0)), float(fg.grad(f)(5.0))) == (19.0, 3.0)


@pytest.mark.parametrize("args", [(), (1.0, 2.0), ([1.0],)])
def test_arguments_of_another_structure(args):
    converted, constants = fg.closure_convert(lambda x: x, 1.0)
    with pytest.raises(TreeError, match="The inputs to the closure produced by closure_convert"):
        converted(*args, *constants)


def test_decisions_by_arguments_are_refused():
    with pytest.raises(NoValueError):
        fg.closure_convert(lambda x: x if x > 0 else -x, 1.0)  # for the arguments may be others than the examples


def test_decisions_by_known_values():
    def f(a):
        converted, constants = fg.closure_convert(lambda x: x * a if a > 0 else x, 1.0)
        return converted(5.0, *constants)

    assert (float(fg.grad(f)(2.0)), float(fg.grad(f)(-2.0))) == (5.0, 0.0)


def test_no_function():
    with pytest.raises(ArgumentError, match="closure_convert takes a function"):
        fg.closure_convert(3)

"""custom_gradient: the pullback that a function brings along is its derivative."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, CustomRuleError, ShapeError

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])


@fg.custom_gradient
def cube(x):
    """x³, whose gradient is taken for x² on purpose."""
    square = x * x
    return square * x, lambda g: (square * g,)


def test_value_name_and_docstring():
    np.testing.assert_allclose(cube(X), X**3)
    assert (cube.__name__, cube.__doc__[:2]) == ("cube", "x³")


@pytest.mark.parametrize("name", stacks.REVERSE)
def test_first_derivatives(name):
    stacks.check(stacks.REVERSE[name](cube), X, X * X)


@pytest.mark.parametrize("name", stacks.SECOND_REVERSE)
def test_second_derivatives(name):
    stacks.check(stacks.SECOND_REVERSE[name](cube), X, 2 * X)


@pytest.mark.parametrize(
    "f, args, expected",
    [
        (lambda x: (x * x, lambda g: 3.0 * g * x), (2.0,), (6.0,)),
        (lambda x, y: (x * y, lambda g: (g * y, g * 10.0)), (2.0, 3.0), (3.0, 10.0)),
        (lambda x: (x["a"] * x["b"], lambda g: {"a": g, "b": g * 5.0}), ({"a": 2.0, "b": 3.0},), (1.0, 5.0)),
        (lambda x: ({"y": x}["y"], lambda g: ((g * 7.0,))), (2.0,), (7.0,)),
    ],
    ids=["a value", "a tuple for two arguments", "a pytree", "a tuple for one argument"],
)
def test_forms_of_the_pullback(f, args, expected):
    found = fg.grad(fg.custom_gradient(f), tuple(range(len(args))))(*args)
    assert tuple(float(v) for v in fg.tree.leaves(found)) == expected


def test_results_that_are_pytrees():
    f = fg.custom_gradient(lambda x: ((x, {"y": 2.0 * x}), lambda g: g[0] * 3.0 + g[1]["y"] * 5.0))
    assert float(fg.vjp(f, 1.0)[1]((1.0, {"y": 10.0}))[0]) == 53.0


def test_the_pullback_may_close_over_a_pullback():
    f = fg.custom_gradient(lambda x: fg.vjp(fnp.sin, x))
    stacks.check(fg.vmap(fg.grad(f)), X, np.cos(X))


@pytest.mark.parametrize(
    "f, error",
    [
        (lambda x: x, CustomRuleError),
        (lambda x: (x, lambda g: (g, g)), CustomRuleError),
        (lambda x: (x, lambda g: fnp.ones(3) * g), ShapeError),
    ],
)
def test_what_does_not_fit(f, error):
    with pytest.raises(error):
        fg.grad(fg.custom_gradient(f))(1.0)


def test_no_function():
    with pytest.raises(ArgumentError, match="custom_gradient takes a function"):
        fg.custom_gradient(3)

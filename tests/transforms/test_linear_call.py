"""linear_call: a linear function with the transpose that its user wrote."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.custom_derivatives import linear_call
from funcgrad.errors import ArgumentError, CustomRuleError

X = np.array([0.3, -1.2, 2.0])


def divided(r, x, wrong=1.0):
    """x / r, whose transpose is wrong by a factor, so that one sees that it is used."""
    return linear_call(lambda r, x: x / r, lambda r, g: g / (wrong * r), r, x)


def transpose(f, example):
    return lambda g: fg.linear_transpose(f, example)(g)[0]


def test_value_and_forward_mode():
    np.testing.assert_array_equal(divided(2.0, X), X / 2)
    _, t = fg.jvp(lambda x: divided(2.0, x, wrong=7.0), (X,), (np.ones(3),))
    np.testing.assert_array_equal(t, np.full(3, 0.5))
    np.testing.assert_array_equal(fg.linearize(lambda x: divided(2.0, x), X)[1](X), X / 2)


def test_reverse_mode_uses_the_transpose():
    f = lambda x: divided(2.0, x, wrong=5.0)
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(f(x)))(X), np.full(3, 0.1))
    np.testing.assert_allclose(transpose(f, X)(X), X / 10)
    np.testing.assert_allclose(transpose(transpose(f, X), X)(X), X / 2)  # the function itself
    np.testing.assert_allclose(transpose(transpose(transpose(f, X), X), X)(X), X / 10)


def test_derivatives_with_respect_to_residuals_are_those_of_the_function():
    f = lambda r, x: x + divided(r, x)
    assert [float(g) for g in fg.grad(f, (0, 1))(3.0, 6.0)] == pytest.approx([-6 / 9, 1 + 1 / 3])
    assert float(fg.jvp(f, (3.0, 6.0), (1.0, 1.0))[1]) == pytest.approx(1 + 1 / 3 - 6 / 9)
    second = fg.grad(fg.grad(lambda r: fnp.sum(divided(r, X) ** 2)))(2.0)  # of Σ x² r⁻²
    assert float(second) == pytest.approx(6 * np.sum(X * X) / 16)


def test_batches():
    f = lambda r, x: divided(r, x)
    np.testing.assert_allclose(fg.vmap(f)(X, X), np.ones(3))
    np.testing.assert_allclose(fg.vmap(f, (0, None))(X, 2.0), 2 / X)
    np.testing.assert_allclose(fg.vmap(fg.grad(f, (0, 1)))(X, X)[0], -1 / X)
    g = fg.grad(lambda x: fnp.sum(fg.vmap(f, (0, None))(X, x)))(2.0)
    assert float(g) == pytest.approx(np.sum(1 / X))


def test_pytrees():
    f = lambda x: linear_call(lambda r, x: [x["a"] * r[0], x["a"]], lambda r, g: {"a": g[0] * r[0] + g[1]}, (3.0,), x)
    assert [float(y) for y in f({"a": 2.0})] == [6.0, 2.0]
    assert float(transpose(f, {"a": 2.0})([10.0, 1.0])["a"]) == 31.0


def test_closures_tapes_and_recursion():
    def f(a, x):
        return linear_call(lambda _, x: a * x, lambda r, g: r * g, a, x)

    assert [float(g) for g in fg.grad(f, (0, 1))(2.0, 3.0)] == [3.0, 2.0]
    tape = fg.make_tape(fg.grad(f, (0, 1)))(0.0, 0.0)
    assert [float(g) for g in tape(2.0, 3.0)] == [3.0, 2.0]

    def itself(x):
        return linear_call(lambda _, x: 2.0 * x, lambda _, g: itself(g), None, x)

    assert float(fg.grad(itself)(1.0)) == 2.0


@pytest.mark.parametrize(
    "tp, message",
    [
        (lambda r, g: None, "transpose output pytree structure must match that of linear_args"),
        (lambda r, g: (g, g), "transpose output pytree"),
        (lambda r, g: fnp.ones(3) * g, r"gave float64\[3\] for float64\[\]"),
    ],
)
def test_transposes_that_do_not_fit(tp, message):
    with pytest.raises(CustomRuleError, match=message):
        fg.grad(lambda x: linear_call(lambda r, x: x / r, tp, 2.0, x))(1.0)


def test_no_functions():
    for f, tp in ((3, fnp.sin), (fnp.sin, 3)):
        with pytest.raises(ArgumentError, match="linear_call takes two functions"):
            linear_call(f, tp, (), 1.0)

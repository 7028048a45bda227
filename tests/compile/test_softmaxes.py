"""Softmax, its logarithm and logsumexp as plain operations: values, special rows, and no exponential twice."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified

INF = np.inf
ROWS = np.array(
    [[0.3, -1.2, 2.0], [-INF, 1.0, 0.5], [-INF, -INF, -INF], [INF, 1.0, -800.0], [1e30, -1e30, 1e20], [700.0, 0, 1]]
)

FUNCTIONS = {
    "logsumexp": lambda x: fnp.logsumexp(x, axis=1),
    "logsumexp, axis kept": lambda x: fnp.logsumexp(x, axis=1, keepdims=True),
    "of columns": lambda x: fnp.logsumexp(x.T, axis=0),
    "of all": lambda x: fnp.logsumexp(x[:2]) + fnp.logsumexp(x[5]),
    "softmax": lambda x: nn.softmax(x, axis=1),
    "log_softmax": lambda x: nn.log_softmax(x, axis=-1),
    "weights by hand": lambda x: fnp.exp(x - fnp.logsumexp(x, axis=1)[:, None]),
}


def exponentials(f, *args):
    tape = simplified(inline(fg.make_tape(f)(*args)))
    return sum(e.primitive.name == "exp" for e in tape.equations)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_values_and_derivatives_of_any_row(f, dtype):
    x = ROWS.astype(dtype)
    with np.errstate(all="ignore"):
        expected, back = fg.vjp(f, x)
        np.testing.assert_allclose(fg.jit(f)(x), expected, rtol=1e-6)
        g = np.linspace(0.5, 2, expected.size).reshape(expected.shape).astype(dtype)
        both = fg.jit(lambda x, g: fg.vjp(f, x)[1](g))
        rest = np.isfinite(np.asarray(back(g)[0]))
        np.testing.assert_allclose(np.asarray(both(x, g)[0])[rest], np.asarray(back(g)[0])[rest], rtol=1e-5, atol=1e-6)
        assert np.array_equal(np.isfinite(both(x, g)[0]), rest)


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_derivatives_take_no_further_exponentials(f):
    x = np.random.default_rng(0).normal(size=(6, 3))
    assert exponentials(fg.grad(lambda x: fnp.sum(f(x) ** 2)), x) == exponentials(f, x)


def test_rows_of_minus_infinity_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = fg.jit(fg.value_and_grad(lambda x: fnp.sum(fnp.exp(fnp.logsumexp(x, axis=1)))))
        value, gradient = f(np.full((3, 4), -INF))
    assert value == 0.0 and not np.asarray(gradient).any()


def test_an_empty_row_stays_what_it_is():
    x = np.zeros((2, 0))
    np.testing.assert_array_equal(fg.jit(lambda x: fnp.logsumexp(x, axis=1))(x), [-INF, -INF])


@pytest.mark.parametrize("axis", [0, 1, (0, 1), -1])
def test_closed_form(axis):
    x = np.random.default_rng(0).normal(size=(30, 7))
    gradient = fg.jit(fg.grad(lambda x: fnp.sum(fnp.logsumexp(x, axis=axis))))(x)
    np.testing.assert_allclose(gradient, np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True), rtol=1e-13)


ONE = {
    "exp of logsumexp": lambda x: fnp.exp(fnp.logsumexp(x, axis=1, keepdims=True)),
    "exp of log_softmax": lambda x: fnp.exp(nn.log_softmax(x, axis=1)),
    "minus log_softmax": lambda x: fnp.exp(x - nn.log_softmax(x, axis=1)),
    "minus a constant": lambda x: fnp.exp(x - np.arange(4.0)[:, None]) * nn.softmax(x, axis=1),
    "minus logsumexp of others": lambda x: fnp.exp(2 * x - fnp.logsumexp(x, axis=1, keepdims=True)),
    "a row for a column": lambda x: fnp.exp(x - fnp.logsumexp(x @ x.T, axis=1)),
}


@pytest.mark.parametrize("columns", [1, 4])
@pytest.mark.parametrize("f", ONE.values(), ids=ONE)
def test_what_is_no_softmax_stays(f, columns):
    x = np.random.default_rng(0).normal(size=(4, columns))
    np.testing.assert_allclose(fg.jit(f)(x), f(x), rtol=1e-13)

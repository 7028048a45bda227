"""named_call: tapes show a function as one equation; nothing else changes."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])


@fg.named_call
def wave(x):
    """sin(x) x"""
    return fnp.sin(x) * x


@pytest.mark.parametrize("name", [*stacks.REVERSE, *stacks.FORWARD])
def test_first_derivatives(name):
    stacks.check((stacks.REVERSE | stacks.FORWARD)[name](wave), X, np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize("name", [*stacks.SECOND_REVERSE, *stacks.SECOND_FORWARD])
def test_second_derivatives(name):
    derivative = (stacks.SECOND_REVERSE | stacks.SECOND_FORWARD)[name]
    stacks.check(derivative(wave), X, 2 * np.cos(X) - np.sin(X) * X)


def test_tapes_show_the_name():
    tape = str(fg.vjp(lambda x: fg.named_call(fnp.sin, name="layer")(wave(x)), X)[1].tape)
    assert "= wave(a)" in tape and "= layer(" in tape and "sin" not in tape
    tape = fg.make_tape(wave)(X)
    assert [e.primitive.name for e in tape] == ["wave", "item"]
    np.testing.assert_array_equal(tape(X), np.sin(X) * X)


def test_the_tape_counts_what_the_inside_keeps():
    x = np.ones(1000)
    assert fg.vjp(wave, x)[1].tape.residual_bytes == fg.vjp(wave.__wrapped__, x)[1].tape.residual_bytes == 16000


def test_what_it_closes_over_is_differentiated():
    def f(a):
        return fg.named_call(lambda x: a * x)(2.0) * a

    assert float(fg.grad(f)(3.0)) == 12.0
    np.testing.assert_allclose(fg.vmap(fg.grad(f))(X), 4 * X)


def test_leaves_that_are_no_arrays_pass():
    marker = object()

    @fg.named_call
    def f(x, flag, options=None, *, k=1):
        return {"y": x * k if flag else x, "none": None, "marker": options["marker"], "text": "abc"}

    found = []
    g = fg.grad(lambda x: (found.append(f(x, True, {"marker": marker}, k=3)), found[-1]["y"])[1])(2.0)
    assert float(g) == 3.0
    assert found[0]["marker"] is marker and found[0]["text"] == "abc" and found[0]["none"] is None


def test_decisions_may_look_at_values():
    f = fg.named_call(lambda x: fnp.sin(x) if x > 0 else 5.0 * x)
    assert (float(fg.grad(f)(-1.0)), float(fg.grad(f)(1.0))) == (5.0, np.cos(1.0))


def test_name_and_docstring():
    assert (wave.__name__, wave.__doc__) == ("wave", "sin(x) x")


def test_what_makes_no_sense():
    with pytest.raises(ArgumentError, match="named_call takes a function"):
        fg.named_call(3)
    with pytest.raises(TypeError, match="positional argument"):
        fg.grad(lambda x: fg.named_call(lambda y: y)() + x)(1.0)

"""Calls, bodies and closing: how operations that hold functions pass through transforms."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.tape import Tape
from funcgrad.errors import ArgumentError, LeakedTracerError, NoValueError
from funcgrad.transforms.bodies import Batched, FunctionBody, PullbackBody, Pushforward, TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close, value_behind

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])
NUMBER = fg.ShapeDtypeStruct((), "float64")
ROW = fg.ShapeDtypeStruct((3,), "float64")


def pair(x, n):
    """Two results, one of them an integer; n is an integer."""
    return fnp.sin(x) * n, fnp.sign(x).astype(int)


def tape_of(f, *kinds):
    return TapeBody(fg.make_tape(f)(*kinds))


INT = fg.ShapeDtypeStruct((), "int64")
BODIES = {
    "tape": tape_of(pair, NUMBER, INT),
    "function": FunctionBody(pair, fg.tree.structure((0, 0)), "test"),
}


@pytest.fixture(params=BODIES.values(), ids=BODIES)
def body(request):
    return request.param


def check_kinds(body, args):
    """What a body says of its results is what they are."""
    kinds = body.kinds([fg.ShapeDtypeStruct(np.shape(a), np.asarray(a).dtype) for a in args])
    assert [(k.shape, k.dtype) for k in kinds] == [(o.shape, o.dtype) for o in body(*args)]


def test_a_body(body):
    y, s = body(fnp.array(0.5), fnp.array(3))
    assert (float(y), int(s)) == (3 * np.sin(0.5), 1)
    check_kinds(body, (fnp.array(0.5), fnp.array(3)))


def test_forward_mode_of_a_body(body):
    pushed = Pushforward(body, (True, False))
    args = (fnp.array(0.5), fnp.array(3), fnp.array(10.0))
    y, s, t = pushed(*args)  # an integer result has no tangent
    assert (float(y), int(s), float(t)) == (3 * np.sin(0.5), 1, 30 * np.cos(0.5))
    check_kinds(pushed, args)


def test_reverse_mode_of_a_body(body):
    pulled = PullbackBody(body, (True, False))
    args = (fnp.array(0.5), fnp.array(3), fnp.array(10.0))
    assert [float(g) for g in pulled(*args)] == [30 * np.cos(0.5)]
    check_kinds(pulled, args)


@pytest.mark.parametrize("mask", [(True, False), (False, True), (True, True), (False, False)])
def test_a_body_on_batches(body, mask):
    batched = Batched(body, mask, 3, None)
    args = [fnp.array(X if mask[0] else 0.5), fnp.array([1, 2, 3] if mask[1] else 3)]
    y, s = batched(*args)
    np.testing.assert_allclose(y, np.broadcast_to(np.sin(args[0]) * args[1], 3))
    np.testing.assert_array_equal(s, np.broadcast_to(np.sign(args[0]), 3))
    check_kinds(batched, args)


def test_bodies_of_bodies(body):
    pulled = Batched(
        PullbackBody(Pushforward(body, (True, False)), (True, False, True)), (True, False, True, True, True), 3, None
    )
    x, n, t = fnp.array(X), fnp.array(2), fnp.array(np.ones(3))
    x_bar, t_bar = pulled(x, n, t, fnp.zeros(3), fnp.array(np.ones(3)))  # the cotangent of the tangent alone
    np.testing.assert_allclose(x_bar, -2 * np.sin(X))
    np.testing.assert_allclose(t_bar, 2 * np.cos(X))


# Calls.


def wave():
    """sin(x) x as a call."""
    call = Call(tape_of(lambda x: fnp.sin(x) * x, NUMBER), "wave")
    return lambda x: call(x)[0]


ELEMENTWISE = [n for n in [*stacks.REVERSE, *stacks.FORWARD] if n.startswith(("vmap of", "grad of vmap"))]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_derivatives_of_a_call(name):
    stacks.check((stacks.REVERSE | stacks.FORWARD)[name](wave()), X, np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize("name", ["vmap of grad of grad", "vmap of hessian", "grad of vmap of grad"])
def test_second_derivatives_of_a_call(name):
    derivative = (stacks.SECOND_REVERSE | stacks.SECOND_FORWARD)[name]
    stacks.check(derivative(wave()), X, 2 * np.cos(X) - np.sin(X) * X)


def test_a_call_on_tapes():
    f = wave()
    tape = fg.make_tape(f)(0.0)
    assert [e.primitive.name for e in tape] == ["wave", "item"]
    assert float(tape(0.5)) == np.sin(0.5) * 0.5
    tape = fg.vjp(f, 0.5)[1].tape
    assert "wave(a)" in str(tape) and tape.residual_bytes == 8
    assert repr(Call(BODIES["tape"], "wave")) == "Call(wave)"


def test_results_that_get_no_cotangent():
    """They count as zeros, and what is not differentiated has none."""
    call = Call(tape_of(lambda x, y, n: (x * y, fnp.exp(y), n), NUMBER, NUMBER, INT), "call")
    f = lambda x, y: call(x, y, fnp.array(3))
    assert float(fg.grad(lambda y: f(2.0, y)[0])(5.0)) == 2.0
    assert [float(g) for g in fg.grad(lambda x, y: f(x, y)[1], (0, 1))(2.0, 0.0)] == [0.0, 1.0]
    assert float(fg.grad(lambda x: x * f(2.0, 3.0)[2])(1.0)) == 3.0


def test_a_body_that_closes_over_a_tracer_is_found_out():
    def f(x):
        def per_example(z):
            return Call(FunctionBody(lambda y: z * y, fg.tree.structure((0,)), "test"), "call")(x)[0]

        return fg.vmap(per_example)(X)

    with pytest.raises(ArgumentError, match="call: the function closes over a batched value"):
        fg.jvp(f, (2.0,), (1.0,))


# Closing.


def test_closing_makes_tracers_operands():
    def f(a, b):
        body, constants, out_tree = close(lambda x: {"y": a * x + fnp.sin(a) + b * 0.0 + X}, [fnp.array(1.0)], "test")
        assert len(constants) == 3 and len(body.tape.inputs) == 4  # a, sin(a), b * 0.0
        return out_tree.unflatten(body(*constants, 2.0))["y"]

    a = 0.7
    np.testing.assert_allclose(fg.vjp(f, a, 1.0)[0], 2 * a + np.sin(a) + X)
    np.testing.assert_allclose(fg.jvp(f, (a, 1.0), (1.0, 0.0))[1], np.full(3, 2 + np.cos(a)))


def test_closing_keeps_nothing_that_the_result_does_not_need():
    def f(x):
        fnp.exp(x)
        return fnp.sin(x)

    body, _, _ = close(f, [fnp.array(1.0)], "test")
    assert [e.primitive.name for e in body.tape.equations] == ["sin"]


def test_results_that_are_constants_or_arguments():
    body, constants, _ = close(lambda x: (x, 3.0, X), [fnp.array(1.0)], "test")
    assert constants == [] and len(body.tape) == 0
    x, three, row = body(fnp.array(5.0))
    assert (float(x), float(three)) == (5.0, 3.0)
    np.testing.assert_array_equal(row, X)


def test_decisions_compute_what_leads_to_them():
    def f(x):
        y = fnp.sin(x) * 2.0
        q, r = fnp.divmod(y, 0.5)
        return y * 10.0 if (y > 1.0) and int(q) == 3 and bool(r < 0.3) else y

    body, _, _ = close(f, [fnp.array(1.0)], "test")
    assert float(body(fnp.array(1.0))[0]) == 20 * np.sin(1.0)
    body, _, _ = close(f, [fnp.array(0.1)], "test")
    assert float(body(fnp.array(0.1))[0]) == 2 * np.sin(0.1)


def test_decisions_through_several_levels():
    """A function in a function that is being closed asks for a value that the outer one knows how to compute."""

    @fg.custom_jvp
    def f(x):
        return x if x > 0 else -x

    f.defjvp(lambda p, t: (f(*p), t[0] if p[0] > 0 else -t[0]))
    nested = fg.checkpoint(lambda x: fg.checkpoint(lambda y: f(y * 2.0))(x + 1.0))
    assert (float(fg.grad(nested)(1.0)), float(fg.grad(nested)(-3.0))) == (2.0, -2.0)
    assert float(fg.grad(fg.grad(lambda x: nested(x) ** 2))(-3.0)) == 8.0


@pytest.mark.parametrize("decides", [True, False])
def test_decisions_by_unknown_values(decides):
    run = lambda x: close(lambda y: y if y > 0 else -y, [x], "test", decides=decides)
    if decides:
        with pytest.raises(NoValueError, match="test"):
            fg.make_tape(lambda x: (run(x), x)[1])(1.0)
    else:
        with pytest.raises(NoValueError, match="test"):
            run(fnp.array(1.0))


def test_values_on_the_way_to_a_tape_do_not_outlive_it():
    seen = []
    close(lambda x: (seen.append(x), x)[1], [fnp.array(1.0)], "test")
    with pytest.raises(LeakedTracerError):
        seen[0] + 1.0
    assert value_behind(fnp.array(2.0)) == 2.0


def test_a_tape_that_is_run_in_another_way():
    tape = fg.make_tape(lambda x: fnp.sin(x) * 2.0)(0.0)
    names = []

    def apply(e, operands):
        names.append(e.primitive.name)
        return e.primitive(*operands, **e.params) + 1.0

    assert isinstance(tape, Tape)
    assert float(tape.run([fnp.array(0.0)], apply)[0]) == 3.0
    assert names == ["sin", "multiply"]

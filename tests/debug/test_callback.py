"""debug.callback and debug.print: they see the values themselves, in order, whenever the program runs."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import checkpoint_policies as policies
from funcgrad.errors import ArgumentError, CallbackError

X = np.array([0.3, -1.2, 2.0])
debug = fg.debug


def looking(log):
    """The identity, which notes what it sees."""

    def f(x):
        debug.callback(lambda x: log.append(np.asarray(x).tolist()), x)
        return x

    return f


# What is seen.


@pytest.mark.parametrize(
    "run, seen",
    [
        (lambda f: f(2.0), [2.0]),
        (lambda f: fg.grad(f)(2.0), [2.0]),
        (lambda f: fg.grad(fg.grad(f))(2.0), [2.0]),
        (lambda f: fg.jvp(f, (2.0,), (1.0,)), [2.0]),
        (lambda f: fg.linearize(f, 2.0)[1](1.0), [2.0]),
        (lambda f: fg.jacfwd(f)(X), [X.tolist()]),
        (lambda f: fg.vmap(f)(X), X.tolist()),
        (lambda f: fg.vmap(fg.grad(f))(X), X.tolist()),
        (lambda f: fg.grad(lambda x: fnp.sum(fg.vmap(f)(x)))(X), X.tolist()),
        (lambda f: fg.vmap(fg.vmap(f))(np.arange(6.0).reshape(3, 2)), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]),
        (lambda f: fg.vmap(lambda x, y: (f(x), y)[1], (None, 0))(7.0, X), [7.0]),
        (lambda f: fg.named_call(f)(2.0), [2.0]),
        (lambda f: fg.grad(fg.named_call(f))(2.0), [2.0]),
        (lambda f: fg.checkpoint(f)(2.0), [2.0]),
        (lambda f: fg.lax.scan(lambda c, x: (f(c) + x, None), 0.0, X)[0], [0.0, 0.3, -0.9]),
        (lambda f: fg.lax.cond(True, f, lambda x: f(2.0 * x), 3.0), [3.0]),
    ],
)
def test_what_is_seen_under_transforms(run, seen):
    """Nested vmaps go through the inner axis last; that is how JAX 0.10 prints, too."""
    log = []
    run(looking(log))
    np.testing.assert_allclose(log, seen)


@pytest.mark.parametrize("operand", [True, False])
def test_a_tape_looks_whenever_it_runs(operand):
    log = []
    tape = fg.make_tape(lambda x: (looking(log)(x if operand else 7.0), 2.0 * x)[1])(0.0)
    assert log == []
    assert (float(tape(3.0)), float(tape(4.0))) == (6.0, 8.0)
    assert log == ([3.0, 4.0] if operand else [7.0, 7.0])


def test_a_tape_of_calls_looks_inside():
    log = []
    f = lambda x: (fg.checkpoint(fg.named_call(looking(log)))(x), 2.0 * x)[1]  # nobody reads what it gives
    tape = fg.make_tape(fg.vmap(f))(X)
    np.testing.assert_array_equal(tape(X), 2 * X)
    assert log == X.tolist()


def test_shapes_alone_show_nothing():
    log = []
    fg.eval_shape(looking(log), X)
    fg.linear_transpose(looking(log), 1.0)(1.0)
    assert log == []


def test_in_rules_of_the_user():
    log = []
    note = lambda where: lambda *x: debug.callback(lambda *x: log.append((where, *map(float, x))), *x)
    f = fg.custom_jvp(lambda x: (note("f")(x), x)[1])

    @f.defjvp
    def rule(primals, tangents):
        note("jvp")(*primals, *tangents)
        return primals[0], tangents[0]

    g = fg.custom_vjp(lambda x: (note("g")(x), x)[1])
    g.defvjp(lambda x: (note("fwd")(x), (x, x))[1], lambda x, ct: (note("bwd")(x, ct), (ct,))[1])
    f(2.0)
    fg.jvp(f, (2.0,), (3.0,))
    g(2.0)
    fg.vjp(g, 2.0)[1](5.0)
    assert log == [("f", 2.0), ("jvp", 2.0, 3.0), ("g", 2.0), ("fwd", 2.0), ("bwd", 2.0, 5.0)]
    log.clear()
    fg.grad(f)(2.0)  # reverse mode has no tangents to look at
    assert log == []
    fg.linearize(f, 2.0)[1](3.0)
    assert log == [("jvp", 2.0, 3.0)]
    log.clear()
    fg.vmap(fg.grad(lambda x: g(x) * x))(X[:2])
    assert [entry[0] for entry in log] == ["fwd", "fwd", "bwd", "bwd"]


def everything_but(*names):
    return lambda primitive, *kinds, **params: params.get("name") not in names


@pytest.mark.parametrize(
    "policy, times",
    [
        (policies.everything_saveable, 1),
        (policies.nothing_saveable, 2),
        (None, 2),
        (policies.save_any_names_but_these("z"), 2),
        (everything_but("y"), 1),
        (everything_but("y", "z"), 2),
    ],
)
def test_a_checkpoint_looks_twice_where_it_computes_twice(policy, times):
    """How often is as in JAX 0.10."""
    log = []

    def f(x):
        y = fg.checkpoint_name(x + 1.0, "y")
        z = fg.checkpoint_name(y * 2.0, "z")
        debug.callback(lambda y, z: log.append((float(y), float(z))), y, z)
        return fg.checkpoint_name(fnp.exp(z), "w")

    fg.grad(fg.checkpoint(f, policy=policy))(2.0)
    assert log == [(3.0, 6.0)] * times


def test_what_the_callback_gets():
    found = []
    debug.callback(lambda *args, **kwargs: found.append((args, kwargs)), X, 3, "text", None, k=[fnp.array(2.0)])
    (x, n, text, none), kwargs = found[0]
    assert type(x) is np.ndarray and not np.shares_memory(x, X) and (n, text, none) == (3, "text", None)
    assert type(kwargs["k"][0]) is np.ndarray


def test_its_result_is_dropped_and_its_exceptions_pass():
    assert debug.callback(lambda: 5) is None

    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fg.grad(lambda x: (debug.callback(fail, x), x)[1])(1.0)


def test_in_two_calls():
    log = []
    debug.callback(ordered=True)(log.append, 5)
    assert log == [5]


def test_no_function():
    with pytest.raises(ArgumentError, match=r"first argument to debug\.callback must be callable, got 3"):
        debug.callback(3, 1.0)


# Printing.


@pytest.mark.parametrize(
    "fmt, args, kwargs, expected",
    [
        ("x: {}", (2,), {}, "x: 2"),
        ("x: {x}", (), {"x": fnp.array(2.5)}, "x: 2.5"),
        ("{:.3f} {x:5.1e}", (np.pi,), {"x": 1.0}, "3.142 1.0e+00"),
        ("{:{width}.2f}|", (fnp.array(1.5),), {"width": 8}, "    1.50|"),
        ("{0[1]} {y.shape} {{}}", (np.arange(3),), {"y": np.ones((2, 3))}, "1 (2, 3) {}"),
        ("{} {!r}", (fnp.arange(3.0), np.arange(2)), {}, "[0. 1. 2.] array([0, 1])"),
        ("{} {} {}", (True, fnp.array(False), 1j), {}, "True False 1j"),
        ("{}", ({"a": [fnp.array(1.0), None]},), {}, "{'a': [np.float64(1.0), None]}"),
        ("no fields", (), {}, "no fields"),
    ],
)
def test_print(fmt, args, kwargs, expected, capsys):
    debug.print(fmt, *args, **kwargs)
    assert capsys.readouterr().out == expected + "\n"


def test_print_under_transforms(capsys):
    f = lambda x, y: (debug.print("x = {x:.1f}, y = {}", y, x=x), x * y)[1]
    fg.vmap(fg.grad(f), (0, None))(X, 2.0)
    assert capsys.readouterr().out == "x = 0.3, y = 2.0\nx = -1.2, y = 2.0\nx = 2.0, y = 2.0\n"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: debug.print("{x}", 1.0), KeyError, "'x'"),
        (lambda: debug.print("{}", x=1.0), IndexError, "out of range"),
        (
            lambda: debug.print("{x}", x=1.0, y=2.0),
            CallbackError,
            r"Unused keyword arguments to debug\.print: y\. .*f-string",
        ),
        (lambda: debug.print("text", 1.0), CallbackError, r"Unused positional arguments to debug\.print: 1\.0"),
        (lambda: debug.print("{", 1.0), ValueError, "Single '{'"),
        (lambda: debug.print("{:d}", 1.5), ValueError, "Unknown format code 'd'"),
        (lambda: debug.print(3), ArgumentError, "takes a text first, expected str, got 3 of type int"),
    ],
)
def test_texts_that_do_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_unused_arguments_where_that_is_meant(capsys):
    debug.print("text", 1.0, skip_format_check=True)
    assert capsys.readouterr().out == "text\n"


def test_texts_are_checked_where_they_stand_in_the_program():
    with pytest.raises(CallbackError, match="Unused keyword arguments"):
        fg.make_tape(lambda x: (debug.print("text", x=x), x)[1])(1.0)

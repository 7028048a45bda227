"""pure_callback and io_callback: host functions inside programs that are transformed."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, CallbackError, NoValueError
from funcgrad.transforms.callback import VMAP_METHODS, io_callback

sys.path.append(str(Path(__file__).parent))
import custom_stacks as stacks

X = np.array([0.3, -1.2, 2.0])
NUMBER = fg.ShapeDtypeStruct((), "float64")


def host_sin(x, method="sequential"):
    return fg.pure_callback(np.sin, x, x, vmap_method=method)


def test_it_computes_and_announces():
    assert float(host_sin(fnp.array(0.5))) == math.sin(0.5)
    np.testing.assert_array_equal(host_sin(fnp.array(X)), np.sin(X))
    tape = fg.make_tape(host_sin)(X)
    np.testing.assert_array_equal(tape(2 * X), np.sin(2 * X))
    assert fg.eval_shape(host_sin, X) == fg.ShapeDtypeStruct((3,), "float64")


def test_the_host_sees_ndarrays_of_its_own():
    def write(x):
        assert type(x) is np.ndarray
        x[0] = 1.0
        return x

    mine = X.copy()
    np.testing.assert_array_equal(fg.pure_callback(write, X, mine), [1.0, *X[1:]])
    np.testing.assert_array_equal(mine, X)


def test_nothing_the_host_does_later_changes_a_result():
    kept = X.copy()
    y = fg.pure_callback(lambda: kept, X)
    kept[:] = 0.0
    np.testing.assert_array_equal(y, X)


def test_pytrees_keywords_several_results_numbers_and_nothing():
    kinds = {"sum": NUMBER, "parts": (fg.ShapeDtypeStruct((3,), "float64"), fg.ShapeDtypeStruct((), "int64"))}
    f = lambda p, *, k: {"sum": float(np.sum(p["x"])), "parts": (k * p["x"], 3)}
    found = fg.pure_callback(f, kinds, {"x": X}, k=2.0)
    assert float(found["sum"]) == pytest.approx(np.sum(X)) and int(found["parts"][1]) == 3
    np.testing.assert_array_equal(found["parts"][0], 2 * X)
    assert fg.pure_callback(lambda x: None, None, X) is None
    empty = fg.ShapeDtypeStruct((2, 0), float)
    assert fg.pure_callback(lambda x: x, empty, np.ones((2, 0))).shape == (2, 0)


@pytest.mark.parametrize("method", VMAP_METHODS)
def test_batches(method):
    f = lambda x: host_sin(x, method)
    rows = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(fg.vmap(f)(rows), np.sin(rows))
    np.testing.assert_array_equal(fg.vmap(f, in_axes=1)(rows), np.sin(rows).T)
    np.testing.assert_array_equal(fg.vmap(fg.vmap(f))(rows), np.sin(rows))
    np.testing.assert_array_equal(fg.make_tape(fg.vmap(f))(rows)(2 * rows), np.sin(2 * rows))
    assert fg.vmap(f)(np.ones((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    "method, expected",
    [
        ("sequential", [((), ())] * 3),
        ("sequential_unrolled", [((), ())] * 3),
        ("expand_dims", [((3,), (1,))]),
        ("broadcast_all", [((3,), (3,))]),
        ("legacy_vectorized", [((3,), ())]),
    ],
)
def test_the_shapes_that_the_host_sees(method, expected):
    seen = []

    def add(x, y):
        seen.append((x.shape, y.shape))
        return x + y

    f = fg.vmap(lambda x, y: fg.pure_callback(add, NUMBER, x, y, vmap_method=method), (0, None))
    np.testing.assert_array_equal(f(X, 1.0), X + 1)
    assert seen == expected


def test_nested_batches_of_different_arguments():
    seen = []

    def add(x, y):
        seen.append((x.shape, y.shape))
        return x + y

    f = lambda x, y: fg.pure_callback(add, NUMBER, x, y, vmap_method="expand_dims")
    table = fg.vmap(fg.vmap(f, (None, 0)), (0, None))(X, X[:2])
    np.testing.assert_array_equal(table, X[:, None] + X[:2])
    assert seen == [((3, 1), (1, 2))]


def test_what_the_examples_share_is_computed_once():
    calls = []
    f = lambda x: fg.pure_callback(lambda: calls.append(0) or 2.0, NUMBER) * x
    np.testing.assert_array_equal(fg.vmap(f)(X), 2 * X)
    assert len(calls) == 1


def test_batches_need_a_method():
    with pytest.raises(NotImplementedError, match="vmap is only supported for pure_callback with a vmap_method"):
        fg.vmap(lambda x: fg.pure_callback(np.sin, NUMBER, x))(X)


@pytest.mark.parametrize(
    "transform, what",
    [
        (lambda f: fg.grad(f)(0.5), "JVP"),
        (lambda f: fg.jvp(f, (0.5,), (1.0,)), "JVP"),
        (lambda f: fg.linearize(f, 0.5), "JVP"),
        (lambda f: fg.vmap(fg.grad(f))(X), "JVP"),
        (lambda f: fg.linear_transpose(f, 0.5)(1.0), "transpose"),
    ],
)
def test_there_is_no_derivative(transform, what):
    for kind, f in (("Pure", host_sin), ("IO", lambda x: io_callback(np.sin, NUMBER, x))):
        with pytest.raises(ValueError, match=f"{kind} callbacks do not support {what}"):
            transform(f)


def test_what_is_not_differentiated_may_go_through():
    assert float(fg.grad(lambda x: x * host_sin(fg.stop_gradient(x)))(0.5)) == math.sin(0.5)
    f = lambda x, n: x * fg.pure_callback(lambda n: float(n), NUMBER, n)
    assert float(fg.grad(f)(0.5, 3)) == 3.0


@pytest.mark.parametrize("name", [*stacks.REVERSE, *stacks.FORWARD])
def test_with_a_rule_it_has_one(name):
    sine = fg.custom_jvp(lambda x: host_sin(x))
    sine.defjvp(lambda p, t: (sine(*p), fg.pure_callback(np.cos, p[0], p[0], vmap_method="expand_dims") * t[0]))
    stacks.check((stacks.REVERSE | stacks.FORWARD)[name](sine), X, np.cos(X))


def test_inside_loops():
    step = lambda x: fg.pure_callback(lambda x: x + 1.0, NUMBER, x)
    assert float(fg.lax.while_loop(lambda x: x < 5.5, step, 0.5)) == 5.5
    assert float(fg.make_tape(lambda x: fg.lax.while_loop(lambda x: x < 5.5, step, x))(0.0)(1.5)) == 5.5
    assert float(fg.lax.scan(lambda c, _: (step(c), None), 0.0, None, length=4)[0]) == 4.0


# What does not fit.


@pytest.mark.parametrize(
    "f, kind, message",
    [
        (lambda: (1.0, 2.0), NUMBER, r"announced to give PyTreeDef\(\*\), but gave PyTreeDef\(\(\*, \*\)\)"),
        (lambda: None, NUMBER, "but gave PyTreeDef"),
        (lambda: np.ones(3), NUMBER, r"announced to give float64\[\], but gave float64\[3\]; convert its result"),
        (lambda: np.float32(1), NUMBER, r"but gave float32\[\]"),
        (lambda: np.ones(2, int), fg.ShapeDtypeStruct((2,), float), r"but gave int64\[2\]"),
    ],
)
def test_results_that_were_not_announced(f, kind, message):
    for callback in (fg.pure_callback, io_callback):
        with pytest.raises(CallbackError, match=message):
            callback(f, kind)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: fg.pure_callback(3, NUMBER), ArgumentError),
        (lambda: fg.pure_callback(np.sin, 3.0, 1.0), ArgumentError),
        (lambda: fg.pure_callback(np.sin, NUMBER, "text"), ArgumentError),
        (lambda: fg.pure_callback(lambda: "text", NUMBER), ArgumentError),
        (lambda: fg.pure_callback(np.sin, NUMBER, 1.0, sharding="x"), ArgumentError),
        (lambda: fg.pure_callback(np.sin, NUMBER, 1.0, vmap_method="all"), CallbackError),
    ],
)
def test_calls_that_make_no_sense(make, error):
    with pytest.raises(error):
        make()


def test_exceptions_of_the_host_pass():
    def fail(x):
        raise KeyError("mine")

    for f in (lambda x: fg.pure_callback(fail, NUMBER, x), lambda x: io_callback(fail, None, x)):
        with pytest.raises(KeyError, match="mine"):
            f(1.0)


# Side effects.


def test_io_callbacks_run_whenever_the_program_runs():
    log = []

    def f(x):
        io_callback(lambda x: log.append(float(x)), None, x)
        n = io_callback(lambda: len(log), fg.ShapeDtypeStruct((), "int64"))
        return x * n

    assert float(f(2.0)) == 2.0 and log == [2.0]
    tape = fg.make_tape(f)(0.0)
    assert log == [2.0]
    assert float(tape(3.0)) == 6.0 and log == [2.0, 3.0]
    assert float(fg.grad(lambda x: x * f(5.0))(1.0)) == 15.0 and log == [2.0, 3.0, 5.0]


def test_io_callbacks_in_batches():
    log = []
    f = lambda x, ordered: io_callback(lambda x: log.append(float(x)) or x + 1.0, NUMBER, x, ordered=ordered)
    np.testing.assert_array_equal(fg.vmap(lambda x: f(x, False))(X), X + 1)
    assert log == list(X)
    with pytest.raises(ValueError, match="Cannot `vmap` ordered IO callback"):
        fg.vmap(lambda x: f(x, True))(X)


def test_a_checkpoint_runs_no_side_effect_twice():
    f = fg.checkpoint(lambda x, y: (io_callback(lambda y: None, None, y), fnp.sin(x))[1])
    with pytest.raises(NotImplementedError, match="Effects not supported in `checkpoint`"):
        fg.grad(f)(1.0, 2.0)
    pure = fg.checkpoint(lambda x, y: fnp.sin(x) * fg.pure_callback(np.exp, NUMBER, y))
    assert float(fg.grad(pure)(0.5, 1.0)) == pytest.approx(math.cos(0.5) * math.e)


# Recording.

LOG: list[float] = []


def _noted(x=1.0):
    LOG.append(float(x))
    return np.float64(2.0 * x)


CALLBACKS = {
    "pure_callback": lambda: fg.pure_callback(_noted, NUMBER, 1.0, vmap_method="sequential"),
    "pure_callback without arguments": lambda: fg.pure_callback(_noted, NUMBER, vmap_method="sequential"),
    "io_callback": lambda: io_callback(_noted, NUMBER, 1.0),
    "debug.callback": lambda: (fg.debug.callback(_noted, 1.0), 2.0)[1],
    "debug.print": lambda: (fg.debug.print("{}", _Shown()), 2.0)[1],
}


class _Shown:
    """Formatted when it is printed, as an array is."""

    def __format__(self, spec):
        return str(_noted())


AROUND = {  # what stands between a callback and the branch or the step that it is in
    "": lambda f: f,
    "jit": lambda f: lambda: fg.jit(lambda: f() * 1.0)(),
    "checkpoint": lambda f: lambda: fg.checkpoint(lambda: f() * 1.0)(),
    "vmap": lambda f: lambda: fg.vmap(lambda x: f() * x)(fnp.ones(1))[0],
    "cond": lambda f: lambda: fg.lax.cond(True, lambda: f() * 1.0, lambda: 0.0),
}
PLACES = {  # programs of x that reach the callback once if x is 1.0, and not at all if it is -1.0
    "cond": lambda f: lambda x: fg.lax.cond(x > 0.0, lambda x: x + f(), lambda x: x, x),
    "switch": lambda f: lambda x: fg.lax.switch(fnp.asarray(x > 0.0).astype(int), [lambda x: x, lambda x: x + f()], x),
    "while_loop": lambda f: lambda x: fg.lax.while_loop(lambda v: (v > 0.0) & (v < 2.0), lambda v: v + f(), x),
    "fori_loop": lambda f: lambda x: fg.lax.fori_loop(0, fnp.asarray(x > 0.0).astype(int), lambda i, v: v + f(), x),
    "cond in scan": lambda f: (
        lambda x: fg.lax.scan(
            lambda c, _: (fg.lax.cond(x > 0.0, lambda c: c + f(), lambda c: c, c), None), x, None, length=1
        )[0]
    ),
}
RECORDED = {  # ways to record a program without running it, and to run it
    "jit": (lambda f, x: fg.jit(f).lower(x).compile(), lambda f, x: fg.jit(f)(x)),
    "make_tape": (lambda f, x: fg.make_tape(f)(x), lambda f, x: fg.make_tape(f)(x)(x)),
    "eval_shape": (lambda f, x: fg.eval_shape(f, x), None),
    "jit of vmap": (
        lambda f, x: fg.jit(fg.vmap(f)).lower(fnp.full(1, x)),
        lambda f, x: fg.jit(fg.vmap(f))(fnp.full(1, x))[0],
    ),
    "jit of grad": (lambda f, x: fg.jit(fg.grad(f)).lower(x), lambda f, x: fg.jit(fg.value_and_grad(f))(x)[0]),
    "jit of checkpoint": (lambda f, x: fg.jit(fg.checkpoint(f)).lower(x), lambda f, x: fg.jit(fg.checkpoint(f))(x)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", RECORDED)
@pytest.mark.parametrize("kind", CALLBACKS)
def test_callbacks_of_constants_run_when_the_program_does(kind, way, place, around, capsys):
    record, run = RECORDED[way]
    if way == "jit of grad" and place in ("while_loop", "fori_loop"):  # reverse mode runs such a loop again
        run = None
    program = PLACES[place](AROUND[around](CALLBACKS[kind]))
    LOG.clear()
    if run is None and kind == "io_callback" and way == "jit of grad":
        with pytest.raises(CallbackError, match="Effects not supported in the reverse mode"):
            record(program, 1.0)
        assert not LOG
        return
    record(program, 1.0)
    record(program, -1.0)
    assert not LOG  # nothing runs while it is recorded
    if run is not None:
        assert float(run(program, -1.0)) == -1.0
        assert not LOG  # nor where the program does not go
        assert float(run(program, 1.0)) == 3.0
        assert LOG == [1.0]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", CALLBACKS)
def test_callbacks_of_constants_in_eager_programs(kind, place, capsys):
    """The branch that is not taken is run on shapes, to compare types."""
    program = PLACES[place](CALLBACKS[kind])
    for f in (program, fg.checkpoint(program), lambda x: fg.value_and_grad(program)(x)[0]):
        LOG.clear()
        assert float(f(fnp.array(-1.0))) == -1.0 and not LOG
        assert float(f(fnp.array(1.0))) == 3.0 and LOG == [1.0]


def test_a_decision_does_not_run_the_host_before_the_program_does():
    LOG.clear()
    program = lambda x: fg.lax.cond(x > 0.0, lambda x: x if CALLBACKS["pure_callback"]() > 0 else -x, lambda x: x, x)
    with pytest.raises(NoValueError):
        fg.jit(program)(1.0)
    assert not LOG

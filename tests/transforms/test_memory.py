"""Nothing that a transform made outlives it: no reference cycles, no residuals, no recursion when a chain is freed."""

import contextlib
import gc
import math
import tracemalloc

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

X = np.ones(5)


def f(x):
    return fnp.sum(fnp.sin(x) * x[0] + fnp.linalg.norm(x) + x[np.array([0, 1])].sum())


def interrupted(x):
    raise KeyboardInterrupt


def writes_into_a_buffer(x):
    buffer = np.zeros(3)
    buffer[0] = x[0]
    return fnp.sum(x)


CALLS = {
    "grad": lambda: fg.grad(f)(X),
    "value_and_grad": lambda: fg.value_and_grad(f)(X),
    "vjp": lambda: fg.vjp(f, X)[1](1.0),
    "jvp": lambda: fg.jvp(f, (X,), (X,)),
    "forward over reverse": lambda: fg.jvp(fg.grad(f), (X,), (X,)),
    "reverse over reverse": lambda: fg.grad(lambda x: fg.grad(f)(x).sum())(X),
    "reverse over forward": lambda: fg.vjp(lambda x: fg.jvp(f, (x,), (X,))[1], X)[1](1.0),
    "forward over forward": lambda: fg.jvp(lambda x: fg.jvp(f, (x,), (X,))[1], (X,), (X,)),
    "several results": lambda: fg.grad(lambda x: fnp.linalg.svd(x)[1].sum())(np.eye(3) + 1),
    "make_tape": lambda: str(fg.make_tape(fg.grad(f))(X)(X)),
    "tape of a pullback": lambda: str(fg.vjp(f, X)[1].tape) + repr(fg.vjp(f, X)[1]),
    "map over a pullback": lambda: fg.tree.map(lambda a: a, fg.vjp(f, X)[1]),
    "eval_shape": lambda: fg.eval_shape(f, X),
    "an exception": lambda: fg.grad(lambda x: 1 // 0)(X),
    "an interrupt": lambda: fg.grad(interrupted)(X),
    "float(x)": lambda: fg.grad(math.sin)(1.0),
    "np.full": lambda: fg.grad(lambda x: np.full(3, x).sum())(1.0),
    "buffer": lambda: fg.grad(writes_into_a_buffer)(X),
    "buffer, nested": lambda: fg.jvp(lambda x: fg.grad(writes_into_a_buffer)(x), (X,), (X,)),
    "no number": lambda: fg.make_tape(lambda x: x if x > 0 else -x)(1.0),
    "not a scalar": lambda: fg.grad(lambda x: x)(X),
    "wrong structure": lambda: fg.vjp(f, X)[1]((1.0,)),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_reference_cycles(name):
    def call():
        with contextlib.suppress(BaseException):
            CALLS[name]()

    call()  # plans are built on first use
    gc.collect()
    gc.disable()
    try:
        call()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_residuals_go_with_the_pullback():
    x = np.ones(100_000)
    fg.vjp(lambda x: fnp.sum(fnp.tanh(x * 2)), np.ones(2))[1](1.0)
    gc.disable()
    tracemalloc.start()
    try:
        _, pullback = fg.vjp(lambda x: fnp.sum(fnp.tanh(x * 2)), x)
        assert tracemalloc.get_traced_memory()[0] > x.nbytes
        del pullback
        assert tracemalloc.get_traced_memory()[0] < x.nbytes / 10
        fg.grad(lambda x: fnp.sum(fnp.tanh(x * 2)))(x)
        with pytest.raises(TypeError):
            fg.grad(lambda x: math.sin(fnp.tanh(x * 2)))(x)
    finally:
        tracemalloc.stop()
        gc.enable()


def chain(x):
    for _ in range(100_000):
        x = fnp.sin(x)
    return x


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(lambda: fg.grad(chain)(1.0), id="reverse"),
        pytest.param(
            lambda: fg.grad(lambda x: fg.jvp(chain, (x,), (1.0,))[1])(1.0),
            id="reverse over forward",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            lambda: fg.jvp(lambda x: fg.vjp(chain, x)[0], (1.0,), (1.0,)),
            id="a pullback that is dropped",
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda: fg.make_tape(chain)(1.0), id="tape", marks=pytest.mark.slow),
    ],
)
def test_long_chains_are_freed_without_recursion(run):
    run()


def test_a_leaked_chain_is_freed_without_recursion():
    leak = []
    fg.grad(lambda x: (leak.append(chain(x)), x)[1])(1.0)
    leak.clear()


def test_levels_after_exceptions():
    for raising in (interrupted, writes_into_a_buffer, lambda x: 1 // 0):
        for transform in (fg.grad, fg.make_tape, lambda g: lambda x: fg.grad(lambda x: fg.jvp(g, (x,), (x,))[1])(x)):
            with pytest.raises(BaseException):
                transform(raising)(X)
    assert "level 1" in repr(fg.grad(lambda x: (x, repr(x)), has_aux=True)(1.0)[1])

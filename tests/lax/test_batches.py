"""What examples of a batch have in common where they go different ways: shared values, named axes, nothing at all."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

X = np.array([1.0, 2.0, 3.0])

# Recorded from JAX 0.10: idle examples contribute to collective operations what their own values are.
COLLECTIVE = {
    "cond": (lambda x: lax.cond(x > 1, lambda x: lax.psum(x, "i"), lambda x: x, x), [1.0, 6.0, 6.0]),
    "switch": (
        lambda x: lax.switch(x.astype(int) - 1, [lambda x: x, lambda x: lax.pmax(x, "i"), fnp.negative], x),
        [1.0, 3.0, -3.0],
    ),
    "while_loop": (lambda x: lax.while_loop(lambda x: x < 20, lambda x: lax.psum(x, "i"), x), [54.0, 54.0, 54.0]),
    "scan": (lambda x: lax.scan(lambda c, t: (lax.psum(c, "i") * t, None), x, fnp.ones(2))[0], [18.0, 18.0, 18.0]),
    "axis_index": (
        lambda x: lax.while_loop(lambda y: y < lax.axis_index("i"), lambda y: y + 2, 0) + x,
        [1.0, 4.0, 5.0],
    ),
}


@pytest.mark.parametrize("name", COLLECTIVE)
@pytest.mark.parametrize("run", [lambda f: f, lambda f: lambda x: fg.make_tape(f)(x)(x)], ids=["run", "recorded"])
def test_collective_operations(name, run):
    f, expected = COLLECTIVE[name]
    np.testing.assert_array_equal(run(fg.vmap(f, axis_name="i"))(X), expected)


@pytest.mark.parametrize("outer, inner", [("i", None), (None, "i")])
def test_collective_operations_in_a_batch_of_batches(outer, inner):
    f = COLLECTIVE["cond"][0]
    xs = np.array([[1.0, 2.0, 3.0], [4.0, 0.0, 5.0]])
    expected = {"i": [[1.0, 2.0, 8.0], [5.0, 0.0, 8.0]], None: [[1.0, 6.0, 6.0], [9.0, 0.0, 9.0]]}[outer]
    np.testing.assert_array_equal(fg.vmap(fg.vmap(f, axis_name=inner), axis_name=outer)(xs), expected)


@pytest.mark.parametrize("shared", [(None, 0), (0, None), (0, 0)])
def test_carry_and_rows_may_be_shared(shared):
    def f(c, xs):
        return lax.scan(lambda c, x: (fnp.sin(c * x), c + x), c, xs)

    c = np.array([0.3, 0.7]) if shared[0] == 0 else 0.3
    xs = np.array([[1.0, 2.0, 3.0], [4.0, 0.5, 5.0]]) if shared[1] == 0 else X
    tape = fg.make_tape(fg.vmap(f, shared))(c, xs)
    for k in range(2):
        one = f(c if shared[0] is None else c[k], xs if shared[1] is None else xs[k])
        for batched in (fg.vmap(f, shared)(c, xs), tape(c, xs), fg.vmap(fg.make_tape(f)(0.3, X), shared)(c, xs)):
            for expected, got in zip(one, batched, strict=True):
                np.testing.assert_allclose(got[k], expected, rtol=1e-14)


def test_a_counter_that_all_examples_share_stays_shared():
    def f(x):
        return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x), (0, x))[1]

    tape = fg.make_tape(fg.vmap(f))(X)
    assert "(int64[], float64[3]) = while_loop" in str(tape) and "while any" not in str(tape)
    np.testing.assert_array_equal(tape(X), X**4)


def test_a_carry_becomes_a_batch_on_the_way():
    """The last of four is a batch, and each step moves it on by one."""

    def f(last):
        return lax.scan(lambda c, _: ((c[1], c[2], c[3], 0.0), None), (0.0, 1.0, 2.0, last), np.zeros(2))[0]

    for g in (fg.vmap(f), fg.make_tape(fg.vmap(f))(X)):
        np.testing.assert_array_equal(np.stack(g(X)), [[2.0] * 3, X, [0.0] * 3, [0.0] * 3])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: lax.cond(x > 0, fnp.sin, fnp.cos, x),
        lambda x: lax.while_loop(lambda x: x < 3, lambda x: x + 1, x),
        lambda x: lax.fori_loop(0, x.astype(int), lambda i, x: x + 1, x),
        lambda x: lax.scan(lambda c, x: (c + x, c), x, fnp.ones(3))[0],
    ],
    ids=["cond", "while_loop", "fori_loop", "scan"],
)
def test_a_batch_of_no_examples(f):
    x = np.zeros(0)
    assert fg.vmap(f)(x).shape == fg.vmap(fg.grad(f))(x).shape == fg.make_tape(fg.vmap(f))(x)(x).shape == (0,)

"""Memory in compiled programs: what is written over, what never is, and how much there is at a time."""

import os
import tracemalloc

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 6, 6))


def view_of_what_is_read_last(x, y):
    a = x * y
    rows = a.T  # a view of a, which nobody reads by its own name after the next line
    b = a + 1.0
    return b * 2.0, rows - b


def result_that_is_read_later(x, y):
    a = fnp.sin(x)
    return a, a * y + a


def operand_twice(x, y):
    a = x + y
    return a * a - a


def by_columns(x, y):
    a = fnp.exp(x.T)  # NumPy gives it the order of x.T, in which no product of matrices can be written
    b = fnp.cos(y @ y)
    return (a @ b) @ (b * 2.0) + fnp.exp(a) @ y


def other_shapes_and_dtypes(x, y):
    a = x[0] * y
    b = fnp.where(a > 0, a.astype("float32"), 1.0)
    return a / b + b, fnp.maximum(a, b) - fnp.minimum(b * b, 0.5) * 3


def given_to_a_loop(x, y):
    a = x - y
    kept, total = lax.fori_loop(0, 3, lambda i, c: (c[0], c[1] + c[0]), (a, y))  # which may give a back
    return total * 2.0, kept + total


def subtracted_from(x, y):
    a = fnp.tanh(x)
    return y - (1.0 - a), 2.0 / (y - a / 3.0)


PROGRAMS = [
    view_of_what_is_read_last,
    result_that_is_read_later,
    operand_twice,
    by_columns,
    other_shapes_and_dtypes,
    given_to_a_loop,
    subtracted_from,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [1, 6, 200])
def test_nothing_that_is_read_is_written_over(f, n):
    x, y = (X, Y) if n == 6 else RNG.normal(size=(2, n, n)) / n
    before = x.copy(), y.copy()
    compiled = fg.jit(f)
    first = compiled(x, y)
    kept = [np.array(r) for r in fg.tree.leaves(first)]
    compiled(y, x)
    for found, expected, old in zip(fg.tree.leaves(first), fg.tree.leaves(f(x, y)), kept, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(found, old)  # a later call leaves results alone
    np.testing.assert_array_equal((x, y), before)
    total = fg.grad(lambda x, y: sum([fnp.sum(r * r) for r in fg.tree.leaves(f(x, y))]), (0, 1))
    for found, expected in zip(fg.jit(total)(x, y), total(x, y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_dead_operands_take_results():
    source = fg.jit(lambda x, y: fnp.exp(fnp.sin(x) * y) + 1.0, backend="numpy").source(X, Y)
    assert source.splitlines()[1:-1] == ["    v2 = sin(v0)", "    v2 *= v1", "    exp(v2, v2)", "    v2 += _1_0"]


BOOKKEEPING = 2000
"""Bytes of lists and frames, which differ between versions of Python. The arrays of a batch take more."""


def peak(f, *args):
    """The bytes that a call holds at most beside its arguments, when all has been made that is made once."""
    f(*args)
    f(*args)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        _result = f(*args)  # it counts
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def network(w, v, x):
    return fnp.mean(fnp.square(fnp.tanh(x @ w) @ v))


def unrolled(w, v, x):
    h = fnp.zeros((x.shape[1], w.shape[0]))
    for row in x:
        h = fnp.tanh(h @ w + row @ v)
    return fnp.sum(h * h)


def logistic(w, v, x):
    z = x @ w[:, 0]
    return fnp.mean(fnp.log1p(fnp.exp(-z)) + 0.1 * z) + fnp.sum(v * v)


@pytest.mark.parametrize(
    ("loss", "shapes"),
    [
        (network, ((64, 64), (64, 10), (32, 64))),
        (network, ((300, 300), (300, 300), (200, 300))),
        (unrolled, ((16, 16), (4, 16), (100, 8, 4))),
        (logistic, ((20, 1), (3,), (5000, 20))),
    ],
)
def test_a_compiled_program_holds_no_more_than_the_function(loss, shapes):
    args = [fnp.asarray(RNG.normal(size=s) / 10) for s in shapes]
    gradient = fg.value_and_grad(loss, (0, 1))
    share = 1.5 if os.environ["FUNCGRAD_BACKEND"] == "native" else 1  # small results get memory of their own there
    assert peak(fg.jit(gradient), *args) <= share * peak(gradient, *args) + BOOKKEEPING


def filled(y):
    return lax.fori_loop(1, y.shape[0], lambda i, y: y.at[i].set(fnp.sin(y[i - 1]) + y[i]), y)


def counted(y):
    def step(c, i):
        kept, y = c
        return (kept + y[0], y.at[i % 7].add(1.0).at[0].set(y[3])), y[2]

    return lax.scan(step, (0.0, y), fnp.arange(40))


def kept_beside(y):
    """Each step's array is read later, so it cannot be written over."""
    return lax.scan(lambda y, i: (y.at[i].multiply(2.0), y), y, fnp.arange(5))


def until(y):
    return lax.while_loop(lambda c: c[0] < 6, lambda c: (c[0] + 1, c[1].at[c[0]].set(c[1][c[0] - 1] * 2)), (1, y))


@pytest.mark.parametrize("f", [filled, counted, kept_beside, until])
@pytest.mark.parametrize("n", [9, 5000])
def test_a_carry_that_is_changed_in_place(f, n):
    y = RNG.normal(size=min(n, 3000) if f is kept_beside else n)
    y = y[:60] if f is filled else y
    before = y.copy()
    for found, expected in zip(fg.tree.leaves(fg.jit(f)(y)), fg.tree.leaves(f(y)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(y, before)
    if f is not until:
        gradient = fg.grad(lambda y: sum([fnp.sum(fnp.sin(o)) for o in fg.tree.leaves(f(y))]))
        np.testing.assert_allclose(fg.jit(gradient)(y), gradient(y), rtol=1e-10, atol=1e-12)


def test_changes_in_place_are_written_so():
    y = fnp.ones(5000)
    source = fg.jit(filled, backend="numpy").source(y)
    assert "    v0[v3[0]] = v7\n" in source
    assert source.count("array(v0, order='C')") == 1
    backward = fg.jit(fg.grad(lambda y: fnp.sum(filled(y))), backend="numpy").source(y)
    assert "add_at(v0, " in backward and "zeros" not in backward


def test_a_row_that_is_picked_is_a_view():
    def f(x, i):
        row = fnp.sin(x[i])
        return fnp.sum(row) + x * 2.0

    def step(x, i):
        row = fnp.tanh(x[i % 4])
        return x * 0.5 + fnp.sum(row), None

    np.testing.assert_allclose(fg.jit(f)(X, 2), f(X, 2), rtol=1e-14)
    loop = fg.jit(lambda x: lax.scan(step, x, fnp.arange(5))[0])
    np.testing.assert_allclose(loop(X), lax.scan(step, fnp.asarray(X), fnp.arange(5))[0], rtol=1e-14)

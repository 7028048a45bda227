"""Compiling a program takes steps in proportion to its length: every form of program, twice as long.

What is counted are lines of Python, so the machine does not matter.
"""

import math
import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

pytestmark = pytest.mark.no_cover

X = np.linspace(0.1, 1.0, 3)
LARGE = np.linspace(0.1, 1.0, 40_000)
named = fg.named_call(lambda x: fnp.sin(x) * 2.0)
checkpointed = fg.checkpoint(lambda x: fnp.sin(x) * 2.0)
compiled = fg.jit(lambda x: fnp.sin(x) * 2.0)


def repeated(step):
    def program(n):
        def f(x):
            for k in range(n):
                x = step(x, k)
            return x

        return f

    return program


def summed(term):
    def program(n):
        def f(x):
            total = 0.0
            for k in range(n):
                total = total + term(x, k)
            return total

        return f

    return program


def from_the_left(operation):
    def f(*xs):
        total = xs[0]
        for k, x in enumerate(xs[1:]):
            total = operation(total, x, k)
        return total

    return lambda n: f


def by_halves(*xs):
    xs = list(xs)
    while len(xs) > 1:
        xs = [a + b for a, b in zip(xs[::2], xs[1::2], strict=True)]
    return xs[0]


def powers(n):
    def f(x):
        power = total = x
        for _ in range(n):
            power = power * x
            total = total + power
        return total

    return f


def constants(n):
    values = [np.array([k + 0.5, 1.0, 2.0]) for k in range(n)]
    return lambda x: sum([x * c for c in values])


def several(n):
    return [X + k for k in range(n)]


def numbers(n):
    return np.linspace(0.5, 1.5, n)


def one(x):
    return lambda n: (x,)


PROGRAMS = {  # a function of the length that gives the function, and one that gives its arguments
    "chain": (repeated(lambda x, k: fnp.sin(x)), one(X)),
    "chain with its start": (repeated(lambda x, k: fnp.sin(x) * X + 1.0), one(X)),
    "quotients": (repeated(lambda x, k: x / (1.0 + x)), one(X)),
    "signs": (repeated(lambda x, k: -x), one(X)),
    "choices": (repeated(lambda x, k: fnp.where(x > 0, x * 2.0, x - 1.0)), one(X)),
    "movements": (repeated(lambda x, k: fnp.transpose(x) * 1.001), one(np.eye(3))),
    "products of matrices": (repeated(lambda x, k: fnp.tanh(x @ np.full((3, 3), 0.1))), one(np.eye(3))),
    "large arrays": (repeated(lambda x, k: fnp.sin(x)), one(LARGE)),
    "writes": (repeated(lambda x, k: x.at[k].set(x[k] * 2.0)), lambda n: (numbers(n),)),
    "additions in places": (repeated(lambda x, k: x.at[k].add(1.0)), lambda n: (numbers(n),)),
    "named calls": (repeated(lambda x, k: named(x)), one(X)),
    "checkpoints": (repeated(lambda x, k: checkpointed(x)), one(X)),
    "compiled calls": (repeated(lambda x, k: compiled(x)), one(X)),
    "loops": (repeated(lambda x, k: lax.scan(lambda c, _: (fnp.sin(c), None), x, None, length=3)[0]), one(X)),
    "decisions": (repeated(lambda x, k: lax.cond(x[0] > 0, fnp.sin, fnp.cos, x)), one(X)),
    "slices": (summed(lambda x, k: fnp.sin(x[k])), lambda n: (numbers(n),)),
    "sums": (summed(lambda x, k: fnp.sum(x * float(k))), one(X)),
    "means": (summed(lambda x, k: fnp.mean(x * float(k))), one(X)),
    "inner products": (summed(lambda x, k: (x * float(k)) @ x), one(X)),
    "the same term": (summed(lambda x, k: x), one(X)),
    "terms of two factors": (summed(lambda x, k: fnp.sin(x * float(k)) * x), one(X)),
    "sums of large arrays": (summed(lambda x, k: fnp.sin(x * float(k)).sum()), one(LARGE)),
    "results of several": (summed(lambda x, k: fnp.linalg.eigh(x * float(k + 1))[0].sum()), one(np.eye(2))),
    "a sum of arguments": (from_the_left(lambda s, x, k: s + x), several),
    "a sum from the right": (from_the_left(lambda s, x, k: x + s), several),
    "differences": (from_the_left(lambda s, x, k: x - s if k % 2 else s - 2.0 * x), several),
    "a product of arguments": (from_the_left(lambda s, x, k: s * x), several),
    "a tree of sums": (lambda n: by_halves, several),
    "a stack": (lambda n: lambda *xs: fnp.stack(xs).sum(0), several),
    "a concatenation": (lambda n: lambda *xs: fnp.concatenate(xs).sum(), several),
    "powers": (powers, one(X)),
    "constants": (constants, one(X)),
    "results": (lambda n: lambda x: [x * float(k) for k in range(n)], one(X)),
}


def differentiated(f):
    def total(xs):
        return sum([fnp.sum(o) for o in fg.tree.leaves(f(*xs))])

    return lambda *xs: fg.grad(total)(xs)


def lines(program, arguments, transform, n):
    """How many lines of Python are run to compile a program of a length."""
    f, xs = transform(program(n)), arguments(n)
    count = 0

    def tracer(frame, event, arg):
        nonlocal count
        count += 1
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        fg.jit(f).lower(*xs).compile()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("transform", [lambda f: f, differentiated], ids=["value", "gradient"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_the_program_is_twice_the_work(name, transform):
    program, arguments = PROGRAMS[name]
    lines(program, arguments, transform, 4)  # what is made on first use
    assert lines(program, arguments, transform, 128) < 2.2 * lines(program, arguments, transform, 64)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
def test_long_programs_need_no_recursion(name):
    program, arguments = PROGRAMS[name]
    for transform in (lambda f: f, differentiated):
        fg.jit(transform(program(1024))).lower(*arguments(1024)).compile()


def test_a_number_that_meets_a_long_product():
    """It went all the way through the product, by recursion."""

    def f(x):
        factors = x + 0.4, 0.9 * x + 0.5, fnp.cos(x - 1.0)
        product = x
        for k in range(2000):  # in no order that repeats itself
            product = product * factors[0] if k * k * k % 101 < 40 else factors[k * k % 3] * product
        return -product

    x = np.linspace(0.6, 0.61, 40)
    np.testing.assert_allclose(fg.jit(f)(x), f(x), rtol=1e-12)


def test_a_sum_of_ten_thousand_arguments():
    """120 seconds when the terms of a sum were copied at each addition."""
    xs = [float(k) for k in range(10_000)]
    assert fg.jit(lambda *xs: sum(xs))(*xs) == sum(xs)


@pytest.mark.slow
def test_a_hundred_thousand_equations_that_repeat_nothing():
    choices = np.random.default_rng(0).integers(0, 4, 50_000).tolist()

    def f(x):
        a, b = x, 0.5 * x
        for c in choices:
            a, b = b, fnp.sin(a) if c == 0 else a + 0.1 * b if c == 1 else fnp.cos(a * b) if c == 2 else a - b * b
        return fnp.sum(a)

    np.testing.assert_allclose(fg.jit(f)(X), f(X), rtol=1e-9)


@pytest.mark.slow
def test_a_hundred_thousand_equations():
    x = 0.0
    for _ in range(50_000):
        x = math.sin(x) + 0.5
    np.testing.assert_allclose(fg.jit(repeated(lambda x, k: fnp.sin(x) + 0.5)(50_000))(0.0), x)

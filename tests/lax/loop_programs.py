"""Programs with control flow of funcgrad.lax, each beside the same program with Python's own `if`, `for` and `while`.

The arguments of a program are a vector of three numbers and, for some, go different ways: the rows of POINTS take
different branches and different numbers of steps, and include some on which the other way would divide by zero.
"""

from functools import partial

import numpy as np

import funcgrad.numpy as fnp
from funcgrad import lax

POINTS = np.array([[0.9, -0.4, 0.3], [-0.7, 0.8, 0.5], [0.0, 0.6, -0.2], [2.3, 1.1, -1.4]])

W = np.array([[0.3, -0.5, 0.2], [0.1, 0.4, -0.6], [-0.2, 0.7, 0.5]])

PROGRAMS = {}


def program(reference):
    """Decorator: the function is a program, whose reference is this."""

    def add(f):
        PROGRAMS[f.__name__] = f, reference
        return f

    return add


def number(x):
    """The value of an array on which Python's control flow depends."""
    return x._concrete("a decision")


def root_or_log(x):
    return fnp.sqrt(x[0]) * x[1] if x[0] > 0 else fnp.log(1 - x[0]) + x[2] ** 2


@program(root_or_log)
def cond_operands(x):
    return lax.cond(x[0] > 0, lambda x: fnp.sqrt(x[0]) * x[1], lambda x: fnp.log(1 - x[0]) + x[2] ** 2, x)


@program(root_or_log)
def cond_closures(x):
    return lax.cond(x[0] > 0, lambda: fnp.sqrt(x[0]) * x[1], lambda: fnp.log(1 - x[0]) + x[2] ** 2)


def two_results(x):
    a, b = (x, x[1]) if x[0] <= 0 else (fnp.sin(x), fnp.sqrt(x[0]))
    return a.sum() * b


@program(two_results)
def cond_trees(x):
    found = lax.cond(
        x[0] <= 0,
        lambda t: {"a": t["x"], "b": t["x"][1]},
        lambda t: {"a": fnp.sin(t["x"]), "b": fnp.sqrt(t["x"][0])},
        {"x": x, "unused": 3},
    )
    return found["a"].sum() * found["b"]


def one_of_three(x):
    i = min(max(int(number(fnp.floor(x[0]))) + 1, 0), 2)
    return [lambda: x[1] / (x[0] - 2), lambda: fnp.exp(x[2]) * x[0], lambda: fnp.sqrt(x[0] - 0.5) + x[1]][i]()


@program(one_of_three)
def switch(x):
    index = fnp.floor(x[0]).astype(int) + 1
    branches = [lambda x: x[1] / (x[0] - 2), lambda x: fnp.exp(x[2]) * x[0], lambda x: fnp.sqrt(x[0] - 0.5) + x[1]]
    return lax.switch(index, branches, x)


def shrink(x):
    c = 3 * x
    while c @ c > 1:
        c = 0.5 * c * fnp.cos(c) + 0.1 * x
    return fnp.sum(c**3)


@program(shrink)
def while_of_array(x):
    return fnp.sum(lax.while_loop(lambda c: c @ c > 1, lambda c: 0.5 * c * fnp.cos(c) + 0.1 * x, 3 * x) ** 3)


def roots(x):
    y, n = fnp.abs(x[0]) + 0.2, 0
    while y > 0.3:
        y, n = fnp.sqrt(y - 0.29) * x[1] ** 2 / 2, n + 1
    return y * (n + 1)


@program(roots)
def while_out_of_domain(x):
    """Once an example is done, another step would take the root of a negative number."""
    y, n = lax.while_loop(
        lambda s: s[0] > 0.3, lambda s: (fnp.sqrt(s[0] - 0.29) * x[1] ** 2 / 2, s[1] + 1), (fnp.abs(x[0]) + 0.2, 0)
    )
    return y * (n + 1)


def powers(x):
    y = x
    for i in range(1, 5):
        y = fnp.sin(y * i) + x
    return y @ x


@program(powers)
def fori(x):
    return lax.fori_loop(1, 5, lambda i, y: fnp.sin(y * i) + x, x) @ x


def some_powers(x):
    y = 1.0
    for i in range(int(number(fnp.ceil(fnp.abs(x[0]) * 2)))):
        y = y * x[1] + x[i % 3]
    return y * x[2]


@program(some_powers)
def fori_of_unknown_length(x):
    n = fnp.ceil(fnp.abs(x[0]) * 2).astype(int)
    return lax.fori_loop(0, n, lambda i, y: y * x[1] + x[i % 3], 1.0) * x[2]


def recurrent(x, order=(0, 1, 2, 3)):
    h, ys = fnp.zeros(3), [None] * 4
    inputs = fnp.stack([x, x**2, fnp.sin(x), W[0] * x])
    for k in order:
        h = fnp.tanh(W @ h + inputs[k])
        ys[k] = h[0] * inputs[k]
    return h.sum() + (fnp.stack(ys) ** 2).sum()


@program(recurrent)
def scan(x):
    def step(h, inp):
        h = fnp.tanh(W @ h + inp)
        return h, h[0] * inp

    h, ys = lax.scan(step, fnp.zeros(3), fnp.stack([x, x**2, fnp.sin(x), W[0] * x]))
    return h.sum() + (ys**2).sum()


@program(partial(recurrent, order=(3, 2, 1, 0)))
def scan_reverse(x):
    def step(h, inp):
        h = fnp.tanh(W @ h + inp)
        return h, h[0] * inp

    h, ys = lax.scan(step, fnp.zeros(3), fnp.stack([x, x**2, fnp.sin(x), W[0] * x]), reverse=True)
    return h.sum() + (ys**2).sum()


def sums(x):
    total, last, parts = 0, x[0], []
    for k in range(3):
        total, last = total + x[k] * last, x[k]
        parts.append(total * k)
    return total * parts[2] + parts[1]


@program(sums)
def scan_trees(x):
    def step(carry, row):
        total = carry["total"] + row[0] * carry["last"]
        return {"total": total, "last": row[0]}, (None, {"part": total * row[1]})

    carry, (_, ys) = lax.scan(step, {"total": 0, "last": x[0]}, (x, np.arange(3)))
    return carry["total"] * ys["part"][2] + ys["part"][1]


def doubled(x):
    for _ in range(3):
        x = fnp.sin(x) * 2 + x
    return x.sum()


@program(doubled)
def scan_without_xs(x):
    return lax.scan(lambda c, _: (fnp.sin(c) * 2 + c, None), x, length=3)[0].sum()


@program(lambda x: (fnp.exp(x) * x[0]).sum() + x[1] ** 2)
def mapped(x):
    y, z = lax.map(lambda t: (fnp.exp(t) * x[0], t * t), x)
    return y.sum() + z[1]


@program(lambda x: (fnp.exp(x) * x[0]).sum())
def mapped_in_batches(x):
    return lax.map(lambda t: fnp.exp(t) * x[0], x, batch_size=2).sum()


def linear_recurrence(x):
    h, hs = 0.0, []
    for a, b in zip(x, fnp.cos(x), strict=True):
        h = a * h + b
        hs.append(h)
    return (fnp.stack(hs) ** 3).sum()


@program(linear_recurrence)
def associative(x):
    def combine(one, other):
        return one[0] * other[0], other[0] * one[1] + other[1]

    return (lax.associative_scan(combine, (x, fnp.cos(x)))[1] ** 3).sum()


def choices_in_a_loop(x):
    c = x
    for k in range(3):
        c = c * x[k] + fnp.sqrt(c[0]) if c[0] > 0.1 else fnp.sin(c - x[k])
    return c.sum()


@program(choices_in_a_loop)
def cond_in_scan(x):
    def step(c, t):
        return lax.cond(c[0] > 0.1, lambda c: c * t + fnp.sqrt(c[0]), lambda c: fnp.sin(c - t), c), None

    return lax.scan(step, x, x)[0].sum()


def loops_in_a_loop(x):
    total = x[0] * 0
    for k in range(3):
        y = fnp.abs(x[k]) * 2
        while y > 0.45:
            y = y * y / (1 + y)
        total = total + y * x[0]
    return total


@program(loops_in_a_loop)
def while_in_scan(x):
    def step(total, t):
        y = lax.while_loop(lambda y: y > 0.45, lambda y: y * y / (1 + y), fnp.abs(t) * 2)
        return total + y * x[0], y

    return lax.scan(step, 0.0, x)[0]


def loop_in_a_choice(x):
    if x[1] > 0:
        y = x[1] + 1
        while y < 20:
            y = y * y + fnp.abs(x[0])
        return fnp.log(y)
    return (x**2).sum()


@program(loop_in_a_choice)
def while_in_cond(x):
    def grow(x):
        return fnp.log(lax.while_loop(lambda y: y < 20, lambda y: y * y + fnp.abs(x[0]), x[1] + 1))

    return lax.cond(x[1] > 0, grow, lambda x: (x**2).sum(), x)


def collatz(x):
    n, y, steps = int(number(fnp.floor(fnp.abs(x[0]) * 10 + 0.5))) + 1, x[1], 0
    while n != 1:
        if n % 2 == 0:
            n, y = n // 2, y * x[2]
        else:
            n, y = 3 * n + 1, y + fnp.sin(x[0])
        steps += 1
    return y + steps


@program(collatz)
def cond_in_while(x):
    def step(state):
        n, y, steps = state
        n, y = lax.cond(n % 2 == 0, lambda: (n // 2, y * x[2]), lambda: (3 * n + 1, y + fnp.sin(x[0])))
        return n, y, steps + 1

    n = fnp.floor(fnp.abs(x[0]) * 10 + 0.5).astype(int) + 1
    _, y, steps = lax.while_loop(lambda s: s[0] != 1, step, (n, x[1], 0))
    return y + steps

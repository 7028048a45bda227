"""Loops with random steps, compiled against uncompiled, where each step runs by itself."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

sys.path.append(str(Path(__file__).parent))
from random_programs import Program, along, near, number, rows

pytestmark = pytest.mark.no_cover

SHAPES = [(), (3,), (2, 3), (1,), (4, 1), (0,)]
XS, ROWS, MATRIX = np.arange(9.0) - 3, np.cos(np.arange(27.0)).reshape(9, 3), np.sin(np.arange(6.0)).reshape(2, 3)


def scan(step, init=1.0, reverse=False):
    return lambda first, k, xs: lax.scan(lambda c, x: step(c, x, k), first * init, xs, reverse=reverse)


# Functions of two numbers and rows: what a step may do with its carry, its row and a constant.
STEPS = {
    "the row is the next carry": scan(lambda c, x, k: (x, c * k)),
    "the row is the next carry, from the end": scan(lambda c, x, k: (x, c * k), reverse=True),
    "only the last row is read": lambda first, k, xs: lax.scan(lambda c, x: (x, None), first, xs)[0] * k,
    "the next carry depends on the row alone": scan(lambda c, x, k: (fnp.sin(x), c)),
    "the carry is added up and joined": scan(lambda c, x, k: (c + x * k, c)),
    "the carry is added up": scan(lambda c, x, k: (fnp.stack([c[0] + x * x, c[1] + 1]), c[1]), np.ones(2)),
    "a constant is joined": scan(lambda c, x, k: (c + k, np.ones(2))),
    "a constant is all there is": scan(lambda c, x, k: (c, np.ones(2))),
    "a constant is the next carry": scan(lambda c, x, k: (fnp.ones(()), c)),
    "a number from outside is the next carry": scan(lambda c, x, k: (k * 2, c)),
    "a number from outside is joined": scan(lambda c, x, k: (c + 1, k * 2)),
    "two carries change places": scan(lambda c, x, k: (c[::-1], c[0] * k), np.arange(2.0)),
    "the row is joined twice": scan(lambda c, x, k: (c, (x, x * k, x))),
    "an empty part of the carry is joined": scan(lambda c, x, k: (c * k, c[:0]), np.ones(2)),
    "empty parts are all there is": lambda first, k, xs: lax.map(lambda x: np.ones(0) * (x * k), xs),
    "rows by a matrix": lambda first, k, xs: lax.map(lambda x: MATRIX @ (x * ROWS[0]) * k, xs),
    "rows beside more axes": lambda first, k, xs: lax.map(lambda x: x * (MATRIX * k), xs),
    "recurrent": scan(lambda h, x, k: (fnp.tanh(ROWS[:3] @ h * k + x), h), np.ones(3)),
    "nested": lambda first, k, xs: lax.scan(
        lambda c, x: (c + lax.scan(lambda d, y: (d * x / 9 + y, d), c, xs)[0] / 99, x * k), first, xs
    ),
}


# Short loops are compiled otherwise than long ones, and one without steps gives its first carry.
@pytest.mark.parametrize("length", [0, 2, 9])
@pytest.mark.parametrize("step", STEPS)
def test_steps(step, length):
    f, args = STEPS[step], (0.5, 1.25, np.cos(np.arange(float(length))))
    near(fg.jit(f)(*args), f(*args))
    for jacobian in (fg.jacfwd(f, (0, 1, 2)), fg.jacrev(f, (0, 1, 2))):
        near(fg.jit(jacobian)(*args), jacobian(*args))


def test_steps_with_integers():
    f = fg.jit(lambda n: lax.fori_loop(0, 9, lambda i, c: (c[0] + i, c[1] * 1.5), (n, 1.0)))
    near(f(np.int64(3)), (np.int64(3 + sum(range(9))), np.float64(1.5**9)))


class RandomLoop:
    """A loop whose step is a random program of its carry, its rows and constants.

    Arguments:
        seed: of everything that is drawn.
        smooth: whether it is differentiable.
    """

    def __init__(self, seed, smooth):
        draw, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.length, self.reverse = draw.choice([0, 1, 2, 5, 9]), draw.random() < 0.3
        self.kind = draw.choice(["scan", "scan", "fori_loop", "map"])
        dtypes = ["float64"] if smooth else ["float64", "float64", "float32", "int64"]
        self.carry = [self._array(draw.choice(SHAPES), draw.choice(dtypes)) for _ in range(draw.randint(1, 3))]
        rows = [(self.length, *draw.choice(SHAPES)) for _ in range(draw.randint(0, 2))]
        self.rows = [self._array(shape, draw.choice(dtypes)) for shape in rows]
        self.constants = [self._array(draw.choice(SHAPES), draw.choice(dtypes)) for _ in range(draw.randint(0, 2))]
        self.args = [*self.carry, *self.rows, *self.constants]
        first = [x[0] if self.length else np.zeros(x.shape[1:], x.dtype) for x in self.rows]
        self.step = Program(seed, args=[*self.carry, *first, *self.constants], smooth=smooth, steps=draw.randint(1, 6))
        values = range(len(self.step.values))
        self.next = [draw.choice(values) if draw.random() < 0.8 else k for k in range(len(self.carry))]
        self.joined = [draw.choice(values) for _ in range(draw.randint(0, 3))]
        self.values = self.step.values

    def _array(self, shape, dtype):
        x = np.asarray(self.rng.standard_normal(shape))
        return (x * 2).astype(dtype)

    def _step(self, carry, rows, constants):
        values = self.step.run(*carry, *rows, *constants)
        return [alike(values[k], c) for k, c in zip(self.next, carry, strict=True)], [values[k] for k in self.joined]

    def __call__(self, *args):
        n, m = len(self.carry), len(self.carry) + len(self.rows)
        carry, rows, constants = (list(map(fnp.asarray, part)) for part in (args[:n], args[n:m], args[m:]))
        if self.kind == "map" and rows:
            return lax.map(lambda x: self._step(carry, x, constants), rows)
        if self.kind == "fori_loop" and self.length:
            return lax.fori_loop(0, self.length, lambda i, c: self._step(c, [x[i] for x in rows], constants)[0], carry)
        step = lambda c, x: self._step(c, x, constants)
        return lax.scan(step, carry, rows, length=self.length, reverse=self.reverse)


@pytest.fixture
def quiet():
    with np.errstate(all="ignore"):
        yield


def alike(x, carry):
    """x as the next carry, if it has the shape for it; something that depends on it otherwise."""
    if x.shape == carry.shape and x.dtype.kind in "fiub":
        x = fnp.sin(x) if x.dtype.kind == "f" else x % 7 if x.dtype.kind in "iu" else x
        return fnp.nan_to_num(x * 3).astype(carry.dtype)
    return (carry * 0.5 + number(x)).astype(carry.dtype) if carry.dtype.kind == "f" else carry


@pytest.mark.parametrize("seed", range(120))
def test_random_steps(seed, quiet):
    loop = RandomLoop(seed, smooth=False)
    near(fg.jit(loop)(*loop.args), loop(*loop.args), loop.values)


def total(f):
    return lambda *args: sum([fnp.sum(fnp.sin(o)) for o in fg.tree.leaves(f(*args))], fnp.zeros(()))


@pytest.mark.parametrize("seed", range(30))
def test_derivatives_of_random_steps(seed, quiet):
    loop = RandomLoop(seed, smooth=True)
    all_args = tuple(range(len(loop.args)))
    gradient = fg.grad(total(loop), all_args)
    expected = gradient(*loop.args)
    near(fg.jit(gradient)(*loop.args), expected)
    near(fg.grad(total(fg.jit(loop)), all_args)(*loop.args), expected)
    near(fg.jit(fg.grad(fg.checkpoint(total(loop)), all_args))(*loop.args), expected)

    def second(*args):
        return fg.jvp(gradient, args, tuple(map(along, args)))[1]

    near(fg.jit(second)(*loop.args), second(*loop.args))
    batches = tuple(map(rows, loop.args))
    near(fg.jit(fg.vmap(gradient))(*batches), fg.vmap(gradient)(*batches))

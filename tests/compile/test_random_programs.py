"""Random programs, compiled against uncompiled: values, dtypes, shapes and errors, under and around transforms."""

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.numpy_backend import schedule, tiles

sys.path.append(str(Path(__file__).parent))
from random_programs import LARGE, Program, along, near, rows

pytestmark = pytest.mark.no_cover


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def small_tiles(monkeypatch):
    """Groups from the smallest arrays on, tiles of a few elements, two threads."""
    monkeypatch.setattr(schedule, "LARGE", 2)
    monkeypatch.setattr(tiles, "TILE_BYTES", 64)
    monkeypatch.setattr(tiles, "THREADED", 1)
    monkeypatch.setattr(tiles.pool, "size", 2)


def check(program):
    expected = program(*program.args)
    before = [a.copy() for a in program.args]
    compiled = fg.jit(program)
    near(compiled(*program.args), expected, program.values)
    near(compiled(*map(fnp.asarray, program.args)), expected, program.values)
    near(fg.jit(program, backend="eager")(*program.args), expected, program.values)
    for a, b in zip(program.args, before, strict=True):
        np.testing.assert_array_equal(a, b, err_msg="an argument was changed")


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_values(seed, special):
    check(Program(seed, special=special))


@pytest.mark.parametrize("seed", range(60))
def test_values_of_doubles(seed):
    """Programs of nothing but doubles are those that become programs of numbers."""
    check(Program(seed, dtypes=["float64"], steps=5))


@pytest.mark.parametrize("seed", range(60))
def test_values_in_tiles(small_tiles, seed):
    check(Program(seed, special=seed % 2 == 0))


@pytest.mark.parametrize("seed", range(40))
def test_errors(seed):
    """What raises uncompiled raises the same kind of error compiled, if it is about types and shapes."""
    for f, x, y, error in Program(seed).failures:
        with pytest.raises(type(error)):
            fg.jit(f)(x, y)


@pytest.mark.parametrize("seed", range(8))
def test_large_arrays_whatever_the_threads(monkeypatch, seed):
    program = Program(seed, LARGE, ["float64", "float64", "float32", "int64"], special=seed % 2 == 0)
    compiled = fg.jit(program)
    found = [o.copy() for o in map(np.asarray, compiled(*program.args))]
    near(found, program(*program.args), program.values)
    for size in (1, 2, 3):
        monkeypatch.setattr(tiles.pool, "size", size)
        for a, b in zip(compiled(*program.args), found, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(4))
def test_calls_from_several_threads_at_once(seed):
    program = Program(seed, LARGE, ["float64"])
    compiled = fg.jit(program)
    expected = fg.jit(lambda *xs: program(*xs))(*program.args)
    found = [None] * 4

    def run(k):
        for _ in range(3):
            found[k] = compiled(*program.args)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for outs in found:
        for a, b in zip(outs, expected, strict=True):
            np.testing.assert_array_equal(a, b)


def loss(f):
    return lambda *xs: sum([fnp.sum(fnp.sin(o)) for o in f(*xs)])


ALL = (0, 1, 2)
# Each makes two functions of the arguments from f: one uncompiled, and one with jit in it.
STACKS = {
    "jit(grad)": lambda f: (fg.grad(loss(f), ALL), fg.jit(fg.grad(loss(f), ALL))),
    "grad(jit)": lambda f: (fg.grad(loss(f), ALL), fg.grad(loss(fg.jit(f)), ALL)),
    "jit(grad(checkpoint))": lambda f: (fg.grad(loss(f), ALL), fg.jit(fg.grad(fg.checkpoint(loss(f)), ALL))),
    "jit(jvp)": lambda f: tuple([lambda *xs, g=g: g(*xs, *map(along, xs)) for g in (pushed(f), fg.jit(pushed(f)))]),
    "jvp(jit)": lambda f: tuple([lambda *xs, g=g: g(*xs, *map(along, xs)) for g in (pushed(f), pushed(fg.jit(f)))]),
    "vmap(jit)": lambda f: tuple([lambda *xs, g=g: fg.vmap(g)(*map(rows, xs)) for g in (f, fg.jit(f))]),
    "jit(vmap(grad))": lambda f: tuple(
        [lambda *xs, g=g: g(*map(rows, xs)) for v in [fg.vmap(fg.grad(loss(f), ALL))] for g in (v, fg.jit(v))]
    ),
}
SECOND = {
    "jit(hessian)": lambda f: (fg.hessian(loss(f)), fg.jit(fg.hessian(loss(f)))),
    "jacrev(jit)": lambda f: (fg.jacrev(f, 1), fg.jacrev(fg.jit(f), 1)),
}


def pushed(f):
    return lambda *xs: fg.jvp(f, xs[:3], xs[3:])


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("seed", range(20))
def test_transforms(stack, seed):
    program = Program(seed, dtypes=["float64"], smooth=True, steps=5)
    plain, compiled = STACKS[stack](program)
    near(compiled(*program.args), plain(*program.args), program.values)


@pytest.mark.parametrize("seed", range(20))
def test_gradients_in_tiles(small_tiles, seed):
    program = Program(seed, dtypes=["float64"], smooth=True, steps=5)
    plain, compiled = STACKS["jit(grad)"](program)
    near(compiled(*program.args), plain(*program.args), program.values)


@pytest.mark.parametrize("stack", SECOND)
@pytest.mark.parametrize("seed", range(12))
def test_second_derivatives(stack, seed):
    program = Program(seed, [(), (3,), (1, 2), (0,)], ["float64"], smooth=True, steps=4)
    plain, compiled = SECOND[stack](program)
    near(compiled(*program.args), plain(*program.args), program.values)

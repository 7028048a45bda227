"""Random whole programs, compiled against uncompiled: values, dtypes and errors, wherever arguments lie in memory."""

import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

sys.path.append(str(Path(__file__).parent))
from random_sources import Program, function, shortest


def laid_out(draw, a):
    """The same numbers in memory of another kind."""
    kind = draw.choice(["as they are", "an Array", "with gaps", "from the end", "read-only"])
    if kind == "an Array":
        return fnp.asarray(a.copy())
    if kind == "with gaps" and a.ndim:
        return np.repeat(a, 2, axis=-1)[..., ::2]
    if kind == "from the end" and a.ndim:
        return np.ascontiguousarray(a[::-1])[::-1]
    b = a.copy()
    b.flags.writeable = kind != "read-only"
    return b


def outcome(f, args):
    """The results, or the type of the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [np.array(o) for o in fg.tree.leaves(f(*args))]
        except Exception as e:  # it is what the other one is to raise
            return type(e)


def noise(f, args, expected):
    """How far the results move if all floats move by some units in the last place; nan where it cannot be said."""
    moved = [np.zeros(e.shape) for e in expected]
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sides = [rng.choice([-8, 8], a.shape) * np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0 for a in args]
        with np.errstate(all="ignore"):
            near = [
                (a + a * s).astype(a.dtype) if a.dtype.kind in "fc" else a for a, s in zip(args, sides, strict=True)
            ]
            found = outcome(f, near)
            if isinstance(found, type) or [o.shape for o in found] != [e.shape for e in expected]:
                return [e * np.nan for e in moved]
            both = zip(moved, found, expected, strict=True)
            moved = [np.maximum(m, np.where(same(o, e), 0, np.abs(o.astype(complex) - e))) for m, o, e in both]
    return moved


def same(a, b):
    return (a == b) | ((a != a) & (b != b))


def differs(f, args, found, expected):
    """Whether results are others than those expected, beyond rounding."""
    if isinstance(found, type) or isinstance(expected, type):
        return found is not expected
    if [(a.shape, a.dtype) for a in found] != [(e.shape, e.dtype) for e in expected]:
        return True
    if all(np.all(same(a, e)) for a, e in zip(found, expected, strict=True)):
        return False
    eps = max([np.finfo(x.dtype).eps for x in (*args, *expected) if x.dtype.kind in "fc"], default=0.0)
    for a, e, moved in zip(found, expected, noise(f, args, expected), strict=True):
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(e), where=np.isfinite(e), initial=0)
            near = np.abs(a.astype(complex) - e) <= 1e5 * eps * (np.abs(e) + scale) + 1e3 * moved
        if not np.all(near | same(a, e) | np.isnan(moved)):
            return True
    return False


def failure(source, args, seed):
    """What a program does otherwise when it is compiled; None if nothing."""
    f, before = function(source), [a.copy() for a in args]
    expected = outcome(f, args)
    compiled, draw = fg.jit(function(source)), random.Random(seed)
    for _ in range(2):
        given = [laid_out(draw, a) for a in args]
        found = outcome(compiled, given)
        if differs(f, args, found, expected):
            return f"it gives {found}, not {expected}"
        if not all(np.all(same(np.asarray(a), b)) for a, b in zip(given, before, strict=True)):
            return "it changes an argument"
    return None


def check(seed):
    program = Program(seed)

    def fails(lines):
        try:
            return failure(program.source(lines), program.args, seed) is not None
        except SyntaxError:
            return False

    told = failure(program.source(), program.args, seed)
    if told is not None:
        lines = shortest(program.lines, fails)
        raise AssertionError(f"{told}\n{program.source(lines)}\n{[(a.shape, a.dtype) for a in program.args]}")


@pytest.mark.parametrize("seed", range(20))
def test_programs(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 1100))
def test_more_programs(seed):
    check(seed)

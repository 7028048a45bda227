"""Slices, pads and joins in machine code: they are read where they lie, and never carried out."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.native import target as native
from funcgrad.compile.native.llvm import target
from funcgrad.compile.numpy_backend.threads import pool

sys.path.append(str(Path(__file__).parents[1]))
from random_boxes import Boxes

RNG = np.random.default_rng(0)
LARGE = (
    *((150, 130), (40, 30, 20), (20001,), (7000, 3), (5, 5000)),
    *((130, 150, 2), (2, 90, 100), (17000, 1), (1, 20000), (128, 256)),
)


def check(f, *args, rtol=1e-10):
    """Compiled against uncompiled."""
    compiled = fg.jit(f, backend="native")
    found, expected = [fg.tree.leaves(g(*args)) for g in (compiled, f)]
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.max(np.abs(b[np.isfinite(b)]), initial=0)))
    return compiled


def check_random(seed):
    program = Boxes(seed, LARGE)
    check(program, *program.args, rtol=1e-10 if program.dtype == "float64" else 1e-3)


@pytest.mark.parametrize("seed", range(16))
def test_random_programs(seed):
    check_random(seed)


@pytest.mark.parametrize("seed", range(16, 20))
def test_what_machine_code_does_not_take_is_carried_out_before(seed, monkeypatch):
    part = native.group_part
    monkeypatch.setattr(native, "group_part", lambda m, g, *rest: None if g.moves or g.pulled else part(m, g, *rest))
    check_random(seed)


@pytest.mark.parametrize("width", [16, 32])
def test_narrow_registers(width, monkeypatch):
    if width > target().bytes:
        pytest.skip("the processor has no such registers")
    monkeypatch.setattr(target(), "bytes", width)
    check_random(24)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 1000))
def test_more_random_programs(seed):
    check_random(seed)


def lines(f, *args):
    """The calls of a program without its groups."""
    return [line for line in fg.jit(f, backend="native").source(*args).split("\n") if line and line[0] != "#"]


def laplacian(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]


def total(u, k):
    return fnp.sum(k * laplacian(u) ** 2)


def step(u):
    return u.at[1:-1, 1:-1].add(0.1 * laplacian(u))


def upwind(u):
    return fnp.concatenate([u[:1], u[1:] - 0.3 * (u[1:] - u[:-1])])


def padded(u):
    p = fnp.pad(u, 1)
    return u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)


@pytest.mark.parametrize(
    ("f", "shapes", "calls"),
    [
        (fg.value_and_grad(total), ((150, 140), (148, 138)), 2),
        (step, ((150, 140),), 1),
        (upwind, ((20000,),), 1),
        (padded, ((150, 140),), 1),
        (lambda x: fnp.sum(fnp.diff(x, axis=0) ** 2), ((150, 140),), 1),
        (lambda x: x[::-1] * x[::-1] + x, ((20000,),), 1),
    ],
)
def test_no_part_is_an_array_of_its_own(f, shapes, calls):
    args = [RNG.normal(size=s) for s in shapes]
    check(lambda *xs: f(*map(fnp.asarray, xs)), *args)
    found = lines(lambda *xs: f(*map(fnp.asarray, xs)), *args)
    assert len([line for line in found if "group" in line]) == calls
    assert not any("[" in line or "index_add" in line or "scatter" in line for line in found)


def test_small_differences_are_part_of_a_whole_program():
    x = RNG.normal(size=(30, 20))
    f = fg.value_and_grad(lambda x: fnp.sum(fnp.diff(x, axis=0) ** 2) + fnp.sum(fnp.diff(x[:, ::2]) ** 2))
    assert not check(f, x).cost(x).outside
    check(lambda x: fnp.diff(x[:1], axis=0), x)
    zeros = np.full(5, -0.0)
    for f in (fnp.diff, fg.grad(lambda x: fnp.sum(fnp.diff(x) * zeros[1:]))):
        np.testing.assert_array_equal(np.signbit(fg.jit(f, backend="native")(zeros)), np.signbit(f(zeros)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_lies_outside_is_not_computed_with(bad):
    x = RNG.normal(size=(150, 140))
    x[0], x[:, -1] = bad, bad

    def f(x):
        return fnp.pad(x[1:, :-1] * 2.0, 1), fnp.concatenate([x[1:2], 1 / x[1:], x[1:2]])

    check(f, x)
    check(fg.grad(lambda x: fnp.sum(x[1:, :-1] ** 2)), x)


def test_zeros_keep_their_signs():
    zeros = np.full((150, 140), -0.0)

    def f(x):
        x = fnp.asarray(x)
        added = x.at[1:-1].add(x[1:-1])
        return x[1:] + x[:-1], added * 1.0, x[::-1] * 1.0, fnp.pad(x, 1) * 1.0, fnp.diff(x) * 1.0

    for a, b in zip(fg.jit(f, backend="native")(zeros), f(zeros), strict=True):
        np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "complex128", "float32"])
def test_dtypes(dtype):
    x = (100 * RNG.normal(size=(150, 140))).astype(dtype)

    def f(x):
        p = fnp.pad(x, ((1, 0), (0, 2)))
        return fnp.where(p[1:, 2:] == x, p[:-1, 1:-1], x), fnp.concatenate([x[:2], fnp.where(x == 1, x, x)[5:]], 0)

    check(f, x)


def test_a_result_is_not_written_over_what_is_read_for_a_rolled_one():
    def f(x, y):
        q = fnp.cos(x) + y * fnp.sum(x)
        r = fnp.sin(q * 2) + 1
        return r, fnp.roll(r, 2, 1)

    check(lambda x, y: f(fnp.asarray(x), y), *RNG.normal(size=(2, 2, 90, 100)))


def test_a_result_is_not_written_over_what_others_still_read():
    def f(u):
        for _ in range(4):
            u = step(u * 1.5)
        return u

    check(lambda u: f(fnp.asarray(u)), RNG.normal(size=(150, 140)))


def test_several_threads(monkeypatch):
    x = RNG.normal(size=(1500, 1400))
    f = fg.value_and_grad(lambda x: fnp.mean(fnp.tanh(laplacian(x)) ** 2) + fnp.mean(padded(x) ** 2))
    alone = fg.jit(f, backend="native")(x)
    monkeypatch.setattr(pool, "size", 2)
    check(f, x)
    for a, b in zip(alone, fg.jit(f, backend="native")(x), strict=True):
        np.testing.assert_array_equal(a, b)


def test_arrays_in_any_memory_layout():
    x = RNG.normal(size=(140, 300)).T[::2]
    compiled = check(fg.value_and_grad(lambda u: fnp.sum(laplacian(u) ** 2)), x)
    np.testing.assert_allclose(compiled(x)[1], compiled(x.copy())[1], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "complex128", "float32", "float64"])
@pytest.mark.parametrize("n", [37, 20011])
def test_steps(n, dtype):
    x = (10 * RNG.normal(size=n)).astype(dtype)

    def f(x):
        x = fnp.asarray(x)
        y = fnp.where(x == 1, x, x)
        back = fnp.where(y[::-1] == y, y[::-1], y).at[::-2].set(y[5])
        return (
            y[::2][1:],
            y[::-3],
            back,
            x.at[1::2].set(y[: n // 2]),
            x.at[::-1].add(y),
            fnp.where(y[::4] == 0, y[::4], 1),
        )

    check(f, x)
    if dtype.startswith("float"):
        check(fg.grad(lambda x: fnp.sum(fnp.sin(x[::-2]) * x[::2]) + fnp.sum(x[::3] ** 2)), x, rtol=1e-5)

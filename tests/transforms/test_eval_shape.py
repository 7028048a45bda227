"""Asking for shapes computes nothing: no array of the size of the arguments is made, whatever the transform."""

import pathlib
import runpy
import tracemalloc

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.core.primitive import Draw, registry

TRANSFORMS = runpy.run_path(str(pathlib.Path(__file__).parent / "test_leftovers.py"))["TRANSFORMS"]
LARGE = 1 << 40
MOST = 3_000_000  # bytes
SQUARES = {
    "jacfwd",
    "jacrev",
    "hessian",
    "vmap",
    "vmap of a named axis",
    "map",
}  # of whose results too many are squares
OUTER = {name: t for name, t in TRANSFORMS.items() if name not in SQUARES}


def peak(call):
    """The most memory that a call takes, and what it gives."""
    tracemalloc.start()
    try:
        found = call()
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def large(n=LARGE):
    return fg.ShapeDtypeStruct((n,), np.float64)


@pytest.mark.parametrize("outer", ["itself", "grad", "jit", "scan", "cond"])
@pytest.mark.parametrize("inner", [name for name in OUTER if name != "pure_callback"])
def test_nothing_is_computed(outer, inner):
    f = OUTER[outer](OUTER[inner](lambda x: fnp.sin(x) * x))
    if (outer, inner) == ("scan", "custom_root"):
        pytest.skip("the steps of a search, differentiated in a loop, start from constants that are computed")
    used, kind = peak(lambda: fg.eval_shape(f, large()))
    assert kind == large()
    assert used < MOST


@pytest.mark.parametrize("name", ["jacfwd", "jacrev", "hessian"])
def test_squares(name):
    transform = {"jacfwd": fg.jacfwd, "jacrev": fg.jacrev, "hessian": lambda f: fg.hessian(lambda x: f(x).sum())}[name]
    n = 1 << 20
    used, kind = peak(lambda: fg.eval_shape(transform(lambda x: fnp.sin(x) * x), large(n)))
    assert (kind.shape, kind.dtype) == ((n, n), np.float64)
    assert used < MOST


@pytest.mark.parametrize(
    "make",
    [
        lambda n: fnp.zeros(n) + 1.0,
        lambda n: fnp.ones((n, 2)).sum(1),
        lambda n: fnp.full(n, 2.0) * 2.0,
        lambda n: fnp.arange(n) * 1.0,
        lambda n: fnp.arange(0.0, n, 1.0),
        lambda n: fnp.eye(n, 3).sum(1),
        lambda n: fnp.tri(n, 3).sum(1),
        lambda n: fnp.ones_like(fnp.zeros(n)),
    ],
)
def test_constants_are_not_made(make):
    used, kind = peak(lambda: fg.eval_shape(lambda x: x + make(LARGE), large()))
    assert kind == large()
    assert used < MOST


def test_small_constants_have_values():
    def f(x):
        return x[: int(fnp.full((), 3))] * float(fnp.ones(2)[0])

    assert fg.eval_shape(f, large()).shape == (3,)


def test_a_cotangent_of_nothing_is_not_made():
    def f(x, y):
        return fnp.sum(x)

    used, kinds = peak(lambda: fg.eval_shape(fg.grad(f, (0, 1)), large(), large()))
    assert kinds == (large(), large())
    assert used < MOST


def test_a_rule_gets_zeros_that_take_no_memory():
    f = fg.custom_vjp(lambda x: (x, 2.0 * x))
    f.defvjp(lambda x: ((x, 2.0 * x), None), lambda _, g: (g[0] + 2.0 * g[1],))
    used, kind = peak(lambda: fg.eval_shape(fg.grad(lambda x: fnp.sum(f(x)[0])), large()))
    assert kind == large()
    assert used < MOST


def test_a_tape_keeps_a_stretched_constant_stretched():
    used, tape = peak(lambda: fg.make_tape(lambda x: x * np.broadcast_to(2.0, (LARGE,)))(large()))
    assert used < MOST
    assert tape.equations[0].shape == (LARGE,)


def lengths(args):
    return {n for a in args for n in np.shape(a) if n > 1 and np.asarray(a).dtype.kind in "fc"}


FANCY = {"gather", "getitem", "index_add", "index_max", "index_min", "index_set"}
"""Their shape rules index with arrays, and so make a result; a large one beside a slice."""


@pytest.mark.parametrize("name", [name for name in registry if name not in {*FANCY, "unstack"}])
def test_primitives_of_large_arrays(name):
    """Each length that occurs in a sample, made large wherever it occurs, if the primitive permits it."""
    p = registry[name]
    n = 1 << 30
    for sample in p.samples(Draw(p.dtypes[0])):
        for length in lengths(sample.args):
            args = [
                fg.ShapeDtypeStruct(tuple([n if m == length else m for m in a.shape]), a.dtype)
                if isinstance(a, np.ndarray) and a.dtype.kind in "fc"
                else a
                for a in sample.args
            ]
            tracemalloc.start()
            try:
                fg.eval_shape(lambda *xs, params=sample.params: p(*xs, **params), *args)
            except (ValueError, TypeError, IndexError, OverflowError, np.linalg.LinAlgError):
                continue  # the parameters or the constants ask for the length that the sample had
            finally:
                used = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            assert used < MOST


def test_jit_has_shapes_without_a_program():
    f = fg.jit(lambda x: fnp.sin(x))
    assert fg.eval_shape(f, large()) == large()
    assert f.cache_info().currsize == 0
    assert lax.stop_gradient(f(0.0)) == 0.0

"""Every primitive in the registry, on every sample of its record, compiled: as it is, under and around transforms."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.torch
from funcgrad.compile.jit import jit
from funcgrad.core.primitive import NotDifferentiable, registry
from funcgrad.testing import samples
from funcgrad.testing.samples import as_function

sys.path.append(str(Path(__file__).parent))
from array_operands import of_arrays

pytestmark = pytest.mark.no_cover

CASES = [pytest.param(p, c, id=f"{p.name}-{c}") for p in registry.values() for c in p.dtypes]
DIFFERENTIABLE = [
    pytest.param(p, c, id=f"{p.name}-{c}")
    for p in registry.values()
    for c in p.dtypes
    if c in "dF" and not any(isinstance(r, NotDifferentiable) for r in p.rules)
]


def parts(out):
    return fg.tree.leaves(out)


def near(found, expected, ulps=64):
    """The same up to rounding, of the largest number that there is, for some results come of others.

    A strided operand may be copied, BLAS rounds by the layout, and exp(x - logsumexp(x)) is compiled as a quotient.
    """
    assert len(parts(found)) == len(parts(expected))
    numbers = [y for y in map(np.asarray, parts(expected)) if y.dtype.kind in "fc"]
    scale = max([np.max(np.abs(y), where=np.isfinite(y), initial=1) for y in numbers], default=1)
    for x, y in zip(parts(found), parts(expected), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        if x.dtype.kind in "fc":
            eps = np.finfo(x.dtype).eps
            np.testing.assert_allclose(x, y, rtol=ulps * eps, atol=ulps * eps * scale)
        else:
            np.testing.assert_array_equal(x, y)


def cotangents(f, args):
    """One for each inexact result, and zeros for the others."""
    rng = np.random.default_rng(0)

    def of(o):
        if o.dtype.kind not in "fc":
            return np.zeros(o.shape, fg.float0)
        return rng.standard_normal(o.shape).astype(o.dtype)

    return fg.tree.map(of, f(*args))


@pytest.mark.parametrize("primitive, code", CASES)
def test_compiled_is_the_same(primitive, code):
    for sample in samples(primitive, code):
        f, args = of_arrays(primitive, sample)
        expected = f(*[fg.Array(a) for a in args])
        before = [a.copy() for a in args]
        compiled = jit(f)
        near(compiled(*args), expected)
        near(compiled(*[fg.Array(a) for a in args]), expected)
        near(jit(f, backend="eager")(*args), expected)
        for a, b in zip(args, before, strict=True):
            np.testing.assert_array_equal(a, b, err_msg="the arguments were changed")


@pytest.mark.parametrize("primitive, code", DIFFERENTIABLE)
def test_derivatives_of_compiled_and_compiled_derivatives(primitive, code):
    for sample in samples(primitive, code):
        f, args = as_function(primitive, sample)
        if not args:
            continue
        ct = cotangents(f, args)
        if not any(o.dtype.kind in "fc" for o in parts(f(*args))):
            continue

        def back(f, args, ct=ct):
            return fg.vjp(f, *args)[1](ct)

        expected = back(f, args)
        near(back(jit(f), args), expected)
        near(jit(lambda *xs, f=f: back(f, xs))(*args), expected)
        tangents = tuple([np.ones_like(a) for a in args])
        expected = fg.jvp(f, args, tangents)
        near(fg.jvp(jit(f), args, tangents), expected)
        near(jit(lambda *xs, f=f, ts=tangents: fg.jvp(f, xs, ts))(*args), expected)


@pytest.mark.parametrize("primitive, code", CASES)
def test_batches_of_compiled_and_compiled_batches(primitive, code):
    for sample in samples(primitive, code):
        f, args = of_arrays(primitive, sample)
        if not args:
            continue
        batch = [np.stack([a, a]) for a in args]
        expected = fg.vmap(f)(*batch)
        near(fg.vmap(jit(f))(*batch), expected)
        near(jit(fg.vmap(f))(*batch), expected)


def test_the_torch_face_is_in_the_registry():
    assert funcgrad.torch.Tensor is not None

"""Control flow under every transform, and stacks of them, against Python's own and finite differences."""

import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads
from funcgrad.transforms.jacobian import jacfwd, jacrev
from funcgrad.transforms.linearize import linearize

sys.path.append(str(Path(__file__).parent))
from loop_programs import POINTS, PROGRAMS

pytestmark = pytest.mark.no_cover


def hessian(f):
    return jacfwd(jacrev(f))


def directional(f):
    """The derivative of f along a fixed direction, by forward mode."""
    return lambda x: fg.jvp(f, (x,), (fnp.array([0.3, -1.0, 0.7]),))[1]


def batch_gradient(f):
    """The gradient of the sum over a batch."""
    return fg.grad(lambda xs: fnp.sum(fg.vmap(f)(xs)))


DERIVATIVES = {
    "value": lambda f: f,
    "grad": fg.grad,
    "jvp": directional,
    "jvp of grad": lambda f: directional(fg.grad(f)),
    "grad of jvp": lambda f: fg.grad(directional(f)),
    "grad of grad": lambda f: fg.grad(lambda x: fnp.sum(fg.grad(f)(x) ** 2)),
    "hessian": hessian,
}


def taped(f, *args):
    return fg.make_tape(f)(*args)(*args)


@pytest.mark.parametrize("name", PROGRAMS)
class TestPrograms:
    @pytest.fixture
    def f(self, name):
        return PROGRAMS[name][0]

    @pytest.fixture
    def reference(self, name):
        return PROGRAMS[name][1]

    def test_derivatives_are_those_of_finite_differences(self, f):
        for x in POINTS[[0, 1, 3]]:
            check_grads(f, (x,), order=2, rtol=1e-5)

    @pytest.mark.parametrize("derivative", DERIVATIVES)
    def test_each_point(self, f, reference, derivative):
        d = DERIVATIVES[derivative]
        for x in POINTS:
            expected = d(reference)(x)
            np.testing.assert_allclose(d(f)(x), expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(taped(d(f), x), expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(d(fg.make_tape(f)(x))(x), expected, rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(d(fg.checkpoint(f))(x), expected, rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("derivative", DERIVATIVES)
    def test_batches(self, f, reference, derivative):
        d = DERIVATIVES[derivative]
        expected = np.stack([d(reference)(x) for x in POINTS])
        batched = fg.vmap(d(f))
        np.testing.assert_allclose(batched(POINTS), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(taped(batched, POINTS), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fg.vmap(fg.make_tape(d(f))(POINTS[0]))(POINTS), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fg.vmap(d(fg.checkpoint(f)))(POINTS), expected, rtol=1e-10, atol=1e-12)

    def test_derivatives_of_batches(self, f, reference):
        expected = np.stack([fg.grad(reference)(x) for x in POINTS])
        np.testing.assert_allclose(batch_gradient(f)(POINTS), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(taped(batch_gradient(f), POINTS), expected, rtol=1e-10, atol=1e-12)
        tape = fg.make_tape(fg.vmap(f))(POINTS)
        np.testing.assert_allclose(fg.grad(lambda xs: fnp.sum(tape(xs)))(POINTS), expected, rtol=1e-10, atol=1e-12)
        tangents = np.cos(POINTS)
        np.testing.assert_allclose(
            fg.jvp(fg.vmap(f), (POINTS,), (tangents,))[1], np.sum(expected * tangents, axis=1), rtol=1e-10, atol=1e-12
        )

    def test_batches_of_batches(self, f, reference):
        xs = np.stack([POINTS, POINTS[::-1] * 0.9])
        expected = np.stack([[fg.grad(reference)(x) for x in row] for row in xs])
        np.testing.assert_allclose(fg.vmap(fg.vmap(fg.grad(f)))(xs), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(taped(fg.vmap(fg.vmap(fg.grad(f))), xs), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(fg.vmap(batch_gradient(f))(xs), expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(
            taped(fg.grad(lambda xs: fnp.sum(fg.vmap(fg.vmap(f))(xs))), xs), expected, rtol=1e-10, atol=1e-12
        )

    def test_linearize(self, f, reference):
        t = fnp.array([0.3, -1.0, 0.7])
        for x in POINTS:
            y, push = linearize(f, x)
            np.testing.assert_allclose([y, push(t)], fg.jvp(reference, (x,), (t,)), rtol=1e-10, atol=1e-12)

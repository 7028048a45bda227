"""The derivatives of a recorded scan: scans, that keep no more than they need."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.testing import check_grads

RNG = np.random.default_rng(0)
W, H, XS = RNG.normal(size=(3, 3)), RNG.normal(size=3), RNG.normal(size=(5, 3))


def recurrent(w, h, xs, reverse=False):
    scale = fnp.exp(w)  # of the constants alone, and the same in each step

    def step(carry, x):
        h, count = carry
        h = fnp.tanh((w * fnp.exp(w)) @ h + x * x)
        return (h, count + fnp.floor(h[0]).astype(int)), (h * scale[0], count)

    (h, _), (ys, counts) = lax.scan(step, (h, 0), xs, reverse=reverse)
    return fnp.sum(h) + fnp.sum(fnp.sin(ys)) + 0.0 * fnp.sum(counts)


def scans(tape):
    return [e for e in tape.equations if e.primitive.name == "scan"]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("argnums", [(0,), (1,), (2,), (0, 1, 2)])
def test_recorded_derivatives_are_those_of_the_loop(reverse, argnums):
    def f(*args):
        return recurrent(*args, reverse=reverse)

    gradient = fg.grad(f, argnums)
    for found, expected in zip(fg.make_tape(gradient)(W, H, XS)(W, H, XS), gradient(W, H, XS), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    check_grads(fg.jit(f), (W, H, XS), order=2)

    def directional(*args):
        return fg.jvp(f, args, (W.T, H[::-1], XS[::-1]))

    for found, expected in zip(fg.make_tape(directional)(W, H, XS)(W, H, XS), directional(W, H, XS), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_reverse_mode_is_two_scans_that_keep_what_differs_between_steps():
    tape = fg.make_tape(fg.grad(recurrent, (0, 1)))(W, H, XS)
    forward, backward = scans(tape)
    kept = sum([int(np.prod(s)) for s in forward.shape])
    # h and the number of steps as carry, and of each step: both results, h before and after, x * x
    assert kept <= 3 + 1 + 5 * (3 + 1 + 3 * 3 + 1)
    read = {(i.shape, i.dtype.name) for i in backward.inputs if hasattr(i, "inputs")}
    assert ((3, 3), "float64") in read  # w and exp(w), as they are
    assert ((5, 3, 3), "float64") not in read  # and not for each step


def test_rows_and_results_that_the_derivative_needs_are_not_kept_again():
    def f(a, xs):
        return fnp.sum(lax.scan(lambda c, x: (fnp.sin(c) * x + a, c), 0.5, xs)[1])

    forward, backward = scans(fg.make_tape(fg.grad(f))(2.0, H))
    assert forward.shape == ((), (3,))  # no more than the carry and the result
    assert len(backward.inputs) == 2 + 3  # cotangents of the carry and of a; the result, xs, the result's cotangent


def test_no_steps_at_all():
    def f(w, h):
        h, ys = lax.scan(lambda h, x: (fnp.tanh(w @ h) + x, h), h, fnp.zeros((0, 3)))
        return fnp.sum(h * h) + fnp.sum(ys)

    w_bar, h_bar = fg.jit(fg.grad(f, (0, 1)))(W, H)
    np.testing.assert_array_equal(w_bar, np.zeros((3, 3)))
    np.testing.assert_array_equal(h_bar, 2 * H)


def test_a_result_that_depends_on_nothing_differentiated():
    def f(a, b):
        c, ys = lax.scan(lambda c, x: (c * 2.0, x + b), 1.0, fnp.arange(3.0))
        return a * c + fnp.sum(ys)

    assert fg.jit(fg.grad(f))(3.0, 1.0) == 8.0
    found, tangent = fg.jit(lambda a, b: fg.jvp(f, (a, b), (1.0, 1.0)))(3.0, 1.0)
    assert (float(found), float(tangent)) == (30.0, 11.0)


def test_what_a_step_does_beside_computing_is_done_once(capsys):
    def f(x):
        def step(c, _):
            fg.debug.print("at {}", c)
            return c * x, None

        return lax.scan(step, 1.0, None, length=2)[0]

    assert fg.jit(fg.grad(f))(3.0) == 6.0
    assert capsys.readouterr().out == "at 1.0\nat 3.0\n"

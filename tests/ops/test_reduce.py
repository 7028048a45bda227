"""What the generated tests of the registry do not reach: ties, zeros, infinities, and what the tape keeps."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.ops import reduce
from funcgrad.testing import check_grads

inf, nan = np.inf, np.nan


def derivative(f, x):
    return np.asarray(fg.grad(f)(fnp.array(x)))


@pytest.mark.parametrize(
    "zeros, expected",
    [((), [60, 40, 30, 24]), ((0,), [60, 0, 0, 0]), ((1, 3), [0, 0, 0, 0]), ((0, 1, 2, 3), [0, 0, 0, 0])],
    ids=["none", "one", "two", "all"],
)
def test_prod_needs_no_division(zeros, expected):
    x = np.array([2.0, 3.0, 4.0, 5.0])
    x[list(zeros)] = 0
    np.testing.assert_array_equal(derivative(fnp.prod, x), expected)


@pytest.mark.parametrize("axis", [0, 1, None, (1, 0)])
def test_prod_with_zeros_to_third_order(axis):
    x = np.array([[0.0, 2.0, 0.0], [1.5, 0.0, 3.0]])
    check_grads(lambda x: fnp.prod(x, axis) ** 2, (x,), order=3)
    check_grads(lambda x: fnp.sum(fnp.sin(fnp.prod(x, axis))), (x,), order=3)


def test_hessian_of_prod_is_the_product_of_the_others():
    x = fnp.array([0.0, 0.0, 3.0])
    rows = [fg.grad(lambda x, i=i: fg.grad(fnp.prod)(x)[i])(x) for i in range(3)]
    np.testing.assert_array_equal(np.stack(rows), [[0, 3, 0], [3, 0, 0], [0, 0, 0]])  # as jax.hessian(jnp.prod)


@pytest.mark.parametrize(
    "x, largest, smallest",
    [
        ([1.0, 2.0, 2.0], [0, 0.5, 0.5], [1, 0, 0]),
        ([3.0, 3.0, 3.0, 3.0], [0.25] * 4, [0.25] * 4),
        ([[1.0, 5.0], [5.0, 1.0]], [[0, 0.5], [0.5, 0]], [[0.5, 0], [0, 0.5]]),
        (7.0, 1, 1),
    ],
)
def test_ties_share_evenly(x, largest, smallest):
    for f, expected in ((fnp.max, largest), (fnp.min, smallest)):
        np.testing.assert_array_equal(derivative(f, x), expected)
        one = np.ones(np.shape(x))
        tangent = fg.jvp(f, (np.array(x),), (one,))[1]
        np.testing.assert_allclose(tangent, np.sum(expected))


@pytest.mark.filterwarnings("ignore:invalid value")
def test_singular_points_are_those_of_jax():
    same = np.ones(3)
    np.testing.assert_array_equal(derivative(fnp.var, same), [0, 0, 0])
    assert np.isnan(derivative(lambda x: fnp.var(x, ddof=1), [1.0])).all()
    assert np.isnan(derivative(fnp.max, [1.0, nan])).all()
    with np.errstate(all="ignore"):
        assert np.isnan(derivative(fnp.std, same)).all()


@pytest.mark.parametrize(
    "x, value, expected",
    [
        ([-inf, -inf], -inf, [0, 0]),
        ([-inf, 1.0], 1.0, [0, 1]),
        ([1000.0, 1000.0], 1000 + np.log(2), [0.5, 0.5]),
        ([-1000.0, -1000.0], -1000 + np.log(2), [0.5, 0.5]),
    ],
)
def test_logsumexp_far_out(x, value, expected):
    assert float(fnp.logsumexp(np.array(x))) == value
    np.testing.assert_allclose(derivative(fnp.logsumexp, x), expected)


def test_logsumexp_of_infinity_and_of_nothing():
    assert float(fnp.logsumexp([inf, 1000.0])) == inf
    assert float(fnp.logsumexp(np.zeros(0))) == -inf


@pytest.mark.parametrize(
    "f, size",
    [
        (fnp.sum, 0),
        (fnp.mean, 0),
        (lambda x: fnp.sum(x, 0, keepdims=True), 0),
        (fnp.cumsum, 0),
        (fnp.diff, 0),
        (fnp.var, 800),
        (fnp.logsumexp, 808),
        (fnp.max, 808),
    ],
)
def test_the_tape_keeps_no_more_than_the_rules_need(f, size):
    pullback = fg.vjp(f, np.arange(100.0))[1]
    assert len(pullback.tape) == 1
    assert pullback.tape.residual_bytes == size


def test_parameters_print_in_short():
    tape = fg.make_tape(lambda x: fnp.sum(x))(fnp.ones((2, 3)))
    assert "reduce_sum(a, axis=(0, 1))" in str(tape)
    tape = fg.make_tape(lambda x: fnp.sum(x, -1, keepdims=True))(fnp.ones((2, 3)))
    assert "reduce_sum(a, axis=(1,), keepdims=True)" in str(tape)


def test_integers_stay_on_the_tape_of_shapes():
    kind = fg.eval_shape(lambda x: (fnp.argmax(x, 0), fnp.any(x > 0), fnp.count_nonzero(x, 1)), fnp.ones((2, 3)))
    assert [(k.shape, k.dtype.kind) for k in kind] == [((3,), "i"), ((), "b"), ((2,), "i")]


def test_bincount_of_nothing_is_of_floating_dtype():
    out = reduce.bincount(np.array([], int), np.array([]), length=3)
    assert out.dtype == np.float64 and out.tolist() == [0, 0, 0]

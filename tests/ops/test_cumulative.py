"""Recurrences against a loop, products with zeros, and ties of cumulative extrema."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.ops.cumulative import cumprod, difference, recurrence, shift
from funcgrad.testing import check_grads


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrence_is_the_loop(reverse):
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    h, expected = np.zeros(3), []
    for k in range(5)[:: -1 if reverse else 1]:
        h = a[k] * h + b[k]
        expected.append(h)
    expected = np.stack(expected[:: -1 if reverse else 1])
    np.testing.assert_allclose(recurrence(a, b, axis=0, reverse=reverse), expected)
    np.testing.assert_allclose(recurrence(a[:, 1], b[:, 1], axis=0, reverse=reverse), expected[:, 1])


def test_recurrence_does_not_look_at_the_first_factor():
    a = np.array([np.inf, 2.0])
    np.testing.assert_array_equal(recurrence(a, np.ones(2), axis=0, reverse=False), [1, 3])


@pytest.mark.parametrize(
    "x, expected", [([0.0, 2.0, 0.0], [3, 0, 0]), ([2.0, 0.0, 5.0], [1, 12, 0]), ([1.0, 2.0, 3.0], [9, 4, 2])]
)
def test_cumprod_needs_no_division(x, expected):
    np.testing.assert_array_equal(fg.grad(lambda x: fnp.cumprod(x).sum())(np.array(x)), expected)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_cumprod_with_zeros_to_third_order(axis):
    x = np.array([[0.0, 2.0, 0.0], [1.5, 0.0, 3.0]])
    check_grads(lambda x: fnp.sin(fnp.cumprod(x, axis)), (x,), order=3)


def test_reverse_runs_from_the_end():
    x = np.array([2.0, 3.0, 5.0])
    np.testing.assert_array_equal(cumprod(x, axis=0, reverse=True), [30, 15, 5])


def test_shift_fills_what_comes_in():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(shift(x, axis=1, by=1, fill=9), [[9, 0, 1], [9, 3, 4]])
    np.testing.assert_array_equal(shift(x, axis=0, by=-1, fill=9), [[3, 4, 5], [9, 9, 9]])


def test_difference_goes_on_with_zeros():
    np.testing.assert_array_equal(difference(np.array([1.0, 4.0]), axis=0, full=True), [1, 3, -4])


def test_cumulative_extrema_take_the_last_of_equal_elements():
    x = np.array([1.0, 1.0, 2.0, 2.0, 0.0])
    np.testing.assert_array_equal(fg.grad(lambda x: np.maximum.accumulate(x).sum())(x), [1, 1, 1, 2, 0])
    y = np.array([[3.0, np.nan, 1.0], [2.0, 0.0, 5.0]])
    for ufunc in (np.maximum, np.minimum):
        np.testing.assert_array_equal(ufunc.accumulate(fnp.array(y), axis=1), ufunc.accumulate(y, axis=1))

"""segment_sum, segment_prod, segment_min and segment_max against loops over the segments."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import NoValueError
from funcgrad.testing import check_grads

IDS = np.array([3, 0, -1, 3, 1, 9, 3, 0])
DATA = np.random.default_rng(0).uniform(0.5, 1.5, (8, 2))
FUNCTIONS = {
    fg.ops.segment_sum: (np.add, 0.0),
    fg.ops.segment_prod: (np.multiply, 1.0),
    fg.ops.segment_min: (np.minimum, np.inf),
    fg.ops.segment_max: (np.maximum, -np.inf),
}
functions = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


def expected(function, data, ids, n):
    ufunc, start = FUNCTIONS[function]
    return np.stack([ufunc.reduce(data[ids == k], axis=0, initial=start) for k in range(n)])


@functions
@pytest.mark.parametrize("n", [1, 2, 5])
def test_values_in_every_way(function, n):
    f = lambda data, ids: function(data, ids, num_segments=n)
    theirs = expected(function, DATA, IDS, n)
    np.testing.assert_allclose(f(DATA, IDS), theirs)
    np.testing.assert_allclose(fg.jit(f)(DATA, IDS), theirs)
    both = fg.vmap(f)(np.stack([DATA, 2 * DATA]), np.stack([IDS, IDS[::-1]]))
    np.testing.assert_allclose(both[1], expected(function, 2 * DATA, IDS[::-1], n))


@functions
def test_derivatives(function):
    g = lambda x: function(x, np.array([3, 0, 0, 3, 1, 2, 3, 0]), num_segments=4)
    check_grads(g, (DATA,), order=2)
    jitted = fg.jit(fg.grad(lambda x, ids: (function(x, ids, num_segments=4) * [[1.0], [2.0], [3.0], [5.0]]).sum()))
    x = np.array([[2.0], [3.0], [5.0], [7.0]])
    ids = np.array([0, 1, 2, 3])
    np.testing.assert_allclose(jitted(x, ids)[:, 0], [1.0, 2.0, 3.0, 5.0])


def test_a_product_with_zeros_has_a_derivative():
    gradient = fg.grad(lambda x: fg.ops.segment_prod(x, [0, 0, 0, 1])[0])(np.array([0.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(gradient, [6.0, 0.0, 0.0, 0.0])


@functions
def test_the_number_of_segments_is_the_greatest_number_and_one(function):
    assert function(DATA, IDS).shape == (10, 2)
    assert function(np.zeros(0), np.zeros(0, int)).shape == (0,)
    with pytest.raises(NoValueError, match="num_segments"):
        fg.jit(function)(DATA, IDS)


def test_dtypes_stay():
    whole = np.array([3, 1, 200], np.uint8)
    for function in FUNCTIONS:
        assert function(whole, [0, 1, 1]).dtype == np.uint8
    assert fg.ops.segment_min(whole, [0, 0, 2], 3).tolist() == [1, 255, 200]
    truth = np.array([True, False, True])
    assert fg.ops.segment_min(truth, [0, 0, 2], 3).tolist() == [False, True, True]
    assert fg.ops.segment_max(truth, [0, 0, 2], 3).tolist() == [True, False, True]


def test_mode():
    assert fg.ops.segment_sum([1.0, 2.0, 4.0], [-3, 1, 7], 2).tolist() == [0.0, 2.0]
    assert fg.ops.segment_sum([1.0, 2.0, 4.0], [-3, 1, 7], 2, mode="clip").tolist() == [1.0, 6.0]


@pytest.mark.parametrize(
    "args, error, text",
    [
        (([1.0], [0.0]), TypeError, "segment_ids must be integers, got dtype float64"),
        (([1.0, 2.0], [0]), ValueError, r"got shapes \(1,\) and \(2,\)"),
        ((1.0, 0), ValueError, "one number for each entry"),
        (([1.0], [0], -1), ValueError, "must not be negative, got -1"),
        (([1.0], [0], 1, False, False, None, "wrap"), ValueError, "mode must be"),
    ],
)
def test_errors(args, error, text):
    with pytest.raises(error, match=text):
        fg.ops.segment_sum(*args)


@functions
def test_as_jax(function):
    jax = pytest.importorskip("jax")
    theirs = getattr(jax.ops, function.__name__)
    with jax.enable_x64(True):
        for n in (2, 5):
            np.testing.assert_allclose(function(DATA, IDS, n), theirs(DATA, IDS, n))

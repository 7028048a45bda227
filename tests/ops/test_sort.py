"""The sorting primitives: order of equal elements, and constants where there is no derivative."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.primitive import registry

X = np.array([2.0, 1.0, 2.0, 1.0])


def test_equal_elements_keep_their_order():
    """jax.grad of (sort(x) * [1, 2, 3, 4]).sum() at [2, 1, 2, 1] is [3, 1, 4, 2]."""
    g = fg.vjp(lambda x: registry["sort"](x, axis=0), X)[1](np.array([1.0, 2.0, 3.0, 4.0]))[0]
    np.testing.assert_array_equal(g, [3.0, 1.0, 4.0, 2.0])
    t = fg.jvp(lambda x: registry["sort"](x, axis=0), (X,), (np.array([1.0, 2.0, 3.0, 4.0]),))[1]
    np.testing.assert_array_equal(t, [2.0, 4.0, 1.0, 3.0])


@pytest.mark.parametrize(
    "name, params",
    [("argsort", {"axis": 0, "stable": True}), ("argpartition", {"kth": 1, "axis": 0}), ("lexsort", {"axis": 0})],
)
def test_indices_are_constants(name, params):
    def f(x):
        i = registry[name](x, **params)
        assert type(i) is fg.Array
        return (x * np.asarray(i)).sum()

    expected = registry[name](X, **params)
    np.testing.assert_array_equal(fg.grad(f)(X), expected)


@pytest.mark.parametrize("name", ["searchsorted", "isin"])
def test_are_recorded_by_make_tape(name):
    params = {"side": "right"} if name == "searchsorted" else {"invert": True}
    tape = fg.make_tape(lambda a, v: registry[name](a, v, **params))(np.zeros(3), np.zeros(2))
    a, v = np.array([1.0, 2.0, 3.0]), np.array([2.0, 9.0])
    expected = np.searchsorted(a, v, "right") if name == "searchsorted" else np.isin(a, v, invert=True)
    np.testing.assert_array_equal(tape(a, v), expected)

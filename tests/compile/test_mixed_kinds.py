"""Operands of different kinds in compiled programs: every ufunc of the registry, every dtype, and Python numbers."""

import itertools
import warnings

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.primitive import registry

UFUNCS = sorted(n for n, p in registry.items() if isinstance(p.impl, np.ufunc) and p.impl.nin == 2)
KINDS = "?blBfdFD"
NUMBERS = (True, 2, -1, 2.0, 1.5, 1j)


def array(char, n):
    return np.resize(np.array([1, 0, 1, 1], char) if char == "?" else np.array([1, 2, 3, 2], char), n)


def evaluated(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            out = f(*args)
        except (
            TypeError,
            ValueError,
            OverflowError,
        ) as e:  # no such loop; integers to negative powers; -1 beside uint8
            return type(e)
    return [np.asarray(x) for x in (out if isinstance(out, tuple) else (out,))]


def same(got, expected, what):
    if isinstance(expected, type):
        assert isinstance(got, type), what
        return
    assert not isinstance(got, type), what
    for g, e in zip(got, expected, strict=True):
        assert g.dtype == e.dtype and g.shape == e.shape, what
        np.testing.assert_allclose(g, e, rtol=1e-6, err_msg=str(what))


def computed(x):
    """x as a value that the program computes itself, so that its memory may be written again."""
    return x | x if x.dtype.kind == "b" else x * x.dtype.type(1) + x


@pytest.mark.parametrize("name", UFUNCS)
def test_beside_python_numbers(name):
    p = registry[name]
    for char, number in itertools.product(KINDS, NUMBERS):
        if char == "B" and number == -1:
            continue  # out of its range
        x = array(char, 4)
        for f in (lambda x, c=number: p(computed(x), c), lambda x, c=number: p(c, computed(x))):
            same(evaluated(fg.jit(f), x), evaluated(f, fg.numpy.asarray(x)), (char, number))


@pytest.mark.slow
@pytest.mark.parametrize("name", UFUNCS)
def test_beside_arrays(name):
    p = registry[name]
    for char, other in itertools.product(KINDS, repeat=2):
        x, y = array(char, 4), array(other, 4)
        same(
            evaluated(fg.jit(lambda x, y: p(computed(x), computed(y))), x, y),
            evaluated(lambda x, y: p(computed(x), computed(y)), fg.numpy.asarray(x), fg.numpy.asarray(y)),
            (char, other),
        )


@pytest.mark.parametrize("n", [3, 100_000])
def test_scaled_by_a_power_of_two(n):
    x = np.linspace(0.0, 1.0, n)
    np.testing.assert_array_equal(fg.jit(lambda x: fg.numpy.ldexp(fg.numpy.sin(x), 2))(x), 4 * np.sin(x))
    np.testing.assert_allclose(fg.jit(fg.grad(lambda x: fg.numpy.ldexp(fg.numpy.sin(x), 2).sum()))(x), 4 * np.cos(x))


def test_an_error_of_numpy_comes_through():
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        fg.jit(lambda x: fg.numpy.power(x + x, -1))(np.ones(3, np.uint8))

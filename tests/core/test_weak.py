"""Python numbers as Arrays: NumPy's promotion of a Python number, the looks of an Array."""

import copy
import operator
import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.weak import Weak, strong, weak

NUMBERS = [3, 0.5, 1 + 2j]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.eq, operator.ne]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("f", OPERATORS)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex64"])
def test_arrays_decide_on_the_dtype_as_beside_a_python_number(number, f, dtype):
    x = np.array([1, 2], dtype)
    for ours, numpys in ((f(weak(number), x), f(number, x)), (f(fnp.asarray(x), weak(number)), f(x, number))):
        assert type(ours) is fg.Array and ours.dtype == numpys.dtype
        np.testing.assert_array_equal(ours, numpys)


@pytest.mark.parametrize("number", NUMBERS)
def test_it_looks_like_an_array(number):
    x, plain = weak(number), fnp.asarray(number)
    assert isinstance(x, fg.Array)
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes) == ((), plain.dtype, 0, 1, plain.nbytes)
    assert x.item() == x.tolist() == number and x == number and complex(x) == number
    assert repr(x) == repr(plain) and str(x) == str(plain)
    assert x.reshape(1, 1).shape == (1, 1) and x.astype("complex64").dtype == "complex64"
    assert np.asarray(x).dtype == plain.dtype
    assert copy.deepcopy(x) is x and pickle.loads(pickle.dumps(x)) == number


def test_numbers_alone_stay_weak():
    i = weak(3)
    for result in (i + 1, 1 - i, i * i, -i, i // 2, fnp.add(i, 2), fnp.square(i)):
        assert type(result) is Weak and result.dtype == int
    assert type(i / 2) is Weak and (i / 2).dtype == float
    assert type(i < 4) is fg.Array and (i < 4).dtype == bool
    assert type(strong(i)) is fg.Array and strong(i).dtype == int
    assert fg.Array([0.0, 1.0, 2.0, 7.0])[i] == 7.0 and list(range(i)) == [0, 1, 2]


def test_where_takes_it_as_a_number():
    assert fnp.where(fnp.array([True, False]), weak(1.0), np.float32(2)).dtype == np.float32


@pytest.mark.parametrize(
    "transformed",
    [
        lambda f, x: fg.grad(lambda x: fnp.sum(f(x)))(x),
        lambda f, x: fg.jvp(f, (x,), (x,))[1],
        lambda f, x: fg.vmap(f)(x),
        lambda f, x: fg.make_tape(f)(x)(x),
        lambda f, x: fg.grad(lambda x: fnp.sum(fg.checkpoint(f)(x)))(x),
    ],
    ids=["grad", "jvp", "vmap", "make_tape", "checkpoint"],
)
def test_transforms_see_a_number(transformed):
    x, i = np.array([1.0, 2.0], np.float32), weak(3)
    out, expected = transformed(lambda x: i * x + i, x), transformed(lambda x: 3 * x + 3, x)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, expected)


def test_results_of_transforms_are_plain():
    assert type(fg.vmap(lambda x: weak(3))(np.ones(2))) is fg.Array
    assert fg.grad(lambda x: x**2)(weak(2.0)) == 4.0
    tape = fg.make_tape(lambda x: (weak(3), x))(1.0)
    assert tape(2.0) == (3, 2.0) and "return 3, a" in str(tape)

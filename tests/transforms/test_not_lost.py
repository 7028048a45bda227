"""Nothing is lost without a word: what takes plain numbers raises, what looks at values is constant."""

import decimal
import json
import math
import statistics
import types

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, LostTraceError
from funcgrad.testing import check_grads
from funcgrad.transforms.custom_root import custom_root

X, V = 2.7, np.array([1.0, 2.0, 3.0])
TAKERS = {
    "Decimal": (lambda x: decimal.Decimal(x), ""),
    "statistics.mean": (lambda x: statistics.mean([x, 1.0]), "statistics.mean"),
    "statistics.fmean": (lambda x: statistics.fmean([x, 1.0]), "statistics.fmean"),
    "statistics.stdev": (lambda x: statistics.stdev([x, 1.0]), "statistics.stdev"),
    "json.dumps": (lambda x: json.dumps({"x": x}), "json.dumps"),
    "memoryview": (lambda x: memoryview(x), ""),
    "bytes": (lambda x: bytes(x), ""),
    "float": (lambda x: float(x), "float"),
    "complex": (lambda x: complex(x), "complex"),
    "math": (lambda x: math.sin(x), "float"),
    "item": (lambda x: x.item(), "item"),
    "tolist": (lambda x: x.tolist(), "tolist"),
    "tobytes": (lambda x: x.tobytes(), "tobytes"),
}


@pytest.mark.parametrize("transform", [fg.grad, fg.jacfwd, fg.jit], ids=["grad", "jacfwd", "jit"])
@pytest.mark.parametrize("f, name", TAKERS.values(), ids=TAKERS)
def test_what_takes_plain_numbers_raises_with_the_line(f, name, transform):
    with pytest.raises(LostTraceError, match=rf"(?s){name}.*test_not_lost\.py, line"):
        transform(f)(X)


def test_a_compiler_that_takes_numbers_raises():
    """As numba does, which names the type of its argument only in a text of its own."""
    numba = types.ModuleType("numba")
    source = "def call(x): raise Exception('Failed in nopython mode pipeline: non-precise type pyobject')"
    exec(compile(source, "dispatcher.py", "exec"), vars(numba))
    with pytest.raises(LostTraceError, match=r"plain numbers.*test_not_lost\.py, line"):
        fg.grad(lambda x: numba.call(x))(X)


def test_errors_of_attributes_hashes_and_operators_stay_as_they_are():
    for f in (lambda x: x.nothing, lambda x: {x: 1}, lambda x: x + "a"):
        with pytest.raises((AttributeError, TypeError)) as info:
            fg.grad(f)(X)
        assert not isinstance(info.value, fg.errors.FuncgradError)


CONSTANT = {  # what looks at the value, and the derivative of x times it, or of it
    "int": (lambda x: x * int(x), 2.0),
    "round": (lambda x: x * round(x), 3.0),
    "floor": (lambda x: x * math.floor(x), 2.0),
    "range": (lambda x: sum(x for _ in range(int(x))), 2.0),
    "//": (lambda x: x * (x // 1), 2.0),
    "if": (lambda x: x * x if x > 0 else x, 5.4),
    "max": (lambda x: max(x, 1.0), 1.0),
    "sorted": (lambda x: sorted([x, 5.0, x * x])[1], 0.0),
    "text": (lambda x: x * float(f"{x:.3f}"), 2.7),
    "isinstance": (lambda x: x if not isinstance(x, float | np.ndarray) else x * 0, 1.0),
}


@pytest.mark.parametrize("f, derivative", CONSTANT.values(), ids=CONSTANT)
def test_what_decides_by_the_value_is_constant(f, derivative):
    np.testing.assert_allclose(fg.grad(f)(X), derivative)
    np.testing.assert_allclose(fg.jvp(f, (X,), (1.0,))[1], derivative)


class Labelled:
    """An array with labels, as pandas.Series is one."""

    def __array__(self, dtype=None, copy=None):
        return V


def square(x):
    return x * x


BAD_CALLS = {
    "no return": (lambda: fg.grad(lambda x: None)(X), "returned None. Is its `return` missing"),
    "labelled": (lambda: fg.grad(fnp.sum)(Labelled()), r"got a .*Labelled. Give the array in it: .*to_numpy"),
    "labelled result": (lambda: fg.grad(lambda x: Labelled())(X), "the result of the function.*to_numpy"),
    "masked": (lambda: fg.grad(fnp.sum)(np.ma.masked_array(V, [0, 1, 0])), "MaskedArray.*filled"),
    "policy": (lambda: fg.checkpoint(square, policy="all"), "policy must be None or a function"),
    "check_grads": (
        lambda: check_grads(square, fnp.ones(3)),
        r"as a tuple, got float64\[3\].*check_grads\(f, \(x,\)\)",
    ),
    "check_grads of a number": (lambda: check_grads(square, 1.0), "as a tuple, got float"),
    "root of a number": (
        lambda: custom_root(1.0, 1.0, lambda f, x: x, lambda g, y: y),
        "custom_root: f must be a function",
    ),
    "no search": (lambda: custom_root(square, 1.0, 2, lambda g, y: y), "custom_root: solve must be a function"),
    "device": (lambda: fg.device_put(V, "gpu"), "device 'cpu', got 'gpu'"),
    "text": (lambda: fg.grad(square)("a"), "must be an array or a number, got 'a' of type str"),
    "tangents": (lambda: fg.jvp(square, X, X), r"two tuples. Write jvp\(f, \(x,\), \(t,\)\)"),
}


@pytest.mark.parametrize("call, text", BAD_CALLS.values(), ids=BAD_CALLS)
def test_bad_calls_say_what_is_wrong(call, text):
    with pytest.raises(ArgumentError, match=f"(?s){text}"):
        call()


def test_the_devices_that_there_are():
    assert fg.device_put(1.0, "cpu") == fg.device_put(1.0) == fg.device_put(1.0, None)


def test_data_with_a_mask_are_taken_by_value():
    masked = np.ma.masked_array(V, [0, 1, 0])
    np.testing.assert_allclose(fg.grad(lambda x: np.sum(masked * x))(V), [1.0, 0.0, 3.0])


def test_libraries_for_plots_spread_nothing_among_arrays():
    x, nothing, text = np.broadcast_arrays(fnp.ones(3), None, "a")
    assert isinstance(x, fg.Array) and x.shape == nothing.shape == text.shape == (3,)
    assert list(nothing) == [None, None, None] and list(text) == ["a", "a", "a"]
    np.testing.assert_allclose(fg.grad(lambda x: np.sum(np.broadcast_arrays(x, None, V)[0]))(X), 3.0)


def test_labels_of_pandas_and_xarray():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(V)
    with pytest.raises(ArgumentError, match=r"got a .*Series.*to_numpy"):
        fg.grad(fnp.sum)(series)
    for f in (lambda x: np.sum(series * x), lambda x: np.sum((x - series) ** 2), lambda x: pandas.Series(x).mean()):
        with pytest.raises(LostTraceError, match=r"(?s)pandas.*test_not_lost\.py, line.*to_numpy"):
            fg.grad(f)(V) if f(V) is not None else None
    np.testing.assert_allclose(fg.grad(lambda x: np.sum(series.to_numpy() * x))(V), V)

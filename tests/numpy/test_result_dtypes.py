"""The dtypes of results: every operator and every function, with every dtype and Python's numbers, against NumPy's."""

import inspect
import itertools
import operator
import warnings

import numpy as np
import pytest

import funcgrad.numpy as fnp

DTYPES = "?bhilBHILefdFD"
NUMBERS = (True, 0, 2, -1, 0.5, 2.0, 1j)
BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge"
UNARY = "neg pos abs invert"
OPERATORS = {n: getattr(operator, n) for n in BINARY.split()} | {"divmod": divmod}
UFUNCS = sorted(n for n in dir(fnp) if isinstance(getattr(np, n, None), np.ufunc))
FUNCTIONS = sorted(
    n
    for n in dir(fnp)
    if inspect.isroutine(getattr(np, n, None)) and n not in UFUNCS and callable(getattr(fnp, n)) and n[0] != "_"
)
OTHER = {
    "poly": "float16 stays",
    "quantile": "an integer q is 0 or 1, and makes no integer of the result",
    "nanquantile": "as quantile",
    "histogramdd": "the edges are a tuple",
    "frombuffer": "takes buffers",
    "fix": "the second operand is out",
    "isposinf": "the second operand is out",
    "isneginf": "the second operand is out",
}


def kinds(f, *args):
    """The dtypes of the results, or None if there are none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            out = f(*args)
        except Exception:  # whatever is refused: only dtypes of results are compared
            return None
    outs = out if isinstance(out, tuple | list) else (out,)
    return [str(o.dtype) if hasattr(o, "dtype") else type(o).__name__ for o in outs]


def compare(ours, theirs, pairs, refuses=False):
    wrong = []
    for args in pairs:
        expected = kinds(theirs, *args)
        got = kinds(ours, *[fnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args])
        if got != expected and not (refuses and (got is None or expected is None)):
            wrong.append(([getattr(a, "dtype", a) for a in args], got, expected))
    assert not wrong


def pairs():
    for char in DTYPES:
        x = np.ones(2, char)
        for other in DTYPES:
            yield x, np.ones(2, other)
        for number in NUMBERS:
            yield x, number
            yield number, x


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    compare(OPERATORS[name], OPERATORS[name], pairs())


@pytest.mark.parametrize("name", UNARY.split())
def test_unary_operators(name):
    f = getattr(operator, name)
    compare(f, f, [(np.ones(2, char),) for char in DTYPES])


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name):
    theirs = getattr(np, name)
    calls = [(np.ones(2, c),) for c in DTYPES] if theirs.nin == 1 else list(pairs())
    if name == "logaddexp":  # takes complex numbers, which NumPy refuses
        calls = [args for args in calls if kinds(theirs, *args)]
    compare(getattr(fnp, name), theirs, calls)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in OTHER])
def test_functions(name):
    """Of one array and of two; a function may refuse what NumPy takes, such as other arguments in that place."""
    ones = [(np.ones((2, 2), c),) for c in DTYPES]
    twos = [(np.ones(3, a), np.ones(3, b)) for a, b in itertools.product(DTYPES, repeat=2)]
    compare(getattr(fnp, name), getattr(np, name), ones + twos, refuses=True)

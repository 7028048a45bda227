"""Functions in machine code: errors in ulp against long double, special values as NumPy's, and any number of lanes."""

import ctypes
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from funcgrad.compile.native.functions import FUNCTIONS
from funcgrad.compile.native.ir import Function, Module, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.math.error_function import erf, erfc
from funcgrad.compile.native.math.exponential import sigmoid
from funcgrad.compile.native.math.gamma import digamma, lgamma
from funcgrad.compile.native.math.terms import formula
from funcgrad.ops import special_functions

RNG = np.random.default_rng(0)
EMITTERS = {
    **{u.__name__: e["f"] for u, e in FUNCTIONS.items() if u.nin == 1},
    **{f.__name__: formula(f) for f in (erf, erfc)},
    "sigmoid": formula(sigmoid, single=True),
}
ROOT_PI = np.sqrt(np.arccos(np.longdouble(-1)))
LONG = np.finfo(np.longdouble).nmant > 60
SPECIAL = np.array(
    [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-20, 709.9, -709.9, 1e6, -800.0, 1e300]
)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def error_integral(x):
    """erf by its series of positive terms, for 0 <= x <= 2."""
    term = total = x
    for n in range(1, 80):
        term = term * (2 * x * x / (2 * n + 1))
        total = total + term
    return total * 2 / ROOT_PI * np.exp(-x * x)


def complement(x):
    """erfc of x > 1 by its continued fraction."""
    below = x
    for n in range(400, 0, -1):
        below = x + np.longdouble(n) / 2 / below
    return np.exp(-x * x) / below / ROOT_PI


def erf_of(x):
    size = np.abs(np.asarray(x, np.longdouble))
    far = 1 - complement(np.maximum(size, 2))
    return np.copysign(np.where(size < 2, error_integral(np.minimum(size, 2)), far), x)


def erfc_of(x):
    return np.where(x > 2, complement(np.maximum(np.asarray(x, np.longdouble), 2)), 1 - erf_of(x))


REFERENCES = {**{u.__name__: u for u in FUNCTIONS}, "sigmoid": logistic, "erf": erf_of, "erfc": erfc_of}


PAIRS = {u.__name__: (u, e["f"]) for u, e in FUNCTIONS.items() if u.nin == 2}


def compiled(emitters, kind, lanes):
    module = Module()
    for name, emitter in emitters.items():
        f = Function(module, f"test_{name}", [("x", "ptr"), ("y", "ptr"), ("n", "i64")], lanes)
        n = f.parameter("n")

        def step(i, carry, f=f, n=n, emitter=emitter):
            mask = f.first(f.binary("sub", n, i)) if lanes > 1 else None
            x = f.load(f.address(f.parameter("x"), i, kind), kind, mask=mask)
            f.store(emitter(f, x), f.address(f.parameter("y"), i, kind), mask)
            return carry

        f.loop(Value("0", "i64"), n, lanes, [], step)
        f.finish()
    return Library(module.text)


def run(library, name, x):
    y = np.empty_like(x)
    address = ctypes.c_void_p
    ctypes.CFUNCTYPE(None, address, address, ctypes.c_int64)(library.address(f"test_{name}"))(
        x.ctypes.data, y.ctypes.data, x.size
    )
    return y


@pytest.fixture(scope="module")
def double():
    return compiled(EMITTERS, "double", 8)


def arguments(name):
    """Numbers of all sizes, and some where the function is hard."""
    sizes = 10.0 ** RNG.uniform(-300, 300, 3000)
    near = np.concatenate([RNG.uniform(-2, 2, 6000), RNG.uniform(-40, 40, 6000), RNG.uniform(-708, 708, 3000)])
    x = np.concatenate([sizes, -sizes, near, 1 + RNG.uniform(-0.1, 0.1, 2000), 10.0 ** RNG.uniform(-20, 2, 3000)])
    if name in ("sin", "cos", "tan"):  # what long double cannot tell is left out
        turns = np.arange(1, 3000) * (np.pi / 2)
        return np.concatenate([x[np.abs(x) < 1e3], turns[:300], RNG.uniform(-1e5, 1e5, 5000)])
    return x


@pytest.mark.skipif(not LONG, reason="long double is no longer than double here")
@pytest.mark.parametrize("name", EMITTERS)
def test_errors_are_at_most_one_and_a_half_ulp(name, double):
    x = arguments(name)
    with np.errstate(all="ignore"):
        expected = REFERENCES[name](x.astype(np.longdouble))
        rounded = expected.astype(float)
        x, expected, rounded = [a[np.isfinite(rounded)] for a in (x, expected, rounded)]
        found = run(double, name, x)
        ulp = np.abs(found - expected) / np.spacing(np.abs(rounded))
    worst = int(np.argmax(ulp))
    assert ulp[worst] <= 1.5, (x[worst], ulp[worst])


@pytest.mark.parametrize("name", EMITTERS)
def test_special_values_are_numpys(name, double):
    with np.errstate(all="ignore"):
        expected = np.asarray(REFERENCES[name](SPECIAL), float)
    found = run(double, name, SPECIAL)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[signed]), np.signbit(expected[signed]))


def test_results_do_not_depend_on_the_number_of_lanes(double):
    x = np.concatenate([SPECIAL, RNG.uniform(-30, 30, 200), RNG.uniform(-1e7, 1e7, 30)])
    for lanes in (1, 4):
        other = compiled(EMITTERS, "double", lanes)
        for name in EMITTERS:
            np.testing.assert_array_equal(run(other, name, x), run(double, name, x), err_msg=f"{name} {lanes}")


@pytest.fixture(scope="module")
def gammas():
    return compiled({f.__name__: formula(f) for f in (lgamma, digamma)}, "double", 8)


def ulps(found, exact):
    """Errors in ulp of what is given as a pair of floats."""
    high, low = np.array(exact).T
    return np.abs((found - high) - low) / np.spacing(np.abs(high))


def pair(x):
    """A number of many digits as the sum of two floats."""
    return float(x), float(x - Decimal(float(x)))


def test_gamma_functions_where_they_are_known(gammas):
    """At halves: products of halves, and sums of their inverses."""
    with localcontext() as c:
        c.prec = 50
        euler = Decimal("0.57721566490153286060651209008240243104215933593992")
        logs = Decimal("1.1447298858494001741434273513530587116472948129153") / 2, Decimal(0)  # of Γ(1/2) and Γ(1)
        x, known = [], {"lgamma": [], "digamma": []}
        for first, start, slope in ((Decimal("0.5"), logs[0], -euler - 2 * Decimal(2).ln()), (Decimal(1), 0, -euler)):
            z, product, total = first, Decimal(1), slope
            for _ in range(170):
                x.append(float(z))
                known["lgamma"].append(pair(start + product.ln()))
                known["digamma"].append(pair(total))
                z, product, total = z + 1, product * z, total + 1 / z
    x = np.array(x)
    for name, exact in known.items():
        rest = (x != 1) & (x != 2) if name == "lgamma" else x > 0
        assert np.max(ulps(run(gammas, name, x)[rest], np.array(exact)[rest])) <= 1.5
    np.testing.assert_array_equal(run(gammas, "lgamma", np.array([1.0, 2.0])), 0)


def test_gamma_functions_elsewhere(gammas):
    """The logarithm as Python has it, digamma as NumPy computes it: both are several ulp off.

    Near zeros these count in ulp of 1, for negative arguments in ulp of the larger term, which is 80 at most.
    """
    x = np.concatenate([10.0 ** RNG.uniform(-150, 150, 2000), RNG.uniform(0, 30, 4000), RNG.uniform(-30, 0, 2000)])
    for name, expected, most in (
        ("lgamma", np.array([math.lgamma(z) for z in x]), 16),
        ("digamma", special_functions.digamma(x), 64),
    ):
        error = np.abs(run(gammas, name, x) - expected)
        scale = np.maximum(np.abs(expected), np.where(x < 0, 80, 1))
        assert np.all(error <= most * np.finfo(float).eps * scale), name
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1, -7, 5e-324, 1e-310, 2.6e305])
    inf, nan = np.inf, np.nan
    np.testing.assert_allclose(
        run(gammas, "lgamma", x), [inf, inf, inf, inf, nan, inf, inf, 744.4400719213812, 713.8, inf], rtol=1e-3
    )
    found = run(gammas, "digamma", x)
    np.testing.assert_allclose(found, [-inf, inf, inf, nan, nan, nan, nan, -inf, -inf, 703.23], rtol=1e-3)


SINGLE = ("exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "sigmoid")
"""What has polynomials of its own in single precision."""


@pytest.fixture(scope="module")
def single():
    return compiled(EMITTERS, "float", 16)


def singles(name):
    """All sizes of numbers of single precision, and where the functions are hard."""
    x = np.concatenate([arguments(name), 10.0 ** RNG.uniform(-40, 38, 4000), RNG.uniform(-104, 89, 8000)])
    if name in ("sin", "cos"):
        x = np.concatenate([x, np.arange(1, 60000, 7) * (np.pi / 2), RNG.uniform(-1e9, 1e9, 3000)])
    if name == "sigmoid":  # which is zero where e^-x is infinite
        x = x[x > -88.7]
    with np.errstate(all="ignore"):
        return x.astype(np.float32)


@pytest.mark.parametrize("name", SINGLE)
def test_errors_of_single_precision_are_at_most_one_and_a_half_ulp(name, single):
    x = singles(name)
    with np.errstate(all="ignore"):
        expected = REFERENCES[name](x.astype(float))
        rounded = expected.astype(np.float32)
        x, expected, rounded = [a[np.isfinite(rounded)] for a in (x, expected, rounded)]
        ulp = np.abs(run(single, name, x) - expected) / np.spacing(np.abs(rounded))
    worst = int(np.argmax(ulp))
    assert ulp[worst] <= 1.5, (x[worst], ulp[worst])


@pytest.mark.parametrize("name", SINGLE)
def test_special_values_of_single_precision(name, single):
    with np.errstate(all="ignore"):
        x = np.array([*SPECIAL, 88.8, -88.8, 1e-40, -1e-45, 104.0, -104.0, 3e38]).astype(np.float32)
        expected = REFERENCES[name](x.astype(float)).astype(np.float32)
    found = run(single, name, x)
    np.testing.assert_allclose(found, expected, rtol=2e-7, atol=2e-45 if name != "sigmoid" else 1e-38)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[signed]), np.signbit(expected[signed]))


def test_other_functions_of_single_precision_are_rounded_from_double(double, single):
    x = np.concatenate([SPECIAL[:-1], RNG.uniform(-30, 30, 200)]).astype(np.float32)
    for name in EMITTERS.keys() - set(SINGLE):
        with np.errstate(all="ignore"):
            expected = run(double, name, x.astype(float)).astype(np.float32)
        np.testing.assert_array_equal(run(single, name, x), expected, err_msg=name)


def binary(emitters, lanes):
    module = Module()
    for name, emitter in emitters.items():
        f = Function(module, f"test_{name}", [("x", "ptr"), ("z", "ptr"), ("y", "ptr"), ("n", "i64")], lanes)
        n = f.parameter("n")

        def step(i, carry, f=f, n=n, emitter=emitter):
            mask = f.first(f.binary("sub", n, i)) if lanes > 1 else None
            x, z = [f.load(f.address(f.parameter(k), i, "double"), "double", mask=mask) for k in "xz"]
            f.store(emitter(f, x, z), f.address(f.parameter("y"), i, "double"), mask)
            return carry

        f.loop(Value("0", "i64"), n, lanes, [], step)
        f.finish()
    return Library(module.text)


def run_pair(library, name, x, z):
    y = np.empty_like(x)
    address = ctypes.c_void_p
    called = ctypes.CFUNCTYPE(None, address, address, address, ctypes.c_int64)(library.address(f"test_{name}"))
    called(x.ctypes.data, z.ctypes.data, y.ctypes.data, x.size)
    return y


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_numbers(name, lanes):
    ufunc, emitter = PAIRS[name]
    library = binary({name: emitter}, lanes)
    ends = np.array([*SPECIAL, 2, -3, 0.5, -2.5, 1e200, -1e-200, 3e15, 1 - 2**-53])
    x, z = [np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(ends, ends)]
    with np.errstate(all="ignore"):
        expected = ufunc(x, z)
    found = run_pair(library, name, x, z)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-323)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[signed]), np.signbit(expected[signed]))
    x = np.concatenate([RNG.uniform(0, 10, 4000), 10.0 ** RNG.uniform(-200, 200, 4000)])
    z = np.concatenate([RNG.uniform(-30, 30, 4000), RNG.uniform(-1.5, 1.5, 4000)])
    with np.errstate(all="ignore"):
        expected = ufunc(x.astype(np.longdouble), z.astype(np.longdouble))
    scale = np.maximum(np.abs(expected.astype(float)), {"logaddexp": np.log(2), "logaddexp2": 1}.get(name, 0))
    if LONG:
        assert np.max(np.abs(run_pair(library, name, x, z) - expected) / np.spacing(scale)) <= 1.5

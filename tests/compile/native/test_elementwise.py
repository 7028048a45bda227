"""Elementwise equations in machine code against NumPy: every primitive of the table, dtypes, casts, special values."""

import ctypes
import itertools

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
from funcgrad.compile.native import elementwise
from funcgrad.compile.native.complex_arithmetic import COMPLEX
from funcgrad.compile.native.complex_functions import COMPLEX_FUNCTIONS
from funcgrad.compile.native.ir import TYPES, Function, Module, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.core.primitive import registry
from funcgrad.core.tape import Equation
from funcgrad.ops import index, structural
from funcgrad.testing import samples

LANES = 8
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 3.5, 0.3, -7.0, 1e-310, np.inf, -np.inf, np.nan, 1e300, -1e10, 300.7]
CODES = "?bBhHiIlLfd"


def equations(f, *args):
    return fg.make_tape(f)(*args).equations


class Programs:
    """Equations that are compiled together: each is a function of arrays."""

    def __init__(self, lanes=LANES):
        self.module, self.lanes, self.count = Module(), lanes, 0

    def add(self, e):
        self.count += 1
        name = f"f{self.count}"
        linked = [x for x in e.inputs if type(x) is Equation]
        given = [(f"x{k}", "ptr") for k in range(len(linked))]
        f = Function(self.module, name, [*given, ("y", "ptr"), ("n", "i64")], self.lanes)
        n = f.parameter("n")

        def step(i, carry):
            mask = f.first(f.binary("sub", n, i)) if self.lanes > 1 else None
            values, k = [], 0
            for x in e.inputs:
                if type(x) is Equation:
                    kind = TYPES[x.dtype]
                    values.append(f.load(f.address(f.parameter(f"x{k}"), i, kind), kind, mask=mask))
                    k += 1
                else:
                    values.append(None)
            out = elementwise.emit(f, e, values)
            assert out.kind == TYPES[e.dtype]
            f.store(out, f.address(f.parameter("y"), i, out.kind), mask)
            return carry

        f.loop(Value("0", "i64"), n, self.lanes, [], step)
        f.finish()
        return name, e, len(linked)

    def run(self, made, *arrays):
        name, e, count = made
        if not hasattr(self, "library"):
            self.library = Library(self.module.text)
        arrays = [np.ascontiguousarray(a) for a in np.broadcast_arrays(*arrays)]
        out = np.empty(arrays[0].shape, e.dtype)
        address = ctypes.c_void_p
        called = ctypes.CFUNCTYPE(None, *[address] * (count + 1), ctypes.c_int64)(self.library.address(name))
        called(*[a.ctypes.data for a in arrays], out.ctypes.data, out.size)
        return out


def same_bits(found, expected, message):
    assert found.dtype == expected.dtype, message
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected, err_msg=message)
        return
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan, err_msg=message)
    kind = f"u{found.itemsize}"
    np.testing.assert_array_equal(found[~nan].view(kind), expected[~nan].view(kind), err_msg=message)


def grid(code):
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(FLOATS).astype(dtype)
    info = np.iinfo(dtype)
    numbers = (0, 1, -1, 2, 3, -3, 7, -8, 100, info.min, info.max, info.max - 1)
    return np.array([v for v in numbers if info.min <= v <= info.max], dtype)


def test_every_exact_ufunc_is_numpys_to_the_last_bit():
    programs, cases = Programs(), []
    for ufunc, kinds in elementwise.ARITHMETIC.items():
        for code in CODES:
            if np.dtype(code).kind not in kinds:
                continue
            x = grid(code)
            pairs = (x,) if ufunc.nin == 1 else tuple(np.array(list(itertools.product(x, x)), x.dtype).T)
            with np.errstate(all="ignore"):
                (e,) = equations(registry[ufunc.__name__], *pairs)
                assert elementwise.takes(e), (ufunc, code)
                cases.append((programs.add(e), pairs, ufunc(*pairs), f"{ufunc.__name__} {code}"))
    for made, pairs, expected, message in cases:
        same_bits(programs.run(made, *pairs), expected, message)


ENDS = [0.0, -0.0, 1.0, -2.5, 0.3, 1e-160, -1e200, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("code", "FD")
def test_complex_numbers_are_numpys(code):
    """With infinite parts and nan, to two ulp of the larger part; signs of zeros, too."""
    part = np.dtype(code.lower())
    with np.errstate(all="ignore"):
        ends = np.array(ENDS).astype(part)
    re, im = [a.reshape(-1) for a in np.meshgrid(ends, ends)]
    z = np.empty(re.size, code)
    z.real, z.imag = re, im
    programs, cases = Programs(), []
    for ufunc in (*COMPLEX, *COMPLEX_FUNCTIONS):
        pairs = (z,) if ufunc.nin == 1 else tuple([np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(z, z)])
        with np.errstate(all="ignore"):
            (e,) = equations(registry[ufunc.__name__], *pairs)
            assert elementwise.takes(e), ufunc
            cases.append((programs.add(e), pairs, ufunc(*pairs), f"{ufunc.__name__} {code}"))
    for made, pairs, expected, message in cases:
        found = programs.run(made, *pairs)
        assert found.dtype == expected.dtype
        if expected.dtype.kind == "b":
            np.testing.assert_array_equal(found, expected, err_msg=message)
            continue
        parts = (
            [(found.real, expected.real), (found.imag, expected.imag)]
            if expected.dtype.kind == "c"
            else [(found, expected)]
        )
        for x, y in parts:
            np.testing.assert_array_equal(np.isnan(x), np.isnan(y), err_msg=message)
            np.testing.assert_allclose(x, y, rtol=2 * np.finfo(part).eps, atol=0, err_msg=message)
            number = ~np.isnan(y)
            np.testing.assert_array_equal(np.signbit(x[number]), np.signbit(y[number]), err_msg=message)


def test_casts_are_numpys():
    programs, cases = Programs(), []
    for old, new in itertools.product(CODES, CODES):
        x, dtype = grid(old), np.dtype(new)
        p = structural.astype if dtype.kind == "f" else structural.truncate
        (e,) = equations(lambda x, p=p, dtype=dtype: p(x, dtype=dtype), x)
        if elementwise.takes(e):
            with np.errstate(all="ignore"):
                cases.append((programs.add(e), x, x.astype(dtype), f"{old} {new}"))
        else:
            assert old in "fd" and new in "IL"
    for made, x, expected, message in cases:
        same_bits(programs.run(made, x), expected, message)


@pytest.mark.parametrize("codes", ["fd", "bi", "hf", "?d", "Bb"])
def test_operands_of_two_dtypes_meet_as_in_numpy(codes):
    x, y = np.array(list(itertools.product(grid(codes[0]), grid(codes[1]))), object).T
    x, y = x.astype(codes[0]), y.astype(codes[1])
    programs, cases = Programs(), []
    for f in (np.add, np.multiply, np.maximum, np.less):
        (e,) = equations(registry[f.__name__], x, y)
        with np.errstate(all="ignore"):
            cases.append((programs.add(e), f(x, y), f"{f}"))
    (e,) = equations(index.where, x > y, x, y)
    for made, expected, message in cases:
        same_bits(programs.run(made, x, y), expected, message)
    programs = Programs()
    same_bits(programs.run(programs.add(e), x > y, x, y), np.where(x > y, x, y), "where")


def test_constants_are_numbers_of_the_dtype_that_numpy_computes_in():
    programs, x = Programs(), np.linspace(-2, 2, 11, dtype=np.float32)
    cases = [
        (lambda x: x * 0.1, x * 0.1),
        (lambda x: np.float64(0.1) * x, np.float64(0.1) * x),
        (lambda x: np.maximum(x, np.array(0.5)), np.maximum(x, np.array(0.5))),
        (lambda x: np.greater(x, 1), x > 1),
    ]
    made = [(programs.add(equations(f, x)[0]), expected) for f, expected in cases]
    for m, expected in made:
        same_bits(programs.run(m, x), expected, str(m[1]))


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x: np.log(x), [np.ones(3, complex)]),
        (lambda x: x + 1, [np.ones(3, np.float16)]),
        (lambda x, y: np.less(x, y), [np.ones(3, np.int64), np.ones(3, np.uint64)]),
        (lambda x: structural.truncate(x, dtype=np.dtype("uint64")), [np.ones(3)]),
        (lambda x: np.sum(x), [np.ones(3)]),
        (lambda x: structural.truncate(x, dtype=np.dtype(int)), [np.ones(3, complex)]),
    ],
)
def test_what_is_not_written_is_refused(f, args):
    assert not elementwise.takes(equations(f, *args)[-1])


def test_powers_by_a_number_take_the_short_way_of_numpy():
    programs, x = Programs(), np.array([*FLOATS, 2.2, 3.3])
    with np.errstate(all="ignore"):
        exponents = (0.5, 1.0, -1.0, 2.0)
        made = [(programs.add(equations(lambda x, p=p: np.power(x, p), x)[0]), np.power(x, p)) for p in exponents]
    for m, expected in made:
        same_bits(programs.run(m, x), expected, str(m[1]))


@pytest.fixture(scope="module")
def registered():
    """What the samples of each primitive are in machine code: its name, what has been compiled, and the sample."""
    programs, found, known = Programs(), {}, {}  # what differs in shapes alone is compiled once
    for p in registry.values():
        for code in set(p.dtypes) & set("fdFDlQ"):
            for sample in samples(p, code):
                if not all(isinstance(a, np.ndarray) for a in sample.args):
                    continue
                made = equations(lambda *xs, p=p, sample=sample: p(*xs, **sample.params), *sample.args)
                if len(made) == 1 and elementwise.takes(made[0]):
                    key = p, repr(sample.params), *[a.dtype for a in sample.args]
                    known[key] = known.get(key) or programs.add(made[0])
                    found.setdefault(p.name, []).append((known[key], p, sample))
    assert len(found) > 90
    return programs, found


def parts(x):
    return [x.real, x.imag] if x.dtype.kind == "c" else [x]


@pytest.mark.parametrize("name", registry)
def test_every_primitive_that_is_taken_gives_numpys_values(name, registered):
    """To four ulp: those of NumPy have errors of their own, and digamma there more; of complex ones, of the whole."""
    programs, found = registered
    for made, p, sample in found.get(name, ()):
        expected = np.asarray(p(*sample.args, **sample.params))
        values = programs.run(made, *sample.args).reshape(expected.shape)
        assert values.dtype == expected.dtype
        if expected.dtype.kind not in "fc":
            np.testing.assert_array_equal(values, expected)
            continue
        least = {"logaddexp": 0.5, "logaddexp2": 0.5, "digamma": 1.0}.get(name, 0.0)  # of terms that cancel
        ulp = np.spacing(np.maximum(np.abs(expected), least))
        for x, y in zip(parts(values), parts(expected), strict=True):
            np.testing.assert_array_equal(np.isnan(x), np.isnan(y))
            number = np.isfinite(y)
            np.testing.assert_array_equal(x[~number], y[~number])
            assert np.all(np.abs(x - y)[number] <= (32 if name == "digamma" else 4) * ulp[number])

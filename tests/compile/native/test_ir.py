"""Text of LLVM's representation does what the builder's methods say: checked by running it."""

import ctypes

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from funcgrad.compile.native.ir import Function, Module, Value
from funcgrad.compile.native.llvm import Library

ADDRESS = ctypes.c_void_p


def _compiled(f, count):
    library = Library(f.module.text)
    made = ctypes.CFUNCTYPE(None, *[ADDRESS] * count, ctypes.c_int64)(library.address(f.name))
    return lambda *arrays: (made(*[a.ctypes.data for a in arrays], arrays[0].size), library)[0]


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 24])
@pytest.mark.parametrize(("dtype", "kind"), [("float64", "double"), ("float32", "float"), ("int64", "i64")])
def test_a_loop_over_an_array_reads_and_writes_just_its_elements(lanes, size, dtype, kind):
    f = Function(Module(), "twice", [("x", "ptr"), ("y", "ptr"), ("n", "i64")], lanes)
    n = f.parameter("n")

    def step(i, carry):
        mask = f.first(f.binary("sub", n, i)) if lanes > 1 else None
        x = f.load(f.address(f.parameter("x"), i, kind), kind, mask=mask)
        f.store(f.binary("add" if kind[0] == "i" else "fadd", x, x), f.address(f.parameter("y"), i, kind), mask)
        return carry

    f.loop(Value("0", "i64"), n, lanes, [], step)
    f.finish()
    x = np.arange(size).astype(dtype)
    y = np.full(size + lanes, -1, dtype)
    _compiled(f, 2)(x, y)
    assert y.tolist() == [*(2 * x).tolist(), *[-1] * lanes]


def test_truth_values_take_a_byte_in_memory_and_are_any_byte_but_zero():
    f = Function(Module(), "negate", [("x", "ptr"), ("y", "ptr"), ("n", "i64")], 8)
    n = f.parameter("n")

    def step(i, carry):
        mask = f.first(f.binary("sub", n, i))
        x = f.load(f.address(f.parameter("x"), i, "i1"), "i1", mask=mask)
        f.store(f.binary("xor", x, f.like(True, x)), f.address(f.parameter("y"), i, "i1"), mask)
        return carry

    f.loop(Value("0", "i64"), n, 8, [], step)
    f.finish()
    x = np.arange(11) % 3 > 0
    y = np.zeros(11, bool)
    _compiled(f, 2)(x, y)
    assert y.tolist() == (~x).tolist()


def test_constants_are_written_to_the_last_bit():
    values = [0.1, -0.0, np.inf, -np.inf, 5e-324, np.finfo(float).max, 1 / 3]
    f = Function(Module(), "constants", [("y", "ptr"), ("n", "i64")])
    for k, v in enumerate(values):
        f.store(f.constant(v, "double"), f.address(f.parameter("y"), Value(str(k), "i64"), "double"))
    f.finish()
    y = np.zeros(len(values))
    _compiled(f, 1)(y)
    assert y.tobytes() == np.array(values).tobytes()

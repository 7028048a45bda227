"""Code for other processors: what x86-64 of each level computes is the same, arm64 gets an object, others an error."""

import ctypes
import platform

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn
from funcgrad.compile.native import llvm
from funcgrad.compile.native.arithmetic import ARITHMETIC
from funcgrad.compile.native.complex_arithmetic import COMPLEX
from funcgrad.compile.native.functions import FUNCTIONS
from funcgrad.compile.native.ir import PARTS, SIZES, Function, Module, Value
from funcgrad.compile.native.llvm import Library, target
from funcgrad.compile.native.math.error_function import erf, erfc
from funcgrad.compile.native.math.exponential import sigmoid
from funcgrad.compile.native.math.terms import formula
from funcgrad.errors import ArgumentError

LEVELS = {"x86-64": ("", 16), "haswell": ("avx2", 32), "skylake-avx512": ("avx512f", 64)}
"""Processors of the levels 1, 3 and 4 of x86-64, what they must have, and the bytes of their registers."""
HERE = set(target().features.replace("+", "").split(","))
LEVEL = [
    pytest.param(
        cpu, size, id=cpu, marks=pytest.mark.skipif(need not in {"", *HERE}, reason=f"there is no {need} here")
    )
    for cpu, (need, size) in LEVELS.items()
]
X86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="this is no x86-64")
ENDS = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-20, 709.9, -745.0, 1e6, 1e300, 2.5, -0.75]


def emitters(kind):
    """Every function of floats of this type, with the number of operands and the type of the result."""
    if kind.startswith("complex"):
        return {u.__name__: (e, u.nin) for u, e in COMPLEX.items()}
    found = {u.__name__: (e["f"], u.nin) for u, e in (ARITHMETIC | FUNCTIONS).items() if "f" in e}
    return found | {f.__name__: (formula(f), 1) for f in (erf, erfc, sigmoid)}


def module(kind, size):
    made, results = Module(), {}
    for name, (emitter, count) in emitters(kind).items():
        given = [(f"x{k}", "ptr") for k in range(count)]
        f = Function(made, f"test_{name}", [*given, ("y", "ptr"), ("n", "i64")], size // SIZES[PARTS.get(kind, kind)])
        n = f.parameter("n")

        def step(i, carry, f=f, n=n, emitter=emitter, given=given, name=name):
            mask = f.first(f.binary("sub", n, i))
            out = emitter(f, *[f.load(f.address(f.parameter(k), i, kind), kind, mask=mask) for k, _ in given])
            f.store(out, f.address(f.parameter("y"), i, out.kind), mask)
            results[name] = out.kind
            return carry

        f.loop(Value("0", "i64"), n, f.lanes, [], step)
        f.finish()
    return made, results


def operands(kind, count):
    rng = np.random.default_rng(0)
    values = np.concatenate([ENDS, rng.uniform(-3, 3, 300), rng.uniform(-700, 700, 100)])
    with np.errstate(all="ignore"):
        if kind.startswith("complex"):
            values = values.astype(f"f{SIZES[kind] // 2}").repeat(2)[3:-1].view(kind)
        else:
            values = values.astype({"double": "d", "float": "f"}[kind])
    return [np.roll(values, 7 * k).copy() for k in range(count)]


@X86
@pytest.mark.parametrize("kind", ["double", "float", "complex128"])
def test_each_level_of_x86_gives_the_same_bits(kind, monkeypatch):
    found = {}
    for cpu, (need, size) in LEVELS.items():
        if need not in {"", *HERE} or (kind != "double" and cpu == "haswell"):
            continue
        monkeypatch.setattr(target(), "cpu", cpu)
        monkeypatch.setattr(target(), "features", "")
        made, results = module(kind, size)
        library = Library(made.text)
        for name, (_, count) in emitters(kind).items():
            xs = operands(kind, count)
            y = np.zeros((xs[0].size, SIZES[results[name]]), np.uint8)
            called = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (count + 1), ctypes.c_int64)
            called(library.address(f"test_{name}"))(*[x.ctypes.data for x in xs], y.ctypes.data, xs[0].size)
            kinds = {"double": "d", "float": "f", "i1": "?"}
            values = y.view(kinds.get(results[name], results[name])).ravel()
            found.setdefault(name, []).append(np.where(values == values, values, values.dtype.type(0)).tobytes())
    assert len(found) > 15
    assert {name for name, ways in found.items() if len(set(ways)) > 1} == set()


@X86
@pytest.mark.parametrize(("cpu", "size"), LEVEL)
def test_programs_run_on_each_level_of_x86(cpu, size, monkeypatch):
    x = np.random.default_rng(0).normal(size=(301, 67))

    def f(x):
        hidden = nn.gelu(x @ x.T, approximate=False)
        return fnp.sum(fnp.sin(x) * x, -1), nn.softmax(hidden[:100]), fnp.sum((x + 1j * x) * x), fnp.sum(x, 0)

    expected = fg.jit(f, backend="native")(x)
    for name, value in (("cpu", cpu), ("features", ""), ("bytes", size)):
        monkeypatch.setattr(target(), name, value)
    for a, b in zip(fg.jit(f, backend="native")(x), expected, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize("kind", ["double", "complex64"])
def test_arm64_gets_an_object_of_the_same_code(kind, arm64):
    assert arm64(module(kind, 16)[0].text)[:4] == b"\x7fELF"


def test_a_processor_that_cannot_be_used_is_named(monkeypatch):
    def message():
        llvm.missing.cache_clear()
        with pytest.raises(ArgumentError, match="backend 'native' cannot be used") as e:
            fg.jit(lambda x: x, backend="native")
        return str(e.value)

    try:
        with monkeypatch.context() as m:
            m.setattr(platform, "machine", lambda: "riscv64")
            assert "native code is made for x86-64 and arm64, this is riscv64" in message()
        with monkeypatch.context() as m:
            m.setattr(platform, "machine", lambda: "x86_64")
            m.setattr(target(), "features", "+sse2,-fma")
            assert "this processor has no fused multiply-add" in message()
    finally:
        llvm.missing.cache_clear()

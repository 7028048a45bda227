"""Functions that Python calls without a detour: machine code that reads NumPy's arrays and makes them.

ctypes takes over a microsecond for a call with a few arrays; a builtin function that is made here, 0.1. It checks the
class, dtype, shape and memory layout of each argument. What is not as expected is made so in Python, and the function
is called again. The code names objects and functions of Python and NumPy as symbols, and holds no address of theirs.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.ir import SIZES, TYPES, Function, Module, Value
from funcgrad.compile.native.llvm import Library, target

_HEAD = object.__basicsize__  # then follows what an object holds
_TYPE = _HEAD - SIZES["ptr"]
_DATA, _NDIM, _DIMS, _DESCR, _FLAGS = [_HEAD + 8 * n for n in (0, 1, 2, 5, 6)]  # of an ndarray
_ITEMS = tuple.__basicsize__
_PLAIN = 0x1 | 0x100  # NumPy's flags of an array that has no gaps, and whose numbers are aligned
_FASTCALL = 0x80  # arguments come as an array of objects and their number
_FUNCTIONS = ("PyTuple_New", "PyTuple_GetItem", "PyObject_Vectorcall", "Py_DecRef", "PyErr_CheckSignals")
_THREADS = ("PyEval_SaveThread", "PyEval_RestoreThread")
_OBJECTS = {"ndarray": np.ndarray, "float": float}
_NEW_ARRAY, _SCALAR = 93, 60  # where NumPy's table of functions has PyArray_New and PyArray_Scalar
LIBM = ("sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "log1p", "expm1", "log10", "atan", "asin", "acos")
LIBM += ("asinh", "acosh", "atanh", "atan2", "hypot", "pow")


class _MethodDef(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


@functools.cache
def _new_function() -> Callable[..., Any]:
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return kind(("PyCFunction_NewEx", ctypes.pythonapi))


@functools.cache
def define_symbols() -> None:
    """Tell LLVM where the functions and objects are that code names."""
    add = target().llvm.add_symbol
    for name in (*_FUNCTIONS, *_THREADS):
        add(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    capsule: Any = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    address = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    table = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    add("funcgrad.new_array", table[_NEW_ARRAY])
    add("funcgrad.scalar", table[_SCALAR])
    for name, value in _OBJECTS.items():
        add(f"funcgrad.{name}", id(value))
    for dtype in TYPES:
        add(f"funcgrad.{dtype.name}.dtype", id(dtype))
        add(f"funcgrad.{dtype.name}.scalar", id(dtype.type))
    libm = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    for name in LIBM:
        add(name, ctypes.cast(getattr(libm, name), ctypes.c_void_p).value)


class Bound(tuple):
    """What a builtin function is bound to, in this order.

    Arguments of another kind are left to the first, what has no finite result to the second; the rest is what must live
    as long. It has the attribute `source` if the function is a kernel.
    """


class Entry:
    """A function that Python calls, under construction.

    Arguments:
        module, title: where it goes, and its name.
        inputs: shape and dtype of each argument.

    Attributes:
        f: its lines.
        data: where the numbers of each argument are.
    """

    def __init__(self, module: Module, title: str, inputs: Sequence[Any]) -> None:
        self.module, self.title, self.inputs = module, title, [(i.shape, i.dtype) for i in inputs]
        self.f = f = Function(module, title, [("self", "ptr"), ("args", "ptr"), ("n", "i64")], result="ptr")
        self._labels = 0
        self.space = f.let("alloca i64", "ptr")
        self._require(f.compare("eq", f.parameter("n"), f.constant(len(inputs), "i64")), "other")
        self.data = [self._argument(k, shape, dtype) for k, (shape, dtype) in enumerate(self.inputs)]

    def finish(self, outputs: Sequence[Sequence[Value] | Value], kinds: Sequence[tuple[tuple[int, ...], Any]]) -> None:
        """Return, as new arrays and NumPy scalars, what has been computed; anew with NumPy where it is not finite.

        Arguments:
            outputs: for each result its elements, or a new array that holds them.
            kinds: shape and dtype of each.
        """
        f = self.f
        floats = [x for o in outputs if not isinstance(o, Value) for x in o if x.kind == "double"]
        if floats:
            self.require_finite(functools.reduce(lambda a, b: f.binary("fadd", a, b), dict.fromkeys(floats)))
        result = self._made("PyTuple_New", f.constant(len(outputs), "i64"))
        for k, (output, (shape, dtype)) in enumerate(zip(outputs, kinds, strict=True)):
            if isinstance(output, Value):
                made = output
            elif shape:
                made = self.new_array(shape, dtype, "drop")
                data = self.field(made, _DATA, "ptr")
                for n, x in enumerate(output):
                    f.store(x, f.address(data, f.constant(n, "i64"), x.kind))
            else:
                f.store(output[0], self.space)
                made = self._made("funcgrad.scalar", self.space, self.symbol(f"{dtype.name}.dtype"), _NULL, gone="drop")
            f.store(made, f.let(f"getelementptr i8, {result}, i64 {_ITEMS + 8 * k}", "ptr"))
        f.line(f"ret {result}")
        f.label("drop")
        self.call("void", "Py_DecRef", result)
        f.line("br label %failed")
        f.label("failed")
        f.line("ret ptr null")
        for place, name in enumerate(("other", "infinite")):
            if place:
                f.line(f"ret {result}")
            f.label(name)
            callee = f.call("PyTuple_GetItem", "ptr", 1, f.parameter("self"), f.constant(place, "i64"))
            given = (f.parameter("args"), f.parameter("n"), _NULL)
            result = f.call("PyObject_Vectorcall", "ptr", 1, callee, *given)
        f.finish(result)

    def require_finite(self, x: Value) -> None:
        """Leave the program to NumPy where a number is infinite or nan."""
        difference = self.f.binary("fsub", x, x)
        self._require(self.f.compare("oeq", difference, self.f.constant(0.0, "double")), "infinite")

    def new_array(self, shape: tuple[int, ...], dtype: np.dtype, gone: str = "failed") -> Value:
        """A new array without contents."""
        dims = f"{self.title}.shape.{'.'.join(map(str, shape))}"
        inner = ", ".join([f"i64 {n}" for n in shape])
        self.module.declared[dims] = f"@{dims} = private constant [{len(shape)} x i64] [{inner}]"
        number = [self.f.constant(n, "i32") for n in (len(shape), dtype.num, 0, 0)]
        given = (self.symbol("ndarray"), number[0], Value(f"@{dims}", "ptr"), number[1], _NULL, _NULL, *number[2:])
        return self._made("funcgrad.new_array", *given, _NULL, gone=gone)

    def field(self, x: Value, offset: int, kind: str) -> Value:
        """What an object holds somewhere."""
        return self.f.load(self.f.let(f"getelementptr i8, {x}, i64 {offset}", "ptr"), kind)

    def symbol(self, name: str) -> Value:
        """An object of Python or NumPy."""
        self.module.declared[name] = f"@funcgrad.{name} = external global i8"
        return Value(f"@funcgrad.{name}", "ptr")

    def call(self, kind: str, name: str, *args: Value) -> None:
        """Call a function that gives nothing, or nothing of interest."""
        self.module.declared[name] = f"declare {kind} @{name}({', '.join([a.type for a in args])})"
        self.f.line(f"call {kind} @{name}({', '.join(map(str, args))})")

    def fresh(self, hint: str) -> str:
        """A new label."""
        self._labels += 1
        return f"{hint}{self._labels}"

    def _made(self, name: str, *args: Value, gone: str = "failed") -> Value:
        """A new object; where there is no memory for one, on to a label."""
        made = self.f.call(name, "ptr", 1, *args)
        self._require(self.f.compare("ne", made, _NULL), gone)
        return made

    def _require(self, condition: Value, otherwise: str) -> None:
        go_on = self.fresh("on")
        self.f.line(f"br {condition}, label %{go_on}, label %{otherwise}")
        self.f.label(go_on)

    def _argument(self, k: int, shape: tuple[int, ...], dtype: np.dtype) -> Value:
        """Where the numbers of an argument are, if it is as expected."""
        f = self.f
        x = f.load(f.address(f.parameter("args"), f.constant(k, "i64"), "ptr"), "ptr")
        type_ = self.field(x, _TYPE, "ptr")
        inside = f.let(f"getelementptr i8, {x}, i64 {_HEAD}", "ptr")
        before, array, joined = self.fresh("scalar"), self.fresh("array"), self.fresh("joined")
        if not shape:
            is_scalar = f.compare("eq", type_, self.symbol(f"{dtype.name}.scalar"))
            if dtype == np.float64:
                is_float = f.compare("eq", type_, self.symbol("float"))
                is_scalar = f.binary("or", is_scalar, is_float)
            f.line(f"br label %{before}")
            f.label(before)
            f.line(f"br {is_scalar}, label %{joined}, label %{array}")
            f.label(array)
        self._require(f.compare("eq", type_, self.symbol("ndarray")), "other")
        self._require(f.compare("eq", self.field(x, _DESCR, "ptr"), self.symbol(f"{dtype.name}.dtype")), "other")
        self._require(f.compare("eq", self.field(x, _NDIM, "i32"), f.constant(len(shape), "i32")), "other")
        flags = f.binary("and", self.field(x, _FLAGS, "i32"), f.constant(_PLAIN, "i32"))
        self._require(f.compare("eq", flags, f.constant(_PLAIN, "i32")), "other")
        if shape:
            dims = self.field(x, _DIMS, "ptr")
            for n, size in enumerate(shape):
                self._require(f.compare("eq", self.field(dims, 8 * n, "i64"), f.constant(size, "i64")), "other")
        data = self.field(x, _DATA, "ptr")
        if shape:
            return data
        last = f"on{self._labels}"
        f.line(f"br label %{joined}")
        f.label(joined)
        return f.let(f"phi ptr [{inside.text}, %{before}], [{data.text}, %{last}]", "ptr")


_NULL = Value("null", "ptr")


def elements(f: Function, data: Value, shape: tuple[int, ...], dtype: np.dtype) -> list[Value]:
    """The elements of an array in registers."""
    kind = TYPES[dtype]
    return [f.load(f.address(data, f.constant(n, "i64"), kind), kind) for n in range(math.prod(shape))]


def builtin(
    library: Library,
    title: str,
    inputs: Sequence[tuple[tuple[int, ...], np.dtype]],
    with_numpy: Callable[..., tuple],
) -> Callable[..., tuple]:
    """The builtin function of an `Entry`.

    Arguments:
        library, title: the compiled code, and the name of the function.
        inputs: shape and dtype of each argument.
        with_numpy: does the same on arrays.
    """
    define = _MethodDef(title.encode(), library.address(title), _FASTCALL, None)
    new, place = _new_function(), ctypes.addressof(define)
    once = new(place, Bound((with_numpy, with_numpy, library, define)), None)

    def again(*args: Any) -> tuple:
        """With arguments as the machine code takes them, if they differ in class, memory layout or byte order only."""
        if len(args) != len(inputs):
            return with_numpy(*args)
        given = []
        for x, (shape, dtype) in zip(args, inputs, strict=True):
            if np.shape(x) != shape or np.asarray(x).dtype != dtype:
                return with_numpy(*args)
            made = np.empty(shape, dtype)
            made[...] = x
            given.append(made)
        return once(*given)

    made: Callable[..., tuple] = new(place, Bound((again, with_numpy, library, define)), None)
    return made

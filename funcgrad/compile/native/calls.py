"""Functions that Python calls without a detour: machine code that reads NumPy's arrays and makes them.

ctypes takes over a microsecond for a call with a few arrays; a builtin function that is made here, 0.1. It checks the
class, dtype, shape and memory layout of each argument. What is not as expected is made so in Python, and the function
is called again. The code names objects and functions of Python and NumPy as symbols, and holds no address of theirs.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native.blas import addresses
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Module, Value
from funcgrad.compile.native.llvm import Library, target, working

_HEAD = object.__basicsize__  # then follows what an object holds
_TYPE = _HEAD - SIZES["ptr"]
_DATA, _NDIM, _DIMS, _DESCR, _FLAGS = [_HEAD + 8 * n for n in (0, 1, 2, 5, 6)]  # of an ndarray
_ITEMS = tuple.__basicsize__
_KEPT = 4  # where in what a function is bound to arrays of its own begin
_PLAIN = 0x1 | 0x100  # NumPy's flags of an array that has no gaps, and whose numbers are aligned
DONE, INTERRUPTED, LEFT = range(3)
"""What a function of pointers gives: an error of Python's is set, or the program is left to NumPy."""
_LINE = 64  # bytes; memory begins at multiples of them
_FASTCALL = 0x80  # arguments come as an array of objects and their number
_FUNCTIONS = ("PyTuple_New", "PyTuple_GetItem", "PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyErr_CheckSignals")
_THREADS = ("PyEval_SaveThread", "PyEval_RestoreThread")
_MEMORY = ("PyMem_RawMalloc", "PyMem_RawFree", "PyErr_NoMemory")
_OBJECTS = {"ndarray": np.ndarray, "float": float}
_NEW_ARRAY, _SCALAR = 93, 60  # where NumPy's table of functions has PyArray_New and PyArray_Scalar
LIBM = (
    *("sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "log1p", "expm1", "log10", "atan", "asin", "acos"),
    *("asinh", "acosh", "atanh", "atan2", "hypot", "pow"),
)


class _MethodDef(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


@functools.cache
def _new_function() -> Callable[..., Any]:
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return kind(("PyCFunction_NewEx", ctypes.pythonapi))


@functools.cache
def define_symbols() -> None:
    """Tell LLVM where the functions and objects are that code names."""

    def add(name: str, address: int | None) -> None:
        with working:
            llvm.add_symbol(name, address)

    llvm = target().llvm
    for name in (*_FUNCTIONS, *_THREADS, *_MEMORY):
        add(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    capsule: Any = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    address = pointer(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    table = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
    add("funcgrad.new_array", table[_NEW_ARRAY])
    add("funcgrad.scalar", table[_SCALAR])
    for name, value in addresses().items():
        add(f"funcgrad.{name}", value)
    for name, value in _OBJECTS.items():
        add(f"funcgrad.{name}", id(value))
    for dtype in TYPES:
        add(f"funcgrad.{dtype.name}.dtype", id(dtype))
        add(f"funcgrad.{dtype.name}.scalar", id(dtype.type))
    libm = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    for name in (*LIBM, "memcpy"):
        add(name, ctypes.cast(getattr(libm, name), ctypes.c_void_p).value)


class Bound(tuple):
    """What a builtin function is bound to, in this order.

    Arguments of another kind are left to the first, what has no finite result to the second; the rest is what must live
    as long. It has the attribute `source` if the function is a kernel.
    """


@contextlib.contextmanager
def others_running(f: Function, long: bool = True) -> Iterator[None]:
    """Let other threads run while what is written inside is carried out, if that is long; it touches no object."""
    state = f.call("PyEval_SaveThread", "ptr", 1) if long else None
    yield
    if state is not None:
        f.run("PyEval_RestoreThread", state)


def leave_unless(f: Function, fine: Value) -> None:
    """Leave the whole program to NumPy, from a function of pointers, where a condition does not hold."""
    name = f"left{f.fresh()}"
    f.line(f"br {fine}, label %{name}.over, label %{name}")
    f.label(name)
    f.line(f"ret i32 {LEFT}")
    f.label(f"{name}.over")


class Memory(NamedTuple):
    """Memory for the time of a call.

    Attributes:
        whole: what was asked for.
        place: the first address in it that is a multiple of what was wanted.
    """

    whole: Value
    place: Value


class Entry:
    """A function that Python calls, under construction.

    Arguments:
        module, title: where it goes, and its name.
        inputs: shape and dtype of each argument.
        outputs: how many results there are.

    Attributes:
        f: its lines.
        data: where the numbers of each argument are.
    """

    def __init__(
        self, module: Module, title: str, inputs: Sequence[tuple[tuple[int, ...], np.dtype]], outputs: int
    ) -> None:
        self.module, self.title, self.inputs, self.outputs = module, title, inputs, outputs
        self._result: Value | None = None
        self.f = f = Function(module, title, [("self", "ptr"), ("args", "ptr"), ("n", "i64")], result="ptr")
        self._labels = 0
        self._space = f.let("alloca [2 x i64]", "ptr")
        self._require(f.compare("eq", f.parameter("n"), f.constant(len(inputs), "i64")), "other")
        self.data = [self._argument(k, shape, dtype) for k, (shape, dtype) in enumerate(self.inputs)]

    def elements(self, k: int, shape: tuple[int, ...]) -> list[Value]:
        """The elements of an argument of this shape in registers."""
        f, kind = self.f, TYPES[self.inputs[k][1]]
        return [f.load(f.address(self.data[k], f.constant(n, "i64"), kind), kind) for n in range(math.prod(shape))]

    def begin_results(self) -> None:
        """Make the tuple of results; what has been put into it goes with it where the function gives up."""
        self._result = self._made("PyTuple_New", self.f.constant(self.outputs, "i64"))

    def put_array(self, k: int, shape: tuple[int, ...], dtype: np.dtype) -> Value:
        """Make a result, an array without contents; where its numbers go."""
        dims = f"{self.title}.shape.{'.'.join(map(str, shape))}"
        inner = ", ".join([f"i64 {n}" for n in shape])
        self.module.declared[dims] = f"@{dims} = private constant [{len(shape)} x i64] [{inner}]"
        number = [self.f.constant(n, "i32") for n in (len(shape), dtype.num, 0, 0)]
        given = (self.symbol("ndarray"), number[0], Value(f"@{dims}", "ptr"), number[1], _NULL, _NULL, *number[2:])
        made = self._made("funcgrad.new_array", *given, _NULL)
        self._put(k, made)
        return self.field(made, _DATA, "ptr")

    def put_argument(self, k: int, n: int) -> Value:
        """Make an argument a result; where its numbers are."""
        x = self.f.load(self.f.address(self.f.parameter("args"), self.f.constant(n, "i64"), "ptr"), "ptr")
        self.call("void", "Py_IncRef", x)
        self._put(k, x)
        return self.data[n]

    def put(self, k: int, elements: Sequence[Value], shape: tuple[int, ...], dtype: np.dtype) -> None:
        """Make a result of its elements, an array or a NumPy scalar."""
        f = self.f
        if shape:
            data = self.put_array(k, shape, dtype)
            for n, x in enumerate(elements):
                f.store(x, f.address(data, f.constant(n, "i64"), x.kind))
        else:
            f.store(elements[0], self._space)
            self._put(k, self._made("funcgrad.scalar", self._space, self.symbol(f"{dtype.name}.dtype"), _NULL))

    def steps(self, name: str, kinds: Sequence[tuple[tuple[int, ...], np.dtype]], constants: int, size: int) -> None:
        """Have a function of pointers compute the results: to arguments, results, constants and memory of its own.

        Arguments:
            name: of the function.
            kinds: shape and dtype of each result.
            constants: how many arrays `builtin` is given.
            size: the bytes of memory that it needs.
        """
        f = self.f
        places = [
            self.put_array(k, *kind) if kind[0] else f.let("alloca [2 x i64]", "ptr") for k, kind in enumerate(kinds)
        ]
        tables = [self._table(xs) for xs in (self.data, places, [self.kept_array(k) for k in range(constants)])]
        room = self.memory(size, _LINE)
        state = f.call(name, "i32", 1, *tables, room.place)
        self.release(room)
        self._require(f.compare("ne", state, f.constant(INTERRUPTED, "i32")), "drop")
        self._require(f.compare("eq", state, f.constant(DONE, "i32")), "drop_infinite")
        for k, (shape, dtype) in enumerate(kinds):
            if not shape:
                self.put(k, [f.load(places[k], TYPES[dtype])], shape, dtype)

    def _table(self, pointers: Sequence[Value]) -> Value:
        """An array of pointers."""
        f = self.f
        table = f.let(f"alloca ptr, i64 {max(1, len(pointers))}", "ptr")
        for k, p in enumerate(pointers):
            f.store(p, f.address(table, f.constant(k, "i64"), "ptr"))
        return table

    def finish(self) -> None:
        """Return the results; write what is done where that cannot be."""
        f, result = self.f, self._result
        assert result is not None, "there is a tuple of results"
        f.line(f"ret {result}")
        f.label("drop")  # an error of Python's is set
        self.call("void", "Py_DecRef", result)
        f.line("br label %failed")
        f.label("failed")
        f.line("ret ptr null")
        f.label("drop_infinite")
        self.call("void", "Py_DecRef", result)
        f.line("br label %infinite")
        f.label("infinite")
        f.line(f"ret {self._left_to(1)}")
        f.label("other")
        f.finish(self._left_to(0))

    def require_finite(self, floats: Sequence[Value]) -> None:
        """Leave the program to NumPy where one of these is infinite or nan."""
        f = self.f
        floats = [x for x in floats if x.kind == "double"]
        if not floats:
            return
        total = functools.reduce(lambda a, b: f.binary("fadd", a, b), dict.fromkeys(floats))
        known = f.compare("oeq", f.binary("fsub", total, total), f.constant(0.0, "double"))
        self._require(known, "infinite" if self._result is None else "drop_infinite")

    def kept_array(self, k: int) -> Value:
        """Where the numbers of an array are that the function is bound to, one of those that `builtin` was given."""
        place = self.f.constant(_KEPT + k, "i64")
        return self.field(self.f.call("PyTuple_GetItem", "ptr", 1, self.f.parameter("self"), place), _DATA, "ptr")

    def memory(self, size: int, aligned: int) -> Memory:
        """Memory of so many bytes, at a multiple of a number of bytes; `release` gives it back."""
        f, there, none = self.f, self.fresh("room"), self.fresh("none")
        whole = f.call("PyMem_RawMalloc", "ptr", 1, f.constant(size + aligned, "i64"))
        f.line(f"br {f.compare('ne', whole, _NULL)}, label %{there}, label %{none}")
        f.label(none)
        f.call("PyErr_NoMemory", "ptr", 1)
        f.line("br label %drop")
        f.label(there)
        at = f.binary("add", f.cast("ptrtoint", whole, "i64"), f.constant(aligned - 1, "i64"))
        return Memory(whole, f.cast("inttoptr", f.binary("and", at, f.constant(-aligned, "i64")), "ptr"))

    def release(self, room: Memory) -> None:
        """Give memory back."""
        self.call("void", "PyMem_RawFree", room.whole)

    def copy(self, to: Value, of: Value, size: int) -> None:
        """Copy so many bytes."""
        self.f.call("memcpy", "ptr", 1, to, of, self.f.constant(size, "i64"))

    def _left_to(self, place: int) -> Value:
        """What a function that this one is bound to gives for the same arguments."""
        f = self.f
        callee = f.call("PyTuple_GetItem", "ptr", 1, f.parameter("self"), f.constant(place, "i64"))
        return f.call("PyObject_Vectorcall", "ptr", 1, callee, f.parameter("args"), f.parameter("n"), _NULL)

    def _put(self, k: int, made: Value) -> None:
        self.f.store(made, self.f.let(f"getelementptr i8, {self._result}, i64 {_ITEMS + 8 * k}", "ptr"))

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

    def _made(self, name: str, *args: Value) -> Value:
        """A new object; where there is no memory for one, the function gives up."""
        made = self.f.call(name, "ptr", 1, *args)
        self._require(self.f.compare("ne", made, _NULL), "failed" if self._result is None else "drop")
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


def builtin(
    library: Library,
    title: str,
    inputs: Sequence[tuple[tuple[int, ...], np.dtype]],
    with_numpy: Callable[..., tuple],
    kept: Sequence[np.ndarray] = (),
) -> Callable[..., tuple]:
    """The builtin function of an `Entry`.

    Arguments:
        library, title: the compiled code, and the name of the function.
        inputs: shape and dtype of each argument.
        with_numpy: does the same on arrays.
        kept: what `kept_array` refers to.
    """
    define = _MethodDef(title.encode(), library.address(title), _FASTCALL, None)
    new, place = _new_function(), ctypes.addressof(define)
    once = new(place, Bound((with_numpy, with_numpy, library, define, *kept)), None)

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

    made: Callable[..., tuple] = new(place, Bound((again, with_numpy, library, define, *kept)), None)
    return made

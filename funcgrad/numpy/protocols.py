"""NumPy's protocols: what plain `np.sin(x)`, `np.sum(x)` and `buf[0] = x` do when x is an Array or a tracer.

Ufuncs arrive at `array_ufunc`, which looks up the primitive that has that ufunc as its implementation. Ufuncs of
another library, such as `scipy.special.gammaln`, find the function of the same name in our namespace for that library.
Other NumPy functions arrive at `array_function`, which looks up the function of the same name in funcgrad.numpy. The
tables are made from the registry and the namespaces; nothing is listed twice.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.callers import asking_frame, counterpart, is_sparse_product, is_user, library_call, user_line
from funcgrad.core.array import Array, is_inexact, wrap
from funcgrad.core.primitive import Primitive, registry
from funcgrad.core.trace import Tracer, bind
from funcgrad.errors import ImmutableArrayError, NoValueError, UnsupportedError, buffer_write, too_many
from funcgrad.numpy import ufunc_methods
from funcgrad.numpy.ufuncs import cast
from funcgrad.ops.elements import OBJECT, is_objects, joined, objects

_by_ufunc: dict[np.ufunc, Primitive] = {}  # what primitive_of has found in the registry before
_searched: dict[np.ufunc, int] = {}  # the size of the registry when it was last searched for a ufunc of another library
_namespaces: dict[str, Callable[[], ModuleType]] = {}  # what imports ours, by the name of another library's module
_foreign: dict[np.ufunc, tuple[str, Callable | None]] = {}  # for ufuncs that came: name, and our function


def primitive_of(ufunc: np.ufunc) -> Primitive | None:
    """The primitive whose implementation is this ufunc; it may have been declared a moment ago."""
    found = _by_ufunc.get(ufunc)
    if found is None and _searched.get(ufunc) != len(registry):
        found = next((p for p in registry.values() if p.impl is ufunc), None)
        if found is not None:
            _by_ufunc[ufunc] = found
    return found


def differentiate_ufuncs_of(library: str, import_ours: Callable[[], ModuleType]) -> None:
    """Let ufuncs of another library's module stand for the functions of the same names in a module of ours.

    Arguments:
        library: the name of its module, which is not imported: until the program has, none of its ufuncs can come.
        import_ours: gives our module, whose `__all__` has the names; it is called when the first ufunc comes.
    """
    _namespaces[library] = import_ours


def _foreign_ufunc(ufunc: np.ufunc) -> tuple[str, Callable | None] | None:
    """The full name of a ufunc of another library and our function that differentiates it; None for any other."""
    if ufunc not in _foreign:
        for library in _namespaces:
            theirs = getattr(sys.modules.get(library), ufunc.__name__, None)
            if theirs is not None and theirs is ufunc:
                ours = _namespaces[library]()
                function = getattr(ours, ufunc.__name__) if ufunc.__name__ in ours.__all__ else None
                if function is not None or ufunc.__name__[0] != "_":
                    _foreign[ufunc] = f"{library}.{ufunc.__name__}", function
                    break
    if ufunc in _foreign:
        _searched[ufunc] = len(registry)
    return _foreign.get(ufunc)


def _call_foreign(ufunc: np.ufunc, name: str, function: Callable | None, inputs: tuple, kwargs: dict) -> Any:
    """What a ufunc of another library gives: its own values outside of transforms, those of our function inside."""
    if kwargs:
        inputs = cast(ufunc, inputs, name=name, **kwargs)
    tracer = tracer_in(inputs, {})
    if tracer is None:
        out = ufunc(*[as_numpy(x) for x in inputs])
        return tuple([wrap(o) for o in out]) if ufunc.nout > 1 else wrap(out)
    if function is None:
        import difflib  # for this error only

        library = name.rpartition(".")[0]
        near = difflib.get_close_matches(ufunc.__name__, _namespaces[library]().__all__, cutoff=0.5)
        raise UnsupportedError(
            f"{name} cannot be applied to {tracer.describe()}: funcgrad.{library} has no derivative of it"
            f"{'; near it are ' + ', '.join(near) if near else ''}. Compose it of functions that are there, give it a "
            f"derivative with funcgrad.custom_jvp, or apply it to funcgrad.stop_gradient(x) if a constant is meant"
        )
    return function(*inputs)


_face: Any = None  # the module funcgrad.numpy, since `install`


def array_namespace(self: Array, *, api_version: str | None = None) -> Any:
    """The module whose functions take such arrays, whatever the version of the standard."""
    return _face


def install(namespace: Any) -> None:
    """Give Array and tracers NumPy's protocols, through which plain NumPy functions come to those of a namespace.

    Arguments:
        namespace: the module funcgrad.numpy.
    """
    global _face
    _face = namespace
    given: Any = Array
    given.__array_ufunc__ = array_ufunc
    given.__array_function__ = array_function
    given.__array_namespace__ = array_namespace
    Tracer.__array__ = tracer_array


@functools.cache
def functions_by_numpy() -> dict[Any, Callable]:
    """For each function of NumPy the one of the same name in funcgrad.numpy."""
    fnp = _face
    table: dict[Any, Callable] = {}
    for ours, theirs in ((fnp, np), (fnp.linalg, np.linalg), (fnp.fft, np.fft)):
        for name in dir(ours):
            function, counterpart = getattr(ours, name), getattr(theirs, name, None)
            if name[0] != "_" and callable(function) and callable(counterpart) and function is not counterpart:
                table[counterpart] = function
    for name in ("fft", "ifft", "rfft", "irfft"):  # NumPy's transforms of two axes take any number of them
        over_axes: Any = getattr(fnp.fft, f"{name}n")
        table[getattr(np.fft, f"{name}2")] = functools.partial(_last_two, over_axes)
    table.update(fnp.linalg.ONE_TRIANGLE)
    table[np.lib.stride_tricks.sliding_window_view] = fnp.sliding_window_view
    for conversion in (np.atleast_1d, np.atleast_2d, np.atleast_3d, np.copy):
        table[conversion] = _conversion(conversion, table[conversion])
    return table


def _conversion(function: Callable, ours: Callable) -> Callable:
    """A function of NumPy that programs call to be sure of having an ndarray, as they call np.asarray.

    Arrays become ndarrays that the caller owns, so that extensions in C take them and may write there, and no Array
    changes (docs/design/border.md). Tracers stay tracers.
    """

    def convert(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and type(args[0]) is Array and not kwargs:
            return function(np.asarray(args[0]))
        if tracer_in(args, kwargs) is not None:
            return ours(*args, **kwargs)
        return function(*[np.asarray(a) if isinstance(a, Array) else as_numpy(a) for a in args], **kwargs)

    return convert


def _last_two(transform: Callable, a: Any, s: Any = None, axes: Any = (-2, -1), *options: Any, **named: Any) -> Any:
    return transform(a, s, axes, *options, **named)


def array_ufunc(self: Array, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`Array.__array_ufunc__`: a NumPy ufunc was called with an Array among its arguments."""
    if "out" in kwargs:
        return _ufunc_into(self, ufunc, method, inputs, kwargs)
    if method == "__call__":
        primitive = primitive_of(ufunc)
        if primitive is None and (foreign := _foreign_ufunc(ufunc)):
            return _call_foreign(ufunc, *foreign, inputs, kwargs)
        if primitive is None and ufunc.__name__ == "clip":  # what the method `clip` of an ndarray calls
            return functions_by_numpy()[np.clip](*inputs, **kwargs)
        if primitive is None:
            return _unsupported(ufunc, f"the ufunc {ufunc.__name__}", inputs, kwargs)
        if kwargs:
            return functions_by_numpy()[ufunc](*inputs, **kwargs)
        if len(inputs) == 1:
            return self._trace.unary(primitive, self)
        if len(inputs) == 2:  # as bind does it, but by the way that is written out for two operands
            x, y = inputs
            if isinstance(x, Array):
                trace = x._trace
                if isinstance(y, Array):
                    if y._trace.level > trace.level:
                        trace = y._trace
                elif type(y) is ndarray and y.dtype is OBJECT:
                    return bind(primitive, (x, joined(y)), {})
            else:
                trace = y._trace
                if type(x) is ndarray and x.dtype is OBJECT:
                    return bind(primitive, (joined(x), y), {})
            return trace.binary(primitive, x, y)
        return bind(primitive, tuple([joined(x) if is_objects(x) else x for x in inputs]), kwargs)
    if method == "at":
        _write(f"numpy.{ufunc.__name__}.at(y, i, x)", inputs[0], inputs)
        return ufunc.at(*[as_numpy(x) for x in inputs])
    handler = getattr(ufunc_methods, method, None)
    if handler is None:
        return _unsupported(getattr(ufunc, method), f"numpy.{ufunc.__name__}.{method}", inputs, kwargs)
    return handler(ufunc, *inputs, **kwargs)


def _ufunc_into(self: Array, ufunc: np.ufunc, method: str, inputs: tuple, kwargs: dict) -> Any:
    """A ufunc that should write its result into existing memory: `np.add(x, y, out=buf)`, `buf += x`."""
    out = kwargs["out"]
    out = out if isinstance(out, tuple) else (out,)
    if all(o is None or o is Ellipsis for o in out):
        return array_ufunc(self, ufunc, method, *inputs, **{k: v for k, v in kwargs.items() if k != "out"})
    if len(out) == 1 and is_objects(out[0]) and tracer_in(inputs, {}) is not None:
        found = array_ufunc(self, ufunc, method, *inputs, **{k: v for k, v in kwargs.items() if k != "out"})
        out[0][...] = objects(found) if isinstance(found, Tracer) else as_numpy(found)
        return out[0]
    for o in out:
        _write("y += x, or out=y,", o, inputs)
    values = [as_numpy(x) for x in inputs]
    return getattr(ufunc, method)(*values, **kwargs)  # no tracer: a plain ndarray may take the numbers of an Array


def _write(action: str, target: Any, inputs: tuple) -> None:
    """Refuse to write into an Array, or to write a traced value anywhere."""
    tracer = tracer_in(inputs, {})
    if isinstance(target, Array):
        raise ImmutableArrayError(
            f"{action}: {target.describe()} is immutable. Write y = y + x, or make an updated copy with y.at[i].add(x)"
        )
    if tracer is not None:
        raise buffer_write(action, tracer)


def array_function(self: Array, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
    """`Array.__array_function__`: a NumPy function that is no ufunc was called with an Array among its arguments."""
    ours = functions_by_numpy().get(function)
    if ours is not None and (not isinstance(kwargs.get("out"), np.ndarray) or tracer_in(args, kwargs) is not None):
        return ours(*args, **kwargs)
    module = function.__module__ or "numpy"
    return _unsupported(function, f"{module}.{function.__name__}", args, kwargs)


def _unsupported(function: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    """What funcgrad.numpy lacks, or what writes: NumPy computes it for plain Arrays; tracers are an error."""
    tracer = tracer_in(args, kwargs)
    if tracer is not None:
        caller = library_call()
        within = "" if caller is None else f", which {caller} calls,"
        ours = None if caller is None else counterpart(caller)
        instead = "Compose it of functions that are there" if ours is None else f"Call {ours} instead of {caller}"
        raise UnsupportedError(
            f"{name}{within} has no counterpart in funcgrad.numpy, so it cannot be applied to {tracer.describe()}"
            f"{user_line()}. {instead}, or apply it to funcgrad.stop_gradient(x) if a constant is meant"
        )
    out = function(*[as_numpy(a) for a in args], **{k: as_numpy(v) for k, v in kwargs.items()})
    return wrap(out) if isinstance(out, np.ndarray) and out.dtype.kind in "biufc" else out


def tracer_in(args: tuple, kwargs: dict) -> Tracer | None:
    """The first tracer among arguments that cannot be plain numbers, those in nested sequences included."""
    return next((x for x in _flat((args, tuple(kwargs.values()))) if isinstance(x, Tracer) and not x.plain), None)


def _flat(x: Any) -> Any:
    """The elements of nested sequences."""
    if isinstance(x, (list, tuple)):
        for e in x:
            yield from _flat(e)
    else:
        yield x


def as_numpy(x: Any) -> Any:
    """x with every Array in it as the ndarray that it holds, read-only."""
    if isinstance(x, Array):
        return np.asarray(x, copy=False)
    if type(x) in (list, tuple):
        return type(x)([as_numpy(e) for e in x])
    return x


MOST = 1000
"""The most numbers of a traced array that become objects. An operation on them, recorded and differentiated, takes some
ten microseconds for each: docs/design/idioms.md."""


def tracer_array(self: Tracer, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """`Tracer.__array__`: NumPy asks for an array, in `np.array([x, y])` or `np.asarray(x)`.

    The user's own code gets one of objects (funcgrad.ops.elements). A library counts on numbers, and so does funcgrad.
    A sparse matrix of SciPy, in `A @ x`, leaves the product to what is no array (funcgrad.numpy.sparse_operands).

    Raises:
        LostTraceError: a library asks, or a dtype of numbers is wanted, or there are too many of them.
    """
    if dtype is not None and np.dtype(dtype) is not OBJECT:
        return self._leave(f"np.asarray(x, dtype={np.dtype(dtype).name})")
    if copy is False:
        raise ValueError("np.asarray: a traced array cannot be given as an ndarray without a copy")
    asking = asking_frame(tracer_array.__name__)
    if is_sparse_product(asking):
        return np.array(None, dtype=object)
    if not is_user(asking):
        return self._leave("np.asarray(x)")
    self._check_alive()
    if not is_inexact(self.dtype):  # no derivative would be lost
        try:
            return np.array(self._leave("np.asarray(x)"))
        except NoValueError:
            if self.ndim:  # mostly an index, of which NumPy would say that objects are none
                raise
    if self.size > MOST:
        raise too_many(self, MOST)
    return objects(self)

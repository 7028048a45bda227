"""Operators, methods and properties of `Array`, installed once when funcgrad is imported.

Core's Array knows no operation; here it gets those of ndarray that do not mutate. A method is the function of the same
name in funcgrad.numpy, which takes the array first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.trace import bind
from funcgrad.errors import ImmutableArrayError
from funcgrad.numpy import protocols
from funcgrad.numpy.at import At
from funcgrad.numpy.indexing import compress, index, rows
from funcgrad.numpy.shapes import astype, ravel, reshape, transpose
from funcgrad.numpy.sparse_operands import with_sparse
from funcgrad.ops import bits, contract, elementwise
from funcgrad.ops.elements import OBJECT, install_methods, is_objects, joined

_OPERANDS = (np.ndarray, np.generic, bool, int, float, complex, list, tuple)
_NUMBERS = frozenset({float, int, np.float64})


def _infix(primitive: Primitive) -> Callable:
    def operator(x: Array, y: Any) -> Any:
        if type(y) is float:  # asked first, for it costs 10 ns
            return x._trace.binary(primitive, x, y)
        if isinstance(y, Array):
            trace, other = x._trace, y._trace
            if trace is not other and trace.level < other.level:
                trace = other
            return trace.binary(primitive, x, y)
        if type(y) in _NUMBERS:
            return x._trace.binary(primitive, x, y)
        if type(y) is ndarray and y.dtype is not OBJECT:
            return x._trace.binary(primitive, x, y)
        if isinstance(y, _OPERANDS):
            return bind(primitive, (x, joined(y) if is_objects(y) else y), {})
        return with_sparse(primitive, x, y, False)

    return operator


def _reflected(primitive: Primitive) -> Callable:
    infix = _infix(primitive)

    def operator(x: Array, y: Any) -> Any:
        if type(y) in _NUMBERS:
            return x._trace.binary(primitive, y, x)
        if type(y) is ndarray and y.dtype is not OBJECT:
            return x._trace.binary(primitive, y, x)
        if isinstance(y, _OPERANDS):
            return bind(primitive, (joined(y) if is_objects(y) else y, x), {})
        if isinstance(y, Array):
            return infix(y, x)  # only where it is called by its name
        return with_sparse(primitive, x, y, True)

    return operator


def _prefix(primitive: Primitive) -> Callable:
    def operator(x: Array) -> Any:
        return x._trace.unary(primitive, x)

    return operator


_INFIX = {
    "add": elementwise.add,
    "sub": elementwise.subtract,
    "mul": elementwise.multiply,
    "truediv": elementwise.divide,
    "floordiv": elementwise.floor_divide,
    "mod": elementwise.remainder,
    "matmul": contract.matmul,
    "and": elementwise.bitwise_and,
    "or": elementwise.bitwise_or,
    "xor": elementwise.bitwise_xor,
    "lshift": elementwise.left_shift,
    "rshift": elementwise.right_shift,
}
_COMPARE = {
    "eq": elementwise.equal,
    "ne": elementwise.not_equal,
    "lt": elementwise.less,
    "le": elementwise.less_equal,
    "gt": elementwise.greater,
    "ge": elementwise.greater_equal,
}
_PREFIX = {
    "neg": elementwise.negative,
    "pos": elementwise.positive,
    "abs": elementwise.absolute,
    "invert": elementwise.invert,
}

# Functions of funcgrad.numpy that are methods as they are.
_METHODS = [
    "all",
    "any",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "choose",
    "clip",
    "conj",
    "conjugate",
    "copy",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "ravel",
    "repeat",
    "round",
    "searchsorted",
    "sort",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "trace",
    "var",
]
_MUTATING = ["fill", "itemset", "partition", "put", "resize", "setfield", "setflags"]


def _power(x: Array, y: Any) -> Any:
    """`x ** y`, with NumPy's short cuts for the commonest exponents."""
    if type(y) is int or type(y) is float:
        if y == 2 and (x.dtype.kind in "fc" or (x.dtype.kind == "b" and type(y) is int)):  # of booleans it is int8
            return x._trace.unary(elementwise.square, x)
        if y == 1 and x.dtype.kind in "fc":
            return x._trace.unary(elementwise.positive, x)
    return _general_power(x, y)


_general_power = _infix(elementwise.power)


def _divmod(x: Any, y: Any) -> Any:
    return bind(elementwise.divmod, (x, joined(y) if is_objects(y) else y), {})


def _rdivmod(x: Any, y: Any) -> Any:
    return bind(elementwise.divmod, (joined(y) if is_objects(y) else y, x), {})


def _reshape(x: Array, *shape: Any, order: str = "C") -> Array:
    return reshape(x, shape[0] if len(shape) == 1 else shape, order=order)


def _transpose(x: Array, *axes: Any) -> Array:
    if not axes or axes == (None,):
        return transpose(x)
    return transpose(x, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes)


def _astype(
    x: Array, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Array:
    dtype = np.dtype(dtype)  # None is float64
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r} according to the rule {casting!r}"
        )
    return astype(x, dtype)


def _compress(x: Array, condition: Any, axis: int | None = None) -> Array:
    return compress(condition, x, axis)


def _flatten(x: Array, order: str = "C") -> Array:
    return ravel(x, order=order)


def _matvec(a: Array, x: Any) -> np.ndarray:
    """The product with a vector, as `scipy.sparse.linalg` asks a matrix that is no ndarray for it."""
    return np.array(a @ x)


def _rmatvec(a: Array, x: Any) -> np.ndarray:
    """The product of the adjoint with a vector, as `scipy.sparse.linalg` asks for it."""
    return np.array(a.conj().mT @ x)


def _view(x: Array, dtype: Any = None) -> Array:
    """The same bits as another dtype; if it is narrower or wider the last axis grows or shrinks."""
    if dtype is None:
        return x
    if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        raise TypeError(f"x.view(dtype) of an Array takes a dtype, got the class {dtype.__name__}")
    new, old = np.dtype(dtype), x.dtype
    primitive = bits.bitcast_floats if new.kind in "fc" and old.kind in "fc" else bits.bitcast
    if new.itemsize == old.itemsize:
        return primitive(x, dtype=new)
    if not x.ndim:
        raise ValueError(f"x.view: a number of dtype {old} has not the size of one of dtype {new}")
    if new.itemsize < old.itemsize:
        parts = primitive(x, dtype=new)
        return parts.reshape((*x.shape[:-1], x.shape[-1] * (old.itemsize // new.itemsize)))
    step = new.itemsize // old.itemsize
    if x.shape[-1] % step:
        raise ValueError(f"x.view: {x.shape[-1]} elements of dtype {old} are no whole number of elements of {new}")
    return primitive(x.reshape((*x.shape[:-1], x.shape[-1] // step, step)), dtype=new)


def _byteswap(x: Array, inplace: bool = False) -> Array:
    """The bytes of each number in reverse order, those of the parts of a complex one each."""
    if inplace:
        return _refuse("byteswap")(x)
    size = x.dtype.itemsize
    if size == 1:
        return x
    if x.dtype.kind in "fc":
        x = bits.bitcast_floats(x, dtype=x.dtype)  # which has no derivative, and says so
    part = size // 2 if x.dtype.kind == "c" else size
    octets = bits.bitcast(x, dtype=np.dtype(np.uint8)).reshape((*x.shape, size // part, part))
    return bits.bitcast(octets[..., ::-1].reshape((*x.shape, size)), dtype=x.dtype)


def _contains(x: Array, value: Any) -> bool:
    return bool((x == value).any())


def _flags(x: Array) -> Any:
    value = np.asarray(x._concrete("x.flags")).view()
    value.flags.writeable = False
    return value.flags


def _refuse(name: str) -> Callable:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        raise ImmutableArrayError(
            f"funcgrad arrays are immutable, so x.{name}() cannot change {self.describe()}. "
            f"Use the function of funcgrad.numpy that gives a new array, or x.at[i].set(v)"
        )

    method.__name__ = name
    return method


def install(namespace: Any) -> None:
    """Give Array its operators, methods and NumPy protocols, and tracers those of their own.

    Arguments:
        namespace: the module funcgrad.numpy, whose functions become methods.
    """
    for name, primitive in _INFIX.items():
        setattr(Array, f"__{name}__", _infix(primitive))
        setattr(Array, f"__r{name}__", _reflected(primitive))
    for name, primitive in _COMPARE.items():
        setattr(Array, f"__{name}__", _infix(primitive))
    for name, primitive in _PREFIX.items():
        setattr(Array, f"__{name}__", _prefix(primitive))
    for name in _METHODS:
        setattr(Array, name, getattr(namespace, name))
    for name in _MUTATING:
        setattr(Array, name, _refuse(name))
    others = {
        "__pow__": _power,
        "__rpow__": _reflected(elementwise.power),
        "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
        "__round__": lambda x, ndigits=0: namespace.round(x, ndigits or 0),
        "__getitem__": index,
        "__iter__": rows,
        "astype": _astype,
        "compress": _compress,
        "view": _view,
        "byteswap": _byteswap,
        "reshape": _reshape,
        "transpose": _transpose,
        "flatten": _flatten,
        "T": property(namespace.transpose),
        "mT": property(namespace.matrix_transpose),
        "real": property(namespace.real),
        "imag": property(namespace.imag),
        "__contains__": _contains,
        "matvec": _matvec,
        "rmatvec": _rmatvec,
        "flat": property(namespace.ravel),
        "flags": property(_flags),
        "strides": property(lambda x: np.asarray(x._concrete("x.strides")).strides),
        "at": property(At),
    }
    for name, value in others.items():
        setattr(Array, name, value)
    install_methods()
    protocols.install(namespace)

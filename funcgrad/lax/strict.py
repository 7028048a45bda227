"""Operands of the functions on arrays, which promote nothing: dtypes agree, and so do shapes, but for scalars.

These are the rules of `jax.lax`, by which a program says every conversion that it wants; funcgrad.numpy has NumPy's
promotion. Python numbers take on the dtype of the arrays of their kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array, is_number
from funcgrad.core.weak import Weak
from funcgrad.errors import ArgumentError
from funcgrad.numpy.convert import asarray
from funcgrad.numpy.ufuncs import docstrings
from funcgrad.ops.elements import is_objects, joined

_KINDS = {"b": "bool", "iu": "integer", "f": "floating", "c": "complexfloating"}
_NUMBERS = (bool, int, float, complex)


def operand(x: Any, name: str) -> Any:
    """An operand as it is.

    Raises:
        ArgumentError: it is no array of numbers and no number.
    """
    if is_objects(x):
        return joined(x)
    known = isinstance(x, Array) or (isinstance(x, (np.ndarray, np.generic)) and is_number(x.dtype))
    if not (known or type(x) in _NUMBERS):
        raise ArgumentError(
            f"{name} takes arrays and numbers, got {x!r} of type {type(x).__name__}. Lists become arrays by "
            f"funcgrad.numpy.array"
        )
    return x


def as_array(x: Any, name: str) -> Array:
    """An operand as an Array, which owns its value."""
    return asarray(operand(x, name))


def dtype_of(x: Any) -> np.dtype:
    """The dtype of an operand; that which NumPy gives a Python number."""
    return x.dtype if hasattr(x, "dtype") else np.dtype(type(x))


def accept(x: Any, name: str, kinds: str) -> Any:
    """An operand whose dtype is of one of these kinds.

    Raises:
        ArgumentError: it is of another kind.
    """
    x = operand(x, name)
    if dtype_of(x).kind not in kinds:
        accepted = ", ".join([words for codes, words in _KINDS.items() if codes[0] in kinds])
        raise ArgumentError(
            f"{name} does not accept dtype {dtype_of(x)}. Accepted dtypes are subtypes of {accepted}. Convert it with "
            f".astype, or use the function of funcgrad.numpy, which promotes"
        )
    return x


def alike(name: str, *xs: Any) -> list[Any]:
    """Operands of one dtype, which Python numbers of the kind of the others take on.

    Raises:
        ArgumentError: the dtypes differ.
    """
    given = [operand(x, name) for x in xs]
    weak = [type(x) in (int, float, complex) or type(x) is Weak for x in given]
    dtypes = {dtype_of(x) for x, w in zip(given, weak, strict=True) if not w}
    kinds = {dtype_of(x).kind.replace("u", "i") for x in given}
    if len(dtypes) > 1 or len(kinds) > 1:
        listed = ", ".join([str(dtype_of(x)) for x in given])
        raise ArgumentError(
            f"lax.{name} requires arguments to have the same dtypes, got {listed}. Convert them with .astype, or use "
            f"the function of funcgrad.numpy, which promotes"
        )
    return given


def arrays(name: str, *xs: Any) -> list[Array]:
    """Operands of one dtype as Arrays of that dtype.

    Raises:
        ArgumentError: the dtypes differ.
    """
    given = alike(name, *xs)
    dtype = np.result_type(
        *[type(x)(0) if type(x) in _NUMBERS else x._value if type(x) is Weak else x.dtype for x in given]
    )
    return [asarray(x, dtype) for x in given]


def broadcastable(name: str, *xs: Any) -> None:
    """See to it that operands have one shape, up to scalars and axes of length one.

    Raises:
        ArgumentError: they have not.
    """
    shapes = [np.shape(x) for x in xs if np.shape(x) != ()]
    if len({len(s) for s in shapes}) > 1:
        raise ArgumentError(
            f"{name}: arrays must have the same number of dimensions, got shapes {', '.join(map(str, shapes))}. Add "
            f"axes with lax.expand_dims, or use the function of funcgrad.numpy, which broadcasts"
        )
    if any(len({*lengths, 1}) > 2 for lengths in zip(*shapes, strict=True)):
        raise ArgumentError(f"{name} got incompatible shapes for broadcasting: {', '.join(map(str, shapes))}.")


def unary(f: Callable, kinds: str, name: str = "", *words: str) -> Callable:
    """The function of one operand that f is, for dtypes of these kinds.

    Arguments:
        name: by default that of f.
        words: of the docstring: the summary; arguments, value and dtype (by default float64) of the example. Without
            them it says what that of f in funcgrad.numpy says.
    """
    name = name or f.__name__

    def function(x: Any) -> Array:
        return f(accept(x, name, kinds))

    return _documented(function, name, "x: an array.", f, words)


def binary(f: Callable, kinds: str, name: str = "", *words: str) -> Callable:
    """The function of two operands of one dtype that f is; the arguments are those of `unary`."""
    name = name or f.__name__

    def function(x: Any, y: Any) -> Array:
        x, y = alike(name, accept(x, name, kinds), accept(y, name, kinds))
        broadcastable(name, x, y)
        return f(x, y)

    return _documented(function, name, "x, y: arrays of one dtype and shape, or scalars.", f, words)


def _documented(function: Callable, name: str, takes: str, f: Callable, words: tuple[str, ...]) -> Callable:
    """The function with its name and a docstring in the common form."""
    if words:
        summary, example, value, dtype = (*words, "float64")[:4]
        note = ""
    else:
        summary, note, example, value, dtype = docstrings[f.__name__]
        example = re.sub(r"\[.*?\]", r"fnp.array(\g<0>)", example)  # lists are no arrays here
    function.__name__ = function.__qualname__ = name
    note = f"\n    {note}\n" if note else ""
    function.__doc__ = f"""{summary}
{note}
    Arguments:
        {takes}

    Raises:
        ArgumentError: an operand is of another dtype or shape.

    Example:
        >>> fg.lax.{name}({example})
        Array({value}, dtype={dtype})
    """
    return function

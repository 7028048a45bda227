"""How a primitive becomes a function of this namespace."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.errors import ArgumentError, type_text
from funcgrad.numpy.convert import asarray, inexact, wrap


def floats(name: str, xs: tuple, *, complex_too: bool = False) -> list[Array]:
    """The operands of the function of this name as Arrays of floats; Python numbers take the dtype of the others.

    Raises:
        ArgumentError: one is complex, and the function takes real numbers.
    """
    arrays = [x if type(x) in PYTHON_NUMBERS else asarray(x) for x in xs]
    kinds = [x.dtype if x.dtype.kind in "fc" else np.dtype(float) for x in arrays if isinstance(x, Array)]
    number = np.finfo(np.result_type(*kinds)).dtype if kinds else np.dtype(float)  # a real one
    found = [x if isinstance(x, Array) else asarray(x, np.result_type(number, x)) for x in arrays]
    for x in found:
        if x.dtype.kind == "c" and not complex_too:
            raise ArgumentError(f"{name} takes real numbers, got {type_text(x)}")
    return [inexact(x) for x in found]


def as_complex(name: str, *xs: Any) -> list[Array]:
    """The operands of the function of this name as Arrays of complex numbers."""
    found = floats(name, xs, complex_too=True)
    return [x if x.dtype.kind == "c" else x.astype(np.result_type(x.dtype, np.complex64)) for x in found]


def public(
    primitive: Callable[..., Any],
    name: str,
    operands: str,
    summary: str,
    args: str,
    value: str,
    *,
    on_complex: Callable[..., Any] | None = None,
    takes: str = "arrays",
    dtype: str = "float64",
) -> Callable[..., Any]:
    """The public function of a primitive.

    Arguments:
        primitive: what it applies, to operands that are real, or to all if on_complex is the same.
        name: of the function, which is SciPy's.
        operands: the names of its arguments, separated by blanks.
        summary, takes: for its docstring: what it is, and what the arguments are.
        args, value, dtype: the example in the docstring: arguments, and the Array that results.
        on_complex: the primitive for operands of which one is complex, if they may be.
    """
    words = operands.split()
    signature = inspect.Signature(
        [inspect.Parameter(w, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="ArrayLike") for w in words],
        return_annotation='Float[Array, "..."]' if on_complex is None else 'Inexact[Array, "..."]',
    )

    def function(*given: Any, **named: Any) -> Any:
        if len(given) == len(words) == 1 and isinstance(given[0], Array) and given[0].dtype.kind == "f":
            return primitive(given[0])
        if named or len(given) != len(words):
            try:
                given = signature.bind(*given, **named).args
            except TypeError as error:
                raise TypeError(f"{name}({', '.join(words)}): {error}") from None
        xs = floats(name, given, complex_too=on_complex is not None)
        if on_complex is not None and any(x.dtype.kind == "c" for x in xs):
            return wrap(on_complex(*xs))
        return wrap(primitive(*xs))

    function.__signature__ = signature  # type: ignore[attr-defined]  # inspect.signature looks for it
    function.__annotations__ = dict.fromkeys(words, "ArrayLike") | {"return": signature.return_annotation}
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Arguments:
        {", ".join(words)}: {takes if len(words) > 1 or takes != "arrays" else "an array"}.

    Returns:
        An array of the {"shape of " + words[0] if len(words) == 1 else "broadcast shape"}.

    Example:
        >>> from funcgrad.scipy.special import {name}
        >>> {name}({args})
        Array({value}, dtype={dtype})
    """
    return function

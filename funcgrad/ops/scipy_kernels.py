"""SciPy's special functions as implementations of primitives. SciPy is imported when the first of them computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from funcgrad.core.primitive import NotDifferentiable, Primitive, elementwise
from funcgrad.errors import UnsupportedError

IN_ORDER = NotDifferentiable("the derivative by the order has no formula here")


@functools.cache
def scipy_special(name: str) -> ModuleType:
    """SciPy's module of special functions, for the function of this name.

    Raises:
        UnsupportedError: SciPy is not installed.
    """
    try:
        return import_module("scipy.special")
    except ImportError as error:
        raise UnsupportedError(
            f"funcgrad.scipy.special.{name} takes its values from SciPy, which is not installed: "
            f"pip install 'funcgrad[scipy]'"
        ) from error


def kernel(name: str, part: int | None = None) -> Callable[..., Any]:
    """The ufunc of this name in scipy.special, or one of its results, as the implementation of a primitive.

    What it gives has the common dtype of its operands; SciPy has loops for some dtypes only.
    """

    def compute(*xs: Any) -> Any:
        with np.errstate(all="ignore"):
            found = getattr(scipy_special(name), name)(*xs)
        if part is not None:
            found = found[part]
        kind = np.result_type(*xs)
        return found if found.dtype == kind else found.astype(kind)

    compute.__name__ = compute.__qualname__ = name
    return compute


def scipy_function(
    name: str, *rules: Any, part: int | None = None, label: str | None = None, **options: Any
) -> Primitive:
    """Declare a ufunc of SciPy by its derivative in each operand.

    Arguments:
        name: of the ufunc.
        rules: as for `elementwise`.
        part: which of its results, if it has several.
        label: what the primitive is called, after `scipy_`; by default the name of the ufunc. (The bare name is left to
            primitives that users declare.)
        options: as for `elementwise`.

    Returns:
        The primitive.
    """
    return elementwise(kernel(name, part), *rules, name=f"scipy_{label or name}", **options)

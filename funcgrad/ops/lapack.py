"""Routines of LAPACK that NumPy does not have: they are SciPy's, which is imported when the first of them is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from funcgrad.core.types import ShapeDtypeStruct

__all__ = ["each_matrix", "linalg", "routine"]


def linalg(what: str) -> Any:
    """The module scipy.linalg.

    Arguments:
        what: the function that asks for it, for the error.

    Raises:
        ImportError: SciPy is not installed.
    """
    try:
        return import_module("scipy.linalg")
    except ImportError:
        raise ImportError(
            f"{what} takes its values from SciPy, which is not installed: pip install 'funcgrad[scipy]'"
        ) from None


def routine(name: str, dtype: np.dtype) -> Callable:
    """A routine of LAPACK for a dtype, without the letter that stands for it: `gtsv`."""
    return linalg(name).get_lapack_funcs(name, dtype=dtype)


def each_matrix(f: Callable, outs: Sequence[ShapeDtypeStruct], ranks: Sequence[int], *xs: np.ndarray) -> tuple:
    """What a function of single matrices gives for stacks of them.

    Arguments:
        f: the function; it gives a tuple.
        outs: shapes and dtypes of the results for the whole stack.
        ranks: on how many of its last axes each operand is worked on; the axes before them are broadcast.
        xs: the operands.
    """
    loops = [x.shape[: x.ndim - r] for x, r in zip(xs, ranks, strict=True)]
    batch = np.broadcast_shapes(*loops)
    stacks = [np.broadcast_to(x, batch + x.shape[x.ndim - r :]) for x, r in zip(xs, ranks, strict=True)]
    results = tuple([np.empty(o.shape, o.dtype) for o in outs])
    for place in np.ndindex(*batch):
        for result, found in zip(results, f(*[x[place] for x in stacks]), strict=True):
            result[place] = found
    return results

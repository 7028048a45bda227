"""`stop_gradient`: a value that counts as a constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, is_number, wrap
from funcgrad.core.types import PyTree
from funcgrad.ops.elements import plain
from funcgrad.ops.structural import stop


def stop_gradient(x: PyTree) -> PyTree:
    """The same values, cut off from what they were computed from: derivatives do not flow through.

    Arguments:
        x: a pytree of arrays; leaves that are no arrays pass.

    Returns:
        The same pytree, ndarrays as Arrays. Where x is being differentiated the leaves are constants, which may become
        plain numbers: `float(stop_gradient(x))`.

    Example:
        >>> fg.grad(lambda x: x * fg.stop_gradient(x))(3.0)
        Array(3., dtype=float64)

    Source: `jax.lax.stop_gradient`.
    """
    return tree.map(_stop, x)


def _stop(x: Any) -> Any:
    x = plain(x)
    if isinstance(x, np.ndarray) and is_number(x.dtype):
        return Array(x)
    return wrap(stop(x)) if isinstance(x, Array) else x

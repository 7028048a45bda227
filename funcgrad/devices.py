"""JAX's words for devices. There is one here, the processor, and what is on it is ready."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError


def block_until_ready(x: PyTree) -> PyTree:
    """x, whose arrays are ready: funcgrad computes when it is asked to.

    Arguments:
        x: any pytree.

    Returns:
        x itself.

    Example:
        >>> fg.block_until_ready({"a": 1.0})
        {'a': 1.0}

    Source: `jax.block_until_ready`.
    """
    return x


def device_put(x: PyTree, device: Any = None) -> PyTree:
    """x with its leaves as Arrays, which no longer change with the ndarrays they were made of.

    Arguments:
        x: a pytree of arrays and numbers.
        device: None or "cpu", the one that there is.

    Returns:
        A pytree like x.

    Raises:
        ArgumentError: a leaf is no array, or the device is another.

    Example:
        >>> fg.device_put((1.0, [2, 3]))
        (Array(1., dtype=float64), [Array(2, dtype=int64), Array(3, dtype=int64)])

    Source: `jax.device_put`.
    """
    if device is not None and device != "cpu" and getattr(device, "platform", None) != "cpu":
        raise ArgumentError(f"device_put: funcgrad's arrays live on the device 'cpu', got {device!r}. Leave it out")
    return tree.map(lambda leaf: leaf if isinstance(leaf, Array) else Array(leaf), x)


def device_get(x: PyTree) -> PyTree:
    """x with its leaves as ndarrays of their own, which may be written to.

    Arguments:
        x: a pytree of arrays and numbers.

    Returns:
        A pytree like x.

    Raises:
        LostTraceError: a leaf is being differentiated, or has no values yet.

    Example:
        >>> fg.device_get({"a": fnp.ones(2)})
        {'a': array([1., 1.])}

    Source: `jax.device_get`.
    """
    return tree.map(np.array, x)

"""`ravel_pytree`: a pytree as one vector, for optimisers that want one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.types import PyTree, Shaped
from funcgrad.errors import ShapeError
from funcgrad.ops.index import getitem
from funcgrad.ops.structural import astype, concatenate, reshape


def ravel_pytree(pytree: PyTree) -> tuple[Shaped[Array, " n"], Callable[[Any], PyTree]]:
    """All leaves of a pytree in one vector, and the way back.

    Arguments:
        pytree: nested containers of arrays.

    Returns:
        `(vector, unravel)`: the leaves raveled and joined, in their common dtype, and a function that makes a pytree of
        the same structure, shapes and dtypes out of such a vector. Both differentiate.

    Raises:
        ShapeError: from `unravel`, for a vector of another length.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> vector, unravel = fg.ravel_pytree({"w": fnp.ones((2, 2)), "b": fnp.zeros(1)})
        >>> vector
        Array([0., 1., 1., 1., 1.], dtype=float64)
        >>> unravel(vector)["w"].shape
        (2, 2)

    Source: `jax.flatten_util.ravel_pytree`.
    """
    leaves, treedef = tree.flatten(pytree)
    arrays = [x if isinstance(x, Array) else Array(x) for x in leaves]
    kinds = [(x.shape, x.dtype) for x in arrays]
    joint = np.result_type(*[d for _, d in kinds]) if kinds else np.dtype(float)
    parts = [astype(reshape(x, shape=(x.size,)), dtype=joint) for x in arrays]
    vector = concatenate(*parts, axis=0) if parts else wrap(np.zeros(0))
    ends = list(itertools.accumulate(math.prod(s) for s, _ in kinds))
    size = ends[-1] if ends else 0

    def unravel(vector: Any) -> PyTree:
        v = vector if isinstance(vector, Array) else Array(vector)
        if v.shape != (size,):
            raise ShapeError(f"unravel takes a vector of shape ({size},), got {v.shape}")
        starts = [0, *ends[:-1]]
        pieces = [
            astype(reshape(getitem(v, index=slice(a, b)), shape=s), dtype=d)
            for a, b, (s, d) in zip(starts, ends, kinds, strict=True)
        ]
        return treedef.unflatten(pieces)

    return vector, unravel

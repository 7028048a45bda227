"""`ravel_pytree`: a pytree as one vector, for optimisers that want one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.types import PyTree, Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.ops.elements import plain
from funcgrad.ops.index import getitem
from funcgrad.ops.structural import astype, concatenate, reshape


def ravel_pytree(pytree: PyTree) -> tuple[Shaped[Array, " n"], Unravel]:
    """All leaves of a pytree in one vector, and the way back.

    Arguments:
        pytree: nested containers of arrays.

    Returns:
        `(vector, unravel)`: the leaves raveled and joined, in their common dtype, and a function that makes a pytree of
        the same structure and shapes out of such a vector. If the leaves have different dtypes, so have those of the
        result; if not, they have that of the vector. Both differentiate. Without leaves the vector is empty, of dtype
        float32.

    Raises:
        ShapeError: from `unravel`, for a vector of another length.
        ArgumentError: from `unravel`, for a vector of another dtype, if the leaves have different ones.

    Example:
        >>> vector, unravel = fg.ravel_pytree({"w": fnp.ones((2, 2)), "b": fnp.zeros(1)})
        >>> vector
        Array([0., 1., 1., 1., 1.], dtype=float64)
        >>> unravel(vector)["w"].shape
        (2, 2)

    Source: `jax.flatten_util.ravel_pytree`.
    """
    leaves, treedef = tree.flatten(pytree)
    arrays = [x if isinstance(x, Array) else Array(x) for x in map(plain, leaves)]
    dtypes = [x.dtype for x in arrays]
    joint = np.result_type(*dtypes) if dtypes else np.dtype(np.float32)
    parts = [astype(reshape(x, shape=(x.size,)), dtype=joint) for x in arrays]
    vector = concatenate(*parts, axis=0) if parts else wrap(np.zeros(0, joint))
    several = any(d != joint for d in dtypes)
    return vector, Unravel(treedef, tuple([x.shape for x in arrays]), tuple(dtypes) if several else None)


class Unravel:
    """The way back from the vector of `ravel_pytree`. Those of pytrees of one kind are equal, and hash alike.

    Arguments:
        treedef: the structure of the pytree.
        shapes: of its leaves.
        dtypes: of its leaves, or None if they are those of the vector.
    """

    __slots__ = ("dtypes", "shapes", "treedef")

    def __init__(self, treedef: Any, shapes: tuple[tuple[int, ...], ...], dtypes: tuple[np.dtype, ...] | None) -> None:
        self.treedef, self.shapes, self.dtypes = treedef, shapes, dtypes

    def __call__(self, vector: Any) -> PyTree:
        vector = plain(vector)
        v = vector if isinstance(vector, Array) else Array(vector)
        ends = list(itertools.accumulate([math.prod(s) for s in self.shapes], initial=0))
        if v.shape != (ends[-1],):
            raise ShapeError(f"unravel takes a vector of shape ({ends[-1]},), got {v.shape}")
        if self.dtypes is not None and v.dtype != (joint := np.result_type(*self.dtypes)):
            raise ArgumentError(
                f"unravel was given a vector of dtype {v.dtype}, but expected dtype {joint}, which is that of all "
                f"leaves together. Convert it with .astype({str(joint)!r})"
            )
        dtypes = self.dtypes or (v.dtype,) * len(self.shapes)
        pieces = [
            astype(reshape(getitem(v, index=slice(a, b)), shape=s), dtype=d)
            for (a, b), s, d in zip(itertools.pairwise(ends), self.shapes, dtypes, strict=True)
        ]
        return self.treedef.unflatten(pieces)

    def _fields(self) -> tuple:
        return self.treedef, self.shapes, self.dtypes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unravel) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"Unravel({self.treedef}, {self.shapes})"

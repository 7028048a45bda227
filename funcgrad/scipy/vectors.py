"""Several arrays as one vector, for algorithms that know vectors only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from funcgrad.core.array import raw


class Vectors:
    """Lists of arrays of given shapes and dtypes as vectors, and back. One array of one axis is its own vector.

    Arguments:
        arrays: one such list.

    Attributes:
        lengths: how much of a vector each array takes.
    """

    __slots__ = ("dtype", "kinds", "lengths", "places")

    def __init__(self, arrays: Sequence[Any]) -> None:
        self.kinds = [(x.shape, x.dtype) for x in arrays]
        self.dtype = np.result_type(*[x.dtype for x in arrays]) if self.kinds else np.dtype(float)
        self.lengths = [math.prod(shape) for shape, _ in self.kinds]
        self.places = list(pairwise(accumulate(self.lengths, initial=0)))

    def join(self, arrays: Sequence[Any]) -> Any:
        parts = [x.reshape(-1) for x in map(raw, arrays)]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([x.astype(self.dtype) for x in parts]) if parts else np.zeros(0, self.dtype)

    def parts(self, vector: Any) -> list[Any]:
        if len(self.kinds) == 1:
            return [vector.reshape(self.kinds[0][0])]
        return [
            _cast(vector[a:b], dtype).reshape(shape)
            for (a, b), (shape, dtype) in zip(self.places, self.kinds, strict=True)
        ]

    def shaped(self, vector: Any) -> list[Any]:
        """As `parts`, of a vector whose dtype may be any."""
        return [vector[a:b].reshape(shape) for (a, b), (shape, _) in zip(self.places, self.kinds, strict=True)]

    def rows(self, matrix: Any) -> list[Any]:
        """The arrays of each row of a matrix, along an axis in front."""
        n = len(matrix)
        return [
            _cast(matrix[:, a:b], dtype).reshape((n, *shape))
            for (a, b), (shape, dtype) in zip(self.places, self.kinds, strict=True)
        ]

    def on_vectors(self, f: Callable[[Sequence[Any]], list[Any]]) -> Callable[[Any], Any]:
        """A function of lists of arrays as one of vectors."""
        return lambda v: self.join(f(self.parts(v)))


def _cast(x: Any, dtype: np.dtype) -> Any:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    return x if x.dtype == dtype else x.astype(dtype)

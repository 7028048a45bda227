"""`torch.quasirandom`: points that fill the unit cube more evenly than random ones.

The numbers that Sobol sequences start from are those of Joe and Kuo (2008), https://web.maths.unsw.edu.au/~fkuo/sobol/,
for up to 21,201 dimensions. SciPy has them in a file, which is read from there.
"""

from __future__ import annotations

import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.ops.constructors import from_numpy
from funcgrad.torch.ops.creation import into
from funcgrad.torch.ops.random import randint
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import randomness as texts

__all__ = ["SobolEngine"]

_BITS = 30


class SobolEngine:
    """A Sobol sequence in the unit cube; its points are drawn one batch after the other.

    Arguments:
        dimension: of the cube.
        scramble: whether the sequence is permuted at random, in a way that keeps it even.
        seed: of the scrambling; by default the generator's own.

    Example:
        >>> from funcgrad import torch
        >>> torch.quasirandom.SobolEngine(2).draw(4)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500],
                [0.2500, 0.7500]])

    Source: Sobol (1967), in the order of Antonov and Saleev (1979); scrambled as by Matousek (1998).
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(texts.SOBOL_DIMENSION.format(most=self.MAXDIM))
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.num_generated = 0
        self._directions = _directions(dimension)
        self._shift = np.zeros(dimension, np.int64)
        if scramble:
            self._scramble()
        self._point = self._shift.copy()

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Tensor:
        """The next n points: each differs from the last in the direction of the lowest zero bit of its number.

        Arguments:
            n: how many.
            out: where to write them.
            dtype: by default the default dtype.

        Returns:
            Tensor of shape (n, dimension).
        """
        dtype = dtype or dtypes.get_default_dtype()
        numbers = self.num_generated + np.arange(n)
        changed = np.log2(~numbers & (numbers + 1)).astype(int)  # the lowest bit of each number that is zero
        steps = np.concatenate([self._point[None], self._directions[:, changed].T])
        found = np.bitwise_xor.accumulate(steps)
        self._point = found[-1]
        self.num_generated += n
        points = (found[:-1] * 2.0**-_BITS).astype(dtype.numpy)
        if n and self.num_generated == n:  # PyTorch has rounded the first point to the default dtype
            points[0] = points[0].astype(dtypes.get_default_dtype().numpy)
        return from_numpy(points) if out is None else into("draw", out, points, None)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Tensor:
        """The next 2**m points, if as many points as there are then are balanced.

        Raises:
            ValueError: their number would be no power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(texts.SOBOL_BALANCE.format(before=self.num_generated, m=m, total=total))
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin with the first point again."""
        self._point = self._shift.copy()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out n points."""
        self.num_generated += n
        code = self.num_generated ^ (self.num_generated >> 1)  # the Gray code says which directions a point is made of
        parts = self._directions[:, [bit for bit in range(_BITS) if code >> bit & 1]]
        self._point = self._shift ^ np.bitwise_xor.reduce(parts, axis=1)
        return self

    def _scramble(self) -> None:
        """Multiply the directions by random triangular matrices of bits, and move all points by a random one."""
        g = Generator()
        if self.seed is not None:
            g.manual_seed(self.seed)
        else:
            g.seed()
        places = 1 << np.arange(_BITS)
        self._shift = randint(0, 2, (self.dimension, _BITS), generator=g).numpy() @ places
        matrices = np.tril(randint(0, 2, (self.dimension, _BITS, _BITS), generator=g).numpy())
        matrices[:, range(_BITS), range(_BITS)] = 1
        bits = self._directions[:, :, None] >> np.arange(_BITS - 1, -1, -1) & 1  # the highest first
        self._directions = (bits @ matrices.swapaxes(1, 2) & 1) @ places[::-1]

    def __repr__(self) -> str:
        shown = [f"dimension={self.dimension}"]
        shown += ["scramble=True"] * self.scramble
        shown += [f"seed={self.seed}"] * (self.seed is not None)
        return f"{type(self).__name__}({', '.join(shown)})"


SobolEngine.__module__ = "torch.quasirandom"


def _directions(dimension: int) -> ndarray:
    """The numbers that points are made of, (dimension, 30): those of Joe and Kuo, and the further ones they lead to.

    A polynomial of degree s over the integers modulo 2 says how each number follows from the s before it.
    """
    first, polynomials = _tables()
    found = np.zeros((dimension, _BITS), np.int64)
    found[0] = 1
    for d in range(1, dimension):
        polynomial = int(polynomials[d])
        s = polynomial.bit_length() - 1
        m = [int(k) for k in first[d, :s]]
        for j in range(s, _BITS):
            k = m[j - s]
            for i in range(s):
                if polynomial >> (s - 1 - i) & 1:
                    k ^= m[j - i - 1] << (i + 1)
            m.append(k)
        found[d] = m[:_BITS]
    return found << np.arange(_BITS - 1, -1, -1)


@functools.cache
def _tables() -> tuple[ndarray, ndarray]:
    package = find_spec("scipy")
    if package is None or not package.submodule_search_locations:
        raise ImportError(texts.SOBOL_NEEDS_SCIPY)
    with np.load(Path(package.submodule_search_locations[0]) / "stats" / "_sobol_direction_numbers.npz") as tables:
        return tables["vinit"], tables["poly"]


publish(__name__)

"""Example arguments of primitives, from which their tests are made.

A primitive's record holds a function that takes a `Draw` and gives `Sample`s. The tests call it once for each dtype,
so a sample asks the draw for arrays instead of naming a dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from funcgrad.errors import type_text


class Sample:
    """Arguments for one call of a primitive: `primitive(*args, **params)`.

    Arguments:
        args: arrays, or Python numbers where the primitive takes them.
        params: the keyword parameters.
    """

    __slots__ = ("args", "params")

    def __init__(self, *args: Any, **params: Any) -> None:
        self.args, self.params = args, params

    def __repr__(self) -> str:
        words = [type_text(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.params.items()]
        return f"Sample({', '.join(words)})"


class Draw:
    """Random arrays of one dtype for samples; the same from run to run.

    Arguments:
        dtype: of the arrays.
        seed: of the generator.
    """

    def __init__(self, dtype: Any, seed: int = 0) -> None:
        self.dtype = np.dtype(dtype)
        self.rng = np.random.default_rng(seed)

    def __call__(self, *shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
        """An array of this shape with entries in [low, high); a complex one has both parts there."""
        values = self.rng.uniform(low, high, shape)
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.uniform(low, high, shape)
        return np.asarray(values).astype(self.dtype)

    def apart(self, *shape: int) -> np.ndarray:
        """An array whose entries are at least 0.1 apart: no ties for max and sort, even after a small step."""
        size = int(np.prod(shape))
        values = 0.25 * (self.rng.permutation(size) - size / 2) + self.rng.uniform(0, 0.1, size) + 0.05
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.uniform(-1, 1, size)
        return values.reshape(shape).astype(self.dtype)

    def strided(self, *shape: int) -> np.ndarray:
        """An array that is not contiguous: every axis runs backwards."""
        return self(*shape)[tuple(slice(None, None, -1) for _ in shape)]

    def spd(self, *shape: int) -> np.ndarray:
        """Hermitian positive definite matrices, with eigenvalues well apart."""
        a = self(*shape)
        n = shape[-1]
        shift = np.diag(np.arange(1, n + 1)).astype(self.dtype)
        return a @ np.conj(np.swapaxes(a, -1, -2)) + shift

    def regular(self, *shape: int) -> np.ndarray:
        """Matrices that are far from singular."""
        return self(*shape) + 3 * np.eye(shape[-2], shape[-1], dtype=self.dtype)

    def elementwise(self, nin: int, low: float, high: float) -> Iterator[Sample]:
        """Samples for an elementwise operation of one or two operands: 0-d, empty, strided, broadcast, mixed."""

        def draw(*shape: int) -> np.ndarray:
            return self(*shape, low=low, high=high)

        if nin == 1:
            for shape in ((), (3,), (2, 3), (0, 2)):
                yield Sample(draw(*shape))
            yield Sample(draw(4, 3)[::-2].T)
            return
        shapes = [
            ((), ()),
            ((3,), (3,)),
            ((2, 1, 3), (4, 1)),
            ((), (2, 2)),
            ((2, 3), (3,)),
            ((0, 2), (2,)),
            ((3, 1), (1, 1)),
        ]
        for a, b in shapes:
            yield Sample(draw(*a), draw(*b))
        yield Sample(draw(3, 2)[::-1], draw(2, 3).T)
        number = float(draw().real)
        yield Sample(draw(3), number)
        yield Sample(number, draw(2))


def samples_in(*ranges: tuple[float, float], **params: Any) -> Callable[[Draw], list[Sample]]:
    """Samples of an elementwise operation whose operands lie in these ranges, in several shapes that broadcast."""

    def samples(draw: Draw) -> list[Sample]:
        shapes: list[tuple] = [(3,), (2, 1), (), (1, 3)]
        return [
            Sample(*[draw(*shapes[(i + k) % 4], low=low, high=high) for i, (low, high) in enumerate(ranges)], **params)
            for k in range(3)
        ] + [Sample(*[draw(0, low=low, high=high) for low, high in ranges], **params)]

    return samples

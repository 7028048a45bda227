"""Equations that take the place of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.tape import Equation, Symbol, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import index, reduce, structural


class Replacement:
    """Equations under construction that take the place of one.

    Arguments:
        e: that one.

    Attributes:
        made: the equations, in order.
    """

    def __init__(self, e: Equation) -> None:
        self.number = e.number
        self.made: list[Equation] = []

    def apply(self, primitive: Any, shape: tuple[int, ...], dtype: Any, /, *inputs: Any, **params: Any) -> Equation:
        made = equation(self.number, Symbol(primitive, len(inputs)), inputs, params, (), shape, dtype)
        self.made.append(made)
        return made

    def reshaped(self, x: Any, shape: Sequence[int]) -> Equation:
        """An array in another shape."""
        shape = tuple(shape)
        return self.apply(structural.reshape, shape, dtype_of(x), x, shape=shape, order="C")

    def transposed(self, x: Any, axes: Sequence[int]) -> Equation:
        """An array with its axes in another order."""
        shape = tuple([shape_of(x)[k] for k in axes])
        return self.apply(structural.transpose, shape, dtype_of(x), x, axes=tuple(axes))

    def part(self, x: Any, where: Any, shape: Sequence[int]) -> Equation:
        """The part of an array that an index names."""
        return self.apply(index.getitem, tuple(shape), dtype_of(x), x, index=where)

    def elementwise(self, primitive: Any, dtype: Any, *inputs: Any) -> Equation:
        """What an elementwise primitive gives."""
        return self.apply(primitive, np.broadcast_shapes(*map(shape_of, inputs)), np.dtype(dtype), *inputs)

    def reduced(self, primitive: Any, dtype: Any, x: Any, axes: Sequence[int], keepdims: bool = False) -> Equation:
        """What a reduction over some axes gives."""
        shape = reduce.reduced_shape(shape_of(x), tuple(axes), keepdims)
        params = {"axis": tuple(axes)} | ({"keepdims": True} if keepdims else {})
        return self.apply(primitive, shape, np.dtype(dtype), x, **params)

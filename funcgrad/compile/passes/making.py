"""How a pass makes an equation that stands between the operands of an old one and it."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.tape import Equation, Symbol, equation


def between(
    primitive: Any, before: Equation, inputs: tuple, shape: tuple[int, ...], dtype: np.dtype, /, **params: Any
) -> Equation:
    """A new equation that comes after its operands and before an old one: its number lies in the middle."""
    lowest = max([i.number for i in inputs if type(i) is Equation and i.plan is not None], default=before.number - 1)
    return numbered(primitive, (lowest + before.number) / 2, inputs, shape, dtype, **params)


def numbered(
    primitive: Any, number: Any, inputs: tuple, shape: tuple[int, ...], dtype: np.dtype, /, **params: Any
) -> Equation:
    """A new equation with a given place in the order, which may lie between whole numbers."""
    return equation(number, Symbol(primitive, len(inputs)), inputs, params, (), shape, dtype)

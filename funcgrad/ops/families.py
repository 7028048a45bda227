"""How primitives of several operands that broadcast are declared: special functions and their families.

A family is a function whose parameters say which derivative of it is meant. A derivative of a member is another member,
so all derivatives exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, primitive
from funcgrad.core.types import PYTHON_NUMBERS, ShapeDtypeStruct, dtype_of, shape_of


def broadcast_shape(*xs: Any, **params: Any) -> ShapeDtypeStruct:
    """The shape rule: shapes broadcast, the dtype is the common one of the operands, and parameters do not matter."""
    kinds = [x if type(x) in PYTHON_NUMBERS else dtype_of(x) for x in xs]
    return ShapeDtypeStruct(np.broadcast_shapes(*map(shape_of, xs)), np.result_type(*kinds))


def family(
    impl: Callable,
    *rules: Any,
    name: str,
    operands: str = "x",
    samples: Callable[[Draw], Iterable[Sample]],
    dtypes: str = "fd",
) -> Primitive:
    """Declare an elementwise function of operands that broadcast, by its derivative in each operand.

    Arguments:
        impl: computes it from raw arrays and the parameters.
        rules: for each operand a function `(g, ...)` that gives g times the derivative, or a statement.
        name: in the registry.
        operands: their names, separated by blanks.
        samples, dtypes: as for `primitive`.

    Returns:
        The primitive.
    """
    return primitive(
        impl,
        name=name,
        operands=operands,
        shape=broadcast_shape,
        vjp=rules,
        jvp=rules,
        batch=batching.elementwise,
        samples=samples,
        dtypes=dtypes,
    )


def samples_in(*ranges: tuple[float, float], **params: Any) -> Callable[[Draw], list[Sample]]:
    """Samples whose operands lie in these ranges, in several shapes that broadcast."""

    def samples(draw: Draw) -> list[Sample]:
        shapes: list[tuple] = [(3,), (2, 1), (), (1, 3)]
        return [
            Sample(*[draw(*shapes[(i + k) % 4], low=low, high=high) for i, (low, high) in enumerate(ranges)], **params)
            for k in range(3)
        ] + [Sample(*[draw(0, low=low, high=high) for low, high in ranges], **params)]

    return samples

"""Batching rules: what a primitive does when operands carry a batch dimension.

A rule is called as `rule(primitive, size, args, mask, params)`. The operands that mask marks have the batch dimension
in front, of length `size`; the others are the same for every example. It returns the result with the batch dimension in
front, by calling the primitive once on all examples. Rules are written with NumPy functions and array methods, so they
can be differentiated and batched again.

A primitive without a rule is run example by example, by `one_by_one`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.types import ShapeDtypeStruct, shape_of


def one_by_one(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """What stands in for a rule: run a primitive on each example, and join the results."""
    if size == 0:
        kinds = [ShapeDtypeStruct(a.shape[1:], a.dtype) if m else a for a, m in zip(args, mask, strict=True)]
        out = primitive.shape(*kinds, **params)
        empty = [np.zeros((0, *k.shape), k.dtype) for k in (out if primitive.multiple else (out,))]
        return tuple(empty) if primitive.multiple else empty[0]
    found = [primitive(*[a[i] if m else a for a, m in zip(args, mask, strict=True)], **params) for i in range(size)]
    if primitive.multiple:
        return tuple([np.stack(column) for column in zip(*found, strict=True)])
    return np.stack(found)


def elementwise(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The rule of all that broadcasts its operands: line the batch dimension up in front."""
    return primitive(*aligned(args, mask), **params)


def aligned(args: tuple, mask: tuple[bool, ...]) -> list[Any]:
    """Operands that broadcast against each other, example by example, as they broadcast all at once."""
    ranks = [len(shape_of(a)) - m for a, m in zip(args, mask, strict=True)]
    rank = max(ranks)
    return [
        a.reshape((a.shape[0],) + (1,) * (rank - r) + a.shape[1:]) if m and r < rank else a
        for a, m, r in zip(args, mask, ranks, strict=True)
    ]


def everywhere(args: tuple, mask: tuple[bool, ...], size: int) -> list[Any]:
    """All operands with the batch dimension in front; those without it are repeated, without a copy."""
    return [
        a if m else np.broadcast_to(np.asarray(a) if np.isscalar(a) else a, (size, *shape_of(a)))
        for a, m in zip(args, mask, strict=True)
    ]


def shifted(*names: str, shape: str | None = None) -> Callable:
    """The rule of an operation along axes, which its parameters of these names count from the front: they move by one.

    Every operand gets the batch dimension.

    Arguments:
        names: of the parameters, each an axis or a tuple of axes. Those that count from the end stay.
        shape: the name of a parameter that says the shape of the result, which the batch dimension joins.
    """

    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        moved = {k: _shift(v) if k in names else (size, *v) if k == shape else v for k, v in params.items()}
        return primitive(*everywhere(args, mask, size), **moved)

    return rule


def _shift(axis: Any) -> Any:
    if isinstance(axis, tuple):
        return tuple([_shift(a) for a in axis])
    return axis + 1 if axis >= 0 else axis


def trailing(*ranks: int) -> Callable:
    """The rule of an operation on the last dimensions of its operands, the dimensions before them being broadcast.

    Arguments:
        ranks: for each operand on how many of its last dimensions it works.
    """

    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        loops = [len(shape_of(a)) - m - r for a, m, r in zip(args, mask, ranks, strict=True)]
        most = max(loops)
        return primitive(
            *[
                a.reshape((size,) + (1,) * (most - n) + a.shape[1:]) if m and n < most else a
                for a, m, n in zip(args, mask, loops, strict=True)
            ],
            **params,
        )

    return rule

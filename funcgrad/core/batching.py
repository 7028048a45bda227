"""Batching rules: what a primitive does when operands carry a batch dimension.

A rule is called as `rule(primitive, size, args, mask, params)`. The operands that mask marks have the batch dimension
in front, of length `size`; the others are the same for every example. It returns the result with the batch dimension in
front, by calling the primitive once on all examples. Rules are written with NumPy functions and array methods, so they
can be differentiated and batched again.

A primitive without a rule is run example by example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.types import shape_of


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


def shifted(*names: str) -> Callable:
    """The rule of an operation along axes, which its parameters of these names count from the front: they move by one.

    Every operand gets the batch dimension. None stays None.
    """

    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        moved = {k: _shift(params[k]) if k in names and k in params else params[k] for k in params}
        return primitive(*everywhere(args, mask, size), **moved)

    return rule


def _shift(axis: Any) -> Any:
    if axis is None:
        return None
    return tuple([a + 1 for a in axis]) if isinstance(axis, tuple) else axis + 1


def trailing(*ranks: int | None) -> Callable:
    """The rule of an operation on the last dimensions of its operands, the dimensions before them being broadcast.

    Arguments:
        ranks: for each operand on how many of its last dimensions it works; None for an operand of any rank that no
            example shares a dimension of, such as a tolerance.
    """

    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        loops = [
            len(shape_of(a)) - m - (r or 0) for a, m, r in zip(args, mask, ranks, strict=True) if r is not None
        ]
        most = max(loops, default=0)
        found = []
        for a, m, r in zip(args, mask, ranks, strict=True):
            if m:
                lead = len(a.shape) - 1 - (r or 0)
                a = a.reshape((size,) + (1,) * (most - lead) + a.shape[1:]) if lead < most else a
            found.append(a)
        return primitive(*found, **params)

    return rule


def in_front(name: str) -> Callable:
    """The rule of an operation whose result has the shape that a parameter says: the batch dimension joins it."""

    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        return primitive(*everywhere(args, mask, size), **{**params, name: (size, *params[name])})

    return rule

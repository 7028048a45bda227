"""What a checkpoint keeps: policies for `checkpoint(f, policy=...)`, by the names that JAX gives them.

A policy is asked about each operation inside that has one result, as `policy(primitive, *kinds, **params)` with the
shapes and dtypes of the operands, and says whether its result may be kept for the backward pass instead of being
computed again. It is kept if the backward pass asks for it. About operations with several results, and those that hold
functions, such as a loop, no policy is asked: they are computed again if there is a derivative to go through them.

Source: `jax.checkpoint_policies`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.types import shape_of
from funcgrad.errors import ArgumentError
from funcgrad.ops import contract, structural

__all__ = [
    "checkpoint_dots",
    "checkpoint_dots_with_no_batch_dims",
    "dots_saveable",
    "dots_with_no_batch_dims_saveable",
    "everything_saveable",
    "nothing_saveable",
    "offload_dot_with_no_batch_dims",
    "save_and_offload_only_these_names",
    "save_any_names_but_these",
    "save_anything_except_these_names",
    "save_from_both_policies",
    "save_only_these_names",
]

# Of those products that take stacks of matrices or vectors, how many axes each operand has without the stack.
_STACKED = {contract.matmul: (2, 2), contract.matvec: (2, 1), contract.vecmat: (1, 2), contract.vecdot: (1, 1)}
_PRODUCTS = frozenset({*_STACKED, contract.dot, contract.tensordot, contract.einsum})


def everything_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep whatever the backward pass asks for."""
    return True


def nothing_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep only operands of the function: the policy that a checkpoint has by default."""
    return False


def dots_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep what matrix products give, and compute the cheap operations between them again."""
    return primitive in _PRODUCTS


def dots_with_no_batch_dims_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep what products of matrices and vectors give, but not those of two stacks of matrices."""
    return primitive in _PRODUCTS and not _pairs_up(primitive, kinds, params)


def _pairs_up(primitive: Any, kinds: tuple, params: dict[str, Any]) -> bool:
    """Whether a product pairs up axes of two operands that stay in the result."""
    if primitive is contract.einsum:
        inputs, _, output = params["subscripts"].partition("->")
        return any(all(label in term for term in inputs.split(",")) for label in output)
    own = _STACKED.get(primitive)
    return own is not None and all(len(shape_of(k)) > n for k, n in zip(kinds, own, strict=True))


checkpoint_dots = dots_saveable
checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable


def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> Callable[..., bool]:
    """`dots_with_no_batch_dims_saveable`; there is one memory, so nothing moves from one to another."""
    return dots_with_no_batch_dims_saveable


def save_only_these_names(*names: str) -> Callable[..., bool]:
    """Keep the values that `checkpoint_name` gave one of these names."""
    return lambda primitive, *kinds, **params: primitive is structural.name and params["name"] in names


def save_any_names_but_these(*names: str) -> Callable[..., bool]:
    """Keep the values that have a name, but for these names."""
    return lambda primitive, *kinds, **params: primitive is structural.name and params["name"] not in names


def save_anything_except_these_names(*names: str) -> Callable[..., bool]:
    """Keep all values but those that `checkpoint_name` gave one of these names."""
    return lambda primitive, *kinds, **params: not (primitive is structural.name and params["name"] in names)


def save_and_offload_only_these_names(
    *, names_which_can_be_saved: Any, names_which_can_be_offloaded: Any, offload_src: str, offload_dst: str
) -> Callable[..., bool]:
    """Keep the values that have one of these names; there is one memory, so none is moved to another.

    Raises:
        ArgumentError: a name is to be both saved and offloaded.
    """
    saved, offloaded = set(names_which_can_be_saved), set(names_which_can_be_offloaded)
    if saved & offloaded:
        raise ArgumentError(
            f"save_and_offload_only_these_names: the names should be exclusive, but {sorted(saved & offloaded)} are "
            f"both in names_which_can_be_saved and in names_which_can_be_offloaded"
        )
    return save_only_these_names(*saved, *offloaded)


def save_from_both_policies(first: Callable[..., bool], second: Callable[..., bool]) -> Callable[..., bool]:
    """Keep what either policy keeps."""
    return lambda primitive, *kinds, **params: first(primitive, *kinds, **params) or second(primitive, *kinds, **params)


publish(__name__)

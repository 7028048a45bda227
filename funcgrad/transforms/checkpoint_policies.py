"""What a checkpoint keeps: policies for `checkpoint(f, policy=...)`, by the names that JAX gives them.

A policy is asked about each operation inside, as `policy(primitive, *kinds, **params)` with the shapes and dtypes of
the operands, and says whether its result shall be kept for the backward pass instead of being computed again.

Source: `jax.checkpoint_policies`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.types import shape_of
from funcgrad.ops import contract, structural

_PRODUCTS = (contract.matmul, contract.vecdot, contract.dot, contract.tensordot, contract.einsum)


def everything_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep all results: nothing is computed twice."""
    return True


def nothing_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep only the operands of the function: the policy that a checkpoint has by default."""
    return False


def dots_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep what matrix products give, and compute the cheap operations between them again."""
    return primitive in _PRODUCTS


def dots_with_no_batch_dims_saveable(primitive: Any, *kinds: Any, **params: Any) -> bool:
    """Keep what products of matrices and vectors give, but not those of stacks of matrices."""
    return primitive in _PRODUCTS and all(len(shape_of(k)) <= 2 for k in kinds)


checkpoint_dots = dots_saveable
checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable


def save_only_these_names(*names: str) -> Callable[..., bool]:
    """Keep the values that `checkpoint_name` gave one of these names."""
    return lambda primitive, *kinds, **params: primitive is structural.name and params["name"] in names


def save_any_names_but_these(*names: str) -> Callable[..., bool]:
    """Keep the values that have a name, but for these names."""
    return lambda primitive, *kinds, **params: primitive is structural.name and params["name"] not in names


def save_anything_except_these_names(*names: str) -> Callable[..., bool]:
    """Keep all values but those that `checkpoint_name` gave one of these names."""
    return lambda primitive, *kinds, **params: not (primitive is structural.name and params["name"] in names)


def save_from_both_policies(first: Callable[..., bool], second: Callable[..., bool]) -> Callable[..., bool]:
    """Keep what either policy keeps."""
    return lambda primitive, *kinds, **params: first(primitive, *kinds, **params) or second(primitive, *kinds, **params)

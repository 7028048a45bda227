"""Pooling, and what undoes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import pooling as _pooling
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
]

_TORCH, _NN = namespaces[""], namespaces["_nn"]
assert _pooling  # its rows are declared

avg_pool1d, avg_pool2d, avg_pool3d = _TORCH["avg_pool1d"], _NN["avg_pool2d"], _NN["avg_pool3d"]


def _max_pools(rank: int) -> tuple[Callable, Callable]:
    """max_pool1d, max_pool2d or max_pool3d, and the form that always gives indices."""
    name = f"max_pool{rank}d"
    pool = _TORCH[name]
    indexed = (_TORCH if rank == 1 else _NN)[f"{name}_with_indices"]

    def max_pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        f = indexed if return_indices else pool
        return f(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        return indexed(input, kernel_size, () if stride is None else stride, padding, dilation, ceil_mode)

    max_pool.__doc__ = f"""As `torch.{name}`; with return_indices the pair of values and indices."""
    with_indices.__doc__ = f"""As `torch.{name}`, and where the elements are in the flattened last dimensions."""
    max_pool.__name__ = max_pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    return max_pool, with_indices


(max_pool1d, max_pool1d_with_indices), (max_pool2d, max_pool2d_with_indices), (max_pool3d, max_pool3d_with_indices) = (
    _max_pools(rank) for rank in (1, 2, 3)
)

publish(__name__)

"""Pooling, and what undoes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import adaptive_pooling as _adaptive
from funcgrad.torch.ops.nn import pooling as _pooling
from funcgrad.torch.ops.nn import unpooling as _unpooling
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import pooling as texts

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

_TORCH, _NN = namespaces[""], namespaces["_nn"]
assert _pooling and _adaptive and _unpooling  # their rows are declared

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


def _with_default(output_size: Any, shape: Any) -> Any:
    """Sizes, where None stands for that of the input."""
    if isinstance(output_size, int):
        return output_size
    rank = len(output_size)
    if len(shape) <= rank:
        raise ValueError(f"Input dimension should be at least {rank + 1}")
    return [n if m is None else m for m, n in zip(output_size, shape[-rank:], strict=True)]


def _numbers(rank: int, given: Any) -> tuple:
    """A number for each dimension, where one may be given for all."""
    return tuple(given) if isinstance(given, Iterable) else (given,) * rank


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of windows of images, as many as output_size says.

    Arguments:
        input: "n c h w", or "c h w".
        output_size: how many windows there are; a number or a pair, of which None stands for the size of the input.
    """
    return _NN["adaptive_avg_pool2d"](input, _with_default(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of windows of volumes; arguments as for `adaptive_avg_pool2d`."""
    return _NN["adaptive_avg_pool3d"](input, _with_default(output_size, input.size()))


adaptive_avg_pool1d = _TORCH["adaptive_avg_pool1d"]


def _adaptive_max_pools(rank: int) -> tuple[Callable, Callable]:
    """adaptive_max_pool1d, 2d or 3d, and the form that always gives indices."""
    name = f"adaptive_max_pool{rank}d"
    row = (_TORCH if rank == 1 else _NN)[name]

    def with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        return row(input, output_size if rank == 1 else _with_default(output_size, input.size()))

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        found = with_indices(input, output_size)
        return found if return_indices else found[0]

    pool.__doc__ = f"""The largest element of windows, as many as output_size says.

    Arguments:
        input: examples and channels, or channels; then {rank} more dimensions.
        output_size: how many windows there are; a number, or one for each dimension.
        return_indices: whether to give the indices in the flattened last dimensions, too.
    """
    with_indices.__doc__ = f"""As `{name}`, always with indices."""
    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    return pool, with_indices


(
    (adaptive_max_pool1d, adaptive_max_pool1d_with_indices),
    (adaptive_max_pool2d, adaptive_max_pool2d_with_indices),
    (adaptive_max_pool3d, adaptive_max_pool3d_with_indices),
) = (_adaptive_max_pools(rank) for rank in (1, 2, 3))


def _fractional_pools(rank: int) -> tuple[Callable, Callable]:
    """fractional_max_pool2d or 3d, and the form that always gives indices."""
    name = f"fractional_max_pool{rank}d"
    row = _NN[name]

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> tuple[Tensor, Tensor]:
        if output_size is None:
            if output_ratio is None:
                raise ValueError(texts.FRACTIONAL_SIZE.format(rank=rank))
            if rank == 2 and len(output_ratio) > 2:
                raise ValueError(texts.FRACTIONAL_RATIO.format(rank=rank))
            ratios = _numbers(rank, output_ratio)
            output_size = [int(input.size(d - rank) * ratios[d]) for d in range(rank)]
        if _random_samples is None:
            many = 1 if input.dim() == rank + 1 else input.size(0)
            _random_samples = _TORCH["rand"](many, input.size(-rank - 1), rank, dtype=input.dtype)
        return row(input, kernel_size, output_size, _random_samples)

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        found = with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return found if return_indices else found[0]

    pool.__doc__ = f"""The largest element of windows of one size at random places.

    Arguments:
        input: examples and channels, or channels; then {rank} more dimensions.
        kernel_size: the size of windows.
        output_size: how many there are; or
        output_ratio: how many in proportion to the size of the input.
        return_indices: whether to give the indices in the flattened last dimensions, too.
    """
    with_indices.__doc__ = f"""As `{name}`, always with indices."""
    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    return pool, with_indices


(
    (fractional_max_pool2d, fractional_max_pool2d_with_indices),
    (fractional_max_pool3d, fractional_max_pool3d_with_indices),
) = (_fractional_pools(rank) for rank in (2, 3))


def _unpooled_size(input: Tensor, size: tuple, stride: tuple, padding: tuple, output_size: Any) -> Any:
    """The sizes of what was pooled: the one asked for, if it is one of those that may have been."""
    rank = len(size)
    usual = [
        (input.size()[d - rank] - 1) * s + k - 2 * p
        for d, (k, s, p) in enumerate(zip(size, stride, padding, strict=True))
    ]
    if output_size is None:
        return usual
    if len(output_size) == rank + 2:
        output_size = output_size[2:]
    if len(output_size) != rank:
        raise ValueError(texts.UNPOOL_LENGTH.format(rank=rank, all=rank + 2, n=len(output_size)))
    for d, (n, m, s) in enumerate(zip(usual, output_size, stride, strict=True)):
        if not n - s < m < n + s:
            raise ValueError(texts.UNPOOL_SIZE.format(size=output_size, d=d, low=n - s, high=n + s))
    return output_size


def _max_unpool(rank: int) -> Callable:
    """max_unpool1d, 2d or 3d."""
    row = _NN[f"max_unpool{max(rank, 2)}d"]

    def unpool(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:
        size = _numbers(rank, kernel_size)
        strides = size if stride is None else _numbers(rank, stride)
        pads = _numbers(rank, padding)
        lengths = _unpooled_size(input, size, strides, pads, output_size)
        if rank == 1:
            return row(input.unsqueeze(-1), indices.unsqueeze(-1), [*lengths, 1]).squeeze(-1)
        return row(input, indices, lengths) if rank == 2 else row(input, indices, lengths, strides, pads)

    unpool.__name__ = unpool.__qualname__ = f"max_unpool{rank}d"
    unpool.__doc__ = f"""What undoes `max_pool{rank}d`: its elements in their places, and zeros elsewhere.

    Arguments:
        input, indices: what max pooling gave.
        kernel_size, stride, padding: of its windows.
        output_size: the size of what was pooled, where several would do.
    """
    return unpool


max_unpool1d, max_unpool2d, max_unpool3d = (_max_unpool(rank) for rank in (1, 2, 3))


def _lp_pool(rank: int) -> Callable:
    """lp_pool1d, 2d or 3d."""
    average = (_TORCH if rank == 1 else _NN)[f"avg_pool{rank}d"]

    def pool(input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
        places = kernel_size if rank == 1 else math.prod(_numbers(rank, kernel_size))
        out = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        return (_TORCH["sign"](out) * _TORCH["relu"](_TORCH["abs"](out))).mul(places).pow(1.0 / norm_type)

    pool.__name__ = pool.__qualname__ = f"lp_pool{rank}d"
    pool.__doc__ = f"""The p-norm of windows; those of negative sums of powers are those of their absolute values.

    Arguments:
        input: examples and channels, or channels; then {rank} more dimensions.
        norm_type: p.
        kernel_size, stride, ceil_mode: as for `avg_pool{rank}d`.
    """
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = (_lp_pool(rank) for rank in (1, 2, 3))

publish(__name__)

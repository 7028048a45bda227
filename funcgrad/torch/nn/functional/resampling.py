"""Images, signals and volumes with another number of samples, or sampled where a grid says."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops import nn as _rows
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import resampling as texts

__all__ = ["affine_grid", "grid_sample", "interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

assert _rows  # its rows are declared
_torch, _nn = namespaces[""], namespaces["_nn"]

_BLOCKS = ("nearest", "nearest-exact", "area")
"""The modes that know no corners."""

_DIMENSIONS = {"linear": 3, "bilinear": 4, "trilinear": 5}


def _is_integer(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) or (isinstance(x, Tensor) and not x.is_floating_point())


def _one_for_each(given: Any, input: Tensor, text: str, name: str) -> Any:
    """A size or factor for each dimension that is resampled."""
    count = input.dim() - 2
    if not isinstance(given, (list, tuple)):
        return [given for _ in range(count)]
    if len(given) != count:
        raise ValueError(text.format(**{"shape": list(input.shape[2:]), name: given}))
    return given


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input with another number of samples along all dimensions but the first two.

    Arguments:
        input: (n, channels, ...), with one, two or three more dimensions.
        size: how many samples there shall be along each, or along all of them.
        scale_factor: or how many times as many as there are.
        mode: "nearest", "nearest-exact", "area", "linear" (three dimensions), "bilinear", "bicubic", "lanczos" (four)
            or "trilinear" (five).
        align_corners: whether the middles of the corner elements stay where they are, and not their outer edges.
        recompute_scale_factor: whether positions follow from the sizes even if scale_factor is given.
        antialias: whether the filter is as wide as the samples are apart.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.interpolate(torch.tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    if mode in _BLOCKS:
        if align_corners is not None:
            raise ValueError(texts.ALIGN_CORNERS)
    elif align_corners is None:
        align_corners = False
    sizes = factors = None
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        sizes = _one_for_each(size, input, texts.SIZE_DIMENSIONS, "size")
        if isinstance(size, (list, tuple)) and not all(_is_integer(n) for n in size):
            raise TypeError(texts.SIZE_TYPES.format(types=[type(n) for n in size]))
    elif scale_factor is not None:
        factors = _one_for_each(scale_factor, input, texts.FACTOR_DIMENSIONS, "factors")
    else:
        raise ValueError("either size or scale_factor should be defined")
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        sizes, factors = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)], None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.dim() == 4):
        raise ValueError(texts.ANTIALIAS)
    return _resampled(input, mode, sizes, factors, align_corners, antialias)


def _resampled(input: Tensor, mode: str, sizes: Any, factors: Any, align_corners: Any, antialias: bool) -> Tensor:
    ndim = input.dim()
    if mode in _BLOCKS and 3 <= ndim <= 5:
        if mode == "area":
            pool = (_torch if ndim == 3 else _nn)[f"adaptive_avg_pool{ndim - 2}d"]
            return pool(input, sizes)
        name = "upsample_nearest" if mode == "nearest" else "_upsample_nearest_exact"
        return _nn[f"{name}{ndim - 2}d"](input, sizes, factors)
    if ndim == 4 and mode in ("bilinear", "bicubic", "lanczos"):
        if mode == "lanczos" and align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if mode == "lanczos" and not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        name = f"_upsample_{mode}2d_aa" if antialias else f"upsample_{mode}2d"
        return _nn[name](input, sizes, align_corners, factors)
    needed = _DIMENSIONS.get(mode)
    if needed == ndim:
        return _nn[f"upsample_{mode}{ndim - 2}d"](input, sizes, align_corners, factors)
    if needed is not None and 3 <= ndim <= 5:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(texts.NO_MODE.format(ndim=ndim, mode=mode))


def _warn_of(name: str) -> None:
    text = f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
    warnings.warn(text, stacklevel=3)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """An older name of `interpolate`; it warns."""
    _warn_of("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate` with mode "nearest"; it warns."""
    _warn_of("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate` with mode "bilinear" and aligned corners; it warns."""
    _warn_of("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Samples of the input where a grid says, from -1, one end, to 1, the other.

    Arguments:
        input: (n, channels, height, width) or (n, channels, depth, height, width).
        grid: (n, ..., 2) with points (x, y), or (n, ..., 3) with (x, y, z).
        mode: "bilinear", "nearest" or, of images, "bicubic".
        padding_mode: what is outside: "zeros", the "border", or a "reflection".
        align_corners: whether the ends are the middles of the corner elements, and not their outer edges.

    Returns:
        (n, channels, ...).
    """
    if mode not in _MODES:
        raise ValueError(texts.GRID_MODE.format(mode=mode))
    if padding_mode not in _PADDINGS:
        raise ValueError(texts.GRID_PADDING.format(mode=padding_mode))
    if align_corners is None:
        warnings.warn(texts.GRID_CORNERS, stacklevel=2)
        align_corners = False
    return _torch["grid_sampler"](input, grid, _MODES[mode], _PADDINGS[padding_mode], align_corners)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """A grid for `grid_sample` of points that an affine map moves.

    Arguments:
        theta: the maps: (n, 2, 3) for images, (n, 3, 4) for volumes.
        size: of the result of `grid_sample`: (n, channels, ...).
        align_corners: as for `grid_sample`.

    Returns:
        (n, height, width, 2) or (n, depth, height, width, 3).

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.affine_grid(torch.eye(2, 3)[None], (1, 1, 1, 2), align_corners=False)
        tensor([[[[-0.5000,  0.0000],
                  [ 0.5000,  0.0000]]]])
    """
    if align_corners is None:
        warnings.warn(texts.GRID_CORNERS, stacklevel=2)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    count = len(size) - 2
    if count not in (2, 3):
        raise NotImplementedError(texts.AFFINE_SIZE.format(size=size))
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (count, count + 1):
        shapes = {"rows": count, "columns": count + 1, "size": size, "found": theta.shape}
        raise ValueError(texts.AFFINE_MATRICES.format(count=count, **shapes))
    if align_corners and min(size[-count:]) == 1:
        warnings.warn(texts.AFFINE_UNIT, stacklevel=2)
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _torch["affine_grid_generator"](theta, size, align_corners)


publish(__name__)

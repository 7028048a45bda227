"""`torch.grid_sampler`: samples of images and volumes where a grid says; and grids of points that affine maps move."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops.structural import stop
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import gradient_of, record_gradients
from funcgrad.torch.ops.nn.resampling_taps import cubic_weights
from funcgrad.torch.primitives.embedding import embedding
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import products as products_texts
from funcgrad.torch.texts import resampling as texts

LINEAR, NEAREST, CUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2

# Points are computed along each axis by itself. What decides which elements are neighbours has no derivative.


def _unnormalized(p: Any, size: int, align_corners: bool) -> Any:
    """Coordinates between elements, which lie at 0, 1, 2, …, from those between -1 and 1; nan counts as -1."""
    p = np.where(p != p, -1, p)
    return (p + 1) / 2 * (size - 1) if align_corners else ((p + 1) * size - 1) / 2


def _clipped(p: Any, size: int) -> Any:
    """Coordinates brought to the nearest element; there, and at the border itself, they have no derivative."""
    return np.where((p > 0) & (p < size - 1), p, stop(np.clip(p, 0, size - 1)))


def _reflected(p: Any, size: int, align_corners: bool) -> Any:
    """Coordinates reflected at the first and last elements, or at their outer edges, until they are inside."""
    low, span = (0.0, size - 1) if align_corners else (-0.5, size)
    if not span:
        return p * 0
    away = np.abs(p - low)
    flips = stop(np.floor(away / span))
    rest = away - flips * span
    return np.where(flips % 2 == 0, rest + low, span - rest + low)


def _padded(p: Any, size: int, padding: int, align_corners: bool) -> Any:
    if padding == ZEROS:
        return p
    if padding == REFLECTION:
        p = _reflected(p, size, align_corners)
    return _clipped(p, size)


def _taps(p: Any, size: int, mode: int, padding: int, align_corners: bool) -> list[tuple[Any, Any]]:
    """The elements along an axis of which a sample is made, as whole numbers, and their weights."""
    p = _unnormalized(p, size, align_corners)
    if mode != CUBIC:
        p = _padded(p, size, padding, align_corners)
    known = stop(p)
    if mode == NEAREST:
        return [(np.round(known), 1 + 0 * np.where(np.isfinite(p), p, 0))]
    start = np.floor(known)
    rest = p - start
    if mode == LINEAR:
        return [(start, 1 - rest), (start + 1, rest)]
    places = [_padded(start + k, size, padding, align_corners) for k in (-1, 0, 1, 2)]
    return list(zip(places, cubic_weights(rest), strict=True))


def _grid_sample(x: Any, grid: Any, *, mode: int, padding: int, align_corners: bool) -> Any:
    n, channels, *sizes = x.shape
    kind = x.dtype
    if kind.itemsize == 2:
        x, grid = x.astype(np.float32), grid.astype(np.float32)
    points = grid.reshape((n, math.prod(grid.shape[1:-1]), grid.shape[-1]))
    axes = [_taps(points[:, :, len(sizes) - 1 - d], size, mode, padding, align_corners) for d, size in enumerate(sizes)]
    rows, weights = [], []
    for chosen in itertools.product(*axes):
        row: Any = 0
        weight: Any = 1
        for (place, factor), size in zip(chosen, sizes, strict=True):
            inside = (place >= 0) & (place < size)
            row = row * size + np.clip(place, 0, size - 1).astype(np.int64)
            weight = weight * np.where(inside, factor, 0)
        rows.append(row)
        weights.append(weight)
    first = (math.prod(sizes) * np.arange(n))[:, None, None]
    table = np.moveaxis(x, 1, -1).reshape((n * math.prod(sizes), channels))
    taken = embedding(table, fnp.stack(rows, 1) + first, padding=-1, by_frequency=False)
    out = np.sum(taken * fnp.stack(weights, 1)[:, :, :, None], axis=1)
    return np.moveaxis(out, -1, 1).reshape((n, channels, *grid.shape[1:-1])).astype(kind)


_INPUT_GRID = ("input", "grid")
GRID_SAMPLERS = {
    2: Operation(_grid_sample, "GridSampler2DBackward0", operands=_INPUT_GRID),
    3: Operation(_grid_sample, "GridSampler3DBackward0", operands=_INPUT_GRID, again=False),
}
for _count, _op in GRID_SAMPLERS.items():
    _title = f"GridSampler{_count}DBackwardBackward0"
    _operands = ("grad_output", *_INPUT_GRID)
    record_gradients(
        _op,
        *[Operation(gradient_of(_grid_sample, k), _title, operands=_operands, again=False) for k in (0, 1)],
    )

_SIGNATURE = "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)"


@op("grid_sampler", _SIGNATURE, method=False, records=tuple(GRID_SAMPLERS.values()))
def grid_sampler(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """Samples of images or volumes where a grid says.

    Arguments:
        input: (n, channels, height, width) or (n, channels, depth, height, width).
        grid: (n, ..., 2) or (n, ..., 3): points (x, y) or (x, y, z), from -1, one end, to 1, the other.
        interpolation_mode: 0, 1 or 2: linear, of the nearest element, or cubic.
        padding_mode: 0, 1 or 2: what is outside counts as zero, as the border, or as a reflection.
        align_corners: whether the ends are the middles of the corner elements, and not their outer edges.

    Returns:
        (n, channels, ...).
    """
    return _sampled(input, grid, input._value.ndim - 2, interpolation_mode, padding_mode, align_corners)


@op("grid_sampler_2d", _SIGNATURE, method=False)
def grid_sampler_2d(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """As `grid_sampler`, of images."""
    return _sampled(input, grid, 2, interpolation_mode, padding_mode, align_corners)


@op("grid_sampler_3d", _SIGNATURE, method=False)
def grid_sampler_3d(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """As `grid_sampler`, of volumes."""
    return _sampled(input, grid, 3, interpolation_mode, padding_mode, align_corners)


def _sampled(input: Any, grid: Any, count: int, mode: int, padding: int, align_corners: bool) -> Tensor:
    _check(input, grid, count, mode)
    params = {"mode": mode, "padding": padding, "align_corners": align_corners}
    return GRID_SAMPLERS[count](input, grid, **params)


def _check(input: Any, grid: Any, count: int, mode: int) -> None:
    shape, points = input._value.shape, grid._value.shape
    sizes = {"input": list(shape), "grid": list(points)}
    if not points or shape[:1] != points[:1]:
        raise RuntimeError(texts.GRID_BATCH.format(**sizes))
    if points[-1] != len(shape) - 2:
        raise RuntimeError(texts.GRID_LAST.format(count=len(shape) - 2, grid=list(points)))
    for dim, size in enumerate(shape[2:], 2):
        if not size:
            raise RuntimeError(texts.GRID_EMPTY.format(input=list(shape), dim=dim))
    if len(shape) != count + 2 or count not in GRID_SAMPLERS or len(points) != len(shape):
        raise RuntimeError(texts.GRID_DIMENSIONS.format(**sizes))
    if mode == CUBIC and count == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    d, e = [of_numpy(t._value.dtype) for t in (input, grid)]
    if d is not e:
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected=d.title, found=e.title))
    if d.numpy.kind in "biuc":
        kernel = "grid_sampler_2d_cpu_kernel_impl" if count == 2 else "grid_sampler3d_cpu"
        raise not_implemented(kernel, d)


# Grids.


def _ends(n: int, align_corners: bool, kind: np.dtype) -> np.ndarray:
    """Points from -1 to 1: the middles of n elements, whose outer edges, or whose ends, these are."""
    if n <= 1:
        return np.zeros(n, kind)
    points = np.linspace(-1, 1, n)
    return (points if align_corners else points * (n - 1) / n).astype(kind)


def _affine_grid(theta: Any, *, sizes: tuple[int, ...], align_corners: bool) -> Any:
    axes = [_ends(n, align_corners, theta.dtype) for n in sizes]
    mesh = np.meshgrid(*axes, indexing="ij")[::-1]
    points = np.stack([*mesh, np.ones(sizes, theta.dtype)], -1).reshape(-1, len(sizes) + 1)
    wide = np.float32 if theta.dtype.itemsize == 2 else theta.dtype
    out = points.astype(wide) @ np.swapaxes(theta.astype(wide), 1, 2)
    return out.reshape((theta.shape[0], *sizes, len(sizes))).astype(theta.dtype)


AFFINE_GRID = Operation(_affine_grid, "AffineGridGeneratorBackward0", operands=("theta",), saves=())


@op(
    "affine_grid_generator",
    "(Tensor theta, tuple of ints size, bool align_corners)",
    method=False,
    records=AFFINE_GRID,
)
def affine_grid_generator(theta: Any, size: Any, align_corners: bool) -> Tensor:
    """A grid of points that affine maps move.

    Arguments:
        theta: (n, 2, 3) for images, (n, 3, 4) for volumes.
        size: (n, channels, ...): that of what is to be sampled at the points.
        align_corners: whether the outermost points are at -1 and 1, or half an element inside.

    Returns:
        (n, height, width, 2) or (n, depth, height, width, 3).
    """
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    n, columns = theta._value.shape[0], len(size) - 1
    if n != size[0]:
        raise RuntimeError(texts.AFFINE_BATCH.format(n=size[0], columns=columns, found=n))
    return AFFINE_GRID(theta, sizes=tuple(size[2:]), align_corners=align_corners)

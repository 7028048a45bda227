"""Pooling to a given size, with windows that may differ in size: adaptive, and fractional with drawn windows."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.ops.index import take_along_axis
from funcgrad.ops.structural import astype
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.ops.nn.pooling import check_1d
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import pooling as texts


def _spans(n: int, m: int) -> tuple[ndarray, ndarray]:
    """For m windows on n elements the elements of each, filled up to the same number, and which of them count."""
    start = np.arange(m) * n // max(m, 1)
    end = -(-(np.arange(m) + 1) * n // max(m, 1))
    most = int((end - start).max(initial=1))
    places = start[:, None] + np.arange(most)
    there = places < end[:, None]
    return np.where(there, places, start[:, None]), there


def _on(axis: int, ndim: int, mask: ndarray) -> ndarray:
    """A mask of windows and their elements, for an array with these two axes in the place of one."""
    return mask.reshape(*(1,) * axis, *mask.shape, *(1,) * (ndim - axis - 1))


# The mean.


def _adaptive_average(x: Any, *, sizes: tuple[int, ...]) -> Any:
    kind = x.dtype
    if kind.itemsize == 2:
        x = astype(x, dtype=np.dtype(np.float32))
    for axis, m in zip(range(x.ndim - len(sizes), x.ndim), sizes, strict=True):
        places, there = _spans(x.shape[axis], m)
        part = x[(*(slice(None),) * axis, places)]
        counts = there.sum(1).astype(x.dtype).reshape(-1, *(1,) * (x.ndim - axis - 1))
        if not there.all():
            part = fnp.where(_on(axis, x.ndim, there), part, np.zeros((), x.dtype))
        x = fnp.sum(part, axis=axis + 1) / counts
    return x if x.dtype == kind else astype(x, dtype=kind)


AVERAGE = {
    rank: Operation(_adaptive_average, f"AdaptiveAvgPool{rank}DBackward0", operands=("self",), saves=(0,))
    for rank in (2, 3)
}


def _check_filled(name: str, shape: tuple[int, ...], rank: int, channels: bool) -> None:
    first = 1 if channels else len(shape) - rank
    for d in range(first, len(shape)):
        if not shape[d]:
            raise RuntimeError(texts.ADAPTIVE_EMPTY.format(name=name, shape=list(shape), d=d))


def _sizes(given: Any, rank: int) -> tuple[int, ...]:
    return (given,) * rank if type(given) is int else tuple(given)


def _average(rank: int, input: Tensor, output_size: Any) -> Tensor:
    name, value = f"adaptive_avg_pool{rank}d", raw(input)
    sizes, shape = _sizes(output_size, rank), value.shape
    if len(sizes) != rank:
        raise RuntimeError(f"{name}: output_size must be {rank}")
    if min(sizes) < 0:
        shown = ", ".join(map(str, sizes)) if rank == 2 else "{}, {},{}".format(*sizes)
        raise RuntimeError(texts.ADAPTIVE_NEGATIVE.format(name=name, sizes="{" + shown + "}"))
    fits = len(shape) in (rank + 1, rank + 2) and 0 not in shape[-rank:]
    if fits and sizes == (1,) * rank and value.dtype.kind in "fV":
        found = input.mean(tuple(range(-1, -rank - 1, -1)), keepdim=True)
        if type(found._value) is ndarray:
            found._value = laid_out(found._value, in_channels_last(input))
        return found
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got {list(shape)}")
    _check_filled(name, shape, rank, rank == 3)
    if value.dtype.kind not in "fV":
        raise not_implemented(name if rank == 2 else f"{name}_cpu", of_numpy(value.dtype))
    if max(sizes) > sys.maxsize >> 4:
        raise RuntimeError(memory_texts.NUMEL_OVERFLOW)
    t = record(AVERAGE[rank], (input,), [value], {"sizes": sizes})
    if type(t._value) is ndarray:
        t._value = laid_out(t._value, in_channels_last(input))
    if t._node is not None:
        t._node.params = {}
    return t


@op("_nn.adaptive_avg_pool2d", "(Tensor input, tuple of ints output_size, *, Tensor out = None)", records=(AVERAGE[2],))
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """The mean of windows of images, as many as output_size says."""
    return _average(2, input, output_size)


@op("_nn.adaptive_avg_pool3d", "(Tensor input, tuple of ints output_size, *, Tensor out = None)", records=(AVERAGE[3],))
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Tensor:
    """The mean of windows of volumes, as many as output_size says."""
    return _average(3, input, output_size)


@op("adaptive_avg_pool1d", "(Tensor input, tuple of ints output_size)", method=False, records=(AVERAGE[2],))
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    """The mean of windows along the last dimension, as many as output_size says.

    Arguments:
        input: "n c length", or "c length".
        output_size: how many windows there are; they cover the input, and may overlap by an element.
    """
    check_1d("adaptive_avg_pool1d", raw(input), output_size=output_size)
    (m,) = _sizes(output_size, 1)
    return _average(2, input.unsqueeze(-2), (1, m)).squeeze(-2)


# The largest element.


def _picked(x: Any, indices: Any, *, rank: int) -> Any:
    lead = x.shape[: x.ndim - rank]
    flat = x.reshape(*lead, math.prod(x.shape[x.ndim - rank :]))
    places = indices.reshape(*lead, math.prod(indices.shape[len(lead) :]))
    return take_along_axis(flat, places, axis=len(lead), unique=False).reshape(indices.shape)


def _picking(name: str) -> Operation:
    """The operation that picks elements at indices of the flattened last dimensions."""
    return Operation(_picked, name, operands=("self", "result1"), edges=1, saves=(0, 1))


LARGEST = {rank: _picking(f"AdaptiveMaxPool{rank}DBackward0") for rank in (2, 3)}


def _largest_places(x: Any, sizes: tuple[int, ...]) -> Any:
    """Where the largest element of each window is, in the flattened last dimensions."""
    first = x.ndim - len(sizes)
    lengths, flat = x.shape[first:], None
    lowest = np.array(-np.inf, x.dtype)
    for axis, m in reversed([*enumerate(sizes, first)]):
        places, there = _spans(x.shape[axis], m)
        before = (slice(None),) * axis
        part = np.where(_on(axis, x.ndim, there), x[(*before, places)], lowest)
        best = np.expand_dims(np.argmax(part, axis=axis + 1), axis + 1)
        x = np.squeeze(np.take_along_axis(part, best, axis + 1), axis + 1)
        step = math.prod(lengths[axis - first + 1 :])
        here = places * step
        own = np.broadcast_to(_on(axis, x.ndim, here), part.shape)
        index = own if flat is None else own + flat[(*before, places)]
        flat = np.squeeze(np.take_along_axis(index, best, axis + 1), axis + 1)
    return flat


def pick(operation: Operation, input: Tensor, indices: Any, rank: int) -> tuple[Tensor, Tensor]:
    """The elements of a tensor at these places, and the places, as tensors."""
    last = in_channels_last(input)
    if isinstance(indices, ndarray):
        indices = laid_out(indices.astype(np.int64), last)
    places = wrapped(indices)
    t = record(operation, (input, places), [raw(input), indices], {"rank": rank})
    if type(t._value) is ndarray:
        t._value = laid_out(t._value, last)
    if t._node is not None:
        t._node.params = {}
    return t, places


def _largest(rank: int, input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    name, value = f"adaptive_max_pool{rank}d", raw(input)
    sizes, shape = _sizes(output_size, rank), value.shape
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: {list(shape)}")
    _check_filled(name, shape, rank, True)
    if len(sizes) != rank:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {rank}")
    if min(sizes) < 0:
        wanted = [*shape[:-rank], *sizes]
        raise RuntimeError(memory_texts.NEGATIVE_DIMENSION.format(n=min(sizes), sizes=wanted))
    if max(sizes) > sys.maxsize >> 4:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={[*shape[:-rank], *sizes]}")
    if value.dtype.kind not in "fV":
        raise not_implemented(name if rank == 2 else f"{name}_cpu", of_numpy(value.dtype))
    return pick(LARGEST[rank], input, _largest_places(value, sizes), rank)


_TWO_OUTS = "(Tensor input, tuple of ints output_size, *, tuple of Tensors out = None)"


@op("_nn.adaptive_max_pool2d", _TWO_OUTS, records=(LARGEST[2],))
def adaptive_max_pool2d(input: Any, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest element of windows of images, as many as output_size says, and where they are."""
    return _largest(2, input, output_size)


@op("_nn.adaptive_max_pool3d", _TWO_OUTS, records=(LARGEST[3],))
def adaptive_max_pool3d(input: Any, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest element of windows of volumes, as many as output_size says, and where they are."""
    return _largest(3, input, output_size)


@op("adaptive_max_pool1d", "(Tensor input, tuple of ints output_size)", method=False, records=(LARGEST[2],))
def adaptive_max_pool1d(input: Any, output_size: Any) -> tuple[Tensor, Tensor]:
    """The largest element of windows along the last dimension, as many as output_size says, and where they are."""
    check_1d("adaptive_max_pool1d", raw(input), output_size=output_size)
    _check_filled("adaptive_max_pool1d", raw(input).shape, 1, True)
    (m,) = _sizes(output_size, 1)
    found, places = _largest(2, input.unsqueeze(-2), (1, m))
    return found.squeeze(-2), places.squeeze(-2)


# Windows of one size at random places.

FRACTIONAL = {rank: _picking(f"FractionalMaxPool{rank}DBackward0") for rank in (2, 3)}


def _starts(samples: ndarray, n: int, m: int, k: int) -> ndarray:
    """Where m windows of k elements begin among n, for each sample."""
    if m == 1:
        return np.full((*samples.shape, 1), n - k)
    alpha = samples.dtype.type((n - k) / (m - 1))
    steps = np.arange(m - 1, dtype=samples.dtype)
    found = ((steps + samples[..., None]) * alpha).astype(int) - (samples[..., None] * alpha).astype(int)
    return np.concatenate([found, np.full((*samples.shape, 1), n - k)], -1)


def _fractional(rank: int, input: Tensor, kernel_size: Any, output_size: Any, samples: Tensor) -> tuple:
    name, value, drawn = f"fractional_max_pool{rank}d", raw(input), raw(samples)
    many = "Ints" if rank == 2 else "three Ints"
    size, counts = _sizes(kernel_size, rank), _sizes(output_size, rank)
    for what, given in (("kernel_size", size), ("output_size", counts)):
        if len(given) != rank:
            raise RuntimeError(f"{name}: {what} must either be a single Int or tuple of {many}")
    shape, own = value.shape, name if rank == 2 else f"{name}_out"
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(f"{own}(): Expected {rank + 1}D or {rank + 2}D tensor, but got: {list(shape)}")
    for d in range(len(shape) - rank - 1, len(shape)):
        if not shape[d]:
            raise RuntimeError(texts.FRACTIONAL_EMPTY.format(name=own, shape=list(shape), d=d))
    lengths = shape[-rank:]
    words = ("time", "height", "width")[3 - rank :]
    for word, n, k, m in zip(words, lengths, size, counts, strict=True):
        if m + k - 1 > n:
            raise RuntimeError(f"{own}(): pool {word} {k} too large relative to input {word} {n}")
    if drawn.dtype != value.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if drawn.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {drawn.ndim}")
    if drawn.shape[2] != rank:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {rank}; got {drawn.shape[2]}.")
    drawn = np.asarray(drawn)[: shape[0] if len(shape) == rank + 2 else 1, : shape[-rank - 1]]
    lead = shape[: len(shape) - rank]
    if not value.size or 0 in counts or 0 in size:
        return pick(FRACTIONAL[rank], input, np.zeros((*lead, *counts), np.int64), rank)
    order = (1, 0) if rank == 2 else (0, 1, 2)  # of images the width is drawn first
    index: Any = 0
    for a, (n, k, m) in enumerate(zip(lengths, size, counts, strict=True)):
        starts = _starts(drawn[..., order[a]], n, m, k)
        places = (starts[..., None] + np.arange(k)) * math.prod(lengths[a + 1 :])
        one = [1] * (2 * rank)
        one[a], one[rank + a] = m, k
        index = index + places.reshape(*places.shape[:2], *one)
    index = index.reshape(*index.shape[:2], math.prod(counts), math.prod(size))
    index = index.reshape(*lead, *index.shape[2:])
    flat = value.reshape(*lead, 1, math.prod(lengths))
    best = np.argmax(np.take_along_axis(flat, index.reshape(*lead, 1, -1), -1).reshape(index.shape), axis=-1)
    places = np.take_along_axis(index, np.expand_dims(best, -1), -1).reshape(*lead, *counts)
    return pick(FRACTIONAL[rank], input, places, rank)


_FRACTIONAL = (
    "(Tensor input, tuple of ints kernel_size, tuple of ints output_size, Tensor _random_samples, *, "
    "tuple of Tensors out = None)"
)


@op("_nn.fractional_max_pool2d", _FRACTIONAL, records=(FRACTIONAL[2],))
def fractional_max_pool2d(input: Any, kernel_size: Any, output_size: Any, _random_samples: Any) -> tuple:
    """The largest element of windows of images at random places, and where they are."""
    return _fractional(2, input, kernel_size, output_size, _random_samples)


@op("_nn.fractional_max_pool3d", _FRACTIONAL, records=(FRACTIONAL[3],))
def fractional_max_pool3d(input: Any, kernel_size: Any, output_size: Any, _random_samples: Any) -> tuple:
    """The largest element of windows of volumes at random places, and where they are."""
    return _fractional(3, input, kernel_size, output_size, _random_samples)

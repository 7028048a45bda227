"""Sums, means and maxima of rows of a table, bag by bag."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.ops.index import HERE, index_add
from funcgrad.ops.structural import stop
from funcgrad.torch.base.dtypes import bfloat16, float16, float32, float64, of_numpy
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.embedding import check_numbers
from funcgrad.torch.ops.nn.gradients import gradient_of, record_gradients, undifferentiable
from funcgrad.torch.primitives.embedding import embedding
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import embedding as texts

SUM, MEAN, MAX = 0, 1, 2


def _embedding_bag(
    weight: Any, sample_weights: Any, places: Any, *, mode: int, bags: int, by_frequency: bool, padding: int
) -> Any:
    """The bags of rows.

    Arguments:
        weight: (rows, features).
        sample_weights: of each row that is read, or 1.0.
        places: (2, n): the numbers of the rows that are read, and of the bags that they go into.
        mode: SUM, MEAN or MAX.
        bags: how many bags there are.
        by_frequency: whether gradients are divided by how often a row was read.
        padding: the number of rows that are not read, or -1.
    """
    numbers, bag = places
    kept = numbers != padding
    numbers, bag = numbers[kept], bag[kept]
    rows = embedding(weight, numbers, padding=-1, by_frequency=by_frequency)
    if mode == MAX:
        return _maxima(rows, bag, bags)
    if type(sample_weights) is not float:
        rows = rows * sample_weights[: len(kept)][kept][:, None]
    kind = rows.dtype
    wide = np.dtype(np.float32) if kind.itemsize == 2 else kind
    out = index_add(np.zeros((bags, weight.shape[1]), wide), rows.astype(wide), bag[None], index=HERE)
    if mode == MEAN:
        out = out / np.maximum(np.bincount(bag, minlength=bags), 1).astype(wide)[:, None]
    return out.astype(kind)


def _maxima(rows: Any, bag: Any, bags: int) -> Any:
    counts = np.bincount(bag, minlength=bags)
    longest = int(counts.max(initial=0))
    if not longest:
        return fnp.sum(rows, axis=0) * 0 + np.zeros((bags, rows.shape[1]), rows.dtype)
    starts = np.cumsum(counts) - counts
    steps = np.arange(longest)
    inside = (steps < counts[:, None])[:, :, None]
    padded = rows[np.where(inside[:, :, 0], starts[:, None] + steps, 0)]
    first = np.argmax(stop(np.where(inside, padded, -np.inf)), axis=1)[:, None, :]
    return np.where(counts[:, None] > 0, fnp.take_along_axis(padded, first, 1)[:, 0], 0)


EMBEDDING_BAG = Operation(
    _embedding_bag,
    "EmbeddingBagBackward0",
    operands=("weight", "per_sample_weights", "indices"),
    edges=2,
    backward_only="_embedding_bag",
)


_BY_WEIGHT = Undifferentiable(gradient_of(_embedding_bag), "", "_embedding_bag_backward")
record_gradients(
    EMBEDDING_BAG,
    Operation(_BY_WEIGHT, "EmbeddingBagBackwardBackward0", again=False),
    undifferentiable(gradient_of(_embedding_bag, 1), "_embedding_bag_per_sample_weights_backward"),
)


@op(
    "embedding_bag",
    "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, "
    "Tensor? per_sample_weights, bool include_last_offset, int? padding_idx)",
    "(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq = False, int mode = 0, "
    "bool sparse = False, Tensor? per_sample_weights = None, bool include_last_offset = False)",
    method=False,
    records=EMBEDDING_BAG,
)
def embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, ...]:
    """Sums, means or maxima of rows of a matrix, bag by bag.

    Arguments:
        weight: (rows, features).
        indices: (n,): the numbers of the rows.
        offsets: where in indices each bag begins.
        scale_grad_by_freq: whether gradients are divided by how often a row was read.
        mode: 0, 1 or 2: the sum, the mean or the maximum.
        sparse: accepted; the gradient is dense in any case.
        per_sample_weights: (n,): what each row is multiplied with; for sums.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: the number of a row that is left out.

    Returns:
        The bags, (bags, features); the bag of each index; the sizes of the bags; and where the maxima came from.
    """
    for x, name in ((indices, "indices"), (offsets, "indices")):
        check_numbers(x, name, 1, "embedding_bag")
    check_numbers(weight, "weight", 1, "embedding_bag", kinds=(float16, bfloat16, float32, float64))
    rows, length = weight._value.shape[0], indices._value.shape[0]
    if include_last_offset and not offsets._value.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    starts = offsets._value.astype(np.int64)
    if starts.size:
        if starts[0] != 0:
            raise RuntimeError(texts.OFFSETS_START.format(start=starts[0], kind=of_numpy(offsets._value.dtype).title))
        if starts[-1] > length:
            raise RuntimeError(texts.OFFSETS_END.format(length=length, end=starts[-1]))
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(texts.PADDING.format(rows=rows, last=rows - 1, found=padding_idx))
    padding = -1 if padding_idx is None else padding_idx % rows
    if per_sample_weights is not None and per_sample_weights._value.dtype != weight._value.dtype:
        names = [of_numpy(x._value.dtype).title for x in (weight, per_sample_weights)]
        raise RuntimeError(texts.SAMPLE_WEIGHTS_TYPE.format(weight=names[0], found=names[1]))
    numbers = indices._value.astype(np.int64)
    fast = padding_idx is None and mode != MAX and weight._value.dtype != np.float64
    _check_range(numbers, rows, texts.OUT_OF_TABLE_FAST if fast else texts.OUT_OF_TABLE)
    bags = len(starts) - include_last_offset
    if include_last_offset:
        numbers = numbers[: starts[-1]]
    bag = _bags_of(starts[:bags], len(numbers))
    params: dict[str, Any] = {"mode": mode, "bags": bags, "by_frequency": scale_grad_by_freq, "padding": padding}
    factors = 1.0 if per_sample_weights is None else per_sample_weights
    out = EMBEDDING_BAG(weight, factors, wrapped(np.stack([numbers, bag])), **params)
    return out, *_statistics(weight._value, numbers, bag, mode, bags, padding)


def _check_range(numbers: ndarray, rows: int, text: str) -> None:
    outside = (numbers < 0) | (numbers >= rows)
    if outside.any():
        place = int(np.argmax(outside))
        raise RuntimeError(text.format(place=place, value=numbers[place], rows=rows))


def _bags_of(starts: ndarray, length: int) -> ndarray:
    """The bag of each index."""
    if not len(starts):
        return np.zeros(length, np.int64)
    return np.cumsum(np.bincount(starts, minlength=length + 1)[:length]) - 1


def _statistics(weight: Any, numbers: ndarray, bag: ndarray, mode: int, bags: int, padding: int) -> tuple[Tensor, ...]:
    """What torch gives beside the bags: the bag of each index, the sizes, and for maxima the rows they came from."""
    kept = numbers != padding
    sizes = np.bincount(bag[kept], minlength=bags)
    if mode == SUM:
        return tuple([wrapped(a) for a in (np.zeros(0, np.int64), np.zeros(bags, np.int64), np.zeros(bags, np.int64))])
    if mode == MEAN or not isinstance(weight, ndarray):
        return tuple([wrapped(a) for a in (bag, sizes, sizes.copy())])
    from_row = np.zeros((bags, weight.shape[1]), np.int64)
    for b in range(bags):
        here = numbers[kept & (bag == b)]
        if here.size:
            from_row[b] = here[np.argmax(weight[here], axis=0)]
    return tuple([wrapped(a) for a in (bag, sizes, from_row)])

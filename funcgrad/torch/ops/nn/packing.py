"""Sequences of different lengths in one tensor: padded, one beside the other, or packed, step after step."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops.index import index_set
from funcgrad.torch.declare.op import op
from funcgrad.torch.tensor.fused import Fused
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import recurrent as texts

# Rows of a matrix, picked and put back: each is the gradient of the other.


def _rows(x: Any, *, rows: np.ndarray) -> Any:
    return x.reshape(-1, *x.shape[2:])[rows]


def _pick(x: np.ndarray, *, rows: np.ndarray) -> tuple:
    return x.reshape(-1, *x.shape[2:])[rows], (x.shape, rows)


def _put_back(g: np.ndarray, kept: tuple, wanted: tuple[int, ...]) -> list:
    shape, rows = kept
    out = np.zeros(shape, g.dtype)
    out.reshape(-1, *shape[2:])[rows] = g
    return [out]


def _padded(x: Any, *, rows: np.ndarray, shape: tuple, padding: Any) -> Any:
    base = np.full((shape[0] * shape[1], *shape[2:]), padding, x.dtype)
    return index_set(base, x, None, index=(rows,)).reshape(shape)


def _put(x: np.ndarray, *, rows: np.ndarray, shape: tuple, padding: Any) -> tuple:
    out = np.full(shape, padding, x.dtype)
    out.reshape(-1, *shape[2:])[rows] = x
    return out, (shape, rows)


def _pick_back(g: np.ndarray, kept: tuple, wanted: tuple[int, ...]) -> list:
    shape, rows = kept
    return [g.reshape(-1, *shape[2:])[rows]]


PACK = Operation(Fused(_rows, _pick, _put_back), "PackPaddedSequenceBackward0", operands=("input",), saves=())
PAD = Operation(Fused(_padded, _put, _pick_back), "CopySlices", operands=("data",), saves=())


def _check_lengths(lengths: Tensor) -> None:
    if lengths.ndim != 1 or lengths._value.dtype != np.int64:
        raise RuntimeError(texts.NOT_LENGTHS.format(ndim=lengths.ndim, kind=lengths.dtype.title))


@op("_pack_padded_sequence", "(Tensor input, Tensor lengths, bool batch_first)", method=False, records=(PACK,))
def _pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool) -> tuple[Tensor, Tensor]:
    """The steps of padded sequences one after the other, and how many sequences each step has.

    Arguments:
        input: "t b ...", or "b t ..." if batch_first.
        lengths: of the sequences, in descending order.
        batch_first: whether the sequences are the first dimension.
    """
    steps, batch = (input.size(1), input.size(0)) if batch_first else (input.size(0), input.size(1))
    _check_lengths(lengths)
    counts = lengths._value
    if not input._value.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(counts) != batch:
        raise RuntimeError(texts.LENGTH_COUNT.format(found=len(counts), n=batch))
    if counts[-1] <= 0:
        raise RuntimeError(texts.NOT_POSITIVE)
    if (counts[1:] > counts[:-1]).any():
        raise RuntimeError(texts.NOT_SORTED)
    there = np.arange(counts[0])[:, None] < counts  # "t b"
    sizes = there.sum(1)
    t, b = there[:steps].nonzero()
    data = PACK(input, rows=b * steps + t if batch_first else t * batch + b)
    if data._node is not None:
        data._node.params = {"batch_first": batch_first, "input_sym_sizes": input._value.shape}
    return data, wrapped(sizes)


@op(
    "_pad_packed_sequence",
    "(Tensor data, Tensor batch_sizes, bool batch_first, Number padding_value, int total_length)",
    method=False,
    records=(PAD,),
)
def _pad_packed_sequence(
    data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: Any, total_length: int
) -> tuple[Tensor, Tensor]:
    """Packed sequences one beside the other, "t b ..." (or "b t ..." if batch_first), and their lengths.

    Arguments:
        data: the steps one after the other.
        batch_sizes: how many sequences each step has.
        batch_first: whether the sequences are the first dimension.
        padding_value: what stands behind the end of a sequence.
        total_length: how many steps the result has, if more than 0.
    """
    _check_lengths(batch_sizes)
    sizes = batch_sizes._value
    if 0 < total_length < len(sizes):
        raise RuntimeError(texts.TOTAL_LENGTH.format(total=total_length, longest=len(sizes)))
    there = np.arange(sizes[0]) < sizes[:, None]  # "t b"
    shape = (max(total_length, len(sizes)), int(sizes[0]), *data._value.shape[1:])
    padded = PAD(data, rows=there.reshape(-1).nonzero()[0], shape=shape, padding=padding_value)
    return padded.transpose(0, 1) if batch_first else padded, wrapped(there.sum(0))


@op(
    "_nn.pad_sequence",
    '(tuple of Tensors sequences, bool batch_first = False, float padding_value = 0.0, str padding_side = "right")',
)
def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences one beside the other, "t b ..." (or "b t ..." if batch_first).

    Arguments:
        sequences: tensors "t ...", which differ in the first dimension alone.
        batch_first: whether the sequences are the first dimension.
        padding_value: what fills them up to the length of the longest.
        padding_side: the side on which it does, "right" or "left".
    """
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    first = sequences[0]
    longest, rest = max(s.size(0) for s in sequences), first._value.shape[1:]
    out = first.new_full((len(sequences), longest, *rest), padding_value)
    if not batch_first:
        out = out.transpose(0, 1).contiguous()
    for k, s in enumerate(sequences):
        n = s._value.shape[0]
        start = 0 if padding_side == "right" else longest - n
        if batch_first:
            out[k, start : start + n].copy_(s)
        else:
            out[start : start + n, k].copy_(s)
    return out

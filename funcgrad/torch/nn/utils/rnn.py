"""`torch.nn.utils.rnn`: sequences of different lengths as one tensor, padded or packed.

Packed sequences lie step after step: first elements of all sequences, then the second ones of those that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import float16, float32, float64, int8, int16, int32, int64, uint8
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import packing
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import recurrent as texts

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

arange, as_tensor, empty_like, sort = (namespaces[""][n] for n in ("arange", "as_tensor", "empty_like", "sort"))


class PackedSequence_(NamedTuple):  # noqa: N801  # the name that PyTorch gives it
    """The four tensors of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Any
    unsorted_indices: Any


def bind(optional: Any, fn: Callable) -> Any:
    """What fn gives for a value; None for None."""
    return None if optional is None else fn(optional)


class PackedSequence(PackedSequence_):
    """Packed sequences, which all recurrent modules take. `pack_sequence` and `pack_padded_sequence` make them.

    Attributes:
        data: the steps one after the other.
        batch_sizes: how many sequences each step has.
        sorted_indices: in which order the sequences were taken; None: as they were given, longest first.
        unsorted_indices: the inverse of that order.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        """The same; data may be the pair (data, batch_sizes)."""
        return super().__new__(cls, *_packed_sequence_init_args(data, batch_sizes, sorted_indices, unsorted_indices))

    def _with(self, data: Tensor, change: Callable) -> PackedSequence:
        return type(self)(
            data, self.batch_sizes, bind(self.sorted_indices, change), bind(self.unsorted_indices, change)
        )

    def pin_memory(self) -> PackedSequence:
        """The same in pinned memory."""
        return self._with(self.data.pin_memory(), lambda t: t.pin_memory())

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with data in another dtype or place; arguments as for `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data, lambda t: t)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on a GPU, of which there is none."""
        kwargs["device"] = "cuda"
        return self.to(*args, **kwargs)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on the CPU."""
        kwargs["device"] = "cpu"
        return self.to(*args, **kwargs)

    def double(self) -> PackedSequence:
        """The same in float64."""
        return self.to(dtype=float64)

    def float(self) -> PackedSequence:
        """The same in float32."""
        return self.to(dtype=float32)

    def half(self) -> PackedSequence:
        """The same in float16."""
        return self.to(dtype=float16)

    def long(self) -> PackedSequence:
        """The same in int64."""
        return self.to(dtype=int64)

    def int(self) -> PackedSequence:
        """The same in int32."""
        return self.to(dtype=int32)

    def short(self) -> PackedSequence:
        """The same in int16."""
        return self.to(dtype=int16)

    def char(self) -> PackedSequence:
        """The same in int8."""
        return self.to(dtype=int8)

    def byte(self) -> PackedSequence:
        """The same in uint8."""
        return self.to(dtype=uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether data is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether data is in pinned memory."""
        return self.data.is_pinned()


def _packed_sequence_init_args(data: Any, batch_sizes: Any, sorted_indices: Any, unsorted_indices: Any) -> tuple:
    if unsorted_indices is None:
        unsorted_indices = invert_permutation(sorted_indices)
    if batch_sizes is None:
        if not (isinstance(data, (list, tuple)) and len(data) == 2):
            raise AssertionError("Expected data to be a list or tuple of length 2")
        data, batch_sizes = data
    elif batch_sizes.device.type != "cpu":
        raise ValueError(texts.BATCH_SIZES_DEVICE)
    return data, batch_sizes, sorted_indices, unsorted_indices


def invert_permutation(permutation: Tensor | None) -> Any:
    """The inverse of a permutation.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    out = empty_like(permutation).contiguous()
    return out.scatter_(0, permutation, arange(0, permutation.numel(), device=permutation.device))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are padded to one length.

    Arguments:
        input: "t b ...", or "b t ..." if batch_first.
        lengths: of the sequences; a tensor or a list.
        batch_first: whether the sequences are the first dimension.
        enforce_sorted: whether they must come in descending order of length; if not, they are sorted.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([[1, 2, 3], [4, 5, 0]])
        >>> torch.nn.utils.rnn.pack_padded_sequence(x, [3, 2], batch_first=True).data
        tensor([1, 4, 2, 5, 3])
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=int64)
    else:
        lengths = as_tensor(lengths, dtype=int64, device="cpu")
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = sort(lengths, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    data, batch_sizes = packing._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: Any = None
) -> tuple[Tensor, Tensor]:
    """Pad packed sequences to one length, in their original order.

    Arguments:
        sequence: what `pack_padded_sequence` gave.
        batch_first: whether the sequences are to be the first dimension of the result.
        padding_value: what stands behind the end of a sequence.
        total_length: how many steps the result has, if more than the longest sequence.

    Returns:
        The sequences, and their lengths.
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(texts.TOTAL_LENGTH.format(total=total_length, longest=longest))
        longest = total_length
    padded, lengths = packing._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Put sequences side by side, padded to the length of the longest.

    Arguments:
        sequences: tensors "t ...".
        batch_first: whether the result is "b t ..." and not "t b ...".
        padding_value: what fills them up.
        padding_side: the side on which it does, "right" or "left".

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.utils.rnn.pad_sequence([torch.ones(1), torch.ones(2)], batch_first=True)
        tensor([[1., 0.],
                [1., 1.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(texts.NO_ITERABLE.format(kind=type(sequences)))
    return namespaces["_nn"]["pad_sequence"](tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences that `pad_sequence` put side by side.

    Arguments:
        padded_sequences: "t b ...", which is transposed in place, or "b t ..." if batch_first.
        lengths: of the sequences.
        batch_first: whether the sequences are the first dimension.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = arange(padded_sequences.shape[1], device=lengths.device)
    return [s[steps < n] for s, n in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths.

    Arguments:
        sequences: tensors "t ...".
        enforce_sorted: whether they must come in descending order of length; if not, they are sorted.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])]).data
        tensor([1, 4, 2, 3])
    """
    lengths = as_tensor([v.size(0) for v in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that `pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


show_as_torch(__name__)
publish(__name__)

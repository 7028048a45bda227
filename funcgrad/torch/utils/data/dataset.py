"""`torch.utils.data.dataset`: what a loader reads from, by index or one after the other."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import data as texts

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

_Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """The base class of datasets that are read by index or key.

    A subclass has `__getitem__`, mostly `__len__` too, and may have `__getitems__`, which reads a whole batch from a
    list of indices.

    Example:
        >>> from funcgrad.torch.utils.data import DataLoader, Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 4
        ...
        ...     def __getitem__(self, i):
        ...         return i, i**2
        >>> list(DataLoader(Squares(), batch_size=2))
        [[tensor([0, 1]), tensor([0, 1])], [tensor([2, 3]), tensor([4, 9])]]
    """

    __reduce_ex__ = reduce_by_place

    def __getitem__(self, index: Any) -> _Sample:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_Sample], Iterable[_Sample]):
    """The base class of datasets that are read from beginning to end, such as streams.

    A subclass has `__iter__`. Each worker process of a loader reads a dataset of its own: `get_worker_info` tells it
    which part is its.
    """

    def __add__(self, other: Dataset) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of the same length: a sample is a tuple with one entry of each.

    Example:
        >>> from funcgrad import torch
        >>> data = torch.utils.data.TensorDataset(torch.eye(2), torch.tensor([5, 6]))
        >>> data[1]
        (tensor([0., 1.]), tensor(6))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Datasets of the same length side by side: a sample has one of each.

    Arguments:
        args: datasets; samples are tuples. Or
        kwargs: named datasets; samples are dicts.

    Example:
        >>> from funcgrad.torch.utils.data import StackDataset
        >>> StackDataset(image="abc", label=[7, 8, 9])[1]
        {'image': 'b', 'label': 8}
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(texts.TWO_KINDS_OF_STACK)
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        parts = list(self._parts())
        self._length = len(parts[0])
        if any(self._length != len(part) for part in parts):
            raise ValueError("Size mismatch between datasets")

    def _parts(self) -> Iterable[Any]:
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def _joined(self, sample: Iterable[Any]) -> tuple | dict:
        return dict(zip(self.datasets, sample, strict=True)) if isinstance(self.datasets, dict) else tuple(sample)

    def __getitem__(self, index: Any) -> tuple | dict:
        return self._joined([part[index] for part in self._parts()])

    def __getitems__(self, indices: list) -> list:
        columns = [_read_together(part, indices) for part in self._parts()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(texts.STACK_SIZE.format(expected=len(indices), got=len(column)))
        return [self._joined(sample) for sample in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


def _read_together(dataset: Any, indices: list) -> list:
    """The samples at these indices, with the dataset's own `__getitems__` where it has one."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[index] for index in indices]


class ConcatDataset(Dataset[_Sample]):
    """Datasets one after the other.

    Example:
        >>> from funcgrad.torch.utils.data import ConcatDataset
        >>> data = ConcatDataset(["abc", "de"])
        >>> len(data), data[3], data[-1]
        (5, 'd', 'e')
    """

    datasets: list[Any]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each of them ends."""
        return list(itertools.accumulate([len(part) for part in sequence]))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError(texts.INDEX_BEYOND)
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The old spelling of `cumulative_sizes`."""
        warnings.warn(texts.OLD_SIZES, FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield part

    def __iter__(self) -> Iterator[Any]:
        for part in self._checked():
            yield from part

    def __len__(self) -> int:
        return sum(len(part) for part in self._checked())


class Subset(Dataset[_Sample]):
    """The samples of a dataset at some of its indices.

    Example:
        >>> from funcgrad.torch.utils.data import Subset
        >>> list(Subset("abcdef", [5, 0]))
        ['f', 'a']
    """

    dataset: Any
    indices: Sequence[int]

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(texts.SUBSET_ITEMS.format(name=kind.__name__))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list:
        return _read_together(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[int | float], generator: Any = None) -> list[Subset]:
    """Divide a dataset at random into subsets that do not overlap.

    Arguments:
        dataset: what has a length and samples.
        lengths: of the subsets, or fractions of the whole; what rounding leaves goes to the first ones.
        generator: of the random order; by default torch's own.

    Raises:
        ValueError: the lengths do not add up to that of the dataset.

    Example:
        >>> from funcgrad import torch
        >>> parts = torch.utils.data.random_split(range(10), [0.8, 0.2], torch.Generator().manual_seed(0))
        >>> [len(part) for part in parts]
        [8, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _whole_lengths(lengths, len(dataset))
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(texts.EMPTY_SPLIT.format(index=i), stacklevel=2)
    if sum(lengths) != len(dataset):
        raise ValueError(texts.SPLIT_SUM)
    indices = namespaces[""]["randperm"](sum(lengths), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, indices[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def _whole_lengths(fractions: Sequence[float], size: int) -> list[int]:
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for i in range(size - sum(lengths)):
        lengths[i % len(lengths)] += 1
    return lengths


show_as_torch(__name__)
publish(__name__)

"""`torch.utils.data.sampler`: the order in which the samples of a dataset are read."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.random import Generator
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import data as texts

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

_torch = namespaces[""]
_Index = TypeVar("_Index", covariant=True)


class Sampler(Generic[_Index]):
    """The base class of samplers: iterating gives the indices of samples, or lists of them.

    A subclass has `__iter__`, and mostly `__len__`.
    """

    __reduce_ex__ = reduce_by_place

    def __iter__(self) -> Iterator[_Index]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices of a dataset in their order."""

    data_source: Sized

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of a dataset in random order.

    Arguments:
        data_source: what has the length.
        replacement: whether an index may come more than once.
        num_samples: how many indices; by default the length.
        generator: the source of random numbers; by default one that torch's own seeds anew for each pass.

    Example:
        >>> from funcgrad import torch
        >>> list(torch.utils.data.RandomSampler("abcde", generator=torch.Generator().manual_seed(0)))
        [4, 0, 1, 3, 2]
    """

    data_source: Sized
    replacement: bool

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(texts.REPLACEMENT.format(replacement=replacement))
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(texts.NUM_SAMPLES.format(num_samples=self.num_samples))

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives; that of the dataset may change."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(int(_torch["empty"]((), dtype=dtypes.int64).random_().item()))
        if self.replacement:
            full, rest = divmod(self.num_samples, 32)
            for size in (*[32] * full, rest):
                yield from _torch["randint"](high=n, size=(size,), dtype=dtypes.int64, generator=generator).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from _torch["randperm"](n, generator=generator).tolist()
            yield from _torch["randperm"](n, generator=generator).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order, each once."""

    indices: Sequence[int]

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in _torch["randperm"](len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


def _positive_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with given probabilities.

    Arguments:
        weights: one for each index; they need not add up to one.
        num_samples: how many indices to draw.
        replacement: whether an index may come more than once.
        generator: the source of random numbers; by default torch's own.
    """

    weights: Tensor
    num_samples: int
    replacement: bool

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if not _positive_int(num_samples):
            raise ValueError(texts.NUM_SAMPLES.format(num_samples=num_samples))
        if not isinstance(replacement, bool):
            raise ValueError(texts.REPLACEMENT.format(replacement=replacement))
        self.weights = _torch["as_tensor"](weights, dtype=dtypes.float64)
        if self.weights.dim() != 1:
            raise ValueError(texts.WEIGHTS_SHAPE.format(shape=tuple(self.weights.shape)))
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = _torch["multinomial"](self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in batches.

    Arguments:
        sampler: what gives indices.
        batch_size: how many make a batch.
        drop_last: whether a last batch that is not full is left out.

    Example:
        >>> from funcgrad.torch.utils.data import BatchSampler
        >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        if not _positive_int(batch_size):
            raise ValueError(texts.BATCH_SIZE.format(batch_size=batch_size))
        if not isinstance(drop_last, bool):
            raise ValueError(texts.DROP_LAST.format(drop_last=drop_last))
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]  # asked only of those that have one
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


show_as_torch(__name__)
publish(__name__)

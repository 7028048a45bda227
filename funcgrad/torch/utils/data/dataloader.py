"""`torch.utils.data.dataloader`: batches of the samples of a dataset, one after the other."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module as _import_module
from typing import Any, Generic, TypeVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.texts import data as texts
from funcgrad.torch.utils.data._utils.collate import default_collate as default_collate
from funcgrad.torch.utils.data._utils.collate import default_convert as default_convert
from funcgrad.torch.utils.data._utils.fetch import DatasetKind as _DatasetKind
from funcgrad.torch.utils.data._utils.iterating import _BaseDataLoaderIter, _SingleProcessDataLoaderIter
from funcgrad.torch.utils.data._utils.worker import get_worker_info as get_worker_info
from funcgrad.torch.utils.data.dataset import IterableDataset
from funcgrad.torch.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = [
    "DataLoader",
    "default_collate",
    "default_convert",
    "get_worker_info",
]

_Batch = TypeVar("_Batch", covariant=True)


class _InfiniteConstantSampler(Sampler):
    """Always None: a dataset that is read from beginning to end needs no indices."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


_SETTLED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""What cannot be set once the loader is there."""


class DataLoader(Generic[_Batch]):
    """Reads a dataset in batches, in this process or ahead of time in others.

    Arguments:
        dataset: what has `__getitem__` and `__len__`, or an `IterableDataset`.
        batch_size: samples in a batch; None: no batches, the samples one by one.
        shuffle: whether each pass has a random order.
        sampler: the order of the indices, instead.
        batch_sampler: lists of indices, instead of all of these.
        num_workers: how many processes read; 0: this one does.
        collate_fn: joins a list of samples; by default `default_collate`.
        pin_memory: there is no device to pin memory for: warns.
        drop_last: whether a last batch that is not full is left out.
        timeout: the seconds to wait for a batch from workers; 0: as long as it takes.
        worker_init_fn: called with its number in each worker before it reads.
        multiprocessing_context: how workers are started: "fork", "spawn", "forkserver" or a context.
        generator: of the random order, and of the seeds of workers.
        prefetch_factor: how many batches each worker reads ahead; 2 unless told.
        persistent_workers: whether workers stay for further passes.
        in_order: whether batches come in order although workers differ in speed.

    Raises:
        ValueError: options contradict each other.

    Example:
        >>> from funcgrad import torch
        >>> data = torch.utils.data.TensorDataset(torch.arange(5), torch.arange(5) ** 2)
        >>> for x, y in torch.utils.data.DataLoader(data, batch_size=3):
        ...     print(x, y)
        tensor([0, 1, 2]) tensor([0, 1, 4])
        tensor([3, 4]) tensor([ 9, 16])
    """

    dataset: Any
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Any
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: Any
    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError(texts.NUM_WORKERS)
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(texts.PREFETCH_ALONE)
        if prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Iterable if isinstance(dataset, IterableDataset) else _DatasetKind.Map
        self._choose_samplers(batch_size, shuffle, sampler, batch_sampler, drop_last, generator)
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    def _choose_samplers(
        self, batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool, generator: Any
    ) -> None:
        iterable = self._dataset_kind == _DatasetKind.Iterable
        if iterable:
            if shuffle not in {False, None}:
                raise ValueError(texts.ITERABLE_WITH_OPTION.format(option="shuffle", value=shuffle))
            if sampler is not None:
                raise ValueError(texts.ITERABLE_WITH_OPTION.format(option="sampler", value=sampler))
            if batch_sampler is not None:
                raise ValueError(texts.ITERABLE_WITH_OPTION.format(option="batch_sampler", value=batch_sampler))
        elif sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(texts.BATCH_SAMPLER_ALONE)
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(texts.NO_BATCHES_TO_DROP)
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(self.dataset, generator=generator)
            else:
                sampler = SequentialSampler(self.dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _workers()._MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self) -> Any:
        """How workers are started; None as Python itself would."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, multiprocessing_context: Any) -> None:
        if multiprocessing_context is not None:
            if self.num_workers == 0:
                raise ValueError(texts.CONTEXT_ALONE.format(num_workers=self.num_workers))
            multiprocessing = _workers().multiprocessing
            if isinstance(multiprocessing_context, str):
                methods = multiprocessing.get_all_start_methods()
                if multiprocessing_context not in methods:
                    raise ValueError(texts.START_METHOD.format(methods=methods, given=multiprocessing_context))
                multiprocessing_context = multiprocessing.get_context(multiprocessing_context)
            if not isinstance(multiprocessing_context, multiprocessing.context.BaseContext):
                raise TypeError(texts.CONTEXT_TYPE.format(given=multiprocessing_context))
        self.__multiprocessing_context = multiprocessing_context

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in _SETTLED:
            raise ValueError(texts.SET_TOO_LATE.format(attribute=attr, loader=type(self).__name__))
        super().__setattr__(attr, val)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are to be more workers than processors."""
        if not self.num_workers:
            return
        counted = hasattr(os, "sched_getaffinity")
        most = len(os.sched_getaffinity(0)) if counted else os.cpu_count() or 1
        if self.num_workers > most:
            unsure = "" if counted else " (`cpuset` is not taken into account)"
            suggestion = texts.SUGGESTED_WORKERS.format(most=most, unsure=unsure)
            warnings.warn(texts.MANY_WORKERS.format(workers=self.num_workers, suggestion=suggestion), stacklevel=2)


def _workers() -> Any:
    """What needs multiprocessing, which is loaded when there are to be workers."""
    return _import_module("funcgrad.torch.utils.data._utils.workers")


show_as_torch(__name__)
publish(__name__)

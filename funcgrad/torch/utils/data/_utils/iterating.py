"""What iterating over a loader gives: the batches, read in this process."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.torch.autograd.profiler import record_function
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.texts import data as texts
from funcgrad.torch.utils.data._utils.fetch import DatasetKind


class _BaseDataLoaderIter:
    """The batches of a loader, of its settings at the time."""

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._persistent_workers = loader.persistent_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        if loader.pin_memory:
            if loader.pin_memory_device:
                warnings.warn(texts.PINNED_WHERE.format(device=loader.pin_memory_device), stacklevel=2)
            warnings.warn(texts.NOT_PINNED, stacklevel=2)
        self._restart(loader)
        drawn = namespaces[""]["empty"]((), dtype=dtypes.int64).random_(generator=loader.generator)
        self._base_seed = drawn.item()
        self._profile_name = f"enumerate(DataLoader)#{type(self).__name__}.__next__"

    def _restart(self, loader: Any) -> None:
        """Begin a pass over the data."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def __iter__(self) -> Any:
        return self

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        with record_function(self._profile_name):
            data = self._next_data()
            self._num_yielded += 1
            said = self._IterableDataset_len_called
            if said is not None and self._dataset_kind == DatasetKind.Iterable and self._num_yielded > said:
                text = texts.LONGER_THAN_SAID.format(dataset=self._dataset, length=said, fetched=self._num_yielded)
                warnings.warn(text + texts.LONGER_WITH_WORKERS * (self._num_workers > 0), stacklevel=2)
            return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Reads a batch when it is asked for."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._dataset_fetcher = DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())


show_as_torch(__name__, "torch.utils.data.dataloader")

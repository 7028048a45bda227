"""How the samples of a batch are read from a dataset."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any


class MapFetcher:
    """Reads samples by index."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> None:
        self.dataset, self.auto_collation, self.collate_fn = dataset, auto_collation, collate_fn

    def fetch(self, index: Any) -> Any:
        """The batch of these indices, or the sample of this one."""
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[index])
        if getattr(dataset, "__getitems__", None):
            return self.collate_fn(dataset.__getitems__(index))
        return self.collate_fn([dataset[i] for i in index])


class IterableFetcher:
    """Reads samples one after the other."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> None:
        self.samples = iter(dataset)
        self.auto_collation, self.collate_fn, self.drop_last = auto_collation, collate_fn, drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """The next batch, of as many samples as there are indices; or the next sample.

        Raises:
            StopIteration: there are no more.
        """
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.samples))
        data = list(itertools.islice(self.samples, len(index)))
        self.ended = len(data) < len(index)
        if not data or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(data)


class DatasetKind:
    """The two kinds of datasets."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> Any:
        """What reads from a dataset of this kind."""
        fetcher = MapFetcher if kind == DatasetKind.Map else IterableFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)

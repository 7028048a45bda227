"""`torch.utils.data.distributed`: the part of a dataset that one of several processes reads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, TypeVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.random import Generator
from funcgrad.torch.texts import data as texts
from funcgrad.torch.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]

_Index = TypeVar("_Index", covariant=True)


class DistributedSampler(Sampler[_Index]):
    """The indices that one of several processes reads: each reads as many, and together they read all.

    Arguments:
        dataset: what has the length.
        num_replicas: how many processes there are; there is no process group that would know.
        rank: which of them this is.
        shuffle: whether the order is random: that of `seed` and the epoch, the same in all processes.
        drop_last: whether indices that are too many to share out are left out; else some come twice.

    Example:
        >>> from funcgrad.torch.utils.data import DistributedSampler
        >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise RuntimeError(texts.NO_PROCESS_GROUP)
        if not 0 <= rank < num_replicas:
            raise ValueError(texts.RANK.format(rank=rank, last=num_replicas - 1))
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle, self.seed = shuffle, seed

    def __iter__(self) -> Iterator[Any]:
        n = len(self.dataset)
        indices = list(range(n))
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = namespaces[""]["randperm"](n, generator=generator).tolist()
        repeated = itertools.islice(itertools.cycle(indices), self.total_size)
        return itertools.islice(repeated, self.rank, None, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which pass over the data comes next: each has an order of its own."""
        self.epoch = epoch


show_as_torch(__name__)
publish(__name__)

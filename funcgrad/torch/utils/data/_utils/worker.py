"""What a worker process knows of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from funcgrad.torch.base.naming import show_as_torch


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What `get_worker_info` gives.

    Attributes:
        id: the number of this worker, from 0.
        num_workers: how many there are.
        seed: what its random numbers were seeded with.
        dataset: its own copy of the dataset.
        rng: generators of its own, for workers that are threads; there are none of those.
        worker_method: "multiprocessing".
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """What this worker process of a loader is; None in every other process."""
    return _worker_info


def enter(info: WorkerInfo) -> None:
    """Say that this process is a worker."""
    global _worker_info
    _worker_info = info


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """The numbers that NumPy's random numbers are seeded with in a worker."""
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(n) for n in np.random.SeedSequence(entropy).generate_state(4)]


show_as_torch(__name__)

"""What a worker process does: it reads batches as long as its loader asks for them."""

from __future__ import annotations

import os
import queue
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from funcgrad.torch import settings
from funcgrad.torch._utils import ExceptionWrapper
from funcgrad.torch.multiprocessing.reductions import Passed, packed
from funcgrad.torch.random import manual_seed
from funcgrad.torch.utils.data import _utils
from funcgrad.torch.utils.data._utils import worker
from funcgrad.torch.utils.data._utils.fetch import DatasetKind


@dataclass(frozen=True)
class Exhausted:
    """A worker's answer instead of a batch: its dataset has no more samples."""

    worker_id: int


class Resume:
    """Ask a worker to read its dataset from the beginning; its answer that it will."""


@dataclass(frozen=True)
class Task:
    """What a worker is started with."""

    dataset_kind: int
    dataset: Any
    auto_collation: bool
    collate_fn: Callable
    drop_last: bool
    base_seed: int
    init_fn: Callable | None
    worker_id: int
    num_workers: int

    def fetcher(self) -> Any:
        """What reads batches, from the beginning."""
        return DatasetKind.create_fetcher(
            self.dataset_kind, self.dataset, self.auto_collation, self.collate_fn, self.drop_last
        )

    def wrapped_error(self) -> ExceptionWrapper:
        """The exception that is being handled, as it is sent to the loader's process."""
        return ExceptionWrapper(where=f"in DataLoader worker process {self.worker_id}")


def run(passed: Passed, index_queue: Any, data_queue: Any, done_event: Any) -> None:
    """Be a worker with this `Task`, until None is in the queue of indices or the loader's process is gone."""
    task = passed.value
    try:
        _seed(task)
        _serve(task, index_queue, data_queue, done_event)
    except KeyboardInterrupt:
        pass  # the loader's process gets it as well, and raises it
    if done_event.is_set():
        data_queue.cancel_join_thread()
        data_queue.close()


def _seed(task: Task) -> None:
    settings.set_num_threads(1)
    seed = task.base_seed + task.worker_id
    random.seed(seed)
    manual_seed(seed)
    np.random.seed(worker._generate_state(task.base_seed, task.worker_id))
    worker.enter(worker.WorkerInfo(task.worker_id, task.num_workers, seed, task.dataset))


def _serve(task: Task, index_queue: Any, data_queue: Any, done_event: Any) -> None:
    fetcher, failure = None, None
    try:
        if task.init_fn is not None:
            task.init_fn(task.worker_id)
        fetcher = task.fetcher()
    except Exception:  # whatever it is, the loader's process raises it
        failure = task.wrapped_error()
    ended = False
    loader = os.getppid()
    while os.getppid() == loader:
        try:
            request = index_queue.get(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
        except queue.Empty:
            continue
        if request is None:
            return
        if isinstance(request, Resume):
            data_queue.put(packed((request, None)))
            fetcher, ended = task.fetcher(), False
        elif not done_event.is_set() and not ended:
            number, index = request
            if failure is not None:
                data, failure = failure, None
            else:
                data = _fetched(task, fetcher, index)
            ended = isinstance(data, Exhausted)
            data_queue.put(_packed(task, number, data))


def _fetched(task: Task, fetcher: Any, index: Any) -> Any:
    try:
        return fetcher.fetch(index)
    except Exception as error:  # whatever it is, the loader's process raises it
        if isinstance(error, StopIteration) and task.dataset_kind == DatasetKind.Iterable:
            return Exhausted(task.worker_id)
        return task.wrapped_error()


def _packed(task: Task, number: int, data: Any) -> bytes:
    try:
        return packed((number, data))
    except Exception:  # whatever pickle has against it, the loader's process raises it
        return packed((number, task.wrapped_error()))

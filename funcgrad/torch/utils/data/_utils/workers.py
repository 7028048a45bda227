"""What iterating over a loader with workers gives: the batches, read in other processes.

Each worker has a queue of the indices that it is to read, and all of them answer into one queue. Batches are numbered:
they come in another order than they are given out, so those that are early wait in `_early`.
"""

from __future__ import annotations

import itertools
import multiprocessing.util
import os
import pickle
import queue
import warnings
import weakref
from typing import Any

from funcgrad.torch._utils import ExceptionWrapper
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.multiprocessing.reductions import Passed, unpacked
from funcgrad.torch.texts import data as texts
from funcgrad.torch.utils.data import _utils
from funcgrad.torch.utils.data._utils import signal_handling
from funcgrad.torch.utils.data._utils.iterating import _BaseDataLoaderIter
from funcgrad.torch.utils.data._utils.worker_loop import Exhausted, Resume, Task, run

_open: weakref.WeakSet = weakref.WeakSet()
"""Those whose workers run. They end with the program, before multiprocessing would kill them."""


def _end_with_the_program() -> None:
    for reader in list(_open):
        reader._shutdown_workers()


multiprocessing.util.Finalize(None, _end_with_the_program, exitpriority=100)  # while queues are open: they have 10


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Reads batches ahead in worker processes."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        if self._prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._in_order = loader.in_order
        self._shutdown = False
        self._workers: list[Any] = []
        self._index_queues: list[Any] = []
        context = loader.multiprocessing_context or multiprocessing.get_context()
        self._data_queue = context.Queue()
        self._done_event = context.Event()
        self._pid = os.getpid()
        _open.add(self)
        for i in range(self._num_workers):
            self._start(context, i, loader.worker_init_fn)
        signal_handling.watch(id(self), tuple([w.pid for w in self._workers]))
        self._restart(loader)  # as PyTorch does: a sampler may draw random numbers when it is asked for an iterator
        self._begin()

    def _start(self, context: Any, worker_id: int, init_fn: Any) -> None:
        index_queue = context.Queue()
        index_queue.cancel_join_thread()
        task = Task(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
            self._base_seed,
            init_fn,
            worker_id,
            self._num_workers,
        )
        args = (Passed(task), index_queue, self._data_queue, self._done_event)
        worker = context.Process(target=run, args=args, daemon=True)
        try:
            worker.start()
        except (TypeError, AttributeError, pickle.PicklingError):
            warnings.warn(texts.UNPICKLABLE_WORKER, stacklevel=2)
            raise
        self._index_queues.append(index_queue)
        self._workers.append(worker)

    def _reset(self, loader: Any) -> None:
        """Begin another pass with the same workers."""
        self._restart(loader)
        for index_queue in self._index_queues:
            index_queue.put(Resume())
        resumed = 0
        while resumed < self._num_workers:  # what else comes is left of the pass before
            resumed += isinstance(self._get_data()[0], Resume)
        self._begin()

    def _begin(self) -> None:
        self._send_idx = self._rcvd_idx = 0  # the numbers of the next batch to give out, and to return
        self._worker_of: dict[int, int] = {}  # of the batches that have been given out
        self._early: dict[int, Any] = {}
        self._workers_status = [True] * self._num_workers  # whether there is more to be read
        self._workers_num_tasks = [0] * self._num_workers
        self._cycle = itertools.cycle(range(self._num_workers))
        for _ in range(self._prefetch_factor * self._num_workers):
            self._give_out()

    # Giving out.

    def _give_out(self) -> None:
        """Have a worker read the next batch."""
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker_id = self._next_worker()
        if worker_id is not None:
            self._index_queues[worker_id].put((self._send_idx, index))
            self._worker_of[self._send_idx] = worker_id
            self._workers_num_tasks[worker_id] += 1
            self._send_idx += 1

    def _next_worker(self) -> int | None:
        most = self._prefetch_factor * self._num_workers
        for worker_id in itertools.islice(self._cycle, self._num_workers):
            if self._workers_status[worker_id] and (
                self._in_order or self._workers_num_tasks[worker_id] < most // sum(self._workers_status)
            ):
                return worker_id
        return None

    # Getting back.

    def _next_data(self) -> Any:
        while True:
            self._skip_what_never_comes()
            if self._rcvd_idx in self._early:
                number, data = self._rcvd_idx, self._early.pop(self._rcvd_idx)
            else:
                number, data = self._get_data()
                if isinstance(data, Exhausted):
                    self._end_worker(data.worker_id)
                    self._give_out()
                    continue
                if number != self._rcvd_idx and self._in_order:
                    self._early[number] = data
                    continue
            self._rcvd_idx += number == self._rcvd_idx
            self._workers_num_tasks[self._worker_of.pop(number)] -= 1
            self._give_out()
            if isinstance(data, ExceptionWrapper):
                data.reraise()
            return data

    def _skip_what_never_comes(self) -> None:
        """Go on to a batch that a worker has or will have.

        Raises:
            StopIteration: there is none.
        """
        while self._rcvd_idx < self._send_idx:
            worker_id = self._worker_of.get(self._rcvd_idx)
            if worker_id is not None and (self._rcvd_idx in self._early or self._workers_status[worker_id]):
                return
            self._worker_of.pop(self._rcvd_idx, None)
            self._rcvd_idx += 1
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _get_data(self) -> Any:
        if self._timeout > 0:
            found = self._try_get_data(self._timeout)
            if found is None:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
            return found
        found = None
        while found is None:
            found = self._try_get_data(_utils.MP_STATUS_CHECK_INTERVAL)
        return found

    def _try_get_data(self, timeout: float) -> Any:
        """What comes next from the workers; None if nothing does in time."""
        try:
            return unpacked(self._data_queue.get(timeout=timeout))
        except Exception as error:  # of any kind: what a dying worker wrote may be cut off
            failed = [
                w for w, more in zip(self._workers, self._workers_status, strict=True) if more and not w.is_alive()
            ]
            for w in failed:
                self._end_worker(self._workers.index(w))
            if failed:
                pids = ", ".join(str(w.pid) for w in failed)
                raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from error
            if isinstance(error, queue.Empty):
                return None
            raise

    # Ending.

    def _end_worker(self, worker_id: int) -> None:
        """No more is to be read by a worker: for good, or in this pass if workers stay."""
        if not self._persistent_workers:
            self._index_queues[worker_id].put(None)
        self._workers_status[worker_id] = False

    def _shutdown_workers(self) -> None:
        if self._shutdown:
            return
        self._shutdown = True
        signal_handling.forget(id(self))
        _open.discard(self)
        self._done_event.set()
        for index_queue in self._index_queues:
            index_queue.put(None)
        for worker in self._workers:
            worker.join(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
        for worker in self._workers:
            if worker.is_alive():
                worker.terminate()
                worker.join(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
        for index_queue in self._index_queues:
            index_queue.cancel_join_thread()
            index_queue.close()

    def __del__(self) -> None:
        if getattr(self, "_pid", None) == os.getpid():  # and not in a process that was forked from this one
            self._shutdown_workers()


show_as_torch(__name__, "torch.utils.data.dataloader")

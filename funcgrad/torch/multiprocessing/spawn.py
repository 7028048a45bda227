"""Processes that are started together, and of which none goes on if one fails."""

from __future__ import annotations

import multiprocessing.connection
import signal
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.multiprocessing.reductions import Passed

_PATIENCE = 30.0
"""How many seconds a process has to end when it is asked to."""


class ProcessException(Exception):  # noqa: N818  (torch's name)
    """A process failed.

    Attributes:
        error_index: which of those started together.
        error_pid: its process number.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.error_pid = error_pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process raised an exception: the message has its traceback."""


class ProcessExitedException(ProcessException):
    """A process ended with an exit code that is not 0, or was killed."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


class ProcessContext:
    """Processes that were started together.

    Arguments:
        processes: the processes.
        errors: for each of them the end of a pipe that has the traceback if it failed.
    """

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes = processes
        self._errors = errors
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}
        self._silent = dict(zip(errors, range(len(errors)), strict=True))  # those that have not sent or closed yet
        self._texts: dict[int, str] = {}

    def pids(self) -> list[int]:
        """Their process numbers."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until one of them ends.

        Arguments:
            timeout: the seconds to wait; by default as long as it takes.
            grace_period: if one fails, the seconds that the others have to end by themselves.

        Returns:
            Whether all have ended.

        Raises:
            ProcessRaisedException: one raised an exception. The others are ended.
            ProcessExitedException: one failed otherwise.
        """
        if not self.sentinels:
            return True
        # The texts of errors are waited for, too: a child whose text is longer than a pipe holds ends after it is read.
        ready = multiprocessing.connection.wait([*self.sentinels, *self._silent], timeout)
        failed = [i for i in [self._silent[r] for r in ready if r in self._silent] if self._received(i)]
        for index in [*failed, *[self.sentinels[r] for r in ready if r in self.sentinels]]:
            self.processes[index].join()
            self.sentinels.pop(self.processes[index].sentinel, None)
            if self.processes[index].exitcode != 0:
                self._end_all(grace_period)
                self._raise(index)
        return not self.sentinels

    def _received(self, index: int) -> bool:
        """Whether a process has sent the text of an error."""
        del self._silent[self._errors[index]]
        try:
            self._texts[index] = self._errors[index].recv()
        except EOFError:  # it has closed its end
            return False
        return True

    def _end_all(self, grace_period: float | None) -> None:
        patience = _PATIENCE if grace_period is None else grace_period
        if grace_period is not None:
            self._wait(patience)
        for end in ("terminate", "kill"):
            for process in self.processes:
                if process.is_alive():
                    getattr(process, end)()
            self._wait(patience)

    def _wait(self, seconds: float) -> None:
        for process in self.processes:
            process.join(seconds)

    def _raise(self, index: int) -> None:
        failed = self.processes[index]
        if index not in self._texts and self._errors[index] in self._silent:
            self._received(index)
        if index in self._texts:
            text = f"\n\n-- Process {index:d} terminated with the following error:\n{self._texts[index]}"
            raise ProcessRaisedException(text, index, failed.pid)
        code = failed.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            raise ProcessExitedException(
                f"process {index:d} terminated with signal {name}", index, failed.pid, code, name
            )
        raise ProcessExitedException(f"process {index:d} terminated with exit code {code:d}", index, failed.pid, code)


def _call(passed: Passed, index: int, errors: Any) -> None:
    function, args = passed.value
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass  # whoever started it gets it as well
    except Exception as error:  # whatever it is, whoever started it raises it
        errors.send(traceback.format_exc())
        raise SystemExit(1) from error


def start_processes(
    fn: Callable,
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start processes that call a function with their number and further arguments.

    Arguments:
        fn: called as `fn(i, *args)`.
        nprocs: how many processes.
        join: whether to wait for all of them.
        daemon: whether they end with this process.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        What joins them; None if they have been joined.
    """
    context = multiprocessing.get_context(start_method)
    processes: list[Any] = []
    errors: list[Any] = []
    for i in range(nprocs):
        received, sent = context.Pipe(duplex=False)
        process = context.Process(target=_call, args=(Passed((fn, args)), i, sent), daemon=daemon)  # type: ignore[attr-defined]  # each context has it
        process.start()
        sent.close()
        processes.append(process)
        errors.append(received)
    together = ProcessContext(processes, errors)
    if not join:
        return together
    while not together.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: Sequence[Any] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Start new processes that call a function; see `start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


show_as_torch(__name__)

"""Worker processes of `torch.utils.data.DataLoader` and `torch.multiprocessing.spawn`: how they start, die and end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from funcgrad import torch
from funcgrad.torch import multiprocessing
from funcgrad.torch.utils.data import DataLoader, TensorDataset

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="workers here are forks"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # Python 3.12, of forks while threads run
]

DATA = TensorDataset(torch.arange(6))


def killed(index: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def gone(index: int) -> None:
    os._exit(3)


@pytest.mark.parametrize(("init", "text"), [(killed, "is killed by signal: Killed. "), (gone, "with exit code 3. ")])
def test_a_worker_that_dies_is_noticed(init, text: str) -> None:
    with pytest.raises(RuntimeError, match="DataLoader worker") as caught:
        list(DataLoader(DATA, num_workers=1, worker_init_fn=init, multiprocessing_context="fork"))
    assert text in f"{caught.value} {caught.value.__cause__}"


def test_a_worker_that_dies_is_noticed_without_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("funcgrad.torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL", 0.05)
    monkeypatch.setattr("funcgrad.torch.utils.data._utils.signal_handling.watch", lambda reader, pids: None)
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(DataLoader(DATA, num_workers=1, worker_init_fn=killed, multiprocessing_context="fork"))


def test_a_batch_that_cannot_be_pickled_is_an_error() -> None:
    loader = DataLoader(DATA, num_workers=1, collate_fn=lambda batch: lambda: batch, multiprocessing_context="fork")
    with pytest.raises(AttributeError, match=r"(?s)Caught AttributeError in DataLoader worker process 0.*local object"):
        list(loader)


def test_what_cannot_be_pickled_is_no_argument_of_a_spawned_worker() -> None:
    loader = DataLoader(DATA, num_workers=1, collate_fn=lambda batch: batch, multiprocessing_context="spawn")
    with pytest.warns(UserWarning, match="Got pickle error when attempting to start"), pytest.raises(AttributeError):
        iter(loader)


def test_workers_are_shared_out_as_they_have_room() -> None:
    loader = DataLoader(DATA, num_workers=2, in_order=False, multiprocessing_context="fork")
    assert sorted(int(x) for (x,) in loader) == list(range(6))


def test_workers_read_ahead() -> None:
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0 for MultiProcessing"):
        iter(DataLoader(DATA, num_workers=1, prefetch_factor=0))


def test_many_workers_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="This DataLoader will create 1000 worker processes in total. Our suggested"):
        DataLoader(DATA, num_workers=1000)


@pytest.mark.parametrize("how", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_a_program_ends_while_workers_run(how: str) -> None:
    """An iterator that nobody has finished, and persistent workers, keep no program from ending, without a word."""
    program = """
        from funcgrad import torch
        from funcgrad.torch.utils.data import DataLoader, TensorDataset
        loaders = [DataLoader(TensorDataset(torch.arange(9)), num_workers=1, persistent_workers=p,
                              multiprocessing_context=HOW) for p in (False, True)]
        if __name__ == "__main__":
            iterators = [iter(loader) for loader in loaders]
            print([next(i)[0].item() for i in iterators])
    """
    source = textwrap.dedent(program).replace("HOW", repr(how))
    ran = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("[0, 0]\n", "", 0)


def test_multiprocessing_has_loaded_only_with_workers() -> None:
    program = "from funcgrad.torch.utils import data; import sys; list(data.DataLoader([1])); "
    ran = subprocess.run([sys.executable, "-c", program + "print('multiprocessing' in sys.modules)"],
                         capture_output=True, text=True, check=True)  # fmt: skip  # one line is enough
    assert ran.stdout == "False\n"


def double(index: int, queue, factor: int) -> None:
    if factor == 0:
        raise ValueError("no factor")
    if factor < 0:
        os._exit(4)
    queue.put((index, torch.full((2,), float(factor))))


def test_processes_are_started_and_joined_together() -> None:
    queue = multiprocessing.get_context("fork").SimpleQueue()
    assert multiprocessing.start_processes(double, (queue, 3), nprocs=2, start_method="fork") is None
    found = dict([queue.get(), queue.get()])
    assert {index: t.tolist() for index, t in found.items()} == {0: [3.0, 3.0], 1: [3.0, 3.0]}


def test_processes_that_fail() -> None:
    with pytest.raises(multiprocessing.ProcessRaisedException, match=r"(?s)-- Process 0 terminated.*no factor"):
        multiprocessing.start_processes(double, (None, 0), start_method="fork")
    with pytest.raises(multiprocessing.ProcessExitedException, match="process 0 terminated with exit code 4") as caught:
        multiprocessing.start_processes(double, (None, -1), start_method="fork")
    assert (caught.value.exit_code, caught.value.error_index) == (4, 0)
    context = multiprocessing.start_processes(killed, start_method="fork", join=False)
    with pytest.raises(multiprocessing.ProcessExitedException, match="process 0 terminated with signal SIGKILL"):
        context.join()
    assert len(context.pids()) == 1


def fails_at_length(index: int) -> None:
    raise ValueError("x" * 200_000)


def test_an_error_may_be_longer_than_a_pipe_holds() -> None:
    with pytest.raises(multiprocessing.ProcessRaisedException, match="x" * 1000):
        multiprocessing.start_processes(fails_at_length, start_method="fork")


def test_joining_nobody_does_not_wait() -> None:
    assert multiprocessing.start_processes(killed, nprocs=0, start_method="fork") is None
    queue = multiprocessing.get_context("fork").SimpleQueue()
    context = multiprocessing.start_processes(double, (queue, 2), start_method="fork", join=False)
    while not context.join():
        pass
    assert context.join() and queue.get()[1].tolist() == [2.0, 2.0]


def test_sharing_strategies_are_kept() -> None:
    before = multiprocessing.get_sharing_strategy()
    multiprocessing.set_sharing_strategy("file_system")
    assert multiprocessing.get_sharing_strategy() == "file_system"
    multiprocessing.set_sharing_strategy(before)
    with pytest.raises(AssertionError, match="invalid sharing strategy 'x'"):
        multiprocessing.set_sharing_strategy("x")

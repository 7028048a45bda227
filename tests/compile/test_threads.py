"""The threads of the NumPy backend, and what becomes of them and of locks in a child process."""

import multiprocessing
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.numpy_backend import tiles
from funcgrad.core.locks import new_lock

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
X = np.linspace(0.1, 1.0, 300_000)


def in_child(f, seconds: float = 60.0) -> int:
    """The exit code of a child process that calls f and leaves with 0 if it returns true; -1 if it takes longer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 advises against what is tested here
        pid = os.fork()
    if not pid:  # the child must not come back into pytest
        try:
            os._exit(0 if f() else 1)
        except BaseException:  # whatever happens the child ends here
            os._exit(2)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -1


@pytest.fixture
def threads(monkeypatch):
    monkeypatch.setattr(tiles.pool, "size", 2)
    return fg.jit(lambda x: fnp.sin(x) * fnp.exp(x) + fnp.cos(x))


@forks
def test_a_child_has_threads_of_its_own(threads):
    expected = np.sin(X) * np.exp(X) + np.cos(X)
    np.testing.assert_allclose(threads(X), expected)
    assert tiles.pool.executor is not None  # the work was spread

    def work():
        assert tiles.pool.executor is None
        return np.allclose(threads(X), expected) and tiles.pool.executor is not None

    assert in_child(work) == 0
    np.testing.assert_allclose(threads(X), expected)  # and the parent has kept its own


@forks
def test_a_child_of_a_child(threads):
    expected = np.asarray(threads(X))
    assert in_child(lambda: in_child(lambda: np.array_equal(threads(X), expected)) == 0) == 0


@forks
def test_forks_while_another_thread_computes(threads):
    """It compiles, spreads work, holds locks and is inside transforms when the process forks."""
    expected, gradient = np.asarray(threads(X)), fg.grad(lambda x: fnp.sum(fnp.sin(x)))
    stop = threading.Event()
    failed = []

    def busy():
        k = 0
        while not stop.is_set():
            k += 1
            try:
                threads(X)
                fg.jit(lambda x: fg.grad(lambda x: fnp.sum(fnp.sin(x) * k))(x))(X[:10])
                with fg.debug.nans():
                    gradient(X[:10])
            except Exception as e:  # the test reports it
                failed.append(e)

    worker = threading.Thread(target=busy)
    worker.start()
    try:
        for _ in range(5):
            assert in_child(lambda: np.array_equal(threads(X), expected) and float(gradient(0.0)) == 1.0) == 0
    finally:
        stop.set()
        worker.join()
    assert not failed


@forks
def test_locks_are_free_in_a_child():
    lock = new_lock()
    with lock:
        assert in_child(lambda: lock.acquire(timeout=5.0)) == 0
        assert not lock.acquire(blocking=False)  # and held in the parent


PROGRAM = fg.jit(lambda x: fnp.sum(fnp.sin(x) * fnp.exp(x)))


def _of_program(k):
    return float(PROGRAM(X + k))


@pytest.mark.slow
@forks
def test_a_pool_of_processes(threads):
    expected = [float(np.sum(np.sin(X + k) * np.exp(X + k))) for k in range(4)]
    assert [_of_program(k) for k in range(4)] == pytest.approx(expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pool = multiprocessing.get_context("fork").Pool(2)
    with pool:
        assert pool.map_async(_of_program, range(4)).get(timeout=120) == pytest.approx(expected)

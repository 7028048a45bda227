"""What the tests of machine code share."""

import contextlib
import signal

import pytest


class StoppedError(Exception):
    """What the handler of a signal raises."""


@pytest.fixture
def interrupted():
    """A context manager for what a signal must end that comes after so many seconds."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("there are no timers here")

    def stop(*_):
        raise StoppedError

    @contextlib.contextmanager
    def after(seconds):
        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            with pytest.raises(StoppedError):
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)

    return after

"""What the tests of machine code share."""

import contextlib
import signal

import pytest

from funcgrad.compile.native.llvm import target


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


@pytest.fixture
def arm64():
    """A function that gives the object for arm64 of a module's text."""
    binding = target().llvm
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    try:
        arm = binding.Target.from_triple("aarch64-unknown-linux-gnu")
    except RuntimeError:
        pytest.skip("this LLVM knows no arm64")
    machine = arm.create_target_machine(opt=2, jit=True, cpu="generic")

    def emitted(text):
        parsed = binding.parse_assembly(text)
        parsed.verify()
        return machine.emit_object(parsed)

    return emitted

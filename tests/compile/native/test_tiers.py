"""Machine code takes the place of NumPy's program when it is there, and nobody notices otherwise."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile import tiers
from funcgrad.compile.native import llvm
from funcgrad.errors import ArgumentError

needs_llvm = pytest.mark.skipif(bool(llvm.missing()), reason=llvm.missing())
X = np.array([1.0, 2.0, 3.0])


def program_of(f, *args):
    """What runs a function for arguments like these."""
    return f._compiled(fg.compile.jit.Given(f.f, args, {}, f.static)).kernel


def second_tier():
    f = fg.jit(lambda x: fnp.sin(x) * x, backend="tiers")
    results = [f(X), f(X)]
    tiers.background.join()
    return f, [*results, f(X)]


@needs_llvm
def test_the_third_call_may_be_machine_code():
    f, results = second_tier()
    for r in results:
        np.testing.assert_allclose(np.asarray(r), np.sin(X) * X, rtol=1e-15)
    assert type(f.lower(X).compile().compiled.kernel) is type(len)
    assert "define ptr @program" in f.source(X)


@needs_llvm
def test_one_call_is_not_worth_it():
    f = fg.jit(lambda x: fnp.sin(x) * x, backend="tiers")
    f(X)
    tiers.background.join()
    assert "define" not in f.source(X)


def test_errors_leave_the_program_with_numpy(monkeypatch):
    def broken(tape):
        raise RuntimeError("LLVM is out of order")

    monkeypatch.setattr(tiers, "machine_code", broken)
    monkeypatch.setattr(tiers, "missing", lambda: "")
    f, results = second_tier()
    np.testing.assert_allclose(np.asarray(results[2]), np.sin(X) * X, rtol=1e-15)
    assert "define" not in f.source(X)


def test_without_llvm_there_is_one_tier(monkeypatch):
    monkeypatch.setattr(tiers, "missing", lambda: "llvmlite is not installed")
    f, results = second_tier()
    np.testing.assert_allclose(np.asarray(results[2]), np.sin(X) * X, rtol=1e-15)
    assert "define" not in f.source(X)


def test_the_backend_by_name_says_why_it_cannot_be_used(monkeypatch):
    monkeypatch.setattr(llvm, "missing", lambda: "llvmlite is not installed: pip install 'funcgrad[native]'")
    with pytest.raises(ArgumentError, match=r"backend 'native' cannot be used: llvmlite is not installed: pip install"):
        fg.jit(lambda x: x, backend="native")


@pytest.mark.parametrize(("name", "kind"), [("numpy", "def program"), ("eager", "tape(")])
def test_a_variable_names_the_backend(monkeypatch, name, kind):
    monkeypatch.setenv("FUNCGRAD_BACKEND", name)
    assert fg.jit(lambda x: fnp.sin(x) * x).source(X).startswith(kind)


def test_a_closed_background_takes_nothing():
    work = tiers._Background()
    work.close()
    work.add(None)
    assert work._thread is None


FORKS = """
import os, warnings
import numpy as np, funcgrad as fg, funcgrad.numpy as fnp
warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
from funcgrad.compile import tiers
x = np.ones(3)
fs = [fg.jit(lambda x, k=k: fnp.sin(x) * k + x) for k in range(1, 30)]
for f in fs:
    f(x), f(x)
child = os.fork()
if not child:
    assert not tiers.background._waiting
    g = fg.jit(lambda x: fnp.cos(x) * 2)
    g(x), g(x)
    tiers.background.join()
    assert "define" in g.source(x)
    assert float(fg.jit(lambda x: x[0] * 3.0, backend="native")(x)) == 3.0
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@needs_llvm
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_process_may_fork_in_the_midst_of_it():
    env = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_BACKEND"}
    run = subprocess.run([sys.executable, "-c", FORKS], env=env, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


@needs_llvm
def test_the_interpreter_ends_in_the_midst_of_it():
    code = """
import numpy as np, funcgrad as fg, funcgrad.numpy as fnp
fs = [fg.jit(lambda x, k=k: fnp.sin(x) * k + x) for k in range(1, 9)]
for f in fs:
    f(np.ones(3)), f(np.ones(3))
"""
    env = {k: v for k, v in os.environ.items() if k != "FUNCGRAD_BACKEND"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_code_is_freed_when_no_call_of_llvm_is_under_way():
    """A thread that frees it does not wait for another one that makes some, and no process forks in the midst of it."""
    freed = []

    class Engine:
        def close(self):
            freed.append(llvm.working.acquire(blocking=False))
            llvm.working.release()

    with llvm.working:
        other = threading.Thread(target=llvm._discard, args=(Engine(),))
        other.start()
        other.join()
        assert freed == []
    llvm._discard(Engine())
    assert freed == [True, True]

"""The collector of cyclic garbage stands still while programs are made, and never longer."""

import gc
import os

import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile import backends
from funcgrad.compile.collector import Uncollected


@pytest.fixture(autouse=True)
def as_it_was():
    yield
    gc.enable()


def test_nothing_is_collected_while_a_program_is_made(monkeypatch):
    seen = []

    def backend(tape):
        seen.append(gc.isenabled())
        return lambda *args: tuple(args)

    monkeypatch.setitem(backends._backends, "looking", (backend, None))
    fg.jit(lambda x: x, backend="looking")(fnp.ones(2))
    assert seen == [False]
    assert gc.isenabled()


def test_it_goes_on_when_the_last_one_has_ended_however_it_did():
    with pytest.raises(ZeroDivisionError), Uncollected():
        with Uncollected():
            pass
        assert not gc.isenabled()
        1 / 0
    assert gc.isenabled()
    gc.disable()
    with Uncollected():
        pass
    assert not gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_child_collects():
    with Uncollected():
        child = os.fork()
        if not child:
            os._exit(not gc.isenabled())
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

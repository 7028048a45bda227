"""Running programs while a session looks on, in this process."""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from funcgrad import torch as ours
from funcgrad.torch.report import places
from funcgrad.torch.report.running import Report, explained


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`import torch` leads to funcgrad, wherever PyTorch is installed."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    monkeypatch.setattr(sys, "path", list(sys.path))
    with ours.install():
        yield
    sys.modules.update(kept)


@pytest.fixture
def report(installed: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Report]:
    """Run a program, quietly, and give its report."""

    def run(path: Path) -> Report:
        linecache.checkcache()
        places.forget()
        monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        code = compile(path.read_text(), str(path), "exec", dont_inherit=True)
        before = ours.get_default_dtype()
        quiet = io.StringIO()
        with (
            contextlib.redirect_stdout(quiet),
            contextlib.redirect_stderr(quiet),
            warnings.catch_warnings(record=True),
        ):
            warnings.simplefilter("default")
            found = explained(code, {"__file__": str(path)}, str(path))
        ours.set_default_dtype(before)
        if found.session.broken is not None:
            raise found.session.broken
        return found

    return run

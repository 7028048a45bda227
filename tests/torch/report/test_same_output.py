"""A program prints, warns and raises the same while a session looks on: golden scripts, recorded from PyTorch."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from funcgrad import torch
from funcgrad.torch.base.modes import state
from funcgrad.torch.report.analysis import findings
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching import Watching

GOLDEN = Path(__file__).parents[1] / "golden"
RUNNER = runpy.run_path(str(GOLDEN / "runner.py"))
SCRIPTS = [path for path in RUNNER["scripts"]() if path.stem != "storages"]  # it makes a tensor of a terabyte
FEW = [*SCRIPTS[::40], *[path for path in SCRIPTS if path.stem in ("lazy", "clipping", "only_inputs_and_names")]]


def check(script: Path) -> None:
    session, modes = Session(), dict(vars(state))
    with Watching(session):
        found = RUNNER["run"](script, torch).splitlines()
    vars(state).update(modes)
    assert found == script.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert session.broken is None
    assert findings(session, None, str(script)) is not None


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("script", FEW, ids=name)
def test_the_same_is_printed(script: Path) -> None:
    check(script)


@pytest.mark.slow
@pytest.mark.parametrize("script", [path for path in SCRIPTS if path not in FEW], ids=name)
def test_the_same_is_printed_by_all(script: Path) -> None:
    check(script)

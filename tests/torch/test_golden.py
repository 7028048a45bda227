"""The torch face prints, warns and raises what real torch printed, warned and raised for the scripts in golden/."""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest

from funcgrad import torch as funcgrad_torch

GOLDEN = Path(__file__).parent / "golden"
RUNNER = runpy.run_path(str(GOLDEN / "runner.py"))
SCRIPTS = RUNNER["scripts"]()

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")


def recorded(script: Path) -> str:
    return script.with_suffix(".txt").read_text(encoding="utf-8")


def run(script: Path, torch: object) -> list[str]:
    return RUNNER["run"](script, torch).splitlines()


@each_script
def test_same_as_torch(script: Path, checked_plain: None) -> None:
    assert run(script, funcgrad_torch) == recorded(script).splitlines()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@each_script
def test_recording_is_what_torch_does(script: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip(f"the recordings are of torch 2.13, this is torch {torch.__version__}")
    assert run(script, torch) == recorded(script).splitlines()


def test_each_script_has_a_recording_and_each_recording_a_script() -> None:
    recordings = {path.with_suffix(".py") for path in GOLDEN.glob("*/*.txt")}
    assert recordings == set(SCRIPTS)
    assert len(SCRIPTS) > 100

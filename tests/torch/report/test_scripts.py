"""The planted scripts do what their first lines say; their README says what that is."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from funcgrad import torch as ours


def _witness() -> types.ModuleType:
    path = Path(__file__).parent / "scripts" / "witness.py"
    spec = util.spec_from_file_location("witness", path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


witness = _witness()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`import torch` leads to funcgrad, wherever PyTorch is installed."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torch"}
    monkeypatch.setattr(sys, "path", list(sys.path))
    with ours.install():
        yield
    sys.modules.update(kept)


def name(path: Path) -> str:
    return path.stem


def test_there_are_enough_of_them() -> None:
    planted = [witness.Planted.read(path) for path in witness.BROKEN]
    assert len(planted) >= 44
    assert len(witness.HEALTHY) >= 44
    assert len({each.kind for each in planted}) >= 24
    assert {severity for each in planted for severity in each.severities} == set(witness.SEVERITIES)


@pytest.mark.parametrize("path", witness.BROKEN, ids=name)
def test_a_broken_script_names_its_bug(path: Path) -> None:
    planted = witness.Planted.read(path)
    assert planted.severities
    assert set(planted.severities) <= set(witness.SEVERITIES)
    assert planted.variables
    assert planted.lines


@pytest.mark.parametrize("path", witness.HEALTHY, ids=name)
def test_a_healthy_script_names_none(path: Path) -> None:
    planted = witness.Planted.read(path)
    assert not planted.severities
    assert not planted.lines


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("path", witness.BROKEN, ids=name)
def test_the_bug_is_there(path: Path) -> None:
    assert witness.witness(path) == ""


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("path", witness.HEALTHY, ids=name)
def test_a_healthy_script_learns(path: Path) -> None:
    assert witness.witness(path) == ""

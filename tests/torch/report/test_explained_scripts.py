"""The report names the line and the cause in each planted script, and finds nothing wrong in the healthy ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from funcgrad.torch.report.running import Report

SCRIPTS = Path(__file__).parent / "scripts"


def name(path: Path) -> str:
    return path.stem


def same(a: str, b: str) -> bool:
    """Whether two names are of one variable: seen from different places they have different beginnings."""
    return a == b or a.endswith("." + b) or b.endswith("." + a)


@pytest.mark.parametrize("path", sorted((SCRIPTS / "broken").glob("*.py")), ids=name)
def test_the_report_names_the_bug(path: Path, report: Callable[[Path], Report]) -> None:
    text = path.read_text()
    expect = re.search(r"^# expect: (\S+) \S+ (.+)$", text, re.MULTILINE)
    assert expect is not None
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# <- here")]
    found = [f for f in report(path).findings if f.severity != "note"]
    assert any(
        f.line in lines
        and f.severity in expect[1].split("|")
        and any(same(a, b) for a in f.variables for b in expect[2].split(", "))
        for f in found
    ), found


@pytest.mark.parametrize("path", sorted((SCRIPTS / "healthy").glob("*.py")), ids=name)
def test_there_is_no_false_alarm(path: Path, report: Callable[[Path], Report]) -> None:
    assert [f for f in report(path).findings if f.severity != "note"] == []

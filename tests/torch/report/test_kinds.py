"""Each kind of finding in a small program: the right line and severity; and nothing wrong in healthy ones.

kinds.txt and healthy.txt hold the programs, each after a line `### name: severity`. The line to blame ends in
`# <- here`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from funcgrad.torch.report.running import Report

BEGINNING = """\
import torch, numpy as np
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
"""


def programs(file: str) -> list[Any]:
    """(severities, program) of each program in a file, by its name."""
    parts = re.split(r"^### ", (Path(__file__).parent / file).read_text(), flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        head, _, program = part.partition("\n")
        name, _, severity = head.partition(": ")
        found.append(pytest.param(severity, BEGINNING + program, id=name))
    return found


@pytest.mark.parametrize(("severity", "program"), programs("kinds.txt"))
def test_kind(severity: str, program: str, tmp_path: Path, report: Callable[[Path], Report]) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)
    lines = [number for number, line in enumerate(program.splitlines(), 1) if line.endswith("# <- here")]
    found = [f for f in report(path).findings if f.severity != "note"]
    assert any(f.line in lines and f.severity in severity.split("|") for f in found), found


@pytest.mark.parametrize(("severity", "program"), programs("healthy.txt"))
def test_healthy(severity: str, program: str, tmp_path: Path, report: Callable[[Path], Report]) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)
    assert severity == "ok"
    assert [f for f in report(path).findings if f.severity != "note"] == []

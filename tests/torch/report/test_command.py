"""`python -m funcgrad.torch --explain`: what it writes, and that the program does what it does without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from funcgrad.torch.report.command import Options, main, parsed

PROGRAM = """\
import sys
import torch
import warnings
print(sys.argv[1:], __name__)
w = torch.zeros(2, requires_grad=True)
w.sqrt().sum().backward()
print(w.grad)
warnings.warn("mind the step")
sys.exit(3)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "funcgrad.torch", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_report_is_written_and_the_program_is_as_it_is_without(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    found = run(tmp_path, "--explain", "program.py", "a", "--json", "found.json", "--html=page.html")
    assert (found.stdout, found.returncode) == ("['a'] __main__\ntensor([inf, inf])\n", 3)
    assert found.stderr.startswith('program.py:8: UserWarning: mind the step\n  warnings.warn("mind the step")\n')
    assert "program.py:6: w.sqrt().sum().backward()" in found.stderr
    first, *rest = json.loads((tmp_path / "found.json").read_text())
    assert list(first) == ["line", "file", "kind", "severity", "variables", "text", "remedy"]
    assert (first["line"], first["severity"], first["variables"]) == (6, "nonfinite", ["w"])
    assert first["file"] == "program.py"
    assert [(f["line"], f["severity"], f["kind"]) for f in rest] == [(8, "note", "warning")]
    page = (tmp_path / "page.html").read_text()
    assert "<iframe" in page
    assert "w.sqrt().sum().backward()" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


def test_a_traceback_shows_no_frame_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import torch\n\ntorch.ones(2).backward()\n")
    found = run(tmp_path, "--explain", "--html", "", "program.py")
    assert found.returncode == 1
    traceback, _, said = found.stderr.partition("\nfuncgrad: ")
    assert traceback.startswith('Traceback (most recent call last):\n  File "program.py", line 3, in <module>\n')
    assert traceback.endswith("does not require grad and does not have a grad_fn\n")
    assert f"torch{os.sep}report" not in traceback
    assert "error: " in said
    assert not list(tmp_path.glob("*.html"))


def test_the_usage_is_said_without_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_options_of_the_report_stand_on_either_side_and_end_at_two_dashes() -> None:
    assert parsed(["--html", "a.html", "x.py", "--json=b"]) == (Options("b", "a.html"), ["x.py"])
    assert parsed(["x.py", "--", "--json", "b"]) == (Options(), ["x.py", "--json", "b"])
    assert parsed(["x.py", "--json"])[1] is None

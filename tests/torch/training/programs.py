"""Runs a training program with a given torch, and says how exact its losses must be."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import ModuleType

TRAINING = Path(__file__).parent
RUNNER = runpy.run_path(str(TRAINING.parent / "golden" / "runner.py"))
NO_PROGRAMS = {"programs", "record"}


def programs(*names: str) -> list[Path]:
    """All training programs, or those of these names, in alphabetical order."""
    found = sorted(path for path in TRAINING.glob("*.py") if path.stem not in NO_PROGRAMS)
    return [path for path in found if not names or path.stem in names]


def printed(program: Path, torch: ModuleType) -> str:
    """What a program prints with a torch."""
    return RUNNER["run"](program, torch)


def recorded(program: Path) -> str:
    """What it printed with PyTorch."""
    return program.with_suffix(".txt").read_text(encoding="utf-8")


def losses(text: str) -> list[list[float]]:
    """The numbers of each line.

    Raises:
        ValueError: a line is something else: a warning, or the error with which the program ended.
    """
    return [[float(number) for number in line.split()] for line in text.splitlines()]


def is_slow(program: Path) -> bool:
    """Whether a program is left to the slow tests."""
    return "\n# slow" in program.read_text(encoding="utf-8")


def exactness(program: Path) -> float:
    """How far a loss may be from the recorded one, relative to it."""
    found = re.search(r"^# to (\S+) of its value", program.read_text(encoding="utf-8"), re.MULTILINE)
    return float(found[1]) if found else 1e-5

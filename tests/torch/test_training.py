"""Whole training runs give the losses that PyTorch recorded for the programs in training/."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch as funcgrad_torch

pytestmark = pytest.mark.no_cover

TRAINING = Path(__file__).parent / "training"
RUNS = runpy.run_path(str(TRAINING / "programs.py"))
PROGRAMS = RUNS["programs"]()


def name_of(program):
    return program.stem


def same(program, torch):
    rows, expected = (RUNS["losses"](text) for text in (RUNS["printed"](program, torch), RUNS["recorded"](program)))
    assert [len(row) for row in rows] == [len(row) for row in expected]
    for found, wanted in zip(rows, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=RUNS["exactness"](program), atol=1e-7)


@pytest.mark.parametrize(
    "program",
    [pytest.param(p, marks=[pytest.mark.slow] if RUNS["is_slow"](p) else []) for p in PROGRAMS],
    ids=name_of,
)
def test_losses_are_those_of_torch(program):
    same(program, funcgrad_torch)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_recording_is_what_torch_does(program):
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13."):
        pytest.skip(f"the recordings are of torch 2.13, this is torch {torch.__version__}")
    same(program, torch)


def test_each_program_has_a_recording_whose_losses_fall():
    assert {path.with_suffix(".py") for path in TRAINING.glob("*.txt")} == set(PROGRAMS)
    for program in PROGRAMS:
        rows = RUNS["losses"](RUNS["recorded"](program))
        assert len(rows) >= 10 and rows[-1][0] < rows[0][0]

"""Findings as words."""

from __future__ import annotations

import pytest

from funcgrad.torch.report import explain_source
from funcgrad.torch.report.findings import spoken


@pytest.mark.parametrize(
    ("what", "said"),
    [("exp", "exp()"), ("__iadd__", "+="), ("__rsub__", "-"), ("__gt__", ">"), ("__setitem__", "assigning an item"),
     ("__neg__", "-"), ("__int__", "int()"), ("add_", "add_()")],
)  # fmt: skip
def test_functions_are_said_as_they_are_written(what: str, said: str) -> None:
    assert spoken(what) == said


def test_the_text_has_the_line_the_reason_and_the_remedy() -> None:
    source = "import torch\nw = torch.ones(2, requires_grad=True)\ny = w.exp()\ny += 1\ny.sum().backward()\n"
    report = explain_source(source, "train.py")
    assert "train.py:4: y += 1\n    error: += overwrites a value" in report.text()
    assert "train.py:3: y = w.exp() needs the value for backward" in report.text()
    assert '<tr id="train.py-4" class="marked">' in report.html()


def test_nothing_is_found_in_a_program_that_is_right() -> None:
    source = "import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\nprint(w.grad)\n"
    report = explain_source(source, "train.py")
    assert report.findings == []
    assert report.text() == "\nfuncgrad: no findings, no notes\n"
    assert "every gradient that is wanted arrives" in report.html()

"""A long run is summed up: what is remembered stays bounded, and no tensor is kept alive."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from funcgrad.torch.report import leaves, running
from funcgrad.torch.report.running import Report
from funcgrad.torch.report.session import Session

PROGRAM = """\
import torch
net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(60):
    x = torch.ones(3, 2, requires_grad=True)
    h = x * 2
    h.grad
    g, = torch.autograd.grad((x ** 2).sum(), x)
    loss = net(h).mean() + h.sum().item()
    opt.zero_grad(); loss.backward(); opt.step()
"""


def test_what_is_remembered_is_bounded(
    tmp_path: Path, report: Callable[[Path], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaves, "MOST", 20)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    found = report(path)
    assert len(list(found.session.leaves)) < 40
    assert {f.severity for f in found.findings} == {"loss", "note"}
    x = weakref.ref(found.session.leaves)
    del found
    gc.collect()
    assert x() is None


def test_a_failure_in_looking_on_ends_no_program(
    tmp_path: Path, report: Callable[[Path], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "program.py"
    path.write_text("import torch\ntorch.ones(2, requires_grad=True).sum().backward()\n")

    def fail(*args: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(Session, "ended", fail)
    with pytest.raises(ValueError, match="ours"):  # which the fixture raises
        report(path)
    monkeypatch.undo()
    monkeypatch.setattr(running, "findings", fail)
    with pytest.raises(ValueError, match="ours"):
        report(path)

"""Random programs do the same with funcgrad.torch as with real torch, line by line; longer sweeps: programs.py.

The number of programs is in the environment variable FUNCGRAD_TORCH_PROGRAMS, 300 if it is not set.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")
if not torch.__version__.startswith("2.13."):
    pytest.skip(f"funcgrad.torch does as torch 2.13, this is torch {torch.__version__}", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))  # programs.py is a script as well

from programs import disagreements, load, shrink  # noqa: E402
from programs_compare import Disagreement  # noqa: E402

pytestmark = pytest.mark.no_cover

COUNT = int(os.environ.get("FUNCGRAD_TORCH_PROGRAMS", "300"))
BATCH = 20


@pytest.fixture(autouse=True)
def warnings_are_given_always():
    load("torch")
    yield
    torch.set_warn_always(False)


@pytest.fixture
def candidate():
    module = load("funcgrad.torch")
    yield module
    module.set_warn_always(False)


@pytest.mark.parametrize("start", range(0, COUNT, BATCH))
def test_same_as_torch(start: int, candidate: ModuleType) -> None:
    found = [each for seed in range(start, min(start + BATCH, COUNT)) for each in disagreements(seed, torch, candidate)]
    reports = [shrink(each, torch, candidate) for each in found[:3]]
    assert not found, f"{len(found)} disagreements\n\n" + "\n\n".join(f"{each.script()}\n{each}" for each in reports)


def find(candidate: ModuleType, only: str) -> list[Disagreement]:
    return [each for seed in range(40) for each in disagreements(seed, torch, candidate, [only])]


def torch_with(**wrong: Callable[..., object]) -> ModuleType:
    module = ModuleType("torch_with_a_mistake")
    vars(module).update(vars(torch))
    vars(module).update(wrong)
    return module


def test_torch_agrees_with_itself() -> None:
    assert find(torch, "[") == []


def doubled_gradient(x):
    y = torch.tanh(x)
    if y.requires_grad:
        y.register_hook(lambda g: 2 * g)
    return y


def other_message(*args):
    try:
        return torch.mm(*args)
    except RuntimeError:
        raise RuntimeError("something else") from None


@pytest.mark.parametrize(
    ("name", "wrong", "kind", "where"),
    [
        ("exp", lambda x: torch.exp(x) * (1 + 1e-5), "value", r"torch\.exp\(.*"),
        ("sin", lambda x: torch.sin(x).clone(), "grad_fn", r"torch\.sin\(.*"),
        ("maximum", lambda x, y: torch.maximum(x, y).double(), "dtype", r"torch\.maximum\(.*"),
        ("hypot", lambda x, y: torch.hypot(x, y).detach(), "requires_grad", r"torch\.hypot\(.*"),
        ("ones_like", lambda x: torch.ones(x.shape, dtype=x.dtype), "stride", r"torch\.ones_like\(.*"),
        ("zeros", lambda size: torch.zeros(size).add_(0), "_version", r"torch\.zeros\(.*"),
        ("stack", lambda xs, dim: torch.stack(xs, dim)[...], "_is_view", r"torch\.stack\(.*"),
        ("positive", lambda x: x.view_as(x), "is", r"torch\.positive\(.*"),
        ("mm", other_message, "raises", r"torch\.mm\(.*"),
        ("tanh", doubled_gradient, "value", "backward|grad|second"),
    ],
)
def test_finds_a_mistake(name: str, wrong: Callable[..., object], kind: str, where: str) -> None:
    candidate = torch_with(**{name: wrong})
    found = find(candidate, f"torch.{name}(")
    assert kind in {each.kind for each in found}
    assert all(re.fullmatch(where, each.step.template) for each in found)
    shortest = min((each for each in found if each.kind == kind), key=lambda each: len(each.program))
    smallest = shrink(shortest, torch, candidate)
    assert f"torch.{name}(" in smallest.script()
    assert len(smallest.program) <= 10


def test_a_disagreement_prints_as_a_script(capsys) -> None:
    candidate = torch_with(exp=lambda x: torch.exp(x) + 1)
    found = shrink(find(candidate, "torch.exp(")[0], torch, candidate)
    exec(found.script(), {})
    assert str(found.reference)[:8] in capsys.readouterr().out
    assert f"candidate: {found.candidate}" in str(found)

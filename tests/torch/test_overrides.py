"""Classes with `__torch_function__` that are no tensors, and the hub of models."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from funcgrad import torch
from funcgrad.torch import hub, overrides


class Diagonal:
    """A diagonal matrix that knows the trace of itself, and its sum with tensors."""

    def __init__(self, *values: float) -> None:
        self.values = values

    @classmethod
    def __torch_function__(cls, func: Any, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
        assert types == (cls,)
        if func is torch.trace:
            return sum(args[0].values)
        if func is torch.add or func is torch.Tensor.add:
            return "sum", len(args), kwargs
        return "stack" if func is torch.stack else NotImplemented


class Special(Diagonal):
    pass


def test_a_function_asks_the_class_of_its_arguments() -> None:
    x = Diagonal(1.0, 2.0)
    assert torch.trace(x) == 3.0
    assert torch.add(torch.ones(1), x, alpha=2) == ("sum", 2, {"alpha": 2})
    assert torch.ones(1).add(x) == ("sum", 2, {})
    assert torch.stack([torch.ones(1), x]) == "stack"


def test_the_class_may_refuse() -> None:
    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch.sin'; all __torch_function__ handlers"):
        torch.sin(Diagonal(1.0))
    with pytest.raises(TypeError, match=r"sin\(\): argument 'input' \(position 1\) must be Tensor, not object"):
        torch.sin(object())


def test_overrides() -> None:
    x, t = Diagonal(1.0), torch.ones(1)
    assert overrides.has_torch_function((t, x)) and overrides.has_torch_function_unary(x)
    assert (
        not overrides.has_torch_function_variadic(t, 3)
        and overrides.is_tensor_like(t)
        and not overrides.is_tensor_like(3)
    )
    assert overrides.handle_torch_function(torch.trace, (x,), x) == 1.0
    found = torch.declare.overrides.overriding((x, [Special()], Diagonal()))
    assert [type(y) for y in found] == [Special, Diagonal]  # a subclass first, each class once


def test_weights_from_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "weights.pt")
    digest = hashlib.sha256((tmp_path / "weights.pt").read_bytes()).hexdigest()
    named = tmp_path / f"weights-{digest[:8]}.pt"
    (tmp_path / "weights.pt").rename(named)
    monkeypatch.setattr(hub, "_folder", None)
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    assert hub.get_dir() == str(tmp_path / "home" / "hub")
    for _ in range(2):  # the second time it is there
        assert hub.load_state_dict_from_url(named.as_uri(), check_hash=True, weights_only=True)["w"].tolist() == [1, 1]
    assert capsys.readouterr().err.count("Downloading") == 1
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.download_url_to_file(named.as_uri(), str(tmp_path / "x"), "0" * 8)
    assert not (tmp_path / "x").exists()
    hub.set_dir(tmp_path)
    assert hub.get_dir() == str(tmp_path)


def test_models_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "hubconf.py").write_text("def line(size=1):\n    return ['line'] * size\n_hidden = line\n")
    assert hub.list(str(tmp_path), source="local") == ["line"]
    assert hub.load(str(tmp_path), "line", size=2, source="local", trust_repo=True) == ["line", "line"]
    with pytest.raises(RuntimeError, match="Cannot find callable curve in hubconf"):
        hub.load(str(tmp_path), "curve", source="local")
    with pytest.raises(ValueError, match='fetches no repositories, of source="github"'):
        hub.load("user/repository", "line")


def test_operators_of_pytorchs_library() -> None:
    with pytest.raises(AttributeError, match=r"'torch.ops' has no attribute 'aten': .* no registry of operators"):
        torch.ops.aten  # it is asked for
    with pytest.raises(OSError, match="loads no libraries that are made for PyTorch"):
        torch.ops.load_library("x.so")
    assert torch._C._get_tracing_state() is None
    with pytest.raises(AttributeError, match=r"'torch._C' has no attribute 'nothing': funcgrad.torch has no part in C"):
        torch._C.nothing  # likewise

"""Checkpoints of whole programs: PyTorch and funcgrad read what the other has written, and damaged ones are refused."""

from __future__ import annotations

import io
import math
import pickle
import random
import runpy
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from funcgrad import torch

mutated = runpy.run_path(str(Path(__file__).parent / "pickle_programs.py"))["mutated"]

ARCHIVE, OLD = ({"_use_new_zipfile_serialization": new} for new in (True, False))
FORMATS = pytest.mark.parametrize("format", [ARCHIVE, OLD], ids=["archive", "old"])
WAYS = pytest.mark.parametrize("ours_writes", [True, False], ids=["to PyTorch", "from PyTorch"])


def saved(t: Any, x: Any, format: dict) -> bytes:
    f = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of the old format
        t.save(x, f, **format)
    return f.getvalue()


def passed(writer: Any, reader: Any, x: Any, format: dict, **options: Any) -> Any:
    """What one face reads of what the other has written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reader.load(io.BytesIO(saved(writer, x, format)), **options)


def plain(x: Any) -> Any:
    """A value in which tensors are told by their kind and numbers, so that those of both faces can be compared."""
    if hasattr(x, "detach"):
        kind = "Parameter" if type(x).__name__ == "Parameter" else "Tensor"
        return kind, str(x.dtype), tuple(x.shape), x.requires_grad, [plain(n) for n in x.detach().flatten().tolist()]
    if isinstance(x, dict):
        return type(x).__name__, [(k, plain(v)) for k, v in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [plain(v) for v in x]
    if isinstance(x, float) and math.isnan(x):
        return "nan"
    if isinstance(x, (str, int, float, bool, type(None))):
        return x
    return type(x).__name__, plain(vars(x)) if hasattr(x, "__dict__") else repr(x)


def network(t: Any) -> Any:
    """Layers with parameters and buffers of several kinds."""
    t.manual_seed(0)
    return t.nn.Sequential(
        t.nn.BatchNorm1d(2), t.nn.Conv1d(2, 4, 3, padding=1), t.nn.Tanh(), t.nn.Flatten(), t.nn.Linear(12, 5),
        t.nn.LayerNorm(5), t.nn.Linear(5, 1, bias=False),
    )  # fmt: skip


MODULES = {
    "network": network,
    "containers": lambda t: t.nn.ModuleDict(
        {"a": t.nn.ModuleList([t.nn.PReLU(), t.nn.Softmax(1)]), "p": t.nn.ParameterList([t.ones(2), t.zeros(1)])}
    ),
    "recurrent": lambda t: t.nn.ModuleList([t.nn.LSTM(2, 3, num_layers=2, bidirectional=True), t.nn.GRUCell(2, 3)]),
    "transformer": lambda t: t.nn.TransformerEncoder(
        t.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2, enable_nested_tensor=False
    ),
    "embeddings": lambda t: t.nn.ModuleList([t.nn.Embedding(5, 3, padding_idx=0), t.nn.EmbeddingBag(4, 2)]),
    "double": lambda t: t.nn.Bilinear(2, 3, 2).double(),
    "half": lambda t: t.nn.ConvTranspose2d(2, 2, 3).bfloat16(),
    "losses": lambda t: t.nn.ModuleList([t.nn.CrossEntropyLoss(t.ones(3), label_smoothing=0.1), t.nn.HuberLoss()]),
    "normalized": lambda t: t.nn.ModuleList([t.nn.BatchNorm2d(3, momentum=None), t.nn.InstanceNorm1d(2, affine=True)]),
}


def optimizers(t: Any) -> dict[str, Any]:
    """An optimizer by its name, which is given parameters; and a scheduler that is given the optimizer."""
    o, s = t.optim, t.optim.lr_scheduler
    return {
        "Adam": (lambda p: o.Adam(p, lr=0.01, weight_decay=0.1), lambda x: s.StepLR(x, 2, 0.5)),
        "Adam with amsgrad": (lambda p: o.Adam(p, amsgrad=True), lambda x: s.CosineAnnealingLR(x, 5)),
        "AdamW": (lambda p: o.AdamW(p, lr=0.1), lambda x: s.OneCycleLR(x, 0.1, total_steps=20)),
        "SGD": (lambda p: o.SGD(p, 0.1), lambda x: s.ExponentialLR(x, 0.9)),
        "SGD with momentum": (
            lambda p: o.SGD(p, 0.1, momentum=0.9, nesterov=True),
            lambda x: s.SequentialLR(x, [s.LinearLR(x, 0.5, total_iters=2), s.MultiStepLR(x, [3, 5])], [2]),
        ),
        "RMSprop": (lambda p: o.RMSprop(p, momentum=0.5, centered=True), lambda x: s.CyclicLR(x, 0.01, 0.1)),
        "Adagrad": (lambda p: o.Adagrad(p), lambda x: s.PolynomialLR(x, 6)),
        "LBFGS": (
            lambda p: o.LBFGS(p, 0.1, max_iter=3, line_search_fn="strong_wolfe"),
            lambda x: s.CosineAnnealingWarmRestarts(x, 3),
        ),
    }


def trained(t: Any, name: str, steps: int, state: Any = None) -> tuple[Any, dict]:
    """A network after some steps, from the beginning or from a checkpoint; and what a checkpoint of it holds."""
    model = network(t).double()  # in which rounding is not amplified to what a test would see
    optimizer_of, scheduler_of = optimizers(t)[name]
    optimizer = optimizer_of(model.parameters())
    scheduler = scheduler_of(optimizer)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    if state is not None:
        for key, part in parts.items():
            part.load_state_dict(state[key])
    x = t.linspace(-1, 1, 24, dtype=t.float64).reshape(4, 2, 3)

    def loss() -> Any:
        optimizer.zero_grad()
        found = (model(x) - 1).square().mean()
        found.backward()
        return found

    for _ in range(steps):
        optimizer.step(loss)
        scheduler.step()
    return model, {key: part.state_dict() for key, part in parts.items()}


@pytest.fixture(scope="module")
def real() -> Any:
    return pytest.importorskip("torch")


@FORMATS
@WAYS
@pytest.mark.parametrize("name", MODULES)
def test_the_state_of_modules_travels(real: Any, name: str, ours_writes: bool, format: dict) -> None:
    writer, reader = (torch, real) if ours_writes else (real, torch)
    module, other = MODULES[name](writer), MODULES[name](reader)
    found = passed(writer, reader, module.state_dict(), format)
    assert plain(found) == plain(module.state_dict())
    assert found._metadata == module.state_dict()._metadata
    other.load_state_dict(found)
    assert plain(other.state_dict()) == plain(module.state_dict())


@FORMATS
@WAYS
@pytest.mark.parametrize("name", optimizers(torch))
def test_training_goes_on_where_the_other_has_stopped(real: Any, name: str, ours_writes: bool, format: dict) -> None:
    writer, reader = (torch, real) if ours_writes else (real, torch)
    _, state = trained(writer, name, 3)
    found = passed(writer, reader, state, format)
    assert plain(found) == plain(state)
    expected, after = trained(writer, name, 2, state)
    model, other_after = trained(reader, name, 2, found)
    for a, b in zip(expected.parameters(), model.parameters(), strict=True):
        assert b.detach().flatten().tolist() == pytest.approx(a.detach().flatten().tolist(), rel=1e-6, abs=1e-6)
    assert other_after["scheduler"]["last_epoch"] == after["scheduler"]["last_epoch"] == 5
    assert other_after["scheduler"]["_last_lr"] == pytest.approx(after["scheduler"]["_last_lr"])


@FORMATS
@WAYS
@pytest.mark.parametrize("name", MODULES)
def test_whole_modules_travel(real: Any, name: str, ours_writes: bool, format: dict) -> None:
    writer, reader = (torch, real) if ours_writes else (real, torch)
    module = MODULES[name](writer)
    found = passed(writer, reader, module, format, weights_only=False)
    assert type(found) is type(MODULES[name](reader))
    assert repr(found) == repr(module)
    assert plain(found.state_dict()) == plain(module.state_dict())
    assert [n for n, _ in found.named_modules()] == [n for n, _ in module.named_modules()]
    if name == "network":
        x = [[[0.5, -1, 2], [1, 0, 3]]] * 2
        assert found(reader.tensor(x)).flatten().tolist() == pytest.approx(
            module(writer.tensor(x)).flatten().tolist(), rel=1e-4, abs=1e-5
        )


@FORMATS
@WAYS
@pytest.mark.parametrize("name", ["Adam", "SGD with momentum", "LBFGS"])
def test_whole_optimizers_travel(real: Any, name: str, ours_writes: bool, format: dict) -> None:
    writer, reader = (torch, real) if ours_writes else (real, torch)
    optimizer = optimizers(writer)[name][0](network(writer).parameters())
    found = passed(writer, reader, optimizer, format, weights_only=False)
    assert type(found) is type(optimizers(reader)[name][0](network(reader).parameters()))
    assert plain(found.state_dict()) == plain(optimizer.state_dict())


def damaged(whole: bytes, draw: random.Random) -> bytes:
    """A file with some bytes changed; or an archive that is sound, around a pickle that is damaged."""
    if not zipfile.is_zipfile(io.BytesIO(whole)) or draw.random() < 0.3:
        return mutated(whole, draw.randrange)
    f = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as read, zipfile.ZipFile(f, "w") as write:
        for record in read.namelist():
            data = read.read(record)
            write.writestr(record, mutated(data, draw.randrange) if record.endswith("data.pkl") else data)
    return f.getvalue()


def check_damaged(seeds: range) -> None:
    _, state = trained(torch, "Adam", 1)
    held = [state["model"], state["optimizer"], state, network(torch)]
    originals = [saved(torch, x, format) for x in held for format in (ARCHIVE, OLD)]
    outcomes: Counter = Counter()
    for seed in seeds:
        draw = random.Random(seed)
        data = damaged(draw.choice(originals), draw)
        try:
            torch.load(io.BytesIO(data))
            outcomes["read"] += 1
        except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
            assert type(error) is not RecursionError, seed
            outcomes[type(error).__name__] += 1
        except ValueError as error:
            assert "Unknown endianness type" in str(error), seed
        except UserWarning as warning:
            assert "Detected pickle protocol" in str(warning), seed
    assert set(outcomes) >= {"read", "UnpicklingError", "RuntimeError"}, outcomes


def test_damaged_checkpoints_are_read_or_refused() -> None:
    check_damaged(range(300))


@pytest.mark.slow
def test_ten_thousand_damaged_checkpoints_are_read_or_refused() -> None:
    check_damaged(range(1000, 11_000))

"""Parameters, copies, files, and settings of the process."""

from __future__ import annotations

import copy
import io
import pickle
import runpy
import zipfile
from pathlib import Path

import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("process"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


def saved(x: object, **options: object) -> object:
    f = io.BytesIO()
    torch.save(x, f)
    f.seek(0)
    return torch.load(f, **options)


def test_files_keep_shared_storages_and_strides() -> None:
    a = torch.arange(6.0).reshape(2, 3)
    b = a.t()
    found = saved({"a": a, "b": b, "row": a[1]})
    found["a"][1, 0] = 9
    assert found["b"].stride() == (1, 3)
    assert found["b"][0, 1] == 9
    assert found["row"][0] == 9


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_every_dtype_survives(dtype: str) -> None:
    x = torch.ones(2, dtype=getattr(torch, dtype))
    for y in (saved(x), pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert y.dtype is x.dtype
        assert y.tolist() == x.tolist()


def test_parameters_and_attributes_survive() -> None:
    p = torch.nn.Parameter(torch.ones(2))
    p.tag = "weight"
    x = torch.ones(1, requires_grad=True)
    x.tag = 3
    for q, y in (saved([p, x]), pickle.loads(pickle.dumps([p, x]))):
        assert isinstance(q, torch.nn.Parameter)
        assert (q.tag, y.tag, y.requires_grad) == ("weight", 3, True)


def test_only_weights_are_loaded_unless_asked() -> None:
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global"):
        saved(Path("x"))
    assert saved(Path("x"), weights_only=False) == Path("x")


def test_a_file_is_a_zip_archive_in_the_format_of_torch(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    torch.save(torch.ones(3), path)
    with zipfile.ZipFile(path) as archive:
        assert archive.read("weights/data/0") == torch.ones(3).numpy().tobytes()
        assert b"torch._utils\n_rebuild_tensor_v2" in archive.read("weights/data.pkl")


def test_only_leaves_can_be_copied_deeply() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)
    y = copy.deepcopy(x)
    assert y.requires_grad
    assert y.data_ptr() != x.data_ptr()
    assert copy.copy(x).data_ptr() == x.data_ptr()


def test_objects_of_subclasses() -> None:
    class Named(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0], requires_grad=True).as_subclass(Named)
    assert type(x) is Named
    assert type(x.grad_fn).__name__ == "AliasBackward0"
    assert type(torch.Tensor._make_subclass(Named, torch.ones(2))) is Named
    assert isinstance(Named([1.0, 2.0]), Named)


def test_results_of_parameters_are_plain_tensors() -> None:
    p = torch.nn.Parameter(torch.ones(2))
    for t in (p * 2, p.detach(), p.data, p.clone(), p[0]):
        assert type(t) is torch.Tensor


def test_compile_gives_a_function() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    for g in (torch.compile(f), torch.compile(mode="default")(f)):
        assert g(torch.ones(1)) == 2
    assert torch.compile(f, disable=True) is f
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        torch.compile(f, mode="fast")


def test_version_compares_by_its_numbers() -> None:
    assert torch.__version__ == "2.13.0+cpu"
    assert torch.__version__ >= "2.9"
    assert torch.__version__ < (3,)

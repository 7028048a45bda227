"""Modules in pickles where no module is called torch, and in files of PyTorch's names."""

import copy
import io
import pickle
import pickletools
import sys
import zipfile

import pytest

from funcgrad import torch
from funcgrad.torch import nn
from funcgrad.torch.nn.utils import prune


class Scaled(nn.Linear):
    """A class of the user's, on top of one of the library's."""


@pytest.fixture(autouse=True)
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, name)


MODULES = [
    lambda: nn.Sequential(nn.Linear(2, 3), nn.ModuleList([nn.Identity()]), nn.ParameterDict({"a": torch.ones(1)})),
    lambda: Scaled(2, 3),
    lambda: nn.LazyLinear(3),
    lambda: prune.l1_unstructured(nn.Linear(2, 3), "weight", amount=2),
]


@pytest.mark.parametrize("make", MODULES)
def test_a_module_comes_back_from_a_pickle(make):
    module = make()
    back = pickle.loads(pickle.dumps(module))
    assert type(back) is type(module) and repr(back) == repr(module)
    assert list(back.state_dict()) == list(module.state_dict())
    for a, b in zip(back.parameters(), module.parameters(), strict=True):
        assert type(a) is type(b)
        if type(a) is nn.Parameter:
            assert torch.equal(a, b)


def test_a_parameter_class_comes_back():
    assert pickle.loads(pickle.dumps([nn.Parameter, nn.UninitializedParameter, nn.Buffer, torch.Tensor])) == [
        nn.Parameter,
        nn.UninitializedParameter,
        nn.Buffer,
        torch.Tensor,
    ]


def test_where_the_class_is_found_the_pickle_names_it(monkeypatch):
    for name in ("torch", "torch.nn", "torch.nn.modules", "torch.nn.modules.linear"):
        monkeypatch.setitem(sys.modules, name, sys.modules[f"funcgrad.{name}"])
    names = [arg for _, arg, _ in pickletools.genops(pickle.dumps(nn.Identity(), 2)) if arg]
    assert "torch.nn.modules.linear Identity" in names


def test_files_name_the_classes_of_torch():
    f = io.BytesIO()
    torch.save(prune.l1_unstructured(nn.Linear(2, 3), "weight", amount=2), f)
    with zipfile.ZipFile(f) as archive:
        text = archive.read("archive/data.pkl")
    assert b"ctorch.nn.modules.linear\nLinear\n" in text and b"ctorch.nn.utils.prune\nL1Unstructured\n" in text
    assert b"funcgrad" not in text
    f.seek(0)
    assert type(torch.load(f, weights_only=False)) is nn.Linear


def test_a_lazy_module_that_was_copied_finds_its_sizes():
    module = copy.deepcopy(nn.Sequential(nn.LazyLinear(3), nn.LazyLinear(1)))
    assert module(torch.ones(2, 4)).shape == (2, 1)
    assert repr(pickle.loads(pickle.dumps(nn.LazyLinear(3)))(torch.ones(1, 2)).shape) == "torch.Size([1, 3])"

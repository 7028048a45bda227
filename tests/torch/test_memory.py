"""Storages, resizing, and what tensors share."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("memory"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


def test_tensors_follow_a_storage_that_grows() -> None:
    x = torch.arange(4.0)
    y, z = x[1:3], x.view(2, 2)
    x.resize_(8)
    x[1] = 9
    z[1, 1] = 7
    assert y.tolist() == [9.0, 2.0]
    assert x[:4].tolist() == [0.0, 9.0, 2.0, 7.0]


def test_resizing_keeps_memory_if_it_suffices() -> None:
    x = torch.arange(6.0)
    address = x.data_ptr()
    assert x.resize_(2, 2).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert x.resize_(6).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert x.data_ptr() == address


def test_set_to_another_tensor_shares_its_memory() -> None:
    x, y = torch.arange(3.0), torch.empty(0)
    y.set_(x)
    y[0] = 5
    assert x[0] == 5
    assert y.untyped_storage() is x.untyped_storage()


def test_version_moves_only_when_the_size_changes() -> None:
    x = torch.zeros(3)
    x.resize_(3)
    assert x._version == 0
    x.resize_(2)
    assert x._version == 1


def test_a_storage_of_a_file(tmp_path: Path) -> None:
    """Texts of errors and effects recorded from PyTorch."""
    path = str(tmp_path / "bytes")
    Path(path).write_bytes(bytes(range(16)))
    storage = torch.UntypedStorage.from_file(path, False, 16)
    assert (len(storage), storage.filename, storage.is_shared(), storage.resizable()) == (16, None, True, False)
    part = torch.asarray(storage[4:8], dtype=torch.uint8)
    part[0] = 50
    assert storage[4] == 50 and Path(path).read_bytes()[4] == 4  # writing is for this process alone
    shared = torch.UntypedStorage.from_file(path, True, 20)
    shared[0] = 77
    assert len(Path(path).read_bytes()) == 20 and Path(path).read_bytes()[0] == 77
    assert torch.UntypedStorage.from_file(str(tmp_path / "new"), True, 3).tolist() == [0, 0, 0]
    assert len(torch.UntypedStorage.from_file(path)) == 0
    missing = str(tmp_path / "missing")
    for given, text in {
        (path, 21): f"file <{path}> size <20> is smaller than the required mapping size <21>",
        (path, -1): f"unable to mmap -1 bytes from file <{path}>: Cannot allocate memory (12)",
        (missing, 1): f"unable to open file <{missing}> in read-only mode: No such file or directory (2)",
    }.items():
        with pytest.raises(RuntimeError, match=re.escape(text)):
            torch.UntypedStorage.from_file(given[0], nbytes=given[1])
    with pytest.raises(TypeError, match="argument 1 must be str, not int"):
        torch.UntypedStorage.from_file(3, False, 4)

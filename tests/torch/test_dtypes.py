"""dtypes, their limits and promotion; devices, sizes, layouts."""

from __future__ import annotations

import copy
import itertools
import pickle
import runpy
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))
KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("dtypes"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations(KINDS, 2)))
def test_promotion_commutes_and_holds_both_categories(a: str, b: str) -> None:
    x, y = getattr(torch, a), getattr(torch, b)
    found = torch.promote_types(x, y)
    assert found is torch.promote_types(y, x)
    assert torch.can_cast(x, found)
    assert torch.can_cast(y, found)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_limits_of_floating_dtypes(kind: str) -> None:
    ours, numpys = torch.finfo(getattr(torch, kind)), np.finfo(kind)
    assert (ours.bits, ours.eps, ours.max, ours.tiny) == (numpys.bits, numpys.eps, numpys.max, numpys.tiny)


@pytest.mark.parametrize("x", [torch.float32, torch.bfloat16, torch.strided, torch.channels_last, torch.device("cpu")])
def test_constants_survive_pickling_and_copying(x: object) -> None:
    assert pickle.loads(pickle.dumps(x)) == x
    assert copy.deepcopy(x) == x


def test_sizes_are_tuples() -> None:
    size = torch.Size([2, 3])
    assert size == (2, 3)
    assert isinstance(size[:1], torch.Size)
    assert hash(size) == hash((2, 3))
    assert pickle.loads(pickle.dumps(size)) == size

"""Conversions between dtypes, their gradients, and the ways to NumPy."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from funcgrad import torch

DIALOGUES = runpy.run_path(str(Path(__file__).parent / "dialogues.py"))


@pytest.mark.parametrize("block", DIALOGUES["blocks"]("conversion"), ids=DIALOGUES["label"])
def test_as_torch(block: str) -> None:
    assert DIALOGUES["replay"](block, torch) == block


def test_nothing_to_convert_gives_the_tensor_itself() -> None:
    x = torch.ones(2)
    for same in (x.float(), x.to(torch.float32), x.to("cpu"), x.cpu(), x.type_as(x), x.to(x), x.type(torch.float32)):
        assert same is x


def test_gradient_comes_back_in_the_dtype_of_the_leaf() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x.double() ** 3).sum(), x, create_graph=True)
    assert g.dtype is torch.float32
    assert type(g.grad_fn).__name__ == "ToCopyBackward0"
    (h,) = torch.autograd.grad(g.sum(), x)
    assert h.tolist() == [6.0, 12.0]


def test_real_part_of_the_gradient_of_a_complex_conversion() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x.to(torch.complex64) * (2 + 3j)
    (g,) = torch.autograd.grad(z.real.sum(), x)
    assert g.tolist() == [2.0, 2.0]


def test_layout_is_kept() -> None:
    x = torch.zeros(2, 3).t()
    assert x.double().stride() == (1, 3)
    assert x.to(torch.float64, memory_format=torch.contiguous_format).stride() == (2, 1)
    assert x.to(torch.float32, copy=True).stride() == (1, 3)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "bool"])
def test_integers_as_numpy_converts(dtype: str) -> None:
    values = np.array([0.0, 1.5, -1.5, 127.0, 100.25])
    expected = values.astype(np.int64).astype(dtype) if dtype != "bool" else values.astype(bool)
    np.testing.assert_array_equal(torch.tensor(values).to(getattr(torch, dtype)).numpy(), expected)

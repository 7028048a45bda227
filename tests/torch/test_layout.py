"""The memory of elementwise results: strides as torch has them, and never the memory of an operand."""

from __future__ import annotations

import pytest

from funcgrad import torch


def test_a_first_power_is_a_copy() -> None:
    x = torch.tensor([1.0, 2.0])
    for y in (x.pow(1), x**1, torch.pow(x, 1.0)):
        assert y.data_ptr() != x.data_ptr()


T, C = torch.ones(2, 3).t(), torch.ones(3, 2)
COLUMN = torch.ones(1, 3).t()


@pytest.mark.parametrize(
    ("result", "stride"),
    [
        (T + C, (1, 3)),  # the first operand decides
        (C + T, (2, 1)),
        (T.double() + C, (1, 3)),
        (T * 2, (1, 3)),
        (T.exp(), (1, 3)),
        (COLUMN * 2, (1, 3)),  # also where a dimension has size one
        (torch.ones(1, 3) + torch.ones(3, 3).t(), (1, 3)),  # a dimension that is broadcast has no order
        (torch.ones(3) + T.t(), (3, 1)),
    ],
)
def test_strides(result: torch.Tensor, stride: tuple[int, ...]) -> None:
    assert result.stride() == stride

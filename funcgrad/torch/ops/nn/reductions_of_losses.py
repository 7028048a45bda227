"""What losses share: their reductions."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.ops.reducing import EVERY

NONE, MEAN, SUM = 0, 1, 2
"""How PyTorch numbers reductions."""


def over(shape: tuple[int, ...], reduction: int) -> dict[str, Any]:
    """The parameters of a primitive that reduces an array of this shape."""
    return {"axis": () if reduction == NONE else EVERY[len(shape)], "mean": reduction == MEAN}


def reduced(loss: Any, reduction: int) -> Any:
    """The mean or sum of a tensor of losses, or itself."""
    return loss.mean() if reduction == MEAN else loss.sum() if reduction == SUM else loss

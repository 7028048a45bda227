"""What losses share: their reductions, and what they refuse."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.ops.reducing import EVERY
from funcgrad.torch.tensor.values import requires
from funcgrad.torch.texts import losses as texts

NONE, MEAN, SUM = 0, 1, 2
"""How PyTorch numbers reductions."""


def over(shape: tuple[int, ...], reduction: int) -> dict[str, Any]:
    """The parameters of a primitive that reduces an array of this shape."""
    return {"axis": () if reduction == NONE else EVERY[len(shape)], "mean": reduction == MEAN}


def reduced(loss: Any, reduction: int) -> Any:
    """The mean or sum of a tensor of losses, or itself."""
    return loss.mean() if reduction == MEAN else loss.sum() if reduction == SUM else loss


def check_constants(function: str, **constants: Any) -> None:
    """Raise torch's error if an argument requires grad by which it does not differentiate."""
    for name, x in constants.items():
        if x is not None and state.grad and requires(x):
            raise RuntimeError(texts.NOT_DIFFERENTIABLE.format(function=function, argument=name))

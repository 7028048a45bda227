"""An identity whose backward gives no gradient, to see whether nodes can do without one."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.autograd.function import Function


class UndefinedGrad(Function):
    """The identity without gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """A view of x."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> None:
        """No gradient."""
        return


def undefined_grad(x: Any) -> Any:
    """x, with no gradient coming through."""
    return UndefinedGrad.apply(x)

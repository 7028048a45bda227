"""`SparseAdam`, which is for gradients of a layout that there is none of here."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import check_betas
from funcgrad.torch.optim.optimizer import Optimizer, evaluated
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients. All gradients here are dense, and refused as PyTorch refuses dense ones.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        betas: the shares of the running averages that are kept from step to step.
        eps: keeps the divisor from zero.
        maximize: whether to go up instead of down.
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        found = [
            [i, j] for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"]) if p.is_complex()
        ]
        if found:
            raise ValueError(texts.COMPLEX_SPARSE_ADAM.format(indices=found))

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        """Refuse the gradients, if there are any."""
        loss = evaluated(closure)
        for group in self.param_groups:
            if any(p.grad is not None for p in group["params"]):
                raise RuntimeError(texts.DENSE_GRADIENTS)
        return loss


show_as_torch(__name__)
publish(__name__)

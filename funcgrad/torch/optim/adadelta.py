"""`Adadelta`: steps as large as those of late."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_at_least_0,
    check_capturable,
    check_counters,
    check_lr,
    each,
    zeros_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Adadelta", "adadelta"]


class Adadelta(Optimizer):
    """Adadelta: a gradient is scaled by the ratio of the sizes of steps and of gradients of late.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        rho: the share of the running averages that is kept from step to step.
        eps: keeps the divisor, and the first steps, from zero.
        weight_decay: this times the parameter is added to its gradient.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adadelta([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9997, -1.9997], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least_0("epsilon value", eps)
        check_at_least_0("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(foreach=None, maximize=False, differentiable=False, capturable=False)

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        state["step"] = counter(0.0)
        state["square_avg"] = zeros_like(p)
        state["acc_delta"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, squares, deltas, steps = self._collect(group, "square_avg", "acc_delta", "step")
            adadelta(
                params,
                grads,
                squares,
                deltas,
                steps,
                lr=group["lr"],
                rho=group["rho"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss


def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """One step of `Adadelta` for these parameters."""
    check_counters(state_steps)
    if capturable:
        check_capturable(params, xla=False)
    each(
        _rule,
        params,
        grads,
        square_avgs,
        acc_deltas,
        steps=state_steps,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        lr=lr,
        rho=rho,
        eps=eps,
        weight_decay=weight_decay,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    squares: Any,
    deltas: Any,
    *,
    lr: Any,
    rho: float,
    eps: float,
    weight_decay: float,
) -> None:
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    k.mul_(squares, rho)
    k.addcmul_(squares, g, g, 1 - rho)
    delta = k.times(k.over(k.sqrt(k.sum_with(deltas, eps)), k.sqrt(k.sum_with(squares, eps))), g)
    k.mul_(deltas, rho)
    k.addcmul_(deltas, delta, delta, 1 - rho)
    k.add_(p, delta, -lr)


show_as_torch(__name__)
publish(__name__)

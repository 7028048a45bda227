"""`Adamax`: Adam that divides by the largest gradient of late."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_at_least_0,
    check_betas,
    check_capturable,
    check_counters,
    check_lr,
    each,
    zeros_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Adamax", "adamax"]


class Adamax(Optimizer):
    """Adam with the infinity norm: a step is divided by the largest gradient so far, which fades.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        betas: the shares of the average of gradients, and of the largest, that are kept from step to step.
        eps: keeps the divisor from zero.
        weight_decay: this times the parameter is added to its gradient.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adamax([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_0("epsilon value", eps)
        check_betas(betas)
        check_at_least_0("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(foreach=None, maximize=False, differentiable=False, capturable=False)

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        state["step"] = counter(0.0)
        state["exp_avg"] = zeros_like(p)
        state["exp_inf"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            params, grads, exp_avgs, exp_infs, steps = self._collect(group, "exp_avg", "exp_inf", "step")
            adamax(
                params,
                grads,
                exp_avgs,
                exp_infs,
                steps,
                eps=group["eps"],
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss


def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """One step of `Adamax` for these parameters."""
    check_counters(state_steps)
    if capturable:
        check_capturable(params, xla=not foreach)
    each(
        _rule,
        params,
        grads,
        exp_avgs,
        exp_infs,
        steps=state_steps,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        eps=eps,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    m: Any,
    largest: Any,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
) -> None:
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    k.lerp_(m, g, 1 - beta1)
    k.mul_(largest, beta2)
    k.maximum_(largest, k.shifted(k.absolute(g), eps))
    k.addcdiv_(p, m, largest, -(lr / (1 - beta1**step)))


show_as_torch(__name__)
publish(__name__)

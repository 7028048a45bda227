"""`RAdam`: Adam that waits with scaling until its averages can be trusted."""

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

__all__ = ["RAdam", "radam"]


class RAdam(Optimizer):
    """Rectified Adam: steps are scaled by the average of squares only once its variance is small.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        betas: the shares of the averages of gradients, and of their squares, that are kept from step to step.
        eps: keeps the divisor from zero.
        weight_decay: this times the parameter is added to its gradient.
        decoupled_weight_decay: whether the decay acts on the parameter itself, as in `AdamW`.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.RAdam([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.8000, -1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
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
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(
            foreach=None, maximize=False, differentiable=False, decoupled_weight_decay=False, capturable=False
        )

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        state["step"] = counter(0.0)
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            params, grads, exp_avgs, exp_avg_sqs, steps = self._collect(group, "exp_avg", "exp_avg_sq", "step")
            radam(
                params,
                grads,
                exp_avgs,
                exp_avg_sqs,
                steps,
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
                decoupled_weight_decay=group["decoupled_weight_decay"],
            )
        return loss


def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
) -> None:
    """One step of `RAdam` for these parameters."""
    check_counters(state_steps)
    if capturable:
        check_capturable(params, xla=not foreach)
    each(
        _rule,
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        steps=state_steps,
        writes=1 + (decoupled_weight_decay and weight_decay != 0),
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        decoupled=decoupled_weight_decay,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    m: Any,
    v: Any,
    *,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
    eps: float,
    decoupled: bool,
) -> None:
    if weight_decay != 0:
        if decoupled:
            k.mul_(p, 1 - lr * weight_decay)
        else:
            g = k.plus(g, p, weight_decay)
    k.lerp_(m, g, 1 - beta1)
    k.mul_(v, beta2)
    k.addcmul_(v, g, g, 1 - beta2)
    correction = 1 - beta2**step
    update = k.times(k.quotient(m, 1 - beta1**step), lr)
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * (beta2**step) / correction
    if length > 5.0:
        rectified = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        root = k.shifted(k.sqrt(v), eps)
        update = k.times(k.over(k.times(update, correction**0.5), root), rectified**0.5)
    k.add_(p, update, -1.0)


show_as_torch(__name__)
publish(__name__)

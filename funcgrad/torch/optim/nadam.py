"""`NAdam`: Adam with Nesterov's momentum."""

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

__all__ = ["NAdam", "nadam"]


class NAdam(Optimizer):
    """Adam with Nesterov's momentum: a step goes along the average as it will be.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        betas: the shares of the averages of gradients, and of their squares, that are kept from step to step.
        eps: keeps the divisor from zero.
        weight_decay: this times the parameter is added to its gradient.
        momentum_decay: how fast the momentum grows to its full size.
        decoupled_weight_decay: whether the decay acts on the parameter itself, as in `AdamW`.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.NAdam([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.8944, -1.8944], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_at_least_0("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(
            maximize=False, foreach=None, capturable=False, differentiable=False, decoupled_weight_decay=False
        )

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        state["step"] = counter(0.0)
        state["mu_product"] = counter(1.0)
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            params, grads, exp_avgs, exp_avg_sqs, mu_products, steps = self._collect(
                group, "exp_avg", "exp_avg_sq", "mu_product", "step"
            )
            nadam(
                params,
                grads,
                exp_avgs,
                exp_avg_sqs,
                mu_products,
                steps,
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                momentum_decay=group["momentum_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
                decoupled_weight_decay=group["decoupled_weight_decay"],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
            )
        return loss


def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """One step of `NAdam` for these parameters."""
    check_counters(state_steps)
    check_counters(mu_products, "mu_products")
    if capturable:
        check_capturable(params, "params, mu_products and state_steps", xla=not foreach)
    each(
        _rule,
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        steps=state_steps,
        others=[mu_products],
        writes=2 + (decoupled_weight_decay and weight_decay != 0),
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        beta1=beta1,
        beta2=beta2,
        lr=lr,
        weight_decay=weight_decay,
        momentum_decay=momentum_decay,
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
    mu_product: Tensor,
    *,
    beta1: float,
    beta2: float,
    lr: Any,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
    decoupled: bool,
) -> None:
    if weight_decay != 0:
        if decoupled:
            k.mul_(p, 1 - lr * weight_decay)
        else:
            g = k.plus(g, p, weight_decay)
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))
    following = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * momentum_decay))
    mu_product.mul_(mu)
    so_far = mu_product.item()
    k.lerp_(m, g, 1 - beta1)
    k.mul_(v, beta2)
    k.addcmul_(v, g, g, 1 - beta2)
    denominator = k.shifted(k.sqrt(k.quotient(v, 1 - beta2**step)), eps)
    k.addcdiv_(p, g, denominator, -lr * (1.0 - mu) / (1.0 - so_far))
    k.addcdiv_(p, m, denominator, -lr * following / (1.0 - so_far * following))


show_as_torch(__name__)
publish(__name__)

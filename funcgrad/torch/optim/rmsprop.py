"""`RMSprop`: steps scaled by the root of a running average of squared gradients."""

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

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(Optimizer):
    """RMSprop: p becomes p - lr * g / (sqrt(v) + eps), where v is a running average of squared gradients.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        alpha: the share of v that is kept from step to step.
        eps: keeps the divisor from zero.
        weight_decay: this times the parameter is added to its gradient.
        momentum: the share of a running sum of steps that is kept.
        centered: whether v is the variance of the gradients instead.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.RMSprop([w], lr=0.01)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_0("epsilon value", eps)
        check_at_least_0("momentum value", momentum)
        check_at_least_0("weight_decay value", weight_decay)
        check_at_least_0("alpha value", alpha)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(momentum=0, centered=False, foreach=None, maximize=False, differentiable=False, capturable=False)

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        state["step"] = counter(0.0)
        state["square_avg"] = zeros_like(p)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(p)
        if group["centered"]:
            state["grad_avg"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, squares, steps = self._collect(group, "square_avg", "step")
            rmsprop(
                params,
                grads,
                squares,
                [self.state[p]["grad_avg"] for p in params] if group["centered"] else [],
                [self.state[p]["momentum_buffer"] for p in params] if group["momentum"] > 0 else [],
                steps,
                lr=group["lr"],
                alpha=group["alpha"],
                eps=group["eps"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                centered=group["centered"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss


def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """One step of `RMSprop` for these parameters."""
    check_counters(state_steps)
    if capturable:
        check_capturable(params)
    none = [None] * len(params)
    each(
        _rule,
        params,
        grads,
        square_avgs,
        grad_avgs if centered else none,
        momentum_buffer_list if momentum > 0 else none,
        steps=state_steps,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        lr=lr,
        alpha=alpha,
        eps=eps,
        weight_decay=weight_decay,
        momentum=momentum,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    squares: Any,
    mean: Any,
    buffer: Any,
    *,
    lr: Any,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
) -> None:
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    k.mul_(squares, alpha)
    k.addcmul_(squares, g, g, 1 - alpha)
    if mean is None:
        root = k.sqrt(squares)
    else:
        k.lerp_(mean, g, 1 - alpha)
        variance = k.copy(squares)
        k.addcmul_(variance, mean, mean, -1)
        root = k.sqrt(variance)
    root = k.shifted(root, eps)
    if buffer is None:
        k.addcdiv_(p, g, root, -lr)
    else:
        k.mul_(buffer, momentum)
        k.addcdiv_(buffer, g, root)
        k.add_(p, buffer, -lr)


show_as_torch(__name__)
publish(__name__)

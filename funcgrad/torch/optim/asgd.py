"""`ASGD`: gradient descent, and the average of where it has been."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_at_least_0,
    check_capturable,
    check_lr,
    each,
    scalar,
    zeros_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ASGD", "asgd"]


class ASGD(Optimizer):
    """Averaged stochastic gradient descent: state["ax"] is the average of the parameter over the steps.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        lambd: how fast the parameter itself decays.
        alpha: the power by which the learning rate falls with the number of steps.
        t0: the step at which averaging begins.
        weight_decay: this times the parameter is added to its gradient.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.ASGD([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.8000, -1.6000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_0("weight_decay value", weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
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
        state["eta"] = counter(float(scalar(group["lr"])))
        state["mu"] = counter(1.0)
        state["ax"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, averages, mus, etas, steps = self._collect(group, "ax", "mu", "eta", "step")
            asgd(
                params,
                grads,
                averages,
                mus,
                etas,
                steps,
                lambd=group["lambd"],
                lr=group["lr"],
                t0=group["t0"],
                alpha=group["alpha"],
                weight_decay=group["weight_decay"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss


def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """One step of `ASGD` for these parameters."""
    if capturable:
        check_capturable(params, "params, mus, etas, and state_steps", xla=not foreach)
    each(
        _rule,
        params,
        grads,
        axs,
        steps=state_steps,
        others=[mus, etas],
        writes=2,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        lambd=lambd,
        lr=lr,
        t0=t0,
        alpha=alpha,
        weight_decay=weight_decay,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    average: Any,
    mu: Tensor,
    eta: Tensor,
    *,
    lambd: float,
    lr: Any,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    rate, share = eta.item(), mu.item()
    k.mul_(p, 1 - lambd * rate)
    k.add_(p, g, -rate)
    if share != 1:
        k.lerp_(average, p, share)
    else:
        k.copy_(average, p)
    eta.fill_(lr / (1 + lambd * lr * step) ** alpha)
    mu.fill_(1 / max(1, step - t0))


show_as_torch(__name__)
publish(__name__)

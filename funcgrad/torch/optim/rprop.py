"""`Rprop`: steps that grow while the gradient keeps its sign."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_capturable,
    check_counters,
    check_lr,
    each,
    full_like,
    scalar,
    zeros_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Rprop", "rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation: of a gradient only the sign counts, and each element has its step size.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        etas: what a step size is multiplied by when the gradient changes its sign, and when it keeps it.
        step_sizes: the smallest and the largest step size.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach: a way of computing, which is no other here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Rprop([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
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
        lr = group["lr"]
        state["step"] = counter(0.0)
        state["prev"] = zeros_like(p)
        state["step_size"] = full_like(p._grad, complex(lr, lr) if p.is_complex() else scalar(lr))

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            low, high = group["step_sizes"]
            etaminus, etaplus = group["etas"]
            params, grads, prevs, sizes, steps = self._collect(group, "prev", "step_size", "step")
            rprop(
                params,
                grads,
                prevs,
                sizes,
                steps,
                step_size_min=low,
                step_size_max=high,
                etaminus=etaminus,
                etaplus=etaplus,
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                capturable=group["capturable"],
            )
        return loss


def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """One step of `Rprop` for these parameters."""
    check_counters(state_steps)
    if capturable:
        check_capturable(params)
    each(
        _rule,
        params,
        grads,
        prevs,
        step_sizes,
        steps=state_steps,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        low=step_size_min,
        high=step_size_max,
        shrink=etaminus,
        grow=etaplus,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    before: Any,
    size: Any,
    *,
    low: float,
    high: float,
    shrink: float,
    grow: float,
) -> None:
    sign = k.sign(k.product(g, before))
    turned = sign < 0
    factor = k.where(turned, shrink, k.where(sign > 0, grow, k.where(sign == 0, 1.0, sign)))
    k.mul_(size, factor)
    k.clamp_(size, low, high)
    g = k.where(turned, 0.0, g)  # where the sign has changed, this step is left out
    k.addcmul_(p, k.sign(g), size, -1)
    k.copy_(before, g)


show_as_torch(__name__)
publish(__name__)

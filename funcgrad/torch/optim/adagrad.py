"""`Adagrad`: steps scaled by the sum of all squared gradients."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_at_least_0,
    check_counters,
    check_fused,
    check_fused_alone,
    check_lr,
    each,
    full_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Adagrad", "adagrad"]


class Adagrad(Optimizer):
    """Adagrad: p becomes p - lr * g / (sqrt(s) + eps), where s is the sum of squared gradients.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        lr_decay: how fast the learning rate falls with the number of steps.
        weight_decay: this times the parameter is added to its gradient.
        initial_accumulator_value: where the sum begins.
        eps: keeps the divisor from zero.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach, fused: ways of computing, which are one here.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adagrad([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_at_least_0("lr_decay value", lr_decay)
        check_at_least_0("weight_decay value", weight_decay)
        check_at_least_0("initial_accumulator_value value", initial_accumulator_value)
        check_at_least_0("epsilon value", eps)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_fused_alone(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for p in group["params"]:
                self._begin(self.state[p], p, group)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(foreach=None, maximize=False, differentiable=False, fused=None)

    def share_memory(self) -> None:
        """Have other processes see the sums."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        start = self.defaults["initial_accumulator_value"]
        state["step"] = counter(0.0, group["fused"])
        state["sum"] = full_like(p, complex(start, start) if p.is_complex() else start)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, sums, steps = self._collect(group, "sum", "step")
            if group["fused"]:
                for p in params:
                    check_fused(p)
            adagrad(
                params,
                grads,
                sums,
                steps,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                lr_decay=group["lr_decay"],
                eps=group["eps"],
                foreach=group["foreach"],
                maximize=group["maximize"],
                differentiable=group["differentiable"],
                fused=group["fused"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
            )
        return loss


def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """One step of `Adagrad` for these parameters."""
    check_counters(state_steps)
    if fused and differentiable and params:
        raise RuntimeError("adagrad with fused=True does not support differentiable=True")
    each(
        _rule,
        params,
        grads,
        state_sums,
        steps=state_steps,
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        fused=fused,
        grad_scale=grad_scale,
        found_inf=found_inf,
        lr=lr,
        weight_decay=weight_decay,
        lr_decay=lr_decay,
        eps=eps,
    )


def _rule(
    k: Any,
    step: float,
    p: Any,
    g: Any,
    total: Any,
    *,
    lr: Any,
    weight_decay: float,
    lr_decay: float,
    eps: float,
) -> None:
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    k.addcmul_(total, g, g, 1)
    k.addcdiv_(p, g, k.shifted(k.sqrt(total), eps), -(lr / (1 + (step - 1) * lr_decay)))


show_as_torch(__name__)
publish(__name__)

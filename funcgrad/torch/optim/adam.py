"""`Adam`: steps scaled by running averages of gradients and their squares."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import (
    check_at_least_0,
    check_betas,
    check_capturable,
    check_counters,
    check_fused,
    check_fused_alone,
    check_lr,
    each,
    scalar,
    zeros_like,
)
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["Adam", "adam"]


class Adam(Optimizer):
    """Adam: p becomes p - lr * m / (sqrt(v) + eps), with running averages m of gradients and v of their squares.

    Both averages begin at zero and are corrected for it.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        betas: the shares of m and v that are kept from step to step.
        eps: keeps the divisor from zero.
        weight_decay: this times the parameter is added to its gradient.
        amsgrad: whether the largest v so far is divided by.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        decoupled_weight_decay: whether the decay acts on the parameter itself, as in `AdamW`.
        foreach, fused: ways of computing, which are one here.
        capturable: for graphs of other devices.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adam([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError(texts.TENSOR_LR_FOREACH)
        check_lr(lr)
        check_at_least_0("epsilon value", eps)
        check_betas(betas)
        check_at_least_0("weight_decay value", weight_decay)
        kinds = [isinstance(b, (float, Tensor)) for b in betas]
        if not all(kinds) or isinstance(betas[0], Tensor) is not isinstance(betas[1], Tensor):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if isinstance(beta, Tensor):
                if not capturable and foreach:
                    raise ValueError(texts.TENSOR_BETA_FOREACH.format(i=i))
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{i}] must be 1-element")
        defaults = {
            "lr": lr,
            "betas": tuple([scalar(b) for b in betas]),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)
        check_fused_alone(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(
            amsgrad=False,
            maximize=False,
            foreach=None,
            capturable=False,
            differentiable=False,
            decoupled_weight_decay=False,
            fused=None,
        )

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        if group["fused"]:
            check_fused(p)
        state["step"] = counter(0.0, group["fused"])
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(p)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            names = ("exp_avg", "exp_avg_sq", "step") + ("max_exp_avg_sq",) * group["amsgrad"]
            params, grads, exp_avgs, exp_avg_sqs, steps, *largest = self._collect(group, *names)
            if group["differentiable"] and any(s.requires_grad for s in steps):
                raise RuntimeError(texts.STEP_REQUIRES_GRAD)
            if params and group["foreach"] and isinstance(group["lr"], Tensor) and not group["capturable"]:
                raise RuntimeError(texts.TENSOR_LR_FOREACH)
            beta1, beta2 = group["betas"]
            adam(
                params,
                grads,
                exp_avgs,
                exp_avg_sqs,
                largest[0] if largest else [],
                steps,
                amsgrad=group["amsgrad"],
                beta1=beta1,
                beta2=beta2,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                maximize=group["maximize"],
                foreach=group["foreach"],
                capturable=group["capturable"],
                differentiable=group["differentiable"],
                fused=group["fused"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
                decoupled_weight_decay=group["decoupled_weight_decay"],
            )
        return loss


def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """One step of `Adam` for these parameters."""
    check_counters(state_steps)
    if capturable and not fused:
        check_capturable(params, xla=not foreach)
    if fused and differentiable and params:
        raise RuntimeError("Adam with fused=True does not support differentiable=True")
    each(
        _rule,
        params,
        grads,
        exp_avgs,
        exp_avg_sqs,
        max_exp_avg_sqs if amsgrad else [None] * len(params),
        steps=state_steps,
        writes=1 + (decoupled_weight_decay and weight_decay != 0),
        maximize=maximize,
        foreach=foreach,
        differentiable=differentiable,
        fused=fused,
        grad_scale=grad_scale,
        found_inf=found_inf,
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
    largest: Any,
    *,
    beta1: Any,
    beta2: Any,
    lr: Any,
    weight_decay: Any,
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
    if largest is not None:
        k.maximum_(largest, v)
        v = largest
    correction = (1 - beta2**step) ** 0.5
    denominator = k.shifted(k.over(k.sqrt(v), correction), eps)
    k.addcdiv_(p, m, denominator, -(lr / (1 - beta1**step)))


show_as_torch(__name__)
publish(__name__)

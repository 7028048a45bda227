"""`SGD`: stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._update import check_fused, check_fused_alone, each
from funcgrad.torch.optim.optimizer import Optimizer, evaluated, recorded_if_differentiable
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """Stochastic gradient descent: p becomes p - lr * v, where v is the gradient, or a running sum of gradients.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the learning rate, a number or a tensor of one element.
        momentum: the share of the running sum that is kept from step to step.
        dampening: the share of a gradient that is left out of the running sum.
        weight_decay: this times the parameter is added to its gradient.
        nesterov: whether the gradient is taken where momentum leads.
        maximize: whether to go up instead of down.
        differentiable: whether steps are recorded.
        foreach, fused: ways of computing, which are one here.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        >>> for _ in range(2):
        ...     optimizer.zero_grad()
        ...     (w**2).sum().backward()
        ...     optimizer.step()
        >>> w
        tensor([0.4600, 0.9200], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(texts.NESTEROV)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        check_fused_alone(fused, foreach, differentiable)
        if fused:
            self._step_supports_amp_scaling = True

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(nesterov=False, maximize=False, foreach=None, differentiable=False, fused=False)

    @recorded_if_differentiable
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads = self._collect(group)
            if group["fused"]:
                for p in params:
                    check_fused(p)
            momentum = group["momentum"]
            buffers = [self.state[p].get("momentum_buffer") if momentum != 0 else None for p in params]
            sgd(
                params,
                grads,
                buffers,
                weight_decay=group["weight_decay"],
                momentum=momentum,
                lr=group["lr"],
                dampening=group["dampening"],
                nesterov=group["nesterov"],
                maximize=group["maximize"],
                foreach=group["foreach"],
                fused=group["fused"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
            )
            if momentum != 0:
                for p, buffer in zip(params, buffers, strict=True):
                    self.state[p]["momentum_buffer"] = buffer
        return loss


def sgd(
    params: list[Tensor],
    d_p_list: list[Tensor],
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """One step of `SGD` for these parameters; a momentum that is None is put in its place in the list."""
    if len(momentum_buffer_list) != len(params):  # without momentum none need be given
        momentum_buffer_list = [None] * len(params)
    buffers = each(
        _rule,
        params,
        d_p_list,
        momentum_buffer_list,
        maximize=maximize,
        foreach=foreach,
        fused=fused,
        grad_scale=grad_scale,
        found_inf=found_inf,
        weight_decay=weight_decay,
        momentum=momentum,
        lr=lr,
        dampening=dampening,
        nesterov=nesterov,
    )
    for i, buffer in enumerate(buffers):
        if buffer is not None:
            momentum_buffer_list[i] = buffer


def _rule(
    k: Any,
    step: int,
    p: Any,
    g: Any,
    buffer: Any,
    *,
    weight_decay: Any,
    momentum: float,
    lr: Any,
    dampening: float,
    nesterov: bool,
) -> Any:
    begun = None
    if weight_decay != 0:
        g = k.plus(g, p, weight_decay)
    if momentum != 0:
        if buffer is None:
            buffer = begun = k.copy(g)
        else:
            k.mul_(buffer, momentum)
            k.add_(buffer, g, 1 - dampening)
        g = k.plus(g, buffer, momentum) if nesterov else buffer
    k.add_(p, g, -lr)
    return begun


show_as_torch(__name__)
publish(__name__)

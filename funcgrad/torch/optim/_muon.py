"""`Muon`: momentum whose singular values are made equal."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.optim._update import scalar, zeros_like
from funcgrad.torch.optim.optimizer import Optimizer, evaluated
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["Muon"]

_torch = namespaces[""]


class Muon(Optimizer):
    """Momentum for matrices, orthogonalised by a few steps of Newton and Schulz in bfloat16.

    Arguments:
        params: parameters of two dimensions, or groups of them; see `Optimizer`.
        lr: the learning rate.
        weight_decay: before each step p becomes (1 - lr * weight_decay) * p.
        momentum: the share of a running average of gradients that is kept.
        nesterov: whether the gradient is taken where momentum leads.
        ns_coefficients: of the polynomial of a Newton-Schulz step.
        eps: keeps a divisor from zero.
        ns_steps: how many such steps there are.
        adjust_lr_fn: how the learning rate goes by the shape, "original" or "match_rms_adamw".
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not momentum >= 0.0:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(texts.MUON_SIZE.format(size=p.size()))

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state["momentum_buffer"] = zeros_like(p)

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, buffers = self._collect(group, "momentum_buffer")
            muon(
                params,
                grads,
                buffers,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                momentum=group["momentum"],
                nesterov=group["nesterov"],
                ns_coefficients=group["ns_coefficients"],
                eps=group["eps"],
                ns_steps=group["ns_steps"],
                adjust_lr_fn=group["adjust_lr_fn"],
                has_complex=False,
            )
        return loss


def muon(
    params: list[Tensor],
    grads: list[Tensor],
    muon_momentum_bufs: list[Tensor],
    *,
    foreach: bool | None = None,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """One step of `Muon` for these parameters."""
    if foreach:
        raise RuntimeError("Foreach is not supported for Muon yet")
    if has_complex:
        raise ValueError("Complex parameters are not supported")
    lr = scalar(lr)
    for p, g, average in zip(params, grads, muon_momentum_bufs, strict=True):
        if g.ndim != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        average.lerp_(g, 1 - momentum)
        update = g.lerp(average, momentum) if nesterov else average
        update = _orthogonalised(update, ns_coefficients, ns_steps, eps)
        p.mul_(1 - lr * weight_decay)
        p.add_(update, alpha=-float(lr) * _of_shape(adjust_lr_fn, *p.shape))


def _orthogonalised(m: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Nearly the orthogonal factor of a matrix, in bfloat16."""
    if steps >= 100:
        raise ValueError(texts.MUON_STEPS)
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = m.size(0) > m.size(1)
    x = m.bfloat16()
    x = x.T if tall else x
    x = x / x.norm().clamp(min=eps)
    addmm = _torch["addmm"]
    for _ in range(steps):
        gram = x @ x.T
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


def _of_shape(way: str | None, rows: int, columns: int) -> float:
    """What the learning rate of a matrix of this shape is multiplied by."""
    if way == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


show_as_torch(__name__, "funcgrad.torch.optim")
publish(__name__)

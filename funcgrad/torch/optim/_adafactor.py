"""`Adafactor`: Adam's scaling in the memory of a row and a column."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import finfo
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.optim._update import scalar, zeros_like
from funcgrad.torch.optim.optimizer import Optimizer, counter, evaluated
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["Adafactor", "adafactor"]

_torch = namespaces[""]


class Adafactor(Optimizer):
    """Steps scaled by running averages of squared gradients, of which matrices keep the sums of rows and of columns.

    Arguments:
        params: parameters, or groups of them; see `Optimizer`.
        lr: the largest learning rate, a number or a tensor of one element.
        beta2_decay: the power of the number of steps by which a new gradient counts in the averages.
        eps: keep the divisor from zero (None: what the dtype can tell from zero), and the step of small parameters.
        d: the largest root mean square of an update; a larger one is scaled down.
        weight_decay: before each step p becomes (1 - lr * weight_decay) * p.
        foreach: a way of computing, which is no other here.
        maximize: whether to go up instead of down.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> optimizer = torch.optim.Adafactor([w], lr=0.1)
        >>> (w**2).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([ 0.8419, -1.8419], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr >= 0.0:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not beta2_decay <= 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not eps[0] >= 0.0:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not eps[1] >= 0.0:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not d >= 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not weight_decay >= 0.0:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fill_in(foreach=None)

    def _begin(self, state: dict[str, Any], p: Tensor, group: dict[str, Any]) -> None:
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state["step"] = counter(0.0)
        shape = list(p.shape)
        if p.dim() > 1:
            state["row_var"] = p.new_zeros([*shape[:-1], 1])
            state["col_var"] = p.new_zeros([*shape[:-2], 1, shape[-1]])
        else:
            state["variance"] = zeros_like(p)

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        """Change the parameters as their gradients say; see `Optimizer.step`."""
        loss = evaluated(closure)
        for group in self.param_groups:
            params, grads, steps = self._collect(group, "step")
            states = [self.state[p] for p in params]
            eps1, eps2 = group["eps"]
            adafactor(
                params,
                grads,
                [s.get("row_var") for s in states],
                [s.get("col_var") for s in states],
                [s.get("variance") for s in states],
                steps,
                d=group["d"],
                lr=group["lr"],
                beta2_decay=group["beta2_decay"],
                weight_decay=group["weight_decay"],
                eps1=eps1,
                eps2=eps2,
                foreach=group["foreach"],
                maximize=group["maximize"],
                grad_scale=getattr(self, "grad_scale", None),
                found_inf=getattr(self, "found_inf", None),
            )
        return loss


def adafactor(
    params: list[Tensor],
    grads: list[Tensor],
    row_vars: list[Tensor | None],
    col_vars: list[Tensor | None],
    variances: list[Tensor | None],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float | None,
    eps2: float,
    maximize: bool,
) -> None:
    """One step of `Adafactor` for these parameters."""
    if not all(isinstance(t, Tensor) for t in state_steps):
        raise RuntimeError(texts.ADAFACTOR_STEPS)
    if grad_scale is not None or found_inf is not None:
        raise AssertionError("Grad scaling should occur outside of optimizer.step()")
    for p, g, row, column, variance, count in zip(
        params, grads, row_vars, col_vars, variances, state_steps, strict=True
    ):
        eps = finfo(p.dtype).eps if eps1 is None else eps1
        _step(
            p, -g if maximize else g, row, column, variance, count, d, scalar(lr), beta2_decay, weight_decay, eps, eps2
        )


def _step(
    p: Tensor,
    g: Tensor,
    row: Tensor | None,
    column: Tensor | None,
    variance: Tensor | None,
    count: Tensor,
    d: float,
    lr: Any,
    beta2_decay: float,
    weight_decay: float,
    eps1: float,
    eps2: float,
) -> None:
    count.add_(1)
    step = count.item()
    share = step**beta2_decay
    rate = max(eps2, _size(p)) * min(lr, 1 / step**0.5)
    if weight_decay != 0:
        p.mul_(1 - lr * weight_decay)
    if row is not None and column is not None:
        row.lerp_(g.norm(dim=-1, keepdim=True).square_().div_(g.size(-1)), share)
        column.lerp_(g.norm(dim=-2, keepdim=True).square_().div_(g.size(-2)), share)
        estimate = row @ column
        estimate.div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps1))
    else:
        variance.lerp_(g * g, share)  # type: ignore[union-attr]  # what has no rows has a variance
        estimate = variance.clone()  # type: ignore[union-attr]  # as above
    update = estimate.clamp_(min=eps1 * eps1).rsqrt_().mul_(g)
    factor = -rate / max(1.0, _size(update) / d)
    p.add_(update, alpha=factor.item() if isinstance(factor, Tensor) else factor)


def _size(x: Tensor) -> float:
    """The root of the mean of the squares."""
    return x.norm(2).item() / x.numel() ** 0.5


show_as_torch(__name__, "funcgrad.torch.optim")
publish(__name__)

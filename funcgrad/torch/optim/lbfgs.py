"""`LBFGS`: a quasi-Newton method with a short memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import enable_grad, no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.optim._strong_wolfe import Point, strong_wolfe
from funcgrad.torch.optim._update import check_lr, scalar
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import optim as texts

__all__ = ["LBFGS"]

_torch = namespaces[""]


class LBFGS(Optimizer):
    """Limited-memory BFGS: steps go where the last changes of the gradient say the minimum is.

    A step calls its closure several times. There is one group of parameters.

    Arguments:
        params: the parameters.
        lr: the length of a step in units of the one that the method proposes.
        max_iter: how many iterations there are in a step.
        max_eval: how often the closure is called in a step; by default 1.25 times as often.
        tolerance_grad: the largest element of a gradient that counts as zero.
        tolerance_change: the smallest change of the loss, or of an element, that goes on.
        history_size: how many changes are remembered.
        line_search_fn: None, or "strong_wolfe".

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([-1.0, 2.0], requires_grad=True)
        >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        ...     loss.backward()
        ...     return loss
        >>> for _ in range(3):
        ...     loss = optimizer.step(closure)
        >>> bool(closure() < 1e-8)
        True
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError(texts.LBFGS_GROUPS)
        self._params = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure: Callable) -> Any:
        """Go several iterations towards the minimum.

        Arguments:
            closure: computes the loss anew, with its gradients, and returns it.

        Returns:
            The loss where the step began.
        """
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        lr = scalar(group["lr"])
        max_iter, max_eval, search = group["max_iter"], group["max_eval"], group["line_search_fn"]
        tolerance_grad, tolerance_change = group["tolerance_grad"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = float(first_loss)
        evals = 1
        state["func_evals"] += 1
        g = self._gather_flat_grad()
        if g.abs().max() <= tolerance_grad:
            return first_loss
        d, t = state.get("d"), state.get("t")
        last_g, last_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        for n_iter in range(1, max_iter + 1):
            state["n_iter"] += 1
            first = state["n_iter"] == 1
            if first:
                d = g.neg()
                state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            else:
                d = self._direction(state, g, g.sub(last_g), d.mul(t), group["history_size"])
            if last_g is None:
                last_g = g.clone()
            else:
                last_g.copy_(g)
            last_loss = loss
            t = min(1.0, 1.0 / g.abs().sum()) * lr if first else lr
            slope = g.dot(d)
            if slope > -tolerance_change:
                break
            calls, flat = 0, False
            if search is not None:
                if search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = Point(0, loss, g, slope)
                loss, g, t, calls = strong_wolfe(self._along(closure, d), t, d, start, most=max_eval - evals)
                self._add_grad(t, d)
                flat = bool(g.abs().max() <= tolerance_grad)
            else:
                self._add_grad(t, d)
                if n_iter != max_iter:
                    loss = float(closure())
                    g = self._gather_flat_grad()
                    flat = bool(g.abs().max() <= tolerance_grad)
                    calls = 1
            evals += calls
            state["func_evals"] += calls
            if n_iter == max_iter or evals >= max_eval or flat:
                break
            if d.mul(t).abs().max() <= tolerance_change or abs(loss - last_loss) < tolerance_change:
                break
        state.update(d=d, t=t, prev_flat_grad=last_g, prev_loss=last_loss)
        return first_loss

    def _direction(self, state: dict[str, Any], g: Tensor, y: Tensor, s: Tensor, history_size: int) -> Tensor:
        """The direction of a quasi-Newton step.

        Arguments:
            state: what is remembered, to which the last change is added.
            g: the gradient.
            y, s: how much the gradient, and the parameters, have changed in the last step.
            history_size: how many changes are remembered.
        """
        ys = y.dot(s)
        changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        if ys > 1e-10:
            if len(changes) == history_size:
                for remembered in changes, steps, ro:
                    remembered.pop(0)
            changes.append(y)
            steps.append(s)
            ro.append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        al = state.setdefault("al", [None] * history_size)
        q = g.neg()
        for i in reversed(range(len(changes))):
            al[i] = steps[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-al[i].item())
        r = q.mul(state["H_diag"])
        for i in range(len(changes)):
            r.add_(steps[i], alpha=(al[i] - changes[i].dot(r) * ro[i]).item())
        return r

    def _along(self, closure: Callable, d: Tensor) -> Callable:
        """The loss and its gradient at a step along d; the parameters stay where they are."""
        start = [p.clone() for p in self._params]

        def evaluate(t: Any) -> tuple[float, Tensor]:
            self._add_grad(t, d)
            loss = float(closure())
            g = self._gather_flat_grad()
            for p, value in zip(self._params, start, strict=True):
                p.copy_(value)
            return loss, g

        return evaluate

    def _gather_flat_grad(self) -> Tensor:
        """The gradients of all parameters, one after the other."""
        parts = []
        for p in self._params:
            part = p.new_zeros(p.numel()) if p.grad is None else p.grad.reshape(-1)
            parts.append(_torch["view_as_real"](part).reshape(-1) if part.is_complex() else part)
        return _torch["cat"](parts, 0)

    def _add_grad(self, step_size: Any, update: Tensor) -> None:
        """Move all parameters along a direction."""
        step = step_size.item() if isinstance(step_size, Tensor) else step_size
        offset = 0
        for p in self._params:
            real = _torch["view_as_real"](p) if p.is_complex() else p
            n = real.numel()
            real.add_(update[offset : offset + n].view_as(real), alpha=step)
            offset += n


show_as_torch(__name__)
publish(__name__)

"""`autograd.grad(..., is_grads_batched=True)`: the backward walk under vmap, for a batch of gradients at once."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.func.vmap import mapped
from funcgrad.torch.tensor.operation import Tensor


def batched_grad(outputs: tuple, inputs: tuple, given: tuple, retain: bool, create_graph: bool, options: dict) -> tuple:
    """The gradients for each of the batch of `given`, along a dimension in front.

    Arguments:
        outputs, inputs: of autograd.grad.
        given: the gradients of outputs, each with the batch in front.
        retain: whether the graph is kept.
        create_graph: whether the gradients are recorded.
        options: allow_unused and materialize_grads.
    """
    from funcgrad.torch.autograd.backward import grad

    for g in given:
        if isinstance(g, Tensor) and not g.ndim:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
    used: list[bool] = []

    def pull(*grads: Tensor) -> tuple:
        rows = grad(
            outputs, inputs, grads, retain_graph=retain, create_graph=create_graph, allow_unused=options["allow_unused"]
        )
        used[:] = [g is not None for g in rows]
        return tuple([g for g in rows if g is not None])

    batches = iter(mapped(pull)(*given))
    return tuple([next(batches) if u else _missing(x, options) for u, x in zip(used, inputs, strict=True)])


def _missing(x: Any, options: dict) -> Any:
    return x.new_zeros(x.shape) if options["materialize_grads"] and isinstance(x, Tensor) else None

"""`autograd.grad(..., is_grads_batched=True)`: one walk for each of a batch of gradients."""

from __future__ import annotations

from funcgrad.torch.operation import Tensor


def batched_grad(outputs: tuple, inputs: tuple, given: tuple, retain: bool, create_graph: bool, options: dict) -> tuple:
    """The gradients for each of the batch of `given`, stacked.

    Arguments:
        outputs, inputs: of autograd.grad.
        given: the gradients of outputs, each with the batch in front.
        retain: whether the graph is kept.
        create_graph: whether the gradients are recorded.
        options: allow_unused and materialize_grads.
    """
    from funcgrad.torch import stack
    from funcgrad.torch.autograd.backward import grad

    n = _batch_size(given)
    rows = [
        grad(
            outputs,
            inputs,
            tuple([None if g is None else g[k] for g in given]),
            retain_graph=retain or k < n - 1,
            create_graph=create_graph,
            **options,
        )
        for k in range(n)
    ]
    return tuple([None if column[0] is None else stack(column) for column in zip(*rows, strict=True)])


def _batch_size(given: tuple) -> int:
    sizes = []
    for g in given:
        if isinstance(g, Tensor):
            if not g.ndim:
                raise ValueError(
                    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                    "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
                )
            sizes.append(g.shape[0])
    if any(n != sizes[0] for n in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    if not sizes:
        raise ValueError("vmap: Expected at least one gradient with a batch dimension")
    return sizes[0]

"""`autograd.grad(..., is_grads_batched=True)`: the backward walk under vmap, for a batch of gradients at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.func.vmap import mapped
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import vmap as texts


def batched_rows(pull: Callable[..., tuple], inputs: tuple, given: tuple, materialize: bool) -> tuple:
    """What `pull` makes of each of a batch of gradients, along a dimension in front.

    Arguments:
        pull: gives from the gradients of the outputs those of the inputs, None for an input that has none.
        inputs: of autograd.grad.
        given: the gradients of the outputs, each with the batch in front.
        materialize: whether zeros take the place of None.
    """
    for g in given:
        if isinstance(g, Tensor) and not g.ndim:
            raise ValueError(texts.GRADIENT_WITHOUT_BATCH)
    used: list[bool] = []

    def found(*grads: Tensor) -> tuple:
        rows = pull(*grads)
        used[:] = [g is not None for g in rows]
        return tuple([g for g in rows if g is not None])

    batches = iter(mapped(found)(*given))
    return tuple([next(batches) if u else _missing(x, materialize) for u, x in zip(used, inputs, strict=True)])


def _missing(x: Any, materialize: bool) -> Any:
    return x.new_zeros(x.shape) if materialize and isinstance(x, Tensor) else None

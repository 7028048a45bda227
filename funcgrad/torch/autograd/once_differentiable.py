"""`once_differentiable`: for a backward whose result cannot be differentiated again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.torch.autograd.function_node import NodeOfPython
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import custom_functions as texts


def once_differentiable(fn: Callable) -> Callable:
    """Decorate a backward whose result cannot be differentiated again: to try so is an error."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args, **kwargs)
        if not state.grad or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        made = outputs if isinstance(outputs, tuple) else (outputs,)
        leaves = tuple([None if t is None else t.detach().requires_grad_() for t in made])
        node = Error(leaves)
        shown: list[Any] = []
        for k, leaf in enumerate(leaves):
            if leaf is None:
                shown.append(None)
                continue
            t = leaf.detach()
            t._node, t._nr = node, k
            shown.append(t)
        return tuple(shown) if len(shown) > 1 else shown[0]

    return wrapper


class Error(NodeOfPython):
    """A node that raises when the walk comes to it."""

    __slots__ = ()
    title = "torch::autograd::Error"

    def __init__(self, tensors: tuple) -> None:
        super().__init__(tensors)
        self.gives(tensors, [True] * len(tensors))

    def edge_count(self) -> int:
        """One for each tensor it was given."""
        return self.outputs

    def run(self, grads: list, create_graph: bool) -> list:
        """Raise."""
        raise RuntimeError(texts.ONCE_DIFFERENTIABLE)

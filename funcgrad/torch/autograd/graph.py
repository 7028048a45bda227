"""`torch.autograd.graph`: the graph itself, and what may be hung into it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.locks import new_lock
from funcgrad.torch.autograd.function_context import BackwardCFunction
from funcgrad.torch.autograd.mutation import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from funcgrad.torch.autograd.saving_hooks import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from funcgrad.torch.autograd.saving_hooks import save_on_cpu as save_on_cpu
from funcgrad.torch.autograd.saving_hooks import saved_tensors_hooks as saved_tensors_hooks
from funcgrad.torch.tensor.engine import current_walk
from funcgrad.torch.tensor.node import Node as _Node
from funcgrad.torch.tensor.node import RemovableHandle
from funcgrad.torch.tensor.starting_grads import GradientEdge as GradientEdge
from funcgrad.torch.tensor.starting_grads import edge_of
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import autograd as texts

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class _NodeMeta(type):
    def __instancecheck__(cls, other: object) -> bool:
        return cls.__subclasscheck__(type(other))

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, (_Node, BackwardCFunction))


class Node(metaclass=_NodeMeta):
    """The type of nodes, such as `grad_fn`: for isinstance and for annotations."""


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """Where the gradient of a tensor flows: its node and which output of it the tensor is.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor(2.0, requires_grad=True)
        >>> y = x * x
        >>> torch.autograd.grad(y, torch.autograd.graph.get_gradient_edge(x))
        (tensor(4.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError(texts.EDGE_WITHOUT_GRAD)
    return GradientEdge(*edge_of(tensor))


def increment_version(tensor: Any) -> None:
    """Say that tensors were written into in a way that torch did not see."""
    tensors: Iterable = (tensor,) if isinstance(tensor, Tensor) else tensor
    for t in tensors:
        if not t._inference:
            t._bump()


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take all the hooks out."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence, fn: Callable, *, mode: str = "all") -> RemovableHandle:
    """Call a function when gradients of several tensors are known.

    Arguments:
        tensors: whose gradients are waited for; those that a backward does not come by are left out.
        fn: mode "all": called once with the list of gradients, None for what was left out; mode "any": called with the
            first gradient that is known.
        mode: "all" or "any".

    Returns:
        A handle that takes the hook out again.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    if mode == "any":
        return _MultiHandle(_any_hooks(tensors, fn))
    return _MultiHandle(_all_hooks(tensors, fn))


def _all_hooks(tensors: Sequence, fn: Callable) -> tuple[RemovableHandle, ...]:
    nodes = [_node_of(t) for t in tensors]
    waiting: dict[int, list] = {}  # by walk: how many gradients are still to come, and those that came
    lock = new_lock()

    def hook_of(k: int) -> Callable:
        def hook(grad: Any) -> None:
            walk = current_walk()
            with lock:
                if id(walk) not in waiting:
                    waiting[id(walk)] = [sum(walk.will_run(n()) for n in nodes), [None] * len(nodes)]
                entry = waiting[id(walk)]
                entry[0] -= 1
                entry[1][k] = grad
                if not entry[0]:
                    del waiting[id(walk)]
            if not entry[0]:
                fn(entry[1])

        return hook

    return tuple([t.register_hook(hook_of(k)) for k, t in enumerate(tensors)])


def _node_of(t: Tensor) -> Callable[[], Any]:
    """Gives the node that gradients of a tensor go to, as long as it is there: hooks belong to it, not it to hooks."""
    if not t.is_leaf:
        return weakref.ref(edge_of(t)[0])
    leaf = weakref.ref(t)
    return lambda: edge_of(leaf())[0] if leaf() is not None else None


def _any_hooks(tensors: Sequence, fn: Callable) -> tuple[RemovableHandle, ...]:
    done: set[int] = set()
    lock = new_lock()

    def hook(grad: Any) -> None:
        walk = current_walk()
        with lock:
            if walk.number in done:
                return
            done.add(walk.number)
        fn(grad)

    return tuple([t.register_hook(hook) for t in tensors if t.requires_grad])


@contextmanager
def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> Generator[None, None, None]:
    """Streams are a matter of devices that funcgrad does not have; nothing changes."""
    yield


publish(__name__)

"""The hooks that a backward walk calls: on tensors and on nodes; and what they may give back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.tensor.node import AccumulateGrad, Node
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import graph as texts


def has_hooks(node: AccumulateGrad) -> bool:
    """Whether somebody wants to see the gradient of a leaf before it is accumulated."""
    return bool(node._tensor_hooks or node._pre_hooks or node._post_hooks)


def tensor_hooks(node: Node, grads: list) -> list:
    """Hooks of the tensors that a node made, then retain_grad."""
    by_number = getattr(node, "_tensor_hooks", None)
    if by_number:
        for k, hooks in list(by_number.items()):
            for hook in list(hooks.values()):
                if grads[k] is None:
                    continue
                found = hook(grads[k])
                if found is not None:
                    grads[k] = check_hook_result(found, grads[k], hook)
    retain = getattr(node, "_retain", None)
    if retain:
        for k, keep in list(retain.items()):
            if grads[k] is not None:
                keep(grads[k])
    return grads


def before_hooks(node: Node, grads: list) -> list:
    """Hooks of the tensors that a node made, then those of the node itself."""
    grads = tensor_hooks(node, grads)
    pre = getattr(node, "_pre_hooks", None)
    if pre:
        for hook in list(pre.values()):
            found = hook(tuple(grads))
            if found is not None:
                grads = replaced(found, grads, hook)
    return grads


def replaced(found: Any, grads: list, hook: Callable) -> list:
    """The gradients that a hook of a node gave back, checked."""
    if type(found) is not tuple:
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != len(grads):
        raise RuntimeError(texts.HOOK_RETURNED_NUMBER.format(name=_hook_name(hook), n=len(found), wanted=len(grads)))
    return [None if f is None else check_hook_result(f, g, hook) for f, g in zip(found, grads, strict=True)]


def _hook_name(hook: Callable) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def check_hook_result(found: Any, g: Any, hook: Callable) -> Any:
    """What a hook may give back: a tensor like the gradient it was given."""
    if g is None:
        raise RuntimeError(texts.HOOK_REPLACED_NONE)
    if not isinstance(found, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    name = _hook_name(hook)
    if found.dtype is not g.dtype:
        raise RuntimeError(texts.HOOK_CHANGED_TYPE.format(name=name, was=g.type(), kind=found.type()))
    if found._value.shape != g._value.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return found


def after_hooks(node: Node, found: list, grads: list) -> list:
    """Hooks of the node that see the gradients of its inputs and of its outputs."""
    hooks = getattr(node, "_post_hooks", None)
    if not hooks:
        return found
    for hook in list(hooks.values()):
        new = hook(tuple(found), tuple(grads))
        if new is not None:
            found = replaced(new, found, hook)
    return found

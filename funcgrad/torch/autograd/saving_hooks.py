"""Hooks on what operations save: pack when it is saved, unpack when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from funcgrad.core.scope import Scope, scoped
from funcgrad.torch.base.modes import state
from funcgrad.torch.texts import autograd as texts


class saved_tensors_hooks(Scope):  # noqa: N801  (torch's name)
    """Within it, what operations save is given to pack_hook, and what that returns is kept instead.

    Arguments:
        pack_hook: called with each tensor that is saved.
        unpack_hook: called with what pack_hook returned; gives the tensor.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy(), torch.tensor):
        ...     y = x * x
        >>> torch.autograd.grad(y, x)
        (tensor(6.),)
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self.before: tuple = ()  # for each block of it that is open the hooks around it

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(texts.HOOKS_NOT_CALLABLE.format(pack_hook=self.pack_hook, unpack_hook=self.unpack_hook))
        if state.hooks_disabled is not None:
            raise RuntimeError(state.hooks_disabled)
        self.before = (*self.before[: self.entered], state.pack_hooks)
        self.entered += 1
        state.pack_hooks = (*state.pack_hooks, (self.pack_hook, self.unpack_hook))
        state.settle()

    def leave(self, *error: object) -> None:
        if not self.entered:
            return  # it was left more often than entered
        state.pack_hooks = self.before[self.entered - 1]
        state.settle()
        self.entered -= 1


class save_on_cpu(saved_tensors_hooks):  # noqa: N801  (torch's name)
    """Within it, what operations save is kept on the cpu, where it is already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Any) -> tuple:
            if not pin_memory:
                return tensor.device, tensor.cpu()
            return tensor.device, tensor.clone()

        def unpack(packed: tuple) -> Any:
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


@scoped
def disable_saved_tensors_hooks(error_message: str) -> Generator[None, None, None]:
    """Within it, to switch on hooks on saved tensors raises a RuntimeError with this message."""
    before = state.hooks_disabled
    if state.pack_hooks:
        raise RuntimeError(error_message)
    state.hooks_disabled = error_message
    try:
        yield
    finally:
        state.hooks_disabled = before

"""What a custom Function saved: a tensor with the version it had, or what a pack hook made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.tensor.saved import call_pack_hook, check_hooks, modified_error
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import autograd as texts
from funcgrad.torch.texts import graph as graph_texts


class SavedTensor:
    """One entry of `save_for_backward`; `_raw_saved_tensors` shows it.

    An output is kept without its history, since it would keep its own node alive; `unpack` puts the history back.
    """

    __slots__ = ("_held", "_made_here", "_nr", "_origin", "_packed", "_requires", "_version")
    _held: Any

    def __init__(self, tensor: Any, is_output: bool) -> None:
        self._packed: Any = None
        self._made_here = is_output and not tensor.is_leaf
        self._nr, self._requires = tensor._nr, tensor._requires
        self._version = 0 if tensor._inference else tensor._version
        self._origin = None if self._made_here else tensor.grad_fn
        if state.pack_hooks:
            self._held = None
            pack_hook, unpack_hook = state.pack_hooks[-1]
            self._packed = (call_pack_hook(pack_hook, tensor), unpack_hook)
        else:
            self._held = _detached(tensor) if self._made_here else tensor

    def register_hooks(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        """Keep what pack_hook makes of the tensor in its place; unpack_hook makes a tensor of that again."""
        check_hooks(self, pack_hook, unpack_hook)
        if self._packed is not None:
            raise RuntimeError(graph_texts.HOOKS_TWICE)
        self._packed = (call_pack_hook(pack_hook, _detached(self._held)), unpack_hook)
        self._held = None

    def unpack(self, node: Any) -> Any:
        """The tensor, as it was when it was saved, for the node that saved it.

        Raises:
            RuntimeError: somebody has written into it since.
        """
        origin = node if self._made_here else self._origin
        if self._packed is None:
            held = self._held
            now = 0 if held._inference else held._version
            if now != self._version:
                made_by = origin if self._made_here else held.grad_fn
                raise modified_error(held._value.shape, held._value.dtype, made_by, self._nr, now, self._version)
            if not self._made_here:
                return held
            found = held
        else:
            made, unpack_hook = self._packed
            found = unpack_hook(made)
            if not isinstance(found, Tensor):
                raise TypeError(texts.UNPACKED_NO_TENSOR.format(kind=type(found).__name__))
        if origin is None and not self._requires:
            return found
        shown = _detached(found)
        if origin is not None:
            shown._node, shown._nr = origin, self._nr
        else:
            shown._requires = True
        return shown

    def __repr__(self) -> str:
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"


def _detached(tensor: Any) -> Any:
    with no_grad():
        return tensor.detach()

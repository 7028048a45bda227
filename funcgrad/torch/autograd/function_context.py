"""The `ctx` of a custom Function: what its methods tell one another about a call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.torch.autograd.unwritten import Unwritten
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import custom_functions as texts
from funcgrad.torch.texts import graph as graph_texts


class FunctionCtx:
    """What `forward` and `setup_context` may tell about their operation."""

    to_save: tuple | None
    saved_for_forward: tuple | None
    dirty_tensors: tuple | None
    non_differentiable: tuple | None

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors for `ctx.saved_tensors` in backward."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for `ctx.saved_tensors` in jvp."""
        for tensor in tensors:
            if not (isinstance(tensor, Tensor) or tensor is None):
                raise AssertionError(texts.SAVED_FOR_FORWARD)
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward has written into; all of them have to be returned."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Kept for old programs; nothing has to be said about shared memory."""

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient; backward gets zeros for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward and jvp get zeros (the default) or None where there is no gradient."""
        self.materialize_grads = value


_ContextMethodMixin = FunctionCtx


class BackwardCFunction(FunctionCtx):
    """The ctx of one call of a custom Function; each Function has a subclass that knows it as `_forward_cls`.

    It belongs to the node, a `FunctionNode`, and leads to it weakly, so that both die when the graph does. They are two
    objects because authors keep on ctx what they like, under names such as `inputs` and `shape`.
    """

    _forward_cls: Any
    materialize_grads = _materialize_non_diff_grads = True
    needs_input_grad: tuple = ()
    to_save = dirty_tensors = non_differentiable = saved_for_forward = None
    _entries: tuple | None = ()  # None once they were freed
    _node: Any

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_NODE:
            node = self._node()
            if node is None:
                raise RuntimeError(texts.NODE_GONE.format(kind=type(self).__name__))
            return getattr(node, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to save_for_backward (in jvp: to save_for_forward)."""
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        return tuple([None if e is None else e.unpack(self._node()) for e in self._raw_saved_tensors])

    @property
    def saved_variables(self) -> tuple:
        """Deprecated: saved_tensors."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        if self._entries is None:
            raise RuntimeError(graph_texts.FREED)
        return self._entries

    def _user_backward(self) -> Callable:
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if backward is not Unwritten.backward and vjp is not Unwritten.vjp:
            raise RuntimeError(texts.BACKWARD_AND_VJP)
        return vjp if vjp is not Unwritten.vjp else backward

    def apply(self, *grads: Any) -> Any:
        """Call the Function's backward."""
        f = self._user_backward()
        return f(self, list(grads)) if getattr(self._forward_cls, "boxed_grads_call", False) else f(self, *grads)

    def apply_jvp(self, *tangents: Any) -> Any:
        """Call the Function's jvp."""
        return self._forward_cls.jvp(self, *tangents)

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"


_OF_THE_NODE = frozenset(
    {"_input_metadata", "_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook"}
)

"""What autograd tells of a tensor and takes from it: requires_grad, grad_fn and grad, hooks, detach and data.

Inside a transform of torch.func a tensor has the history that it has in the transform, which `inner_graph` knows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from weakref import ref

from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor import inner_graph
from funcgrad.torch.tensor.journal import event, follow, journal, leaf, refused
from funcgrad.torch.tensor.levels import GRAPH_LEVEL, differentiated, unsupported, wrapping
from funcgrad.torch.tensor.members import member_of, property_of
from funcgrad.torch.tensor.node import RemovableHandle, add_hook
from funcgrad.torch.tensor.tensor import Replaced, Tensor, no_arguments
from funcgrad.torch.tensor.views import alias, stripped
from funcgrad.torch.texts import graph as graph_texts
from funcgrad.torch.texts import tensor as texts
from funcgrad.torch.texts import transforms as transforms_texts


def _set_requires_grad(self: Any, value: bool) -> None:
    if not isinstance(value, bool):
        raise RuntimeError("requires_grad must be a bool")
    if state.transforms and self.is_leaf and not value and self.requires_grad and inner_graph.forget(self):
        return
    if self.grad_fn is not None:
        if not value:
            raise refused("requires_grad =", texts.NON_LEAF_SWITCHED_OFF, self)
        if self._requires:
            return
        raise refused("requires_grad =", "you can only change requires_grad flags of leaf variables.", self)
    _switch(self, value, "floating point and complex")


def _delete_requires_grad(self: Any) -> None:
    raise RuntimeError("requires_grad must be a bool")


@property_of(Tensor, setter=_set_requires_grad, deleter=_delete_requires_grad)
def requires_grad(self: Any) -> bool:
    """Whether gradients with respect to this tensor are recorded."""
    if state.transforms:
        return inner_graph.requires_grad(self)
    return self._linked() or (isinstance(self._value, Array) and differentiated(self._value))


def _switch(x: Any, value: bool, kinds: str) -> None:
    if value and x._value.dtype.kind in "iub":
        raise refused("requires_grad =", f"only Tensors of {kinds} dtype can require gradients", x)
    if x._inference and value and not state.inference:
        raise RuntimeError(texts.INFERENCE_REQUIRES_GRAD)
    if journal.on and value is not x._requires:
        if value:
            leaf(x, "requires_grad_()")
        else:
            event("requires_grad_(False)", x)
    x._requires = value


@member_of(Tensor)
def requires_grad_(self: Any, requires_grad: bool = True) -> Tensor:
    """Switch the recording of gradients with respect to this leaf on or off."""
    if not isinstance(requires_grad, bool):
        raise TypeError(texts.REQUIRES_GRAD_NO_BOOL.format(kind=type(requires_grad).__name__))
    if state.transforms:
        raise unsupported("requires_grad_", "(or perhaps using torch.autograd.functional.* APIs) ")
    if self.grad_fn is not None and not requires_grad:
        raise refused("requires_grad =", texts.NON_LEAF_SWITCHED_OFF, self)
    if self.grad_fn is None:
        _switch(self, requires_grad, "floating point")
    return self


@property_of(Tensor)
def is_leaf(self: Any) -> bool:
    """Whether no recorded operation made it."""
    return self.grad_fn is None


@property_of(Tensor)
def grad_fn(self: Any) -> Any:
    """The node of the operation that made it, None for a leaf."""
    if state.transforms:
        return inner_graph.grad_fn(self)
    return self._made_by()


@property_of(Tensor)
def output_nr(self: Any) -> int:
    """Which output of grad_fn this is."""
    return self._nr


def _set_grad(self: Any, value: Any) -> None:
    if value is not None:
        if not isinstance(value, Tensor):
            raise TypeError(texts.GRAD_NO_TENSOR.format(kind=type(value).__name__))
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value.dtype is not self.dtype:
            raise RuntimeError(texts.GRAD_DTYPE.format(kind=CXX_NAMES[value.dtype.name], wanted=self.dtype.title))
        if value.shape != self.shape:
            raise RuntimeError(texts.GRAD_SIZE.format(size=list(value.shape), wanted=list(self.shape)))
    if journal.on:
        event(".grad =", self)
    self._grad = value


def _delete_grad(self: Any) -> None:
    self._grad = None


@property_of(Tensor, setter=_set_grad, deleter=_delete_grad)
def grad(self: Any) -> Any:
    """The gradient that backward has accumulated, None before."""
    if self._grad is None and self._retain_call is None and not self.is_leaf:
        warnings.warn(texts.GRAD_OF_NON_LEAF, UserWarning, stacklevel=2)
    return self._grad


def _set_data(self: Any, other: Any) -> None:
    if not isinstance(other, Tensor):
        raise TypeError(graph_texts.DATA_NO_TENSOR.format(kind=type(other).__name__))
    if state.transforms:
        if self._is_batched() or other._is_batched():
            raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")
        if wrapping(self):
            raise RuntimeError(texts.DATA_SET_IN_TRANSFORM)
    if other._value.dtype.kind in "iub" and self.requires_grad:
        raise RuntimeError(texts.DATA_MUST_FLOAT)
    if journal.on and (self._entry or other._entry):
        event(".data =", self, other, cut=".data" if other._linked() else None)
    old = self._value
    if type(other._value) is ndarray:
        self._store = other._storage()
    if self._counter is None and other._inference and not self._inference:
        self._counter = [0]  # it keeps a version, and may be written into outside of the mode
    self._set(value=other._value, lazy=other._lazy)
    self._inference = other._inference
    held = self._accumulate() if self._accumulate is not None else None
    if old.dtype != self._value.dtype:  # what uses it from now on hands its gradient to a new AccumulateGrad
        self._accumulate = None
    if self._counter is not None:  # nodes that saved this tensor, and not a result, see the new value
        self._counter[0] = Replaced(self._counter[0])
    node = held if self._node is None else self._node
    if node is not None and (old.dtype != self._value.dtype or old.shape != self._value.shape):
        node.replace(self._nr, self._value)


def _delete_data(self: Any) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


@property_of(Tensor, setter=_set_data, deleter=_delete_data)
def data(self: Any) -> Tensor:
    """A tensor on the same memory with no history and a version counter of its own: writes go unnoticed."""
    if self._is_batched():
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    t = stripped(self, (wrapping(self)[-1].number,) if state.transforms and wrapping(self) else (GRAPH_LEVEL,))
    t._inference = self._inference
    if self._inference and not state.inference:
        t._counter = [0]
    if self._entry and journal.on:
        follow(".data", (self._entry,), t, ".data" if self._linked() else None)
    return t


@member_of(Tensor)
def detach(self: Any, *extra: Any) -> Tensor:
    """A tensor on the same memory, with the same version counter, that requires no grad."""
    if extra:
        raise no_arguments("detach", extra)
    t = alias(self)
    if type(self) is not Tensor:
        t = self._like_self(t)
    if self._entry and journal.on:
        follow("detach()", (self._entry,), t, "detach()" if self._linked() else None)
    return t


@member_of(Tensor)
def detach_(self: Any, *extra: Any) -> Tensor:
    """Forget the history; the tensor becomes a leaf that requires no grad."""
    if extra:
        raise no_arguments("detach_", extra)
    if self._view is not None:
        raise RuntimeError(transforms_texts.VIEW_IS_DETACHED)
    if state.transforms and inner_graph.forget(self):
        return self
    if self._entry and journal.on:
        follow("detach_()", (self._entry,), self, "detach_()" if self._linked() else None)
    self._node, self._nr, self._requires = None, 0, False
    if self._tangent is not None:
        self._set(tangent=None)
    return self


@member_of(Tensor)
def is_inference(self: Any, *extra: Any) -> bool:
    """Whether it was made in inference mode."""
    if extra:
        raise no_arguments("is_inference", extra)
    return self._inference


@member_of(Tensor)
def retain_grad(self: Any, *extra: Any) -> None:
    """Keep the gradient of this non-leaf tensor in .grad."""
    if extra:
        raise no_arguments("retain_grad", extra)
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if state.transforms:
        raise unsupported("retain_grad")
    if self.is_leaf or self._retain_call is not None:
        return
    held = ref(self)

    def keep(g: Any) -> None:
        t = held()
        if t is not None:
            t._grad = g.clone(memory_format=contiguous_format) if t._grad is None else t._grad + g

    self._retain_call = keep
    self.grad_fn.retain(self._nr, keep)


@property_of(Tensor)
def retains_grad(self: Any) -> bool:
    """Whether it is a non-leaf tensor whose gradient is kept."""
    return self._retain_call is not None and not self.is_leaf


@member_of(Tensor)
def register_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Call hook(grad) whenever the gradient with respect to this tensor is computed; a tensor that it returns
    takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError(texts.HOOK_WITHOUT_GRAD)
    if state.transforms:
        handle = inner_graph.register_hook(self, hook)
        if handle is not None:
            return handle
    if self.is_leaf:
        if self._hooks is None:
            self._hooks = {}
            held = self._accumulate() if self._accumulate is not None else None
            if held is not None:
                held._tensor_hooks = {0: self._hooks}
        return add_hook(self._hooks, hook)
    return add_hook(self.grad_fn.tensor_hooks(self._nr), hook)


def _set_backward_hooks(self: Any, hooks: Any) -> None:
    if not self.is_leaf:
        node = self.grad_fn
        node.tensor_hooks(self._nr)
        node.hooks("_tensor_hooks")[self._nr] = {} if hooks is None else hooks
        return
    self._hooks = hooks
    held = self._accumulate() if self._accumulate is not None else None
    if held is not None:
        held._tensor_hooks = {0: {} if hooks is None else hooks}


def _delete_backward_hooks(self: Any) -> None:
    raise RuntimeError("Deletion of _backwards_hooks not allowed!")


@property_of(Tensor, setter=_set_backward_hooks, deleter=_delete_backward_hooks)
def _backward_hooks(self: Any) -> Any:
    """The hooks that were registered, by their ids; None if there were none."""
    if self._hooks is not None or self.is_leaf:
        return self._hooks
    found = getattr(self.grad_fn, "_tensor_hooks", None)
    return None if found is None else found.get(self._nr)


def _delete_grad_fn(self: Any) -> None:
    raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")


@property_of(Tensor, deleter=_delete_grad_fn)
def _grad_fn(self: Any) -> Any:
    return self.grad_fn


@member_of(Tensor)
def register_post_accumulate_grad_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Call hook(tensor) after the gradient of this leaf was accumulated."""
    if not self.requires_grad:
        raise RuntimeError(texts.HOOK_WITHOUT_GRAD)
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_accumulate_hooks is None:
        self._post_accumulate_hooks = {}
    return add_hook(self._post_accumulate_hooks, hook)

"""Calling a custom Function: run forward, and give its results their place in the graph."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.torch.autograd.function_tangents import push_tangents, without_tangents
from funcgrad.torch.autograd.saved_tensor import SavedTensor
from funcgrad.torch.autograd.transformed_function import apply_transformed
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.anomaly_mode import remember_traceback
from funcgrad.torch.tensor.journal import entries, journal, note
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.views import IN_CUSTOM_FUNCTION, MULTI_OUTPUT
from funcgrad.torch.texts import custom_functions as texts


def apply_function(cls: Any, args: tuple, kwargs: dict, separate: bool) -> Any:
    """`cls.apply(*args, **kwargs)`; separate: whether setup_context is a method of its own."""
    inputs = (*args, *kwargs.values())
    if any(isinstance(x, Tensor) and isinstance(x._value, Array) for x in inputs):
        return apply_transformed(cls, args, kwargs, separate)
    ctx = cls._ctx_cls()
    ctx.needs_input_grad = tuple([isinstance(x, Tensor) and x.requires_grad for x in inputs])
    recorded = state.grad and any(ctx.needs_input_grad)
    node = cls._backward_cls(ctx, inputs if recorded else ())
    if state.anomaly:
        remember_traceback(node)
    with without_tangents():
        if separate:
            found = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, found, **kwargs)
        else:
            found = cls.forward(ctx, *args, **kwargs)
    outputs = found if isinstance(found, tuple) else (found,)
    if recorded and journal.on:
        note(node.number, node.title, None, True, None, None, entries(inputs))
    wired = _Wiring(node, recorded, inputs, outputs, separate).run()
    push_tangents(ctx, inputs, outputs, wired)
    if recorded:
        _save(node, wired)
    _clear(ctx)
    return tuple(wired) if isinstance(found, tuple) else wired[0]


class _Wiring:
    """Gives the results of forward their history."""

    def __init__(self, node: Any, recorded: bool, inputs: tuple, outputs: tuple, separate: bool) -> None:
        self.node, self.recorded, self.outputs = node, recorded, outputs
        self.inputs = {id(x) for x in inputs if isinstance(x, Tensor)}
        ctx = node.ctx
        self.written = _marked(ctx.dirty_tensors, "dirty_tensors", texts.DIRTY_NO_TENSOR)
        self.dirty = {id(x) for x in self.written}
        constant = _marked(ctx.non_differentiable, "non_differentiable", texts.CONSTANT_NO_TENSOR)
        self.constant = {id(x) for x in constant}
        kept = ctx.to_save if separate and isinstance(ctx.to_save, tuple) else ()
        self.saved_apart = {id(x) for x in kept}

    def run(self) -> list:
        """The results as the caller gets them."""
        for x in self.written:
            x._bump()
        linked = [isinstance(x, Tensor) and self.links(x) for x in self.outputs]
        every = self.node.ctx._materialize_non_diff_grads
        self.node.gives(self.outputs, [every or link for link in linked])
        wired = [self.wire(x, k, linked[k]) if isinstance(x, Tensor) else x for k, x in enumerate(self.outputs)]
        if sum(linked) > 1:
            for t in wired:
                if isinstance(t, Tensor) and t._view is not None:
                    t._view.creation = MULTI_OUTPUT
        if not self.dirty <= {id(x) for x in self.outputs}:
            raise RuntimeError(texts.DIRTY_NOT_RETURNED)
        return wired

    def links(self, x: Any) -> bool:
        """Whether a result has a gradient that goes to the node."""
        return self.recorded and id(x) not in self.constant and x._value.dtype.kind not in "iub"

    def wire(self, x: Any, k: int, link: bool) -> Any:
        """One tensor that forward returned, as the caller gets it."""
        is_input, modified = id(x) in self.inputs, id(x) in self.dirty
        t = self.linked(x, k, is_input, modified) if link else self.unlinked(x, is_input, modified)
        if t._view is not None and not (is_input and modified):
            t._view.creation = IN_CUSTOM_FUNCTION
        return t

    def unlinked(self, x: Any, is_input: bool, modified: bool) -> Any:
        """A result without history."""
        if not x.requires_grad:
            return self.seen_anew(x) if is_input and not modified else x
        if is_input:
            return x.detach()
        return x if x._view is not None else x.detach_()

    def linked(self, x: Any, k: int, is_input: bool, modified: bool) -> Any:
        """A result that comes from the node."""
        if modified:
            if x.is_leaf and x.requires_grad:
                raise RuntimeError(texts.DIRTY_LEAF)
            if x._view is not None and len(self.outputs) > 1:
                raise RuntimeError(texts.DIRTY_VIEW)
            inplace.rebase(x, self.node, k)
            return x
        t = self.seen_anew(x) if is_input else x
        t._node, t._nr, t._requires, t._entry = self.node, k, False, self.node.number
        if t._view is not None:
            t._view.version = t._counter[0]
        return t

    def seen_anew(self, x: Any) -> Any:
        """A view of an input that was returned as it is, so that it can have another history."""
        if id(x) in self.saved_apart:
            raise RuntimeError(texts.SAVED_AS_IS)
        with without_tangents():
            return x.view_as(x)


def _marked(given: Any, name: str, message: str) -> list:
    if given is not None and not isinstance(given, tuple):
        raise RuntimeError(texts.NO_TUPLE.format(name=name))
    for x in given or ():
        if not isinstance(x, Tensor):
            raise RuntimeError(message)
    return list(given or ())


def _save(node: Any, wired: list) -> None:
    """Keep what save_for_backward was given."""
    kept = node.ctx.to_save
    if kept is None:
        return
    if not isinstance(kept, tuple):
        raise RuntimeError(texts.NO_TUPLE.format(name="to_save"))
    entries = []
    for k, x in enumerate(kept):
        if x is not None and not isinstance(x, Tensor):
            raise TypeError(texts.SAVED_NO_TENSOR.format(k=k, kind=type(x).__name__))
        entries.append(None if x is None else SavedTensor(x, x._node is node or any(x is t for t in wired)))
    node.ctx._entries = tuple(entries)


def _clear(ctx: Any) -> None:
    """What was told through ctx has served its purpose; kept, it would hold tensors."""
    for name in ("to_save", "non_differentiable", "dirty_tensors", "saved_for_forward"):
        ctx.__dict__.pop(name, None)

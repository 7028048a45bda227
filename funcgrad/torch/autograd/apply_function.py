"""Calling a custom Function: run forward, and give its results their place in the graph."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.scope import Scope
from funcgrad.torch.autograd.saved_tensor import SavedTensor
from funcgrad.torch.autograd.transformed_function import apply_transformed
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.anomaly_mode import remember_traceback
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.views import IN_CUSTOM_FUNCTION, MULTI_OUTPUT
from funcgrad.torch.texts import custom_functions as texts


class _forward_mode(Scope):  # noqa: N801  # named like no_grad, beside which it stands in with statements
    """No forward derivatives and, unless grad is on, no recording: while the author's methods run."""

    def __init__(self, grad: bool = False) -> None:
        self.grad = grad

    def __enter__(self) -> None:
        self.before = state.grad, state.forward_grad
        self.entered = 1
        state.grad, state.forward_grad = self.grad, False

    def leave(self, *error: Any) -> None:
        state.grad, state.forward_grad = self.before
        self.entered = 0


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
    with _forward_mode():
        if separate:
            found = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, found, **kwargs)
        else:
            found = cls.forward(ctx, *args, **kwargs)
    outputs = found if isinstance(found, tuple) else (found,)
    wired = _Wiring(node, recorded, inputs, outputs, separate).run()
    _push_tangents(ctx, inputs, outputs, wired)
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
        self.dirty = _marked(ctx.dirty_tensors, "dirty_tensors", "mark_dirty can only accept variables, but argument ")
        marked = _marked(
            ctx.non_differentiable,
            "non_differentiable",
            "mark_non_differentiable only accepts variable arguments, but got ",
        )
        self.constant = {id(x) for x in marked}
        kept = ctx.to_save if separate and isinstance(ctx.to_save, tuple) else ()
        self.saved_apart = {id(x) for x in kept}

    def run(self) -> list:
        """The results as the caller gets them."""
        dirty, node = {id(x) for x in self.dirty}, self.node
        returned = {id(x) for x in self.outputs}
        node.outputs = len(self.outputs)
        shapes: list[Any] = []
        kinds: list[Any] = []
        wired: list[Any] = []
        differentiable = 0
        for x in self.dirty:
            x._bump()
        for k, x in enumerate(self.outputs):
            if not isinstance(x, Tensor):
                shapes.append(())
                kinds.append(None)
                wired.append(x)
                continue
            links = self.recorded and id(x) not in self.constant and x._value.dtype.kind not in "iub"
            shapes.append(x._value.shape)
            kinds.append(x._value.dtype if links or node.ctx._materialize_non_diff_grads else None)
            is_input, modified = id(x) in self.inputs, id(x) in dirty
            node.shape, node.dtype = (shapes[0], kinds[0]) if node.outputs == 1 else (tuple(shapes), tuple(kinds))
            t = self.wire(x, k, links, is_input, modified)
            if t._view is not None and not (is_input and modified):
                t._view.creation = IN_CUSTOM_FUNCTION
            differentiable += links
            wired.append(t)
        node.shape, node.dtype = (shapes[0], kinds[0]) if node.outputs == 1 else (tuple(shapes), tuple(kinds))
        if differentiable > 1:
            for t in wired:
                if isinstance(t, Tensor) and t._view is not None:
                    t._view.creation = MULTI_OUTPUT
        if not dirty <= returned:
            raise RuntimeError(texts.DIRTY_NOT_RETURNED)
        return wired

    def wire(self, x: Any, k: int, links: bool, is_input: bool, modified: bool) -> Any:
        """One tensor that forward returned, with its history."""
        if not links:
            if not x.requires_grad:
                return self.seen_anew(x) if is_input and not modified else x
            if is_input:
                return x.detach()
            return x if x._view is not None else x.detach_()
        if modified:
            if x.is_leaf and x.requires_grad:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            if x._view is not None and len(self.outputs) > 1:
                raise RuntimeError(texts.DIRTY_VIEW)
            inplace.rebase(x, self.node, k)
            return x
        t = self.seen_anew(x) if is_input else x
        t._node, t._nr, t._requires = self.node, k, False
        if t._view is not None:
            t._view.version = t._counter[0]
        return t

    def seen_anew(self, x: Any) -> Any:
        """A view of an input that was returned as it is, so that it can have another history."""
        if id(x) in self.saved_apart:
            raise RuntimeError(texts.SAVED_AS_IS)
        with _forward_mode():
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


# Forward mode.


def _push_tangents(ctx: Any, inputs: tuple, outputs: tuple, wired: list) -> None:
    """The tangents of the results, by the Function's jvp."""
    if state.dual_level < 0 or not state.forward_grad:
        return
    given: list[Any] = [x._tangent if isinstance(x, Tensor) else None for x in inputs]
    if all(t is None for t in given):
        return
    if ctx.materialize_grads:
        tangents = [
            x.new_zeros(x.shape) if t is None and isinstance(x, Tensor) and _differentiable(x) else t
            for x, t in zip(inputs, given, strict=True)
        ]
    else:
        tangents = given
    versions = [None if t is None else t._version for t in tangents]
    with _forward_mode(grad=state.grad):
        found = ctx.apply_jvp(*tangents)
    found = found if isinstance(found, tuple) else (found,)
    for k, t in enumerate(found):
        if t is not None and not isinstance(t, Tensor):
            raise RuntimeError(texts.TANGENT_TYPE.format(kind=type(t).__name__, k=k))
    if len(found) != len(outputs):
        raise RuntimeError(texts.TANGENT_COUNT.format(expected=len(outputs), got=len(found)))
    dirty = {id(x) for x in ctx.dirty_tensors or ()}
    constant = {id(x) for x in ctx.non_differentiable or ()}
    places = {id(x): k for k, x in enumerate(inputs) if isinstance(x, Tensor)}
    for k, (x, y, t) in enumerate(zip(outputs, wired, found, strict=True)):
        if not isinstance(y, Tensor):
            continue
        if t is None:
            continue
        if id(x) in constant or not _differentiable(y):
            raise RuntimeError(texts.TANGENT_OF_CONSTANT.format(k=k))
        place = places.get(id(x))
        if id(x) in dirty:
            if place is not None and given[place] is not None and t._version == versions[place]:
                raise RuntimeError(texts.TANGENT_NOT_WRITTEN)
            if place is not None and given[place] is not None and t is not given[place]:
                raise RuntimeError(texts.TANGENT_NOT_RETURNED)
        elif y._view is not None:
            _check_tangent_view(y, t, inputs, given)
            if place is not None and t is given[place]:
                t = t.view_as(t)
        give_tangent(y, t)


def _differentiable(x: Any) -> bool:
    return x._value.dtype.kind not in "iub"


def _check_tangent_view(y: Any, t: Any, inputs: tuple, given: list) -> None:
    """The tangent of a result that is a view of an input has to be a view, too: of that input's tangent."""
    for x, tangent in zip(inputs, given, strict=True):
        if tangent is None or x._storage() is not y._storage():
            continue
        if t is tangent:
            return
        if t._view is None:
            raise RuntimeError(texts.TANGENT_NO_VIEW)
        if tangent._view is None and t._view.base is not tangent:
            raise RuntimeError(texts.TANGENT_VIEW_OF_OTHER)
        if tangent._view is not None and t._view.base is not tangent._view.base:
            raise RuntimeError(texts.TANGENT_OTHER_BASE)

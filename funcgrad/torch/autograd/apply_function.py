"""Calling a custom Function: run forward, and give its results their place in the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch import inplace
from funcgrad.torch.autograd.function_node import BackwardCFunction, record_node
from funcgrad.torch.autograd.saved_variable import SavedVariable
from funcgrad.torch.modes import give_tangent, no_grad, state
from funcgrad.torch.node import next_edge, next_number
from funcgrad.torch.operation import Tensor
from funcgrad.torch.views import IN_CUSTOM_FUNCTION, MULTI_OUTPUT


class _forward_mode(no_grad):  # noqa: N801
    """Neither recording nor forward derivatives, while forward runs."""

    def __enter__(self) -> None:
        super().__enter__()
        self.prev_forward, state.forward_grad = state.forward_grad, False

    def __exit__(self, *error: Any) -> None:
        super().__exit__()
        state.forward_grad = self.prev_forward


def apply_function(cls: Any, args: tuple, kwargs: dict, separate: bool) -> Any:
    """`cls.apply(*args, **kwargs)`; separate: whether setup_context is a method of its own."""
    inputs = (*args, *kwargs.values())
    if any(isinstance(x, Tensor) and isinstance(x._value, Array) for x in inputs):
        from funcgrad.torch.autograd.transformed_function import apply_transformed

        return apply_transformed(cls, args, kwargs, separate)
    node, recorded = _new_node(cls, inputs)
    with _forward_mode():
        if separate:
            found = cls.forward(*args, **kwargs)
            cls.setup_context(node, args, found, **kwargs)
        else:
            found = cls.forward(node, *args, **kwargs)
    outputs = found if isinstance(found, tuple) else (found,)
    wired = _Wiring(node, recorded, inputs, outputs, separate).run()
    _push_tangents(node, inputs, outputs, wired)
    if recorded:
        _save(node, wired)
    _clear(node)
    return tuple(wired) if isinstance(found, tuple) else wired[0]


def _new_node(cls: Any, inputs: tuple) -> tuple[BackwardCFunction, bool]:
    """The node, and whether it is recorded."""
    node = cls._backward_cls()
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    node._given = tuple([isinstance(x, Tensor) for x in inputs])
    node.needs_input_grad = tuple([isinstance(x, Tensor) and x.requires_grad for x in inputs])
    recorded = state.grad and any(node.needs_input_grad)
    if recorded:
        edges = [(k, next_edge(x), x._nr) for k, x in enumerate(tensors)]
        rows = [row for row in edges if row[1] is not None]
        node.linked, node.inputs, node.numbers = (tuple(column) for column in zip(*rows, strict=True))
    node.number = next_number()
    record_node(node)
    return node, recorded


class _Wiring:
    """Gives the results of forward their history."""

    def __init__(self, node: Any, recorded: bool, inputs: tuple, outputs: tuple, separate: bool) -> None:
        self.node, self.recorded, self.outputs = node, recorded, outputs
        self.inputs = {id(x) for x in inputs if isinstance(x, Tensor)}
        self.dirty = _marked(node.dirty_tensors, "dirty_tensors", "mark_dirty can only accept variables, but argument ")
        marked = _marked(
            node.non_differentiable, "non_differentiable", "mark_non_differentiable only accepts variable arguments, but got "
        )
        self.constant = {id(x) for x in marked}
        kept = node.to_save if separate and isinstance(node.to_save, tuple) else ()
        self.saved_apart = {id(x) for x in kept}

    def run(self) -> list:
        """The results as the caller gets them."""
        dirty, node = {id(x) for x in self.dirty}, self.node
        returned = {id(x) for x in self.outputs}
        node.outputs = len(self.outputs)
        shapes, kinds, wired, differentiable = [], [], [], 0
        for x in self.dirty:
            x._bump()
        for k, x in enumerate(self.outputs):
            if not isinstance(x, Tensor):
                shapes.append(())
                kinds.append(None)
                wired.append(x)
                continue
            shapes.append(x._value.shape)
            kinds.append(x._value.dtype)
            links = self.recorded and id(x) not in self.constant and x._value.dtype.kind not in "iub"
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
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
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
                raise RuntimeError(
                    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                    "return more than one Tensor. This is not supported by the current autograd engine. You should "
                    "either make sure the input is not a view (using .clone() for example) or make your Function only "
                    "return one Tensor (potentially splitting it into two Functions: one doing the inplace that "
                    "returns a single Tensor and a second one that does the other operations). You can ask on the "
                    "forum https://discuss.pytorch.org/ if you need help to do this change."
                )
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
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This is not supported if "
                "you override setup_context. You should return and save a view of the input instead, e.g. with "
                "x.view_as(x) or setup ctx inside the forward function itself."
            )
        with _forward_mode():
            return x.view_as(x)


def _marked(given: Any, name: str, message: str) -> list:
    if given is not None and not isinstance(given, tuple):
        raise RuntimeError(
            f"autograd internal error: {name} attribute is expected to be a tuple but is {type(given).__name__}"
        )
    for x in given or ():
        if not isinstance(x, Tensor):
            raise RuntimeError(message)
    return list(given or ())


def _save(node: Any, wired: list) -> None:
    """Keep what save_for_backward was given."""
    kept = node.to_save
    if kept is None:
        return
    if not isinstance(kept, tuple):
        raise RuntimeError(
            f"autograd internal error: to_save attribute is expected to be a tuple but is {type(kept).__name__}"
        )
    entries = []
    for k, x in enumerate(kept):
        if x is not None and not isinstance(x, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {k} is of type {type(x).__name__}")
        entries.append(None if x is None else SavedVariable(x, x._node is node or any(x is t for t in wired)))
    node._entries = tuple(entries)


def _clear(node: Any) -> None:
    """What was told through ctx has served its purpose; kept, it would hold tensors."""
    for name in ("to_save", "non_differentiable", "dirty_tensors", "saved_for_forward"):
        node.__dict__.pop(name, None)


# Forward mode.


def _push_tangents(node: Any, inputs: tuple, outputs: tuple, wired: list) -> None:
    """The tangents of the results, by the Function's jvp."""
    if state.dual_level < 0 or not state.forward_grad:
        return
    given = [x._tangent if isinstance(x, Tensor) else None for x in inputs]
    if all(t is None for t in given):
        return
    if node.materialize_grads:
        tangents = [
            x.new_zeros(x.shape) if t is None and isinstance(x, Tensor) and _differentiable(x) else t
            for x, t in zip(inputs, given, strict=True)
        ]
    else:
        tangents = given
    found = node.apply_jvp(*tangents)
    found = found if isinstance(found, tuple) else (found,)
    for k, t in enumerate(found):
        if t is not None and not isinstance(t, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(t).__name__}) for grad output {k}.")
    if len(found) != len(outputs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got {len(found)})"
        )
    dirty = {id(x) for x in node.dirty_tensors or ()}
    places = {id(x): k for k, x in enumerate(inputs) if isinstance(x, Tensor)}
    for k, (x, y, t) in enumerate(zip(outputs, wired, found, strict=True)):
        if not isinstance(y, Tensor):
            if t is not None:
                raise RuntimeError(
                    f"Function's jvp returned a gradient at position {k}, but  the corresponding forward output is not "
                    "a differentiable Tensor.You should return None at that position instead."
                )
            continue
        if t is None:
            continue
        place = places.get(id(x))
        if id(x) in dirty:
            if place is not None and given[place] is not None and t is not given[place]:
                raise RuntimeError(
                    "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is "
                    "modifying an input inplace, then the jvp function must modify the gradient inplace and return it "
                    "as-is."
                )
        elif y._view is not None:
            _check_tangent_view(y, t, place, given)
            if t is (given[place] if place is not None else None):
                t = t.view_as(t)
        give_tangent(y, t)


def _differentiable(x: Any) -> bool:
    return x._value.dtype.kind not in "iub"


def _check_tangent_view(y: Any, t: Any, place: int | None, given: list) -> None:
    """A result that is a view has a tangent that is one, too: of the tangent of the same tensor."""
    base = y._view.base._tangent
    own = t._view.base if t._view is not None else t
    if place is not None and t is given[place]:
        return
    if base is None or t._view is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    if own is not (base._view.base if base._view is not None else base) and not np.shares_memory(own._value, base._value):
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the same base as the given "
            "grad input."
        )

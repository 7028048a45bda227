"""Forward mode through a custom Function: the tangents of its results, by its jvp."""

from __future__ import annotations

from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import custom_functions as texts


class without_tangents(Scope):  # noqa: N801  # named like no_grad, beside which it stands in with statements
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


def differentiable(x: Any) -> bool:
    """Whether a tensor has a floating or complex dtype."""
    return x._value.dtype.kind not in "iub"


def push_tangents(ctx: Any, inputs: tuple, outputs: tuple, wired: list) -> None:
    """Give the results (`wired`: as the caller gets them) their tangents."""
    if state.dual_level < 0 or not state.forward_grad:
        return
    given = [x._tangent if isinstance(x, Tensor) else None for x in inputs]
    if all(t is None for t in given):
        return
    tangents = [_zeros(x) if t is None and ctx.materialize_grads else t for x, t in zip(inputs, given, strict=True)]
    checks = _Checks(ctx, inputs, given, tangents)
    with without_tangents(grad=state.grad):
        found = ctx.apply_jvp(*tangents)
    found = found if isinstance(found, tuple) else (found,)
    _check_results(found, len(outputs))
    for k, (x, y, t) in enumerate(zip(outputs, wired, found, strict=True)):
        if isinstance(y, Tensor) and t is not None:
            give_tangent(y, checks.accepted(k, x, y, t))


def _zeros(x: Any) -> Any:
    return x.new_zeros(x.shape) if isinstance(x, Tensor) and differentiable(x) else None


def _check_results(found: tuple, count: int) -> None:
    for k, t in enumerate(found):
        if t is not None and not isinstance(t, Tensor):
            raise RuntimeError(texts.TANGENT_TYPE.format(kind=type(t).__name__, k=k))
    if len(found) != count:
        raise RuntimeError(texts.TANGENT_COUNT.format(expected=count, got=len(found)))


class _Checks:
    """What a tangent that jvp returned has to be, given what jvp was called with.

    Arguments:
        ctx: of the call.
        inputs: the arguments of the Function.
        given: their tangents, None where there is none.
        tangents: what jvp is called with.
    """

    def __init__(self, ctx: Any, inputs: tuple, given: list, tangents: list) -> None:
        self.inputs, self.given = inputs, given
        self.tangent_of = {id(x): t for x, t in zip(inputs, given, strict=True) if t is not None}
        self.versions = {id(x): t._version for x, t in zip(inputs, tangents, strict=True) if t is not None}
        self.dirty = {id(x) for x in ctx.dirty_tensors or ()}
        self.constant = {id(x) for x in ctx.non_differentiable or ()}

    def accepted(self, k: int, x: Any, y: Any, t: Any) -> Any:
        """The tangent t of the k-th result, which forward returned as x and the caller gets as y."""
        if id(x) in self.constant or not differentiable(y):
            raise RuntimeError(texts.TANGENT_OF_CONSTANT.format(k=k))
        of_input: Any = self.tangent_of.get(id(x))
        if id(x) in self.dirty:
            if of_input is not None:
                if t._version == self.versions[id(x)]:
                    raise RuntimeError(texts.TANGENT_NOT_WRITTEN)
                if t is not of_input:
                    raise RuntimeError(texts.TANGENT_NOT_RETURNED)
        elif y._view is not None:
            _check_tangent_view(y, t, self.inputs, self.given)
            if t is of_input:
                t = t.view_as(t)
        return t


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

"""Dual tensors: forward-mode derivatives, where a tensor carries its tangent along.

There is one level, as in torch. Calls of `torch.func.jvp` nest, but only with each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import _Mode, give_tangent, state
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.levels import JVP
from funcgrad.torch.tensor.views import ViewOperation, geometry
from funcgrad.torch.texts import autograd as texts


def check_not_nested() -> None:
    """Raise torch's error if forward derivatives are being taken: by a level of this module, or by torch.func.jvp."""
    if state.dual_level >= 0 or any(level.kind == JVP for level in state.transforms):
        raise RuntimeError("Nested forward mode AD is not supported at the moment")


def enter_dual_level() -> int:
    """Open a level, within which tensors can have tangents; gives its number."""
    check_not_nested()
    complete()
    state.dual_level, state.duals = 0, WeakValueDictionary()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Leave the level; its tangents are forgotten."""
    level = state.dual_level if level is None else level
    if level != state.dual_level:
        raise RuntimeError(texts.DUAL_LEVEL_ORDER)
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    for t in list(state.duals.values()):
        t._set(tangent=None)
    state.dual_level, state.duals = -1, None


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of `tensor` that carries `tangent` along.

    Arguments:
        tensor: the primal, of a floating or complex dtype.
        tangent: its derivative in the direction of interest, of the same shape.
        level: the level that was opened last.
    """
    level = state.dual_level if level is None else level
    if level < 0:
        raise RuntimeError(texts.NO_DUAL_LEVEL)
    check_differentiable(tensor, tangent)
    if level > 0:
        raise RuntimeError("Invalid level given to _make_dual")
    if tensor._tangent is not None:
        raise RuntimeError(texts.PRIMAL_HAS_TANGENT.format(level=level))
    if tangent._tangent is not None:
        raise RuntimeError(texts.TANGENT_HAS_TANGENT.format(level=level))
    check_tangent_shape(tensor, tangent)
    dual = tensor.view_as(tensor)
    give_tangent(dual, tangent if _same_layout(tensor, tangent) else _like(tensor, tangent))
    return dual


def check_differentiable(primal: Any, tangent: Any) -> None:
    """Raise torch's error if one of them has an integer dtype."""
    for word, x in (("primal", primal), ("tangent", tangent)):
        if x._value.dtype.kind in "iub":
            raise ValueError(f"Expected {word} to be floating point or complex, but got: {x.dtype}")


def check_tangent_shape(primal: Any, tangent: Any) -> None:
    """Raise torch's error if a tangent has another shape than its primal."""
    if primal._value.shape != tangent._value.shape:
        raise RuntimeError(texts.TANGENT_SHAPE.format(shape=list(primal.shape), tangent=list(tangent.shape)))


def _same_layout(x: Any, y: Any) -> bool:
    if x._value.dtype != y._value.dtype or x._lazy != y._lazy:
        return False
    if isinstance(x._value, Array) or isinstance(y._value, Array) or not x._value.size:
        return True
    one, other = x._storage(), y._storage()
    return x.stride() == y.stride() and one.nbytes() == other.nbytes() and x.storage_offset() == y.storage_offset()


def _like(tensor: Any, tangent: Any) -> Any:
    """The tangent in the dtype and memory layout of the tensor."""
    size, stride, _ = geometry(tensor)
    return tangent.new_zeros(0).to(tensor.dtype).new_empty_strided(size, stride).copy_(tangent)


class UnpackedDualTensor(NamedTuple):
    """What unpack_dual gives: the primal, and the tangent or None."""

    primal: Any
    tangent: Any


def _identity(x: Any) -> Any:
    return x


_PRIMAL = ViewOperation(_identity, "Identity", look=lambda value: value[...], saves=())


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal of a tensor, a view of it without tangent, and its tangent (None if it has none)."""
    level = state.dual_level if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    tangent = tensor._tangent
    with _set_fwd_grad_enabled(False):
        primal = _PRIMAL(tensor)
    return UnpackedDualTensor(primal, tangent)


class dual_level(_Mode):  # noqa: N801  (torch's name)
    """A context in which tensors can have tangents.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(torch.tensor(3.0), torch.tensor(1.0))
        ...     print(forward_ad.unpack_dual(x * x).tangent)
        tensor(6.)
    """

    def __enter__(self) -> int:
        check_not_nested()
        self.entered = 1
        return enter_dual_level()

    def leave(self, *error: Any) -> None:
        if error or state.dual_level >= 0:
            exit_dual_level()
        self.entered = 0


class _set_fwd_grad_enabled(_Mode):  # noqa: N801  (torch's name)
    """Switch forward derivatives on or off: at once, and as a context manager until its end."""

    def __init__(self, mode: bool) -> None:
        self.mode, self.prev = mode, state.forward_grad
        state.forward_grad = mode

    def __enter__(self) -> None:
        self.entered += 1

    def leave(self, *error: Any) -> None:
        state.forward_grad = self.prev
        self.entered -= 1

    def clone(self) -> _set_fwd_grad_enabled:
        """Another one with the same argument."""
        return type(self)(self.mode)

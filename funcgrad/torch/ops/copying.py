"""Copies of tensors by `copy` and `pickle`, and tensors as objects of a subclass."""

from __future__ import annotations

import copyreg
from collections import OrderedDict
from copy import deepcopy
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.naming import class_at, is_found
from funcgrad.torch.base.storage import TypedStorage, check_geometry, reach, typed
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.legacy import ALIAS
from funcgrad.torch.tensor.journal import follow, journal, leaf
from funcgrad.torch.tensor.members import add_member, member_of
from funcgrad.torch.tensor.tensor import CONJ, NEG, Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import place, share
from funcgrad.torch.texts import creation as creation_texts
from funcgrad.torch.texts import memory as texts

_TRACED = {"_traced_views", "_traced_aliases"}
OWN_ATTRIBUTES = frozenset({*vars(Tensor), *Tensor.__annotations__, *_TRACED}) - {"persistent"}


def user_attributes(x: Tensor) -> dict[str, Any]:
    """What a user has set on a tensor object."""
    return {k: v for k, v in x.__dict__.items() if k not in OWN_ATTRIBUTES}


# copy.deepcopy.


@member_of(Tensor, "__deepcopy__")
def _deepcopy(self: Tensor, memo: dict) -> Any:
    if not self.is_leaf:
        raise RuntimeError(texts.DEEPCOPY_NEEDS_LEAF)
    if id(self) in memo:
        return memo[id(self)]
    if state.transforms:
        self.untyped_storage()  # raises torch's error if a transform hides it
    if self._lazy or isinstance(self._value, Array):
        t = wrapped(self._resolved())
    else:
        storage = self._storage().__deepcopy__(memo)
        empty = wrapped(np.empty(0, self._value.dtype))
        t = place(empty, storage, self._value.shape, self.stride(), self.storage_offset())
    t._bump()
    t._requires = self.requires_grad
    if t._requires and journal.on:
        t._entry = self._entry
        leaf(t, "deepcopy", "deepcopy")
    if type(self) is not Tensor:
        t.__class__ = type(self)
    if self._grad is not None:
        t._grad = self._grad.__deepcopy__(memo)
    memo[id(self)] = t
    t.__dict__.update(deepcopy(user_attributes(self), memo))
    return t


# pickle, and copy.copy.


@member_of(Tensor, "__reduce_ex__")
def _reduce_ex(self: Tensor, protocol: Any) -> Any:
    build, args = _reduced(self)
    state = user_attributes(self)
    if type(self) is Tensor and not state:
        return build, args
    return rebuild_from_type, (build, type(self), args, state or None)


def _reduced(x: Tensor) -> tuple[Any, tuple]:
    """The function that builds a tensor anew, and its arguments."""
    if state.transforms:
        x.untyped_storage()
    if isinstance(x._value, Array):
        x = wrapped(x._concrete())
    where: tuple = (x.storage_offset(), tuple(x._value.shape), x.stride(), x.requires_grad, OrderedDict())
    if x.dtype.name in ("uint16", "uint32", "uint64"):  # torch has no typed storages of these
        return rebuild_tensor_of_dtype, (x._storage(), *where, x.dtype)
    bits = {name: True for name, bit in (("conj", CONJ), ("neg", NEG)) if x._lazy & bit}
    return rebuild_tensor, (typed(x._storage(), x.dtype), *where, *([bits] if bits else []))


def rebuild_tensor(
    storage: TypedStorage, offset: int, size: tuple, stride: tuple, requires_grad: bool, hooks: Any, bits: Any = None
) -> Tensor:
    """The tensor of which `__reduce_ex__` gave these parts.

    Raises:
        RuntimeError: it would reach beyond its storage, or no tensor has such parts.
    """
    size, stride, kind = tuple(size), tuple(stride), storage.dtype.numpy
    check_geometry(size, stride, offset)
    if reach(size, stride, offset) * kind.itemsize > storage.nbytes():
        raise RuntimeError(texts.NOT_RESIZABLE)
    if requires_grad and kind.kind in "biu":
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if bits and kind.kind != "c" and bits.get("conj"):
        raise RuntimeError(f"A tensor of dtype {storage.dtype} has no conjugate bit")
    t = place(wrapped(np.empty(0, kind)), storage.untyped(), size, stride, offset)
    t._bump()
    t._requires = requires_grad
    if requires_grad and journal.on:
        leaf(t, "leaf")
    if bits:
        t._set(lazy=(CONJ if bits.get("conj") else 0) | (NEG if bits.get("neg") else 0))
    return t


def rebuild_tensor_of_dtype(
    storage: Any, offset: int, size: tuple, stride: tuple, requires_grad: bool, hooks: Any, dtype: Any, bits: Any = None
) -> Tensor:
    """As `rebuild_tensor`, from a storage that does not know its dtype."""
    return rebuild_tensor(typed(storage.untyped(), dtype), offset, size, stride, requires_grad, hooks, bits)


def rebuild_from_type(build: Any, kind: type, args: tuple, state: Any) -> Any:
    """As `rebuild_tensor`, for a subclass, or with attributes."""
    t = build(*args)
    if kind is not Tensor:
        t.__class__ = kind
    if state:
        t.__dict__.update(state[0] if isinstance(state, tuple) else state)
    return t


def reduced_class(cls: Any) -> Any:
    """How pickle stores the class of tensors itself, and those of the library, which are said to be torch's."""
    if cls.__module__.partition(".")[0] == "torch" and not is_found(cls):
        return class_at, (f"funcgrad.{cls.__module__}", cls.__qualname__)
    return cls.__qualname__


copyreg.pickle(type(Tensor), reduced_class)


# Subclasses.


def make_subclass(cls: type, data: Tensor, require_grad: bool = False, **ignored: Any) -> Any:
    """An object of a subclass of Tensor on the memory of data, a leaf of the graph."""
    _check_subclass(cls)
    t = share(data, data._value)
    if require_grad and t._value.dtype.kind in "iub":
        raise RuntimeError(creation_texts.KIND_OF_GRADIENT)
    if journal.on and (require_grad or data._entry):
        _noted(t, data, require_grad)
    t._requires = require_grad
    t.__class__ = cls
    return t


def _noted(t: Tensor, data: Tensor, require_grad: bool) -> None:
    """The entry of a parameter: what its data came from is cut off."""
    cut = "Parameter" if data._linked() else None
    if require_grad:
        t._entry = data._entry
        leaf(t, "parameter", cut)
    else:
        follow("parameter", (data._entry,), t, cut)


def _check_subclass(cls: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(texts.SUBCLASS_NEEDS_TENSOR)


@op("Tensor.as_subclass", "(Tensor input, Any cls)", records=(ALIAS,))
def as_subclass(self: Tensor, cls: type) -> Any:
    """This tensor as an object of a subclass, on the same memory and with its history."""
    _check_subclass(cls)
    t = ALIAS(self)
    t.__class__ = cls
    return t


@member_of(Tensor)
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` of a module swaps in for this tensor, where swapping is on.

    Arguments:
        other: the tensor that is loaded.
        assign: whether it is to be used itself, not copied into this one.
    """
    return other.detach() if assign else self.copy_(other).detach()


add_member(Tensor, "_make_subclass", staticmethod(make_subclass))

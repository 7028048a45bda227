"""`Parameter`: a tensor that modules know to be one of theirs; and `Buffer`, a tensor that belongs to their state."""

from __future__ import annotations

import copyreg
import functools
from collections import OrderedDict
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.ops.copying import make_subclass, reduced_class, user_attributes
from funcgrad.torch.ops.creation import empty
from funcgrad.torch.tensor.journal import journal, leaf
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.text import PRINTED_AS_TENSOR
from funcgrad.torch.tensor.values import FAST, wrapped
from funcgrad.torch.texts import parameter as texts

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]

_TensorMeta: type = type(Tensor)


class _ParameterMeta(_TensorMeta):
    """Tensors of other classes, too, can be parameters: those that are marked so."""

    def __instancecheck__(self, instance: Any) -> bool:
        if self is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is trained: it requires grad, and a module that it is assigned to lists it among its parameters.

    Arguments:
        data: a tensor, whose memory the parameter shares; by default an empty one.
        requires_grad: whether gradients with respect to it are recorded.

    What is computed from parameters are plain tensors.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Parameter(torch.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = Tensor(0)
        if type(data) is Tensor or type(data) is Parameter:
            return make_subclass(cls, data, requires_grad)
        t = data.detach().requires_grad_(requires_grad)
        if type(t) is not type(data):
            raise RuntimeError(texts.OTHER_DETACH.format(given=type(data).__name__, detached=type(t).__name__))
        t._is_param = True
        return t

    def _like_self(self, t: Tensor) -> Tensor:
        return t  # detached, it is a plain tensor

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = made = type(self)(self.data.clone(), self.requires_grad)
            if journal.on and made._requires:
                made._entry = self._entry
                leaf(made, "deepcopy", "deepcopy")
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__()

    __str__ = __repr__

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = user_attributes(self)
        hooks: OrderedDict = OrderedDict()
        if not state:
            return rebuild_parameter, (self.data, self.requires_grad, hooks)
        return rebuild_parameter_with_state, (self.data, self.requires_grad, hooks, state)


def rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any) -> Parameter:
    """The parameter of which `__reduce_ex__` gave these parts."""
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Tensor, requires_grad: bool, hooks: Any, state: dict) -> Parameter:
    """As `rebuild_parameter`, with attributes."""
    p = rebuild_parameter(data, requires_grad, hooks)
    p.__dict__.update(state)
    return p


Parameter.__module__ = "torch.nn.parameter"
PRINTED_AS_TENSOR.append(Parameter)


class _BufferMeta(_TensorMeta):
    """Every tensor that is marked as a buffer counts as an instance."""

    def __instancecheck__(self, instance: Any) -> bool:
        if self is Buffer:
            return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that belongs to the state of the module it is assigned to, but is not trained.

    Arguments:
        data: a tensor; by default an empty one.
        persistent: whether it is part of the module's state_dict.
    """

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = Tensor(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


Buffer.__module__ = "torch.nn.parameter"


def _plain(x: Any) -> Any:
    """What an uninitialized tensor holds, a tensor without elements; another tensor as it is."""
    return wrapped(x._value) if isinstance(x, UninitializedTensorMixin) else x


class UninitializedTensorMixin:
    """A parameter or buffer whose size is not known yet; `materialize` gives it one.

    Until then it can be converted and has its properties, but nothing can be computed with it.
    """

    cls_to_become: type
    _plain = property(lambda self: False, lambda self, value: None)  # no operation takes its value without a look

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of this size.

        Arguments:
            shape: the size.
            device: the cpu.
            dtype: by default that which was asked for when it was made.
        """
        this: Any = self
        requires_grad = this._requires
        this.data = _plain(this).new_empty(shape, dtype=dtype)
        this.__class__ = self.cls_to_become
        this._requires = requires_grad

    @property
    def shape(self) -> Any:
        """Not known yet."""
        raise RuntimeError(texts.NO_SHAPE)

    def share_memory_(self) -> Any:
        """There is no memory yet."""
        raise RuntimeError(texts.NO_MEMORY)

    def copy_(self, other: Any, non_blocking: bool = False) -> Any:
        """Nothing to copy."""
        _plain(self).copy_(_plain(other))
        return self

    def __getattribute__(self, name: str) -> Any:
        if name[0] != "_" and name not in _ALLOWED and callable(getattr(Tensor, name, None)):
            return functools.partial(_refuse, self, f"<method '{name}' of 'torch._C.TensorBase' objects>")
        return object.__getattribute__(self, name)

    def _resolved(self) -> Any:
        return _refuse(self, "a function")

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict) -> Any:
        this: Any = self
        if id(self) not in memo:
            kind: Any = type(self)
            memo[id(self)] = kind(this._requires, None, this.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        this: Any = self
        return type(self), (this._requires,)


_CONVERSIONS = ("char", "cpu", "cuda", "double", "float", "half", "int", "long", "short", "to")
_ALLOWED = frozenset((*_CONVERSIONS, "copy_", "get_device", "is_complex", "is_floating_point", "share_memory_", "size"))
"""The methods of an uninitialized tensor."""


def _refuse(x: Any, called: str, *args: Any, **kwargs: Any) -> Any:
    raise ValueError(texts.UNINITIALIZED.format(called=called, name=type(x).__name__))


def _conversion(name: str) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(_plain(self), name)(*args, **kwargs)
        if isinstance(self, UninitializedBuffer):
            found.__class__ = UninitializedBuffer
        return found

    method.__name__ = name
    method.__doc__ = f"As `Tensor.{name}`."
    return method


def _refused(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        return _refuse(self, f"<slot wrapper '{name}' of 'torch._C.TensorBase' objects>")

    return method


for _name in ("__getitem__", "__setitem__", "__len__"):
    setattr(UninitializedTensorMixin, _name, _refused(_name))
for _name in _CONVERSIONS:
    setattr(UninitializedTensorMixin, _name, _conversion(_name))


def is_lazy(param: Any) -> bool:
    """Whether a parameter's size is not known yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[metaclass, misc]
    """A parameter whose size is found when data is seen for the first time."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return make_subclass(cls, empty((0,), dtype=dtype, device=device), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose size is found when data is seen for the first time."""

    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        t = make_subclass(cls, empty((0,), dtype=dtype, device=device), requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


UninitializedParameter.__module__ = UninitializedBuffer.__module__ = "torch.nn.parameter"
for _meta in (_ParameterMeta, _BufferMeta):
    copyreg.pickle(_meta, reduced_class)
FAST.update((Parameter, Buffer))

publish(__name__)

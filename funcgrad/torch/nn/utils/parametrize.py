"""`torch.nn.utils.parametrize`: parameters that are computed from others, whenever they are asked for.

A parametrized module gets a class of its own, which has a property in the place of the tensor. What the tensor is
computed from, and how, is in the module's `parametrizations`.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.scope import scoped
from funcgrad.torch import __future__ as settings
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.container import ModuleDict, ModuleList
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import parametrize as texts
from funcgrad.torch.utils.swapping import swap_tensors

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache_enabled = 0
_cache: dict[tuple[int, str], Any] = {}


@scoped
def cached() -> Iterator[None]:
    """Within it each parametrized tensor is computed once, when it is first asked for.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3))
        >>> with torch.nn.utils.parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, x: Any) -> None:
    """Add a tensor to a module as what it is, a parameter or a buffer."""
    if isinstance(x, Parameter):
        module.register_parameter(name, x)
    else:
        module.register_buffer(name, x)


def _set(own: Any, value: Any) -> None:
    """Have a tensor hold another value, and stay the same object."""
    if settings.get_swap_module_params_on_conversion():
        if isinstance(own, Parameter) and not isinstance(value, Parameter):
            value = Parameter(value, requires_grad=own.requires_grad)
        swap_tensors(own, value)
    else:
        own.set_(value)


def _kind(x: Any) -> str:
    return type(x).__name__


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and what it is computed from: `original`, or `original0`, `original1`, ...

    Arguments:
        modules: the parametrizations, the first of which is applied first.
        original: the tensor that they stand for.
        unsafe: whether they may change its dtype and shape.
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        dtype, shape = original.dtype, original.shape
        new = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        continue
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(texts.NOT_TENSORS.format(kind=_kind(new)))
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if original.dtype != new.dtype:
                raise ValueError(texts.INVERSE_DTYPE.format(own=original.dtype, found=new.dtype))
            with no_grad():
                _set(original, new)
            _register(self, "original", original)
        else:
            for i, t in enumerate(new):
                if not isinstance(t, Tensor):
                    raise ValueError(texts.NOT_A_TENSOR_AMONG.format(i=i, kind=_kind(t)))
                if isinstance(original, Parameter):
                    t = Parameter(t, original.requires_grad)
                t.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", t)
        if not unsafe:
            z = self()
            if not isinstance(z, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {_kind(z)}.")
            if z.dtype != dtype:
                raise ValueError(texts.CHANGED_DTYPE.format(own=dtype, found=z.dtype))
            if z.shape != shape:
                raise ValueError(texts.CHANGED_SHAPE.format(own=shape, found=z.shape))

    @no_grad()
    def right_inverse(self, value: Any) -> None:
        """Have the originals such that the parametrized tensor is a given one.

        Arguments:
            value: the tensor.
        """
        for module in reversed(list(self)):
            if not hasattr(module, "right_inverse"):
                raise RuntimeError(f"parametrization {_kind(module)} does not implement right_inverse.")
            value = module.right_inverse(value)
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {_kind(value)}")
            if value.dtype != self.original.dtype:
                raise ValueError(texts.ASSIGNED_DTYPE.format(found=value.dtype, own=self.original.dtype))
            _set(self.original, value)
            return
        if not isinstance(value, Sequence):
            raise ValueError(texts.NOT_SEQUENCE.format(kind=_kind(value)))
        if len(value) != self.ntensors:
            raise ValueError(texts.SEQUENCE_LENGTH.format(wanted=self.ntensors, n=len(value)))
        for i, t in enumerate(value):
            own = getattr(self, f"original{i}")
            if not isinstance(t, Tensor):
                raise ValueError(texts.NOT_TENSOR_IN_SEQUENCE.format(i=i, kind=_kind(t)))
            if own.dtype != t.dtype:
                raise ValueError(texts.ASSIGNED_DTYPE_OF.format(i=i, found=t.dtype, own=own.dtype))
            _set(own, t)

    def _originals(self) -> list[Any]:
        return [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def forward(self) -> Any:
        """The parametrized tensor."""
        first, *others = self
        x = first(*self._originals())
        for module in others:
            x = module(x)
        return x


def _give_own_class(module: Any) -> None:
    """Make a module the only one of a new class, to which properties can be added."""
    cls = type(module)

    def copied(self: Any, memo: dict) -> Any:
        found = memo.get(id(self))
        if found is not None:
            return found
        replica = memo[id(self)] = self.__new__(type(self))
        replica.__dict__ = deepcopy(self.__dict__, memo)
        for slot in copyreg._slotnames(type(self)):  # type: ignore[attr-defined]  # typeshed leaves it out
            if hasattr(self, slot):
                setattr(replica, slot, deepcopy(getattr(self, slot), memo))
        return replica

    def refused(self: Any) -> Any:
        raise RuntimeError(texts.NO_PICKLE)

    members: dict[str, Any] = {"__getstate__": refused, "__module__": __name__.removeprefix("funcgrad.")}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _add_property(module: Any, name: str) -> None:
    """Have an attribute of a module computed by its parametrizations."""

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _cache_enabled:
            return parametrization()
        key = id(module), name
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Have a parameter or buffer of a module computed by another module.

    Arguments:
        module: the module.
        tensor_name: the name of the parameter or buffer; if it is parametrized already, the new parametrization is
            applied to what the others give.
        parametrization: a module, called with the original tensor. If it has a method `right_inverse`, the tensor can
            be assigned to, and the original is such that the tensor stays what it was.
        unsafe: whether it may change dtype and shape.

    Returns:
        The module.

    Raises:
        ValueError: there is no such tensor, or dtype or shape would change.

    Example:
        >>> from funcgrad import torch
        >>> class Symmetric(torch.nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).mT
        >>> layer = torch.nn.Linear(3, 3)
        >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
        >>> bool((layer.weight == layer.weight.T).all())
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_another(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        if hasattr(module, tensor_name):
            raise AssertionError(f"Module already has an attribute named '{tensor_name}'")
        _add_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(texts.NOTHING_TO_PARAMETRIZE.format(module=module, name=tensor_name))
    return module


def _check_another(module: Any, name: str, parametrization: Any) -> None:
    """Raise an error if a further parametrization of a tensor changes its dtype or shape."""
    y = getattr(module, name)
    x = parametrization(y)
    if not isinstance(x, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {_kind(x)}.")
    _check_like(y, x, name, texts.ANOTHER_CHANGED)
    if hasattr(parametrization, "right_inverse"):
        try:
            z = parametrization.right_inverse(x)
        except NotImplementedError:
            return
        if not isinstance(z, Tensor):
            raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {_kind(z)}")
        _check_like(y, z, name, texts.ANOTHER_INVERSE_CHANGED)


def _check_like(own: Any, found: Any, name: str, text: str) -> None:
    for what in ("dtype", "shape"):
        a, b = getattr(own, what), getattr(found, what)
        if a != b:
            raise ValueError(text.format(what=what, name=name, own=a, found=b))


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations, or one of its tensors does.

    Arguments:
        module: the module.
        tensor_name: the tensor; None for any.
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor of a module a plain one again.

    Arguments:
        module: the module.
        tensor_name: the name of the tensor.
        leave_parametrized: whether it keeps the value that it has now; otherwise it is the original.

    Returns:
        The module.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                t = getattr(module, tensor_name)
                try:
                    _set(original, t)
                except RuntimeError as error:
                    if type(original) is Tensor:
                        raise
                    raise RuntimeError(texts.SET_OF_SUBCLASS) from error
    elif leave_parametrized:
        t = getattr(module, tensor_name)
        original = Parameter(t) if t.requires_grad else t
    else:
        raise ValueError(texts.LEAVE_SEQUENCE)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of a module, without those that parametrizations make."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Give a module the parametrizations of another one, and what they are computed from.

    Arguments:
        from_module: the module that has them.
        to_module: the module that gets them.
        tensor_name: of which tensor; None for all.

    Returns:
        to_module.
    """
    if is_parametrized(from_module):
        for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
            if not hasattr(to_module, name):
                setattr(to_module, name, Parameter(getattr(from_module, name)))
            found = from_module.parametrizations[name]
            for parametrization in found:
                register_parametrization(to_module, name, parametrization)
            own = to_module.parametrizations[name]
            for original, t in (*found._parameters.items(), *found._buffers.items()):
                setattr(own, original, t)
    return to_module


show_as_torch(__name__)
publish(__name__)

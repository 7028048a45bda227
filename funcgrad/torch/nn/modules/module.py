"""`Module`: parameters, buffers and other modules, and what is computed with them.

What is large about it stands in files of its own: hooks are registered in `_hooks`, the call is in `_calling`, the
state dict in `_state`, conversions are in `_conversion`. Here is what a module holds, and how it is found again.
"""

from __future__ import annotations

import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn.modules import _calling, _conversion, _hooks, _state
from funcgrad.torch.nn.modules._calling import _WrappedHook as _WrappedHook
from funcgrad.torch.nn.modules._hooks import register_module_backward_hook as register_module_backward_hook
from funcgrad.torch.nn.modules._hooks import (
    register_module_buffer_registration_hook as register_module_buffer_registration_hook,
)
from funcgrad.torch.nn.modules._hooks import register_module_forward_hook as register_module_forward_hook
from funcgrad.torch.nn.modules._hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from funcgrad.torch.nn.modules._hooks import register_module_full_backward_hook as register_module_full_backward_hook
from funcgrad.torch.nn.modules._hooks import (
    register_module_full_backward_pre_hook as register_module_full_backward_pre_hook,
)
from funcgrad.torch.nn.modules._hooks import (
    register_module_module_registration_hook as register_module_module_registration_hook,
)
from funcgrad.torch.nn.modules._hooks import (
    register_module_parameter_registration_hook as register_module_parameter_registration_hook,
)
from funcgrad.torch.nn.modules._state import _IncompatibleKeys as _IncompatibleKeys
from funcgrad.torch.nn.parameter import Buffer, Parameter
from funcgrad.torch.ops.conversion import typename
from funcgrad.torch.settings import compile
from funcgrad.torch.tensor.journal import event, journal
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

globals().update({name: value for name, value in vars(_hooks).items() if name.startswith("_global_")})
"""The hooks of all modules, which programs that look at them find here."""


def _forward_unimplemented(self: Any, *input: Any) -> None:
    """Compute the module's result: every subclass says how."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


_STATE: dict[str, Callable] = {
    "_parameters": dict,
    "_buffers": dict,
    "_non_persistent_buffers_set": set,
    "_backward_pre_hooks": OrderedDict,
    "_backward_hooks": OrderedDict,
    "_is_full_backward_hook": lambda: None,
    "_forward_hooks": OrderedDict,
    "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict,
    "_forward_pre_hooks": OrderedDict,
    "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_state_dict_hooks": OrderedDict,
    "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_post_hooks": OrderedDict,
    "_modules": dict,
}
"""What a module has of its own, and what it is at first."""


class Module:
    """Base class of layers and of whole networks.

    A subclass calls `super().__init__()`, assigns parameters and other modules to attributes, and has a method
    `forward`. The module is called like a function.

    Example:
        >>> from funcgrad import torch
        >>> class Net(torch.nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layer = torch.nn.Linear(2, 3)
        ...
        ...     def forward(self, x):
        ...         return self.layer(x).relu()
        >>> net = Net()
        >>> net
        Net(
          (layer): Linear(in_features=2, out_features=3, bias=True)
        )
        >>> net(torch.ones(4, 2)).shape
        torch.Size([4, 3])
        >>> [name for name, _ in net.named_parameters()]
        ['layer.weight', 'layer.bias']
    """

    dump_patches = False
    _version = 1
    training: bool
    call_super_init = False
    _compiled_call_impl: Callable | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            name = f"{type(self).__name__}.__init__()"
            if kwargs:
                raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{name} takes 1 positional argument but {len(args) + 1} were given")
        state = self.__dict__
        state["training"] = True
        for attribute, first in _STATE.items():
            state[attribute] = first()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented
    _call_impl = _calling._call_impl
    _wrapped_call_impl = _calling._wrapped_call_impl
    __call__: Callable[..., Any] = _calling._wrapped_call_impl

    register_forward_pre_hook = _hooks.register_forward_pre_hook
    register_forward_hook = _hooks.register_forward_hook
    register_backward_hook = _hooks.register_backward_hook
    register_full_backward_pre_hook = _hooks.register_full_backward_pre_hook
    register_full_backward_hook = _hooks.register_full_backward_hook
    _get_backward_hooks = _calling.backward_hooks

    state_dict = _state.state_dict
    load_state_dict = _state.load_state_dict
    get_extra_state = _state.get_extra_state
    set_extra_state = _state.set_extra_state
    _save_to_state_dict = _state._save_to_state_dict
    _load_from_state_dict = _state._load_from_state_dict
    _register_state_dict_hook = _state._register_state_dict_hook
    register_state_dict_post_hook = _state.register_state_dict_post_hook
    register_state_dict_pre_hook = _state.register_state_dict_pre_hook
    _register_load_state_dict_pre_hook = _state._register_load_state_dict_pre_hook
    register_load_state_dict_pre_hook = _state.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = _state.register_load_state_dict_post_hook

    _apply = _conversion._apply
    to = _conversion.to

    # What it holds.

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is no parameter, such as a running mean.

        Arguments:
            name: the attribute under which it is found.
            tensor: the buffer, or None.
            persistent: whether it is part of the state dict.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        given: Any = tensor
        if given is not None and not isinstance(given, Tensor) and not hasattr(given, "__torch_function__"):
            raise TypeError(texts.NO_BUFFER.format(kind=typename(given), name=name))
        self._buffers[name] = self._registered(_hooks._global_buffer_registration_hooks, name, given)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter.

        Arguments:
            name: the attribute under which it is found.
            param: the parameter, or None.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        given: Any = param
        if given is not None:
            if not isinstance(given, Parameter):
                raise TypeError(texts.NO_PARAMETER.format(kind=typename(given), name=name))
            if given.grad_fn:
                raise ValueError(texts.NON_LEAF_PARAMETER.format(name=name))
            given = self._registered(_hooks._global_parameter_registration_hooks, name, given)
        self._parameters[name] = given

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule.

        Arguments:
            name: the attribute under which it is found.
            module: the submodule, or None.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = self._registered(_hooks._global_module_registration_hooks, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """As `add_module`."""
        self.add_module(name, module)

    def _check_name(self, kind: str, name: Any, held: dict) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in held:
            raise KeyError(f"attribute '{name}' already exists")

    def _registered(self, hooks: dict[int, Callable], name: str, value: Any) -> Any:
        """What is to be held under a name, if no hook wants something else in its place."""
        for hook in hooks.values():
            found = hook(self, name, value)
            if found is not None:
                value = found
        return value

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        for held in ("_parameters", "_buffers", "_modules"):
            if held in state and name in state[held]:
                return state[held][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        params = state.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, state, state["_buffers"], state["_modules"])
            self.register_parameter(name, value)
            return
        if params is not None and name in params:
            if value is not None:
                raise TypeError(texts.NOT_AS_PARAMETER.format(kind=typename(value), name=name))
            self.register_parameter(name, value)
            return
        modules = state.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, state, state["_parameters"], state["_buffers"])
            modules[name] = self._registered(_hooks._global_module_registration_hooks, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(texts.NOT_AS_MODULE.format(kind=typename(value), name=name))
            modules[name] = self._registered(_hooks._global_module_registration_hooks, name, value)
        elif isinstance(value, Buffer) or ("_buffers" in state and name in state["_buffers"]):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, *held: dict) -> None:
        """Take a name out of the places where something else was held under it."""
        for d in held:
            d.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor) and not hasattr(value, "__torch_function__"):
            raise TypeError(texts.NOT_AS_BUFFER.format(kind=typename(value), name=name))
        if isinstance(value, Buffer):
            persistent: bool = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        own = getattr(self.register_buffer, "__func__", None) is not Module.register_buffer
        if not own or "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(texts.NO_PERSISTENT_OPTION)

    def __delattr__(self, name: str) -> None:
        for held in (self._parameters, self._buffers, self._modules):
            if name in held:
                del held[name]
                if held is self._buffers:
                    self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    # How it is found by its path.

    def get_submodule(self, target: str) -> Module:
        """The submodule at a path such as "encoder.layers.0"; the empty path leads to the module itself."""
        found: Any = self
        for name in target.split(".") if target else ():
            found = _attribute(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path.

        Arguments:
            target: the path.
            module: the new submodule.
            strict: whether there must be one already.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_attribute(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as "encoder.weight"."""
        path, _, name = target.rpartition(".")
        found: Any = _attribute(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as "encoder.running_mean"."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = _attribute(owner, name)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # All that it holds, submodules included.

    def _named_members(
        self, get_members_fn: Callable, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        modules: Any = ((prefix, self),)
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield f"{path}.{name}" if path else name, value

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters; with `recurse=False` without those of submodules."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters and their names.

        Arguments:
            prefix: what the names begin with.
            recurse: whether those of submodules are among them.
            remove_duplicate: whether a parameter that has several names is given once.
        """
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers; with `recurse=False` without those of submodules."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers and their names; see `named_parameters`."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def children(self) -> Iterator[Module]:
        """The submodules that it holds itself."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The submodules that it holds itself, and their names; each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """The module itself, all submodules, theirs, and so on; each once, unless `remove_duplicate=False`."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module itself, all submodules, theirs, and so on, and their paths.

        Arguments:
            memo: modules that are not given again.
            prefix: what the paths begin with.
            remove_duplicate: whether a module that has several names is given once.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    # What is done to all of it.

    def apply(self, fn: Callable[[Module], None]) -> Any:
        """Call a function with each submodule and with the module itself, innermost first; gives the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Any:
        """Switch to training, which matters to layers such as dropout; gives the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Any:
        """Switch to evaluation; gives the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Say of all parameters whether gradients with respect to them are recorded; gives the module."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters; with `set_to_none=False` they are filled with zeros instead."""
        if getattr(self, "_is_replica", False):
            warnings.warn(texts.REPLICA_ZERO_GRAD, stacklevel=2)
        cleared: list[int] = []
        p: Any
        for p in self.parameters():
            grad = p.grad
            if grad is None:
                continue
            cleared.append(p._entry)
            if set_to_none:
                p._grad = None
            else:
                if grad.grad_fn is not None:
                    grad.detach_()
                elif grad._requires:
                    grad.requires_grad_(False)
                grad.zero_()
        if journal.on:
            event("zero_grad()", sources=tuple(cleared))

    def share_memory(self) -> Any:
        """Move all tensors to memory that other processes can share; gives the module."""
        return self._apply(lambda t: t.share_memory_())

    # Conversions.

    def type(self, dst_type: Any) -> Any:
        """Bring all parameters and buffers to a dtype; gives the module."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Any:
        """Bring all floating-point parameters and buffers to float32; gives the module."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Any:
        """Bring all floating-point parameters and buffers to float64; gives the module."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Any:
        """Bring all floating-point parameters and buffers to float16; gives the module."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Any:
        """Bring all floating-point parameters and buffers to bfloat16; gives the module."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        """Give all parameters and buffers new memory, with whatever is in it; gives the module."""
        return self._apply(lambda t: namespaces[""]["empty_like"](t, device=device), recurse=recurse)

    def cpu(self) -> Any:
        """Move all tensors to the cpu, where they are; gives the module."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Any:
        """Move all tensors to a device that there is not."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Any:
        """Move all tensors to a device that there is not."""
        return self._apply(lambda t: t.xpu(device))

    def ipu(self, device: Any = None) -> Any:
        """Move all tensors to a device that there is not."""
        return self._apply(lambda t: t.ipu(device))

    def mtia(self, device: Any = None) -> Any:
        """Move all tensors to a device that there is not."""
        return self._apply(lambda t: t.mtia(device))

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Have `torch.compile` see what the module does when it is called."""
        self._compiled_call_impl = compile(self._call_impl, *args, **kwargs)

    # What is seen of it.

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What a subclass wants in its repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(module), 2)}" for name, module in self._modules.items()]
        if len(own) == 1 and not children:
            return f"{self._get_name()}({own[0]})"
        lines = [f"\n  {line}" for line in (*own, *children)]
        return f"{self._get_name()}({''.join(lines)}{chr(10) if lines else ''})"

    # How it is copied.

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for attribute, first in _STATE.items():  # what modules had not yet when they were saved
            if attribute not in self.__dict__:
                self.__dict__[attribute] = first()

    def _replicate_for_data_parallel(self) -> Any:
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica


def _attribute(owner: Any, name: str) -> Any:
    if not hasattr(owner, name):
        raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
    return getattr(owner, name)


def _addindent(text: str, spaces: int) -> str:
    """A text whose lines after the first are indented."""
    first, *others = text.split("\n")
    return "\n".join([first, *[" " * spaces + line if line.strip() else "" for line in others]])


show_as_torch(__name__)
publish(__name__)

"""How hooks are registered: with one module, by the methods here, or with all of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from funcgrad.torch.texts import modules as texts
from funcgrad.torch.utils.hooks import RemovableHandle

_global_buffer_registration_hooks: dict[int, Callable] = OrderedDict()
_global_module_registration_hooks: dict[int, Callable] = OrderedDict()
_global_parameter_registration_hooks: dict[int, Callable] = OrderedDict()
_global_backward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_backward_hooks: dict[int, Callable] = OrderedDict()
_global_forward_pre_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks: dict[int, Callable] = OrderedDict()
_global_forward_hooks_always_called: dict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: dict[int, bool] = OrderedDict()


class _Global:
    """Whether the global backward hooks see all gradients of a module; None while there have been none."""

    full: bool | None = None


def _add(
    hooks: Any, hook: Callable, flags: dict[str, tuple[Any, bool]] | None = None, prepend: bool = False
) -> RemovableHandle:
    """Register a hook.

    Arguments:
        hooks: those that there are, by number.
        hook: the new one.
        flags: for each property that hooks may have, the numbers of those that do, and whether this one does.
        prepend: whether it comes before the others.
    """
    flags = flags or {}
    handle = RemovableHandle(hooks, extra_dict=[having for having, _ in flags.values()])
    hooks[handle.id] = hook
    for having, has in flags.values():
        if has:
            having[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


# For all modules.


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, name, buffer)` called for each buffer that a module is given, which it may replace."""
    return _add(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, name, submodule)` called for each submodule that a module is given, which it may replace."""
    return _add(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, name, parameter)` called for each parameter that a module is given, which it may replace."""
    return _add(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, args)` called before each forward of any module; what it gives back replaces args."""
    return _add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Have `hook(module, args, output)` called after each forward of any module; what it gives back replaces output.

    Arguments:
        hook: the function.
        with_kwargs: whether it is called as `hook(module, args, kwargs, output)`.
        always_call: whether it is called if forward raises an error, too.
    """
    flags = {
        "with_kwargs": (_global_forward_hooks_with_kwargs, with_kwargs),
        "always_call": (_global_forward_hooks_always_called, always_call),
    }
    return _add(_global_forward_hooks, hook, flags)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Superseded by `register_module_full_backward_hook`: the hook sees the last operation of a module only."""
    if _Global.full is True:
        raise RuntimeError(texts.BOTH_KINDS_GLOBAL)
    _Global.full = False
    return _add(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, grad_output)` called when the backward walk enters any module."""
    return _add(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Have `hook(module, grad_input, grad_output)` called when the backward walk leaves any module."""
    if _Global.full is False:
        raise RuntimeError(texts.BOTH_KINDS_GLOBAL)
    _Global.full = True
    return _add(_global_backward_hooks, hook)


# For one module: methods of `Module`.


def register_forward_pre_hook(
    self: Any, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
) -> RemovableHandle:
    """Have `hook(module, args)` called before forward; what it gives back, a value or a tuple, replaces args.

    Arguments:
        hook: the function.
        prepend: whether it comes before the others.
        with_kwargs: whether it is called as `hook(module, args, kwargs)`, and gives both back.
    """
    flags = {"with_kwargs": (self._forward_pre_hooks_with_kwargs, with_kwargs)}
    return _add(self._forward_pre_hooks, hook, flags, prepend)


def register_forward_hook(
    self: Any, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Have `hook(module, args, output)` called after forward; what it gives back replaces output.

    Arguments:
        hook: the function.
        prepend: whether it comes before the others.
        with_kwargs: whether it is called as `hook(module, args, kwargs, output)`.
        always_call: whether it is called if forward raises an error, too.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.Linear(2, 3)
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output.shape))
        >>> _ = layer(torch.ones(4, 2))
        torch.Size([4, 3])
        >>> handle.remove()
    """
    flags = {
        "with_kwargs": (self._forward_hooks_with_kwargs, with_kwargs),
        "always_call": (self._forward_hooks_always_called, always_call),
    }
    return _add(self._forward_hooks, hook, flags, prepend)


def register_backward_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Superseded by `register_full_backward_hook`: the hook sees the last operation of forward only."""
    if self._is_full_backward_hook is True:
        raise RuntimeError(texts.BOTH_KINDS)
    self._is_full_backward_hook = False
    return _add(self._backward_hooks, hook)


def register_full_backward_pre_hook(self: Any, hook: Callable, prepend: bool = False) -> RemovableHandle:
    """Have `hook(module, grad_output)` called when the backward walk enters the module.

    Arguments:
        hook: the function; a tuple that it gives back replaces the gradients.
        prepend: whether it comes before the others.
    """
    return _add(self._backward_pre_hooks, hook, prepend=prepend)


def register_full_backward_hook(self: Any, hook: Callable, prepend: bool = False) -> RemovableHandle:
    """Have `hook(module, grad_input, grad_output)` called when the backward walk leaves the module.

    Arguments:
        hook: the function, which sees the gradients of the positional arguments and of the results; a tuple that it
            gives back replaces the former.
        prepend: whether it comes before the others.
    """
    if self._is_full_backward_hook is False:
        raise RuntimeError(texts.BOTH_KINDS)
    self._is_full_backward_hook = True
    return _add(self._backward_hooks, hook, prepend=prepend)

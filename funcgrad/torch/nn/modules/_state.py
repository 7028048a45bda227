"""The state of a module as a dict: `state_dict`, and how it is loaded again."""

from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from funcgrad.torch import __future__ as settings
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules._calling import _WrappedHook
from funcgrad.torch.nn.modules._hooks import _add
from funcgrad.torch.nn.parameter import Parameter, is_lazy
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts
from funcgrad.torch.utils.hooks import RemovableHandle
from funcgrad.torch.utils.swapping import swap_tensors

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` did not find, and what it had no use for."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


# Methods of `Module`.


def get_extra_state(self: Any) -> Any:
    """What a subclass wants in its state beside tensors; a subclass that has this method has `set_extra_state`, too."""
    raise RuntimeError(texts.EXTRA_STATE.format(method="get_extra_state"))


def set_extra_state(self: Any, state: Any) -> None:
    """Take back what `get_extra_state` gave."""
    raise RuntimeError(texts.EXTRA_STATE.format(method="set_extra_state"))


def _register_state_dict_hook(self: Any, hook: Callable) -> RemovableHandle:
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError(texts.PUBLIC_STATE_HOOK)
    return _add(self._state_dict_hooks, hook)


def register_state_dict_post_hook(self: Any, hook: Any) -> RemovableHandle:
    """Have `hook(module, state_dict, prefix, local_metadata)` called when the state dict is there; it may change it."""
    hook._from_public_api = True
    return _add(self._state_dict_hooks, hook)


def register_state_dict_pre_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Have `hook(module, prefix, keep_vars)` called before the state dict is made."""
    return _add(self._state_dict_pre_hooks, hook)


def _register_load_state_dict_pre_hook(self: Any, hook: Callable, with_module: bool = False) -> RemovableHandle:
    return _add(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))


def register_load_state_dict_pre_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Have a hook called before the module's own tensors are loaded, with the arguments of `_load_from_state_dict`."""
    return self._register_load_state_dict_pre_hook(hook, with_module=True)


def register_load_state_dict_post_hook(self: Any, hook: Callable) -> RemovableHandle:
    """Have `hook(module, incompatible_keys)` called when all is loaded; it may change the lists of keys."""
    return _add(self._load_state_dict_post_hooks, hook)


def _persistent(module: Any) -> Iterator[tuple[str, Any]]:
    """The names and tensors of a module itself that belong to its state."""
    for name, param in module._parameters.items():
        if param is not None:
            yield name, param
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            yield name, buffer


def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Put the module's own tensors into a state dict, without those of its submodules."""
    for name, t in _persistent(self):
        destination[prefix + name] = t if keep_vars else t.detach()
    if type(self).get_extra_state is not get_extra_state:
        destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()


def state_dict(self: Any, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
    """All parameters and persistent buffers by name, those of submodules included.

    Arguments:
        destination: a dict to put them into, instead of a new one.
        prefix: what names begin with.
        keep_vars: whether the tensors stay connected with the graph; by default they are detached. They share the
            module's memory in either case.

    Example:
        >>> from funcgrad import torch
        >>> list(torch.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
    """
    if args:
        warnings.warn(texts.POSITIONAL_STATE_DICT, FutureWarning, stacklevel=2)
        if destination is None:
            destination = args[0]
        if len(args) > 1 and prefix == "":
            prefix = args[1]
        if len(args) > 2 and keep_vars is False:
            keep_vars = args[2]
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        found = hook(self, destination, prefix, metadata)
        if found is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = found
    return destination


def _load_from_state_dict(
    self: Any,
    state_dict: Any,
    prefix: str,
    local_metadata: dict,
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Load the module's own tensors; a subclass whose state has changed may look at `local_metadata["version"]`.

    Arguments:
        state_dict: the tensors by name.
        prefix: what names of this module begin with.
        local_metadata: what was saved of this module beside tensors.
        strict: whether keys that are missing, or too many, are noted.
        missing_keys, unexpected_keys, error_msgs: lists to put those keys, and errors, into.
    """
    for hook in self._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    own = dict(_persistent(self))
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, t in own.items():
        key = prefix + name
        if key in state_dict:
            _load_tensor(self, name, t, key, state_dict[key], assign, error_msgs)
        elif strict:
            missing_keys.append(key)
    extra = prefix + _EXTRA_STATE_KEY_SUFFIX
    if type(self).set_extra_state is not set_extra_state:
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict:
            missing_keys.append(extra)
    elif strict and extra in state_dict:
        unexpected_keys.append(extra)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in (self._modules if dot else own):
                    unexpected_keys.append(key)


def _load_tensor(module: Any, name: str, own: Any, key: str, given: Any, assign: bool, errors: list[str]) -> None:
    """Load one tensor of a module, or note why it cannot be."""
    if not isinstance(given, Tensor) and not hasattr(given, "__torch_function__"):
        errors.append(texts.NOT_LIKE_A_TENSOR.format(key=key, kind=type(given)))
        return
    if not is_lazy(own):
        if own.ndim == 0 and tuple(given.shape) == (1,):
            given = given[0]  # numbers were saved so before there were tensors without dimensions
        if given.shape != own.shape:
            errors.append(texts.SIZE_MISMATCH.format(key=key, found=given.shape, own=own.shape))
            return
    swaps = settings.get_swap_module_params_on_conversion()
    try:
        with no_grad():
            if swaps:
                _swap_in(own, given, assign)
            elif assign:
                setattr(module, name, _like(own, given))
            else:
                own.copy_(given)
    except Exception as error:  # of any kind: all that could not be loaded is told of together
        action = "swapping" if swaps else "copying"
        shapes = {"own": own.size(), "found": given.size()}
        errors.append(texts.COPYING_FAILED.format(action=action, key=key, args=error.args, **shapes))


def _like(own: Any, given: Any) -> Any:
    """A tensor as a parameter, where one is to be replaced."""
    if not isinstance(own, Parameter):
        return given
    if isinstance(given, Parameter):
        return given.requires_grad_(own.requires_grad)
    return Parameter(given, requires_grad=own.requires_grad)


def _swap_in(own: Any, given: Any, assign: bool) -> None:
    found = own.module_load(given, assign=assign)
    if found is given or found is own:
        raise RuntimeError(texts.RETURNED_ARGUMENT)
    swap_tensors(own, _like(own, found))


def load_state_dict(self: Any, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
    """Copy parameters and buffers from a state dict into this module and its submodules.

    Arguments:
        state_dict: tensors by name, as `state_dict` gives them.
        strict: whether the names must be just those of this module.
        assign: whether the tensors themselves become the module's, instead of being copied into its own.

    Returns:
        A named tuple of the lists `missing_keys` and `unexpected_keys`.

    Raises:
        TypeError: state_dict is no mapping.
        RuntimeError: names or sizes don't fit.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    metadata = getattr(state_dict, "_metadata", None)
    state: Any = OrderedDict(state_dict)
    if metadata is not None:
        state._metadata = metadata
    keys = _IncompatibleKeys([], [])
    errors: list[str] = []
    _load(self, state, "", metadata, assign, keys, errors)
    if strict:
        for kind, names in (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys)):
            if names:
                errors.insert(0, "{} key(s) in state_dict: {}. ".format(kind, ", ".join(f'"{k}"' for k in names)))
    if errors:
        name = type(self).__name__
        raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(name, "\n\t".join(errors)))
    return keys


def _load(
    module: Any, state: Any, prefix: str, metadata: Any, assign: bool, keys: _IncompatibleKeys, errors: list[str]
) -> None:
    """Load a module and its submodules, and note what does not fit."""
    local = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local, True, keys.missing_keys, keys.unexpected_keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            path = f"{prefix}{name}."
            _load(child, {k: v for k, v in state.items() if k.startswith(path)}, path, metadata, assign, keys, errors)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(texts.LOAD_HOOK_RETURNED)


show_as_torch(__name__, "funcgrad.torch.nn.modules.module")

"""`LazyModuleMixin`: modules that find the sizes of their parameters when they see data for the first time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.parameter import is_lazy
from funcgrad.torch.texts import modules as texts

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A base class in front of `Module`, for modules with uninitialized parameters.

    A subclass has a method `initialize_parameters`, which is called with the arguments of the first call and gives the
    parameters their sizes; then the module becomes one of `cls_to_become`.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.LazyLinear(3)
        >>> layer.weight
        <UninitializedParameter>
        >>> _ = layer(torch.ones(4, 2))
        >>> layer
        Linear(in_features=2, out_features=3, bias=True)
    """

    cls_to_become: Any = None
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _register_load_state_dict_pre_hook: Callable
    register_forward_pre_hook: Callable
    _get_name: Callable

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _held(self) -> Any:
        return chain(self._parameters.items(), self._buffers.items())

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, t in self._held():
            if t is not None and not (name in self._buffers and name in self._non_persistent_buffers_set):
                destination[prefix + name] = t if is_lazy(t) or keep_vars else t.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *details: Any) -> None:
        """Give parameters the sizes of what is about to be loaded into them."""
        for name, t in self._held():
            found = state_dict.get(prefix + name)
            if is_lazy(t) and found is not None and not is_lazy(found):
                with no_grad():
                    t.materialize(found.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their sizes, and values to start with.

        Arguments:
            *args, **kwargs: those that the module is called with.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether there are parameters or buffers without a size."""
        return any(is_lazy(t) for _, t in self._held())

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict[str, Any] | None = None) -> None:
        """The hook that comes before the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> Any:
        raise RuntimeError(texts.LAZY_PARALLEL)


show_as_torch(__name__)
publish(__name__)

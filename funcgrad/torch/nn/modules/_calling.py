"""What happens when a module is called: its hooks, and its forward between them."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.nn.modules import _hooks
from funcgrad.torch.nn.modules._hooks import (
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
)
from funcgrad.torch.tensor.journal import enter, journal
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts
from funcgrad.torch.utils.hooks import BackwardHook


class _WrappedHook:
    """A hook that is called with the module in front, which it does not keep alive."""

    def __init__(self, hook: Callable, module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def _wrapped_call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Call forward, and the hooks around it."""
    if self._compiled_call_impl is not None:
        return self._compiled_call_impl(*args, **kwargs)
    if not journal.on:
        return self._call_impl(*args, **kwargs)
    around = state.modules
    state.modules = journal.running = enter(self)
    try:
        return self._call_impl(*args, **kwargs)
    finally:
        state.modules = journal.running = around


def _call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
    if not (
        self._backward_hooks
        or self._backward_pre_hooks
        or self._forward_hooks
        or self._forward_pre_hooks
        or _global_backward_pre_hooks
        or _global_backward_hooks
        or _global_forward_hooks
        or _global_forward_pre_hooks
    ):
        return self.forward(*args, **kwargs)
    call = _Call(self, args, kwargs)
    if state.modules is not None:  # the lines in hooks are their own
        state.modules = (*state.modules[:3], None, 0)
    try:
        return call.run()
    except Exception:  # of the user's module or of a hook; it goes on below
        call.run_those_always_called()
        raise


class _Call:
    """One call of a module that has hooks.

    Attributes:
        result: what forward gave, or a hook in its place; None before.
        called: the numbers of the hooks with always_call=True that were called.
    """

    def __init__(self, module: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        """Call the hooks and forward; gives the result."""
        module = self.module
        pre_hooks = [*_global_backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        full, last_only = backward_hooks(module)
        self._run_pre_hooks()
        around = BackwardHook(module, full, pre_hooks) if full or pre_hooks else None
        if around is not None:
            self.args = around.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for number, hook in [*_global_forward_hooks.items(), *module._forward_hooks.items()]:
            self._run_hook(number, hook)
        if around is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn(texts.OUTPUT_FOR_HOOKS.format(kind=type(self.result)), stacklevel=5)
            self.result = around.setup_output_hook(self.result)
        if last_only:
            self._register_with_last(last_only)
        return self.result

    def _run_pre_hooks(self) -> None:
        module = self.module
        for number, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if number in module._forward_pre_hooks_with_kwargs:
                found = hook(module, self.args, self.kwargs)
                if found is not None:
                    if not (isinstance(found, tuple) and len(found) == 2):
                        raise RuntimeError(texts.PRE_HOOK_RETURNED.format(found=found))
                    self.args, self.kwargs = found
            else:
                found = hook(module, self.args)
                if found is not None:
                    self.args = found if isinstance(found, tuple) else (found,)

    def _run_hook(self, number: int, hook: Callable) -> None:
        module = self.module
        if number in module._forward_hooks_always_called or number in _global_forward_hooks_always_called:
            self.called.add(number)
        if number in module._forward_hooks_with_kwargs or number in _global_forward_hooks_with_kwargs:
            found = hook(module, self.args, self.kwargs, self.result)
        else:
            found = hook(module, self.args, self.result)
        if found is not None:
            self.result = found

    def run_those_always_called(self) -> None:
        """After an error: call the hooks with always_call=True that were not called yet."""
        module = self.module
        for hooks, always, silenced in (
            (_global_forward_hooks, _global_forward_hooks_always_called, texts.SILENCED_GLOBAL),
            (module._forward_hooks, module._forward_hooks_always_called, texts.SILENCED),
        ):
            for number, hook in hooks.items():
                if number in always and number not in self.called:
                    try:
                        self._run_hook(number, hook)
                    except Exception as error:  # of any kind: that of the call itself is the one to be seen
                        warnings.warn(silenced.format(error=error), stacklevel=4)

    def _register_with_last(self, hooks: list[Callable]) -> None:
        """Register hooks of the old kind with the node of the result."""
        grad_fn = _first_tensor(self.result).grad_fn
        if grad_fn is not None:
            for hook in hooks:
                grad_fn.register_hook(_WrappedHook(hook, self.module))
            _warn_of_what_is_missed(self.args, self.result, grad_fn)


def backward_hooks(module: Any) -> tuple[list[Callable], list[Callable]]:
    """The backward hooks that see all gradients of a module, and those of the old kind."""
    found: dict[Any, list[Callable]] = {True: [], False: [], None: []}
    found[_hooks._Global.full] += _global_backward_hooks.values()
    found[module._is_full_backward_hook] += module._backward_hooks.values()
    return found[True], found[False]


def _first_tensor(result: Any) -> Tensor:
    """The first tensor in a result."""
    while not isinstance(result, Tensor):
        if isinstance(result, dict):
            result = next(v for v in result.values() if isinstance(v, Tensor))
        else:
            result = result[0]
    return result


def _as_tensors(values: Any) -> tuple | None:
    """A tensor or a tuple of tensors as a tuple; None if it is something else."""
    if isinstance(values, Tensor):
        return (values,)
    if isinstance(values, tuple) and all(isinstance(v, Tensor) for v in values):
        return values
    return None


def _warn_of_what_is_missed(inputs: Any, result: Any, grad_fn: Any) -> None:
    """Warn if backward hooks of the old kind, registered with one node, do not see all gradients of a module."""
    results, inputs = _as_tensors(result), _as_tensors(inputs)
    if results is None:
        text = texts.OUTPUT_NOT_TENSORS
    elif inputs is None:
        text = texts.INPUT_NOT_TENSORS
    else:
        nodes = {t.grad_fn for t in results if t.grad_fn is not None}
        before = {t.grad_fn for t in inputs if t.grad_fn is not None}
        if len(nodes) == 0 or (len(nodes) == 1 and grad_fn not in nodes):
            text = texts.NESTED_OUTPUTS
        elif len(nodes) > 1:
            text = texts.SEVERAL_OUTPUT_NODES
        elif before != {n[0] for n in grad_fn.next_functions}:
            text = texts.SEVERAL_NODES
        else:
            return
    warnings.warn(text, FutureWarning, stacklevel=6)

"""`BackwardHook`: how a module's hooks see the gradients of its arguments and of its results.

Arguments and results are led through an operation that does nothing, `BackwardHookFunction`; the hooks of its nodes
are where the backward walk enters the module and leaves it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.torch.autograd.function import Function
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts


class BackwardHookFunction(Function):
    """Gives its arguments back; its node takes the hooks."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The arguments themselves."""
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """The gradients themselves."""
        return args


BackwardHookFunction.__module__ = "torch.nn.modules._functions"


class BackwardHook:
    """The hooks of one call of a module.

    Arguments:
        module: the module, which the hooks are given.
        user_hooks: see the gradients of arguments and of results, and may replace the former.
        user_pre_hooks: see the gradients of results, and may replace them.
    """

    def __init__(self, module: Any, user_hooks: Sequence[Callable], user_pre_hooks: Sequence[Callable]) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs: Any = None
        self.n_outputs = self.n_inputs = -1
        self.output_tensors_index: Any = None
        self.input_tensors_index: Any = None

    def setup_input_hook(self, args: tuple) -> tuple:
        """The arguments of the module's forward, of which the hooks will see the gradients."""
        found, self.input_tensors_index = _led_through(self._watch_inputs, args)
        self.n_inputs = len(args)
        return found

    def setup_output_hook(self, args: Any) -> Any:
        """The results of the module's forward, of which the hooks will see the gradients."""
        outputs = args if isinstance(args, tuple) else (args,)
        found, self.output_tensors_index = _led_through(self._watch_outputs, outputs)
        self.n_outputs = len(outputs)
        return found if isinstance(args, tuple) else found[0]

    def _watch_inputs(self, grad_fn: Any) -> None:
        def leave(grad_input: tuple, _: Any) -> Any:
            if self.grad_outputs is None:
                return None  # the gradients of the outputs were not asked for
            grads = _spread(self.input_tensors_index, grad_input, self.n_inputs)
            for hook in self.user_hooks:
                found = hook(self.module, grads, self.grad_outputs)
                if found is None:
                    continue
                if len(found) != len(grads):
                    raise RuntimeError(texts.HOOK_GRAD_INPUTS.format(n=len(found), wanted=len(grads)))
                grads = found
            self.grad_outputs = None
            return tuple([grads[i] for i in self.input_tensors_index])

        grad_fn.register_hook(leave)

    def _watch_outputs(self, grad_fn: Any) -> None:
        def enter(_: Any, grad_output: tuple) -> Any:
            grads = _spread(self.output_tensors_index, grad_output, self.n_outputs)
            self.grad_outputs = grads
            for hook in self.user_pre_hooks:
                found = hook(self.module, self.grad_outputs)
                if found is None:
                    continue
                if len(found) != len(grads):
                    raise RuntimeError(texts.HOOK_GRAD_OUTPUTS.format(n=len(found), wanted=len(grads)))
                self.grad_outputs = found
            grads = self.grad_outputs
            if self.input_tensors_index is None:
                self._call_without_inputs()
            return tuple([grads[i] for i in self.output_tensors_index])

        grad_fn.register_hook(enter)

    def _call_without_inputs(self) -> None:
        """Call the hooks where no argument requires grad."""
        warnings.warn(texts.HOOK_WITHOUT_INPUTS, stacklevel=5)
        nothing = (None,) * self.n_inputs
        for hook in self.user_hooks:
            found = hook(self.module, nothing, self.grad_outputs)
            if found is not None and not (isinstance(found, tuple) and all(g is None for g in found)):
                raise RuntimeError(texts.HOOK_REPLACED_NOTHING)
        self.grad_outputs = None


def _spread(indices: Sequence[int], values: Sequence[Any], size: int) -> tuple:
    """The values at their places, and None at the others."""
    found: list = [None] * size
    for i, value in zip(indices, values, strict=True):
        found[i] = value
    return tuple(found)


def _led_through(watch: Callable, args: tuple) -> tuple[Any, list[int] | None]:
    """The arguments, the tensors among them led through a node that is watched; and their places.

    Where nothing is recorded, the arguments as they are and None.
    """
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    if not state.grad or not any(args[i].requires_grad for i in places):
        return args, None
    tensors = BackwardHookFunction.apply(*[args[i] for i in places])
    watch(next(t.grad_fn for t in tensors if t.requires_grad))
    found = list(args)
    for i, t in zip(places, tensors, strict=True):
        found[i] = t
    return (tuple(found) if type(args) is tuple else type(args)(*found)), places

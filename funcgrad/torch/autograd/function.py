"""`torch.autograd.Function`: operations with a backward of one's own."""

from __future__ import annotations

import inspect
import itertools
import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.autograd.apply_function import apply_function
from funcgrad.torch.autograd.function_context import BackwardCFunction, FunctionCtx
from funcgrad.torch.autograd.function_context import _ContextMethodMixin as _ContextMethodMixin
from funcgrad.torch.autograd.function_node import FunctionNode
from funcgrad.torch.autograd.once_differentiable import once_differentiable as once_differentiable
from funcgrad.torch.autograd.unwritten import Unwritten
from funcgrad.torch.texts import custom_functions as texts

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]

_numbers = itertools.count()


class FunctionMeta(type):
    """Gives each Function the classes of its ctx and of its nodes."""

    _backward_cls: type
    _ctx_cls: type

    def __init__(cls, name: str, bases: tuple, attrs: dict) -> None:
        title = name + "Backward"
        shown = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        cls._ctx_cls = type(title, (BackwardCFunction,), {**shown, "_autograd_function_id": next(_numbers)})
        cls._backward_cls = type(title, (FunctionNode,), {**shown, "title": title})
        super().__init__(name, bases, attrs)


class Function(Unwritten, FunctionCtx, metaclass=FunctionMeta):
    """Base class of operations that bring their own derivatives; call them with `apply`.

    Example:
        >>> from funcgrad import torch
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return g * (x + x)
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> Square.apply(x)
        tensor(9., grad_fn=<SquareBackward>)
    """

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(texts.INSTANTIATED.format(kind=self.__class__), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(texts.NON_STATIC)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_NODES:
            raise RuntimeError(texts.LEGACY_ATTRIBUTE.format(name=name))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the operation."""
        separate = cls.setup_context is not Unwritten.setup_context
        if separate:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        return apply_function(cls, args, kwargs, separate)

    @staticmethod
    def _compiled_autograd_key(ctx: Any) -> tuple:
        return (ctx._autograd_function_id,)


_OF_NODES = frozenset(
    (
        "_input_metadata",
        "_raw_saved_tensors",
        "_sequence_nr",
        "_set_sequence_nr",
        "dirty_tensors",
        "metadata",
        "name",
        "needs_input_grad",
        "next_functions",
        "non_differentiable",
        "register_hook",
        "register_prehook",
        "requires_grad",
        "saved_for_forward",
        "saved_tensors",
        "saved_variables",
        "to_save",
    )
)


class InplaceFunction(Function):
    """Kept for old programs; use Function."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Kept for old programs; use Function."""

    def forward_extended(self, *input: Any) -> None:
        """What the author of such a Function wrote."""
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        """What the author of such a Function wrote."""
        raise NotImplementedError


publish(__name__)

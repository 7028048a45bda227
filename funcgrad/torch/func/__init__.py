"""`torch.func`: the transforms of the functional face applied to functions of tensors.

Inside a transform a tensor's value is a tracer of the functional face, so every operation goes through the primitives'
own rules; a tensor that requires grad takes part as itself, and its history is kept. Pytrees of tensors go in and out.
https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.func.arrays import as_function, on_arrays
from funcgrad.torch.func.gradients import grad, grad_and_value, vjp
from funcgrad.torch.func.jacobian import hessian, jacfwd, jacrev
from funcgrad.torch.func.leaving import unwrapped
from funcgrad.torch.func.linearization import linearize
from funcgrad.torch.func.modules import functional_call, stack_module_state
from funcgrad.torch.func.pushforward import jvp
from funcgrad.torch.func.vmap import vmap
from funcgrad.torch.tensor.levels import wrapping
from funcgrad.torch.texts import func as texts

__all__ = [
    "as_function",
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "on_arrays",
    "stack_module_state",
    "vjp",
    "vmap",
]


def functionalize(func: Callable, *, remove: str = "mutations") -> Callable:
    """func itself: what it writes in place is followed by every transform anyway.

    Arguments:
        func: a function of tensors.
        remove: "mutations" or "mutations_and_views".
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(texts.FUNCTIONALIZE_REMOVES.format(remove=remove))
    return func


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """What is inside of a tensor that transforms wrap, to look at in a debugger.

    Arguments:
        tensor: a tensor, inside a function that is being transformed.
        recurse: whether all wrappers are taken off, or only that of the innermost transform.

    Returns:
        A tensor with the values, the whole batch under vmap; the tensor itself if nothing wraps it.

    Example:
        >>> from funcgrad import torch
        >>> def f(x):
        ...     print(torch.func.debug_unwrap(x))
        ...     return x.sum()
        >>> torch.func.vmap(f)(torch.ones(2, 3))
        tensor([[1., 1., 1.],
                [1., 1., 1.]])
        tensor([3., 3.])
    """
    wrappers = wrapping(tensor)
    for level in reversed(wrappers if recurse else wrappers[-1:]):
        tensor = unwrapped(tensor, level)
    return tensor


publish(__name__)

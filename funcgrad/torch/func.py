"""`torch.func`: the transforms of the functional face applied to functions of tensors.

Inside a transform a tensor's value is a tracer of the functional face, so every operation goes through the primitives'
own rules; a tensor that requires grad takes part as itself, and its history is kept. Pytrees of tensors go in and out.
https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.gradients import grad, grad_and_value, vjp
from funcgrad.torch.jacobian import hessian, jacfwd, jacrev
from funcgrad.torch.pushforward import jvp, linearize
from funcgrad.torch.vmap import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
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
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )
    return func


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Refused: there are no modules here, whose parameters could be replaced.

    Raises:
        TypeError: always; it says what to do instead.
    """
    raise TypeError(
        f"functional_call(): argument 'module' (position 1) must be a torch.nn.Module, not {type(module).__name__}; "
        "funcgrad.torch has no modules. Write the model as a function of its parameters, f(params, x): grad, vmap and "
        "the others take such functions, and params may be a dict of tensors"
    )

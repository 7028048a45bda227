"""`hvp`: a Hessian times a vector, without the Hessian."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.transforms.grad import grad
from funcgrad.transforms.jvp import jvp


def hvp(f: Callable, primals: tuple, tangents: tuple) -> PyTree:
    """The product of the Hessian of a scalar function and a vector: forward mode over reverse mode.

    It costs a few evaluations of f, whatever the number of elements; the Hessian itself is never made.

    Arguments:
        f: a function of pytrees of arrays whose result is a real scalar.
        primals: the tuple (or list) of its arguments.
        tangents: the vector, a tuple like primals: the same structure, shapes and dtypes.

    Returns:
        The derivative of the gradient of f in the direction of tangents: for one argument a pytree like it, for several
        a tuple with one for each.

    Raises:
        ShapeError: the value of f is not a scalar, or a tangent has another shape than its primal.
        TreeError: tangents of another structure than primals.
        ArgumentError: an argument or the value has a dtype without gradients.

    Example:
        >>> x, v = fnp.array([3.0, 5.0]), fnp.array([1.0, 0.0])
        >>> fg.hvp(lambda x: x[0] ** 2 * x[1], (x,), (v,))
        Array([10.,  6.], dtype=float64)

    Source: Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6 (1994).
    """
    if not isinstance(primals, (tuple, list)) or not primals:
        raise ArgumentError(
            f"hvp takes the arguments of the function and the vector as tuples, hvp(f, (x,), (v,)); got primals "
            f"{primals!r}"
        )
    argnums: Any = 0 if len(primals) == 1 else range(len(primals))
    return jvp(grad(f, argnums), primals, tangents)[1]

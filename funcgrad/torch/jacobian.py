"""`jacrev`, `jacfwd` and `hessian` of torch.func: all rows, or columns, of a Jacobian at once, by vmap over a basis."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.core import tree
from funcgrad.torch.gradients import vjp
from funcgrad.torch.pushforward import jvp
from funcgrad.torch.pytrees import of_picked, picked
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.vmap import vmap


def jacrev(func: Callable, argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Callable:  # fmt: skip  # noqa: E501
    """A function that gives the Jacobian of `func`, all rows at once, in reverse mode.

    Arguments:
        func: a function of tensors.
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair (result, aux).
        chunk_size: how many rows are computed at a time, at least 1; by default all.

    Returns:
        A function that gives, for each result and each argument, a tensor of shape (*result.shape, *argument.shape).

    Example:
        >>> from funcgrad import torch
        >>> torch.func.jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        numbers, chosen = picked(args, argnums)
        out, pull, *aux = vjp(of_picked(func, numbers, args, kwargs), *chosen, has_aux=has_aux)
        outs, structure = tree.flatten(out)
        xs, in_structure = tree.flatten(chosen)
        _check_real("jacrev", xs, "inputs")
        _check_real("jacrev", outs, "outputs")
        rows = tree.leaves(vmap(pull, chunk_size=chunk_size)(structure.unflatten(basis(outs))))
        found = []
        for parts in split_rows(rows, outs, xs):
            jacobian = in_structure.unflatten(parts)
            found.append(jacobian[0] if isinstance(argnums, int) else jacobian)
        result = structure.unflatten(found)
        return (result, aux[0]) if has_aux else result

    return wrapper


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """A function that gives the Jacobian of `func`, all columns at once, in forward mode.

    Arguments:
        func: a function of tensors.
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair (result, aux).
        randomness: how random numbers behave between columns ("error", "same" or "different").

    Returns:
        A function that gives, for each result and each argument, a tensor of shape (*result.shape, *argument.shape).
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        numbers, chosen = picked(args, argnums)
        f = of_picked(func, numbers, args, kwargs)
        xs, in_structure = tree.flatten(chosen)
        _check_real("jacfwd", xs, "inputs")

        def push(direction: Any) -> tuple:
            out, tangent, *aux = jvp(f, chosen, direction, has_aux=has_aux)
            return tangent, (out, *aux)

        columns, (out, *aux) = vmap(push, randomness=randomness, out_dims=(0, None))(in_structure.unflatten(basis(xs)))
        outs, structure = tree.flatten(out)
        _check_real("jacfwd", outs, "outputs")
        found = []
        for column, o in zip(tree.leaves(columns), outs, strict=True):
            column, start = column.movedim(0, -1), 0
            parts = []
            for x in xs:
                parts.append(column.narrow(-1, start, x.numel()).contiguous().view((*o.shape, *x.shape)))
                start += x.numel()
            jacobian = in_structure.unflatten(parts)
            found.append(jacobian[0] if isinstance(argnums, int) else jacobian)
        result = structure.unflatten(found)
        return (result, aux[0]) if has_aux else result

    return wrapper


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """A function that gives the matrix of second derivatives of `func`: forward mode over reverse mode.

    Arguments:
        func: a function of tensors.
        argnums: with respect to which positional arguments, an int or a tuple of ints.
    """
    return jacfwd(jacrev(func, argnums), argnums)


def basis(xs: list[Tensor]) -> list[Tensor]:
    """The unit vectors of the space of all elements of xs, along a new dimension in front."""
    total, start, found = sum([x.numel() for x in xs]), 0, []
    for x in xs:
        n = x.numel()
        part = x.new_zeros((total, n))
        part.diagonal(-start).fill_(1)
        found.append(part.view((total, *x.shape)))
        start += n
    return found


def split_rows(rows: list, outs: list, xs: list) -> list[list]:
    """Gradients for a basis of outs as Jacobians: for each of outs one for each of xs.

    Arguments:
        rows: for each of xs the gradients, along a dimension in front.
    """
    found, start = [], 0
    for o in outs:
        n = o.numel()
        found.append([r.narrow(0, start, n).view((*o.shape, *x.shape)) for r, x in zip(rows, xs, strict=True)])
        start += n
    return found


def _check_real(name: str, tensors: list, which: str) -> None:
    for k, x in enumerate(tensors):
        if isinstance(x, Tensor) and x.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {which} to be real but received complex tensor at flattened input idx: {k}"
            )

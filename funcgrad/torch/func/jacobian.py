"""`jacrev`, `jacfwd` and `hessian` of torch.func: all rows, or columns, of a Jacobian at once, by vmap over a basis."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.treespec import TreeSpec, flatten, leaves, tree_map
from funcgrad.torch.func.checks import picked
from funcgrad.torch.func.gradients import vjp_of
from funcgrad.torch.func.pushforward import jvp_of
from funcgrad.torch.func.vmap import vmap
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import func as texts


def jacrev(
    func: Callable,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable:
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
    def wrapper_fn(*args: Any) -> Any:
        _check_real("jacrev", args, "inputs")
        numbers = picked(args, argnums)
        out, pull, *aux = vjp_of(func, args, numbers, has_aux)
        outs, structure = flatten(out)
        xs, in_structure = flatten(tuple([args[n] for n in numbers]))
        _check_real("jacrev", outs, "outputs")
        found = []
        for parts in split_rows(_rows(pull, outs, structure, chunk_size), outs, xs):
            jacobian = in_structure.unflatten(parts)
            found.append(jacobian[0] if isinstance(argnums, int) else jacobian)
        result = structure.unflatten(found)
        return (result, aux[0]) if has_aux else result

    return wrapper_fn


def _rows(pull: Callable, outs: list, structure: TreeSpec, chunk_size: int | None) -> list:
    """For each argument what `pull` makes of the unit vectors of outs, so many of them at a time."""
    total = sum([o.numel() for o in outs])
    chunks = []
    for start in range(0, max(total, 1), chunk_size or max(total, 1)):
        vectors = basis(outs, start, total if chunk_size is None else min(chunk_size, total - start))
        if chunk_size == 1:  # as a loop over the rows would do it, without what vmap forbids
            row = leaves(pull(structure.unflatten([v.squeeze(0) for v in vectors])))
            chunks.append([r.unsqueeze(0) for r in row])
        else:
            chunks.append(leaves(vmap(pull)(structure.unflatten(vectors))))
    return chunks[0] if len(chunks) == 1 else [cat(list(c), 0) for c in zip(*chunks, strict=True)]


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
    def wrapper_fn(*args: Any) -> Any:
        _check_real("jacfwd", args, "inputs")
        numbers = picked(args, argnums)
        xs, in_structure = flatten(tuple([args[n] for n in numbers]))

        def push(direction: Any) -> Any:
            out, tangent, *aux = jvp_of(func, args, direction, numbers, has_aux)
            _check_real("jacfwd", out, "outputs")
            return (tangent, aux[0]) if has_aux else tangent

        columns = vmap(push, randomness=randomness)(in_structure.unflatten(basis(xs)))
        if has_aux:
            columns, aux = columns
            aux = tree_map(lambda x: x[0], aux)
        columns, structure = flatten(columns)
        found = []
        for column in columns:
            columns_of = column.movedim(0, -1).split([x.numel() for x in xs], -1)
            parts = [
                part.unflatten(-1, x.shape) if x.ndim else part.squeeze(-1)
                for part, x in zip(columns_of, xs, strict=True)
            ]
            jacobian = in_structure.unflatten(parts)
            found.append(jacobian[0] if isinstance(argnums, int) else jacobian)
        result = structure.unflatten(found)
        return (result, aux) if has_aux else result

    return wrapper_fn


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """A function that gives the matrix of second derivatives of `func`: forward mode over reverse mode.

    Arguments:
        func: a function of tensors.
        argnums: with respect to which positional arguments, an int or a tuple of ints.
    """
    return jacfwd(jacrev(func, argnums), argnums)


def basis(xs: list[Tensor], first: int = 0, count: int | None = None) -> list[Tensor]:
    """Unit vectors of the space of all elements of xs, along a new dimension in front.

    Arguments:
        first, count: which of them; by default all.
    """
    total = sum([x.numel() for x in xs]) if count is None else count
    start, found = -first, []
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
    rows_of = zip(*[r.split([o.numel() for o in outs], 0) for r in rows], strict=True)
    return [
        [r.view((*o.shape, *x.shape)) for r, x in zip(parts, xs, strict=True)]
        for parts, o in zip(rows_of, outs, strict=True)
    ]


def _check_real(name: str, values: Any, which: str) -> None:
    for k, x in enumerate(leaves(values)):
        if isinstance(x, Tensor) and x.is_complex():
            raise RuntimeError(texts.NOT_REAL.format(name=name, which=which, k=k))

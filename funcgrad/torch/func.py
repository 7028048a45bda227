"""`torch.func`: the transforms of the functional face applied to functions of tensors.

Inside a transform a tensor's value is a tracer of the functional face, so every operation goes through the primitives'
own rules; a tensor that requires grad takes part as itself, and its history is kept. Pytrees of tensors go in and out.
https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.torch.modes import enable_grad, state
from funcgrad.torch.operation import (
    GraphTracer,
    raw,
    requires,
    tensor_of,
    without_innermost_gradient,
    wrapped,
)
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.vmap import vmap
from funcgrad.transforms.jvp import jvp as core_jvp
from funcgrad.transforms.vjp import record

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]


def _value(x: Any) -> Any:
    """What the functional face sees of a tensor."""
    value = raw(x)
    if isinstance(value, Array):
        return value if state.grad else without_innermost_gradient([value])[0]
    return GraphTracer.of(x, value) if state.grad and requires(x) else value


def _values(outputs: Any) -> Any:
    def value(t: Any) -> Any:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")
        return _value(t)

    return tree.map(value, outputs)


def _enter() -> None:
    """What no transform allows."""
    if state.pack_hooks:
        raise RuntimeError(
            "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with "
            "your use case."
        )


def _tensors(values: Any) -> Any:
    """Arrays of the functional face as tensors."""
    return tree.map(lambda v: tensor_of(v) if isinstance(v, (Array, np.ndarray, np.generic)) else v, values)


def _split(args: tuple, argnums: Any) -> tuple[tuple, tuple]:
    """The positions that are differentiated, counted from the front, and the arguments there."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    for n in numbers:
        if not isinstance(n, int):
            raise RuntimeError(f"argnums elements must be int, got {type(n)}")
    found = []
    for n in numbers:
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
        found.append(n % len(args))
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {argnums!r}")
    return tuple(found), tuple(args[n] for n in found)


def _check_leaves(leaves: list, name: str, what: str) -> None:
    for x in leaves:
        if not isinstance(x, Tensor):
            raise ValueError(f"{name}: Expected {what} to be a tensor, got {type(x)}")


def _aux_pair(out: Any, name: str) -> tuple:
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return out


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func` and its value.

    Arguments:
        func: a function with a scalar result; with has_aux it returns a pair (result, aux).
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair.

    Returns:
        A function that gives `(gradient, value)`, or `(gradient, (value, aux))`.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _enter()
        numbers, chosen = _split(args, argnums)
        leaves, structure = tree.flatten(chosen)
        _check_leaves(leaves, "grad_and_value(f, argnums)(*args)", "all differentiated arguments")

        def f(*chosen_: Any) -> Any:
            replaced = list(args)
            for n, x in zip(numbers, chosen_, strict=True):
                replaced[n] = tree.map(wrapped, x)
            with enable_grad():
                out = func(*replaced, **kwargs)
            aux = None
            if has_aux:
                out, aux = _aux_pair(out, "grad_and_value(f)(*args)")
            if not isinstance(out, Tensor):
                raise RuntimeError(
                    "Expected the differentiated function to return a single tensor, but it returned "
                    f"{type(out)}"
                    if not has_aux
                    else f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got {type(out)}"
                )
            if out.ndim:
                raise RuntimeError(
                    f"Expected f(*args) to return a scalar tensor, got tensor with {out.ndim} dims. Maybe you wanted to "
                    "use the vjp or jacrev APIs instead?"
                )
            with enable_grad():  # what no_grad outside is about are the arguments
                return _value(out), _values(aux)

        value, pullback, aux = record(f, [_value(x) for x in leaves], structure, True, "grad")
        output = pullback.outputs[0][0]
        seeds = {} if output is None else {output: np.ones((), output.dtype)}
        gradients = structure.unflatten([tensor_of(g) for g in pullback.pull(seeds)])
        result = gradients[0] if isinstance(argnums, int) else gradients
        value = _tensors(value)
        return (result, (value, _tensors(aux))) if has_aux else (result, value)

    return wrapper


def grad(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func`, which has a scalar result.

    Arguments:
        func: a function with a scalar result; with has_aux it returns a pair (result, aux).
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair.

    Returns:
        A function that gives the gradient, or `(gradient, aux)`.

    Example:
        >>> from funcgrad import torch
        >>> torch.func.grad(lambda x: x**3)(torch.tensor(2.0))
        tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """The value of `func` and a function from cotangents of it to cotangents of primals.

    Arguments:
        func: a function of pytrees of tensors that returns one.
        primals: its arguments.
        has_aux: whether func returns a pair (result, aux).

    Returns:
        `(result, vjp_fn)` or `(result, vjp_fn, aux)`; vjp_fn gives a tuple with the cotangent of each primal.
    """
    _enter()
    leaves, structure = tree.flatten(primals)
    _check_leaves(leaves, "vjp(f, *primals)", "all primals")

    def f(*xs: Any) -> Any:
        with enable_grad():
            out = func(*tree.map(wrapped, xs))
            if not has_aux:
                return _values(_checked_output(out, "vjp(f, *primals)")), None
            out, aux = _aux_pair(out, "vjp(f, *primals)")
            return _values(_checked_output(out, "vjp(f, *primals)")), _values(aux)

    value, pullback, aux = record(f, [_value(x) for x in leaves], structure, True, "vjp")

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, ct_tree = tree.flatten(cotangents)
        if ct_tree != pullback.out_tree:
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {ct_tree}, primal output: {pullback.out_tree}"
            )
        seeds: dict = {}
        for (e, _), ct in zip(pullback.outputs, given, strict=True):
            if e is not None:
                seeds[e] = seeds[e] + _value(ct) if e in seeds else _value(ct)
        return structure.unflatten([tensor_of(g) for g in pullback.pull(seeds)])

    result = _tensors(value)
    return (result, vjp_fn, _tensors(aux)) if has_aux else (result, vjp_fn)


def _checked_output(out: Any, name: str) -> Any:
    leaves = tree.leaves(out)
    if not leaves:
        raise RuntimeError(f"{name}: Expected f to be a function that has non-empty output (got output = {out})")
    for o in leaves:
        if not isinstance(o, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(o)}"
            )
    return out


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """The value of `func` and its derivative in the direction of tangents.

    Arguments:
        func: a function of tensors.
        primals: the tuple of its arguments.
        tangents: a tuple like primals.
        strict: refuse a result that does not depend on primals.
        has_aux: whether func returns a pair (result, aux).

    Returns:
        `(result, tangent)` or `(result, tangent, aux)`.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")  # fmt: skip  # noqa: E501
    leaves, structure = tree.flatten(primals)
    given, t_structure = tree.flatten(tangents)
    if structure != t_structure:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {} and tangents with structure {}".format(structure, t_structure))  # fmt: skip  # noqa: E501
    if not leaves:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    for x, name in [(x, "primals") for x in leaves] + [(t, "tangents") for t in given]:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got unsupported type {type(x)}")  # fmt: skip  # noqa: E501
    for p, t in zip(leaves, given, strict=True):
        if p.shape != t.shape:
            raise RuntimeError(f"jvp(f, primals, tangents): Expected primal and tangent to have the same shape, got {p.shape} and {t.shape}")  # fmt: skip  # noqa: E501

    def f(*xs: Any) -> Any:
        out = func(*tree.map(wrapped, structure.unflatten(xs)))
        if not has_aux:
            return _values(_checked_output(out, "jvp(f, primals, tangents)")), None
        out, aux = _aux_pair(out, "jvp(f, primals, tangents)")
        return _values(_checked_output(out, "jvp(f, primals, tangents)")), _values(aux)

    with np.errstate(all="ignore"):
        value, tangent, aux = core_jvp(
            f, tuple(_value(x) for x in leaves), tuple(_value(t) for t in given), has_aux=True
        )
    result, derivative = _tensors(value), _tensors(tangent)
    return (result, derivative, _tensors(aux)) if has_aux else (result, derivative)


def linearize(func: Callable, *primals: Any) -> tuple:
    """The value of `func` and a function from tangents of primals to the tangent of the value."""
    leaves, _ = tree.flatten(primals)
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"linearize(f, *primals): Expected all primals to be tensors, got {type(x)}")
    value = func(*primals)

    def jvp_fn(*tangents: Any) -> Any:
        given, structure = tree.flatten(tangents)
        if structure != tree.structure(primals):
            raise RuntimeError(
                f"Expected the tangents {structure} to have the same argspec as the primals {tree.structure(primals)}"
            )
        for p, t in zip(leaves, given, strict=True):
            if p.shape != t.shape or p.dtype is not t.dtype:
                raise RuntimeError(
                    f"Expected the tangent to have shape {p.shape} and dtype {p.dtype}, got {t.shape} and {t.dtype}"
                )
        return jvp(func, primals, tangents)[1]

    return value, jvp_fn


def jacrev(func: Callable, argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Callable:  # fmt: skip  # noqa: E501
    """A function that gives the Jacobian of `func`, row by row, in reverse mode.

    Arguments:
        func: a function of tensors.
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair (result, aux).
        chunk_size: how many rows are computed at a time, at least 1.

    Returns:
        A function that gives, for each result and each argument, a tensor of shape (*result.shape, *argument.shape).
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        numbers, chosen = _split(args, argnums)

        def f(*chosen_: Any) -> Any:
            replaced = list(args)
            for n, x in zip(numbers, chosen_, strict=True):
                replaced[n] = x
            return func(*replaced, **kwargs)

        out, pull, *aux = vjp(f, *chosen, has_aux=has_aux)
        leaves, structure = tree.flatten(out)
        in_leaves, in_structure = tree.flatten(chosen)
        rows: list[list[list[Tensor]]] = []
        for k, leaf in enumerate(leaves):
            found: list[list[Tensor]] = [[] for _ in in_leaves]
            for i in range(leaf.numel()):
                seeds = [x.new_zeros(x.shape) for x in leaves]
                seeds[k].view(-1)[i] = 1
                got = pull(structure.unflatten(seeds))
                for column, g in zip(found, tree.leaves(got), strict=True):
                    column.append(g)
            rows.append(found)
        jacobians = [
            in_structure.unflatten([_stacked(gs, leaf, x) for gs, x in zip(found, in_leaves, strict=True)])
            for found, leaf in zip(rows, leaves, strict=True)
        ]
        picked = [j[0] if isinstance(argnums, int) else j for j in jacobians]
        result = structure.unflatten(picked)
        return (result, aux[0]) if has_aux else result

    return wrapper


def _stacked(rows: list, out: Tensor, x: Tensor) -> Tensor:
    """Rows of a Jacobian as a tensor of shape (*out.shape, *x.shape)."""
    from funcgrad.torch.declare import exports

    if not rows:
        return x.new_zeros((*out.shape, *x.shape))
    return exports["stack"](rows).reshape((*out.shape, *x.shape))


def jacfwd(func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """A function that gives the Jacobian of `func`, column by column, in forward mode.

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
        numbers, chosen = _split(args, argnums)

        def f(*chosen_: Any) -> Any:
            replaced = list(args)
            for n, x in zip(numbers, chosen_, strict=True):
                replaced[n] = x
            return func(*replaced, **kwargs)

        in_leaves, in_structure = tree.flatten(chosen)
        aux: Any = None
        columns: list[list[list[Tensor]]] = []
        out_leaves, structure = None, None
        for k, leaf in enumerate(in_leaves):
            found: list[list[Tensor]] = []
            for i in range(leaf.numel()):
                directions = [x.new_zeros(x.shape) for x in in_leaves]
                directions[k].view(-1)[i] = 1
                out, tangent, *rest = jvp(f, chosen, in_structure.unflatten(directions), has_aux=has_aux)
                aux = rest[0] if rest else None
                out_leaves, structure = tree.flatten(out)
                found.append(tree.leaves(tangent))
            columns.append(found)
        if structure is None or out_leaves is None:
            raise RuntimeError("jacfwd: expected an input with at least one element")
        from funcgrad.torch.declare import exports

        jacobians = []
        for j, out_leaf in enumerate(out_leaves):
            parts = [
                exports["stack"]([column[j] for column in found], -1).reshape((*out_leaf.shape, *x.shape))
                for found, x in zip(columns, in_leaves, strict=True)
            ]
            jacobian = in_structure.unflatten(parts)
            jacobians.append(jacobian[0] if isinstance(argnums, int) else jacobian)
        result = structure.unflatten(jacobians)
        return (result, aux) if has_aux else result

    return wrapper


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """A function that gives the matrix of second derivatives of `func`: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)

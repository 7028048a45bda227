"""`grad`, `grad_and_value` and `vjp` of torch.func: reverse mode, on the functional face's `vjp`.

torch's gradient of a complex number is the conjugate of what the functional face gives; see `operation.conjugated`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.torch.levels import GRAD, Level, check_no_hooks
from funcgrad.torch.modes import state
from funcgrad.torch.operation import _conj, wrapped
from funcgrad.torch.pytrees import (
    checked_output,
    checked_primals,
    of_picked,
    picked,
    seen,
    shared,
    tensors,
    values,
    with_aux,
)
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.traced import Argument, node_name
from funcgrad.transforms.vjp import Pullback, record
from funcgrad.transforms.walk import walk


def _level(xs: list) -> Any:
    """The level of the transform that made these tracers; none is needed if there are no arguments."""
    return Level(GRAD, xs[0]._trace) if xs else nullcontext()


def _arguments(level: Any, xs: tuple, leaves: list) -> tuple:
    """The tracers of a level, in a pytree, as tensors that stand for these."""
    given = iter(leaves)

    def argument(x: Any) -> Tensor:
        t: Tensor = wrapped(x)
        t._argument = Argument(level, next(given))
        return t

    found: tuple = tree.map(argument, xs)
    return found


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
        check_no_hooks()
        numbers, chosen = picked(args, argnums)
        leaves, structure = tree.flatten(chosen, is_leaf=lambda x: x is None)
        checked_primals(leaves)
        inner = of_picked(func, numbers, args, kwargs)

        def f(*chosen_: Any) -> Any:
            with _level(tree.leaves(chosen_)) as level:
                out = inner(*_arguments(level, chosen_, leaves))
                aux = None
                if has_aux:
                    out, aux = with_aux(out, "grad_and_value(f)(*args)")
                _check_scalar(out)
                return values(out), values(aux) if has_aux else None

        value, pullback, aux = record(f, [seen(x) for x in leaves], structure, True, "grad")
        output = pullback.outputs[0][0]
        seeds = {} if output is None else {output: np.ones((), output.dtype)}
        gradients = structure.unflatten(_pulled(pullback, seeds))
        result = gradients[0] if isinstance(argnums, int) else gradients
        value = tensors(value)
        return (result, (value, tensors(aux))) if has_aux else (result, value)

    return wrapper


def _check_scalar(out: Any) -> None:
    where = "grad_and_value(f)(*args): Expected f(*args) to return a"
    if not isinstance(out, Tensor):
        raise RuntimeError(f"{where} Tensor, got {type(out)}")
    if out.ndim:
        raise RuntimeError(
            f"{where} scalar Tensor, got tensor with {out.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs "
            "instead?"
        )
    if out.is_complex():
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out.dtype}")


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

    Example:
        >>> from funcgrad import torch
        >>> y, pull = torch.func.vjp(torch.sin, torch.zeros(2))
        >>> pull(torch.tensor([1.0, 2.0]))
        (tensor([1., 2.]),)
    """
    check_no_hooks()
    name = "vjp(f, *primals)"
    leaves, structure = tree.flatten(primals, is_leaf=lambda x: x is None)
    checked_primals(leaves)

    def f(*xs: Any) -> Any:
        with _level(tree.leaves(xs)) as level:
            out, aux = func(*_arguments(level, xs, leaves)), None
            if has_aux:
                out, aux = with_aux(out, name)
            for o in tree.leaves(checked_output(out, name)):
                if o._value.dtype.kind in "iub":
                    raise RuntimeError(
                        "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with "
                        "dtype "
                        f"{o.dtype}"
                    )
            return values(out), values(aux) if has_aux else None

    value, pullback, aux = record(f, [seen(x) for x in leaves], structure, True, "vjp")
    result = tree.map(lambda t: shared(t, leaves), tensors(value))
    vjp_fn = _VjpFunction(pullback, structure)
    return (result, vjp_fn, tensors(aux)) if has_aux else (result, vjp_fn)


class _VjpFunction:
    """The second of what vjp gives: from cotangents of the result to cotangents of primals."""

    def __init__(self, pullback: Pullback, structure: Any) -> None:
        self.pullback, self.structure, self.freed = pullback, structure, False

    def __call__(self, cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        if self.freed:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
                "if you need to access saved tensors after calling backward."
            )
        given, ct_tree = tree.flatten(cotangents)
        if ct_tree != self.pullback.out_tree:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                "function. "
                f"cotangents: {_text(ct_tree)}, primal output: {_text(self.pullback.out_tree)}"
            )
        seeds: dict = {}
        for k, ((e, kind), ct) in enumerate(zip(self.pullback.outputs, given, strict=True)):
            if not isinstance(ct, Tensor):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(ct).__name__}")
            if ct._value.shape != kind.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{k}] has a shape of {ct.shape} and output[{k}] has a shape of "
                    f"torch.Size({list(kind.shape)})."
                )
            if e is not None:
                value = seen(ct) if ct._value.dtype == kind.dtype else seen(ct).astype(kind.dtype)
                value = _conj(value)
                seeds[e] = seeds[e] + value if e in seeds else value
        self.freed = not retain_graph
        return self.structure.unflatten(_pulled(self.pullback, seeds))


def _text(structure: Any) -> str:
    """A structure without the name around it."""
    return str(structure).removeprefix("PyTreeDef(").removesuffix(")")


def _pulled(pullback: Pullback, seeds: dict) -> list:
    """The cotangents of all primals, as tensors."""
    with np.errstate(all="ignore"):
        if state.anomaly and state.anomaly_nan:
            _look_for_nan(pullback, seeds)
        return tensors([_conj(g) for g in pullback.pull(seeds)])


def _look_for_nan(pullback: Pullback, cotangents: dict) -> None:
    """Do the backward walk equation by equation, looking for nan as anomaly detection does."""
    for e in pullback.equations:
        if e.plan is None or e not in cotangents:
            continue
        walk((e,), cotangents)
        for k, i in enumerate(e.inputs):
            g = cotangents.get(i)
            while isinstance(g, Array):
                g = g._value
            if isinstance(g, np.ndarray | np.generic) and np.isnan(g).any():
                raise RuntimeError(f"Function '{node_name(e.plan)}' returned nan values in its {k}th output.")

"""`grad`, `grad_and_value` and `vjp` of torch.func: reverse mode, by the trace of the functional face's `vjp`.

torch's gradient of a complex number is the conjugate of what the functional face gives; see `plans.conjugated`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.tape import Equation
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec, flatten
from funcgrad.torch.func.checks import check_aux, check_output, checked_primals, picked, with_aux
from funcgrad.torch.func.entering import chosen, entering_but, standing_for
from funcgrad.torch.func.leaving import left, shared
from funcgrad.torch.tensor.inner_graph import node_name
from funcgrad.torch.tensor.levels import GRAD, Level, batched_in, batches_of, check_no_hooks
from funcgrad.torch.tensor.plans import conj
from funcgrad.torch.tensor.starting_grads import starting_grad
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import graph_value, outside
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import func as texts
from funcgrad.torch.texts import graph as graph_texts
from funcgrad.torch.texts.graph import STARTING_KIND
from funcgrad.transforms.vjp import Pullback, VjpTrace
from funcgrad.transforms.walk import walk


class Recording:
    """A call of a function of which gradients are wanted, with what was recorded in it.

    Arguments:
        func: the function.
        args, kwargs: its arguments.
        numbers: the positions of those that gradients are taken with respect to; None for all.
        name: of the transform.
        check: called inside the transform with what func returned; gives the results, as a pytree, and aux.

    Attributes:
        structure: that of the arguments at these positions, as a tuple.
        leaves: their tensors.
        out, aux: the results and aux, outside of the transform; lists of leaves.
        out_spec, aux_spec: the structures of these.
        ends: the equation of each result, None where it does not depend on the arguments.
    """

    def __init__(
        self, func: Callable, args: tuple, kwargs: dict, numbers: tuple[int, ...] | None, name: str, check: Callable
    ) -> None:
        check_no_hooks()
        self.leaves, self.structure = flatten(chosen(args, numbers))
        checked_primals(self.leaves)
        values = [graph_value(x) for x in self.leaves]
        enter = entering_but(args, kwargs, numbers)
        trace = VjpTrace(name)
        with trace, Level(GRAD, trace) as level:
            inputs = [trace.input(v) for v in values]
            inside = [standing_for(level, x, t) for x, t in zip(self.leaves, inputs, strict=True)]
            args, kwargs = enter(level, self.structure.unflatten(inside))
            out, aux = check(func(*args, **kwargs))
            outs, self.out_spec = flatten(out)
            auxs, self.aux_spec = flatten(aux)
            self.ends = [_equation(trace, o) for o in outs]
        self.inputs = [t._eqn for t in inputs]
        self.out, self.aux = left(level, outs), left(level, auxs)

    @property
    def result(self) -> Any:
        """The results in their pytree."""
        return self.out_spec.unflatten(self.out)

    def pullback(self) -> Pullback:
        """What pulls cotangents of the results back to the arguments."""
        kinds = [ShapeDtypeStruct(o._value.shape, o._value.dtype) for o in self.out]
        return Pullback(self.inputs, self.structure, tuple(zip(self.ends, kinds, strict=True)), self.out_spec)


def _equation(trace: VjpTrace, o: Tensor) -> Equation | None:
    value = raw(o)
    return value._eqn if isinstance(value, Array) and trace.own(value) else None


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func` and its value.

    Arguments:
        func: a function with a scalar result; with has_aux it returns a pair (result, aux).
        argnums: with respect to which positional arguments, an int or a tuple of ints.
        has_aux: whether func returns a pair.

    Returns:
        A function that gives `(gradient, value)`, or `(gradient, (value, aux))`.
    """

    def check(out: Any) -> tuple:
        aux: Any = ()
        if has_aux:
            out, aux = with_aux(out, "grad_and_value(f)(*args)")
        _check_scalar(out)
        check_aux(flatten(aux)[0])
        return out, aux

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        call = Recording(func, args, kwargs, picked(args, argnums), "grad", check)
        (end,) = call.ends
        seeds = {} if end is None else {end: np.ones((), end.dtype)}
        before, state.pulling = state.pulling, True
        try:
            pulled = _pulled(call.pullback(), seeds, call.leaves, batches_of(call.out[0]))
        finally:
            state.pulling = before
        gradients = call.structure.unflatten(pulled)
        gradient = gradients[0] if isinstance(argnums, int) else gradients
        (value,) = call.out
        return (gradient, (value, call.aux_spec.unflatten(call.aux))) if has_aux else (gradient, value)

    return wrapper


def _check_scalar(out: Any) -> None:
    if not isinstance(out, Tensor):
        raise RuntimeError(texts.VALUE_NO_TENSOR.format(kind=type(out)))
    if out.ndim:
        raise RuntimeError(texts.NOT_SCALAR.format(ndim=out.ndim))
    if out.is_complex():
        raise RuntimeError(STARTING_KIND.format(dtype=out.dtype))


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
    return vjp_of(func, primals, None, has_aux)


def vjp_of(func: Callable, args: tuple, numbers: tuple[int, ...] | None, has_aux: bool) -> tuple:
    """vjp with respect to the arguments at some positions, or to all; the others take part in the transform."""
    name = "vjp(f, *primals)"

    def check(out: Any) -> tuple:
        aux: Any = ()
        if has_aux:
            out, aux = with_aux(out, name)
            check_aux(flatten(aux)[0])
        outs = flatten(out)[0]
        check_output(outs, name)
        for o in outs:
            if o._value.dtype.kind in "iub":
                raise RuntimeError(texts.OUTPUTS_NOT_DIFFERENTIABLE.format(dtype=o.dtype))
        return out, aux

    call = Recording(func, args, {}, numbers, "vjp", check)
    call.out = [shared(t, call.leaves) for t in call.out]
    vjp_fn = _vjp_function(call.pullback(), call.leaves)
    return (call.result, vjp_fn, call.aux_spec.unflatten(call.aux)) if has_aux else (call.result, vjp_fn)


def _vjp_function(pullback: Pullback, leaves: list) -> Callable:
    """The second of what vjp gives: from cotangents of the result to cotangents of primals."""
    out_spec: TreeSpec = pullback.out_tree
    freed = False

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        nonlocal freed
        given, spec = flatten(cotangents)
        if spec != out_spec:
            raise RuntimeError(texts.COTANGENT_STRUCTURE.format(given=spec.shown(), expected=out_spec.shown()))
        seeds: dict = {}
        for k, ((e, kind), ct) in enumerate(zip(pullback.outputs, given, strict=True)):
            if e is not None:
                value = conj(graph_value(starting_grad(k, ct, kind.shape, kind.dtype)))
                seeds[e] = seeds[e] + value if e in seeds else value
        if freed and seeds:
            raise RuntimeError(graph_texts.FREED)
        freed = not retain_graph
        return pullback.in_tree.unflatten(_pulled(pullback, seeds, leaves, []))

    return vjp_fn


def _pulled(pullback: Pullback, seeds: dict, leaves: list, batches: list[Level]) -> list:
    """The cotangents of all primals, as tensors.

    Arguments:
        seeds: those of the results, by equation.
        leaves: the primals, of which those that have no influence get zeros like themselves.
        batches: the vmaps in which the others are batches, too, even if all examples are the same.
    """
    with np.errstate(all="ignore"):
        if state.anomaly and state.anomaly_nan:
            _look_for_nan(pullback, dict(seeds))
        found = [conj(g) for g in pullback.pull(seeds)]
    if state.transforms:
        found = [
            batched_in(g, batches if i in seeds else batches_of(x))
            for g, i, x in zip(found, pullback.inputs, leaves, strict=True)
        ]
    return [outside(g) for g in found]


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
            if isinstance(g, (np.ndarray, np.generic)) and np.isnan(g).any():
                raise RuntimeError(texts.NAN_RETURNED.format(node=node_name(e), k=k))

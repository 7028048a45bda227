"""Forward mode: `jvp` and its trace. Each primitive runs one level down and pushes the tangents of its operands on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.cotangent import spread
from funcgrad.core.trace import DeadTrace, Trace, Tracer, bind, constant, current, zeros
from funcgrad.core.types import PYTHON_NUMBERS, PyTree
from funcgrad.core.uncover import uncover
from funcgrad.errors import ArgumentError, ShapeError, TreeError, as_in_jax
from funcgrad.transforms.arguments import float0, in_floats, input_values, leaf_value, output_values, split_aux
from funcgrad.transforms.whole import whole


class JvpTracer(Tracer):
    """A value one level down, and its tangent: of the same shape and dtype."""

    __slots__ = ("_tangent",)
    _tangent: Any


_NO_PARAMS: dict[str, Any] = {}


class JvpTrace(Trace):
    """Runs primitives one level down, and their forward rules beside them."""

    __slots__ = ()
    differentiates = True

    def tracer(self, value: Any, tangent: Any) -> JvpTracer:
        t = JvpTracer()
        t._trace, t._value, t._tangent = self, value, tangent
        return t

    # `unary` and `binary` are `process` written out for the commonest cases.

    def unary(self, primitive: Any, x: Any) -> Any:
        plan = primitive.plans.unary
        if plan is None or not plan.simple:
            return self.process(primitive, (x,), _NO_PARAMS)
        return self._pushed(primitive, plan, (x._tangent,), x._value)

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        if type(x) is JvpTracer and x._trace is self:
            a, t = x._value, x._tangent
            if type(y) is JvpTracer and y._trace is self:
                plan, b, u = primitive.plans.both, y._value, y._tangent
            elif type(y) is float or type(y) is int or type(y) is Array:
                plan, b, u = primitive.plans.first, raw(y), None
            else:
                return self.process(primitive, (x, y), _NO_PARAMS)
        elif type(x) is float or type(x) is int or type(x) is Array:
            plan, a, t, b, u = primitive.plans.second, raw(x), None, y._value, y._tangent
        else:
            return self.process(primitive, (x, y), _NO_PARAMS)
        if plan is None or not plan.simple:
            return self.process(primitive, (x, y), _NO_PARAMS)
        return self._pushed(primitive, plan, (t, u), a, b)

    def _pushed(self, primitive: Any, plan: Any, tangents: tuple, *values: Any) -> JvpTracer:
        out = primitive.impl(*values)  # a ufunc, which finds the trace of an outer tracer by itself
        tangent = plan.push(out, _NO_PARAMS, tangents, *values)
        if plan.checked and (tangent.shape != out.shape or tangent.dtype is not out.dtype):
            tangent = spread(tangent, out.shape, out.dtype)
        t = JvpTracer()
        t._trace, t._value, t._tangent = self, out, tangent
        return t

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        mask = tuple([self.own(a) for a in args])
        values = tuple([a._value if m else constant(a) for a, m in zip(args, mask, strict=True)])
        out = bind(primitive, values, params)
        plan = primitive.plans[mask]
        if plan is None:  # nothing differentiable depends on the operands: the tangent is zero
            return tuple([wrap(o) for o in out]) if primitive.multiple else wrap(out)
        tangents = tuple([args[i]._tangent if i in plan.linked else None for i in range(len(args))])
        tangent = plan.push(out, params, tangents, *values)
        if not primitive.multiple:
            if plan.checked and (tangent.shape != out.shape or tangent.dtype is not out.dtype):
                tangent = spread(tangent, out.shape, out.dtype)
            return self.tracer(out, tangent)
        return tuple(
            [
                wrap(o) if t is None or not is_inexact(o.dtype) else self.tracer(o, spread(t, o.shape, o.dtype))
                for o, t in zip(out, tangent, strict=True)
            ]
        )

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        mask = [self.own(a) for a in args]
        primals = [wrap(a._value) if m else a for a, m in zip(args, mask, strict=True)]
        outs, tangents = call.jvp(primals, [wrap(a._tangent) if m else None for a, m in zip(args, mask, strict=True)])
        return [
            o if t is None or not is_inexact(o.dtype) else self.tracer(raw(o), spread(raw(t), o.shape, o.dtype))
            for o, t in zip(self.below(call, outs), tangents, strict=True)
        ]


def jvp(f: Callable, primals: tuple, tangents: tuple, *, has_aux: bool = False) -> tuple:
    """Evaluate a function together with its directional derivative (Jacobian-vector product).

    Arguments:
        f: a function of pytrees of arrays that returns one.
        primals: the tuple (or list) of its arguments.
        tangents: a tuple like primals: the same structure, shapes and dtypes. The tangent of an integer leaf is a zero
            of dtype float0, or any zeros of its shape.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.

    Returns:
        `(result, tangent)`, or `(result, tangent, aux)`.

    Raises:
        TreeError: tangents of another structure than primals.
        ShapeError, ArgumentError: a tangent of another shape or dtype than its primal, or a leaf that is no array.

    Example:
        >>> fg.jvp(fnp.sin, (0.0,), (1.0,))
        (Array(0., dtype=float64), Array(1., dtype=float64))

    Source: the convention is that of `jax.jvp` (https://docs.jax.dev/en/latest/_autosummary/jax.jvp.html).
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError(
            "jvp takes the arguments and their tangents as two tuples. Write jvp(f, (x,), (t,))"
            + as_in_jax(
                f"primal and tangent arguments to jax.jvp must be tuples or lists; found {type(primals).__name__} and "
                f"{type(tangents).__name__}."
            )
        )
    if all(type(x) is Array or type(x) is ndarray for x in (*primals, *tangents)):
        pushed = whole(f, ("jvp", has_aux), functools.partial(_pushed, f, has_aux), same=False)
        return pushed(primals, tangents)
    return _pushed(f, has_aux, primals, tangents)


def _pushed(f: Callable, has_aux: bool, primals: Any, tangents: Any) -> tuple:
    values, in_tree = input_values(tuple(primals), "jvp")
    pairs, t_tree = tree.flatten_with_path(tuple(tangents))
    if t_tree != in_tree or isinstance(primals, tuple) != isinstance(tangents, tuple):
        raise TreeError(
            f"jvp: the tangents must have the structure of the arguments, {tree.structure(primals)}; got "
            f"{tree.structure(tangents)}"
            + as_in_jax("primal and tangent arguments to jax.jvp must have the same tree structure")
        )
    checked = [_checked_tangent(t, v, path) for v, (path, t) in zip(values, pairs, strict=True)]
    outs, found, out_tree, aux = push(f, values, checked, in_tree, has_aux, "jvp")
    result = out_tree.unflatten(outs)
    tangent = out_tree.unflatten([_zeros(o) if t is None else wrap(t) for o, t in zip(outs, found, strict=True)])
    return (result, tangent, aux) if has_aux else (result, tangent)


def _zeros(out: Array) -> Any:
    """The tangent of a result that does not depend on the arguments."""
    return wrap(zeros(out.shape, out.dtype)) if is_inexact(out.dtype) else np.zeros(out.shape, float0)


def push(
    f: Callable, values: Sequence[Any], tangents: Sequence[Any], in_tree: Any, has_aux: bool, name: str
) -> tuple[list[Array], list[Any], Any, PyTree]:
    """Run f on tracers, as `record` of vjp.py does for reverse mode.

    Arguments:
        f: the function.
        values: raw values of the leaves of its arguments.
        tangents: for each its tangent, raw and of the same shape and dtype, or None.
        in_tree: the structure of the arguments.
        has_aux: whether f returns a pair (result, aux).
        name: of the transform, for messages.

    Returns:
        `(results, tangents, out_tree, aux)`: the leaves of the result, and for each its raw tangent, or None if it
        does not depend on the arguments that have tangents.
    """
    trace = JvpTrace(name)
    outer = current.get()
    try:
        trace.__enter__()
        ins = [wrap(v) if t is None else trace.tracer(v, t) for v, t in zip(values, tangents, strict=True)]
        out, aux = split_aux(f(*in_tree.unflatten(ins)), has_aux, trace)
        outs, out_tree = output_values(out, name)
        results, found = [], []
        for o in outs:
            own = trace.own(o)
            results.append(wrap(o._value) if own else o)
            found.append(o._tangent if own else None)
    except Exception as error:  # of any kind: what went wrong may be hidden in it
        uncover(error, error.__traceback__)
        raise
    finally:  # an interrupt can't come before the last call here (docs/design/scopes.md)
        trace.__class__ = DeadTrace  # type: ignore[assignment]  # all have the same slots
        current.set(outer)
    return results, found, out_tree, aux


_DO_NOT_MATCH = as_in_jax("primal and tangent arguments to jax.jvp do not match.")


def _checked_tangent(t: Any, value: Any, path: tuple) -> Any:
    """The raw tangent of a primal, or None for an integer, which has none."""

    def where() -> str:
        return f"the tangent of {tree.argument_place(path)}"

    if not is_inexact(value.dtype):
        if not isinstance(t, Tracer):
            given = np.asarray(t)
            if given.dtype == float0 or (given.shape in ((), value.shape) and not given.any()):
                return None
        raise ArgumentError(
            f"jvp: {where()}, which is of dtype {value.dtype}, must be zero, of dtype float0: integers have no "
            f"tangents. Got {t!r}. Convert the argument to a floating dtype{_DO_NOT_MATCH}"
        )
    if type(t) in PYTHON_NUMBERS and not (type(t) is complex and value.dtype.kind != "c"):
        tangent = np.asarray(t, value.dtype)
    else:
        tangent = t if isinstance(t, Tracer) else leaf_value(t, lambda: f"jvp: {where()}")
    if tangent.shape != value.shape:
        raise ShapeError(
            f"jvp called with different primal and tangent shapes: {where()} must be of shape {value.shape}, like the "
            f"argument; got {tangent.shape}"
        )
    tangent = in_floats(tangent, value.dtype)
    if tangent.dtype != value.dtype:
        remedy = (
            "Give its real part, or make the argument complex"
            if tangent.dtype.kind == "c"
            else f"Convert it with .astype({str(value.dtype)!r})"
        )
        raise ArgumentError(
            f"jvp: {where()} must be of dtype {value.dtype}, like the argument; got {tangent.dtype}. {remedy}"
            f"{_DO_NOT_MATCH}"
        )
    return tangent

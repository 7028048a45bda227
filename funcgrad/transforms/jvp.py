"""Forward mode: `jvp` and its trace. Each primitive runs one level down and pushes the tangents of its operands on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, raw, wrap
from funcgrad.core.cotangent import spread
from funcgrad.core.trace import Trace, Tracer, bind, constant
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.errors import ArgumentError, ShapeError, TreeError
from funcgrad.transforms.arguments import float0, input_values, leaf_value, output_values, split_aux


class JvpTracer(Tracer):
    """A value one level down, and its tangent: of the same shape and dtype."""

    __slots__ = ("_tangent",)
    _tangent: Any


class JvpTrace(Trace):
    """Runs primitives one level down, and their forward rules beside them."""

    __slots__ = ()
    differentiates = True

    def tracer(self, value: Any, tangent: Any) -> JvpTracer:
        t = JvpTracer()
        t._trace, t._value, t._tangent = self, value, tangent
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
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.jvp(fnp.sin, (0.0,), (1.0,))
        (Array(0., dtype=float64), Array(1., dtype=float64))

    Source: the convention is that of `jax.jvp` (https://docs.jax.dev/en/latest/_autosummary/jax.jvp.html).
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ArgumentError(
            f"jvp takes the arguments of the function and their tangents as tuples, jvp(f, (x,), (t,)); got primals of "
            f"type {type(primals).__name__} and tangents of type {type(tangents).__name__}"
        )
    values, in_tree = input_values(tuple(primals), "jvp")
    pairs, t_tree = tree.flatten_with_path(tuple(tangents))
    if t_tree != in_tree:
        raise TreeError(f"jvp: tangents must have the structure of primals, {in_tree}, but got {t_tree}")
    checked = [_checked_tangent(t, v, path) for v, (path, t) in zip(values, pairs, strict=True)]
    trace = JvpTrace("jvp")
    with trace:
        ins = [wrap(v) if t is None else trace.tracer(v, t) for v, t in zip(values, checked, strict=True)]
        out, aux = split_aux(f(*in_tree.unflatten(ins)), has_aux, trace)
        outs, out_tree = output_values(out, "jvp")
        results: list[Any] = []
        out_tangents: list[Any] = []
        for o in outs:
            if trace.own(o):
                results.append(wrap(o._value))
                out_tangents.append(wrap(o._tangent))
            else:
                results.append(o)
                exact = is_inexact(o.dtype)
                out_tangents.append(wrap(np.zeros(o.shape, o.dtype)) if exact else np.zeros(o.shape, float0))
    result, tangent = out_tree.unflatten(results), out_tree.unflatten(out_tangents)
    return (result, tangent, aux) if has_aux else (result, tangent)


def _checked_tangent(t: Any, value: Any, path: tuple) -> Any:
    """The raw tangent of a primal, or None for an integer, which has none."""
    where = f"jvp: the tangent of {tree.argument_place(path)}"
    if not is_inexact(value.dtype):
        if not isinstance(t, Tracer):
            given = np.asarray(t)
            if given.dtype == float0 or (given.shape in ((), value.shape) and not given.any()):
                return None
        raise ArgumentError(
            f"{where}, which is of dtype {value.dtype}, must be zero: integers have no tangents. Got {t!r}. "
            f"Convert the argument to a floating dtype"
        )
    if type(t) in PYTHON_NUMBERS:
        raw = np.asarray(t)
        if raw.dtype.kind == "c" and value.dtype.kind != "c":
            raise ArgumentError(
                f"{where} must be of dtype {value.dtype}, like the argument; got the complex number {t}. Give its real "
                f"part, or make the argument complex"
            )
        raw = raw.astype(value.dtype)
    else:
        raw = t if isinstance(t, Tracer) else leaf_value(t, lambda: where)
    if raw.shape != value.shape:
        raise ShapeError(f"{where} must be of shape {value.shape}, like the argument; got {raw.shape}")
    if raw.dtype != value.dtype:
        raise ArgumentError(
            f"{where} must be of dtype {value.dtype}, like the argument; got {raw.dtype}. "
            f"Convert it with .astype({str(value.dtype)!r})"
        )
    return raw

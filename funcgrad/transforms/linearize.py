"""`linearize`: the derivative of a function at a point, as a linear function that can be called many times.

It is `jvp` with primals that are known and tangents that are not. The tangents are tracers of a symbolic trace one
level out, so whatever depends on the primals alone is computed at once, and what is done to tangents is written on a
tape. That tape is linear, its constants are what the derivative rules made of the primals, and the `Pushforward`
evaluates it for tangents that are given later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, raw, wrap
from funcgrad.core.tape import Tape
from funcgrad.core.trace import Tracer, zeros
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, ShapeError, TreeError
from funcgrad.transforms.arguments import float0, in_floats, input_value, input_values
from funcgrad.transforms.jvp import push
from funcgrad.transforms.linear_map import LinearMap
from funcgrad.transforms.make_tape import SymbolicTrace


class TangentTrace(SymbolicTrace):
    """Writes down what is done to tangents.

    An operation that holds functions is kept whole if it is linear in them. Otherwise it has results that are no
    tangents, too, so it is run on its parts, and what depends on primals alone is computed.
    """

    __slots__ = ()
    whole = False

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return super().process_call(call, args) if call.linear([self.own(a) for a in args]) else call.evaluate(*args)


class Pushforward(LinearMap):
    """The linear half of `linearize`: a function from tangents of the arguments to the tangent of the result.

    It is a pytree whose leaves are the arrays on its tape, and may be called any number of times.

    Attributes:
        tape: what it evaluates, as a `Tape`. Integer leaves, which have no tangents, are None there.
    """

    __slots__ = ()

    def __call__(self, *tangents: PyTree) -> PyTree:
        """Push tangents forward.

        Arguments:
            tangents: one for each argument of the function, like it in structure, shapes and dtypes. The tangent of an
                integer leaf is a zero of dtype float0, or any zeros of its shape.

        Returns:
            The tangent of the result.

        Raises:
            TreeError: another structure than the arguments.
            ShapeError, ArgumentError: a leaf of another shape or dtype, or one that is no array.
        """
        pairs, t_tree = tree.flatten_with_path(tangents)
        if t_tree != self.in_tree:
            raise TreeError(
                f"the linearized function takes tangents with the structure of the arguments of the function: "
                f"expected {self.in_tree}, got {t_tree}"
            )
        values = [_checked(t, kind, path) for kind, (path, t) in zip(self.inputs, pairs, strict=True)]
        found = iter(self.tape.run([raw(v) for v in values if v is not None]))
        return self.out_tree.unflatten(
            [wrap(next(found)) if is_inexact(k.dtype) else np.zeros(k.shape, float0) for k in self.outputs]
        )


def linearize(f: Callable, *primals: PyTree, has_aux: bool = False) -> tuple:
    """Evaluate a function and prepare its derivative at this point, for any number of directions.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        primals: its arguments.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.

    Returns:
        `(result, f_jvp)`, or `(result, f_jvp, aux)`. `f_jvp(*tangents)` gives what `jvp(f, primals, tangents)` gives as
        the tangent of the result, without running f again.

    Raises:
        ArgumentError: an argument or the result has a leaf that is no array.

    Example:
        >>> y, f_jvp = fg.linearize(lambda x: fnp.sin(x) * x, 0.0)
        >>> y, f_jvp(1.0), f_jvp(5.0)
        (Array(0., dtype=float64), Array(0., dtype=float64), Array(0., dtype=float64))
        >>> print(fg.linearize(fnp.square, 3.0)[1].tape)
        tape(a: float64[]):
          b: float64[] = multiply(a, 6.0)
          return b

    Source: the convention is that of `jax.linearize` (https://docs.jax.dev/en/latest/_autosummary/jax.linearize.html).
    """
    if not callable(f):
        raise ArgumentError(f"linearize takes a function, got {f!r} of type {type(f).__name__}")
    values, in_tree = input_values(primals, "linearize")
    kinds = [ShapeDtypeStruct(v.shape, v.dtype) for v in values]
    trace = TangentTrace("linearize")
    with trace:
        symbols = [trace.input(k) if is_inexact(k.dtype) else None for k in kinds]
        outs, tangents, out_tree, aux = push(f, values, symbols, in_tree, has_aux, "linearize")
        results = [
            t._eqn if trace.own(t) else zeros(o.shape, o.dtype) if t is None else t
            for o, t in zip(outs, tangents, strict=True)
            if is_inexact(o.dtype)
        ]
    out_kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
    inputs = [s._eqn for s in symbols if s is not None]
    trees = _hollow(in_tree, kinds), _hollow(out_tree, out_kinds)
    tape = Tape(inputs, results, *trees, symbolic=True, effects=trace.effects)
    pushforward = Pushforward(tape, kinds, in_tree, out_kinds, out_tree)
    result = out_tree.unflatten(outs)
    return (result, pushforward, aux) if has_aux else (result, pushforward)


def _hollow(structure: Any, kinds: Iterable[ShapeDtypeStruct]) -> Any:
    """A structure of which the integer leaves are None."""
    return tree.structure(structure.unflatten([k if is_inexact(k.dtype) else None for k in kinds]))


def _checked(t: Any, kind: ShapeDtypeStruct, path: tuple) -> Any:
    """The raw tangent of a leaf, known to fit it; None for an integer, which has none."""

    def inconsistent(must: str) -> str:
        return (
            f"linearized function called on tangent values inconsistent with the original primal values: the tangent "
            f"of {tree.argument_place(path)} must {must}"
        )

    value = t
    if type(t) in PYTHON_NUMBERS and np.result_type(t, kind.dtype) == kind.dtype:
        value = np.asarray(t, kind.dtype)
    elif getattr(t, "dtype", None) != float0:
        value = input_value(t, lambda: f"linearize: the tangent of {tree.argument_place(path)}")
    if value.shape != kind.shape and (value.shape or is_inexact(kind.dtype)):
        raise ShapeError(inconsistent(f"be of shape {kind.shape}, like the argument; got {value.shape}"))
    if is_inexact(kind.dtype):
        value = in_floats(value, kind.dtype)
        if value.dtype != kind.dtype:
            raise ArgumentError(
                inconsistent(f"be of dtype {kind.dtype}, like the argument; got {value.dtype}. ")
                + f"Convert it with .astype({str(kind.dtype)!r})"
            )
        return value
    if value.dtype != float0 and (isinstance(value, Tracer) or value.any()):
        raise ArgumentError(
            inconsistent(f"be zero, of dtype float0, because the argument is of dtype {kind.dtype}; got {t!r}. ")
            + "Integers have no tangents; linearize at an argument of a floating dtype"
        )
    return None

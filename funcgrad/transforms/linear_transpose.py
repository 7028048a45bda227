"""`linear_transpose`: a linear function the other way round, without evaluating it.

The function is run by `vjp`'s trace on values of which only shape and dtype are known, and its pullback on a cotangent
of which no more is known. The pullback of a linear function does not depend on where it was taken, so what it does to
the cotangent, which is the transpose, does not use any of those values. If it does, the function is not linear.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.primitive import Primitive
from funcgrad.core.rules import Statement
from funcgrad.core.tape import Equation, Tape, equation, reachable
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NotDifferentiableError, ShapeError, TreeError, type_text
from funcgrad.transforms.arguments import input_value, output_values
from funcgrad.transforms.linear_map import LinearMap
from funcgrad.transforms.make_tape import SymbolicTrace
from funcgrad.transforms.results import Projection
from funcgrad.transforms.vjp import Pullback, VjpTrace


class LinearTrace(SymbolicTrace):
    """Writes down what is done to the arguments of a linear function, and to cotangents of its result."""

    __slots__ = ()
    whole = False


class TransposingTrace(VjpTrace):
    """A `VjpTrace` in which integers have cotangents.

    An operation that holds functions is kept whole if it is known to be linear. Otherwise its parts tell.
    """

    __slots__ = ()

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return super().process_call(call, args) if call.linear([self.own(a) for a in args]) else call.evaluate(*args)

    def _part(self, parent: Equation, i: int, value: Any) -> Any:
        e = equation(self.next_number(), Projection(parent, i), (parent,), {"index": i}, (), value.shape, value.dtype)
        return self.tracer(value, e)


class Transpose(LinearMap):
    """A transposed linear function: from a cotangent of the result to a tuple of cotangents of the arguments.

    It is a pytree whose leaves are the arrays on its tape, and may be called any number of times.

    Attributes:
        tape: what it evaluates, as a `Tape`.
    """

    __slots__ = ()

    def __call__(self, *cotangents: PyTree) -> tuple:
        """Apply it.

        Arguments:
            cotangents: just one, like the result of the function: the same structure, shapes and dtypes.

        Raises:
            TreeError: another structure than the result.
            ShapeError, ArgumentError: a leaf of another shape or dtype.
        """
        if len(cotangents) != 1:
            raise ArgumentError(
                f"the transposed function takes one cotangent, of the structure of the function's result, "
                f"{self.in_tree}; got {len(cotangents)}. For a function with several results it is a tuple: "
                f"transposed((a, b))"
            )
        pairs, ct_tree = tree.flatten_with_path(cotangents[0])
        if ct_tree != self.in_tree:
            raise TreeError(
                f"cotangent tree does not match the result of the transposed function: expected {self.in_tree}, got "
                f"{ct_tree}"
            )
        values = [_checked(ct, kind, path) for kind, (path, ct) in zip(self.inputs, pairs, strict=True)]
        return self.out_tree.unflatten([wrap(x) for x in self.tape.run(values)])


def linear_transpose(f: Callable, *args: PyTree) -> Transpose:
    """The transpose of a linear function.

    Arguments:
        f: a linear function of pytrees of arrays that returns one; both all floating and complex, or both all integer.
        args: arguments like those it takes: arrays, numbers, ShapeDtypeStructs, or anything that has a shape and a
            dtype. Their values are not used.

    Returns:
        A function from a cotangent, which is like the result of f, to a tuple of cotangents, one like each argument. Of
        a function that adds a constant, which is not quite linear, it is the transpose of the linear part.

    Raises:
        NotDifferentiableError: f is not linear; the message names the operation.
        ArgumentError: an argument is no array, or the dtypes do not go together.
        NoValueError: f asks for a number.

    Example:
        >>> transposed = fg.linear_transpose(fnp.cumsum, fg.ShapeDtypeStruct((3,), float))
        >>> transposed(fnp.array([1.0, 10.0, 100.0]))
        (Array([111., 110., 100.], dtype=float64),)

    Source: the convention is that of `jax.linear_transpose`
        (https://docs.jax.dev/en/latest/_autosummary/jax.linear_transpose.html).
    """
    if not callable(f):
        raise ArgumentError(f"linear_transpose takes a function, got {f!r} of type {type(f).__name__}")
    pairs, in_tree = tree.flatten_with_path(args)
    kinds = [_kind(x, path) for path, x in pairs]
    below, trace = LinearTrace("linear_transpose"), TransposingTrace("linear_transpose")
    with below:
        symbols = [below.input(k) for k in kinds]
        with trace:
            tracers = [trace.input(s) for s in symbols]
            outs, out_tree = output_values(f(*in_tree.unflatten(tracers)), "linear_transpose")
            out_kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
            outputs = [(o._eqn if trace.own(o) else None, k) for o, k in zip(outs, out_kinds, strict=True)]
            results = [o._value if trace.own(o) else o for o in outs]
        _check_dtypes(kinds, out_kinds)
        suspect = _first_nonlinear(_equations(below, results))
        cotangents = [below.input(k) for k in out_kinds]
        seeds: dict[Equation, Any] = {}
        for (e, _), ct in zip(outputs, cotangents, strict=True):
            if e is not None:
                seeds[e] = seeds[e] + ct if e in seeds else ct
        found = Pullback([t._eqn for t in tracers], in_tree, outputs, out_tree).pull(seeds, release=True)
        if suspect is not None and not {s._eqn for s in symbols}.isdisjoint(reachable(_equations(below, found))):
            raise suspect
        given, transposed = [c._eqn for c in cotangents], [x._eqn if below.own(x) else x for x in found]
    tape = Tape(given, transposed, tree.structure((out_tree.unflatten(out_kinds),)), in_tree, symbolic=True)
    return Transpose(tape, out_kinds, out_tree, kinds, in_tree)


def _equations(trace: SymbolicTrace, values: list[Any]) -> list[Equation]:
    return [x._eqn for x in values if trace.own(x)]


def _kind(x: Any, path: tuple) -> ShapeDtypeStruct:
    """The shape and dtype of an argument."""
    if type(x) in PYTHON_NUMBERS:
        x = np.asarray(x)
    if not (hasattr(x, "shape") and hasattr(x, "dtype")):
        raise ArgumentError(
            f"linear_transpose: {tree.argument_place(path)} must be an array, a number or a ShapeDtypeStruct, but it "
            f"is {x!r} of type {type(x).__name__}. Close over values that are no arrays"
        )
    return ShapeDtypeStruct(x.shape, x.dtype)


def _check_dtypes(ins: list[ShapeDtypeStruct], outs: list[ShapeDtypeStruct]) -> None:
    dtypes = [k.dtype for k in ins + outs]
    if not (all(is_inexact(d) for d in dtypes) or all(d.kind in "iu" for d in dtypes)):
        raise ArgumentError(
            f"linear_transpose only supports functions of floating or complex arrays whose results are floating or "
            f"complex, or of integers whose results are integers; this one goes from "
            f"({', '.join(map(type_text, ins))}) to ({', '.join(map(type_text, outs))}). Close over arguments of "
            f"another kind, or convert them with astype(float)"
        )


def _first_nonlinear(outputs: list[Equation]) -> NotDifferentiableError | None:
    """The error for the first operation whose rules ask for a value that depends on the arguments, if there is one.

    A rule for several operands may ask for more than it uses.

    Raises:
        NotDifferentiableError: an operation on the way to these has an operand without derivative.
    """
    first = None
    for e in reversed(reachable(outputs)):
        if not isinstance(e.primitive, Primitive):
            continue  # an input, a projection, or a call, which is here only if it is linear
        mask = tuple([type(i) is Equation for i in e.inputs])
        plan = e.primitive.plans[mask]
        if plan is None or plan.flags != mask:
            raise _not_linear(e, _no_rule(e.primitive.vjp, mask))
        asked = [name for i, name in enumerate(plan.operands) if mask[i] and i in plan.kept]
        if first is None and (asked or "out" in plan.names):
            first = _not_linear(e, f"its derivative depends on {' and '.join(asked) or 'its result'}")
    return first


def _no_rule(rules: Any, mask: tuple[bool, ...]) -> str:
    """Why an operand that mask marks has no derivative, in the words of the record."""
    marked = (rules,) if isinstance(rules, Statement) else [r for r, m in zip(rules, mask, strict=True) if m]
    return next(r.reason for r in marked if isinstance(r, Statement))


def _not_linear(e: Equation, reason: str) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"linear_transpose: the function is not linear in its arguments, because of the operation {e.primitive.name}: "
        f"{reason}. Use funcgrad.vjp, which takes the derivative at a point"
    )


def _checked(ct: Any, kind: ShapeDtypeStruct, path: tuple) -> Any:
    """The raw value of a cotangent leaf, known to fit the output it belongs to. Integers are cotangents here, too."""

    def mismatch(must: str) -> str:
        at = f" at {tree.keystr(path)}" if path else ""
        return f"cotangent type does not match the result of the transposed function{at}: it must {must}"

    real = kind.dtype.kind != "c"  # a number without imaginary part may be a mistake if one is expected
    if (
        type(ct) in PYTHON_NUMBERS
        and (type(ct) is not complex) is real
        and np.result_type(ct, kind.dtype) == kind.dtype
    ):
        ct = np.asarray(ct, kind.dtype)
    ct = input_value(ct, lambda: f"linear_transpose: the cotangent{f' at {tree.keystr(path)}' if path else ''}")
    if ct.shape != kind.shape:
        raise ShapeError(mismatch(f"be of shape {kind.shape}; got {ct.shape}"))
    if ct.dtype != kind.dtype:
        raise ArgumentError(
            mismatch(f"be of dtype {kind.dtype}; got {ct.dtype}. Convert it with .astype({str(kind.dtype)!r})")
        )
    return ct

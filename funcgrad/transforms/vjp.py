"""Reverse mode: `vjp`, its trace, and the pullback.

`vjp(f, *xs)` opens a level, wraps the leaves of xs in tracers and calls f. Each primitive that meets a tracer of that
level runs one level down, and an `Equation` with its residuals is linked to the equations of its inputs. The pullback
sorts the equations reachable from the output by number and walks them backwards: each rule is called once for each
operand that needs it, and the cotangents that arrive at one equation are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy import float64, ndarray

from funcgrad.core import tree
from funcgrad.core.array import NATIVE, Array, copied, is_inexact, raw, snapshot, wrap
from funcgrad.core.cotangent import Deferred
from funcgrad.core.short_rows import broadcast
from funcgrad.core.tape import Equation, Tape, equation, reachable
from funcgrad.core.trace import NUMPYS, DeadTrace, Trace, Tracer, bind, constant, current, observer, zeros
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.core.uncover import uncover
from funcgrad.errors import ArgumentError, ShapeError, TreeError, as_in_jax, type_text
from funcgrad.transforms.arguments import float0, in_floats, input_values, leaf_value, output_values, split_aux
from funcgrad.transforms.form import Form
from funcgrad.transforms.loans import Loans
from funcgrad.transforms.results import CallPlan, Projection, pullback_leaves
from funcgrad.transforms.walk import walk
from funcgrad.transforms.wraps import name_of


class VjpTracer(Tracer):
    """A value one level down, and the equation that it came from."""

    __slots__ = ("_eqn",)
    _eqn: Equation


_NO_PARAMS: dict[str, Any] = {}
_NUMBERS = frozenset({float, int, float64})
_DOUBLE = np.dtype(float64)


class VjpTrace(Trace):
    """Runs primitives one level down and links their equations.

    `unary` and `binary` are `general` written out for the commonest cases, in which programs on small arrays spend
    their time.
    """

    __slots__ = ()
    differentiates = True

    def __init__(self, transform: str, loans: Loans | None = None) -> None:
        self.transform, self.loans = transform, loans
        self.next_number = count().__next__

    def tracer(self, value: Any, eqn: Equation) -> VjpTracer:
        t = VjpTracer()
        t._trace, t._value, t._eqn = self, value, eqn
        return t

    def input(self, value: Any) -> VjpTracer:
        """A tracer for a value that is differentiated with respect to."""
        value = value[()] if type(value) is ndarray and not value.ndim else value  # NumPy computes faster with scalars
        return self.tracer(value, equation(self.next_number(), None, (), {}, (), value.shape, value.dtype))

    def unary(self, primitive: Any, x: Any, params: dict = _NO_PARAMS) -> Any:
        plan = primitive.plans.unary
        if plan is None or not plan.simple:
            return self.general(primitive, (x,), params)
        value, i = x._value, x._eqn
        if params is _NO_PARAMS:  # a ufunc, which finds the trace of an outer tracer by itself
            out = primitive.impl(value)
        else:
            out = bind(primitive, (value,), params) if isinstance(value, Array) else primitive.impl(value, **params)
        e = Equation()
        e.number, e.plan, e.params = self.next_number(), plan, params  # by threes, which Python needs no tuple for
        e.inputs = (i,)
        e.residuals = plan.keep(out, params, value) if plan.names else ()
        e.shape, e.dtype = (out.shape, out.dtype) if plan.checked else (i.shape, i.dtype)
        t = VjpTracer()
        t._trace, t._value, t._eqn = self, out, e
        return t

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        if type(x) is VjpTracer and x._trace is self:
            i, a = x._eqn, x._value
            if type(y) is VjpTracer and y._trace is self:
                if x is y and primitive.of_same is not None and type(a) is ndarray:
                    return VjpTrace.unary(self, primitive.of_same, x)
                plan, j, b = primitive.plans.both, y._eqn, y._value
            elif type(y) in _NUMBERS:
                plan, j, b = primitive.plans.first, None, y
            elif type(y) is Array:
                plan, j, b = primitive.plans.first, None, y._value
            elif type(y) is ndarray and y.dtype in NATIVE:
                plan, j = primitive.plans.first, None
                b = y if plan is None or 1 not in plan.kept else self.constant(y)
            else:
                return self.general(primitive, (x, y), _NO_PARAMS)
        elif type(y) is VjpTracer and y._trace is self:
            i, j, b = y._eqn, None, y._value
            if type(x) is Array:
                plan, a = primitive.plans.second, x._value
            elif type(x) in _NUMBERS:
                plan, a = primitive.plans.second, x
            elif type(x) is ndarray and x.dtype in NATIVE:
                plan = primitive.plans.second
                a = x if plan is None or 0 not in plan.kept else self.constant(x)
            else:
                return self.general(primitive, (x, y), _NO_PARAMS)
        else:
            return self.general(primitive, (x, y), _NO_PARAMS)
        if plan is None or not plan.simple:
            return self.general(primitive, (x, y), _NO_PARAMS)
        if type(a) is float64:
            out = primitive.infix(a, b)
        elif (
            primitive.preserves
            and type(a) is ndarray is type(b)
            and (a.shape != b.shape if j is None else i.shape != j.shape)
        ):
            out = broadcast(primitive, a, b)
        else:
            out = (primitive.infix if type(a) in NUMPYS or type(b) in NUMPYS else primitive.impl)(a, b)
        shape, dtype = ((), _DOUBLE) if type(out) is float64 else (out.shape, out.dtype)
        if (
            plan.trusted is not None
            and (i.shape == shape and i.dtype is dtype)
            and (j is None or (j.shape == shape and j.dtype is dtype))
        ):  # elementwise, and nothing was broadcast or promoted: nothing will have to be undone
            plan = plan.trusted
        e = Equation()
        e.number, e.plan, e.params = self.next_number(), plan, _NO_PARAMS
        e.residuals = plan.keep(out, _NO_PARAMS, a, b) if plan.names else ()
        e.inputs, e.shape, e.dtype = (i,) if j is None else (i, j), shape, dtype
        t = VjpTracer()
        t._trace, t._value, t._eqn = self, out, e
        return t

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        return self.unary(primitive, args[0], params) if len(args) == 1 else self.general(primitive, args, params)

    def constant(self, x: ndarray) -> ndarray:
        """An array of the caller as the tape keeps it: the caller may write into it before the backward pass."""
        return copied(x) if self.loans is None else self.loans.borrow(x)

    def kept(self, value: Any) -> Any:
        """A value inside of a tracer as the user's function may store it."""
        return value if self.loans is None else self.loans.kept(value)

    def general(self, primitive: Any, args: tuple, params: dict, out: Any = None) -> Any:
        """Any number of operands, of any kind. `out` is the result if it is known already."""
        mask = tuple([self.own(a) for a in args])
        values = [a._value if m else constant(a) for a, m in zip(args, mask, strict=True)]
        plan = primitive.plans[mask]
        if plan is None:  # nothing differentiable depends on the operands: the result is a constant
            out = bind(primitive, tuple(values), params) if out is None else out
            return tuple([wrap(self.kept(o)) for o in out]) if primitive.multiple else wrap(self.kept(out))
        for i in plan.kept:
            if type(args[i]) is ndarray:
                values[i] = self.constant(values[i])
        if out is None:
            out = bind(primitive, tuple(values), params)
        inputs = tuple([args[i]._eqn for i in plan.linked])
        residuals = plan.keep(out, params, *values)
        if primitive.multiple:
            shapes, dtypes = tuple([o.shape for o in out]), tuple([o.dtype for o in out])
            parent = equation(self.next_number(), plan, inputs, params, residuals, shapes, dtypes)
            return tuple([self._part(parent, i, o) for i, o in enumerate(out)])
        return self.tracer(out, equation(self.next_number(), plan, inputs, params, residuals, out.shape, out.dtype))

    def _part(self, parent: Equation, i: int, value: Any) -> Any:
        if not is_inexact(value.dtype):  # an integer result, such as the rank from lstsq
            return wrap(value)
        e = equation(self.next_number(), Projection(parent, i), (parent,), {"index": i}, (), value.shape, value.dtype)
        return self.tracer(value, e)

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        mask = tuple([self.own(a) for a in args])
        outs, pullback = call.vjp(
            [wrap(self.kept(a._value)) if m else a for a, m in zip(args, mask, strict=True)], mask
        )
        if not any(is_inexact(o.dtype) for o in self.below(call, outs)):
            return outs
        kept, structure = pullback_leaves(pullback)
        inputs = tuple([a._eqn for a, m in zip(args, mask, strict=True) if m])
        plan = CallPlan(call, mask, structure, tuple([(i.shape, i.dtype) for i in inputs]))
        shapes, dtypes = tuple([o.shape for o in outs]), tuple([o.dtype for o in outs])
        parent = equation(self.next_number(), plan, inputs, {}, kept, shapes, dtypes)
        return [self._part(parent, i, raw(o)) for i, o in enumerate(outs)]


class Pullback:
    """The backward half of `vjp`: a function from cotangents of the result to cotangents of the arguments.

    It is a pytree whose leaves are the residuals, and may be called any number of times.

    Attributes:
        tape: what was recorded, as a `Tape` that prints itself with what each equation keeps.
        name: of the function, for messages.
    """

    __slots__ = ("_equations", "in_tree", "inputs", "name", "out_tree", "outputs")

    def __init__(
        self,
        inputs: Sequence[Any],
        in_tree: Any,
        outputs: Sequence[Any],
        out_tree: Any,
        equations: Any = None,
        name: str = "the function",
    ) -> None:
        # inputs: an Equation, or for an integer argument its ShapeDtypeStruct; outputs: (equation or None, type)
        self.inputs, self.in_tree, self.outputs, self.out_tree = tuple(inputs), in_tree, tuple(outputs), out_tree
        self._equations, self.name = equations, name

    @property
    def equations(self) -> list[Equation]:
        """The recorded equations that the result depends on, the newest first."""
        if self._equations is None:
            self._equations = reachable(e for e, _ in self.outputs if e is not None)
        return self._equations

    @property
    def tape(self) -> Tape:
        inputs = [i for i in self.inputs if type(i) is Equation]
        return Tape(inputs, [e for e, _ in self.outputs], self.in_tree, self.out_tree, symbolic=False)

    def __call__(self, *cotangents: PyTree) -> tuple:
        """Pull a cotangent back.

        Arguments:
            cotangents: just one, like the result of the function: the same structure, shapes and dtypes.

        Returns:
            A tuple with the cotangent of each argument of the function.

        Raises:
            TreeError: another structure than the result.
            ShapeError: a leaf of another shape.
            ArgumentError: a leaf of another dtype, or one that is no array.
        """
        if len(cotangents) != 1:
            raise ArgumentError(
                f"the pullback of vjp applied to {self.name} was called with {len(cotangents)} arguments. It takes one "
                f"cotangent, of the structure of the function's result, {self.out_tree}; for a function with several "
                f"results it is a tuple: pullback((a, b))"
            )
        pairs, ct_tree = tree.flatten_with_path(cotangents[0])
        if ct_tree != self.out_tree:
            raise TreeError(
                f"unexpected tree structure: the pullback takes a cotangent with the structure of the function's "
                f"result, {self.out_tree}, but got {ct_tree}"
            )
        seeds: dict[Equation, Any] = {}
        for (e, kind), (path, ct) in zip(self.outputs, pairs, strict=True):
            ct = _checked_cotangent(ct, kind, tree.keystr(path))
            if e is not None:
                seeds[e] = seeds[e] + ct if e in seeds else ct
        return self.in_tree.unflatten([g if g.dtype == float0 else wrap(g) for g in self.pull(seeds)])

    def pull(self, cotangents: dict[Equation, Any], release: bool = False) -> list[Any]:
        """The cotangents of all input leaves from those of the output equations, raw and unchecked.

        With `release` the residuals are given up on the way, and the pullback is used up.
        """
        return pulled(self.equations, self.inputs, cotangents, release)

    def __copy__(self) -> Pullback:
        return self

    def __deepcopy__(self, memo: Any) -> Pullback:
        return self

    def __reduce__(self) -> Any:
        oldest_first = tuple(reversed(self.equations))  # each finds its inputs pickled already, so nothing recurs
        return _unpickle, (oldest_first, self.inputs, self.in_tree, self.outputs, self.out_tree, self.name)

    def __repr__(self) -> str:
        ins = ", ".join(type_text(i) for i in self.inputs)
        outs = ", ".join(type_text(kind) for _, kind in self.outputs)
        return f"Pullback(({outs}) -> ({ins}), {len(self.tape)} equations, {self.tape.residual_bytes} bytes kept)"


def pulled(equations: list[Equation], inputs: Sequence[Any], cotangents: dict[Equation, Any], release: bool) -> list:
    """The backward walk, and what has then arrived at the inputs; see `Pullback.pull`."""
    looking = observer.get()
    (walk if looking is None else looking.walk)(equations, cotangents, release)
    found = []
    for i in inputs:
        if type(i) is not Equation:
            found.append(np.zeros(i.shape, float0))
        else:
            g = cotangents.get(i)
            g = zeros(i.shape, i.dtype) if g is None else g
            found.append(g.dense() if type(g) is not ndarray and isinstance(g, Deferred) else g)
    return found


def vjp(f: Callable, *primals: PyTree, has_aux: bool = False) -> tuple:
    """Evaluate a function and prepare its backward pass (vector-Jacobian products).

    Arguments:
        f: a function of pytrees of arrays that returns one.
        primals: its arguments. Integer leaves are passed to f as they are.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.

    Returns:
        `(result, pullback)`, or `(result, pullback, aux)`. `pullback(cotangent)` gives a tuple with the cotangent of
        each argument.

    Raises:
        ArgumentError: an argument or the result has a leaf that is no array.

    Example:
        >>> y, pullback = fg.vjp(fnp.multiply, 2.0, 5.0)
        >>> y, pullback(1.0)
        (Array(10., dtype=float64), (Array(5., dtype=float64), Array(2., dtype=float64)))

    Source: the convention is that of `jax.vjp` (https://docs.jax.dev/en/latest/_autosummary/jax.vjp.html).
    """
    values, in_tree = input_values(primals, "vjp")
    result, pullback, aux = record(f, values, in_tree, has_aux, "vjp")
    pullback.name = name_of(f)
    return (result, pullback, aux) if has_aux else (result, pullback)


def record(f: Callable, values: list[Any], in_tree: Any, has_aux: bool, name: str) -> tuple[PyTree, Pullback, PyTree]:
    """Run f on tracers; the work of `vjp`, for all that build on it. Gives (result, pullback, aux)."""
    inputs, results, ends, out_tree, aux = recorded(f, values, in_tree, has_aux, name)
    outputs = [(e, ShapeDtypeStruct(o.shape, o.dtype)) for e, o in zip(ends, results, strict=True)]
    return out_tree.unflatten(results), Pullback(inputs, in_tree, outputs, out_tree), aux


def recorded(
    f: Callable, values: list[Any], in_tree: Any, has_aux: bool, name: str, loans: Loans | None = None
) -> tuple[list[Any], list[Array], list[Equation | None], Any, PyTree]:
    """Run f on tracers, and no more.

    Arguments:
        f: a function.
        values, in_tree: its arguments, as `input_values` gives them.
        has_aux: whether it returns a pair (result, aux).
        name: of the transform.
        loans: those of a gradient, whose values and constants may be arrays of the caller.

    Returns:
        For each value its equation, or for an integer an Array; the leaves of the result, for each its equation, or
        None if it depends on none of the values, and their structure; aux.
    """
    trace = VjpTrace(name, loans)
    outer = current.get()
    try:
        trace.__enter__()
        tracers = [trace.input(v) if is_inexact(v.dtype) else wrap(v) for v in values]
        inputs = [t._eqn if type(t) is VjpTracer and t._trace is trace else t for t in tracers]
        out, aux = split_aux(f(*in_tree.unflatten(tracers)), has_aux, trace)
        outs, out_tree = output_values(out, name)
        ends = [o._eqn if o._trace is trace or trace.own(o) else None for o in outs]
        results = [o if e is None else wrap(o._value) for o, e in zip(outs, ends, strict=True)]
    except Exception as error:  # of any kind: what went wrong may be hidden in it
        uncover(error, error.__traceback__)
        raise
    finally:  # an interrupt can't come before the last call here (docs/design/scopes.md)
        trace.__class__ = DeadTrace  # type: ignore[assignment]  # all have the same slots
        current.set(outer)
    return inputs, results, ends, out_tree, aux


def _unpickle(oldest_first: tuple, inputs: tuple, in_tree: Any, outputs: tuple, out_tree: Any, name: str) -> Pullback:
    return Pullback(inputs, in_tree, outputs, out_tree, list(reversed(oldest_first)), name)


def _checked_cotangent(ct: Any, kind: Any, place: str) -> Any:
    """The raw value of a cotangent leaf, known to fit the output it belongs to."""
    where = f"the cotangent at {place}" if place else "the cotangent"
    if not is_inexact(kind.dtype):  # nothing flows back through an integer result
        if not (type(ct) in PYTHON_NUMBERS or hasattr(ct, "dtype")) or np.shape(ct) != kind.shape:
            raise ShapeError(
                f"{where} belongs to an integer result and must be of its shape {kind.shape}, such as "
                f"np.zeros({kind.shape}, funcgrad.float0); got {ct!r}"
            )
        return zeros(kind.shape, kind.dtype)
    if type(ct) in PYTHON_NUMBERS:
        ct = np.asarray(ct)
        if ct.dtype.kind == "c" and kind.dtype.kind != "c":
            raise ArgumentError(
                f"{where} must be of dtype {kind.dtype}, like the function's result; got the complex number {ct!s}. "
                f"Give its real part"
            )
        ct = ct.astype(kind.dtype)
    elif type(ct) is Array:
        ct = ct._value
    elif not isinstance(ct, Array):
        ct = leaf_value(ct, lambda: where)
    if ct.shape == kind.shape:
        ct = in_floats(ct, kind.dtype)
    if ct.shape != kind.shape or ct.dtype != kind.dtype:
        message = f"{where} must be of type {type_text(kind)}, like the function's result; got {type_text(ct)}. "
        says = as_in_jax(f"unexpected JAX type: got {type_text(ct)}, but expected {type_text(kind)}")
        if ct.shape != kind.shape:
            raise ShapeError(f"{message}Give it that shape{says}")
        raise ArgumentError(f"{message}Convert it with .astype({str(kind.dtype)!r}){says}")
    return ct


def _flatten_pullback(p: Pullback) -> tuple:
    arrays: list[Any] = []
    for e in p.equations:
        for found in _leaves_of(e):
            arrays += [wrap(x) for x in found]
    return arrays, Form(p, len(arrays), _with_residuals, _described)


def _described(p: Pullback) -> tuple:
    ends = [*p.inputs, *p.outputs]
    return p.equations, ends, (len(p.inputs), p.in_tree, p.out_tree)


def _with_residuals(p: Pullback, arrays: tuple) -> Pullback:
    """A pullback with other residuals: the same equations, linked to each other anew."""
    it = iter(arrays)
    copies: dict[Equation, Equation] = {}
    for e in p.equations:
        kept = []
        for r, found in zip(e.residuals, _leaves_of(e), strict=True):
            fresh = [_residual(next(it)) for _ in found]
            kept.append((tuple(fresh) if type(r) is tuple else fresh[0]) if fresh else r)
        copies[e] = equation(e.number, e.plan, e.inputs, e.params, tuple(kept), e.shape, e.dtype)
    for e in copies.values():
        e.inputs = tuple([copies[i] for i in e.inputs])
    inputs = [copies.get(i, i) if type(i) is Equation else i for i in p.inputs]
    outputs = [(None if e is None else copies[e], kind) for e, kind in p.outputs]
    return Pullback(inputs, p.in_tree, outputs, p.out_tree, list(copies.values()), p.name)


def _leaves_of(e: Equation) -> list[tuple]:
    """For each residual the arrays in it. A parameter, such as a fixed index, belongs to the program, not to them."""
    names = (e.plan and e.plan.names) or (None,) * len(e.residuals)
    return [() if n in e.params else _arrays_of(r) for n, r in zip(names, e.residuals, strict=True)]


def _arrays_of(residual: Any) -> tuple:
    """The arrays in a residual: itself, those of a tuple of operands, or none if it is metadata."""
    if type(residual) is tuple:
        return residual if residual and all(isinstance(x, (np.ndarray, np.generic, Array)) for x in residual) else ()
    return (residual,) if isinstance(residual, (np.ndarray, np.generic, Array)) else ()


def _residual(x: Any) -> Any:
    if isinstance(x, Array):
        return x._value if type(x) is Array else x
    return copied(x) if type(x) is ndarray else snapshot(x)


tree.register_pytree_node(Pullback, _flatten_pullback, Form.filled)

"""`Primitive`: one record that says everything about one operation, and the registry of them all.

A primitive is declared once, in the file of its family in `funcgrad/ops`, with

    impl       what NumPy does: a ufunc, or a function of raw arrays and keyword parameters;
    shape      the rule for shape and dtype of the result;
    vjp, jvp   the derivative rules, whose parameter names say what they need (see core/rules.py);
    batch      the batching rule, by which vmap runs it on many examples at once (see core/batching.py);
    samples    example arguments, from which every test of the primitive is made.

Arrays go positionally and parameters by keyword, so a tracer can only be in a positional place. There are four ways to
declare one, from the least to write to the most, and each takes a `Zero` or a `NotDifferentiable` in the place of a
rule, with the reason:

    elementwise(f, *rules)           one formula for each operand serves both modes, for the Jacobian is diagonal;
    linear(impl, transpose=...)      forward mode is the operation itself;
    multilinear(impl, *transposes)   linear in each operand alone, as matmul is;
    primitive(impl, vjp=, jvp=)      neither: both rules are written out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.array import Array
from funcgrad.core.plan import Plans
from funcgrad.core.rules import SAME_OPERATION, Joint, NotDifferentiable, Statement, Zero, joint, make_plan
from funcgrad.core.samples import Draw, Sample, samples_in
from funcgrad.core.trace import bind, zeros
from funcgrad.core.types import PYTHON_NUMBERS, ShapeDtypeStruct, dtype_of, shape_of

__all__ = [
    "SAME_OPERATION",
    "Draw",
    "NotDifferentiable",
    "Primitive",
    "Sample",
    "Zero",
    "broadcast_shape",
    "elements_shape",
    "elementwise",
    "joint",
    "linear",
    "multilinear",
    "primitive",
    "registry",
    "same_shape",
    "shape_by_evaluation",
    "ufunc_shape",
]

registry: dict[str, Primitive] = {}
"""Every primitive by its name; filled by the declarations in funcgrad/ops at import, read-only afterwards."""


class Primitive:
    """An operation that transforms know. Called with raw arrays it computes; with tracers it goes to their trace."""

    __slots__ = (
        "batch",
        "dtypes",
        "impl",
        "infix",
        "jvp",
        "multiple",
        "name",
        "of_same",
        "operands",
        "plans",
        "preserves",
        "samples",
        "shape",
        "vjp",
    )

    def __init__(
        self,
        name: str,
        impl: Callable,
        *,
        operands: tuple[str, ...] | None,
        shape: Callable,
        vjp: Any,
        jvp: Any,
        samples: Callable[[Draw], Iterable[Sample]],
        dtypes: str,
        multiple: bool,
        preserves: bool,
        batch: Callable | None,
        infix: Callable | None,
        of_same: Primitive | None,
    ) -> None:
        self.batch = batch
        self.infix, self.of_same = infix or impl, of_same
        self.name, self.impl, self.operands, self.shape = name, impl, operands, shape
        self.vjp, self.jvp, self.samples, self.dtypes = vjp, jvp, samples, dtypes
        self.multiple, self.preserves = multiple, preserves
        self.plans = Plans(functools.partial(make_plan, self))
        if name in registry:
            raise ValueError(f"there is a primitive called {name!r} already")
        registry[name] = self

    def __call__(self, *args: Any, **params: Any) -> Any:
        return bind(self, args, params)

    @property
    def differentiable(self) -> bool:
        """Whether there is a formula for some operand."""
        return any(not isinstance(r, Statement) for r in self.rules)

    @property
    def rules(self) -> tuple:
        """The backward rule or statement of each operand, or one for all of them."""
        return self.vjp if isinstance(self.vjp, tuple) else (self.vjp,)

    def __repr__(self) -> str:
        return f"Primitive({self.name})"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return _lookup, (self.name,)


def _lookup(name: str) -> Primitive:
    return registry[name]


def primitive(
    impl: Callable,
    *,
    name: str | None = None,
    operands: str | Sequence[str] | None = "x",
    shape: Callable | None = None,
    vjp: Any,
    jvp: Any = None,
    samples: Callable[[Draw], Iterable[Sample]],
    dtypes: str = "fdFD",
    multiple: bool = False,
    preserves: bool = False,
    batch: Callable | None = None,
    infix: Callable | None = None,
    of_same: Primitive | None = None,
) -> Primitive:
    """Declare a primitive.

    Arguments:
        impl: computes the result from raw arrays (positional) and parameters (keyword).
        name: by default that of impl.
        operands: names of the positional arguments, separated by blanks, in the words that the rules use; None for
            any number of them, which the rules call `xs`.
        shape: takes what impl takes, with ShapeDtypeStructs for arrays, and gives a ShapeDtypeStruct (a tuple of them
            if there are several results). By default impl is run on arrays of zeros that take no memory.
        vjp: a rule, a sequence of rules (one for each operand), or `joint(rule)`. In the place of a rule `Zero(reason)`
            states that the derivative is zero, and `NotDifferentiable(reason)` that asking for it is an error.
        jvp: likewise, with the same statements; SAME_OPERATION where the operation is linear in that operand. Left out
            if there is no formula.
        samples: takes a `Draw`, gives the Samples from which the tests of this primitive are made.
        dtypes: one-letter codes of the dtypes that the samples are drawn in.
        multiple: whether impl gives a tuple of results.
        preserves: whether a cotangent of the result's shape and dtype gives, by every rule, cotangents of that shape
            and dtype; then they need no fitting to operands that are like the result.
        batch: the batching rule (see core/batching.py); without one vmap runs it example by example.
        infix: Python's operator for it, or another function that gives the same where an operand is an ndarray or a
            float64, and sooner. NumPy multiplies two of its scalars in 30 ns by the operator, in 450 by the ufunc.
        of_same: of an operation with two operands, the primitive with one that gives the same if both are one array.
            vjp records that instead: x * x gets one cotangent, and not two equal ones to be added up.

    Returns:
        The primitive, which is in the registry.
    """
    if isinstance(operands, str):
        operands = operands.split()
    names = None if operands is None else tuple(operands)
    name = name or impl.__name__.lstrip("_")
    back = _rules(vjp, name, names)
    forth = _rules(vjp if _statements(back) and jvp is None else jvp, name, names)
    for i, operand in enumerate(names or ()):
        r, s = (rules[i] if isinstance(rules, tuple) else rules for rules in (back, forth))
        one_states = isinstance(r, Statement) or isinstance(s, Statement)
        if one_states and type(r) is not type(s) and not (isinstance(r, Joint) or isinstance(s, Joint)):
            raise TypeError(f"{name}: the modes must state the same of the operand {operand}, got {r!r} and {s!r}")
    return Primitive(
        name,
        impl,
        operands=names,
        shape=shape or shape_by_evaluation(impl, multiple),
        vjp=back,
        jvp=forth,
        samples=samples,
        dtypes=dtypes,
        multiple=multiple,
        preserves=preserves,
        batch=batch,
        infix=infix,
        of_same=of_same,
    )


def _rules(given: Any, name: str, operands: tuple[str, ...] | None) -> Any:
    """One rule for each operand, or a rule for all of them, from the ways in which they may be written.

    Raises:
        TypeError: an operand has neither a rule nor a statement.
    """
    if isinstance(given, (Joint, Statement)):
        return given
    rules = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for i, rule in enumerate(rules):
        if not (callable(rule) or rule is SAME_OPERATION or isinstance(rule, Statement)):
            raise TypeError(
                f"{name}: operand {i} must have a rule in each mode, or a statement, Zero(reason) or "
                f"NotDifferentiable(reason), got {rule!r}"
            )
    if operands is None or len(rules) != len(operands):
        raise TypeError(
            f"{name} has operands {operands or 'xs'}, but {len(rules)} rules; mark one for all with joint()"
        )
    return rules


def _statements(rules: Any) -> bool:
    """Whether there is no formula among these."""
    return isinstance(rules, Statement) or (isinstance(rules, tuple) and all(isinstance(r, Statement) for r in rules))


def elementwise(
    f: Callable,
    *rules: Any,
    name: str | None = None,
    operands: str | None = None,
    shape: Callable | None = None,
    low: float = -2.0,
    high: float = 2.0,
    samples: Callable[[Draw], Iterable[Sample]] | None = None,
    dtypes: str | None = None,
    preserves: bool | None = None,
    infix: Callable | None = None,
    of_same: Primitive | None = None,
) -> Primitive:
    """Declare an elementwise operation: a function whose operands broadcast and, for each operand, its derivative.

    Arguments:
        f: what computes it: a ufunc, or a function of raw arrays and keyword parameters.
        rules: for each operand a function `(g, ...)` that gives g times the partial derivative with respect to that
            operand. It serves both modes: the Jacobian is diagonal, so it is its own transpose. Or a statement, `Zero`
            or `NotDifferentiable`.
        name: by default that of f, without leading underscores.
        operands: their names, separated by blanks; by default x, y and z; more than three must be named.
        shape: the rule for shape and dtype. By default shapes broadcast, and NumPy says which dtype a ufunc gives; any
            other function is taken to give the common dtype of its operands.
        low, high: where the samples of the operands lie.
        samples: by default arrays of several shapes, broadcast against each other if there are several operands.
        dtypes: of the samples; by default those floating and complex dtypes that a ufunc has, and the real ones.
        preserves: as for `primitive`; by default True for a ufunc, which absolute of a complex array says no to, and
            False for any other function, whose rules may give another dtype.
        infix, of_same: as for `primitive`.

    Returns:
        The primitive.

    Raises:
        TypeError: an operand has neither a rule nor a statement, or no name.

    Example:
        cos = elementwise(np.cos, lambda g, x: -g * np.sin(x))
    """
    if isinstance(f, np.ufunc):
        count, multiple, its_shape, its_dtypes = f.nin, f.nout > 1, ufunc_shape(f), _inexact_dtypes(f)
    else:
        count, multiple, its_shape, its_dtypes = len(rules), False, broadcast_shape, "fd"
    name = name or f.__name__.lstrip("_")
    if operands is None and count > 3:
        raise TypeError(f"{name} has {count} operands, of which only three have names by default: give `operands`")
    names = tuple(operands.split()) if operands else ("x", "y", "z")[:count]
    drawn = samples_in(*[(low, high)] * count) if count > 2 else lambda draw: draw.elementwise(count, low, high)
    both = _rules(rules, name, names)
    return Primitive(
        name,
        f,
        operands=names,
        shape=shape or its_shape,
        vjp=both,
        jvp=both,
        samples=samples or drawn,
        dtypes=its_dtypes if dtypes is None else dtypes,
        multiple=multiple,
        preserves=isinstance(f, np.ufunc) if preserves is None else preserves,
        batch=batching.elementwise,
        infix=infix,
        of_same=of_same,
    )


def _inexact_dtypes(ufunc: np.ufunc) -> str:
    """The codes of the floating and complex dtypes that a ufunc has a loop for, all operands being of one."""
    loops = {t[: ufunc.nin] for t in ufunc.types}
    return "".join(c for c in "fdFD" if c * ufunc.nin in loops)


def linear(
    impl: Callable,
    *,
    transpose: Any,
    name: str | None = None,
    operands: str | None = "x",
    shape: Callable | None = None,
    samples: Callable[[Draw], Iterable[Sample]],
    dtypes: str = "fdFD",
    batch: Callable | None = None,
    infix: Callable | None = None,
) -> Primitive:
    """Declare an operation that is linear in its operand: forward mode is the operation itself.

    Arguments:
        transpose: the backward rule `(g, ...)`: the transposed linear map applied to g. With several operands a tuple,
            of a rule for each in which the operation is linear, and a statement for the others. With `operands=None`,
            any number in which it is linear together, a rule that gives a sequence of cotangents.
        impl, name, operands, shape, samples, dtypes, batch, infix: as for `primitive`.

    Returns:
        The primitive.
    """
    if operands is None:

        def pushforward(tangents: tuple, xs: tuple, params: dict) -> Any:
            return made(*[_zeros_like(x) if t is None else t for t, x in zip(tangents, xs, strict=True)], **params)

        vjp: Any = joint(transpose)
        jvp: Any = joint(pushforward)
    else:
        vjp = transpose if isinstance(transpose, tuple) else (transpose,)
        jvp = tuple(r if isinstance(r, Statement) else SAME_OPERATION for r in vjp)
    made = primitive(
        impl,
        name=name,
        operands=operands,
        shape=shape,
        vjp=vjp,
        jvp=jvp,
        samples=samples,
        dtypes=dtypes,
        batch=batch,
        infix=infix,
    )
    return made


def multilinear(
    impl: Callable,
    *,
    transpose: Any,
    name: str | None = None,
    operands: str | None,
    shape: Callable | None = None,
    samples: Callable[[Draw], Iterable[Sample]],
    dtypes: str = "fdFD",
    batch: Callable | None = None,
    infix: Callable | None = None,
) -> Primitive:
    """Declare an operation that is linear in each operand while the others are held, as matmul and einsum are.

    It is `linear` with a rule for every operand, by its own name.

    Arguments:
        transpose: a tuple of backward rules, one for each operand.
        impl, name, operands, shape, samples, dtypes, batch, infix: as for `primitive`.

    Returns:
        The primitive. Its forward mode is the product rule: the operation with one operand replaced by its tangent,
        added up over the operands.
    """
    return linear(
        impl,
        transpose=transpose,
        name=name,
        operands=operands,
        shape=shape,
        samples=samples,
        dtypes=dtypes,
        batch=batch,
        infix=infix,
    )


def _zeros_like(x: Any) -> np.ndarray:
    return zeros(shape_of(x), dtype_of(x))


# Shape rules that many primitives share.


def ufunc_shape(ufunc: np.ufunc) -> Callable:
    """The shape rule of a ufunc: shapes broadcast, and NumPy itself says the dtype (NEP 50)."""

    found: dict[tuple, tuple] = {}  # the dtypes of the results by those of the operands

    def shape(*xs: Any) -> Any:
        kinds = tuple([type(x) if type(x) in PYTHON_NUMBERS else dtype_of(x) for x in xs])
        dtypes = found.get(kinds)
        if dtypes is None:
            given = tuple([np.dtype(bool) if k is bool else k for k in kinds])
            dtypes = found[kinds] = ufunc.resolve_dtypes(given + (None,) * ufunc.nout)[ufunc.nin :]
        out = _broadcast(xs)
        return ShapeDtypeStruct(out, dtypes[0]) if ufunc.nout == 1 else tuple(ShapeDtypeStruct(out, d) for d in dtypes)

    return shape


def shape_by_evaluation(impl: Callable, multiple: bool = False) -> Callable:
    """A shape rule that runs the operation on zeros of stride zero: right for all that moves or indexes elements."""

    def shape(*xs: Any, **params: Any) -> Any:
        out = impl(*[_dummy(x) for x in xs], **params)
        return (
            tuple(ShapeDtypeStruct(o.shape, o.dtype) for o in out)
            if multiple
            else ShapeDtypeStruct(out.shape, out.dtype)
        )

    return shape


def elements_shape(impl: Callable) -> Callable:
    """The shape rule of an elementwise operation: shapes broadcast, and one element tells the dtype."""

    def shape(*xs: Any, **params: Any) -> ShapeDtypeStruct:
        one = [x if type(x) in PYTHON_NUMBERS else np.zeros((1,) * len(shape_of(x)), dtype_of(x)) for x in xs]
        return ShapeDtypeStruct(_broadcast(xs), impl(*one, **params).dtype)

    return shape


def broadcast_shape(*xs: Any, **params: Any) -> ShapeDtypeStruct:
    """The shape rule of an elementwise operation that gives the common dtype of its operands: shapes broadcast."""
    kinds = [x if type(x) in PYTHON_NUMBERS else dtype_of(x) for x in xs]
    return ShapeDtypeStruct(_broadcast(xs), np.result_type(*kinds))


def same_shape(x: Any, **params: Any) -> ShapeDtypeStruct:
    """The shape rule of an operation whose result is like its first operand."""
    return ShapeDtypeStruct(shape_of(x), dtype_of(x))


def _broadcast(xs: tuple) -> tuple[int, ...]:
    shapes = [shape_of(x) for x in xs]
    return shapes[0] if all(s == shapes[0] for s in shapes) else np.broadcast_shapes(*shapes)


def _dummy(x: Any) -> Any:
    """An array of zeros that takes no memory, made in a tenth of the time that broadcast_to takes."""
    if isinstance(x, (ShapeDtypeStruct, Array)):
        return np.ndarray(x.shape, x.dtype, _ZERO, 0, (0,) * len(x.shape))
    return x


_ZERO = bytes(64)

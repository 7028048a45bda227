"""Equations and tapes: what a trace writes down, as data.

An `Equation` is one application of a primitive: which primitive, from which equations its operands came, the
parameters, and what the derivative rules asked to keep. Equations are linked to those of their inputs and numbered in
the order of recording, and nothing else holds them: what the result does not depend on is freed while the function
still runs.

A `Tape` is the view of all equations that some outputs depend on, sorted by number: a program. It prints itself, counts
its equations and bytes, evaluates, and prints as Python source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from types import CodeType
from typing import Any

import numpy as np

from funcgrad.callers import line_of
from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.plan import Plan
from funcgrad.core.trace import observer
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.errors import ArgumentError, ShapeError, TreeError

_number = attrgetter("number")


class Equation:
    """One recorded application of a primitive, or an input of the tape if `plan` is None.

    Attributes:
        number: its place in the order of recording; a half for one that was put before another later.
        plan: the primitive, and which of its operands are linked.
        inputs: the equations of the linked operands; on a tape of make_tape, for each operand its equation or,
            if it is a constant, its value.
        params: the parameters of the primitive.
        residuals: what the rules named, in the order of `plan.names`.
        shape, dtype: of the result.
    """

    __slots__ = ("dtype", "inputs", "number", "params", "plan", "residuals", "shape")

    number: float
    plan: Plan | None
    inputs: tuple
    params: dict[str, Any]
    residuals: tuple
    shape: Any
    dtype: Any

    @property
    def primitive(self) -> Any:
        """The primitive, or None for an input."""
        return None if self.plan is None else self.plan.primitive

    @property
    def picks(self) -> int | None:
        """Which of the results of its one input it is; None for an operation and for an input of the tape."""
        return None if self.plan is None else self.plan.picks

    @property
    def operation(self) -> Equation:
        """The equation of the operation that gives this result: itself, or its input if it picks one of several."""
        return self if self.picks is None else self.inputs[0]

    @property
    def kept(self) -> dict[str, Any]:
        """What this equation keeps for the derivative rules, by the names that they use."""
        names = () if self.plan is None else self.plan.names
        return {n: _shown(r) for n, r in zip(names, self.residuals, strict=False)}  # those of a call have no names

    def operands(self) -> tuple:
        """For each operand its equation; on a tape of vjp, None for those that are constants."""
        if self.plan is None or len(self.inputs) == len(self.plan.operands):
            return self.inputs
        found: list[Any] = [None] * len(self.plan.operands)
        for i, e in zip(self.plan.linked, self.inputs, strict=True):
            found[i] = e
        return tuple(found)

    def __repr__(self) -> str:
        name = "input" if self.plan is None else self.primitive.name
        return f"<Equation {self.number}: {name} -> {self.dtype}[{','.join(map(str, self.shape))}]>"


def equation(
    number: float, plan: Plan | None, inputs: tuple, params: dict[str, Any], residuals: tuple, shape: Any, dtype: Any
) -> Equation:
    """A new Equation with these fields."""
    e = Equation()
    e.number, e.plan, e.inputs, e.params = number, plan, inputs, params
    e.residuals, e.shape, e.dtype = residuals, shape, dtype
    return e


class Symbol(Plan):
    """The plan of an equation without derivatives: just the primitive and how many operands it has.

    Arguments:
        primitive, n: the primitive, and how many.
        spot: the user's code that applied it, and how far it was, or file and number of the line, if that is known.
        scope: the names of the scopes in which it was applied (funcgrad.named_scope).
    """

    __slots__ = ("place", "scope", "spot")

    def __init__(
        self,
        primitive: Any,
        n: int,
        spot: tuple[CodeType, int] | tuple[str, int] | None = None,
        scope: tuple[str, ...] = (),
    ) -> None:
        self.primitive, self.operands, self.linked, self.single = primitive, (None,) * n, (), False
        self.spot, self.place, self.scope = spot, None, scope

    @property
    def line(self) -> tuple[str, int] | None:  # type: ignore[override]  # found when it is asked for
        if self.spot is None:
            return None
        code, at = self.spot
        return (code, at) if isinstance(code, str) else line_of(code, at)

    def __reduce__(self) -> Any:
        return Symbol, (self.primitive, len(self.operands), self.line, self.scope)

    def same_as(self, other: Any) -> bool:
        return self.primitive is other.primitive and len(self.operands) == len(other.operands)


def reachable(outputs: Iterable[Equation]) -> list[Equation]:
    """All equations that these depend on, the newest first: the order of the backward walk. Without recursion."""
    seen = set(outputs)
    order = list(seen)
    for e in order:  # the list grows while it is read
        for i in e.inputs:
            if type(i) is Equation and i not in seen:
                seen.add(i)
                order.append(i)
    order.sort(key=_number, reverse=True)
    return order


class Tape:
    """A program: inputs, equations in the order in which they are computed, outputs.

    `make_tape` gives tapes that can be called; the tape of a pullback shows what was recorded for the backward walk, in
    which constants are not kept, so it prints and counts but does not evaluate.

    Attributes:
        inputs: one Equation for each array argument.
        equations: the others, sorted.
        outputs: for each result its Equation, or a value if it does not depend on the inputs.
        in_tree, out_tree: the structures of arguments and result.
        effects: equations that belong to the program for what they do, such as printing.

    Example:
        >>> tape = fg.make_tape(lambda x: fnp.sum(fnp.sin(x) * x))(fnp.ones(3))
        >>> print(tape)
        tape(a: float64[3]):
          b: float64[3] = sin(a)
          c: float64[3] = multiply(b, a)
          d: float64[] = reduce_sum(c, axis=(0,))
          return d
        >>> tape(fnp.zeros(3))
        Array(0., dtype=float64)
    """

    __slots__ = ("_dead", "_primitives", "effects", "equations", "in_tree", "inputs", "out_tree", "outputs", "symbolic")

    def __init__(
        self,
        inputs: Sequence[Equation],
        outputs: Sequence[Any],
        in_tree: Any,
        out_tree: Any,
        *,
        symbolic: bool,
        effects: Sequence[Equation] = (),
    ) -> None:
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.in_tree, self.out_tree, self.symbolic = in_tree, out_tree, symbolic
        self.effects = tuple(effects)
        found = reachable([*[o for o in self.outputs if type(o) is Equation], *self.effects])
        self.equations = tuple(e for e in reversed(found) if e.plan is not None)
        self._dead: list[list[Equation]] | None = None
        self._primitives: frozenset | None = None

    def __len__(self) -> int:
        return len(self.equations)

    def __iter__(self) -> Iterator[Equation]:
        return iter(self.equations)

    @property
    def primitives(self) -> frozenset:
        """The operations that occur, each once."""
        if self._primitives is None:
            self._primitives = frozenset([e.plan.primitive for e in self.equations if e.plan is not None])
        return self._primitives

    @property
    def residual_bytes(self) -> int:
        """The bytes of the arrays that the equations keep; memory that several of them share counts once."""
        owners: dict[int, int] = {}
        for e in self.equations:
            for r in e.residuals:
                for x in r if type(r) is tuple else (r,):
                    x = _array_in(x)
                    if isinstance(x, np.ndarray):
                        owner = x
                        while isinstance(owner.base, np.ndarray):
                            owner = owner.base
                        owners[id(owner)] = owner.nbytes
                    elif isinstance(x, np.generic):
                        owners[id(x)] = x.nbytes
        return sum(owners.values())

    def __call__(self, *args: Any) -> Any:
        """Evaluate the program: what the recorded function gives for these arguments.

        Raises:
            TreeError: the arguments have another structure than those it was recorded with.
            ShapeError: an argument has another shape.
            ArgumentError: an argument has another dtype, or the tape is one of a pullback.
        """
        if not self.symbolic:
            raise ArgumentError(
                "the tape of a pullback keeps what the backward rules need, not the whole program, so it cannot be "
                "evaluated; funcgrad.make_tape(f)(*args) gives a tape that can"
            )
        leaves, in_tree = tree.flatten(args)
        if in_tree != self.in_tree:
            raise TreeError(f"this tape takes arguments of structure {self.in_tree}, got {in_tree}")
        values = [self._argument(e, x, args, i) for i, (e, x) in enumerate(zip(self.inputs, leaves, strict=True))]
        return self.out_tree.unflatten(self.run(values))

    def run(self, values: Sequence[Any], apply: Callable[[Equation, list[Any]], Any] | None = None) -> list[Any]:
        """The results for these values of the inputs, all of them flat and unchecked.

        Arguments:
            values: of the inputs.
            apply: carries out an equation on its operands, if something else is to be done than what it says.
        """
        looking = observer.get()
        if looking is not None:
            return looking.run(self, values, apply)
        env: dict[Equation, Any] = dict(zip(self.inputs, values, strict=True))
        for e, dead in zip(self.equations, self.last_uses(), strict=True):
            operands = [env[i] if type(i) is Equation else i for i in e.inputs]
            env[e] = e.primitive(*operands, **e.params) if apply is None else apply(e, operands)
            for i in dead:
                del env[i]
        return [env[o] if type(o) is Equation else wrap(o) for o in self.outputs]

    def last_uses(self) -> list[list[Equation]]:
        """For each equation those that are read by none after it."""
        if self._dead is None:
            read = {o for o in self.outputs if type(o) is Equation}
            self._dead = []
            for e in reversed(self.equations):
                found = {i for i in e.inputs if type(i) is Equation} - read
                read |= found
                self._dead.append(list(found))
            self._dead.reverse()
        return self._dead

    def _argument(self, e: Equation, x: Any, args: tuple, i: int) -> Array:
        """The i-th leaf of args as an Array like the input e. A Python number takes on the dtype if that holds it."""

        def place() -> str:
            return tree.argument_place(tree.leaves_with_path(args)[i][0])

        if not isinstance(x, Array):
            weak = type(x) in PYTHON_NUMBERS and np.result_type(x, e.dtype) == e.dtype
            try:
                x = Array(x, e.dtype if weak else None)
            except ArgumentError as error:
                raise ArgumentError(f"this tape: {place()}: {error}") from None
        if x.shape != e.shape:
            raise ShapeError(f"this tape takes shape {e.shape} for {place()}, got {x.shape}")
        if x.dtype != e.dtype:
            raise ArgumentError(f"this tape takes dtype {e.dtype} for {place()}, got {x.dtype}")
        return x

    # The ways in which it shows itself are installed by funcgrad.draw, which knows how to print and draw.


def _shown(x: Any) -> Any:
    """A read-only view of a residual."""
    if type(x) is tuple:
        return tuple([_shown(e) for e in x])
    return wrap(x) if isinstance(x, (np.ndarray, np.generic)) else x


def _array_in(x: Any) -> Any:
    while isinstance(x, Array):
        x = x._value
    return x

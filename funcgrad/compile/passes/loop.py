"""A scan on a tape, taken apart, so that passes can change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.compile.rewrite import rewrite
from funcgrad.core.tape import Equation, Symbol, Tape, equation, reachable
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.results import Projection


def is_scan(e: Equation) -> bool:
    """Whether an equation is a scan whose step is a tape."""
    body = getattr(e.primitive, "body", None)
    return isinstance(e.primitive, ControlFlow) and type(body) is Scan and type(body.step) is TapeBody


class Loop:
    """A scan that is being changed.

    Arguments:
        e: the equation.
        inputs: its operands on the new tape.
        number: gives the numbers of new equations there, in order.

    Attributes:
        constants: inputs of the step that are the same in each, and what they are outside.
        carry: by number, the input of the step and its first value outside.
        rows: inputs of the step that differ, and the arrays outside whose rows they are.
        outputs: of the step: those with the number of a carry are the next one, those of the others are joined.
        effects: equations of the step that do something beside computing.
        results: what gives the results of the equation e on the new tape, by their numbers.
        after: what is to be done when the new equation is there, the last first, for it may give what others need.
    """

    def __init__(self, e: Equation, inputs: tuple, number: Callable[[], int]) -> None:
        scan: Scan = e.primitive.body
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        self.name, self.length, self.reverse, self.number = e.primitive.name, scan.length, scan.reverse, number
        self.constants: dict[Equation, Any] = dict(zip(tape.inputs[:n], inputs[:n], strict=True))
        self.carry = dict(enumerate(zip(tape.inputs[n:m], inputs[n:m], strict=True)))
        self.rows: dict[Equation, Any] = dict(zip(tape.inputs[m:], inputs[m:], strict=True))
        self.outputs: dict[int, Any] = dict(enumerate(tape.outputs))
        self.effects = tape.effects
        self.results: dict[int, Any] = {}
        self.after: list[Callable[[], None]] = []
        self._unused = len(tape.outputs)

    def step(self) -> Tape:
        """The step as it is now."""
        inputs = [*self.constants, *[i for i, _ in self.carry.values()], *self.rows]
        return Tape(inputs, list(self.outputs.values()), None, None, symbolic=True, effects=self.effects)

    def change(self, rule: Callable[[Equation, tuple], Any], known: dict[Equation, Any] | None = None) -> None:
        """Rewrite the step; arguments as for `rewrite`."""
        tape = rewrite(self.step(), rule, known)
        self.outputs = dict(zip(self.outputs, tape.outputs, strict=True))
        self.effects = tape.effects

    def emit(self, primitive: Any, inputs: tuple, shape: tuple[int, ...], dtype: Any, /, **params: Any) -> Equation:
        """A new equation outside."""
        return equation(self.number(), Symbol(primitive, len(inputs)), inputs, params, (), shape, dtype)

    def join(self, x: Equation) -> int:
        """The number of a result, perhaps a new one, that has a value of the step as its rows."""
        known = self.joined(x)
        if known is not None:
            return known
        self.outputs[self._unused] = x
        self._unused += 1
        return self._unused - 1

    def joined(self, x: Equation) -> int | None:
        """The number of the result that has a value of the step as its rows, if there is one."""
        return next((k for k, o in self.outputs.items() if o is x and k not in self.carry), None)

    def close(self) -> Equation:
        """The new equation. What it gives, and what follows from that, is among the results then."""
        reached = set(reachable([*[o for o in self.outputs.values() if type(o) is Equation], *self.effects]))
        held = [i for i in self.constants if i in reached]
        rows = [i for i in self.rows if i in reached]
        order = [*self.carry, *[k for k in self.outputs if k not in self.carry]]
        outputs = [self.outputs[k] for k in order]
        parts = [*held, *[i for i, _ in self.carry.values()], *rows]
        tape = Tape(parts, outputs, None, None, symbolic=True, effects=self.effects)
        scan = Scan(TapeBody(tape), len(held), len(self.carry), self.length, self.reverse)
        operands = (
            *[self.constants[i] for i in held],
            *[first for _, first in self.carry.values()],
            *[self.rows[i] for i in rows],
        )
        heads = [() if k in self.carry else (self.length,) for k in order]
        shapes = tuple([(*head, *shape_of(o)) for head, o in zip(heads, outputs, strict=True)])
        dtypes = tuple([dtype_of(o) for o in outputs])
        plan = Symbol(ControlFlow(scan, self.name), len(operands))
        new = equation(self.number(), plan, operands, {}, (), shapes, dtypes)
        for j, k in enumerate(order):
            part = Projection(new, j)
            self.results[k] = equation(self.number(), part, (new,), {"index": j}, (), shapes[j], dtypes[j])
        for finish in reversed(self.after):
            finish()
        return new

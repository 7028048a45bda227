"""From a tape to a Python function: one line for each operation, one function for each group of large ones."""

from __future__ import annotations

import builtins
import linecache
import math
import re
import weakref
from collections.abc import Callable, Collection, Sequence
from itertools import count
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from funcgrad.compile.bodies import is_plain
from funcgrad.compile.numpy_backend.groups import LARGE, Group, elementwise, schedule
from funcgrad.compile.numpy_backend.liveness import WRITES, Liveness, writes_late
from funcgrad.compile.numpy_backend.lowering import Names, call_on_raw, expression, literal, statement
from funcgrad.compile.numpy_backend.number_loops import scan_suits, scan_text, while_suits, while_text
from funcgrad.compile.numpy_backend.numbers import numbers_text, suitable
from funcgrad.compile.numpy_backend.tiles import Tiled
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.branches import Branches
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.results import Projection

_number = count(1).__next__


def program(tape: Tape) -> Callable[..., tuple]:
    """The kernel of a tape: a function of raw values that gives a tuple of them, with its `source`."""
    writer = Writer()
    return writer.compiled(writer.function(tape, "program"))


def arrays_program(tape: Tape) -> Callable[..., tuple]:
    """The kernel that calls NumPy for each equation or group of the tape, however small its arrays are."""
    writer = Writer()
    title = writer.names.reserved("program")
    writer._arrays(tape, title)
    return writer.compiled(title)


class Writer:
    """The source of a program under construction: functions that call each other, in one scope.

    Attributes:
        names: what they refer to.
        texts: of the functions that are written, in the order in which they are defined.
        groups: the names of functions that carry out groups, and these.
    """

    def __init__(self) -> None:
        self.names = Names()
        self.texts: list[str] = []
        self.groups: list[tuple[str, Tiled]] = []

    def function(self, tape: Tape, hint: str, own: Collection[Equation] = ()) -> str:
        """Write a tape down as a function of raw values that gives a tuple; returns its name.

        Arguments:
            tape, hint: the program, and what the function is called if that name is free.
            own: inputs that the function may write over.
        """
        title = self.names.reserved(hint)
        if suitable(tape):
            with_numpy = self._later(title, lambda writer, name: writer._arrays(tape, name))
            self.texts.append(numbers_text(tape, title, self.names, with_numpy))
        else:
            self._arrays(tape, title, own)
        return title

    def compiled(self, title: str) -> Callable[..., tuple]:
        """The function of this name, when all has been written."""
        source = "\n".join(self.texts)
        filename = f"<funcgrad program {_number()}>"
        scope = dict(self.names.scope) | {"__builtins__": builtins}  # NumPy's errors look for them
        tiles = {tiled.title: (name, tiled) for name, tiled in self.groups}
        # Each function gets what it names, and calls just those before it. In one scope for all they would hold each
        # other, and live on with the program's constants after its last reference is gone.
        for code in compile(source, filename, "exec").co_consts:
            if type(code) is CodeType:
                made = FunctionType(code, {n: scope[n] for n in ("__builtins__", *_names_in(code)) if n in scope})
                scope[code.co_name] = made
                if code.co_name in tiles:
                    name, tiled = tiles[code.co_name]
                    scope[name] = tiled.function(made)
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)  # for tracebacks
        made = scope[title]
        made.source = source
        weakref.finalize(made, linecache.cache.pop, filename, None).atexit = False
        return made

    def _later(self, title: str, write: Callable[[Writer, str], None]) -> str:
        """The name of a function that is written when it is first called, for few ever are."""
        made: list[Callable] = []

        def with_numpy(*args: Any) -> Any:
            if not made:
                writer = Writer()
                name = writer.names.reserved(f"{title}_with_numpy")
                write(writer, name)
                made.append(writer.compiled(name))
            return made[0](*args)

        return self.names.of(with_numpy, "with_numpy")

    def _call(self, call: Any) -> str:
        """The name of a function that does what a call does."""
        body = call.body
        if not is_plain(body) or type(call).evaluate not in (Call.evaluate, ControlFlow.evaluate):
            return self.names.of(call_on_raw(call), "call")
        if type(body) is TapeBody:
            return self.function(body.tape, "call_" + re.sub(r"\W", "_", call.name))
        title = self.names.reserved(call.name)
        if type(body) is Scan and scan_suits(body):
            with_numpy = self._later(title, lambda writer, name: writer._scan(body, name))
            self.texts.append(scan_text(body, title, self.names, with_numpy))
        elif type(body) is While and while_suits(body):
            with_numpy = self._later(title, lambda writer, name: writer._while(body, name))
            self.texts.append(while_text(body, title, self.names, with_numpy))
        else:
            write: Any = {Scan: self._scan, While: self._while, Branches: self._branches}[type(body)]
            write(body, title)
        return title

    def _scan(self, scan: Scan, title: str) -> None:
        """Write a loop over rows."""
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        own = _changed(tape, n, scan.carry)
        step = self.function(tape, "step", own)
        v = [f"v{k}" for k in range(len(tape.inputs))]
        ys = [f"y{k}" for k in range(len(tape.outputs) - scan.carry)]
        empty = self.names.of(np.empty, "empty")
        lines = [
            f"{y} = {empty}({(scan.length, *shape_of(o))!r}, {self.names.of(dtype_of(o), dtype_of(o).name)})"
            for y, o in zip(ys, tape.outputs[scan.carry :], strict=True)
        ]
        lines += self._copies(tape, own)
        numbers = f"{scan.length - 1}, -1, -1" if scan.reverse else scan.length
        targets = "".join([t + ", " for t in (*v[n:m], *[f"{y}[i]" for y in ys])])
        call = f"{step}({', '.join([*v[:m], *[f'{x}[i]' for x in v[m:]]])})"
        lines += [f"for i in range({numbers}):", f"    {targets}{'= ' if targets else ''}{call}"]
        lines.append(f"return ({''.join([t + ', ' for t in (*v[n:m], *ys)])})")
        self._text(title, v, lines)

    def _while(self, loop: While, title: str) -> None:
        """Write a loop that goes on as long as a function says so."""
        own = _changed(loop.step.tape, loop.constants, len(loop.step.tape.outputs))
        decide, step = self.function(loop.decide.tape, "decide"), self.function(loop.step.tape, "step", own)
        v = [f"v{k}" for k in range(len(loop.step.tape.inputs))]
        carry = "".join([x + ", " for x in v[loop.constants :]])
        lines = self._copies(loop.step.tape, own)
        lines.append(f"while {decide}({', '.join(v)})[0]:")
        lines.append(f"    {carry}{'= ' if carry else ''}{step}({', '.join(v)})")
        self._text(title, v, [*lines, f"return ({carry})"])

    def _copies(self, tape: Tape, own: Sequence[Equation]) -> list[str]:
        """The lines that copy inputs which the steps will change."""
        array = self.names.of(np.array, "array")
        return [f"v{k} = {array}(v{k}, order='C')" for k in map(tape.inputs.index, own)]

    def _branches(self, body: Branches, title: str) -> None:
        """Write a choice."""
        branches = [self.function(b.tape, "branch") for b in body.branches]
        v = [f"v{k}" for k in range(len(body.branches[0].tape.inputs) + 1)]
        chosen = f"({''.join([b + ', ' for b in branches])})[int({v[0]})]"
        self._text(title, v, [f"return {chosen}({', '.join(v[1:])})"])

    def _text(self, title: str, parameters: Sequence[str], lines: Sequence[str]) -> None:
        body = "".join([f"    {line}\n" for line in lines])
        self.texts.append(f"def {title}({', '.join(parameters)}):\n{body}")

    def _arrays(self, tape: Tape, title: str, own: Collection[Equation] = ()) -> None:
        """Write a tape as calls of NumPy, one for each equation or group."""
        names = self.names
        label = {e: f"v{k}" for k, e in enumerate(tape.inputs)}
        fresh = count(len(label)).__next__
        spare: list[str] = []  # names of values that nobody reads any more, for others
        plan = writes_late(schedule(tape))
        frugal = len(plan) > _LONG or _bytes(tape) > _MUCH

        def named(e: Equation) -> str:
            label[e] = spare.pop() if spare else f"v{fresh()}"
            return label[e]

        outputs = {o for o in tape.outputs if type(o) is Equation}
        live = Liveness(plan, outputs, own)
        given: set[Equation] = set()  # what earlier groups gave; a later one may compute it again for itself
        stretched = _stretched(plan)
        wide: dict[tuple[Equation, tuple[int, ...]], str] = {}
        lines: list[str] = []
        for k, step in enumerate(plan):
            if isinstance(step, Group):
                needed = [e for e in step.members if (e in outputs or e in live.read) and e not in given]
                given.update(needed)
                group = names.reserved(f"group_{len(self.groups) + 1}")
                tiled = Tiled(step, needed, names, f"{group}_tiles", live.lent(k, step))
                self.groups.append((group, tiled))
                self.texts.append(tiled.text)
                operands: Sequence[Any] = tiled.operands
                call = f"{group}({', '.join(label[i] for i in operands)})"
                lines.append(f"{', '.join([named(e) for e in (*needed, *step.reductions)])}, = {call}")
                dead = live.dead(k, operands)
                taken = [e for e in dead if e in tiled.taken.values()]  # whose memory a result has now
                dead = [e for e in dead if e not in taken]
            elif isinstance(step.plan, Projection):  # it has been unpacked
                continue
            else:
                operands = step.inputs
                dead, taken = live.dead(k, operands), []
                args = [label[i] if type(i) is Equation else literal(i, "constant", names) for i in operands]
                for n, i in enumerate(operands):
                    key = (i, step.shape)
                    if type(i) is Equation and key in stretched:
                        if key not in wide:
                            wide[key] = f"wide_{len(wide) + 1}"
                            shape = names.of(np.broadcast_to, "broadcast_to")
                            lines.append(f"{wide[key]} = {shape}({label[i]}, {step.shape!r}).copy()")
                        args[n] = wide[key]
                if isinstance(step.dtype, tuple):
                    if isinstance(step.primitive, Call):
                        text = f"{self._call(step.primitive)}({', '.join(args)})"
                    else:
                        text = expression(step, args, names)
                    found = live.results.get(step, [])
                    parts = {r.plan.index: named(r) for r in found}
                    targets = "".join([f"{parts.get(j, '_')}, " for j in range(len(step.dtype))]) if parts else ""
                    lines.append(f"{targets}{'= ' if targets else ''}{text}")
                    lines += [f"{label[r]} = {parts[r.plan.index]}" for r in found if label[r] != parts[r.plan.index]]
                else:
                    place = live.place(k, step, dead, label)
                    if place is None:
                        lines.append(f"{named(step)} = {expression(step, args, names)}")
                    else:
                        label[step] = place
                        lines.append(statement(step, args, place, names))
            gone = [*live.keep(k, dead, label), *taken]
            freed = [label[e] for e in gone if len(gone) >= _MANY or math.prod(e.shape) >= LARGE] + live.unused
            if freed:
                lines.append("del " + ", ".join(freed))
            if frugal:
                spare += [label[e] for e in gone] + live.unused
            live.unused.clear()
        values = [label[o] if type(o) is Equation else literal(o, "constant", names) for o in tape.outputs]
        self._text(title, [label[i] for i in tape.inputs], [*lines, f"return ({''.join(v + ', ' for v in values)})"])


def _names_in(code: CodeType) -> list[str]:
    """The names that a function may look up, comprehensions in it included."""
    return [*code.co_names, *[n for c in code.co_consts if type(c) is CodeType for n in _names_in(c)]]


def _changed(tape: Tape, constants: int, carry: int) -> list[Equation]:
    """Carried inputs that a step only updates; the loop owns them and may write them in place."""
    found = []
    for i, o in zip(tape.inputs[constants : constants + carry], tape.outputs[:carry], strict=True):
        e = o
        while type(e) is Equation and e.primitive in WRITES:
            e = e.inputs[0]
        if e is i and o is not i and sum([x is o for x in tape.outputs[:carry]]) == 1:
            found.append(i)
    return found


_LONG = 100  # steps from which names are used again, so that small arrays are freed as well
_MANY = 4  # values that are freed at once rather than when their names are used again
_MUCH = 1 << 16  # bytes of all values from which they are, too
_OFTEN = 8  # uses from which it is worth stretching a small operand once


def _bytes(tape: Tape) -> int:
    sizes = [(e.shape, e.dtype) for e in tape.equations if not isinstance(e.dtype, tuple)]
    return sum([math.prod(shape) * dtype.itemsize for shape, dtype in sizes])


def _stretched(plan: list[Equation | Group]) -> set[tuple[Equation, tuple[int, ...]]]:
    """Operands that many small operations stretch to the same shape, which costs more than to compute with them."""
    counts: dict[tuple[Equation, tuple[int, ...]], int] = {}
    for e in plan:
        if isinstance(e, Group) or isinstance(e.plan, Projection) or not elementwise(e):
            continue
        for i in e.inputs:
            if type(i) is Equation and i.shape != e.shape and i.shape and math.prod(e.shape) <= LARGE:
                counts[i, e.shape] = counts.get((i, e.shape), 0) + 1
    return {key for key, n in counts.items() if n >= _OFTEN}

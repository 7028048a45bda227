"""From a tape to a Python function: one line for each operation, one function for each group of large ones."""

from __future__ import annotations

import builtins
import linecache
import re
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from funcgrad.compile.backends import bearer
from funcgrad.compile.bodies import is_plain
from funcgrad.compile.numpy_backend.array_loops import Step, scan_lines
from funcgrad.compile.numpy_backend.arrays import NOWHERE, ArrayLines
from funcgrad.compile.numpy_backend.formulas import written_out
from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.compile.numpy_backend.liveness import WRITES
from funcgrad.compile.numpy_backend.lowering import Names, call_on_raw
from funcgrad.compile.numpy_backend.moves import small_moves
from funcgrad.compile.numpy_backend.number_loops import scan_suits, scan_text, while_suits, while_text
from funcgrad.compile.numpy_backend.number_programs import loops_text
from funcgrad.compile.numpy_backend.numbers import numbers_text, suitable
from funcgrad.compile.numpy_backend.target import GroupPart, Target
from funcgrad.compile.numpy_backend.tiles import Tiled
from funcgrad.core.tape import Equation, Tape
from funcgrad.lax.branches import Branches
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call

_number = count(1).__next__


def program(tape: Tape, target: Target | None = None) -> Callable[..., tuple]:
    """The kernel of a tape: a function of raw values that gives a tuple of them, with its `source`.

    Arguments:
        tape: the program.
        target: who may carry out parts of it.
    """
    writer = Writer(target)
    return writer.compiled(writer.function(tape, "program"))


def arrays_program(tape: Tape) -> Callable[..., tuple]:
    """The kernel that calls NumPy for each equation or group of the tape, however small its arrays are."""
    writer = Writer()
    title = writer.names.reserved("program")
    writer._arrays(tape, title)
    return writer.compiled(title)


class Writer:
    """The source of a program under construction: functions that call each other, in one scope.

    Arguments:
        target: who is asked first for parts of it.

    Attributes:
        names: what they refer to.
        texts: of the functions that are written, in the order in which they are defined.
        groups: the names of functions that carry out groups, and these.
    """

    def __init__(self, target: Target | None = None) -> None:
        self.target = target
        self.names = Names()
        self.texts: list[str] = []
        self.groups: list[tuple[str, Tiled]] = []
        self._group_number = count(1).__next__

    def function(self, tape: Tape, hint: str, own: Collection[Equation] = ()) -> str:
        """Write a tape down as a function of raw values that gives a tuple; returns its name.

        Arguments:
            tape, hint: the program, and what the function is called if that name is free.
            own: inputs that the function may write over.
        """
        title = self.names.reserved(hint)
        tape = self._written_out(tape)
        text = self._numbers(tape, title)
        if text is None:
            self._arrays(tape, title, own)
        else:
            self.texts.append(text)
        return title

    def _written_out(self, tape: Tape) -> Tape:
        """The tape with formulas in the places of elementwise operations, as the target has them, or as NumPy does."""
        return written_out(tape) if self.target is None else self.target.written_out(tape)

    def _numbers(self, tape: Tape, title: str) -> str | None:
        """The text of a function that carries out a program of numbers; None if the tape is none."""
        later = self._later(title, lambda writer, name: writer._arrays(tape, name))
        if self.target is not None:
            part = self.target.numbers(tape, title, later)
            if part is not None:
                return _commented(part.text)
        else:
            text = loops_text(tape, title, self.names, lambda: self.names.of(later, "with_numpy"))
            if text is not None:
                return text
        if suitable(tape):
            return numbers_text(tape, title, self.names, self.names.of(later, "with_numpy"))
        return None

    def compiled(self, title: str) -> Callable[..., tuple]:
        """The function of this name, when all has been written."""
        source = "\n".join(self.texts)
        filename = f"<funcgrad program {_number()}>"
        scope = dict(self.names.scope) | {"__builtins__": builtins}  # NumPy's errors look for them
        if self.target is not None:
            scope |= self.target.finish()
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
        bearer(made).source = source
        weakref.finalize(made, linecache.cache.pop, filename, None).atexit = False
        return made

    def _later(self, title: str, write: Callable[[Writer, str], None]) -> Callable[..., tuple]:
        """A function that is written when it is first called, for few ever are."""
        made: list[Callable] = []

        def with_numpy(*args: Any) -> Any:
            if not made:
                writer = Writer()
                name = writer.names.reserved(f"{title}_with_numpy")
                write(writer, name)
                made.append(writer.compiled(name))
            return made[0](*args)

        return with_numpy

    def _call(self, call: Any) -> str:
        """The name of a function that does what a call does."""
        body = call.body
        if not is_plain(body) or type(call).evaluate not in (Call.evaluate, ControlFlow.evaluate):
            return self.names.of(call_on_raw(call), "call")
        if type(body) is TapeBody:
            return self.function(body.tape, "call_" + re.sub(r"\W", "_", call.name))
        title = self.names.reserved(call.name)
        if type(body) is Branches:
            self._branches(body, title)
            return title
        if type(body) is Scan:
            suits, later = scan_suits(body), self._later(title, lambda writer, name: writer._scan(body, name))
        else:
            suits, later = while_suits(body), self._later(title, lambda writer, name: writer._while(body, name))
        part = None if self.target is None else self.target.loop(body, title, later)
        if part is not None:
            self.texts.append(_commented(part.text))
        elif suits:
            text: Any = scan_text if type(body) is Scan else while_text
            self.texts.append(text(body, title, self.names, self.names.of(later, "with_numpy")))
        else:
            write: Any = self._scan if type(body) is Scan else self._while
            write(body, title)
        return title

    def _scan(self, scan: Scan, title: str) -> None:
        """Write a loop over rows."""
        tape, n, m = scan.step.tape, scan.constants, scan.carry
        written = self._written_out(tape)
        if written is not tape:
            tape = written
            scan = Scan(TapeBody(tape), n, m, scan.length, scan.reverse)
        own = _changed(tape, n, m)
        self._text(title, *scan_lines(scan, own, self.names, lambda places: self._step(tape, own, places)))

    def _step(self, tape: Tape, own: Collection[Equation], places: Mapping[Equation, str]) -> Step:
        """The lines of a step; the call of a function where that is a program of numbers."""
        title = self.names.reserved("step")
        text = self._numbers(tape, title)
        if text is None:
            written = self._lines(tape, own, places)
            return Step([written.label[i] for i in tape.inputs], written.lines, written.results)
        self.texts.append(text)
        inputs, results = [f"v{k}" for k in range(len(tape.inputs))], [f"r{k}" for k in range(len(tape.outputs))]
        targets = "".join([f"{r}, " for r in results]) + ("= " if results else "")
        return Step(inputs, [f"{targets}{title}({', '.join(inputs)})"], results)

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
        written = self._lines(tape, own)
        result = f"return ({''.join(v + ', ' for v in written.results)})"
        self._text(title, [written.label[i] for i in tape.inputs], [*written.lines, result])

    def _lines(
        self, tape: Tape, own: Collection[Equation] = (), places: Mapping[Equation, str] = NOWHERE
    ) -> ArrayLines:
        moved = small_moves(tape if self.target is None else self.target.cut(tape))
        if places and moved is not tape:
            pairs = zip(tape.outputs, moved.outputs, strict=True)
            places = {b: places[a] for a, b in pairs if type(a) is Equation and a in places}
        return ArrayLines(moved, own, places, self.names, self._tiled, self._call, self._alone, self.target)

    def _tiled(self, group: Group, needed: list[Equation], lent: set[Equation]) -> tuple[str, GroupPart] | None:
        """Write a group; the name of the function that carries it out. None if it reads at places that tiles cannot."""
        name = self.names.reserved(f"group_{self._group_number()}")
        part = None if self.target is None else self.target.group(group, needed, name, lent)
        if part is not None:
            self.texts.append(_commented(part.text))
            return name, part
        if group.moves or group.pulled:
            return None
        tiled = Tiled(group, needed, self.names, f"{name}_tiles", lent)
        self.groups.append((name, tiled))
        self.texts.append(tiled.text)
        return name, tiled

    def _alone(self, e: Equation, over: bool) -> str | None:
        """Have the target carry out an equation by itself; the name of the function, or None if NumPy shall do it."""
        if self.target is None or not self.target.takes(e):
            return None
        title = self.names.reserved(e.primitive.name)
        self.texts.append(_commented(self.target.alone(e, title, over).text))
        return title


def _commented(text: str) -> str:
    """What another language says, as Python reads it."""
    return "".join([f"# {line}".rstrip() + "\n" for line in text.split("\n")])


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

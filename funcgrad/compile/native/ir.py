"""LLVM's intermediate representation as text: typed values, the lines of one function, and a module of functions.

Everything works on `lanes` elements at a time. With one lane a value is a number, and the same lines are a program of
numbers. Arithmetic is what IEEE 754 says, one rounding for each operation: no flag allows LLVM to join or reorder them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

TYPES = {
    np.dtype(np.float64): "double",
    np.dtype(np.float32): "float",
    **{np.dtype(f"{sign}{8 * n}"): f"i{8 * n}" for n in (1, 2, 4, 8) for sign in ("int", "uint")},
    np.dtype(bool): "i1",
    np.dtype(np.complex128): "complex128",
    np.dtype(np.complex64): "complex64",
}
"""The type of an element of each dtype, in a register. LLVM's integers have no sign; operations have."""

PARTS = {"complex128": "double", "complex64": "float"}
"""The parts of a complex number: in registers it is a pair, of all real and of all imaginary parts."""

SIZES = {"double": 8, "float": 4, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1, "ptr": 8}
SIZES |= {kind: 2 * SIZES[part] for kind, part in PARTS.items()}
"""The bytes of an element in memory, where a truth value takes a whole one."""


class Unwritable(Exception):  # noqa: N818  # no error: it only says that NumPy shall do it
    """What was to be written as machine code cannot be."""


class Value(NamedTuple):
    """What an operation gives: a register or a constant.

    Attributes:
        text: its name.
        kind: the type of an element.
        lanes: how many there are.
    """

    text: str
    kind: str
    lanes: int = 1

    @property
    def type(self) -> str:
        """The type as LLVM writes it."""
        if self.kind in PARTS:
            part = Value("", PARTS[self.kind], self.lanes).type
            return f"{{ {part}, {part} }}"
        return self.kind if self.lanes == 1 else f"<{self.lanes} x {self.kind}>"

    @property
    def suffix(self) -> str:
        """The type as the names of LLVM's own functions end."""
        short = {"double": "f64", "float": "f32", "ptr": "p0"}.get(self.kind, self.kind)
        return short if self.lanes == 1 else f"v{self.lanes}{short}"

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


def number(x: Any, kind: str) -> str:
    """A constant as LLVM writes it, to the last bit."""
    if kind in ("double", "float"):  # a float is written as the double that it is
        return f"0x{struct.unpack('<Q', struct.pack('<d', np.float32(x) if kind == 'float' else x))[0]:016X}"
    if kind == "i1":
        return "true" if x else "false"
    return str(int(x))


def readable(text: str) -> str:
    """Code for people: numbers in decimal, and what is the same in all lanes once."""
    text = re.sub(r"<(\w+ [^ ,<>]+)(?:, \1)+>", r"splat (\1)", text)
    return re.sub(r"0x([0-9A-F]{16})", lambda m: repr(struct.unpack(">d", bytes.fromhex(m[1]))[0]), text)


class Module:
    """Functions that are compiled together.

    Attributes:
        functions: the text of each, by name.
        declared: what they call, by name.
    """

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.declared: dict[str, str] = {}

    @property
    def text(self) -> str:
        """The module as LLVM reads it."""
        return "\n".join([*self.functions.values(), *sorted(self.declared.values()), ""])


class Function:
    """The lines of a function under construction.

    Arguments:
        module: to which it is added by `finish`.
        name: of the function.
        parameters: name and type of each.
        lanes: how many elements an operation works on if nothing else is said.
        result: the type that it returns.
        private: whether only functions of the module call it.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        parameters: Sequence[tuple[str, str]] = (),
        lanes: int = 1,
        result: str = "void",
        private: bool = False,
    ) -> None:
        self.module, self.name, self.lanes, self.result = module, name, lanes, result
        self._parameters, self._private = parameters, private
        self._lines: list[Any] = []  # texts, and lists of texts: places that are still written to
        self._count = 0
        self._block = "entry"
        self._pairs: dict[Value, tuple[Value, Value]] = {}  # what complex values were made of

    def parameter(self, name: str) -> Value:
        """The parameter of a name."""
        kind = dict(self._parameters)[name]
        if kind.startswith("<"):
            lanes, _, kind = kind[1:-1].partition(" x ")
            return Value(f"%{name}", kind, int(lanes))
        return Value(f"%{name}", kind)

    def finish(self, *results: Value) -> None:
        """Return, and add the function to its module."""
        self.line(f"ret {results[0]}" if results else "ret void")
        inner = ", ".join([f"{kind} %{name}" for name, kind in self._parameters])
        linkage = "internal " if self._private else ""
        body = "\n".join(["entry:", *_flat(self._lines)])
        self.module.functions[self.name] = f"define {linkage}{self.result} @{self.name}({inner}) {{\n{body}\n}}"

    def line(self, text: str) -> None:
        """Write an instruction that gives nothing."""
        self._lines.append(f"  {text}")

    def let(self, text: str, kind: str, lanes: int | None = None) -> Value:
        """Write an instruction; what it gives, in a new register."""
        self._count += 1
        made = Value(f"%v{self._count}", kind, self.lanes if lanes is None else lanes)
        self.line(f"{made.text} = {text}")
        return made

    def mark(self) -> list[Any]:
        """A place at the end of what has been written, for lines that are known later."""
        place: list[Any] = []
        self._lines.append(place)
        return place

    @contextmanager
    def at(self, place: list[Any]) -> Iterator[None]:
        """Write to a place that was marked: instructions, but no blocks."""
        before, self._lines = self._lines, place
        try:
            yield
        finally:
            self._lines = before

    @property
    def block(self) -> str:
        """The block that is being written, for phis."""
        return self._block

    def fresh(self) -> int:
        """A number for the name of a new block."""
        self._count += 1
        return self._count

    def constant(self, x: Any, kind: str, lanes: int | None = None) -> Value:
        """A constant in every lane."""
        lanes = self.lanes if lanes is None else lanes
        if kind in PARTS:
            re, im = [self.constant(part, PARTS[kind], lanes) for part in (complex(x).real, complex(x).imag)]
            made = Value(f"{{ {re}, {im} }}", kind, lanes)
            self._pairs[made] = re, im
            return made
        one = number(x, kind)
        return Value(one if lanes == 1 else f"<{', '.join([f'{kind} {one}'] * lanes)}>", kind, lanes)

    def like(self, x: Any, a: Value) -> Value:
        """A constant of the type of a value."""
        return self.constant(x, a.kind, a.lanes)

    def pair(self, re: Value, im: Value) -> Value:
        """Complex numbers of their parts."""
        kind = next(k for k, part in PARTS.items() if part == re.kind)
        type_ = Value("", kind, re.lanes).type
        one = self.let(f"insertvalue {type_} poison, {re}, 0", kind, re.lanes)
        made = self.let(f"insertvalue {one}, {im}, 1", kind, re.lanes)
        self._pairs[made] = re, im
        return made

    def parts(self, z: Value) -> tuple[Value, Value]:
        """The real and the imaginary parts of complex numbers."""
        if z not in self._pairs:
            re, im = [self.let(f"extractvalue {z}, {k}", PARTS[z.kind], z.lanes) for k in (0, 1)]
            return re, im
        return self._pairs[z]

    def by_parts(self, write: Callable[..., Value], *zs: Value) -> Value:
        """Complex numbers whose parts each come from the same parts of others."""
        return self.pair(*[write(*xs) for xs in zip(*map(self.parts, zs), strict=True)])

    def binary(self, operation: str, a: Value, b: Value) -> Value:
        """An operation on two values of one type: `fadd`, `xor`, `shl` and the like."""
        return self.let(f"{operation} {a.type} {a.text}, {b.text}", a.kind, a.lanes)

    def negative(self, a: Value) -> Value:
        """A float with the other sign."""
        return self.let(f"fneg {a}", a.kind, a.lanes)

    def compare(self, predicate: str, a: Value, b: Value) -> Value:
        """The truth values of a comparison: `olt`, `une` of floats, `slt`, `ult`, `eq` of integers."""
        operation = "fcmp" if a.kind in ("double", "float") else "icmp"
        return self.let(f"{operation} {predicate} {a.type} {a.text}, {b.text}", "i1", a.lanes)

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        """In each lane a where the condition holds, else b."""
        if a.kind in PARTS:
            return self.by_parts(lambda x, y: self.select(condition, x, y), a, b)
        return self.let(f"select {condition}, {a}, {b}", a.kind, a.lanes)

    def cast(self, operation: str, a: Value, kind: str) -> Value:
        """A value as another type: `bitcast`, `sitofp`, `fptrunc`, `zext` and the like."""
        to = Value("", kind, a.lanes).type
        return self.let(f"{operation} {a} to {to}", kind, a.lanes)

    def intrinsic(self, name: str, *args: Value) -> Value:
        """What one of LLVM's own functions gives for operands of one type: `fma`, `fabs`, `copysign`, `sqrt`."""
        a = args[0]
        return self.call(f"llvm.{name}.{a.suffix}", a.kind, a.lanes, *args)

    def call(self, name: str, kind: str, lanes: int, *args: Value) -> Value:
        """What a function gives; one that the module does not define is declared."""
        type_ = Value("", kind, lanes).type
        return self.let(self._call(name, type_, *args), kind, lanes)

    def run(self, name: str, *args: Value) -> None:
        """Call a function that gives nothing."""
        self.line(self._call(name, "void", *args))

    def _call(self, name: str, type_: str, *args: Value) -> str:
        if name not in self.module.functions:
            self.module.declared[name] = f"declare {type_} @{name}({', '.join([a.type for a in args])})"
        return f"call {type_} @{name}({', '.join(map(str, args))})"

    def shared(self, name: str, emitter: Callable[..., Value], *args: Value) -> Value:
        """What an emitter writes for these operands: for numbers one private function that is called, else the lines.

        A program of numbers may use a function hundreds of times; a loop over vectors keeps constants in registers.
        """
        kind = args[0].kind
        if args[0].lanes > 1:
            return emitter(self, *args)
        full = f"{name}.{kind}"
        if full not in self.module.functions:
            parameters = [(f"x{k}", a.type) for k, a in enumerate(args)]
            inner = Function(self.module, full, parameters, 1, kind, private=True)
            inner.finish(emitter(inner, *[inner.parameter(n) for n, _ in parameters]))
        return self.call(full, kind, 1, *args)

    def unless(self, condition: Value, usual: Value, other: Callable[[], Value]) -> Value:
        """A value, or where a condition holds in some lane, what other lines give."""
        self._count += 1
        name, before = f"rare{self._count}", self._block
        if condition.lanes > 1:
            condition = self.call(f"llvm.vector.reduce.or.{condition.suffix}", "i1", 1, condition)
        self.line(f"br i1 {condition.text}, label %{name}.body, label %{name}.end")
        self.label(f"{name}.body")
        found = other()
        last = self._block
        self.line(f"br label %{name}.end")
        self.label(f"{name}.end")
        return self.let(f"phi {usual.type} [{usual.text}, %{before}], [{found.text}, %{last}]", usual.kind, usual.lanes)

    def address(self, base: Value, index: Value, kind: str) -> Value:
        """The address of an element of an array."""
        step = f"i{8 * SIZES[kind]}" if kind == "i1" or kind in PARTS else kind
        return self.let(f"getelementptr {step}, ptr {base.text}, {index}", "ptr", 1)

    def load(self, address: Value, kind: str, lanes: int | None = None, mask: Value | None = None) -> Value:
        """Elements that lie one after the other; where the mask does not hold nothing is read, and the value is 0."""
        lanes = self.lanes if lanes is None else lanes
        if kind in PARTS:
            both = self.load(address, PARTS[kind], 2 * lanes, None if mask is None else self.twice(mask))
            return self.pair(*[self.chosen(both, range(k, 2 * lanes, 2)) for k in (0, 1)])
        if mask is not None and lanes > 1:
            return self._read("load", address, mask, kind)
        stored = Value("", "i8" if kind == "i1" else kind, lanes)
        return self._truth(self.let(f"load {stored.type}, {address}, align {SIZES[kind]}", stored.kind, lanes), kind)

    def gather(self, base: Value, at: Value, kind: str, mask: Value | None = None) -> Value:
        """Elements at places of their own; where the mask does not hold nothing is read, and the value is 0."""
        mask = self.constant(True, "i1", at.lanes) if mask is None else mask
        if kind in PARTS:
            where = self._of_parts(self._addresses(base, at, kind), PARTS[kind])
            return self.pair(*[self._read("gather", w, mask, PARTS[kind]) for w in where])
        return self._read("gather", self._addresses(base, at, kind), mask, kind)

    def store(self, x: Value, address: Value, mask: Value | None = None) -> None:
        """Write elements one after the other; none where the mask does not hold."""
        if x.kind in PARTS:
            (re, im), order = self.parts(x), [n for k in range(x.lanes) for n in (k, x.lanes + k)]
            re, im = [self.splat(y, 2) if x.lanes == 1 else y for y in (re, im)]
            both = self.chosen(re, order if x.lanes > 1 else [0, 2], im)
            self.store(both, address, None if mask is None else self.twice(mask))
            return
        if mask is not None and x.lanes > 1:
            self._write("store", x, address, mask)
            return
        x = self._stored(x)
        self.line(f"store {x}, {address}, align {SIZES[x.kind]}")

    def scatter(self, x: Value, base: Value, at: Value, mask: Value | None = None) -> None:
        """Write elements to places of their own; none where the mask does not hold."""
        mask = self.constant(True, "i1", at.lanes) if mask is None else mask
        if x.kind in PARTS:
            where = self._of_parts(self._addresses(base, at, x.kind), PARTS[x.kind])
            for part, w in zip(self.parts(x), where, strict=True):
                self._write("scatter", part, w, mask)
            return
        self._write("scatter", x, self._addresses(base, at, x.kind), mask)

    def _addresses(self, base: Value, at: Value, kind: str) -> Value:
        return self.let(f"getelementptr i{8 * SIZES[kind]}, {base}, {at}", "ptr", at.lanes)

    def _of_parts(self, where: Value, kind: str) -> list[Value]:
        """Where both parts of complex numbers are."""
        return [where, self.let(f"getelementptr i8, {where}, i64 {SIZES[kind]}", "ptr", where.lanes)]

    def _read(self, how: str, where: Value, mask: Value, kind: str) -> Value:
        other = Value("zeroinitializer", "i8" if kind == "i1" else kind, mask.lanes)
        name = f"llvm.masked.{how}.{other.suffix}.{where.suffix}"
        found = self.call(name, other.kind, mask.lanes, where, Value(str(SIZES[kind]), "i32"), mask, other)
        return self._truth(found, kind)

    def _write(self, how: str, x: Value, where: Value, mask: Value) -> None:
        x = self._stored(x)
        name = f"llvm.masked.{how}.{x.suffix}.{where.suffix}"
        self.line(self._call(name, "void", x, where, Value(str(SIZES[x.kind]), "i32"), mask))

    def _truth(self, found: Value, kind: str) -> Value:
        """What was read from memory, where a truth value is a byte."""
        return self.compare("ne", found, self.like(0, found)) if kind == "i1" else found

    def _stored(self, x: Value) -> Value:
        """What is written to memory."""
        return self.cast("zext", x, "i8") if x.kind == "i1" else x

    def splat(self, x: Value, lanes: int | None = None) -> Value:
        """One number in every lane."""
        lanes = self.lanes if lanes is None else lanes
        if lanes == 1:
            return x
        if x.kind in PARTS:
            return self.by_parts(lambda part: self.splat(part, lanes), x)
        type_ = Value("", x.kind, lanes).type
        one = self.let(f"insertelement {type_} poison, {x}, i32 0", x.kind, lanes)
        return self.let(f"shufflevector {one}, {type_} poison, <{lanes} x i32> zeroinitializer", x.kind, lanes)

    def chosen(self, x: Value, order: Sequence[int], y: Value | None = None) -> Value:
        """Some lanes of a value, or of two one after the other."""
        if x.kind in PARTS:
            return self.by_parts(lambda part: self.chosen(part, order), x)
        if len(order) == 1:
            return self.let(f"extractelement {x}, i32 {order[0]}", x.kind, 1)
        other = f"{x.type} poison" if y is None else f"{y}"
        lanes = ", ".join([f"i32 {n}" for n in order])
        return self.let(f"shufflevector {x}, {other}, <{len(order)} x i32> <{lanes}>", x.kind, len(order))

    def twice(self, mask: Value) -> Value:
        """The mask of complex numbers as that of their parts, one after the other."""
        return self.chosen(mask, [k for k in range(mask.lanes) for _ in range(2)])

    def first(self, n: Value, lanes: int | None = None) -> Value:
        """The mask that holds in as many lanes, from the first on, as a number says."""
        lanes = self.lanes if lanes is None else lanes
        numbers = Value(f"<{', '.join([f'{n.kind} {k}' for k in range(lanes)])}>", n.kind, lanes)
        return self.compare("slt", numbers, self.splat(n, lanes))

    def below(self, n: int, lanes: int | None = None) -> Value:
        """The mask that holds in as many lanes, from the first on, as a number says that is known."""
        lanes = self.lanes if lanes is None else lanes
        return Value(f"<{', '.join([f'i1 {str(k < n).lower()}' for k in range(lanes)])}>", "i1", lanes)

    def label(self, name: str) -> None:
        """Begin a block."""
        self._lines.append(f"{name}:")
        self._block = name

    def loop(
        self,
        start: Value,
        stop: Value,
        step: int,
        carry: Sequence[Value],
        body: Callable[[Value, Sequence[Value]], Sequence[Value]],
        goes_on: Callable[[Sequence[Value]], Value] | None = None,
    ) -> list[Value]:
        """A loop over integers; what is carried after the last step.

        Arguments:
            start, stop, step: of the counter, which stays below `stop`.
            carry: the first values of what goes from step to step.
            body: writes a step; from the counter and what is carried to what is carried on.
            goes_on: writes whether there is a next step; if it is given the counter does not stop the loop.
        """
        self._count += 1
        name, before = f"loop{self._count}", self._block
        self.line(f"br label %{name}.head")
        self.label(f"{name}.head")
        phis = self.mark()  # which are written when it is known where they come from
        i = Value(f"%{name}.i", start.kind)
        now = [Value(f"%{name}.{k}", c.kind, c.lanes) for k, c in enumerate(carry)]
        go = self.compare("slt", i, stop) if goes_on is None else goes_on(now)
        self.line(f"br {go}, label %{name}.body, label %{name}.end")
        self.label(f"{name}.body")
        after = body(i, now)
        self.line(f"%{name}.next = add {i}, {step}")
        last = self._block
        self.line(f"br label %{name}.head")
        heads = [(i, start.text, f"%{name}.next")]
        heads += [(v, a.text, b.text) for v, a, b in zip(now, carry, after, strict=True)]
        phis += [f"  {v.text} = phi {v.type} [{a}, %{before}], [{b}, %{last}]" for v, a, b in heads]
        self.label(f"{name}.end")
        return now


def _flat(lines: list[Any]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, str):
            yield line
        else:
            yield from _flat(line)

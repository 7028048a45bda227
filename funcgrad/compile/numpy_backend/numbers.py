"""Programs of numbers: where all arrays are tiny, each element is a Python number in a variable of its own.

A NumPy call on three elements costs as much as twenty operations on Python's floats, and moving elements about costs
nothing at all if they have names. Python's numbers differ from NumPy's in what they do where there is no result: they
raise. Then, and where a result is not finite, the same program is run with NumPy, which gives the infinity or nan and
its warning. Python's integers do not wrap around; those of a loop are counters, and one that grows beyond its dtype is
left to NumPy as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.by_element import (
    BOOL,
    FLOAT,
    INT,
    MOVES,
    PRODUCTS,
    ByElement,
    is_choice,
    is_integer,
    is_loop,
    objects,
)
from funcgrad.compile.numpy_backend.lowering import Names
from funcgrad.core.array import raw
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, index, reduce, structural
from funcgrad.ops import elementwise as ew

WIDEST = 32  # elements of an array
UNROLLED = 1 << 11  # operations of loops whose steps are written one after the other: 16 us each in the first call
WORTH = 12  # operations on numbers that cost as much as one on arrays

_FUNCTIONS = (ew.sin, ew.cos, ew.tan, ew.exp, ew.log, ew.sqrt, ew.tanh, ew.sinh, ew.cosh, ew.log1p, ew.expm1, ew.log10)
_RENAMED = {
    ew.arctan: math.atan,
    ew.arcsin: math.asin,
    ew.arccos: math.acos,
    ew.arcsinh: math.asinh,
    ew.arccosh: math.acosh,
    ew.arctanh: math.atanh,
}
_FORMS: dict[Any, str] = {
    ew.add: "{} + {}",
    ew.subtract: "{} - {}",
    ew.multiply: "{} * {}",
    ew.divide: "{} / {}",
    ew.negative: "-{}",
    ew.square: "{0} * {0}",
    ew.reciprocal: "1.0 / {}",
    ew.less: "{} < {}",
    ew.less_equal: "{} <= {}",
    ew.greater: "{} > {}",
    ew.greater_equal: "{} >= {}",
    ew.equal: "{} == {}",
    ew.not_equal: "{} != {}",
    ew.maximum: "{0} if {0} >= {1} or {0} != {0} else {1}",  # a nan wins
    ew.minimum: "{0} if {0} <= {1} or {0} != {0} else {1}",
    ew.logical_and: "{} and {}",
    ew.logical_or: "{} or {}",
    ew.logical_not: "not {}",
    index.where: "{1} if {0} else {2}",
    structural.astype: "float({})",
    **{p: p.name + "({})" for p in _FUNCTIONS},
    ew.absolute: "abs({})",
    ew.sign: "float(({0} > 0.0) - ({0} < 0.0)) if {0} == {0} else {0}",
    **{p: f.__name__ + "({})" for p, f in _RENAMED.items()},
    ew.arctan2: "atan2({}, {})",
    ew.hypot: "hypot({}, {})",
    ew.power: "pow({}, {})",
}
_CALLED = {
    **{p: getattr(math, p.name) for p in _FUNCTIONS},
    **_RENAMED,
    ew.arctan2: math.atan2,
    ew.hypot: math.hypot,
    ew.power: math.pow,
}
_TWICE = (ew.square, ew.maximum, ew.minimum, ew.sign)
_COMPARISONS = (ew.less, ew.less_equal, ew.greater, ew.greater_equal, ew.equal, ew.not_equal)
_LOGICAL = (ew.logical_and, ew.logical_or, ew.logical_not)
_STEP = 1 << 31  # what a counter may be moved by
_FAR = 1 << 62  # a counter that has come so far is left to NumPy
ERRORS = "(ValueError, OverflowError, ZeroDivisionError)"


def suitable(tape: Tape) -> bool:
    """Whether a program consists of tiny arrays of doubles and of what is known here, and gains by being numbers."""
    numbers = numbers_in(tape) if tape.equations else None
    if numbers is None and unrolled(tape, UNROLLED) is not None and all(kind_of(o) != INT for o in tape.outputs):
        return True
    if numbers is None or any(i.dtype != FLOAT for i in tape.inputs):
        return False
    if any(kind_of(o) == INT for o in tape.outputs):
        return False
    sizes = sum([math.prod(i.shape) for i in tape.inputs]) + sum([math.prod(shape_of(o)) for o in tape.outputs])
    return numbers + sizes / 2 <= WORTH * len(tape.equations)


def numbers_in(tape: Tape, widest: int = WIDEST) -> int | None:
    """How many operations on numbers a program is; None if it holds something else, or longer arrays."""
    if tape.effects or any(i.dtype not in (FLOAT, BOOL, INT) or math.prod(i.shape) > widest for i in tape.inputs):
        return None
    if not all(_known(o) for o in tape.outputs):
        return None
    found = [numbers_of(e, widest) for e in tape.equations]
    return None if None in found else sum(found)  # type: ignore[arg-type]  # for there is none


def unrolled(tape: Tape, most: int) -> int | None:
    """How many operations on numbers a program is if the steps of its loops are written one after the other.

    Arguments:
        tape: the program.
        most: the greatest number that is wanted.

    Returns:
        The number; None if it is greater, if the program has something else, or if it has fewer than two loops, which
        might hand rows on.
    """
    scans = [e.primitive.body for e in tape.equations if is_loop(e)]
    if len(scans) < 2:
        return None
    numbers = 0
    for scan in scans:
        one = numbers_in(scan.step.tape)
        if one is None or not keeps_dtypes(scan.step.tape, scan.constants, scan.carry):
            return None
        numbers += scan.length * max(one, 1)
    others = [numbers_of(e, most) for e in tape.equations if not is_loop(e)]
    known = all(_known(o) for o in tape.outputs) and all(i.dtype in (FLOAT, BOOL) for i in tape.inputs)
    sizes = sum([math.prod(i.shape) for i in tape.inputs]) + sum([math.prod(shape_of(o)) for o in tape.outputs])
    if None in others or not known or tape.effects or not all(scan.length for scan in scans):
        return None
    numbers += sizes + sum(others)  # type: ignore[arg-type]  # for there is no None
    return numbers if numbers <= most else None


def numbers_of(e: Equation, widest: int = WIDEST) -> int | None:
    """How many operations on numbers an equation is; None if it cannot be written so, or has longer arrays."""
    p = e.primitive
    if e.picks is not None:
        return 0
    if is_choice(e):
        found = [n for b in p.body.branches if (n := numbers_in(b.tape)) is not None]
        unknown = len(found) < len(p.body.branches) or not all(_known(i) for i in e.inputs)
        return None if unknown or dtype_of(e.inputs[0]) == FLOAT else max(found)
    if not isinstance(p, Primitive) or p.multiple or e.dtype not in (FLOAT, BOOL, INT):
        return None
    if max([math.prod(e.shape), *[math.prod(shape_of(i)) for i in e.inputs]]) > widest:
        return None
    if not all(_known(i, widest) for i in e.inputs):
        return None
    if p in MOVES:
        return 0
    if p is reduce.reduce_sum:
        return math.prod(e.inputs[0].shape) if e.params.get("dtype") is None and e.dtype == FLOAT else None
    if p is index.scatter_add:
        return sum([math.prod(shape_of(g)) for g in e.inputs]) if e.dtype == FLOAT else None
    if p in PRODUCTS:
        if e.dtype != FLOAT or any(dtype_of(i) != FLOAT or not math.prod(shape_of(i)) for i in e.inputs):
            return None
        return math.prod(e.shape) * 2 * (1 if p is contract.outer_product else shape_of(e.inputs[0])[-1])
    return math.prod(e.shape) if _has_form(e) else None


def _known(x: Any, widest: int = WIDEST) -> bool:
    """Whether an operand is a double, a truth value, an integer, or a constant that can be written as such numbers."""
    if type(x) is Equation:
        return x.dtype in (FLOAT, BOOL, INT)
    x = raw(x)
    if type(x) in (int, float):
        return abs(x) < 2**53
    return isinstance(x, (np.ndarray, np.generic)) and x.dtype in (FLOAT, BOOL, INT) and x.size <= widest


def _has_form(e: Equation) -> bool:
    """Whether an equation can be written with Python's operators, and means the same."""
    p, integers = e.primitive, [is_integer(i) for i in e.inputs]
    if p in _COMPARISONS:
        return all(integers) or not any(i and type(x) is Equation for i, x in zip(integers, e.inputs, strict=True))
    if p in _LOGICAL:
        return all(type(i) is Equation and i.dtype == BOOL for i in e.inputs)
    if p is index.where:
        return e.dtype != INT or all(integers[1:])
    if p is structural.astype:
        return e.dtype == FLOAT
    if p in (ew.add, ew.subtract) and e.dtype == INT:  # a counter
        steps = [raw(x) for x in e.inputs if type(x) is not Equation]
        return len(steps) == 1 and all(integers) and np.ndim(steps[0]) == 0 and abs(int(steps[0])) < _STEP
    if p in _FORMS and e.dtype == FLOAT:
        mixed = any(type(x) is Equation and x.dtype != FLOAT for x in e.inputs)
        return not mixed or p in (ew.add, ew.subtract, ew.multiply)
    return False


class Number:
    """An element of an array: an expression, and how often it is read."""

    __slots__ = ("args", "form", "reads", "text", "twice")

    def __init__(self, form: str, args: tuple, twice: bool = False) -> None:
        self.form, self.args, self.twice = form, args, twice
        self.reads, self.text = 0, ""

    def expression(self) -> str:
        """What it is, when what it is made of has names."""
        return self.form.format(*[a.text for a in self.args])


class Block(Number):
    """Lines that give several numbers their values; its arguments are what they read."""

    __slots__ = ()

    def __init__(self, args: tuple) -> None:
        super().__init__("", args)
        self.reads = 1
        for a in args:
            a.reads += 2  # in each branch or step, so it has a name

    def written(self, scalars: Scalars) -> str:
        """The lines."""
        raise TypeError(f"{type(self).__name__} must define written")


class _Choice(Block):
    """A choice between tapes, of which the first argument is the number.

    Arguments:
        args: all arguments.
        branches: bodies that are tapes.
        shapes: of the arguments of the branches.
        outs: the names of what it gives.
    """

    __slots__ = ("branches", "outs", "shapes")

    def __init__(self, args: tuple, branches: Sequence[Any], shapes: list[tuple[int, ...]], outs: list[str]) -> None:
        super().__init__(args)
        self.branches, self.shapes, self.outs = branches, shapes, outs

    def written(self, scalars: Scalars) -> str:
        """The lines of a choice."""
        index, *texts = [n.text for n in self.args]
        given, at = [], 0
        for shape in self.shapes:
            size = math.prod(shape)
            given.append(objects(texts[at : at + size], shape))
            at += size
        heads = [f"{'elif' if k else 'if'} {index} == {k}:" for k in range(len(self.branches) - 1)]
        lines = []
        for head, branch in zip([*heads, "else:"], self.branches, strict=True):
            inner, outputs = scalars.inside().lines(branch.tape, given)
            found = [t for o in outputs for t in o.reshape(-1).tolist()]
            result = [f"{', '.join(self.outs)} = {', '.join(found)}"] if found else []
            lines += [head, *indented([*inner, *result] or ["pass"])]
        return "\n".join(lines)


class Scalars(ByElement):
    """Writes tapes as lines on Python's numbers, in one function.

    Arguments:
        names: for what is no local variable.
    """

    def __init__(self, names: Names, fresh: Callable[[], int] | None = None) -> None:
        self.names, self._fresh = names, fresh or count(1).__next__
        self._order: list[Number] = []

    def inside(self) -> Scalars:
        """A writer of lines that stand further in."""
        return Scalars(self.names, self._fresh)

    def variable(self) -> str:
        """A new name."""
        return f"t{self._fresh()}"

    def lines(self, tape: Tape, inputs: Sequence[np.ndarray]) -> tuple[list[str], list[np.ndarray]]:
        """The lines of a tape, and the names of the elements of its results.

        Arguments:
            tape: for which `numbers_in` gives a number.
            inputs: the names of the elements of each input, as `elements` gives them.
        """
        self._order = []
        outputs = self.results(tape, [named(x) for x in inputs])
        for out in outputs:
            for n in out.reshape(-1).tolist():
                n.reads += 2  # more than once, so it has a name
        return self.assignments(), [objects([n.text for n in o.reshape(-1).tolist()], o.shape) for o in outputs]

    def _number(self, form: str, *args: Any, twice: bool = False) -> Number:
        made = Number(form, args, twice)
        self._order.append(made)
        for a in args:
            a.reads += 2 if twice else 1
        return made

    def apply(self, e: Equation, *args: Number) -> Number:
        """An element of a result."""
        if e.primitive is structural.astype and e.inputs[0].dtype == FLOAT:
            return args[0]
        return self._number(self._form(e.primitive), *args, twice=e.primitive in _TWICE)

    def add(self, a: Number, b: Number) -> Number:
        """The sum of two numbers."""
        return self._number("{} + {}", a, b)

    def multiply(self, a: Number, b: Number) -> Number:
        """The product of two numbers."""
        return self._number("{} * {}", a, b)

    def constant(self, value: Any) -> Number:
        """A number that is known."""
        found = Number("", ())
        finite = type(value) is not float or math.isfinite(value)
        text = repr(value) if finite else f"{self.names.of(float, 'float')}({str(value)!r})"
        found.text = f"({text})" if text.startswith("-") else text
        return found

    def _form(self, p: Any) -> str:
        if p not in _CALLED:
            return _FORMS[p]
        called = _CALLED[p]
        return f"{self.names.of(called, called.__name__)}({_FORMS[p].partition('(')[2]}"

    def choice(self, e: Equation, args: list[np.ndarray]) -> list[np.ndarray]:
        """The elements of the results of a choice."""
        flat = [n for a in args for n in a.reshape(-1).tolist()]
        texts = [[self.variable() for _ in range(math.prod(shape))] for shape in e.shape]
        outs = [t for names in texts for t in names]
        choice = _Choice(tuple(flat), e.primitive.body.branches, [a.shape for a in args[1:]], outs)
        self._order.append(choice)
        return [named(objects(names, shape)) for names, shape in zip(texts, e.shape, strict=True)]

    def assignments(self) -> list[str]:
        """The lines for the numbers that are needed; one that is read once is written where it is read."""
        for n in reversed(self._order):
            if not n.reads:
                for a in n.args:
                    a.reads -= 2 if n.twice else 1
        lines = []
        for n in self._order:
            if not n.reads:
                continue
            if isinstance(n, Block):
                lines.append(n.written(self))
                continue
            text = n.expression()
            if n.reads == 1 and len(text) < 80:
                n.text = text if n.form.endswith(")") and "(" in n.form and n.form[0].isalpha() else f"({text})"
            else:
                n.text = self.variable()
                lines.append(f"{n.text} = {text}")
        return lines


def elements(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The names of the elements of an array."""
    size = math.prod(shape)
    return objects([f"{name}_{n}" for n in range(size)] if shape else [name], shape)


def taken_apart(name: str, e: Equation, names: Names) -> list[str]:
    """The lines that give the elements of an array their names."""
    if not e.shape:
        kinds = {FLOAT: float, BOOL: bool, INT: int}
        kind = kinds[e.dtype]
        return [f"{name} = {names.of(kind, kind.__name__)}({name})"]
    found = elements(name, e.shape).reshape(-1).tolist()
    if not found:
        return []
    flat = name if len(e.shape) == 1 else f"{name}.reshape(-1)"
    return [f"{', '.join(found)}, = {flat}.tolist()"]


def put_together(texts: np.ndarray, dtype: np.dtype, names: Names) -> str:
    """The expression of an array, or of a NumPy scalar, with these elements."""
    flat = texts.reshape(-1).tolist()
    if not texts.shape:
        return f"{names.of(dtype.type, dtype.type.__name__)}({flat[0]})"
    kind = names.of(dtype, dtype.name)
    made = f"{names.of(np.array, 'array')}(({''.join([t + ', ' for t in flat])}), {kind})"
    return made if texts.ndim == 1 else f"{made}.reshape({texts.shape!r})"


def finite(outputs: Sequence[np.ndarray], dtypes: Sequence[np.dtype], names: Names) -> str:
    """The question whether all floats among these are finite."""
    found = [t for o, d in zip(outputs, dtypes, strict=True) if d == FLOAT for t in o.reshape(-1).tolist()]
    floats = list(dict.fromkeys(found))
    if len(floats) < 100:
        total = " + ".join(floats) or "0"
    else:  # Python reads a sum of thousands of terms by recursion
        total = f"{names.of(sum, 'sum')}(({', '.join(floats)}))"
    return f"{names.of(math.isfinite, 'isfinite')}({total})"


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one level deeper; a line may hold several."""
    return ["    " + part for line in lines for part in line.split("\n")]


def near(e: Equation, texts: np.ndarray) -> list[str]:
    """The lines that give up if an integer has come too far."""
    if e.dtype != INT:
        return []
    return [f"if not -{_FAR} < {t} < {_FAR}:\n    raise OverflowError" for t in texts.reshape(-1).tolist()]


def numbers_text(tape: Tape, title: str, names: Names, with_numpy: str) -> str:
    """The source of a suitable tape as a function of raw values.

    Arguments:
        tape, title: the program, and the name of the function.
        names: for what is no local variable.
        with_numpy: the name of the function that does the same on arrays.
    """
    parameters = [f"v{k}" for k in range(len(tape.inputs))]
    head = [line for v, e in zip(parameters, tape.inputs, strict=True) for line in taken_apart(v, e, names)]
    lines, outputs = Scalars(names).lines(
        tape, [elements(v, e.shape) for v, e in zip(parameters, tape.inputs, strict=True)]
    )
    dtypes = [kind_of(o) for o in tape.outputs]
    results = "".join([put_together(o, d, names) + ", " for o, d in zip(outputs, dtypes, strict=True)])
    body = [*head, *lines, f"if {finite(outputs, dtypes, names)}:"]
    return function_text(title, parameters, body, f"return ({results})", with_numpy)


def function_text(title: str, parameters: Sequence[str], body: Sequence[str], result: str, with_numpy: str) -> str:
    """The source of a function that leaves to NumPy what Python's numbers cannot do.

    Arguments:
        title, parameters: its name, and those of its arguments.
        body, result: its lines, of which the last one asks whether to return the result.
        with_numpy: the name of the function that does the same on arrays.
    """
    given = [f"x{k}" for k in range(len(parameters))]
    kept = [f"{', '.join(given)}, = {', '.join(parameters)},"] if given else []  # as the body may change them
    lines = [
        *kept,
        "try:",
        *indented(body),
        "        " + result,
        f"except {ERRORS}:",
        "    pass",
        f"return {with_numpy}({', '.join(given)})",
    ]
    return f"def {title}({', '.join(parameters)}):\n" + "".join([f"{line}\n" for line in indented(lines)])


def keeps_dtypes(tape: Tape, constants: int, carry: int) -> bool:
    """Whether what a step carries on has the dtypes of what it was given."""
    return all(
        kind_of(o) == i.dtype
        for o, i in zip(tape.outputs[:carry], tape.inputs[constants : constants + carry], strict=True)
    )


def kind_of(x: Any) -> np.dtype:
    """The dtype of a result."""
    return x.dtype if type(x) is Equation else np.asarray(raw(x)).dtype


def named(texts: np.ndarray) -> np.ndarray:
    """The elements of an array that have these names."""
    found = []
    for text in texts.reshape(-1).tolist():
        n = Number("", ())
        n.text = text
        found.append(n)
    return objects(found, texts.shape)

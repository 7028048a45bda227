"""Programs of numbers with loops in them: one function, in which loops hand their rows on in lists.

The derivative of a loop is a loop that reads what the first one kept. Each as a function on arrays would make arrays of
its rows and take them apart again: the gradient of fifty Runge-Kutta steps of three equations takes 118 us so, 86 in
one function, and 131 in straight lines, which do not fit into the processor's first cache. A sum of rows is added up in
the loop that gives the last of its terms.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.by_element import BOOL, FLOAT, MOVES, PRODUCTS, is_loop, objects
from funcgrad.compile.numpy_backend.lowering import Names
from funcgrad.compile.numpy_backend.number_loops import MOST_ROWS
from funcgrad.compile.numpy_backend.numbers import (
    WIDEST,
    WORTH,
    Scalars,
    elements,
    finite,
    function_text,
    keeps_dtypes,
    kind_of,
    named,
    numbers_in,
    numbers_of,
    put_together,
    taken_apart,
)
from funcgrad.compile.numpy_backend.row_blocks import Item, KnownRows, RowLoop
from funcgrad.compile.numpy_backend.row_lists import (
    Computed,
    Kept,
    RowList,
    Rows,
    UnsuitedError,
    is_rows,
    leaves,
    part_of,
)
from funcgrad.core.array import raw
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.ops import index, reduce, structural

_LARGEST = 1 << 31  # elements of an array of which there are only rows


def loops_text(tape: Tape, title: str, names: Names, with_numpy: Callable[[], str]) -> str | None:
    """The source of a program of numbers with loops as a function of raw values; None if it is none, or gains nothing.

    Arguments:
        tape, title: the program, and the name of the function.
        names: for what is no local variable.
        with_numpy: gives the name of the function that does the same on arrays.
    """
    if not _worth(tape):
        return None
    parameters = [f"v{k}" for k in range(len(tape.inputs))]
    writer = _Program(names)
    try:
        pairs = [writer.taken(v, e) for v, e in zip(parameters, tape.inputs, strict=True)]
        outputs: list[Any] = [writer.whole(o) if is_rows(o) else o for o in writer.results(tape, [x for _, x in pairs])]
    except UnsuitedError:
        return None
    head = [line for lines, _ in pairs for line in lines]
    numbers = [n for o in outputs if not is_rows(o) for n in o.reshape(-1).tolist()]
    for n in numbers:
        n.reads += 2  # more than once, so it has a name
    lines = writer.assignments()
    results, texts, questions = [], [], []
    isfinite = names.of(math.isfinite, "isfinite")
    for k, (o, x) in enumerate(zip(tape.outputs, outputs, strict=True)):
        if is_rows(x):
            backwards = "[::-1]" if x.flipped else ""
            array, float64 = names.of(np.array, "array"), names.of(FLOAT, FLOAT.name)
            lines.append(f"y{k} = {array}({x.source.name}, {float64}).reshape({x.shape!r}){backwards}")
            questions.append(f"{isfinite}({names.of(np.add.reduce, 'add_reduce')}(y{k}, None))")
            results.append(f"y{k}")
        else:
            texts.append(objects([n.text for n in x.reshape(-1).tolist()], x.shape))
            results.append(put_together(texts[-1], kind_of(o), names))
    kinds = [kind_of(o) for o, x in zip(tape.outputs, outputs, strict=True) if not is_rows(x)]
    questions.insert(0, finite(texts, kinds, names))
    body = [*head, *lines, f"if {' and '.join(questions)}:"]
    result = f"return ({''.join([r + ', ' for r in results])})"
    return function_text(title, parameters, body, result, with_numpy())


def _worth(tape: Tape) -> bool:
    """Whether a program has loops of numbers, and otherwise only operations on numbers and on rows."""
    if tape.effects or not any(map(is_loop, tape.equations)):
        return False
    if any(i.dtype != FLOAT for i in tape.inputs) or any(kind_of(o) not in (FLOAT, BOOL) for o in tape.outputs):
        return False
    numbers, calls = 0, 0
    for e in tape.equations:
        if is_loop(e):
            scan = e.primitive.body
            one = numbers_in(scan.step.tape)
            if one is None or not _loop_suits(scan):
                return False
            numbers += scan.length * one
            calls += scan.length * len(scan.step.tape)
        else:
            one = numbers_of(e, _LARGEST)
            if one is None:
                return False
            numbers += one
            calls += 1
    return numbers <= WORTH * calls


def _loop_suits(scan: Scan) -> bool:
    tape = scan.step.tape
    whole = all(math.prod(shape_of(x)) for x in (*tape.inputs, *tape.outputs)) and scan.length > 0
    known = all(dtype_of(x) in (FLOAT, BOOL) for x in (*tape.inputs, *tape.outputs))
    return whole and known and keeps_dtypes(tape, scan.constants, scan.carry)


class _Program(Scalars):
    """Writes programs of numbers with loops."""

    def __init__(self, names: Names, fresh: Callable[[], int] | None = None) -> None:
        super().__init__(names, fresh)
        self._adders: dict[frozenset[str], RowLoop] = {}  # by the lists that they read

    def inside(self) -> _Program:
        return _Program(self.names, self._fresh)

    def taken(self, name: str, e: Equation) -> tuple[list[str], Any]:
        """The lines that take an argument apart, and its elements or rows."""
        if math.prod(e.shape) <= WIDEST:
            return taken_apart(name, e, self.names), named(elements(name, e.shape))
        flat = math.prod(e.shape) == e.shape[0]
        lists = f"{name}.reshape(-1).tolist()" if flat else f"{name}.reshape({e.shape[0]}, -1).tolist()"
        source = f"{name}_rows"
        return [f"{source} = {lists}"], _all_rows(source, e.shape)

    def results(self, tape: Tape, inputs: Sequence[Any]) -> list[Any]:
        """The elements or rows of the results of a tape, for those of its inputs."""
        known: dict[Equation, Any] = dict(zip(tape.inputs, inputs, strict=True))
        hosted = _hosted(tape, {e for e, x in known.items() if is_rows(x)})
        for e in tape.equations:
            if e in known:
                continue
            args = [known[i] if type(i) is Equation else self._value(i, e) for i in e.inputs]
            if e.picks is not None:
                known[e] = args[0][e.picks]
            elif is_loop(e):
                loop, known[e] = self._loop(e.primitive.body, args)
                self._sums_in(loop, tape, e, hosted.get(e, ()), known)
            elif any(map(is_rows, args)):
                known[e] = self._on_rows(e, args)
            elif isinstance(e.primitive, ControlFlow):
                known[e] = self.choice(e, args)
            else:
                if math.prod(e.shape) > WIDEST:
                    raise UnsuitedError
                known[e] = self._elements(e, args)
        return [known[o] if type(o) is Equation else self._value(o, None) for o in tape.outputs]

    def _value(self, x: Any, e: Equation | None) -> Any:
        """The elements or rows of a constant."""
        value = np.asarray(raw(x))
        if value.size <= WIDEST:
            return self._constants(x, e)
        if value.dtype != FLOAT or not np.isfinite(value).all():
            raise UnsuitedError
        rows = (value.reshape(-1) if value.size == len(value) else value.reshape(len(value), -1)).tolist()
        return _all_rows(self.names.of(rows, "rows"), value.shape)

    def _loop(self, scan: Scan, args: Sequence[Any]) -> tuple[RowLoop, list[Any]]:
        """A loop, and the elements or rows of its results."""
        m = scan.constants + scan.carry
        if any(map(is_rows, args[:m])):
            raise UnsuitedError
        xs = [x if is_rows(x) else self._listed(x) for x in args[m:]]
        shapes = [shape_of(y) for y in scan.step.tape.outputs[scan.carry :]]
        width = sum(map(math.prod, shapes))
        if scan.length * width > MOST_ROWS:
            raise UnsuitedError
        rows = RowList(f"rows{self._fresh()}", width)
        loop = RowLoop(self, scan, args[:m], xs, rows)
        self._order.append(loop)
        found: list[Any] = [named(x) for x in loop.last]
        at = 0
        for shape in shapes:
            places = np.arange(at, at + math.prod(shape)).reshape(shape)
            found.append(Kept(rows, places, 0, scan.length, scan.reverse, scan.length))
            at += math.prod(shape)
        return loop, found

    def _listed(self, x: np.ndarray) -> Kept:
        """Rows of an array whose numbers are known one by one."""
        rows = x.reshape(len(x), -1).tolist()
        made = KnownRows(f"rows{self._fresh()}", rows)
        self._order.append(made)
        return _all_rows(made.name, x.shape)

    def _sums_in(
        self, loop: RowLoop, tape: Tape, e: Equation, sums: Sequence[Equation], known: dict[Equation, Any]
    ) -> None:
        """Add up in a loop what is only there to be added up; what is computed beside its rows has to wait."""
        if not sums:
            return
        wanted, waiting = set(sums), list(sums)
        while waiting:
            for i in waiting.pop().inputs:
                if type(i) is Equation and i not in known and i not in wanted:
                    wanted.add(i)
                    waiting.append(i)
        inner: dict[Equation, Any] = {}
        for s in tape.equations:
            there = [i in inner or i in known for i in s.inputs if type(i) is Equation]
            if s not in wanted or not all(there):
                continue
            args: list[Any] = [
                inner.get(i, known.get(i)) if type(i) is Equation else self._value(i, s) for i in s.inputs
            ]
            if s.picks is not None:
                inner[s] = args[0][s.picks]
            elif not any(map(is_rows, args)):
                continue
            elif s in sums:
                known[s] = self._summed(s, loop.total(args[0]))
            elif is_rows(found := self._on_rows(s, args)):
                inner[s] = found

    def _adding(self, x: Rows) -> RowLoop:
        """A loop that adds rows up: one that reads the same lists, if there is one and nothing else is read."""
        kept, numbers = leaves([x])
        lists = frozenset([k.expression(False) for k in kept])
        if lists in self._adders and not numbers:
            return self._adders[lists]
        loop = self._adders[lists] = RowLoop(self, None, (), (), RowList("", 0))
        self._order.append(loop)
        return loop

    def _summed(self, e: Equation, total: np.ndarray) -> np.ndarray:
        """What is left of a sum over several axes when the rows have been added up."""
        axes = tuple([a - 1 for a in e.params["axis"] if a])
        return (self._over(total, axes) if axes else total).reshape(e.shape)

    def _over(self, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
        rest = [a for a in range(x.ndim) if a not in axes]
        found = []
        for numbers in x.transpose([*rest, *axes]).reshape(math.prod([x.shape[a] for a in rest]), -1).tolist():
            total = numbers[0]
            for n in numbers[1:]:
                total = self.add(total, n)
            found.append(self.add(total, self.constant(0.0)))
        return objects(found, tuple([x.shape[a] for a in rest]))

    def _on_rows(self, e: Equation, args: Sequence[Any]) -> Any:
        """An operation on rows."""
        p, x = e.primitive, args[0]
        if p is index.getitem and len(args) == 1:
            return self._picked(x, e.params["index"])
        if p is reduce.reduce_sum and 0 in e.params["axis"]:
            return self._summed(e, self._adding(x).total(x))
        if p is structural.reshape and e.shape and e.shape[0] == x.length:
            return x.of_each(lambda row: row.reshape(e.shape[1:])) if isinstance(x, Kept) else Computed(e, args)
        if not isinstance(p, Primitive) or p in (*MOVES, *PRODUCTS, index.scatter_add):
            return self._elements(e, [self._spread(a) if is_rows(a) else a for a in args])
        return Computed(e, [a if is_rows(a) else _beside_rows(a, e) for a in args if _fits(a, e)])

    def _spread(self, x: Rows) -> np.ndarray:
        """The elements of all rows, one by one."""
        if math.prod(x.shape) > WIDEST:
            raise UnsuitedError
        rows = [self.row(x, functools.partial(self._items, row=k), {}) for k in range(x.length)]
        return objects([n for row in rows for n in row.reshape(-1).tolist()], x.shape)

    def _items(self, x: Kept, row: int) -> np.ndarray:
        """The elements of a row that lies in a list."""
        found = [Item(x.source, x.number(row), k) for k in x.places.reshape(-1).tolist()]
        self._order += found
        return objects(found, x.places.shape)

    def _picked(self, x: Any, at: Any) -> Any:
        first, rest = (at[0], at[1:]) if type(at) is tuple and at else (at, ())
        if type(first) is slice:
            found = part_of(x, first)
            if not rest:
                return found
            if not isinstance(found, Kept):
                raise UnsuitedError
            return found.of_each(lambda row: row[rest])
        if type(first) is not int:
            raise UnsuitedError
        row = self.row(x, functools.partial(self._items, row=first % x.length), {})
        return np.asarray(row[rest]) if isinstance(row[rest], np.ndarray) else objects([row[rest]], ())

    def row(self, x: Rows, fetch: Callable[[Kept], np.ndarray], found: dict[int, np.ndarray]) -> np.ndarray:
        """The elements of a row.

        Arguments:
            x: the rows.
            fetch: gives those of rows that lie in a list.
            found: what has been computed of this row, by the id of the rows.
        """
        if id(x) not in found:
            if isinstance(x, Kept):
                found[id(x)] = fetch(x)
            else:
                args = [self.row(a, fetch, found) if is_rows(a) else a for a in x.args]
                found[id(x)] = self._each(x.e, args)
        return found[id(x)]

    def _each(self, e: Equation, args: Sequence[np.ndarray]) -> np.ndarray:
        """An operation on one row."""
        if e.primitive is reduce.reduce_sum:
            return self._over(args[0], tuple([a - 1 for a in e.params["axis"]])).reshape(e.shape[1:])
        if e.primitive is structural.reshape:
            return args[0].reshape(e.shape[1:])
        flat = [np.broadcast_to(a, e.shape[1:]).reshape(-1).tolist() for a in args]
        return objects([self.apply(e, *xs) for xs in zip(*flat, strict=True)], e.shape[1:])

    def whole(self, x: Rows) -> Kept:
        """Rows that are a result: the only ones in a list."""
        loop = RowLoop(self, None, (), (), RowList(f"rows{self._fresh()}", math.prod(x.shape[1:])))
        loop.make(x)
        self._order.append(loop)
        return Kept(loop.rows, np.arange(loop.rows.width).reshape(x.shape[1:]), 0, x.length, False, x.length)


def _all_rows(name: str, shape: tuple[int, ...]) -> Kept:
    """An array that has been taken apart, as rows."""
    width = math.prod(shape[1:])
    if not shape or not 0 < width <= WIDEST:
        raise UnsuitedError
    return Kept(RowList(name, width, range(width)), np.arange(width).reshape(shape[1:]), 0, shape[0], False, shape[0])


def _fits(x: Any, e: Equation) -> bool:
    """Whether the rows of an operand are those of the result."""
    if is_rows(x) and (len(x.shape) != len(e.shape) or x.length != e.shape[0]) and e.primitive is not reduce.reduce_sum:
        raise UnsuitedError
    return True


def _beside_rows(x: np.ndarray, e: Equation) -> np.ndarray:
    """The elements of an operand that is the same for all rows."""
    if x.ndim < len(e.shape):
        return x
    if x.shape[0] != 1:
        raise UnsuitedError
    return x.reshape(x.shape[1:])


def _hosted(tape: Tape, rows: set[Equation]) -> dict[Equation, list[Equation]]:
    """For loops the sums of rows that can be added up in them.

    All terms must be there when the step has been carried out, and each row must be that of this step.
    """
    place = {e: k for k, e in enumerate(tape.equations)}
    latest: dict[Equation, tuple[int, bool]] = dict.fromkeys(
        rows, (-1, True)
    )  # the last loop; whether its rows are all
    hosted: dict[Equation, list[Equation]] = {}
    for e in tape.equations:
        if e.picks is not None and is_loop(e.inputs[0]):
            if e.picks >= e.inputs[0].primitive.body.carry:
                latest[e] = place[e.inputs[0]], True
            continue
        found = [latest[i] for i in e.inputs if type(i) is Equation and i in latest] if not is_loop(e) else []
        if not found:
            continue
        host = max([at for at, _ in found])
        ready = all(type(i) is not Equation or i in latest or place.get(i, -1) < host for i in e.inputs)
        aligned = ready and all(all_rows for at, all_rows in found if at == host)
        if e.primitive is reduce.reduce_sum and 0 in e.params["axis"]:
            loop = tape.equations[host]
            if host >= 0 and aligned and loop.primitive.body.length == e.inputs[0].shape[0]:
                hosted.setdefault(loop, []).append(e)
        elif e.primitive is not index.getitem:
            latest[e] = host, aligned
        elif type(e.params["index"]) is slice:
            latest[e] = host, False
    return hosted

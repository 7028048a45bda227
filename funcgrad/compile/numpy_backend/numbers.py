"""Programs of numbers: where all arrays are tiny, each element is a Python number in a variable of its own.

A NumPy call on three elements costs as much as twenty operations on Python's floats, and moving elements about costs
nothing at all if they have names. Python's numbers differ from NumPy's in what they do where there is no result: they
raise. Then, and where a result is not finite, the same program is run with NumPy, which gives the infinity or nan and
its warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.lowering import Names
from funcgrad.core.array import raw
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import index, reduce, structural

WIDEST = 32  # elements of an array
_WORTH = 12  # operations on numbers that cost as much as one on arrays

_FUNCTIONS = (ew.sin, ew.cos, ew.tan, ew.exp, ew.log, ew.sqrt, ew.tanh, ew.sinh, ew.cosh, ew.log1p, ew.expm1)
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
    index.where: "{1} if {0} else {2}",
    **{p: p.name + "({})" for p in _FUNCTIONS},
    ew.arctan: "atan({})",
    ew.absolute: "abs({})",
    ew.power: "pow({}, {})",
}
_TWICE = (ew.square, ew.maximum, ew.minimum)
_COMPARISONS = (ew.less, ew.less_equal, ew.greater, ew.greater_equal, ew.equal, ew.not_equal)
_MOVES = (
    structural.reshape,
    structural.transpose,
    structural.broadcast_to,
    structural.stack,
    structural.concatenate,
    structural.flip,
    structural.roll,
    index.getitem,
)
_FLOAT, _BOOL = np.dtype(np.float64), np.dtype(bool)


def suitable(tape: Tape) -> bool:
    """Whether a program consists of tiny arrays of doubles and of what is known here, and gains by being numbers."""
    if tape.effects or any(i.dtype != _FLOAT for i in tape.inputs) or not tape.equations:
        return False
    numbers = 0
    for e in tape.equations:
        p = e.primitive
        if not isinstance(p, Primitive) or p.multiple or e.dtype not in (_FLOAT, _BOOL):
            return False
        if max([math.prod(e.shape), *[math.prod(shape_of(i)) for i in e.inputs]]) > WIDEST:
            return False
        if not all(_known(i) for i in e.inputs):
            return False
        if p in _MOVES:
            continue
        size = math.prod(e.shape)
        if p is reduce.reduce_sum:
            if e.params.get("dtype") is not None or e.dtype != _FLOAT:
                return False
            size = math.prod(e.inputs[0].shape)
        elif p is index.scatter_add:
            size = sum([math.prod(shape_of(g)) for g in e.inputs])
        elif p not in _FORMS or not (e.dtype == _FLOAT or p in _COMPARISONS):
            return False
        numbers += size
    sizes = sum([math.prod(i.shape) for i in tape.inputs]) + sum([math.prod(shape_of(o)) for o in tape.outputs])
    return numbers + sizes / 2 <= _WORTH * len(tape.equations)


def _known(x: Any) -> bool:
    """Whether an operand is a double, a truth value, or a constant that can be written as numbers."""
    if type(x) is Equation:
        return x.dtype in (_FLOAT, _BOOL)
    x = raw(x)
    if type(x) in (int, float):
        return abs(x) < 2**53
    return isinstance(x, np.ndarray | np.generic) and x.dtype == _FLOAT


class _Number:
    """An element of an array: an expression, and how often it is read."""

    __slots__ = ("args", "form", "reads", "text", "twice")

    def __init__(self, form: str, args: tuple, twice: bool = False) -> None:
        self.form, self.args, self.twice = form, args, twice
        self.reads, self.text = 0, ""


def numbers_program(tape: Tape, arrays: Callable[[], Callable]) -> Callable[..., tuple]:
    """The kernel of a suitable tape.

    Arguments:
        tape: the program.
        arrays: makes the kernel that NumPy runs.
    """
    elements: dict[Equation, np.ndarray] = {}
    order: list[_Number] = []

    def number(form: str, *args: Any, twice: bool = False) -> _Number:
        made = _Number(form, args, twice)
        order.append(made)
        for a in args:
            a.reads += 2 if twice else 1
        return made

    def known(x: Any) -> np.ndarray:
        if type(x) is Equation:
            return elements[x]
        x = np.asarray(raw(x))
        return _objects([_constant(v) for v in x.reshape(-1).tolist()], x.shape)

    head = []
    for k, e in enumerate(tape.inputs):
        names = [f"v{k}_{n}" for n in range(math.prod(e.shape))] if e.shape else [f"v{k}"]
        inputs = [_Number("", ()) for _ in names]
        for i, name in zip(inputs, names, strict=True):
            i.text = name
        elements[e] = _objects(inputs, e.shape)
        if not e.shape:
            head.append(f"v{k} = float(v{k})")
        elif names:
            flat = f"v{k}" if len(e.shape) == 1 else f"v{k}.reshape(-1)"
            head.append(f"{', '.join(names)}, = {flat}.tolist()")
    for e in tape.equations:
        elements[e] = _element_wise(e, [known(i) for i in e.inputs], number)
    outputs = [known(o) for o in tape.outputs]
    for out in outputs:
        for n in out.reshape(-1).tolist():
            n.reads += 2  # in the question whether it is finite, and in the result
    lines = _lines(order)
    results = [_result(o, e) for o, e in zip(outputs, tape.outputs, strict=True)]
    finite = " + ".join(dict.fromkeys([n.text for o in outputs for n in o.reshape(-1).tolist()])) or "0"
    body = "".join([f"        {line}\n" for line in (*head, *lines, f"if isfinite({finite}):")])
    parameters = ", ".join([f"v{k}" for k in range(len(tape.inputs))])
    passed = ", ".join([f"x{k}" for k in range(len(tape.inputs))])
    keep = f"    {passed}, = {parameters},\n" if parameters else ""
    result = "".join([r + ", " for r in results])
    source = (
        f"def program({parameters}):\n{keep}    try:\n{body}            return ({result})\n"
        f"    except (ValueError, OverflowError, ZeroDivisionError):\n        pass\n    return with_numpy({passed})\n"
    )
    made: list[Callable] = []

    def with_numpy(*xs: Any) -> Any:
        if not made:
            made.append(arrays())
        return made[0](*xs)

    scope = Names().scope
    scope.update({p.name: getattr(math, p.name) for p in _FUNCTIONS})
    scope.update(
        atan=math.atan,
        pow=math.pow,
        isfinite=math.isfinite,
        array=np.array,
        float64=np.float64,
        bool_=np.bool_,
        inf=math.inf,
        nan=math.nan,
    )
    scope["with_numpy"] = with_numpy
    exec(compile(source, "<funcgrad numbers>", "exec"), scope)  # noqa: S102  (our own text)
    program = scope["program"]
    program.source = source
    return program


def _objects(items: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    out = np.empty(len(items), object)
    out[:] = items
    return out.reshape(shape)


def _constant(value: float) -> _Number:
    found = _Number("", ())
    text = repr(float(value)) if type(value) is not bool else repr(value)
    found.text = f"({text})" if text.startswith("-") else text
    return found


def _element_wise(e: Equation, args: list[np.ndarray], number: Callable[..., _Number]) -> np.ndarray:
    """The elements of a result, as numbers."""
    p = e.primitive
    if p is structural.stack:
        return np.concatenate([np.expand_dims(a, e.params["axis"]) for a in args], e.params["axis"])
    if p in _MOVES:
        out = p.impl(*args, **e.params)
        return out if isinstance(out, np.ndarray) else _objects([out], ())
    if p is reduce.reduce_sum:
        return _sums(args[0], e, number)
    if p is index.scatter_add:
        return _scattered(args, e, number)
    out = np.empty(e.shape, object)
    flat = [np.broadcast_to(a, e.shape).reshape(-1).tolist() for a in args]
    out.reshape(-1)[:] = [number(_FORMS[p], *xs, twice=p in _TWICE) for xs in zip(*flat, strict=True)]
    return out


def _sums(x: np.ndarray, e: Equation, number: Callable[..., _Number]) -> np.ndarray:
    axis = e.params["axis"]
    rest = [a for a in range(x.ndim) if a not in axis]
    rows = x.transpose([*rest, *axis]).reshape(math.prod([x.shape[a] for a in rest]), -1) if x.size else None
    if rows is None:
        return _objects([_constant(0.0) for _ in range(math.prod(e.shape))], e.shape)
    found = []
    for row in rows.tolist():
        total = row[0]
        for n in row[1:]:
            total = number("{} + {}", total, n)
        found.append(total)
    return _objects(found, e.shape)


def _scattered(gs: list[np.ndarray], e: Equation, number: Callable[..., _Number]) -> np.ndarray:
    """Sums in the places that the indices name; like NumPy's they start from zero."""
    places = np.arange(math.prod(e.shape)).reshape(e.shape)
    totals: list[Any] = [_constant(0.0) for _ in range(places.size)]
    for g, where in zip(gs, e.params["indices"], strict=True):
        to = np.asarray(places[where])
        for k, n in zip(to.reshape(-1).tolist(), np.broadcast_to(g, to.shape).reshape(-1).tolist(), strict=True):
            totals[k] = number("{} + {}", totals[k], n)
    return _objects(totals, e.shape)


def _lines(order: list[_Number]) -> list[str]:
    """The assignments of the numbers that are needed; one that is read once is written where it is read."""
    for n in reversed(order):
        if not n.reads:
            for a in n.args:
                a.reads -= 2 if n.twice else 1
    lines, fresh = [], count(1).__next__
    for n in order:
        if not n.reads:
            continue
        text = n.form.format(*[a.text for a in n.args])
        if n.reads == 1 and len(text) < 80:
            n.text = text if n.form.endswith(")") and "(" in n.form and n.form[0].isalpha() else f"({text})"
        else:
            n.text = f"t{fresh()}"
            lines.append(f"{n.text} = {text}")
    return lines


def _result(out: np.ndarray, e: Any) -> str:
    kind = e.dtype if type(e) is Equation else np.asarray(raw(e)).dtype
    texts = [n.text for n in out.reshape(-1).tolist()]
    if not out.shape:
        return f"{'bool_' if kind == _BOOL else 'float64'}({texts[0]})"
    made = f"array(({''.join([t + ', ' for t in texts])}), {'bool' if kind == _BOOL else 'float'})"
    return made if out.ndim == 1 else f"{made}.reshape({out.shape!r})"

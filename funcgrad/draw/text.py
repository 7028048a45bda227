"""A tape as text: the typed program that `print(tape)` shows, and Python source that runs."""

from __future__ import annotations

from keyword import kwlist
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.tape import Equation, Tape
from funcgrad.draw.values import type_of
from funcgrad.errors import ArgumentError, type_text

_TAKEN = frozenset({*kwlist, "np", "dtype", "inf", "nan", "registry"})  # words that mean something in `source`


def names(tape: Tape) -> dict[Equation, str]:
    """A name for each equation: inputs first, then in order; a, b, …, z, aa, ab, …"""
    found: dict[Equation, str] = {}
    number = 0
    for e in (*tape.inputs, *tape.equations):
        while (name := _letters(number)) in _TAKEN:
            number += 1
        found[e] = name
        number += 1
    return found


def _letters(n: int) -> str:
    text = ""
    n += 1
    while n:
        n, k = divmod(n - 1, 26)
        text = "abcdefghijklmnopqrstuvwxyz"[k] + text
    return text


def _type(e: Equation) -> str:
    return type_of(e.shape, e.dtype)


def literal(x: Any) -> str:
    """A constant operand or parameter, short enough for a line."""
    if isinstance(x, Array):
        x = x._value
    if isinstance(x, np.dtype):
        return x.name
    if isinstance(x, np.generic):
        return repr(x.item())
    if isinstance(x, np.ndarray):
        return repr(x.item()) if x.ndim == 0 else f"<{type_text(x)}>"
    if isinstance(x, tuple):
        return "(" + ", ".join(literal(e) for e in x) + ("," if len(x) == 1 else "") + ")"
    if isinstance(x, slice):
        parts = ["" if p is None else str(p) for p in (x.start, x.stop)]
        return ":".join(parts) + (f":{x.step}" if x.step is not None else "")
    if x is Ellipsis:
        return "..."
    return repr(x)


def operands(e: Equation, label: dict[Equation, str]) -> list[str]:
    """The operands of an equation as they print: names, literals, and `·` for constants that were not kept."""
    found = []
    for i in e.operands():
        if i is None:
            found.append("·")
        else:
            found.append(label.get(i, "·") if type(i) is Equation else literal(i))
    return found


def call(e: Equation, label: dict[Equation, str]) -> str:
    """`primitive(operands, parameters)`"""
    words = operands(e, label) + [f"{k}={literal(v)}" for k, v in e.params.items()]
    return f"{e.primitive.name}({', '.join(words)})"


def kept(e: Equation) -> str:
    """What an equation keeps, with its bytes; empty if nothing."""
    named = [(n, x) for n, value in e.kept.items() for x in (value if type(value) is tuple else (value,))]
    return ", ".join(
        f"{n} {type_text(x)} {x.nbytes} B" for n, x in named if isinstance(x, (Array, np.ndarray, np.generic))
    )


def text(tape: Tape) -> str:
    """The tape as a typed program, one equation a line; on the tape of a pullback with what each of them keeps.

    The bodies of an operation that holds functions follow it, indented.
    """
    return "\n".join(_lines(tape, "tape"))


def _lines(tape: Tape, title: str) -> list[str]:
    label = names(tape)
    rows = [(f"  {label[e]}: {_type(e)} = {call(e, label)}", "" if tape.symbolic else kept(e)) for e in tape.equations]
    width = max((len(row) for row, note in rows if note), default=0)
    lines = [f"{title}({', '.join(f'{label[i]}: {_type(i)}' for i in tape.inputs)}):"]
    for e, (row, note) in zip(tape.equations, rows, strict=True):
        lines.append(f"{row.ljust(width)}  # keeps {note}" if note else row)
        if tape.symbolic:
            tapes = inside(getattr(e.primitive, "body", None))
            lines += [f"    {line}" for title, tape in tapes for line in _lines(tape, title)]
    results = [label[o] if type(o) is Equation else ("·" if o is None else literal(o)) for o in tape.outputs]
    return [*lines, f"  return {', '.join(results) or 'nothing'}"]


_DERIVED = {"Pushforward": "pushforward of", "PullbackBody": "pullback of"}


def inside(body: Any, title: str = "") -> list[tuple[str, Tape]]:
    """The tapes that a body is made of (transforms/bodies.py), with what is done with each."""
    if isinstance(getattr(body, "tape", None), Tape):
        return [(title.strip() or "body", body.tape)]
    if hasattr(body, "parts"):
        return [found for words, part in body.parts.items() for found in inside(part, f"{title}{words} ")]
    if not hasattr(body, "body"):
        return []
    words = f"on {body.size} examples" if hasattr(body, "size") else _DERIVED.get(type(body).__name__, "")
    return inside(body.body, f"{title}{words} " if words else title)


def source(tape: Tape, name: str = "program") -> str:
    """Python source of a function that computes what the tape does, from flat inputs to a tuple of flat outputs.

    It needs only NumPy and funcgrad: operations that are NumPy ufuncs are written as such, the others as primitives
    from the registry.

    Arguments:
        tape: a tape from make_tape.
        name: of the function.

    Returns:
        A module as text; `exec` it and call the function with as many arrays as the tape has inputs.

    Raises:
        ArgumentError: the tape is one of a pullback, or it has an operation that holds functions.
    """
    if not tape.symbolic:
        raise ArgumentError("the tape of a pullback is not a whole program; funcgrad.make_tape gives one with a source")
    label = names(tape)
    lines = [
        "import numpy as np",
        "from numpy import dtype, inf, nan",
        "",
        "from funcgrad.core.primitive import registry",
        "",
    ]
    lines += ["", f"def {name}({', '.join(label[i] for i in tape.inputs)}):"]
    for e in tape.equations:
        args = [label[i] if type(i) is Equation else _python(i) for i in e.inputs]
        if e.primitive.name == "item":
            lines.append(f"    {label[e]} = {args[0]}[{e.picks}]")
            continue
        if hasattr(e.primitive, "body"):
            raise ArgumentError(
                f"a tape with {e.primitive.name}, an operation that holds functions, cannot be written as source. Call "
                f"the tape itself"
            )
        is_ufunc = isinstance(e.primitive.impl, np.ufunc)
        function = f"np.{e.primitive.impl.__name__}" if is_ufunc else f"registry[{e.primitive.name!r}]"
        params = [f"{k}={_python(v)}" for k, v in e.params.items()]
        lines.append(f"    {label[e]} = {function}({', '.join(args + params)})")
    results = [label[o] if type(o) is Equation else _python(o) for o in tape.outputs]
    lines.append(f"    return ({''.join(r + ', ' for r in results).rstrip()})")
    return "\n".join(lines) + "\n"


def _python(x: Any) -> str:
    """An expression whose value is x, exactly."""
    if isinstance(x, Array):
        x = x._value
    if type(x) is complex:
        return f"complex({x.real!r}, {x.imag!r})"
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "c":  # as pairs of reals: `infj` is no literal
        pairs = _python(np.stack([x.real, x.imag], axis=-1))
        return f"{pairs}.view({x.dtype.name!r}).reshape({x.shape})" + ("[()]" if isinstance(x, np.generic) else "")
    if isinstance(x, (np.ndarray, np.generic)):
        return (
            f"np.array({x.tolist()!r}, dtype={x.dtype.name!r})"
            + (f".reshape({x.shape})" if x.size == 0 else "")
            + ("[()]" if isinstance(x, np.generic) else "")
        )
    if isinstance(x, tuple):
        return "(" + "".join(_python(e) + ", " for e in x).rstrip() + ")" if x else "()"
    if isinstance(x, list):
        return "[" + ", ".join(_python(e) for e in x) + "]"
    if x is Ellipsis:
        return "..."
    if hasattr(x, "as_source"):  # a constant of a class of its own
        module, name, args = x.as_source()
        return f"__import__({module!r}, fromlist=[{name!r}]).{name}({', '.join([_python(a) for a in args])})"
    return repr(x)

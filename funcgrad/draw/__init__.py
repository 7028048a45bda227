"""Pictures of tapes, functions and tensors, and tapes as text.

Importing this installs on `Tape`: str, `source()`, `draw()`, `mermaid()` and its display in notebooks; and on
`Pullback` the latter three. What draws is loaded when somebody first asks for a picture.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from funcgrad.core.tape import Tape
from funcgrad.draw.text import source as source
from funcgrad.draw.text import text as text
from funcgrad.errors import ArgumentError
from funcgrad.transforms.vjp import Pullback
from funcgrad.transforms.wraps import name_of

if TYPE_CHECKING:
    from funcgrad.draw.drawing import Drawing


def draw(f: Callable, *, depth: int | None = None, fold: bool = True) -> Callable[..., Drawing]:
    """A function that draws what f does with its arguments: operations, values, gradients, and where they are cut.

    f runs on the values themselves, so it may decide by them. If its result is one real number the picture shows the
    gradient of it by every value on the way. Operations are grouped by the functions of the program and by
    `funcgrad.named_scope`.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        depth: how deep groups are open; by default as deep as about sixty boxes allow.
        fold: whether parts that follow one another and do the same are drawn once.

    Returns:
        A function with the arguments of f that gives a `Drawing`, which notebooks show; `save("f.svg")` writes it.

    Raises:
        ArgumentError: an argument or the result has a leaf that is no array.

    Example:
        >>> print(fg.draw(lambda x: fnp.sum(fnp.sin(x)))(fnp.zeros(2)).mermaid())
        flowchart TD
          a(["x<br/>float64[2]<br/>[0, 0]<br/>grad [1, 1]"])
          b["sin<br/>float64[2]<br/>[0, 0]<br/>keeps x: 16 B<br/>grad [1, 1]"]
          c{{"reduce_sum<br/>float64[]<br/>axis=(0,)<br/>0<br/>grad 1"}}
          a --> b
          b --> c
    """
    if not callable(f):
        raise ArgumentError(f"draw takes a function, got {f!r} of type {type(f).__name__}")

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__"))
    def drawn(*args: Any, **kwargs: Any) -> Drawing:
        tape, known = _later("recording").recorded(f, args, kwargs)
        return _drawing(_later("tapes").graph_of(tape, known, name_of(f)), depth=depth, fold=fold)

    return drawn


def _later(module: str) -> Any:
    """A module that is loaded when a picture is first asked for."""
    return import_module(f"funcgrad.draw.{module}")


def _drawing(graph: Any, **options: Any) -> Drawing:
    return _later("drawing").Drawing(graph, **options)


def draw_tape(tape: Tape, *, depth: int | None = None, fold: bool = True) -> Drawing:
    """A picture of the tape, which notebooks show.

    Arguments:
        depth: how deep groups are open; by default as deep as about sixty boxes allow.
        fold: whether parts that follow one another and do the same are drawn once.
    """
    return _drawing(_later("tapes").graph_of(tape), depth=depth, fold=fold)


def mermaid(tape: Tape, direction: str = "TD") -> str:
    """The tape as a Mermaid flowchart, unfolded and without groups: inputs rounded, results as hexagons.

    Arguments:
        direction: in which the graph runs: "TD" (down) or "LR" (to the right).

    Raises:
        ArgumentError: another direction.

    Example:
        >>> print(fg.make_tape(lambda x: fnp.sin(x) * 2.0)(1.0).mermaid())
        flowchart TD
          a(["a<br/>float64[]"])
          b["b = sin<br/>float64[]"]
          c{{"c = multiply<br/>float64[]<br/>· 2.0"}}
          a --> b
          b --> c
    """
    return draw_tape(tape, depth=99, fold=False).mermaid(direction)


def _mimebundle(tape: Tape, include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows for a tape: the picture where it can, the text elsewhere."""
    drawing = draw_tape(tape)
    return {"text/plain": text(tape), "image/svg+xml": drawing.svg(), "text/vnd.mermaid": drawing.mermaid()}


def _on_tape(function: Callable) -> Callable:
    """A method of pullbacks that asks their tape."""

    @functools.wraps(function)
    def method(self: Pullback, *args: Any, **kwargs: Any) -> Any:
        return function(self.tape, *args, **kwargs)

    return method


_tape: Any = Tape  # which, being of core, knows no drawings
_tape.__str__ = _tape.__repr__ = text
_tape.source = source
_tape.draw = draw_tape
_tape.mermaid = mermaid
_tape._repr_mimebundle_ = _mimebundle
_pullback: Any = Pullback
_pullback.draw = _on_tape(draw_tape)
_pullback.mermaid = _on_tape(mermaid)
_pullback._repr_mimebundle_ = _on_tape(_mimebundle)

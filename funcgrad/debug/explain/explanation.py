"""`Explanation`: what `explain` found out, as fields and as text."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

from funcgrad.core.types import PyTree
from funcgrad.debug.explain.memory import Residual
from funcgrad.debug.explain.places import Place
from funcgrad.debug.explain.seconds import Time, time_text
from funcgrad.draw.drawing import Drawing
from funcgrad.draw.graph import Graph, size_text


class Input(NamedTuple):
    """One leaf of the arguments.

    Attributes:
        name: argument and path, as `params['w'][0]`.
        shape, dtype: of the leaf.
        reaches: whether the result depends on it, by whichever way.
        gradient: "full", "partly zero", "zero", "not finite" or "none"; "none" is a gradient that is zero because
            nothing that a derivative flows through leads from here to the result.
        zeros: how many elements of the gradient are zero.
        first: the index of the first of them; None if there is none.
    """

    name: str
    shape: tuple[int, ...]
    dtype: Any
    reaches: bool
    gradient: str
    zeros: int
    first: tuple[int, ...] | None

    @property
    def size(self) -> int:
        size = 1
        for n in self.shape:
            size *= n
        return size

    def __str__(self) -> str:
        kind = f"{self.dtype}[{','.join(map(str, self.shape))}]"
        if self.gradient == "partly zero":
            first = ", ".join(map(str, self.first or ()))
            return f"{self.name}: {kind}, gradient zero in {self.zeros} of {self.size} elements, the first at [{first}]"
        words = {"full": "has a gradient", "none": "gets no gradient", "not finite": "gradient not finite"}
        return f"{self.name}: {kind}, {words.get(self.gradient, 'gradient zero')}"


class Finding(NamedTuple):
    """One thing that is to be known about a gradient.

    Attributes:
        kind: in one word, as "stop_gradient" or "saturated"; docs/explain.md has the table.
        severity: "loss" if an input gets no gradient whatever the numbers are, "zero" if its gradient is zero at these
            numbers, "nonfinite", or "note" for what is as it should be in many a healthy function.
        variables: the inputs that it is about.
        place: the line; None if it is unknown.
        text: what happens there.
        remedy: what to do.
        others: further lines that belong to it.
    """

    kind: str
    severity: str
    variables: tuple[str, ...]
    place: Place | None
    text: str
    remedy: str
    others: tuple[Place, ...] = ()

    @property
    def file(self) -> str | None:
        return None if self.place is None else self.place.file

    @property
    def line(self) -> int | None:
        return None if self.place is None else self.place.line

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        names = ("line", "file", "kind", "severity", "variables", "text", "remedy")
        return {name: getattr(self, name) for name in names} | {"variables": list(self.variables)}

    def __str__(self) -> str:
        return "\n".join([", ".join(self.variables), *self.lines()])

    def lines(self) -> list[str]:
        """The lines of text below the names of the variables."""
        told = self.kind == "nonfinite"  # the text has the line
        places = [p for p in (*self.others, self.place) if p is not None and not told]
        text = self.text.splitlines()
        remedy = [f"-> {self.remedy}"] if self.remedy else []
        return [f"  {line}" for line in (*map(str, dict.fromkeys(map(str, places))), *text, *remedy)]


_HEADS = {
    "loss": "No gradient arrives at",
    "zero": "The gradient is zero in",
    "nonfinite": "The gradient is not finite in",
    "note": "Zero in part, or left out",
}


class Explanation:
    """What `explain` found out about the gradient of a function; printed, it is a text.

    Attributes:
        name: of the function.
        value: what the function gave.
        gradient: with respect to the arguments that were looked at: a tuple with one for each. If the result is no
            scalar, it is that of a sum of its elements with random weights.
        inputs: an `Input` for each leaf of these arguments.
        findings: the `Finding`s, the worst first.
        residuals: what is kept for the backward pass, a `Residual` for each line, the largest first.
        times: a `Time` for each line, the longest first.
    """

    def __init__(
        self,
        name: str,
        value: PyTree,
        gradient: tuple,
        inputs: list[Input],
        findings: list[Finding],
        residuals: list[Residual],
        times: list[Time],
        remarks: list[str],
        graph: Callable[[], Graph],
    ) -> None:
        self.name, self.value, self.gradient, self.inputs = name, value, gradient, inputs
        self.findings, self.residuals, self.times = findings, residuals, times
        self._remarks, self._graph = remarks, graph

    @property
    def ok(self) -> bool:
        """Whether there are no findings but notes."""
        return all(f.severity == "note" for f in self.findings)

    @property
    def residual_bytes(self) -> int:
        """What reverse mode keeps for the backward pass, in bytes."""
        return sum(r.bytes for r in self.residuals)

    @property
    def seconds(self) -> float:
        """What the operations took, forward and backward."""
        return sum(t.forward + t.backward for t in self.times)

    def __str__(self) -> str:
        lines = [self._summary(), *self._remarks]
        for severity, head in _HEADS.items():
            found = [f for f in self.findings if f.severity == severity]
            for variables in dict.fromkeys(f.variables for f in found):
                names = _listed(variables)
                lines += ["", f"{head} {names}:" if severity != "note" else f"{head}: {self._described(variables)}"]
                for f in found:
                    if f.variables == variables:
                        lines += f.lines()
        return "\n".join([*lines, *([""] if self.findings else []), self._costs()])

    def _repr_html_(self) -> str:
        picture = "" if self.ok else self.draw().svg()
        return f"<pre>{escape(str(self))}</pre>{picture}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    __repr__ = __str__

    def _summary(self) -> str:
        count = len(self.inputs)
        wrong = {v for f in self.findings if f.severity != "note" for v in f.variables}
        if wrong == {"the result"}:
            return f"{self.name}: the result is not finite."
        if wrong:
            others = len(wrong - {"the result"})
            result = "the result is not finite, and " if others < len(wrong) else ""
            who = "the input" if max(count, others) == 1 else f"{others} of {max(count, others)} inputs"
            return f"{self.name}: {result}{who} {'gets' if others == 1 else 'get'} no proper gradient."
        if not count:
            return f"{self.name}: there is no input with floating-point numbers."
        return (
            f"{self.name}: all is well, the gradient{' is' if count == 1 else f's of all {count} inputs are'} finite."
        )

    def _described(self, variables: tuple[str, ...]) -> str:
        named = {i.name: i for i in self.inputs}
        texts = [str(named[v]) if v in named and named[v].gradient == "partly zero" else v for v in variables]
        return "; ".join(texts) if len(texts) < 4 else _listed(variables)

    def draw(self, *, depth: int | None = None, fold: bool = True) -> Drawing:
        """A picture of what was computed, with the gradients, the cuts, and the kinds of what was found.

        Arguments:
            depth: how deep functions are open; by default as deep as about sixty boxes allow.
            fold: whether parts that follow one another and do the same are drawn once.
        """
        return Drawing(self._graph(), depth=depth, fold=fold)

    def costs(self, lines: int = 5) -> str:
        """What is kept for the backward pass and what takes the time, line by line, the largest first.

        Arguments:
            lines: how many of each.
        """
        kept = [f"{size_text(self.residual_bytes)} kept for the backward pass", *map(str, self.residuals[:lines])]
        if any(r.place is not None for r in self.residuals):
            kept.append("fg.checkpoint around a function keeps its arguments only, and computes what it makes again")
        took = [f"{time_text(self.seconds)} taken, operation by operation, uncompiled", *map(str, self.times[:lines])]
        return "\n".join([*kept, *took])

    def _costs(self) -> str:
        """The same in a sentence."""
        kept, took = f"{size_text(self.residual_bytes)} kept for the backward pass", f"{time_text(self.seconds)} taken"
        if self.residual_bytes:
            first = self.residuals[0]
            kept += f" ({first.bytes / self.residual_bytes:.0%} by {_line(first.place) or f'{first.made[0]}s'})"
        if self.seconds:
            took += f" ({self.times[0].share:.0%} by {_line(self.times[0].place) or 'an unknown line'})"
        return f"{kept}; {took}."


def _line(place: Place | None) -> str:
    return "" if place is None else place.short


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:5])} and {len(names) - 5} more"

"""`Finding`: one thing that the report says of a line."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from funcgrad.torch.report.leaves import Cause, Leaf
from funcgrad.torch.report.places import Place

SEVERITIES = ("error", "nonfinite", "loss", "zero", "doubled", "stale", "note")
"""The worst first. All but the last promise that something is wrong."""


@dataclass(slots=True)
class Finding:
    """What was found.

    Attributes:
        line, file: the line to blame.
        kind: what it is, in words joined by hyphens.
        severity: "error", "nonfinite", "loss", "zero", "doubled", "stale"; "note" is harmless or on purpose.
        variables: the names of the tensors concerned.
        text: a sentence.
        remedy: the smallest change that would help.
    """

    line: int
    file: str
    kind: str
    severity: str
    variables: list[str] = field(default_factory=list)
    text: str = ""
    remedy: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @property
    def place(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}"

    @property
    def line_text(self) -> str:
        """The line with its text, as `file.py:12: y = x.detach()`."""
        return str(Place(self.file, self.line, ""))


def finding(severity: str, kind: str, place: Place, text: str, remedy: str, variables: list[str]) -> Finding:
    """A finding at a place."""
    names = list(dict.fromkeys(v for v in variables if v))
    return Finding(place.line, place.file, kind, severity, names, text, remedy)


def of_cause(severity: str, cause: Cause, text: str, leaves: list[Leaf]) -> Finding:
    """A finding of what a cause did to leaves."""
    names = all_names(leaves) + cause.value.split(", ")
    return finding(severity, cause.kind, cause.place, text, cause.remedy, names)


_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and": "&", "or": "|", "xor": "^", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==", "ne": "!=",
}  # fmt: skip


def spoken(what: str) -> str:
    """A function as a program writes it: `exp()`, `+=`, an item that is assigned."""
    if not what.startswith("__"):
        return f"{what}()"
    name = what.strip("_")
    if name in _OPERATORS:
        return _OPERATORS[name]
    if name[:1] in "ir" and name[1:] in _OPERATORS:
        return _OPERATORS[name[1:]] + "=" * (name[0] == "i")
    return {"getitem": "indexing", "setitem": "assigning an item", "neg": "-"}.get(name, f"{name}()")


def all_names(leaves: list[Leaf]) -> list[str]:
    """The names of leaves, all that they have."""
    return [leaf.name for leaf in leaves] + [n for leaf in leaves for n in leaf.names]


def ordered(findings: list[Finding]) -> list[Finding]:
    """The worst first; one for each line, kind and severity."""
    kept: dict[tuple, Finding] = {}
    for f in findings:
        key = (f.file, f.line, f.kind, f.severity)
        if key in kept:
            kept[key].variables = list(dict.fromkeys([*kept[key].variables, *f.variables]))
        else:
            kept[key] = f
    return sorted(kept.values(), key=lambda f: (SEVERITIES.index(f.severity), f.file, f.line))


def names(leaves: list[Leaf], limit: int = 4) -> str:
    """Leaves as words."""
    shown = [leaf.name or f"a tensor of shape {list(leaf.shape)}" for leaf in leaves]
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more

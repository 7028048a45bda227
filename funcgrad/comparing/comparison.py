"""`Comparison`: two sides, where they agree and where not, as text and as a page."""

from __future__ import annotations

import textwrap
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from funcgrad.comparing.page import fragment, page, shortened, shown
from funcgrad.comparing.sides import Side

_COLUMN = 64  # characters of a line in one column; longer ones go on in the next


class Row(NamedTuple):
    """One number or array on both sides.

    Attributes:
        name: "value", "value 1", or "gradient of w".
        torch, functional: the numbers; None for a gradient that there is none of.
        difference: the largest, absolute; None if they cannot be compared.
        agree: whether they are equal up to the tolerance.
    """

    name: str
    torch: np.ndarray | None
    functional: np.ndarray | None
    difference: float | None
    agree: bool

    @property
    def verdict(self) -> str:
        """In words how far they agree."""
        if self.torch is None and self.functional is None:
            return "no gradient on either side"
        if self.torch is None or self.functional is None:
            side = "torch" if self.torch is None else "functional"
            if self.agree:
                return "equal: None says that nothing leads here, which the functional face says by zeros"
            return f"DIFFERENT: there is none on the {side} side"
        if self.difference is None:
            return f"DIFFERENT: shapes {self.torch.shape} and {self.functional.shape}"
        if self.agree:
            return "equal" if self.difference == 0 else f"equal up to {self.difference:.1e}"
        where = np.unravel_index(np.argmax(_distance(self.torch, self.functional)), self.torch.shape)
        place = f" at [{', '.join(map(str, where))}]" if where else ""
        return f"DIFFERENT by up to {self.difference:.3g}{place}"


def row(name: str, torch: np.ndarray | None, functional: np.ndarray | None, rtol: float) -> Row:
    """Compare the numbers of both sides."""
    if torch is None or functional is None:
        there = functional if torch is None else torch
        return Row(name, torch, functional, None, torch is None and (there is None or not np.any(there)))
    if torch.shape != functional.shape:
        return Row(name, torch, functional, None, False)
    difference = float(np.max(_distance(torch, functional), initial=0.0))
    finite = np.abs(functional)[np.isfinite(functional)]
    scale = float(np.max(finite, initial=0.0))
    return Row(name, torch, functional, difference, difference <= rtol * max(scale, 1e-300))


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far apart numbers are; the same infinity and two NaN are not apart."""
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0.0, np.abs(a.astype(complex) - b))
    return np.where(np.isnan(distance), np.inf, distance)


class Comparison:
    """The same computation on both faces. Printed it is a text; in a notebook a table.

    Attributes:
        torch, functional: a `Side` for each face.
        rows: a `Row` for each value and each gradient.
        agree: whether all of them are equal up to the tolerance.
    """

    def __init__(self, torch: Side, functional: Side, rows: list[Row]) -> None:
        self.torch, self.functional, self.rows = torch, functional, rows

    @property
    def agree(self) -> bool:
        return all(r.agree for r in self.rows)

    @property
    def summary(self) -> str:
        """In a sentence whether they agree."""
        wrong = [r.name for r in self.rows if not r.agree]
        if wrong:
            return f"The two sides differ: {', '.join(wrong)}."
        count = sum(r.name.startswith("gradient") for r in self.rows)
        gradients = {0: "", 1: " and the same gradient"}.get(count, f" and the same {count} gradients")
        return f"Both sides give the same value{gradients}."

    @property
    def reasons(self) -> list[str]:
        """Why a gradient is missing, or zero, on one side and not on the other."""
        found = []
        for r in self.rows:
            if r.agree or not r.name.startswith("gradient"):
                continue
            name = r.name.removeprefix("gradient of ")
            for side, g, other in ((self.torch, r.torch, r.functional), (self.functional, r.functional, r.torch)):
                if (g is None or not np.any(g)) and np.any(other is not None and other != 0):
                    found.append(f"{side.face}, {r.name}:\n{side.why(name)}")
        return found

    def __str__(self) -> str:
        left, right = self.torch, self.functional
        blocks = [("", f"torch: {left.name}", f"functional: {right.name}")]
        blocks += [("", left.source or "(no source)", right.source or "(no source)")]
        blocks += [(f"{r.name}: {r.verdict}", shown(r.torch), shown(r.functional)) for r in self.rows]
        blocks += [("recorded for the backward pass:", shortened(left.recorded), shortened(right.recorded))]
        width = min(_COLUMN, max(len(line) for _, text, _ in blocks for line in text.splitlines()))
        lines = [self.summary, *[f"\n{reason}" for reason in self.reasons]]
        for head, a, b in blocks:
            lines += ["", head] if head else [""]
            lines += _columns(a, b, width)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return fragment(self)

    def html(self) -> str:
        """A page of its own, which needs nothing else."""
        return page(self)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, or the text if its name does not end with .html.

        Arguments:
            path: of the file.
        """
        path = Path(path)
        path.write_text(self.html() if path.suffix in (".html", ".htm") else f"{self}\n", encoding="utf-8")


def _columns(left: str, right: str, width: int) -> list[str]:
    """Two texts beside each other, line by line; a line that is too long goes on below."""
    found = []
    for a, b in zip_longest(left.splitlines(), right.splitlines(), fillvalue=""):
        for x, y in zip_longest(_folded(a), _folded(b), fillvalue=""):
            found.append(f"{x:<{width}} | {y}".rstrip())
    return found


def _folded(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 8)
    return textwrap.wrap(line, _COLUMN, subsequent_indent=indent, break_on_hyphens=False) or [""]

"""Writes the tables of README.md from a run of compiled.py."""

from __future__ import annotations

import math
import re
import statistics
from pathlib import Path
from typing import Any

from results import least, ratios

README = Path(__file__).resolve().parent.parent / "README.md"
WORDS = {
    "chain": "a chain of 30 operations on a number",
    "rosenbrock": "Rosenbrock's function of 10 variables",
    "lorenz": "50 steps of Runge-Kutta, written out",
    "lorenz-scan": "50 steps of Runge-Kutta, by `lax.scan`",
    "rnn": "a recurrent network, 100 steps",
    "mlp": "a small network, 64-64-64-10, batch of 32",
    "attention": "a block of a transformer",
    "mlp-large": "a large network, 784-1024-1024-10, batch of 256",
    "mixture": "a mixture of 25 Gaussians, 1000 points",
    "logistic": "logistic regression, 10,000 × 100",
    "elementwise": "an elementwise formula on a million doubles",
}


def write(run: dict[str, Any]) -> None:
    """Put the tables between the marks `<!-- benchmarks: … -->` and `<!-- end -->`."""
    text = README.read_text()
    rows = [row for row in run["rows"] if row["name"] in WORDS]
    tables = {"eager": _eager(rows), "jit": _jit(rows), "machine": f"{run['machine']}."}
    for name, table in tables.items():
        mark = f"<!-- benchmarks: {name} -->\n"
        text = re.sub(f"{mark}.*?<!-- end -->", lambda _, m=mark, t=table: f"{m}{t}\n<!-- end -->", text, flags=re.S)
    README.write_text(text)


def _eager(rows: list[dict[str, Any]]) -> str:
    """Without jit: what the others take as multiples of funcgrad's time."""
    others = {"numpy": "NumPy by hand", "autograd": "HIPS autograd", "torch": "PyTorch"}
    lines = [_cells(["value and gradient of", "funcgrad", *others.values()])]
    lines.append(_cells(["---"] * (2 + len(others))))
    for row in rows:
        cells = [_multiple(row, n, "eager") for n in others]
        lines.append(_cells([WORDS[row["name"]], _milliseconds(least(row, "eager")), *cells]))
    return "\n".join(lines)


def _jit(rows: list[dict[str, Any]]) -> str:
    """With jit: the same, and the time from the first call to its result."""
    others = {"native": "native", "eager": "without it", "torch": "PyTorch", "jax.jit": "`jax.jit`"}
    titles = ["value and gradient of", "`fg.jit`", *others.values(), "first call", "first call of JAX"]
    lines = [_cells(titles), _cells(["---"] * len(titles))]
    for row in rows:
        cells = [_multiple(row, n, "jit") for n in others]
        first = [_milliseconds(1e3 * row["first"].get(n, math.nan)) for n in ("jit", "jax.jit")]
        lines.append(_cells([WORDS[row["name"]], _milliseconds(least(row, "jit")), *cells, *first]))
    return "\n".join(lines)


def _cells(words: list[str]) -> str:
    return "|".join(["", *[f" {w} " if w != "---" else w for w in words], ""])


def _multiple(row: dict[str, Any], library: str, of: str) -> str:
    found = ratios(row, library, of)
    return f"{_two_digits(statistics.median(found))} ×" if found else "–"


def _milliseconds(x: float) -> str:
    if math.isnan(x):
        return "–"
    return next(f"{_two_digits(x * k)} {unit}" for k, unit in ((1e-3, "s"), (1, "ms"), (1e3, "µs")) if x * k >= 1)


def _two_digits(x: float) -> str:
    return f"{x:.0f}" if x >= 9.95 else f"{x:#.2g}"

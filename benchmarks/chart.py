"""The bars of a run of compiled.py: how many times as fast as jax.jit each library is, for each workload."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from results import TITLES, ratios

COLOURS = {
    "native": "#0b5d3b",
    "jit": "#2a9d6f",
    "eager": "#8fd3b4",
    "numpy": "#9a9a9a",
    "torch": "#e07a3f",
    "autograd": "#c9b458",
}


def bars(run: dict[str, Any], file: Path) -> None:
    """Draw a run; the whiskers reach from the least to the greatest ratio over the rounds."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in run["rows"] if "jax.jit" in row["times"]]
    shown = [n for n in COLOURS if any(n in row["times"] for row in rows)]
    figure, axes = plt.subplots(figsize=(9, 0.8 + 0.1 * len(rows) * (len(shown) + 1.5)))
    height = 0.85 / len(shown)
    for k, n in enumerate(shown):
        places, values, spread = [], [], []
        for place, row in enumerate(rows):
            found = ratios(row, "jax.jit", n)
            if found:
                middle = statistics.median(found)
                places.append(place + k * height)
                values.append(middle)
                spread.append((middle - min(found), max(found) - middle))
        axes.barh(places, values, 0.92 * height, color=COLOURS[n], label=TITLES[n], left=0)
        axes.errorbar(values, places, xerr=list(zip(*spread, strict=True)), fmt="none", ecolor="black", elinewidth=0.6)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlim(left=0.02)  # what is slower still is slow enough
    axes.margins(y=0.01)
    axes.set_yticks([place + 0.4 for place in range(len(rows))], [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as jax.jit (value and gradient, hot calls)")
    axes.set_title(run["machine"], fontsize=7)
    axes.grid(axis="x", which="both", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.tight_layout()
    figure.savefig(file, dpi=110)

"""A comparison as HTML."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

_STYLE = """
.fg-compare { font: 14px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 90rem; }
.fg-compare table { border-collapse: collapse; width: 100%; table-layout: fixed; }
.fg-compare th, .fg-compare td { text-align: left; vertical-align: top; }
.fg-compare th, .fg-compare td { padding: .4rem .8rem; border-top: 1px solid #ccc; }
.fg-compare pre { margin: 0; font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.fg-compare .verdict { font-weight: normal; }
.fg-compare .equal { color: #1b6e2b; }
.fg-compare .different { color: #b3261e; font-weight: bold; }
.fg-compare ol { margin: 0; padding-left: 2.2rem; }
.fg-compare li::marker { color: #888; font: 12px ui-monospace, monospace; }
.fg-compare svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  .fg-compare { color: #e6e6e6; }
  .fg-compare th, .fg-compare td { border-color: #555; }
  .fg-compare .equal { color: #7ddb91; }
  .fg-compare .different { color: #ffb4ab; }
}
@media (max-width: 45rem) {
  .fg-compare table, .fg-compare tbody, .fg-compare tr, .fg-compare th, .fg-compare td { display: block; width: auto; }
  .fg-compare tr:first-child { display: none; }
  .fg-compare td::before { content: attr(data-face); color: #888; font-size: 12px; }
}
"""


def page(comparison: Any) -> str:
    """A whole document."""
    title = escape(f"{comparison.torch.name} and {comparison.functional.name}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        f'content="width=device-width">\n<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"</head>\n<body>\n{fragment(comparison)}\n</body>\n</html>\n"
    )


def fragment(comparison: Any) -> str:
    """The part of it that a notebook shows."""
    left, right = comparison.torch, comparison.functional
    state = "equal" if comparison.agree else "different"
    rows = [
        _heads(f"torch: {left.name}", f"functional: {right.name}"),
        _cells(_numbered(left.source), _numbered(right.source)),
    ]
    for r in comparison.rows:
        verdict = f'<span class="{"equal" if r.agree else "different"} verdict">{escape(r.verdict)}</span>'
        rows.append(f'<tr><th colspan="2">{escape(r.name)}: {verdict}</th></tr>')
        rows.append(_cells(_pre(shown(r.torch)), _pre(shown(r.functional))))
    rows.append('<tr><th colspan="2">recorded for the backward pass</th></tr>')
    rows.append(_cells(_pre(shortened(left.recorded)), _pre(shortened(right.recorded))))
    rows.append('<tr><th colspan="2">as pictures</th></tr>')
    rows.append(_cells(left.draw().svg(), right.draw().svg()))
    reasons = "".join([f"{_pre(reason)}\n" for reason in comparison.reasons])
    return (
        f'<div class="fg-compare">\n<style>{_STYLE}</style>\n<p class="{state}">{escape(comparison.summary)}</p>\n'
        f"{reasons}"
        f"<table>\n" + "\n".join(rows) + "\n</table>\n</div>"
    )


def shortened(text: str) -> str:
    """A text without its middle, if it is long."""
    lines = text.splitlines()
    left_out = len(lines) - 2 * _ENDS
    if left_out < 2:
        return text
    return "\n".join([*lines[:_ENDS], f"  ... {left_out} lines more ...", *lines[-_ENDS:]])


_ENDS = 40  # lines at the beginning and at the end of what was recorded that are shown


def _heads(left: str, right: str) -> str:
    return f"<tr><th>{escape(left)}</th><th>{escape(right)}</th></tr>"


def _cells(left: str, right: str) -> str:
    return f'<tr><td data-face="torch">{left}</td><td data-face="functional">{right}</td></tr>'


def _pre(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _numbered(source: str) -> str:
    lines = "".join(f"<li><pre>{escape(line) or ' '}</pre></li>" for line in source.splitlines())
    return f"<ol>{lines}</ol>" if lines else "(no source)"


def shown(x: np.ndarray | None) -> str:
    """Numbers in a few digits."""
    return "None" if x is None else np.array2string(x, precision=6, threshold=12, separator=", ")

"""The report as one HTML page: the findings beside the source, and the graph of the first backward."""

from __future__ import annotations

import html as escaping
import linecache
import os
from typing import Any

from funcgrad.torch.report.findings import Finding
from funcgrad.torch.report.terminal import WORDS

_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --back: #ffffff; --soft: #f3f4f6; --line: #d0d7de; --dim: #59636e;
  --error: #b42318; --warn: #9a6700; --note: #0b6e4f; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --back: #14171a; --soft: #1e2328; --line: #39414a;
  --dim: #9aa4af; --error: #ff8a7a; --warn: #e3b341; --note: #5fd0a5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; color: var(--text); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre { font: 13px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; }
a { color: inherit; }
.found { border: 1px solid var(--line); border-left: 4px solid var(--warn); border-radius: 4px; padding: .5rem .9rem;
  margin: .6rem 0; }
.error, .nonfinite { border-left-color: var(--error); } .note { border-left-color: var(--note); }
.found p { margin: .2rem 0; } .kind { font-weight: 600; } .dim { color: var(--dim); }
.source { border: 1px solid var(--line); border-radius: 4px; overflow-x: auto; }
.source table { border-collapse: collapse; width: 100%; }
.source td { padding: 0 .7rem; vertical-align: top; white-space: pre; }
.source td.number { color: var(--dim); text-align: right; user-select: none; width: 1%; }
.source td.said div { white-space: normal; max-width: min(62rem, 80vw); font: 13px/1.5 system-ui, sans-serif; }
.source tr.marked td { background: var(--soft); }
.graph { border: 1px solid var(--line); border-radius: 4px; width: 100%; height: 40rem; }
details > summary { cursor: pointer; margin: .6rem 0; }
"""


def html(report: Any) -> str:
    """The page; it needs nothing from elsewhere."""
    name = os.path.basename(report.file)
    wrong = [f for f in report.findings if f.severity != "note"]
    notes = [f for f in report.findings if f.severity == "note"]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(name)}: gradients</title><style>{_STYLE}</style></head><body>",
        f"<h1>What became of the gradients of {_text(name)}</h1>",
        "".join(map(_finding, wrong)) or "<p>Nothing was found: every gradient that is wanted arrives.</p>",
    ]
    if notes:
        summary = f"<summary>Harmless, or on purpose ({len(notes)})</summary>"
        parts.append(f"<details>{summary}{''.join(map(_finding, notes))}</details>")
    if report.graph:
        parts += [
            "<h2>The graph of the first backward</h2>",
            f'<iframe class="graph" title="the graph" srcdoc="{_text(report.graph)}"></iframe>',
        ]
    files = dict.fromkeys([report.file, *[f.file for f in report.findings if f.file]])
    parts += [_source(f, [x for x in report.findings if x.file == f]) for f in files]
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _text(x: str) -> str:
    return escaping.escape(x)


def _finding(f: Finding) -> str:
    where = f'<a href="#{_anchor(f.file, f.line)}"><code>{_text(f.line_text)}</code></a>'
    remedy = f"<p>Remedy: {_text(f.remedy)}.</p>" if f.remedy else ""
    head = (
        f'<p><span class="kind">{_text(WORDS[f.severity])}</span> <span class="dim">{_text(f.kind)}</span> {where}</p>'
    )
    return f'<div class="found {f.severity}">{head}<p>{_text(f.text)}.</p>{remedy}</div>'


def _anchor(file: str, line: int) -> str:
    return _text(f"{os.path.basename(file)}-{line}")


def _source(file: str, findings: list[Finding]) -> str:
    lines = linecache.getlines(file)
    if not lines:
        return ""
    by: dict[int, list[Finding]] = {}
    for f in findings:
        by.setdefault(f.line, []).append(f)
    rows = []
    for number, line in enumerate(lines, 1):
        said = by.get(number, ())
        marked = ' class="marked"' if said else ""
        rows.append(
            f'<tr id="{_anchor(file, number)}"{marked}><td class="number">{number}</td>'
            f"<td><code>{_text(line.rstrip())}</code></td></tr>"
        )
        for f in said:
            words = f'<span class="kind">{_text(WORDS[f.severity])}</span>: {_text(f.text)}'
            rows.append(f'<tr class="marked"><td></td><td class="said"><div>{words}</div></td></tr>')
    return f'<h2>{_text(os.path.basename(file))}</h2><div class="source"><table>{"".join(rows)}</table></div>'

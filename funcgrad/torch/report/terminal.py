"""The report as text."""

from __future__ import annotations

from funcgrad.torch.report.findings import Finding

WORDS = {
    "error": "error",
    "nonfinite": "not finite",
    "loss": "gradient lost",
    "zero": "gradient zero",
    "doubled": "gradient doubled",
    "stale": "gradient stale",
    "note": "note",
}


def text(findings: list[Finding], page: str = "") -> str:
    """The findings, the worst first, and the notes in a few words.

    Arguments:
        findings: in their order.
        page: where the whole report is.
    """
    wrong = [f for f in findings if f.severity != "note"]
    notes = [f for f in findings if f.severity == "note"]
    lines = ["", f"funcgrad: {_counted(len(wrong), 'finding')}, {_counted(len(notes), 'note')}"]
    for f in wrong:
        lines += ["", f.line_text, f"    {WORDS[f.severity]}: {f.text}"]
        if f.remedy:
            lines.append(f"    remedy: {f.remedy}")
    if notes:
        lines += ["", "harmless, or on purpose:"]
        lines += [f"    {f.place}: {f.text}" for f in notes[:8]]
        if len(notes) > 8:
            lines.append(f"    and {len(notes) - 8} more")
    if page:
        lines += ["", f"with the source and the graph: {page}"]
    return "\n".join(lines) + "\n"


def _counted(n: int, word: str) -> str:
    return f"no {word}s" if n == 0 else f"{n} {word}{'s' * (n != 1)}"

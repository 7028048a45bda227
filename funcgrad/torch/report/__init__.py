"""`python -m funcgrad.torch --explain script.py`: runs a program, looks on, and says what became of its gradients.

From the events to the words, in one direction:

- `watching` has every function of the torch face tell a `Session` what it was called with and gave;
- `calls` and `entries` remember, in small entries, where values came from and where the graph was cut;
- `walks` looks on at backward: where gradients become zero or stop being finite; `leaves` counts what arrived;
- `causes` says why, while the entries are there; `analysis` and `failures` make findings of it when the program has
  ended; `terminal` and `page` show them.
"""

from __future__ import annotations

import linecache

from funcgrad.torch import imports
from funcgrad.torch.report import places
from funcgrad.torch.report.findings import Finding as Finding
from funcgrad.torch.report.running import Report as Report
from funcgrad.torch.report.running import explained


def explain_source(source: str, name: str = "program.py") -> Report:
    """Run a program that imports torch, given as text, in this process, and say what became of its gradients.

    Arguments:
        source: the program.
        name: what its lines are said to be of.

    Returns:
        The report: `findings`, the worst first, `text()`, `html()`, and the `error` that the program let out, or None.

    Example:
        >>> from funcgrad.torch.report import explain_source
        >>> report = explain_source('''
        ... import torch
        ... w = torch.zeros(2, requires_grad=True)
        ... w.sqrt().sum().backward()
        ... print(w.grad)
        ... ''')
        tensor([inf, inf])
        >>> finding = report.findings[0]
        >>> finding.line, finding.severity, finding.variables
        (4, 'nonfinite', ['w'])
    """
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    places.forget()
    with imports.install():
        return explained(compile(source, name, "exec", dont_inherit=True), {"__file__": name}, name)

"""Running a program while a session looks on."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.programs import execute
from funcgrad.torch.report import page, terminal
from funcgrad.torch.report.analysis import findings, incomplete
from funcgrad.torch.report.findings import Finding
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching import Watching
from funcgrad.torch.report.watching.core import without_ours
from funcgrad.torch.report.watching.variables import is_module


@dataclass
class Report:
    """What a run has shown.

    Attributes:
        file: the program.
        findings: the worst first.
        error: the exception that it let out, or None; a SystemExit, too.
        session: what was seen.
        graph: a page with the graph of the first backward.
    """

    file: str
    findings: list[Finding]
    error: BaseException | None
    session: Session
    graph: str = ""

    def text(self) -> str:
        """The report for a terminal."""
        return terminal.text(self.findings)

    def html(self) -> str:
        """The report as a page that needs nothing from elsewhere."""
        return page.html(self)


def explained(code: CodeType, names: dict[str, Any], file: str, *, draws: bool = False) -> Report:
    """Run a program as the module `__main__`, and say what became of its gradients.

    Arguments:
        code, names: the program, as `programs.execute` takes it.
        file: what its lines are said to be of.
        draws: whether to make a picture of the graph of the first backward.
    """
    session = Session()
    session.draws = draws
    error: BaseException | None
    modes, main = dict(vars(state)), sys.modules["__main__"]
    with Watching(session):
        try:
            error = execute(code, names)
        except SystemExit as ended:
            error = ended
        finally:
            vars(state).clear()
            vars(state).update(modes)
    if error is not None:
        without_ours(error.__traceback__)
    _name(session, error)
    harmless = isinstance(error, (SystemExit, KeyboardInterrupt))
    try:
        found = findings(session, None if harmless else error, file)
    except Exception as failed:  # of any kind: what fails here must not take the program's own ending away
        session.stop(failed)
        found = [incomplete(session, file)]
    sys.modules["__main__"] = main
    return Report(file, found, error, session, session.graph)


def _name(session: Session, error: BaseException | None) -> None:
    """Name the leaves that the program's variables hold at its end."""
    scopes = [vars(sys.modules["__main__"])]
    t = None if error is None else error.__traceback__
    while t is not None:
        if t.tb_frame.f_globals.get("__name__") == "__main__":
            scopes.append(t.tb_frame.f_locals)
        t = t.tb_next
    session.names.look(scopes, is_module)

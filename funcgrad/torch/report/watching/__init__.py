"""Looking on at a program: every function of the torch face tells a session what it was called with and gave.

The functions stay what they are for the program: same names, signatures, results, errors, warnings.
"""

from __future__ import annotations

from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching.backward import watch_walks
from funcgrad.torch.report.watching.core import Patches, running, thread
from funcgrad.torch.report.watching.functions import watch_functions, watch_methods
from funcgrad.torch.report.watching.histories import watch_histories
from funcgrad.torch.report.watching.modes import watch_modes, watch_warnings
from funcgrad.torch.report.watching.modules import watch_modules
from funcgrad.torch.report.watching.optimisers import watch_optimisers


class Watching:
    """Has a session look on, until its end."""

    def __init__(self, session: Session) -> None:
        self.patches = Patches(session)

    def __enter__(self) -> Watching:
        patches = self.patches
        thread.busy, running.session = False, patches.session
        watch_functions(patches)
        watch_methods(patches)
        watch_histories(patches)
        watch_walks(patches)
        watch_optimisers(patches)
        watch_modules(patches)
        watch_modes(patches)
        watch_warnings(patches)
        return self

    def __exit__(self, *error: object) -> None:
        for undo in reversed(self.patches.undo):
            undo()
        self.patches.undo.clear()
        thread.busy, running.session = False, None

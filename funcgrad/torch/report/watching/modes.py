"""Where recording is switched off and on; and warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base import modes
from funcgrad.torch.report.places import Place, here
from funcgrad.torch.report.watching.core import FOLDER, PACKAGE, Patches, direct


def watch_modes(patches: Patches) -> None:
    calls, regions = patches.session.calls, patches.session.calls.regions
    for cls in (modes.no_grad, modes.inference_mode, modes.set_grad_enabled):
        enter, leave = cls.__enter__, cls.leave

        def entered(self: Any, enter: Any = enter, name: str = cls.__name__) -> Any:
            found = enter(self)
            calls.switched = getattr(self, "_switched", calls.switched)
            if not modes.state.grad:
                regions.append((name, getattr(self, "_decorates", None) or (here() if direct() else None)))
            else:
                regions.append(("", None))
            return found

        def left(self: Any, *error: Any, leave: Any = leave) -> Any:
            if regions:
                regions.pop()
            return leave(self, *error)

        patches.set(cls, "__enter__", entered)
        patches.set(cls, "leave", left)
    enter_on, leave_on = modes.enable_grad.__enter__, modes.enable_grad.leave

    def on(self: Any) -> Any:
        regions.append(("", None))
        return enter_on_own(self)

    enter_on_own = vars(modes.enable_grad)["__enter__"]
    del enter_on, leave_on
    patches.set(modes.enable_grad, "__enter__", on)
    call, clone = modes._Mode.__call__, modes._Mode.clone

    def decorated(self: Any, f: Callable) -> Callable:
        if direct():
            self._decorates = here()
        return call(self, f)

    def cloned(self: Any, clone: Any = clone) -> Any:
        made = clone(self)
        made._decorates = getattr(self, "_decorates", None)
        return made

    patches.set(modes._Mode, "__call__", decorated)
    patches.set(modes._Mode, "clone", cloned)
    init = modes.set_grad_enabled.__init__

    def switched(self: Any, mode: bool) -> None:
        init(self, mode)
        self._switched = calls.switched  # if it is entered, it is no switch
        calls.switched = None if mode else here()

    patches.set(modes.set_grad_enabled, "__init__", switched)


def watch_warnings(patches: Patches) -> None:
    session, warn, show = patches.session, warnings.warn, warnings.showwarning

    def warned(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
        level, left = 1, stacklevel
        frame = sys._getframe(1)
        while frame is not None and left > 1:
            frame = frame.f_back  # type: ignore[assignment]  # the end of the stack ends the loop
            level += 1
            if frame is not None and not frame.f_code.co_filename.startswith(FOLDER):
                left -= 1
        warn(message, category, level + 1, source)

    def shown(message: Any, category: Any, filename: str, lineno: int, *rest: Any, **more: Any) -> None:
        key = (str(message), filename, lineno)
        if len(session.warnings) < 500:
            place = here() if filename.startswith(PACKAGE) else Place(filename, lineno, "")
            session.warnings.setdefault(key, (category.__name__, place))
        show(message, category, filename, lineno, *rest, **more)

    patches.set(warnings, "warn", warned)
    patches.set(warnings, "showwarning", shown)

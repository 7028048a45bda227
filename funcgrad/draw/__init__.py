"""Tapes as text and pictures. Importing this installs them on `Tape`: str, source(), mermaid(), notebook display."""

from funcgrad.core.tape import Tape
from funcgrad.draw.mermaid import mermaid as mermaid
from funcgrad.draw.mermaid import mimebundle
from funcgrad.draw.text import source as source
from funcgrad.draw.text import text as text

Tape.__str__ = Tape.__repr__ = text  # type: ignore[method-assign, assignment]  # core knows no drawings
Tape.source = source  # type: ignore[attr-defined]
Tape.mermaid = mermaid  # type: ignore[attr-defined]
Tape._repr_mimebundle_ = mimebundle  # type: ignore[attr-defined]

"""Tapes as text and pictures. Importing this installs them on `Tape`: str, source(), mermaid(), notebook display."""

from typing import Any

from funcgrad.core.tape import Tape
from funcgrad.draw.mermaid import mermaid as mermaid
from funcgrad.draw.mermaid import mimebundle
from funcgrad.draw.text import source as source
from funcgrad.draw.text import text as text

_tape: Any = Tape  # which, being of core, knows no drawings
_tape.__str__ = _tape.__repr__ = text
_tape.source = source
_tape.mermaid = mermaid
_tape._repr_mimebundle_ = mimebundle

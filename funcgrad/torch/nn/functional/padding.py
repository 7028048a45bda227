"""Padding in all modes."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import padding as _rows

__all__ = ["pad"]

assert _rows  # they are declared
pad = namespaces["_nn"]["pad"]

publish(__name__)

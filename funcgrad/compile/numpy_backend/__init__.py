"""The NumPy backend: from a tape to one readable Python function of NumPy calls."""

from __future__ import annotations

from funcgrad.compile.backends import register_backend
from funcgrad.compile.numpy_backend.program import program

register_backend("numpy", program)  # type: ignore[arg-type]  # a function may have attributes

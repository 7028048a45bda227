"""The BLAS that NumPy calls, for machine code to call it too: so products are the same to the last bit.

Its functions are looked up in NumPy's own library and in what that is linked with. Builds of NumPy differ in how they
spell them and in how long their integers are.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROUTINES = ("gemm", "syrk", "gemv", "dot")
LETTERS = {np.dtype(np.float64): "d", np.dtype(np.float32): "s"}
_SPELLINGS = (
    ("scipy_cblas_{}64_", "i64"),
    ("cblas_{}64_", "i64"),
    ("cblas_{}$NEWLAPACK$ILP64", "i64"),
    ("scipy_cblas_{}", "i32"),
    ("cblas_{}$NEWLAPACK", "i32"),
    ("cblas_{}", "i32"),
)


class Blas(NamedTuple):
    """What has been found.

    Attributes:
        integer: the type of its integers.
        addresses: of the routines, by letter and name: `dgemm`.
    """

    integer: str
    addresses: dict[str, int]


@functools.cache
def blas() -> Blas | None:
    """NumPy's BLAS; None if there is none, or it cannot be found."""
    names = [letter + routine for letter in LETTERS.values() for routine in ROUTINES]
    for library in _libraries():
        for spelling, integer in _SPELLINGS:
            try:
                found = [ctypes.cast(getattr(library, spelling.format(n)), ctypes.c_void_p).value for n in names]
            except AttributeError:
                continue
            return Blas(integer, {n: at for n, at in zip(names, found, strict=True) if at})
    return None


def addresses() -> dict[str, int]:
    """Where its routines are, if there is one."""
    found = blas()
    return {} if found is None else found.addresses


def _libraries() -> list[Any]:
    """NumPy's library, with which a look-up sees those that it needs; on Windows it does not, and they come too."""
    umath = Path(str(importlib.import_module("numpy._core._multiarray_umath").__file__))
    files = [umath]
    if sys.platform == "win32":
        files += sorted(Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*.dll"))
    found = []
    for file in files:
        try:
            found.append(ctypes.CDLL(str(file)))
        except OSError:  # a file that is no library of this machine
            continue
    return found

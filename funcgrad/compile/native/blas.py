"""The BLAS and LAPACK that NumPy calls, for machine code to call them too: so results are the same to the last bit.

Their functions are looked up in NumPy's own library and in what that is linked with. Builds of NumPy differ in how they
spell them and in how long their integers are.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

LETTERS = {np.dtype(dtype): letter for dtype, letter in zip("dfDF", "dszc", strict=True)}
ROUTINES = tuple([letter + name for letter in LETTERS.values() for name in ("gemm", "syrk", "gemv")])
DOTS = {np.dtype(dtype): name for dtype, name in zip("dfDF", ("ddot", "sdot", "zdotu_sub", "cdotu_sub"), strict=True)}
SYSTEMS = ("dgesv", "dgetrf")
FURTHER = ("dpotrf", "dsyevd", "zgesv")
_SPELLINGS = (
    ("scipy_cblas_{}64_", "scipy_{}_64_", "i64"),
    ("cblas_{}64_", "{}_64_", "i64"),
    ("cblas_{}$NEWLAPACK$ILP64", "{}$NEWLAPACK$ILP64", "i64"),
    ("scipy_cblas_{}", "scipy_{}_", "i32"),
    ("cblas_{}$NEWLAPACK", "{}$NEWLAPACK", "i32"),
    ("cblas_{}", "{}_", "i32"),
)
"""How BLAS and LAPACK are spelt, and the type of their integers."""


class Blas(NamedTuple):
    """What has been found.

    Attributes:
        integer: the type of its integers.
        addresses: of the routines, by letter and name: `dgemm`. Those of `FURTHER`, and `dtrsm`, may be missing.
    """

    integer: str
    addresses: dict[str, int]


@functools.cache
def blas() -> Blas | None:
    """NumPy's BLAS and LAPACK; None if they cannot be found."""
    for spelling, systems, integer in _SPELLINGS:
        names = {r: spelling.format(r) for r in (*ROUTINES, *DOTS.values())} | {r: systems.format(r) for r in SYSTEMS}
        found = {name: _address(symbol) for name, symbol in names.items()}
        if all(found.values()):
            found |= {r: _address(systems.format(r)) for r in FURTHER} | {"dtrsm": _address(spelling.format("dtrsm"))}
            return Blas(integer, {name: at for name, at in found.items() if at})
    return None


def _address(symbol: str) -> int | None:
    """Where a function of that name is."""
    library = next((x for x in _libraries() if hasattr(x, symbol)), None)
    return None if library is None else ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value


def addresses() -> dict[str, int]:
    """Where its routines are, if there is one."""
    found = blas()
    return {} if found is None else found.addresses


@functools.cache
def _libraries() -> list[Any]:
    """NumPy's own, with which a look-up sees those that they need; on Windows it does not, and they come too."""
    modules = ("numpy._core._multiarray_umath", "numpy.linalg._umath_linalg")
    files = [Path(str(importlib.import_module(m).__file__)) for m in modules]
    if sys.platform == "win32":
        files += sorted(Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*.dll"))
    found = []
    for file in files:
        with contextlib.suppress(OSError):  # a file that is no library of this machine
            found.append(ctypes.CDLL(str(file)))
    return found

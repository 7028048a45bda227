"""The ufuncs that Python functions of scipy.special call, under SciPy's names for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.errors import ArgumentError
from funcgrad.scipy.special.elementary import lambertw
from funcgrad.scipy.special.gamma_functions import zeta, zetac

__all__ = ["_lambertw", "_riemann_zeta", "_zeta"]

_zeta = zeta


def _riemann_zeta(x: Any) -> Array:
    return zetac(x) + 1


def _lambertw(z: Any, k: Any, tol: Any) -> Array:
    branches = np.unique(k)
    if branches.size != 1:
        raise ArgumentError(f"lambertw of a value that is being differentiated takes one branch k, got {k!r}")
    return lambertw(z, int(branches[0]))

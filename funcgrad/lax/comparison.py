"""Comparisons by the names of `jax.lax`."""

from __future__ import annotations

import funcgrad.numpy as fnp
from funcgrad.lax.strict import binary

__all__ = ["eq", "ge", "gt", "le", "lt", "ne"]


eq = binary(fnp.equal, "eq", "biufc", "Whether x = y.", "fnp.array([1, 2]), 2", "[False,  True]", "bool")
ne = binary(fnp.not_equal, "ne", "biufc", "Whether x ≠ y.", "fnp.array([1, 2]), 2", "[ True, False]", "bool")
lt = binary(fnp.less, "lt", "biuf", "Whether x < y.", "fnp.array([1, 2]), 2", "[ True, False]", "bool")
le = binary(fnp.less_equal, "le", "biuf", "Whether x ≤ y.", "fnp.array([1, 2]), 2", "[ True,  True]", "bool")
gt = binary(fnp.greater, "gt", "biuf", "Whether x > y.", "fnp.array([1, 2]), 2", "[False, False]", "bool")
ge = binary(fnp.greater_equal, "ge", "biuf", "Whether x ≥ y.", "fnp.array([1, 2]), 2", "[False,  True]", "bool")

"""Comparisons by the names of `jax.lax`."""

from __future__ import annotations

import funcgrad.numpy as fnp
from funcgrad.lax.strict import binary

__all__ = ["eq", "ge", "gt", "le", "lt", "ne"]


eq = binary(fnp.equal, "biufc", "eq")
ne = binary(fnp.not_equal, "biufc", "ne")
lt = binary(fnp.less, "biuf", "lt")
le = binary(fnp.less_equal, "biuf", "le")
gt = binary(fnp.greater, "biuf", "gt")
ge = binary(fnp.greater_equal, "biuf", "ge")

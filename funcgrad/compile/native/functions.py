"""Ufuncs that round: exponential, trigonometric and the like, and how they are written for each kind of dtype."""

from __future__ import annotations

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter

FUNCTIONS: dict[np.ufunc, dict[str, Emitter]] = {}

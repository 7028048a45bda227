"""Computing without NumPy's warnings about floating errors, as torch does."""

from __future__ import annotations

import contextvars
import threading

import numpy as np


class _Quiet(threading.local):
    """For each thread a context in which floating errors are silent, as they are in torch; entering costs little."""

    def __init__(self) -> None:
        context = contextvars.Context()  # nothing of what runs around the first operation of a thread is to stay in it
        context.run(np.seterr, all="ignore")
        self.run = context.run


quiet = _Quiet()

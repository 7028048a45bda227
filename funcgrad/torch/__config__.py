"""`torch.__config__`: what torch was built with, for reports that programs print."""

from __future__ import annotations

import sys

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.torch.settings import get_num_interop_threads, get_num_threads

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What computes here."""
    return f"funcgrad.torch on:\n  - Python {sys.version.split()[0]}\n  - NumPy {np.__version__}\n"


def parallel_info() -> str:
    """How many threads were asked for."""
    threads = f"\tat::get_num_threads() : {get_num_threads()}\n"
    return f"ATen/Parallel:\n{threads}\tat::get_num_interop_threads() : {get_num_interop_threads()}\n"


publish(__name__)

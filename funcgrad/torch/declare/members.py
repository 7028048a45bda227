"""Functions that live in a namespace of their own, such as torch.linalg, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.declare.signatures import _in_namespace


def member(namespace: str, *texts: str) -> Callable:
    """Declare a function of torch.<namespace> that has these signatures, as `signatures.declared` does for torch.

    Errors call it by torch's internal name, such as `linalg_inv`.
    """

    def declare_it(f: Callable) -> Callable:
        public: Any = _in_namespace(f, f"{namespace}_{f.__name__}", texts)
        public.inner = f  # without the overhead, for those who call it with arguments that fit
        return public

    return declare_it

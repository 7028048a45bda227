"""What functions of matrices share: their error class, and checks in torch's words."""

from __future__ import annotations

from funcgrad.torch.dtypes import FLOATING, of_numpy
from funcgrad.torch.tensor import Tensor


class LinAlgError(RuntimeError):
    """What is raised when a factorization or a solver fails, such as for a singular matrix."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


def check_matrix(name: str, x: Tensor) -> None:
    """Raise torch's error if x is neither a matrix nor a batch of matrices."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'A' (position 1) must be Tensor, not {type(x).__name__}")
    if x._value.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")


def check_square(name: str, x: Tensor) -> None:
    """Raise torch's error if x is no matrix, or batch of them, with as many rows as columns."""
    check_matrix(name, x)
    m, n = x._value.shape[-2:]
    if m != n:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {m} by {n} matrices")


def check_inexact(name: str, x: Tensor) -> None:
    """Raise torch's error if x holds integers."""
    d = of_numpy(x._value.dtype)
    if d.category < FLOATING:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {d.title}")

"""Determinants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.ops import elimination
from funcgrad.torch.base import return_types
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.comparison import where
from funcgrad.torch.ops.matrices import (
    check_inexact,
    check_kernel,
    check_square,
    failed,
    first_zero,
    guarded,
    numeric,
)
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import linalg as texts


def _slogdet(x: Any) -> tuple:
    return elimination.slogdet_lu(x)


def _refuse_singular(g: Any, values: tuple, params: dict) -> None:
    both, _ = elimination.factored(numeric(values[0]).mT)
    failed(first_zero(np.diagonal(both, axis1=-2, axis2=-1)), "torch.linalg.solve", texts.NO_SOLUTION)


DET = Operation(elimination.det_lu, "LinalgDetBackward0", operands=("A",), saves_out=True)
SLOGDET = guarded("LinalgSlogdetBackward0", _slogdet, _refuse_singular, multiple=True, operands=("A",))


@op("det", "(Tensor input)", records=(DET,))
@op("linalg.det", "(Tensor A, *, Tensor out = None)", records=(DET,), exact=True)
def det(A: Any) -> Tensor:
    """The determinant of a square matrix, or of each in a batch.

    Arguments:
        A: "... n n".

    Returns:
        "...".
    """
    check_square("linalg.det", A)
    check_inexact("linalg.det", A)
    check_kernel("lu_cpu", A)
    return DET(A)


def _sign_and_log(x: Any, name: str = "linalg.slogdet") -> tuple:
    check_square(name, x)
    check_inexact(name, x, low_precision=False)
    return SLOGDET(x)


@op("linalg.slogdet", "(Tensor A, *, tuple of Tensors out = None)", records=(SLOGDET,), exact=True)
def slogdet(A: Any) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value.

    Arguments:
        A: "... n n".

    Returns:
        (sign, logabsdet), each "...".
    """
    return return_types.linalg_slogdet(_sign_and_log(A))


@op("slogdet", "(Tensor input, *, tuple of Tensors out = None)", records=(SLOGDET,), exact=True)
def _slogdet_of(input: Any) -> Any:
    """As `torch.linalg.slogdet`."""
    return return_types.slogdet(_sign_and_log(input))


@op("logdet", "(Tensor input)")
def logdet(input: Any) -> Tensor:
    """The logarithm of the determinant; nan where it is negative."""
    sign, logabsdet = _sign_and_log(input, "logdet")
    if sign._value.dtype.kind == "c":
        return sign.log() + logabsdet
    return where(sign == -1, math.nan, logabsdet)

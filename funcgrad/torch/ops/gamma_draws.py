"""Gamma and Dirichlet numbers, of which `torch.distributions` makes many families, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base import rejection
from funcgrad.torch.base.sampling import refuse
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.primitives.moving_draws import DIRICHLET_SLOPE, GAMMA_SLOPE, gamma_drawn
from funcgrad.torch.random import used
from funcgrad.torch.random.batched_randomness import drawn_from
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped


def _dirichlet(x: Any, *, generator: Any) -> Any:
    return drawn_from((x,), lambda alpha: rejection.dirichlet(generator, alpha))


STANDARD_GAMMA = Operation(gamma_drawn, "StandardGammaBackward0", operands=("self",), edges=1)
SAMPLE_DIRICHLET = Operation(
    Undifferentiable(_dirichlet, "aten::_sample_dirichlet"), "NotImplemented", operands=("self",)
)
STANDARD_GAMMA_GRAD = Operation(GAMMA_SLOPE, "StandardGammaGradBackward0", operands=("self", "output"))
DIRICHLET_GRAD = Operation(DIRICHLET_SLOPE, "NotImplemented", operands=("x", "alpha", "total"))

_DRAW = "(Tensor input, torch.Generator? generator = None)"


@op("_standard_gamma", _DRAW, method=False, records=STANDARD_GAMMA)
def _standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """Gamma numbers of unit scale, with the shape parameters in input."""
    g, alpha = used(generator), raw(input)

    def draw(alpha: ndarray) -> ndarray:
        return rejection.standard_gamma(g, alpha)

    x = drawn_from((alpha,), draw)
    return record(STANDARD_GAMMA, (input, wrapped(x)), [alpha, x], {})


@op("_sample_dirichlet", _DRAW, method=False, records=SAMPLE_DIRICHLET)
def _sample_dirichlet(input: Tensor, generator: Any = None) -> Tensor:
    """Points of the simplex, with the concentrations in the last dimension of input."""
    return SAMPLE_DIRICHLET(input, generator=used(generator))


def _check(kernel: str, *operands: Tensor) -> None:
    check_broadcast([raw(x) for x in operands])
    kind = raw(operands[0]).dtype
    if kind not in (np.float32, np.float64):
        raise refuse(kernel, kind)


@op("_standard_gamma_grad", "(Tensor input, Tensor output)", method=False, records=STANDARD_GAMMA_GRAD)
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Tensor:
    """How the gamma numbers in output move with their shape parameters in input."""
    _check("_standard_gamma_grad_cpu", input, output)
    return STANDARD_GAMMA_GRAD(input, output)


@op("_dirichlet_grad", "(Tensor x, Tensor alpha, Tensor total)", method=False, records=DIRICHLET_GRAD)
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How the components x of Dirichlet numbers move with their concentrations alpha, which add up to total."""
    _check("_dirichlet_grad_cpu", x, alpha, total)
    return DIRICHLET_GRAD(x, alpha, total)

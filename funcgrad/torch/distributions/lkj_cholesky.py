"""`torch.distributions.lkj_cholesky`: Cholesky factors of random correlation matrices."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.beta import Beta
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.utils import broadcast_all
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices, of density proportional to det^(concentration - 1) of the matrix.

    Arguments:
        dim: the size of the matrices.
        concentration: a positive number or tensor; 1 makes all correlation matrices equally likely.
        validate_args: as for `Distribution`.

    Source: D. Lewandowski, D. Kurowicka, H. Joe, "Generating random correlation matrices based on vines and extended
    onion method", 2009.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(texts.SMALL_LKJ.format(dim=dim))
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        # how long the part of each row before the diagonal is, squared
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = torch.Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        super(LKJCholesky, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape: Any = ()) -> Tensor:
        squares: Any = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        normal = torch.randn(shape, dtype=squares.dtype, device=squares.device).tril(-1)
        directions = normal / normal.norm(dim=-1, keepdim=True)
        directions[..., 0, :].fill_(0.0)  # of no length
        w = torch.sqrt(squares) * directions
        tiny = torch.finfo(w.dtype).tiny
        w += torch.diag_embed(torch.clamp(1 - torch.sum(w**2, dim=-1), min=tiny).sqrt())
        return w

    def log_prob(self, value: Any) -> Tensor:
        # With the Jacobian from the factor to the matrix, a power of each diagonal element is left.
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = torch.sum(order * diagonal.log(), dim=-1)
        rows = self.dim - 1
        alpha = self.concentration + 0.5 * rows
        numerator = torch.mvlgamma(alpha - 0.5, rows)
        return unnormalized - (0.5 * rows * math.log(math.pi) + numerator - torch.lgamma(alpha) * rows)


show_as_torch(__name__)
publish(__name__)

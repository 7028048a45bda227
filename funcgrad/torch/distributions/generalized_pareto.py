"""`torch.distributions.generalized_pareto`: what exceeds a threshold."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.utils import broadcast_all
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """P(X > x) = (1 + concentration z)^(-1 / concentration) with z = (x - loc) / scale; exp(-z) for concentration 0.

    Arguments:
        loc: the least value.
        scale: a positive number or tensor.
        concentration: how heavy the tail is; with a negative one the values are bounded.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(GeneralizedPareto, batch_shape, _instance, "loc", "scale", "concentration")

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _split(self, zero: Any) -> tuple[Any, Any]:
        """Where the concentration is zero, and one that is not."""
        eq_zero = torch.isclose(self.concentration, zero)
        return eq_zero, torch.where(eq_zero, torch.ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        eq_zero, concentration = self._split(torch.tensor(0.0))
        y = 1 / concentration + torch.ones_like(z)
        nonzero = torch.where(y == 0, y, y * torch.log1p(concentration * z))
        return -self.scale.log() - torch.where(eq_zero, z, nonzero)

    def log_survival_function(self, value: Any) -> Tensor:
        """The logarithm of the probability of more than value."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        eq_zero, concentration = self._split(torch.tensor(0.0))
        return torch.where(eq_zero, -z, -torch.log1p(concentration * z) / concentration)

    def log_cdf(self, value: Any) -> Tensor:
        """The logarithm of `cdf`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Tensor:
        eq_zero, concentration = self._split(torch.zeros_like(self.concentration))
        log_rest = torch.log1p(-value)
        nonzero = self.loc + self.scale / concentration * torch.expm1(-concentration * log_rest)
        return torch.where(eq_zero, self.loc - self.scale * log_rest, nonzero)

    @property
    def mean(self) -> Tensor:
        valid = self.concentration < 1
        concentration = torch.where(valid, self.concentration, 0.5)
        return torch.where(valid, self.loc + self.scale / (1 - concentration), math.nan)

    @property
    def variance(self) -> Tensor:
        valid = self.concentration < 0.5
        concentration = torch.where(valid, self.concentration, 0.25)
        result = self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration))
        return torch.where(valid, result, math.nan)

    def entropy(self) -> Tensor:
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)


show_as_torch(__name__)
publish(__name__)

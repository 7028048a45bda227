"""Distributions of |X|, where X is distributed symmetrically about 0."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.transformed_distribution import TransformedDistribution
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Half"]


class Half(TransformedDistribution):
    """What the half-normal and the half-Cauchy distribution share."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _in_own_dtype = False
    """Whether `log_prob` takes its argument to the dtype of the scale."""

    @property
    def scale(self) -> Tensor:
        """The scale of X."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.scale)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        if self._in_own_dtype:
            value = torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


show_as_torch(__name__)
publish(__name__)

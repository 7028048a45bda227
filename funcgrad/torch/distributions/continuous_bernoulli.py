"""`torch.distributions.continuous_bernoulli`: numbers between 0 and 1 of exponential density."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.exp_family import ExponentialFamily
from funcgrad.torch.distributions.functions import F, torch
from funcgrad.torch.distributions.probs_or_logits import ByProbsOrLogits
from funcgrad.torch.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ByProbsOrLogits, ExponentialFamily):
    """Density proportional to probs^x (1 - probs)^(1 - x) on [0, 1].

    Arguments:
        probs: a parameter in (0, 1), which is no probability; or
        logits: log(probs / (1 - probs)).
        lims: between these values of probs, around 1/2, formulas are replaced by their Taylor series.
        validate_args: as for `Distribution`.

    Source: G. Loaiza-Ganem, J. P. Cunningham, "The continuous Bernoulli", 2019.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        batch_shape = self._take(probs, logits)
        if probs is not None:
            # before they are kept off 0 and 1, which hides what was wrong
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parameters = ("probs", "logits", "_param")
        return self._expanded(ContinuousBernoulli, batch_shape, _instance, *parameters, kept=("_lims",))

    def _outside_unstable_region(self) -> Tensor:
        return torch.max(torch.le(self.probs, self._lims[0]), torch.gt(self.probs, self._lims[1]))

    def _cut_probs(self) -> Tensor:
        """probs, away from 1/2."""
        return torch.where(self._outside_unstable_region(), self.probs, self._lims[0] * torch.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Tensor:
        """The logarithm of the factor of the density."""
        p = self._cut_probs()
        below = torch.where(torch.le(p, 0.5), p, torch.zeros_like(p))
        above = torch.where(torch.ge(p, 0.5), p, torch.ones_like(p))
        log_norm = torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - torch.where(
            torch.le(p, 0.5), torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0)
        )
        x = torch.pow(self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside_unstable_region(), log_norm, taylor)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        mean = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x
        return torch.where(self._outside_unstable_region(), mean, taylor)

    @property
    def stddev(self) -> Tensor:
        return torch.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        variance = p * (p - 1.0) / torch.pow(1.0 - 2.0 * p, 2) + 1.0 / torch.pow(torch.log1p(-p) - torch.log(p), 2)
        x = torch.pow(self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside_unstable_region(), variance, taylor)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        found = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        found = torch.where(self._outside_unstable_region(), found, value)
        found = torch.where(torch.ge(value, 1.0), torch.ones_like(value), found)
        return torch.where(torch.le(value, 0.0), torch.zeros_like(value), found)

    def icdf(self, value: Any) -> Tensor:
        p = self._cut_probs()
        found = torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)
        found = found / (torch.log(p) - torch.log1p(-p))
        return torch.where(self._outside_unstable_region(), found, value)

    def entropy(self) -> Tensor:
        log_rest, log_probs = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log_rest - log_probs) - self._cont_bern_log_norm() - log_rest

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        low, high = self._lims[0] - 0.5, self._lims[1] - 0.5
        stable = torch.max(torch.le(x, low), torch.gt(x, high))
        cut = torch.where(stable, x, low * torch.ones_like(x))
        log_norm = torch.log(torch.abs(torch.special.expm1(cut))) - torch.log(torch.abs(cut))
        taylor = 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0
        return torch.where(stable, log_norm, taylor)


show_as_torch(__name__)
publish(__name__)

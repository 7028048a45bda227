"""`torch.distributions.negative_binomial`: numbers of successes before a number of failures."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import F, torch
from funcgrad.torch.distributions.gamma import Gamma
from funcgrad.torch.distributions.probs_or_logits import ByProbsOrLogits
from funcgrad.torch.distributions.utils import lazy_property
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ByProbsOrLogits):
    """How many trials succeed before `total_count` of them fail.

    Arguments:
        total_count: the number of failures, not negative; it need not be an integer.
        probs: the probability of success, in [0, 1); or
        logits: its log-odds.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._take_with_count(total_count, probs, logits), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(NegativeBinomial, batch_shape, _instance, "total_count", "probs", "logits", "_param")

    @property
    def mean(self) -> Tensor:
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self) -> Gamma:
        # not validated, since total_count may be zero
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        unnormalized = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        normalizer: Any = (
            -torch.lgamma(self.total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(self.total_count)
        )
        # where both are 0 the probability is 1, and the logarithms are infinite
        return unnormalized - normalizer.masked_fill(self.total_count + value == 0.0, 0.0)


show_as_torch(__name__)
publish(__name__)

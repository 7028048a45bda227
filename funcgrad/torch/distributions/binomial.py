"""`torch.distributions.binomial`: numbers of successes."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.probs_or_logits import ByProbsOrLogits
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["Binomial"]


class Binomial(ByProbsOrLogits):
    """How many of `total_count` trials succeed.

    Arguments:
        total_count: the number of trials.
        probs: the probability of success; or
        logits: its log-odds.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(self._take_with_count(total_count, probs, logits), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(Binomial, batch_shape, _instance, "total_count", "probs", "logits", "_param")

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n = self.total_count
        choices = torch.lgamma(n + 1)
        own, others = torch.lgamma(value + 1), torch.lgamma(n - value + 1)
        # n log(1 + exp(logits)), where the exponential cannot overflow
        positive = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
        normalizer = n * positive + n * torch.log1p(torch.exp(-torch.abs(self.logits))) - choices
        return value * self.logits - own - others - normalizer

    def _one_count(self, method: str) -> int:
        n = int(self.total_count.max())
        if not self.total_count.min() == n:
            raise NotImplementedError(texts.INHOMOGENEOUS.format(method=method))
        return n

    def entropy(self) -> Tensor:
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._one_count("enumerate_support")
        values = torch.arange(1 + count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values


show_as_torch(__name__)
publish(__name__)

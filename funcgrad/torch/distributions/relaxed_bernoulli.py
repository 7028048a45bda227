"""`torch.distributions.relaxed_bernoulli`: ones and zeros, smoothed so that they have gradients."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.probs_or_logits import ByProbsOrLogits
from funcgrad.torch.distributions.relaxed import Relaxed
from funcgrad.torch.distributions.transforms import SigmoidTransform
from funcgrad.torch.distributions.utils import broadcast_all, clamp_probs
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ByProbsOrLogits):
    """The log-odds of what `RelaxedBernoulli` draws.

    Arguments:
        temperature: how smooth it is; towards 0 values come close to 0 and 1.
        probs: the probability of 1; or
        logits: its log-odds.
        validate_args: as for `Distribution`.

    Source: C. J. Maddison, A. Mnih, Y. W. Teh, "The Concrete distribution", 2017.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(self._take(probs, logits), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parameters = ("probs", "logits", "_param")
        return self._expanded(LogitRelaxedBernoulli, batch_shape, _instance, *parameters, kept=("temperature",))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs: Any = clamp_probs(self.probs.expand(shape))
        u: Any = clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value.mul(self.temperature)
        return self.temperature.log() + diff - 2 * diff.exp().log1p()


class RelaxedBernoulli(Relaxed):
    """Numbers between 0 and 1 that come close to those of `Bernoulli`, with gradients.

    Arguments:
        temperature, probs, logits, validate_args: as for `LogitRelaxedBernoulli`.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))


show_as_torch(__name__)
publish(__name__)

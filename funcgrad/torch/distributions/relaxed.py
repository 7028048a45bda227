"""What the relaxed distributions share: they show the parameters of the distribution that they transform."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.distributions.transformed_distribution import TransformedDistribution


class Relaxed(TransformedDistribution):
    """A smoothed discrete distribution, drawn from by a transform of a base distribution with gradients."""

    has_rsample = True

    @property
    def temperature(self) -> Any:
        """How smooth it is."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Any:
        """The log-odds of 1, or the logarithms of the weights."""
        return self.base_dist.logits

    @property
    def probs(self) -> Any:
        """The probability of 1, or the weights."""
        return self.base_dist.probs

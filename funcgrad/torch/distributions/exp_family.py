"""`torch.distributions.exp_family`: exponential families, whose entropy follows from their log normalizer."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions of density exp(<t(x), θ> - F(θ) + k(x)), with natural parameters θ and log normalizer F.

    The entropy is computed from F and its gradient, as a Bregman divergence.

    Source: F. Nielsen, R. Nock, "Entropies and cross-entropies of exponential families", 2010.
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """θ."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """F(θ)."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        """The mean of k."""
        raise NotImplementedError

    def entropy(self) -> Any:
        result: Any = -self._mean_carrier_measure
        parameters = [p.detach().requires_grad_() for p in self._natural_params]
        log_normalizer = self._log_normalizer(*parameters)
        gradients = torch.grad(log_normalizer.sum(), parameters, create_graph=True)
        result += log_normalizer
        for p, g in zip(parameters, gradients, strict=True):
            result -= (p * g).reshape((*self._batch_shape, -1)).sum(-1)
        return result


show_as_torch(__name__)
publish(__name__)

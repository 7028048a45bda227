"""`torch.distributions.mixture_same_family`: mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.categorical import Categorical
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A sample of one of several distributions of a family, which a categorical distribution chooses.

    Arguments:
        mixture_distribution: the `Categorical` one.
        component_distribution: the components, along the last dimension of its batch.
        validate_args: as for `Distribution`.

    Example:
        >>> from funcgrad import torch
        >>> D = torch.distributions
        >>> components = D.Normal(torch.tensor([0.0, 4.0]), torch.ones(2))
        >>> D.MixtureSameFamily(D.Categorical(torch.ones(2)), components).mean
        tensor(2.)
    """

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(texts.NOT_CATEGORICAL)
        if not isinstance(component_distribution, Distribution):
            raise ValueError(texts.NO_COMPONENT)
        mixture, components = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mixture), reversed(components), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(texts.OTHER_COMPONENTS.format(mixture=mixture, components=components))
        weights, number = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if weights != number:
            raise ValueError(texts.OTHER_NUMBER.format(mixture=weights, components=number))
        self._num_component = weights
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape=components, event_shape=event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        batch_shape = torch.Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component = self._num_component
        new._event_ndims = self._event_ndims
        super(MixtureSameFamily, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """What chooses the component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The components."""
        return self._component_distribution

    def _mean_of(self, values: Any) -> Any:
        """The mean over the components."""
        return torch.sum(
            self._pad_mixture_dimensions(self.mixture_distribution.probs) * values, dim=-1 - self._event_ndims
        )

    @property
    def mean(self) -> Tensor:
        return self._mean_of(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        spread = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return self._mean_of(self.component_distribution.variance) + self._mean_of(spread)

    def cdf(self, x: Any) -> Tensor:
        probs = self.component_distribution.cdf(self._pad(x))
        return torch.sum(probs * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        log_prob = self.component_distribution.log_prob(self._pad(x))
        weights = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(log_prob + weights, dim=-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            shape = chosen.shape
            chosen = chosen.reshape(shape + torch.Size([1] * (len(self.event_shape) + 1)))
            chosen = chosen.repeat(torch.Size([1] * (len(shape) + 1)) + self.event_shape)
            return torch.gather(samples, dim, chosen).squeeze(dim)

    def _pad(self, x: Any) -> Any:
        """x with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Any) -> Any:
        """Weights with dimensions for the batch and the event."""
        own = len(self.mixture_distribution.batch_shape)
        more = 0 if own == 1 else len(self.batch_shape) - own
        shape = x.shape
        return x.reshape(shape[:-1] + torch.Size(more * [1]) + shape[-1:] + torch.Size(self._event_ndims * [1]))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"


show_as_torch(__name__)
publish(__name__)

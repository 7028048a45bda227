"""`torch.distributions.independent`: further dimensions of a batch as one event."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.utils import _sum_rightmost
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution the last dimensions of whose batch count as one event, so that log_prob adds them up.

    Arguments:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: how many of them.
        validate_args: as for `Distribution`.

    Example:
        >>> from funcgrad import torch
        >>> base = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
        >>> torch.distributions.Independent(base, 1).event_shape
        torch.Size([3])
    """

    arg_constraints: Any = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > batch:
            raise ValueError(texts.TOO_MANY_DIMENSIONS.format(given=reinterpreted_batch_ndims, room=batch))
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = len(shape) - reinterpreted_batch_ndims - len(base_distribution.event_shape)
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def __class_getitem__(cls, base: Any) -> Any:
        """Independent[Normal], in annotations."""
        return GenericAlias(cls, base)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        batch_shape = torch.Size(batch_shape)
        new.base_dist = self.base_dist.expand(batch_shape + self.event_shape[: self.reinterpreted_batch_ndims])
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        super(Independent, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]  # as the base has it
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]  # as the base has it
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        base, more = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(base, more) if more else base

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError(texts.NO_PRODUCT)
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


show_as_torch(__name__)
publish(__name__)

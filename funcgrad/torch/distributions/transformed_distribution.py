"""`torch.distributions.transformed_distribution`: images of distributions under transforms."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.independent import Independent
from funcgrad.torch.distributions.transforms import ComposeTransform, Transform
from funcgrad.torch.distributions.utils import _sum_rightmost
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """f(X) for a distribution of X and a transform f.

    Arguments:
        base_distribution: that of X.
        transforms: f, or a list of transforms, the first applied first.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: the transforms are none, or take more dimensions than X has.

    Example:
        >>> from funcgrad import torch
        >>> D = torch.distributions
        >>> steps = [D.SigmoidTransform().inv, D.AffineTransform(1.0, 2.0)]
        >>> logistic = D.TransformedDistribution(D.Uniform(0.0, 1.0), steps)
        >>> logistic.cdf(torch.tensor(1.0))
        tensor(0.5000)
    """

    arg_constraints: Any = {}
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        taken, given = transform.domain.event_dim, transform.codomain.event_dim
        if len(shape) < taken:
            raise ValueError(texts.SMALL_BASE.format(wanted=taken, given=shape))
        forward_shape = transform.forward_shape(shape)
        expanded = transform.inverse_shape(forward_shape)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event_dim])
        if taken > base_event_dim:
            base_distribution = Independent(base_distribution, taken - base_event_dim)
        self.base_dist = base_distribution
        event_dim = max(given, base_event_dim + given - taken)
        if len(forward_shape) < event_dim:
            raise AssertionError(texts.NOT_BELOW.format(given=len(forward_shape), wanted=event_dim))
        cut = len(forward_shape) - event_dim
        super().__init__(forward_shape[:cut], forward_shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = batch_shape + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        super(TransformedDistribution, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> Any:  # type: ignore[override]  # as the base has it
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Any = ()) -> Tensor:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def _transformed(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        log_prob: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            slope = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(slope, event_dim - transform.domain.event_dim)
            y = x
        of_base = self.base_dist.log_prob(y)
        return log_prob + _sum_rightmost(of_base, event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """1 - value, if the transforms decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Tensor:
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))


show_as_torch(__name__)
publish(__name__)

"""`torch.distributions.fishersnedecor`: ratios of sums of squares."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.gamma import Gamma
from funcgrad.torch.distributions.utils import broadcast_all
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two numbers of the chi-squared distribution, each over its degrees of freedom.

    Arguments:
        df1, df2: the degrees of freedom.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(FisherSnedecor, batch_shape, _instance, "df1", "df2", "_gamma1", "_gamma2")

    def _df2_above(self, least: float) -> Any:
        """df2, nan where there is no moment."""
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= least] = math.nan
        return df2

    @property
    def mean(self) -> Tensor:
        df2 = self._df2_above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode: Any = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        df2 = self._df2_above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        x1 = self._gamma1.rsample(sample_shape).view(shape)
        x2 = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(x2.dtype).tiny
        x2.clamp_(min=tiny)
        y = x1 / x2
        y.clamp_(min=tiny)
        return y

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        t1 = (a + b).lgamma() - a.lgamma() - b.lgamma()
        t2 = a * ratio.log() + (a - 1) * torch.log(value)
        t3 = (a + b) * torch.log1p(ratio * value)
        return t1 + t2 - t3


show_as_torch(__name__)
publish(__name__)

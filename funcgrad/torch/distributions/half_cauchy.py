"""`torch.distributions.half_cauchy`: absolute values of Cauchy numbers."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.cauchy import Cauchy
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.half import Half
from funcgrad.torch.distributions.transforms import AbsTransform
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """|X| of the Cauchy distribution about 0.

    Arguments:
        scale: of X.
        validate_args: as for `Distribution`.
    """

    _in_own_dtype = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfCauchy, _instance))

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance


show_as_torch(__name__)
publish(__name__)

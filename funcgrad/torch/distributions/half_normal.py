"""`torch.distributions.half_normal`: absolute values of normal numbers."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.half import Half
from funcgrad.torch.distributions.normal import Normal
from funcgrad.torch.distributions.transforms import AbsTransform
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """|X| of the normal distribution about 0.

    Arguments:
        scale: the standard deviation of X.
        validate_args: as for `Distribution`.
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(HalfNormal, _instance))

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)


show_as_torch(__name__)
publish(__name__)

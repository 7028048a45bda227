"""Instance normalization: of each channel of each example by itself."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.batchnorm import _LazyNormBase, _NormBase
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import normalization as texts

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        if self.ndims is None:
            raise NotImplementedError
        return self.ndims[0]

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, *lists: list
    ) -> None:
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            keys = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if keys:
                names, kind = " and ".join([f'"{k}"' for k in keys]), type(self).__name__
                lists[-1].append(texts.OLD_STATISTICS.format(names=names, kind=kind))
            for key in keys:
                state_dict.pop(key)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *lists)

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        return functional.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        """`functional.instance_norm`, of a batch or of one example."""
        self._check_input_dim(input)
        dim = input.dim() - self._get_no_batch_dim()
        if input.size(dim) != self.num_features:
            if self.affine:
                text = texts.FEATURES_DIFFER.format(dim=dim, features=self.num_features, size=input.size(dim))
                raise ValueError(text)
            warnings.warn(texts.FEATURES_UNUSED.format(dim=dim), stacklevel=2)
        if dim == 0:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each example brought to mean 0 and variance 1: "(batch) channels length".

    Arguments:
        num_features: the number of channels.
        eps: is added to variances.
        momentum: how far a batch moves the running statistics.
        affine: whether there is a weight.
        track_running_stats: whether there are running statistics, by which evaluation normalizes.
        device: the cpu.
        dtype: of parameters and statistics.
        bias: whether there is one beside the weight.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.InstanceNorm1d(1)(torch.tensor([[1.0, 3.0]]))
        tensor([[-1.0000,  1.0000]])
    """

    ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """As `InstanceNorm1d`, of "(batch) channels height width"."""

    ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """As `InstanceNorm1d`, of "(batch) channels depth height width"."""

    ndims = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm1d` that takes the number of channels from its first input."""

    cls_to_become = InstanceNorm1d
    ndims = (2, 3)


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm2d` that takes the number of channels from its first input."""

    cls_to_become = InstanceNorm2d
    ndims = (3, 4)


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """`InstanceNorm3d` that takes the number of channels from its first input."""

    cls_to_become = InstanceNorm3d
    ndims = (4, 5)


show_as_torch(__name__)
publish(__name__)

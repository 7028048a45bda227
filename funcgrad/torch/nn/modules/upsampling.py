"""Resampling as modules: `Upsample` and its older forms."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """The input with another number of samples; see `functional.interpolate`.

    Arguments:
        size, scale_factor, mode, align_corners, recompute_scale_factor: as for `functional.interpolate`.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 3.0]]]))
        tensor([[[1., 1., 3., 3.]]])
    """

    __constants__: ClassVar[list[str]] = [
        "size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor",
    ]  # fmt: skip
    name: str
    size: Any
    scale_factor: Any
    mode: str
    align_corners: bool | None
    recompute_scale_factor: bool | None

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple([float(factor) for factor in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The resampled input."""
        return functional.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Modules that were saved before there was recompute_scale_factor did recompute it."""
        super().__setstate__({"recompute_scale_factor": True} | state)

    def extra_repr(self) -> str:
        """The size or factor, and the mode."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` of images with mode "nearest"."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of images with mode "bilinear" and aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


show_as_torch(__name__)
publish(__name__)

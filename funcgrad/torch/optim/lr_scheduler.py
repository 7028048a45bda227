"""`torch.optim.lr_scheduler`: schedules of learning rates."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.optim._combined_schedules import ChainedScheduler, SequentialLR
from funcgrad.torch.optim._cyclic_schedules import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR
from funcgrad.torch.optim._factor_schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from funcgrad.torch.optim._lambda_schedules import LambdaLR, MultiplicativeLR
from funcgrad.torch.optim._plateau import ReduceLROnPlateau
from funcgrad.torch.optim._schedule import LRScheduler
from funcgrad.torch.optim._schedule import _LRScheduler as _LRScheduler
from funcgrad.torch.texts.lr_scheduler import EPOCH as EPOCH_DEPRECATION_WARNING  # noqa: F401  (by torch's name)

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

publish(__name__)

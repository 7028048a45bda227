"""Dropout: of elements, of channels, and that which keeps mean and variance of what SELU gives."""

from __future__ import annotations

import warnings

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import dropout as texts

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

_torch = namespaces[""]


def check_chance(p: float) -> None:
    """Raise torch's error if p is no probability."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(name: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    check_chance(p)
    return _torch[name + "_" if inplace else name](input, p, training)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element becomes zero with probability p; the others are scaled up by 1 / (1 - p).

    Arguments:
        input: the tensor.
        p: the probability.
        training: whether anything is dropped at all.
        inplace: whether the result is written into input.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.dropout(torch.ones(2), 0.5, training=False)
        tensor([1., 1.])
    """
    return _dropped("dropout", input, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what SELU gives; arguments as for `dropout`."""
    return _dropped("alpha_dropout", input, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """As `alpha_dropout`, for whole channels."""
    return _dropped("feature_alpha_dropout", input, p, training, inplace)


def _with_batch(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout of the channels of one example."""
    if inplace:
        return _torch["feature_dropout_"](input.unsqueeze_(0), p, training).squeeze_(0)
    return _torch["feature_dropout"](input.unsqueeze(0), p, training).squeeze(0)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become zero with probability p: "batch channels length", or one example; see `dropout`."""
    check_chance(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(texts.NOT_1D.format(ndim=ndim))
    if ndim == 2:
        return _with_batch(input, p, training, inplace)
    return _dropped("feature_dropout", input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become zero with probability p: "batch channels height width"; see `dropout`."""
    check_chance(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        warnings.warn(texts.NOT_2D.format(ndim=ndim), stacklevel=2)
    if ndim == 3:
        warnings.warn(texts.AS_1D, stacklevel=2)
    return _dropped("feature_dropout", input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels become zero with probability p: "batch channels depth height width"; see `dropout`."""
    check_chance(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        warnings.warn(texts.NOT_3D.format(ndim=ndim), stacklevel=2)
    if ndim != 5:
        return _with_batch(input, p, training, inplace)
    return _dropped("feature_dropout", input, p, training, inplace)


publish(__name__)

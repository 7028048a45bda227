"""`torch.nn.utils.fusion`: a batch normalization that becomes part of the layer in front of it, for evaluation."""

from __future__ import annotations

import copy
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.texts import nn_utils as texts

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _check_evaluating(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def _check_running(bn: Any) -> None:
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that computes what a convolution and the batch normalization after it do, in evaluation.

    Arguments:
        conv: the convolution.
        bn: the batch normalization.
        transpose: whether it is a transposed convolution.
    """
    _check_evaluating(conv, bn)
    fused = copy.deepcopy(conv)
    _check_running(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a convolution and a batch normalization together.

    Arguments:
        conv_w, conv_b: of the convolution; there may be no bias.
        bn_rm, bn_rv: the running mean and variance.
        bn_eps: what is added to the variance.
        bn_w, bn_b: weight and bias of the batch normalization, or None.
        transpose: whether it is a transposed convolution.
    """
    bias = bn_rm.new_zeros(bn_rm.shape) if conv_b is None else conv_b
    scale = (bn_rv + bn_eps).rsqrt() if bn_w is None else bn_w * (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).to(conv_w.dtype)
    shifted = (bias - bn_rm) * scale
    fused = (shifted if bn_b is None else shifted + bn_b).to(conv_w.dtype if conv_b is None else conv_b.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(fused, bias.requires_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A `Linear` that computes what a `Linear` and the batch normalization after it do, in evaluation.

    Arguments:
        linear: the linear layer.
        bn: the batch normalization.
    """
    _check_evaluating(linear, bn)
    fused = copy.deepcopy(linear)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(texts.FUSED_FEATURES.format(linear=linear.out_features, bn=bn.num_features))
    _check_running(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a `Linear` and a batch normalization together; see `fuse_conv_bn_weights`."""
    bias = bn_rm.new_zeros(bn_rm.shape) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    fused = ((bias - bn_rm) * scale + bn_b).to(linear_w.dtype if linear_b is None else linear_b.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(fused, bias.requires_grad)


publish(__name__)

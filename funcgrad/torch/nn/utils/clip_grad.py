"""`torch.nn.utils.clip_grad`: gradients that are not too large."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.constructors import tensor
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import nn_utils as texts

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]

_Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: _Tensors) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters: list[Any]) -> list[Any]:
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def get_total_norm(
    tensors: _Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of several tensors, as if they were one vector.

    Arguments:
        tensors: the tensors.
        norm_type: the order of the norm; `inf` for the largest magnitude.
        error_if_nonfinite: whether a norm that is nan or infinite is an error.
        foreach: has no effect on the cpu.
    """
    vector_norm = namespaces["linalg"]["vector_norm"]
    tensors, norm_type = _listed(tensors), float(norm_type)
    if not tensors:
        return tensor(0.0)
    norms = [vector_norm(t, norm_type) for t in tensors]
    total = vector_norm(namespaces[""]["stack"](norms), norm_type)
    if error_if_nonfinite and (total.isnan() or total.isinf()):
        raise RuntimeError(texts.NON_FINITE.format(order=norm_type))
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: _Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients of parameters in place, so that their norm is at most max_norm.

    Arguments:
        parameters: the parameters; those without a gradient are left out.
        max_norm: the largest norm.
        total_norm: the norm that they have.
        foreach: has no effect on the cpu.
    """
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for g in _grads(_listed(parameters)):
        g.mul_(factor)


@no_grad()
def clip_grad_norm_(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of parameters in place, so that the norm of all of them together is at most max_norm.

    Arguments:
        parameters: the parameters; those without a gradient are left out.
        max_norm: the largest norm.
        norm_type: the order of the norm; `inf` for the largest magnitude.
        error_if_nonfinite: whether a norm that is nan or infinite is an error.
        foreach: has no effect on the cpu.

    Returns:
        The norm that they had.

    Example:
        >>> from funcgrad import torch
        >>> p = torch.zeros(2, requires_grad=True)
        >>> p.grad = torch.tensor([3.0, 4.0])
        >>> torch.nn.utils.clip_grad_norm_(p, 1.0)
        tensor(5.)
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    listed = _listed(parameters)
    if not listed and isinstance(parameters, types.GeneratorType):
        warnings.warn(texts.EMPTY_GENERATOR, stacklevel=3)
    total = get_total_norm(_grads(listed), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(listed, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: _Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Superseded by `clip_grad_norm_`."""
    warnings.warn(texts.CLIP_GRAD_NORM, FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: _Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Cut the elements of the gradients of parameters in place to what lies between -clip_value and clip_value.

    Arguments:
        parameters: the parameters; those without a gradient are left out.
        clip_value: the largest magnitude.
        foreach: has no effect on the cpu.
    """
    bound = float(clip_value)
    for g in _grads(_listed(parameters)):
        g.clamp_(min=-bound, max=bound)


publish(__name__)

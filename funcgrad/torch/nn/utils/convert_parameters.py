"""`torch.nn.utils.convert_parameters`: parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.conversion import typename
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of several tensors, one tensor after the other, as a vector."""
    return namespaces[""]["cat"]([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give parameters the elements of a vector as their data, which they share with it.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.Linear(2, 1)
        >>> torch.nn.utils.vector_to_parameters(torch.arange(3.0), layer.parameters())
        >>> torch.nn.utils.parameters_to_vector(layer.parameters())
        tensor([0., 1., 2.], grad_fn=<CatBackward0>)
    """
    given: Any = vec
    if not isinstance(given, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(given)}")
    start = 0
    p: Any
    for p in parameters:
        p.data = vec[start : start + p.numel()].view_as(p).data
        start += p.numel()


publish(__name__)

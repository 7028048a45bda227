"""`torch.gradient`: derivatives of sampled functions, by differences."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base import dtypes
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.texts import statistics as texts

_LAST = "int edge_order = 1"


@op(
    "gradient",
    f"(Tensor input, *, tuple of ints dim, {_LAST})",
    f"(Tensor input, *, Number spacing, tuple of ints dim, {_LAST})",
    f"(Tensor input, *, Number spacing = None, int dim = None, {_LAST})",
    f"(Tensor input, *, tuple of Scalars spacing, int dim = None, {_LAST})",
    f"(Tensor input, *, tuple of Scalars spacing, tuple of ints dim, {_LAST})",
    f"(Tensor input, *, tuple of Tensors spacing, int dim = None, {_LAST})",
    f"(Tensor input, *, tuple of Tensors spacing, tuple of ints dim, {_LAST})",
    method=False,
)
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative of a sampled function along each dimension, of second order in the distance of samples.

    Arguments:
        input: the samples.
        spacing: the distance of neighbours; one for each dimension; or for each dimension a tensor of coordinates.
        dim: the dimensions; by default all.
        edge_order: the order of the differences at both ends, 1 or 2.

    Returns:
        A tensor of the shape of input for each dimension.

    Example:
        >>> from funcgrad import torch
        >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)

    Source: numpy.gradient (https://numpy.org/doc/stable/reference/generated/numpy.gradient.html).
    """
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    several = isinstance(spacing, (tuple, list))
    if several and len(spacing) != len(dims):
        why = texts.GRADIENT_ALL_DIMS if dim is None else texts.GRADIENT_SOME_DIMS
        raise RuntimeError(why.format(ndim=input.ndim, dims=len(dims), length=len(spacing)))
    if input.dtype is dtypes.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    wrapped = [wrap_dim(d, input.ndim) for d in dims]
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if any(input.shape[d] <= edge_order for d in wrapped):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    for h in spacing if several else ():
        if isinstance(h, Tensor) and h.ndim != 1:
            raise RuntimeError(texts.GRADIENT_COORDINATES.format(ndim=h.ndim))
    spacings = spacing if several else [1 if spacing is None else spacing] * len(dims)
    return tuple([_along(input, d, h, edge_order) for d, h in zip(wrapped, spacings, strict=True)])


def _along(x: Tensor, d: int, h: Any, edge_order: int) -> Tensor:
    """The derivative along one dimension."""
    n = x.shape[d]

    def part(start: int, stop: int) -> Tensor:
        return x.narrow(d, start, stop - start)

    if isinstance(h, Tensor) and h.ndim:
        steps = (h[1:] - h[:-1]).reshape(-1, *([1] * (x.ndim - d - 1)))
        before, after = steps[:-1], steps[1:]
        left = -after / (before * (before + after))
        right = before / (after * (before + after))
        inside = left * part(0, n - 2) - (left + right) * part(1, n - 1) + right * part(2, n)
        first, last = steps[:2], steps[-2:].flip(0)
    else:
        inside = (part(2, n) - part(0, n - 2)) / (2 * h)
        first = last = [h, h]
    x0, *next_to_first = [part(k, k + 1) for k in range(min(n, 3))]
    x1, *next_to_last = [part(n - k - 1, n - k) for k in range(min(n, 3))]
    if edge_order == 1:
        ends = (next_to_first[0] - x0) / first[0], (x1 - next_to_last[0]) / last[0]
    else:
        ends = _end(x0, *next_to_first, *first), -_end(x1, *next_to_last, *last)
    return cat([ends[0], inside, ends[1]], d)


def _end(x0: Tensor, x1: Tensor, x2: Tensor, a: Any, b: Any) -> Tensor:
    """The derivative of second order at the outermost of three samples; a and b are the steps between them."""
    return -(2 * a + b) / (a * (a + b)) * x0 + (a + b) / (a * b) * x1 - a / (b * (a + b)) * x2

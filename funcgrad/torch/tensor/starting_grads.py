"""The gradients that a backward walk starts from, and the edges that it starts at."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.meta import Size
from funcgrad.torch.tensor.node import Node, next_edge
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import graph as texts


class GradientEdge(NamedTuple):
    """A node and the number of one of its outputs: where the gradient of a tensor flows."""

    node: Node
    output_nr: int
    ownership_token: Any = None


def as_tuple(x: Any) -> tuple:
    """A tensor or edge alone as a tuple."""
    return (x,) if isinstance(x, (Tensor, GradientEdge)) else tuple(x)


def given_grads(given: Any, n: int) -> tuple:
    """The gradients that a caller gave for n outputs."""
    if given is None:
        return (None,) * n
    return (given,) if isinstance(given, Tensor) else tuple(given)


def starting_grads(outputs: tuple, grads: tuple, batched: bool = False) -> tuple:
    """For each output the gradient to start from: that given, checked; a scalar needs none."""
    found = []
    for k, (out, g) in enumerate(zip(outputs, grads, strict=False)):
        if isinstance(out, GradientEdge):
            shape, kind = edge_type(out)
        else:
            shape, kind = out._value.shape, out._value.dtype
        unused = g is None and not (isinstance(out, GradientEdge) or out.requires_grad)
        found.append(None if unused else starting_grad(k, g, shape, kind, batched))
    if len(outputs) != len(found):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(found)} gradients")
    return tuple(found)


def starting_grad(k: int, g: Any, shape: tuple, kind: Any, batched: bool = False) -> Any:
    """The gradient to start from at the k-th output, of this shape and NumPy dtype: g if it is one, 1 if it is None."""
    if isinstance(g, Tensor):
        return _checked(k, g, shape, kind, batched)
    if g is None:
        return _one(shape, kind)
    raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")


def _checked(k: int, g: Any, shape: tuple, kind: Any, batched: bool) -> Any:
    got = g._value.shape
    if batched and g._value.ndim and got[1:] != shape:
        raise RuntimeError(texts.BATCHED_SHAPE.format(k=k, got=Size(got[2:]), shape=Size(shape)))
    if not batched and got != shape:
        raise RuntimeError(texts.STARTING_SHAPE.format(k=k, got=Size(got), shape=Size(shape)))
    if (kind.kind == "c") != (g._value.dtype.kind == "c"):
        raise RuntimeError(texts.STARTING_DTYPE.format(k=k, got=g.dtype, dtype=of_numpy(kind)))
    return g if g._value.dtype == kind else g.to(of_numpy(kind))


def _one(shape: tuple, kind: Any) -> Any:
    if any(n != 1 for n in shape):
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if kind.kind not in "fV":
        raise RuntimeError(texts.STARTING_KIND.format(dtype=of_numpy(kind)))
    return wrapped(np.ones(shape, kind))


def edge_type(e: GradientEdge) -> tuple:
    """Shape and NumPy dtype of what flows along an edge."""
    node, nr = e.node, e.output_nr
    return (node.shape, node.dtype) if node.outputs == 1 else (node.shape[nr], node.dtype[nr])


def edge_of(x: Any) -> tuple[Any, int]:
    """The node that a gradient of x goes to (None if there is none), and the number of its output."""
    if isinstance(x, GradientEdge):
        return x.node, x.output_nr
    node = next_edge(x)  # for a view it may renew x._nr
    return node, x._nr


def roots(tensors: tuple, grads: tuple) -> list:
    """(node, output number, gradient) of each tensor to start from."""
    found = []
    for i, (t, g) in enumerate(zip(tensors, grads, strict=True)):
        if not isinstance(t, (Tensor, GradientEdge)):
            raise RuntimeError(f"element {i} of tensors tuple is neither a Tensor nor a GradientEdge")
        node, number = edge_of(t)
        if node is None or g is None:
            raise RuntimeError(texts.NOTHING_TO_START_FROM.format(i=i))
        found.append((node, number, g))
    return found

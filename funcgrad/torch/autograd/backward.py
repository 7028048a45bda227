"""`torch.autograd.backward` and `torch.autograd.grad`: the two ways to run the walk."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.torch.engine import Walk
from funcgrad.torch.node import Node, next_edge
from funcgrad.torch.operation import Tensor, wrapped

import numpy as np


def _tuple(x: Any) -> tuple:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def make_grads(outputs: tuple, grads: tuple, batched: bool = False) -> tuple:
    """The gradients to start from: those given, checked; a scalar needs none."""
    found = []
    for out, g in zip(outputs, grads, strict=True):
        if isinstance(out, GradientEdge):
            shape, kind = _edge_type(out)
            is_out_complex = kind.kind == "c"
        else:
            shape, kind = tuple(out.shape), out._value.dtype
            is_out_complex = kind.kind == "c"
        if isinstance(g, Tensor):
            got = tuple(g.shape)[1:] if batched else tuple(g.shape)
            if got != shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{grads.index(g) if len(grads) == 1 else _index(grads, g)}] has a shape of {g.shape!r}"
                    f" and output[{_index(outputs, out)}] has a shape of {_size(shape)!r}."
                    + (
                        " If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
                        if batched
                        else ""
                    )
                )
            if is_out_complex != (g._value.dtype.kind == "c"):
                raise RuntimeError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                    f"dtype: grad_output[{_index(grads, g)}] has a dtype of {g.dtype} and output[{_index(outputs, out)}] has a dtype of "
                    f"{_dtype(kind)}."
                )
            found.append(g if g._value.dtype == kind else g.to(_dtype(kind)))
        elif g is None:
            if isinstance(out, GradientEdge) or out.requires_grad:
                size = 1
                for n in shape:
                    size *= n
                if size != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                if kind.kind not in "fV":
                    raise RuntimeError(
                        "grad can be implicitly created only for real scalar outputs but got " + repr(_dtype(kind))
                    )
                found.append(wrapped(np.ones(shape, kind)))
            else:
                found.append(None)
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    return tuple(found)


def _index(xs: tuple, x: Any) -> int:
    return next(i for i, y in enumerate(xs) if y is x)


def _size(shape: tuple) -> Any:
    from funcgrad.torch.meta import Size

    return Size(shape)


def _dtype(kind: Any) -> Any:
    from funcgrad.torch.dtypes import of_numpy

    return of_numpy(kind)


class GradientEdge(tuple):
    """A node and the number of one of its outputs: where the gradient of a tensor flows."""

    __slots__ = ()
    _fields = ("node", "output_nr")

    def __new__(cls, node: Node, output_nr: int, ownership_token: Any = None) -> GradientEdge:
        return tuple.__new__(cls, (node, output_nr))

    @property
    def node(self) -> Node:
        return self[0]

    @property
    def output_nr(self) -> int:
        return self[1]

    def __repr__(self) -> str:
        return f"GradientEdge(node={self.node!r}, output_nr={self.output_nr})"


def _edge_type(e: GradientEdge) -> tuple:
    node, nr = e.node, e.output_nr
    return (node.shape, node.dtype) if node.outputs == 1 else (node.shape[nr], node.dtype[nr])


def _roots(tensors: tuple, grads: tuple) -> list:
    """(node, output number, gradient) of each tensor to start from."""
    found = []
    for i, (t, g) in enumerate(zip(tensors, grads, strict=True)):
        if isinstance(t, GradientEdge):
            found.append((t.node, t.output_nr, g))
            continue
        node = next_edge(t)
        if node is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        found.append((node, t._nr, g))
    return found


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Compute the gradients of tensors with respect to the leaves they depend on, and add them to the leaves' .grad.

    Arguments:
        tensors: what is differentiated.
        grad_tensors: for each by what it is multiplied; None for scalars.
        retain_graph: keep the graph for another call; by default like create_graph.
        create_graph: record the gradients' own history.
        inputs: accumulate only for these tensors.

    Raises:
        RuntimeError: a tensor has no history, is no scalar and has no gradient given, or the graph was freed.
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use `grad_tensors`.")  # fmt: skip  # noqa: E501
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    tensors = (tensors,) if isinstance(tensors, (Tensor, GradientEdge)) else tuple(tensors)
    given = _grads(grad_tensors, len(tensors))
    retain = create_graph if retain_graph is None else retain_graph
    grads = make_grads(tensors, given)
    captures = None
    if inputs is not None:
        inputs = (inputs,) if isinstance(inputs, (Tensor, GradientEdge)) else tuple(inputs)
        captures = []
        for i, x in enumerate(inputs):
            node, nr = (x.node, x.output_nr) if isinstance(x, GradientEdge) else (next_edge(x), getattr(x, "_nr", 0))
            if node is None:
                raise RuntimeError(f"element {i} of the input tensors does not require grad")
            captures.append((node, nr))
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
            "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
            "after use to break the cycle and avoid the leak.",
            UserWarning,
            stacklevel=3,
        )
    walk = Walk(_roots(tensors, grads), bool(retain), create_graph, captures, accumulating=True)
    run(walk)
    if captures is not None:
        for x, key in zip(inputs, captures, strict=True):
            g = walk.captured.get(key)
            if isinstance(x, Tensor) and not x.is_leaf and g is not None and x._retain_call is None:
                x._grad = g if x._grad is None else x._grad + g


def run(walk: Walk) -> None:
    """Run a walk, and after the outermost one the callbacks that were queued in it."""
    global _depth
    _depth += 1
    try:
        walk.run()
        if _depth == 1:
            while _callbacks:
                _callbacks.pop(0)()
    finally:
        _depth -= 1
        if not _depth:
            _callbacks.clear()


_depth = 0
_callbacks: list = []


def queue_callback(f: Any) -> None:
    """Call f when the backward walk that is running has ended."""
    if not _depth:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    _callbacks.append(f)


def _grads(given: Any, n: int) -> tuple:
    if given is None:
        return (None,) * n
    if isinstance(given, Tensor):
        return (given,)
    found = tuple(given)
    return found if found else (None,) * n


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple:
    """The gradients of the sum of outputs with respect to inputs.

    Arguments:
        outputs: what is differentiated.
        inputs: with respect to which tensors.
        grad_outputs: for each output by what it is multiplied; None for scalars.
        retain_graph: keep the graph for another call; by default like create_graph.
        create_graph: record the gradients' own history.
        allow_unused: give None for inputs that outputs do not depend on, instead of an error.
        is_grads_batched: grad_outputs have a leading batch dimension, and so have the gradients.
        materialize_grads: give zeros for inputs that outputs do not depend on.

    Returns:
        A tuple with the gradient of each input.

    Raises:
        RuntimeError: an output has no history, an input is not used, or the graph was freed.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")  # fmt: skip  # noqa: E501
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outputs = (outputs,) if isinstance(outputs, (Tensor, GradientEdge)) else tuple(outputs)
    inputs = (inputs,) if isinstance(inputs, (Tensor, GradientEdge)) else tuple(inputs)
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of the graph, please use torch.autograd.backward.", FutureWarning, stacklevel=2)  # fmt: skip  # noqa: E501
    given = _grads(grad_outputs, len(outputs))
    retain = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        from funcgrad.torch.autograd.batched import batched_grad

        return batched_grad(outputs, inputs, given, create_graph, allow_unused, materialize_grads)
    roots = _roots(outputs, make_grads(outputs, given))
    keys = []
    for x in inputs:
        if isinstance(x, GradientEdge):
            keys.append((x.node, x.output_nr))
            continue
        node = next_edge(x)
        if node is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        keys.append((node, x._nr))
    walk = Walk(roots, bool(retain), create_graph, keys, accumulating=False)
    run(walk)
    found = []
    for x, key in zip(inputs, keys, strict=True):
        g = walk.captured.get(key)
        if g is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
                "this is the desired behavior."
            )
        if g is None and materialize_grads:
            g = x.new_zeros(x.shape)
        found.append(g)
    return tuple(found)



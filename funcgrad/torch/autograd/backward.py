"""`torch.autograd.backward` and `torch.autograd.grad`: the two ways to run the walk."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from funcgrad.torch.autograd.run_walk import run
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.engine import Walk
from funcgrad.torch.tensor.inner_graph import gradients
from funcgrad.torch.tensor.journal import event, failed, journal
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.starting_grads import GradientEdge as GradientEdge
from funcgrad.torch.tensor.starting_grads import as_tuple, edge_of, given_grads, roots, starting_grads
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import autograd as texts


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
    if state.recorder is not None:
        state.recorder.backward(as_tuple(tensors), grad_tensors, retain_graph, create_graph or inputs is not None)
        return
    if state.transforms:
        raise RuntimeError(texts.BACKWARD_IN_TRANSFORM)
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(texts.GRADIENTS_TWICE)
        grad_tensors = grad_variables
    tensors = as_tuple(tensors)
    retain = create_graph if retain_graph is None else retain_graph
    captures = None
    number = event("backward()", *tensors) if journal.on else 0
    if inputs is not None:
        inputs = as_tuple(inputs.values() if isinstance(inputs, Mapping) else inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    try:
        grads = starting_grads(tensors, given_grads(grad_tensors, len(tensors)))
        starts = roots(tensors, grads)
        if inputs is not None:
            for x in inputs:
                if isinstance(x, Tensor):
                    x.retain_grad()
            captures = [edge_of(x) for x in inputs]
        walk = Walk(starts, bool(retain), create_graph, captures, accumulating=True)
        try:
            run(walk)
        finally:
            if create_graph:
                warnings.warn(texts.REFERENCE_CYCLE, UserWarning, stacklevel=3)
    except RuntimeError as error:
        failed(number, error)
        raise


@member_of(Tensor, name="backward")
def _of_tensor(
    self: Any, gradient: Any = None, retain_graph: Any = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Compute the gradients of this tensor with respect to the leaves it depends on, and add them to their .grad.

    Arguments:
        gradient: by what the result is multiplied; not needed for a scalar.
        retain_graph: keep the graph for another call; by default like create_graph.
        create_graph: record the gradients' own history.
        inputs: accumulate only for these tensors.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


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
) -> Any:
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
        A tuple with the gradient of each input; a dict with the same keys if inputs is a dict.

    Raises:
        RuntimeError: an output has no history, an input is not used, or the graph was freed.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(texts.MATERIALIZE_UNUSED)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outputs = as_tuple(outputs)
    names = tuple(inputs) if isinstance(inputs, dict) else None
    if names is None and isinstance(inputs, Mapping):
        raise TypeError(texts.INPUTS_NO_DICT.format(kind=type(inputs).__name__))
    inputs = as_tuple(inputs if names is None else inputs.values())
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    for x in inputs:
        if not isinstance(x, (Tensor, GradientEdge)):
            raise RuntimeError(texts.INPUTS_TYPE.format(kind=type(x).__name__))
    for x in outputs:
        if not isinstance(x, (Tensor, GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
    if not only_inputs:
        warnings.warn(texts.ONLY_INPUTS_DEPRECATED, FutureWarning, stacklevel=2)
    number = event("grad()", *outputs) if journal.on else 0
    try:
        given = given_grads(grad_outputs, len(outputs))
        retain = bool(create_graph if retain_graph is None else retain_graph)
        grads = starting_grads(outputs, given, is_grads_batched)
        if is_grads_batched:

            def pull(*given: Tensor) -> tuple:
                rows: tuple = grad(outputs, inputs, given, retain, create_graph, allow_unused=allow_unused)
                return rows

            batched = import_module("funcgrad.torch.autograd.batched")  # it loads torch.func
            found = batched.batched_rows(pull, inputs, grads, materialize_grads)
        elif state.transforms and (inside := gradients(outputs, inputs, grads, create_graph)) is not None:
            found = _complete(inside, inputs, create_graph, allow_unused, materialize_grads)
        else:
            found = _grad(roots(outputs, grads), inputs, retain, create_graph, allow_unused, materialize_grads)
    except RuntimeError as error:
        failed(number, error)
        raise
    return found if names is None else dict(zip(names, found, strict=True))


def _grad(starts: list, inputs: tuple, retain: bool, create_graph: bool, unused: bool, materialize: bool) -> Any:
    keys = [edge_of(x) for x in inputs]
    if any(node is None for node, _ in keys):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    walk = Walk(starts, retain, create_graph, keys, accumulating=False)
    run(walk)
    return _complete([walk.captured.get(key) for key in keys], inputs, create_graph, unused, materialize)


def _complete(found: list, inputs: tuple, create_graph: bool, unused: bool, materialize: bool) -> tuple:
    """The gradients of inputs, where some may be None: that is an error, or zeros, if it is not allowed."""
    for k, (x, g) in enumerate(zip(inputs, found, strict=True)):
        if g is None and not unused:
            raise RuntimeError(texts.UNUSED.format(k=k))
        if g is None and materialize:
            found[k] = _zeros_like(x, create_graph)
    return tuple(found)


def _zeros_like(x: Any, requires_grad: bool) -> Any:
    if not isinstance(x, Tensor):
        raise RuntimeError(texts.MATERIALIZE_FOR_EDGE)
    g = wrapped(np.zeros(x._value.shape, x._value.dtype))
    g._requires = requires_grad
    return g

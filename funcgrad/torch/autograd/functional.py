"""`torch.autograd.functional`: derivatives of functions of tensors, by means of autograd.grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.autograd import forward_ad
from funcgrad.torch.autograd.backward import grad
from funcgrad.torch.autograd.functional_checks import (
    OUTPUTS,
    as_tuple,
    check_recorded,
    check_vector,
    filled,
    fresh,
    result,
)
from funcgrad.torch.base.modes import enable_grad, set_grad_enabled, state
from funcgrad.torch.func.jacobian import basis, split_rows
from funcgrad.torch.ops.joining import stack
from funcgrad.torch.texts import functional as texts

__all__ = [
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "vhp",
    "vjp",
]


def _grad(outputs: tuple, inputs: tuple, given: tuple | None = None, **options: Any) -> tuple:
    """autograd.grad of those outputs that require grad."""
    rows = zip(outputs, (None,) * len(outputs) if given is None else given, strict=True)
    kept = [(out, g) for out, g in rows if out is not None and out.requires_grad]
    if not kept:
        return (None,) * len(inputs)
    outs, gs = zip(*kept, strict=True)
    return grad(outs, inputs, gs, allow_unused=True, **options)


def _vector(v: Any, name: str, like: tuple, is_tuple: bool, create_graph: bool, otherwise: str) -> tuple | None:
    """The vector v that multiplies `like`; it may be left out if that is a single element."""
    if v is not None:
        found = fresh(as_tuple(v, "v", name)[1], create_graph, False)
        check_vector(found, like, is_tuple)
        return found
    if len(like) != 1 or like[0].numel() != 1:
        raise RuntimeError(otherwise)
    return None


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The product of a vector with the Jacobian of func at inputs.

    Arguments:
        func: a function of tensors; it returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: the vector, of the shapes of the outputs; not needed for a single number.
        create_graph: make the results differentiable.
        strict: raise an error where an output does not depend on an input, instead of giving zeros.

    Returns:
        The outputs of func, and the product, which has the shapes of the inputs.
    """
    with enable_grad():
        is_inputs_tuple, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = fresh(inputs, create_graph)
        is_outputs_tuple, outputs = as_tuple(func(*inputs), OUTPUTS, "vjp")
        check_recorded(outputs, strict, texts.OUTPUT_NOT_RECORDED)
        v = _vector(
            v,
            "vjp",
            outputs,
            is_outputs_tuple,
            create_graph,
            texts.OUTPUT_NEEDS_V,
        )
    with set_grad_enabled(create_graph or state.grad):
        found = _grad(outputs, inputs, v, create_graph=create_graph)
        found = filled(found, inputs, strict, create_graph, "jacobian", texts.INPUT_UNREACHED)
    return result(outputs, create_graph, is_outputs_tuple), result(found, create_graph, is_inputs_tuple)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The product of the Jacobian of func at inputs with a vector, by differentiating twice backwards.

    Arguments:
        func: a function of tensors; it returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: the vector, of the shapes of the inputs; not needed for a single number.
        create_graph: make the results differentiable.
        strict: raise an error where an output does not depend on an input, instead of giving zeros.

    Returns:
        The outputs of func, and the product, which has the shapes of the outputs.
    """
    with enable_grad():
        is_inputs_tuple, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = fresh(inputs, create_graph)
        v = _vector(v, "jvp", inputs, is_inputs_tuple, create_graph, texts.INPUT_NEEDS_V)
        is_outputs_tuple, outputs = as_tuple(func(*inputs), OUTPUTS, "jvp")
        check_recorded(outputs, strict, texts.OUTPUT_NOT_RECORDED)
        given = tuple([out.new_zeros(out.shape).requires_grad_() for out in outputs])
        pulled = _grad(outputs, inputs, given, create_graph=True)
        check_recorded(pulled, strict, texts.GRADIENT_INDEPENDENT)
    with set_grad_enabled(create_graph or state.grad):
        found = _grad(pulled, given, v, create_graph=create_graph)
        found = filled(found, outputs, strict, create_graph, "jacobian", texts.GRADIENT_UNREACHED)
    return result(outputs, create_graph, is_outputs_tuple), result(found, create_graph, is_outputs_tuple)


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of func at inputs.

    Arguments:
        func: a function of tensors; it returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        create_graph: make the result differentiable.
        strict: raise an error where an output does not depend on an input, instead of giving zeros.
        vectorize: compute all rows (columns with strategy "forward-mode") in one call.
        strategy: "reverse-mode" or "forward-mode".

    Returns:
        A tensor of the output's shape followed by the input's; for tuples of outputs or inputs a tuple of those, with
        the outputs outside.

    Example:
        >>> from funcgrad import torch
        >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1.0, 2.0]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(texts.JACOBIAN_STRATEGY)
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(texts.FORWARD_CREATE_GRAPH)
        return _forward_jacobian(func, inputs, strict, vectorize)
    with enable_grad():
        is_inputs_tuple, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = fresh(inputs, create_graph)
        is_outputs_tuple, outputs = as_tuple(func(*inputs), OUTPUTS, "jacobian")
        check_recorded(outputs, strict, texts.OUTPUT_NOT_RECORDED)
        if vectorize and strict:
            raise RuntimeError(texts.STRICT_VECTORIZED)
        if vectorize:
            found = _rows_at_once(outputs, inputs, create_graph)
        else:
            found = tuple([_rows(i, out, inputs, create_graph, strict) for i, out in enumerate(outputs)])
    return result(found, create_graph, is_outputs_tuple, is_inputs_tuple)


def _rows(i: int, out: Any, inputs: tuple, create_graph: bool, strict: bool) -> tuple:
    """The derivatives of one output with respect to all inputs, one walk for each of its elements."""
    columns: list[list] = [[] for _ in inputs]
    for j in range(out.numel()):
        row = _grad((out.reshape(-1)[j],), inputs, retain_graph=True, create_graph=create_graph)
        for k, (column, g, x) in enumerate(zip(columns, row, inputs, strict=True)):
            if g is None:
                if strict:
                    raise RuntimeError(texts.OUTPUT_INDEPENDENT.format(output=i, input=k))
                g = x.new_zeros(x.shape)
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(texts.INDEPENDENT_IN_GRAPH.format(what="jacobian", i=i))
            column.append(g)
    return tuple([stack(column).view((*out.shape, *x.shape)) for column, x in zip(columns, inputs, strict=True)])


def _rows_at_once(outputs: tuple, inputs: tuple, create_graph: bool) -> tuple:
    """The derivatives of all outputs with respect to all inputs, in one walk on a batch of gradients."""
    recorded = [out for out in outputs if out.requires_grad]
    rows = _grad(tuple(recorded), inputs, tuple(basis(recorded)), create_graph=create_graph, is_grads_batched=True)
    total = sum([out.numel() for out in recorded])
    filled_rows = [x.new_zeros((total, *x.shape)) if r is None else r for r, x in zip(rows, inputs, strict=True)]
    parts = iter(split_rows(filled_rows, recorded, list(inputs)))
    return tuple(
        [
            tuple(next(parts)) if out.requires_grad else tuple([x.new_zeros((*out.shape, *x.shape)) for x in inputs])
            for out in outputs
        ]
    )


def _forward_jacobian(func: Callable, inputs: Any, strict: bool, vectorize: bool) -> Any:
    """The Jacobian column by column, in forward mode."""
    if strict:
        raise RuntimeError(texts.FORWARD_STRICT)
    if not vectorize:
        raise NotImplementedError(texts.FORWARD_NOT_VECTORIZED)
    is_inputs_tuple, inputs = as_tuple(inputs, "inputs", "jacobian")
    by_input, is_outputs_tuple, shapes = [], True, []
    for k, x in enumerate(inputs):
        columns = []
        for j in range(x.numel()):
            is_outputs_tuple, shapes, column = _column(func, inputs, k, j)
            columns.append(column)
        if not columns:
            is_outputs_tuple, shapes, column = _column(func, inputs, k, None)
            columns.append(column)
            by_input.append([t.new_zeros((*t.shape, *x.shape)) for t in column])
            continue
        by_input.append(
            [
                stack(ts, -1).reshape((*shape, *x.shape))
                for ts, shape in zip(zip(*columns, strict=True), shapes, strict=True)
            ]
        )
    found = tuple(zip(*by_input, strict=True))
    return result(found, True, is_outputs_tuple, is_inputs_tuple)


def _column(func: Callable, inputs: tuple, k: int, j: int | None) -> tuple:
    """The tangents of all outputs in the direction of element j of input k (of none of them)."""
    with forward_ad.dual_level():
        duals = []
        for i, x in enumerate(inputs):
            tangent = x.new_zeros(x.numel())
            if i == k and j is not None:
                tangent[j] = 1
            duals.append(forward_ad.make_dual(x, tangent.view_as(x)))
        is_tuple, outputs = as_tuple(func(*duals), OUTPUTS, "jacobian")
        pairs = [forward_ad.unpack_dual(out) for out in outputs]
        column = [p.primal.new_zeros(p.primal.shape) if p.tangent is None else p.tangent for p in pairs]
        return is_tuple, [out.shape for out in outputs], column


def _scalar(name: str, outputs: tuple, is_tuple: bool) -> None:
    """The functions below are about functions that return one number."""
    if is_tuple:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(texts.NOT_SINGLE.format(name=name))


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of func, which returns a single number, at inputs.

    Arguments:
        func: a function of tensors that returns a tensor with one element.
        inputs: a tensor or a tuple of tensors.
        create_graph: make the result differentiable.
        strict: raise an error where the gradient does not depend on an input, instead of giving zeros.
        vectorize: compute all rows in one call.
        outer_jacobian_strategy: how the gradient is differentiated, "reverse-mode" or "forward-mode".

    Returns:
        A tensor of the input's shape twice; for a tuple of inputs a tuple of tuples of those.
    """
    is_inputs_tuple, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def single(*xs: Any) -> Any:
        out = func(*xs)
        is_tuple, outputs = as_tuple(out, OUTPUTS, "hessian")
        check_recorded(outputs, strict, texts.OUTPUT_NOT_RECORDED)
        _scalar("hessian", outputs, is_tuple)
        return out.squeeze()

    def gradient(*xs: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            xs = tuple([x.requires_grad_(True) for x in xs])
        found = jacobian(single, xs, create_graph=True)
        check_recorded(found, strict, texts.JACOBIAN_INDEPENDENT)
        return found

    found = jacobian(
        gradient,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return found if is_inputs_tuple else found[0][0]


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The product of a vector with the Hessian of func, which returns a single number, at inputs.

    Arguments:
        func: a function of tensors that returns a tensor with one element.
        inputs: a tensor or a tuple of tensors.
        v: the vector, of the shapes of the inputs; not needed for a single number.
        create_graph: make the results differentiable.
        strict: raise an error where the gradient does not depend on an input, instead of giving zeros.

    Returns:
        The output of func, and the product, which has the shapes of the inputs.
    """
    with enable_grad():
        inputs, v, is_inputs_tuple, outputs, gradient = _gradient("vhp", func, inputs, v, create_graph, strict)
    with set_grad_enabled(create_graph or state.grad):
        found = _grad(gradient, inputs, v, create_graph=create_graph)
        found = filled(found, inputs, strict, create_graph, "hessian", texts.JACOBIAN_UNREACHED)
    return result(outputs, create_graph, False), result(found, create_graph, is_inputs_tuple)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The product of the Hessian of func, which returns a single number, with a vector, at inputs.

    Arguments:
        func: a function of tensors that returns a tensor with one element.
        inputs: a tensor or a tuple of tensors.
        v: the vector, of the shapes of the inputs; not needed for a single number.
        create_graph: make the results differentiable.
        strict: raise an error where the gradient does not depend on an input, instead of giving zeros.

    Returns:
        The output of func, and the product, which has the shapes of the inputs.
    """
    with enable_grad():
        inputs, v, is_inputs_tuple, outputs, gradient = _gradient("hvp", func, inputs, v, create_graph, strict)
        given = tuple([x.new_zeros(x.shape).requires_grad_() for x in inputs])
        pulled = _grad(gradient, inputs, given, create_graph=True)
        check_recorded(gradient, strict, texts.HESSIAN_INDEPENDENT)
    with set_grad_enabled(create_graph or state.grad):
        found = _grad(pulled, given, v, create_graph=create_graph)
        found = filled(found, inputs, strict, create_graph, "hessian", texts.HESSIAN_UNREACHED)
    return result(outputs, create_graph, False), result(found, create_graph, is_inputs_tuple)


def _gradient(name: str, func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool) -> tuple:
    """The arguments of vhp and hvp, the output of func and its recorded gradient."""
    is_inputs_tuple, inputs = as_tuple(inputs, "inputs", name)
    inputs = fresh(inputs, create_graph)
    v = _vector(v, name, inputs, is_inputs_tuple, create_graph, texts.INPUT_NEEDS_V)
    is_outputs_tuple, outputs = as_tuple(func(*inputs), OUTPUTS, name)
    check_recorded(outputs, strict, texts.OUTPUT_NOT_RECORDED)
    _scalar(name, outputs, is_outputs_tuple)
    gradient = _grad(outputs, inputs, create_graph=True)
    check_recorded(gradient, strict, texts.JACOBIAN_INDEPENDENT)
    return inputs, v, is_inputs_tuple, outputs, gradient


publish(__name__)

"""Jacobians by finite differences and by autograd, as gradcheck compares them.

A Jacobian here is a matrix with a row for each element of the input and a column for each element of the output. For a
complex input, row k holds the derivative along the real axis plus i times that along the imaginary axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from funcgrad.torch.autograd import forward_ad
from funcgrad.torch.autograd.backward import grad
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import gradcheck as texts


class GradcheckError(RuntimeError):
    """A gradient is not what finite differences say."""


def as_tuple(x: Any) -> tuple:
    """One thing as a tuple, a list or tuple of things as a tuple."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def differentiable(x: Any) -> bool:
    """Whether x is a tensor of a floating or complex dtype."""
    return isinstance(x, Tensor) and x._value.dtype.kind not in "iub"


def tensors_in(x: Any, only_requiring_grad: bool = False) -> Iterator[Tensor]:
    """The tensors in nested lists and tuples."""
    if isinstance(x, Tensor):
        if x.requires_grad or not only_requiring_grad:
            yield x
    elif isinstance(x, Iterable) and not isinstance(x, str):
        for item in x:
            yield from tensors_in(item, only_requiring_grad)


# By finite differences.


def _call(fn: Callable, inputs: Any) -> tuple:
    return tuple([out.clone() for out in as_tuple(fn(*as_tuple(inputs)))])


def difference(fn: Callable, inputs: Any, where: Any, step: Any, eps: float, index: Any = None) -> list:
    """The central difference of all outputs of fn when `where`, memory of an input, is moved by step; flat.

    Raises:
        AssertionError: the outputs change their shape or dtype.
    """
    before = where.clone()
    where.copy_(before - step)
    low = _call(fn, inputs)
    where.copy_(before + step)
    high = _call(fn, inputs)
    where.copy_(before)
    found = []
    on_index = "" if index is None else f"on index {index} "
    for a, b in zip(low, high, strict=True):
        for what, x, y in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if x != y:
                raise AssertionError(texts.OUTPUTS_CHANGE.format(what=what, on_index=on_index, eps=eps, low=x, high=y))
        found.append(((b - a) / (2 * eps)).detach().reshape(-1))
    return found


def directional(fn: Callable, inputs: Any, where: Any, step: Any, eps: float, forward: bool, index: Any = None) -> list:
    """The derivatives of all outputs in one direction; `step` is a pair for a complex input, one for each axis."""
    along, across = step if isinstance(step, tuple) else (step, step)
    found = difference(fn, inputs, where, along, eps, index)
    if not where.is_complex():
        if not forward and any(d.is_complex() for d in found):
            raise AssertionError("Expected ds_dx to be real-valued, not complex.")
        return found
    if any(d.is_complex() for d in found):
        raise AssertionError("Expected ds_dx to be real-valued, not complex")
    imaginary = difference(fn, inputs, where, across * 1j, eps, index)
    return [x + y * 1j for x, y in zip(found, imaginary, strict=True)]


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable,
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Any = None,
    is_forward_ad: bool = False,
) -> tuple:
    """The Jacobians of all outputs of fn (of floating or complex dtypes) with respect to one input.

    Arguments:
        fn: the function.
        input_idx: which of its arguments is moved.
        inputs: its arguments.
        outputs: what it returns for them.
        eps: by how much.
        input: the tensor whose memory is moved, if not the argument itself.
        is_forward_ad: whether the outputs may be complex.
    """
    x = inputs[input_idx] if input is None else input
    if not x.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    data = x.data
    kept = [k for k, out in enumerate(outputs) if differentiable(out)]
    jacobians = [
        outputs[k].new_zeros((x.numel(), outputs[k].numel()), dtype=x.dtype if x.is_complex() else outputs[k].dtype)
        for k in kept
    ]
    for row, index in enumerate(product(*[range(n) for n in x.shape])):
        found = directional(fn, inputs, data[index], eps, eps, is_forward_ad, index)
        for jacobian, k in zip(jacobians, kept, strict=True):
            jacobian[row] = found[k]
    return tuple(jacobians)


def numerical_jacobians(
    fn: Callable, inputs: Any, outputs: Any = None, target: Any = None, eps: float = 1e-3, is_forward_ad: bool = False
) -> list[tuple]:
    """For each input that requires grad the Jacobians of all outputs."""
    if outputs is None:
        outputs = as_tuple(fn(*as_tuple(inputs)))
    if not is_forward_ad and any(out.is_complex() for out in outputs):
        raise ValueError(texts.COMPLEX_OUTPUT.format(name="get_numerical_jacobian"))
    target = inputs if target is None else target
    target = (target,) if isinstance(target, Tensor) else target
    return [
        get_numerical_jacobian_wrt_specific_input(fn, k, inputs, outputs, eps, x, is_forward_ad)
        for k, x in enumerate(target)
        if isinstance(x, Tensor) and x.requires_grad
    ]


# By autograd.


def rows_of(pull: Callable, output: Any) -> list[list]:
    """For each input the gradients of all elements of the output, one after the other."""
    seed = output.new_zeros(output.shape)
    flat = seed.view(-1)
    found: list[list] = []
    for j in range(flat.numel()):
        flat.zero_()
        flat[j] = 1.0
        for k, g in enumerate(pull(seed)):
            if j == 0:
                found.append([])
            found[k].append(None if g is None else g.clone())
    return found


def assembled(gradients: list[list], inputs: Any, columns: int) -> tuple[tuple, bool, bool]:
    """Jacobians made of gradients; whether all had the dtypes, and the shapes, of their inputs."""
    wanted = list(tensors_in(inputs, True))
    jacobians = tuple([x.new_zeros((x.numel(), columns)) for x in wanted if differentiable(x)])
    types_ok = sizes_ok = True
    for x, jacobian, column in zip(wanted, jacobians, gradients, strict=False):
        for j, g in enumerate(column):
            if g is None:
                continue
            if g.shape != x.shape:
                sizes_ok = False
            elif g.dtype is not x.dtype:
                types_ok = False
            if jacobian[:, j].numel() != g.numel():
                raise AssertionError(texts.COLUMN_LENGTH.format(expected=g.numel(), got=jacobian[:, j].numel()))
            jacobian[:, j] = g.reshape(-1)
    return jacobians, types_ok, sizes_ok


def differ(a: tuple, b: tuple, tolerance: float) -> bool:
    """Whether two tuples of Jacobians differ by more than this."""
    return any(x.numel() and bool((x - y).abs().max() > tolerance) for x, y in zip(a, b, strict=True))


def analytical_jacobians(inputs: Any, output: Any, nondet_tol: float, check_dtypes: bool, v: Any = None) -> tuple:
    """For each input that requires grad the Jacobian of one output, by backward; its product with v if that is given.

    Raises:
        GradcheckError: a gradient has a wrong size (or dtype), or backward gives other values the second time.
    """
    wanted = list(tensors_in(inputs, True))

    def pull(g: Any) -> tuple:
        return grad(output, wanted, g, retain_graph=True, allow_unused=True)

    def compute() -> tuple:
        if v is None:
            return assembled(rows_of(pull, output), inputs, output.numel())
        rows = [[None if g is None else g.clone()] for g in pull(v.reshape(output.shape))]
        return assembled(rows, inputs, 1)

    found, types_ok, sizes_ok = compute()
    again = compute()[0]
    if check_dtypes and not types_ok:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_ok:
        raise GradcheckError("Analytical gradient has incorrect size")
    if differ(found, again, nondet_tol):
        raise GradcheckError(texts.NOT_REENTRANT.format(tolerance=nondet_tol))
    return found


def forward_jacobians(
    fn: Callable, inputs: Any, outputs: Any, *, check_dtypes: bool = False, all_u: Any = None
) -> tuple:
    """For each input that requires grad the Jacobians of all outputs, in forward mode; their products with all_u."""
    wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if any(x.is_complex() for x in wanted):
        raise ValueError(texts.COMPLEX_INPUT)
    shown = [out for out in outputs if differentiable(out)]
    jacobians = tuple(
        [tuple([out.new_zeros((out.numel(),) if all_u else (x.numel(), out.numel())) for out in shown]) for x in wanted]
    )
    with forward_ad.dual_level():
        tangents, duals = [], []
        for x in inputs:
            if isinstance(x, Tensor) and x.requires_grad:
                x = forward_ad.make_dual(x.detach(), x.new_zeros(x.shape))
                tangents.append(forward_ad.unpack_dual(x).tangent)
            duals.append(x)

        def fill(rows: tuple, row: int | None) -> None:
            for jacobian, out in zip(rows, filter(differentiable, as_tuple(fn(*duals))), strict=True):
                primal, tangent = forward_ad.unpack_dual(out)
                if tangent is None:
                    continue
                if check_dtypes and primal.is_complex() != tangent.is_complex():
                    raise GradcheckError("Forward AD gradient has dtype mismatch.")
                (jacobian if row is None else jacobian[row]).copy_(tangent.reshape(-1))

        for k, (tangent, rows) in enumerate(zip(tangents, jacobians, strict=True)):
            if all_u:
                tangent.copy_(all_u[k].view_as(tangent))
                fill(rows, None)
                tangent.zero_()
                continue
            for row, index in enumerate(product(*[range(n) for n in tangent.shape])):
                tangent[index] = 1.0
                fill(rows, row)
                tangent[index] = 0.0
    return jacobians

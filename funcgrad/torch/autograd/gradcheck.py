"""`torch.autograd.gradcheck`: compare gradients with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.torch.autograd import forward_ad
from funcgrad.torch.autograd.backward import grad
from funcgrad.torch.autograd.gradcheck_modes import FAST, SLOW, Check
from funcgrad.torch.autograd.numerical_jacobian import GradcheckError as GradcheckError
from funcgrad.torch.autograd.numerical_jacobian import (
    as_tuple,
    assembled,
    differ,
    differentiable,
    numerical_jacobians,
    rows_of,
    tensors_in,
)
from funcgrad.torch.autograd.numerical_jacobian import (
    get_numerical_jacobian_wrt_specific_input as get_numerical_jacobian_wrt_specific_input,
)
from funcgrad.torch.autograd.undefined_grad import undefined_grad
from funcgrad.torch.base.dtypes import float64
from funcgrad.torch.func.vmap import mapped
from funcgrad.torch.ops.comparison import allclose
from funcgrad.torch.ops.joining import stack
from funcgrad.torch.ops.random import rand, rand_like, randn_like
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import gradcheck as texts


def get_numerical_jacobian(
    fn: Callable, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple:
    """Deprecated: the Jacobians of fn(inputs) by finite differences, one for each input that requires grad."""
    warnings.warn(texts.DEPRECATED.format(name="get_numerical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(texts.GRAD_OUT.format(name="get_numerical_jacobian"))
    return tuple([found[0] for found in numerical_jacobians(lambda *xs: fn(xs), inputs, None, target, eps)])


def get_analytical_jacobian(inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0) -> tuple:
    """Deprecated: Jacobians of output by backward; whether it is reentrant and gives the right sizes and dtypes."""
    warnings.warn(texts.DEPRECATED.format(name="get_analytical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(texts.GRAD_OUT.format(name="get_analytical_jacobian"))
    if output.is_complex():
        raise ValueError(texts.COMPLEX_OUTPUT.format(name="get_analytical_jacobian"))
    wanted = list(tensors_in(inputs, True))

    def compute() -> tuple:
        rows = rows_of(lambda g: grad(output, wanted, g, retain_graph=True, allow_unused=True), output)
        return assembled(rows, inputs, output.numel())

    found, types_ok, sizes_ok = compute()
    return found, not differ(found, compute()[0], nondet_tol), sizes_ok, types_ok


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of func with respect to the inputs that require grad agree with finite differences.

    Arguments:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of its arguments; float64 or complex128, or it will hardly agree.
        eps: by how much the inputs are moved.
        atol, rtol: how closely the derivatives have to agree.
        raise_exception: raise an error that shows both Jacobians, instead of returning False.
        nondet_tol: by how much two calls of backward may differ.
        check_undefined_grad: whether backward handles outputs without gradient.
        check_grad_dtypes: whether gradients have the dtypes of the inputs.
        check_batched_grad, check_batched_forward_grad: whether batches of gradients (tangents) agree with single ones.
        check_forward_ad, check_backward_ad: which of the two modes are checked.
        fast_mode: compare one random projection of the Jacobians instead of all their elements.
        masked: ignored, for it concerns sparse tensors.

    Raises:
        GradcheckError: they don't agree.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
        >>> torch.autograd.gradcheck(lambda x: x * x, (x,))
        True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(texts.NO_MODE.format(one="check_forward_ad", other="check_backward_ad"))
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(texts.NEEDS_MODE.format(option="check_batched_grad", mode="check_backward_ad"))
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(texts.NEEDS_MODE.format(option="check_batched_forward_grad", mode="check_forward_ad"))
    check = Check(eps, atol, rtol, nondet_tol, check_grad_dtypes, FAST if fast_mode else SLOW)
    try:
        xs = as_tuple(inputs)
        _check_inputs(xs)
        outs = as_tuple(func(*xs))
        outputs = _recorded(outs)
        if check_backward_ad:
            check.backward(func, xs, outs)
        if check_forward_ad:
            check.forward(func, xs, outs, _test_undefined_tangents if check_undefined_grad else None)
        if check_batched_forward_grad:
            _test_batched_tangents(func, xs)
        if check_backward_ad:
            if check_batched_grad:
                for i, out in enumerate(outputs):
                    _test_batched_gradients(xs, out, i)
            _test_zero_gradient(outputs, xs)
            if check_undefined_grad:
                _test_undefined_gradients(func, outputs, xs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _recorded(outputs: Any) -> tuple:
    return tuple([out for out in as_tuple(outputs) if out.requires_grad])


def _check_inputs(xs: tuple) -> None:
    checked = False
    for k, x in enumerate(xs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        checked = True
        if x._value.dtype.kind + str(x._value.dtype.itemsize) not in ("f8", "c16"):
            warnings.warn(texts.SINGLE_PRECISION.format(k=k), stacklevel=3)
        if any(stride <= 0 and n > 1 for stride, n in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(texts.STRIDE_ZERO.format(k=k))
    if not checked:
        raise ValueError(texts.NOTHING_REQUIRES_GRAD)


def _wanted(xs: tuple) -> list:
    found = list(tensors_in(xs, True))
    if not found:
        raise GradcheckError("no Tensors requiring grad found in input")
    return found


def _test_zero_gradient(outputs: tuple, xs: tuple) -> None:
    """Backward of zeros gives zeros of the right size."""
    wanted = _wanted(xs)
    zeros = [out.new_zeros(out.shape) for out in outputs]
    for g, x in zip(grad(outputs, wanted, zeros, allow_unused=True), wanted, strict=True):
        if g is None:
            continue
        if not bool(g.eq(0).all()):
            raise GradcheckError("backward not multiplied by grad_output")
        if g.dtype is not x.dtype:
            raise GradcheckError("grad is incorrect type")
        if g.shape != x.shape:
            raise GradcheckError("grad is incorrect size")


def _test_undefined_gradients(func: Callable, outputs: tuple, xs: tuple) -> None:
    """Backward works where no gradient comes from an output."""
    wanted = _wanted(xs)
    found = _recorded(func(*xs))
    cases = [[undefined_grad(out) for out in found]]
    if len(found) > 1:
        for k in range(len(outputs)):
            again = _recorded(func(*xs))
            cases.append([undefined_grad(out) if i == k else out for i, out in enumerate(again)])
    for case in cases:
        zeros = [out.new_zeros(out.shape) for out in case]
        try:
            gradients = grad(case, wanted, zeros, allow_unused=True)
        except RuntimeError as e:
            warnings.warn(texts.UNDEFINED_WARNING, stacklevel=3)
            raise GradcheckError(texts.UNDEFINED_FAILED) from e
        if any(g is not None and not bool(g.eq(0).all()) for g in gradients):
            warnings.warn(texts.UNDEFINED_WARNING, stacklevel=3)
            raise GradcheckError(texts.UNDEFINED_NOT_ZERO)


def _test_undefined_tangents(func: Callable, xs: tuple) -> None:
    """An input without tangent counts as one with tangent zero."""
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(x.detach(), rand_like(x)) if isinstance(x, Tensor) and x.requires_grad else x
            for x in xs
        ]
        for k, x in enumerate(xs):
            if not (isinstance(x, Tensor) and x.requires_grad):
                continue
            found = []
            for one in (forward_ad.make_dual(x.detach(), x.new_zeros(x.shape)), x.detach()):
                outs = as_tuple(func(*duals[:k], one, *duals[k + 1 :]))
                found.append([forward_ad.unpack_dual(out).tangent for out in outs if differentiable(out)])
            for i, (a, b) in enumerate(zip(*found, strict=True)):
                if a is not None and b is not None and not allclose(a, b):
                    raise GradcheckError(
                        "Mismatch in tangent values for output with index: ",
                        i,
                        " when input: ",
                        x,
                        " has an undefined tangent value. ",
                        " Got: ",
                        a,
                        " but expected: ",
                        b,
                    )


def _compare_batch(found: list, expected: list, output: int | None, text: str) -> None:
    for k, (got, want) in enumerate(zip(found, zip(*expected, strict=True), strict=True)):
        want = stack(want)
        if not allclose(got, want):
            at = k if output is None else output
            raise GradcheckError(texts.BATCH_DIFFERS.format(output=at, input=k, text=text, got=got, want=want))


def _test_batched_gradients(xs: tuple, output: Any, k: int) -> None:
    """autograd.grad of a batch of gradients agrees with one call for each."""
    wanted = list(tensors_in(xs, True))
    given = [randn_like(output) for _ in range(2)]
    options: dict = {"retain_graph": True, "materialize_grads": True}
    expected = [grad(output, wanted, g, **options) for g in given]
    try:
        found = grad(output, wanted, stack(given), is_grads_batched=True, **options)
    except RuntimeError as e:
        raise GradcheckError(texts.BATCH_FAILED.format(error=e, text=texts.BATCHED)) from e
    _compare_batch(list(found), expected, k, texts.BATCHED)


def _test_batched_tangents(func: Callable, xs: tuple) -> None:
    """vmap over tangents agrees with one call for each."""
    for k, x in enumerate(xs):
        if not (isinstance(x, Tensor) and x.requires_grad and differentiable(x)):
            continue

        def push(tangent: Any, k: int = k, x: Any = x) -> tuple:
            with forward_ad.dual_level():
                dual = forward_ad.make_dual(x.detach(), tangent)
                args = [dual if i == k else a.detach() if isinstance(a, Tensor) else a for i, a in enumerate(xs)]
                pairs = [forward_ad.unpack_dual(out) for out in as_tuple(func(*args)) if out is not None]
                return tuple([p.primal.new_zeros(p.primal.shape) if p.tangent is None else p.tangent for p in pairs])

        given = [randn_like(x) for _ in range(2)]
        expected = [push(t) for t in given]
        try:
            found = mapped(push)(stack(given))
        except RuntimeError as e:
            raise GradcheckError(texts.BATCH_FAILED.format(error=e, text=texts.BATCHED_FORWARD)) from e
        _compare_batch(list(found), expected, None, texts.BATCHED_FORWARD)


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether second derivatives of func agree with finite differences of first ones.

    Arguments:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of its arguments.
        grad_outputs: by what its results are multiplied; by default random.
        gen_non_contig_grad_outputs: whether those random ones are not contiguous.
        check_fwd_over_rev, check_rev_over_rev: the mode in which gradients are differentiated.

    The other arguments are those of gradcheck.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError(texts.NO_MODE.format(one="check_fwd_over_rev", other="check_rev_over_rev"))
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError(texts.NEEDS_MODE.format(option="check_undefined_grad", mode="check_rev_over_rev"))
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError(texts.NEEDS_MODE.format(option="check_batched_grad", mode="check_rev_over_rev"))
    xs = as_tuple(inputs)
    if grad_outputs is None:
        given = tuple([_random_like(out, gen_non_contig_grad_outputs) for out in _recorded(func(*xs))])
    else:
        given = as_tuple(grad_outputs)
    n = len(given)
    wanted = {i for i, x in enumerate(xs) if isinstance(x, Tensor) and x.requires_grad}
    recorded = {i for i, g in enumerate(given) if g.requires_grad}

    def gradients(*args: Any) -> tuple:
        values = [a.requires_grad_() if i in wanted else a for i, a in enumerate(args[:-n])]
        outputs = _recorded(func(*values))
        gs = [g.requires_grad_() if i in recorded else g for i, g in enumerate(args[-n:])]
        leaves = [v for i, v in enumerate(values) if i in wanted]
        found = grad(outputs, leaves, gs, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(
        gradients,
        (*xs, *given),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def _random_like(out: Any, gaps: bool) -> Any:
    """Random values in [-1, 1) like an output, as a leaf that requires grad."""
    kind = out.dtype if differentiable(out) else float64
    shape = tuple(out.shape)
    if gaps and out.numel() > 1:
        found = rand((*shape, 2), dtype=kind)[..., 0] * 2 - 1
        spread = found.new_zeros((*shape, 2))
        spread[..., 0] = found
        return spread[..., 0].requires_grad_()
    return (rand(shape, dtype=kind) * 2 - 1).requires_grad_()

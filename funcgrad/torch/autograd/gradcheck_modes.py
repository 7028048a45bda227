"""The comparison that gradcheck makes: whole Jacobians, or (fast) one random projection of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.autograd.numerical_jacobian import (
    GradcheckError,
    analytical_jacobians,
    as_tuple,
    differentiable,
    directional,
    forward_jacobians,
    numerical_jacobians,
)
from funcgrad.torch.base.dtypes import float64, of_numpy, promote_types
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.ops.comparison import allclose
from funcgrad.torch.ops.random import rand
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import gradcheck as texts


class Part:
    """Which part of complex tensors an error is about.

    Arguments:
        indices: which outputs (inputs in forward mode) were complex.
        imaginary: whether their imaginary part is considered.
        forward: whether derivatives are those of forward mode.
    """

    def __init__(self, indices: list[int] | None = None, imaginary: bool = False, forward: bool = False) -> None:
        self.indices, self.imaginary, self.forward = indices or [], imaginary, forward

    def mismatch(self, analytical: Any, numerical: Any, output: int, input: int) -> str:
        """The text about two Jacobians that differ."""
        prefix = ""
        if (input if self.forward else output) in self.indices:
            part, things = "imaginary" if self.imaginary else "real", "inputs" if self.forward else "outputs"
            prefix = f"While considering the {part} part of complex {things} only, "
        mode = "computed with forward mode " if self.forward else ""
        return texts.MISMATCH.format(
            prefix=prefix, mode=mode, output=output, input=input, numerical=numerical, analytical=analytical
        )


class Check:
    """The tolerances of one gradcheck, and what it compares.

    Arguments:
        eps, atol, rtol, nondet_tol, dtypes: those of gradcheck.
        compare: SLOW or FAST.
    """

    def __init__(
        self, eps: float, atol: float, rtol: float, nondet_tol: float, dtypes: bool, compare: Callable
    ) -> None:
        self.eps, self.atol, self.rtol, self.nondet_tol, self.dtypes = eps, atol, rtol, nondet_tol, dtypes
        self.compare = compare

    def backward(self, func: Callable, xs: tuple, outs: tuple) -> None:
        """Compare backward with finite differences; complex outputs by their two parts."""
        complex_ones = [k for k, out in enumerate([o for o in outs if o.requires_grad]) if out.is_complex()]
        if not any(out.is_complex() for out in outs):
            self.compare(self, func, xs, outs, Part())
            return
        for part, imaginary in (("imag", True), ("real", False)):

            def f(*args: Any, part: str = part) -> tuple:
                return tuple([getattr(o, part) if o.is_complex() else o for o in as_tuple(func(*args))])

            self.compare(self, f, xs, f(*xs), Part(complex_ones, imaginary))

    def forward(self, func: Callable, xs: tuple, outs: tuple, test_undefined: Callable | None) -> None:
        """Compare forward mode with finite differences; complex inputs by their two parts."""
        complex_ones = [k for k, x in enumerate(xs) if isinstance(x, Tensor) and x.is_complex()]
        cases: list[tuple] = []
        if not complex_ones:
            cases.append((func, xs, outs, Part(forward=True)))
        else:
            for imaginary in (True, False):
                f, parts = _of_part(func, xs, complex_ones, imaginary)
                cases.append((f, parts, as_tuple(f(*parts)), Part(complex_ones, imaginary, True)))
        for f, parts, results, part in cases:
            self.compare(self, f, parts, results, part)
        if test_undefined is not None:
            for f, parts, _, _ in cases:
                test_undefined(f, parts)

    def close(self, a: Any, b: Any, atol: float | None = None) -> bool:
        """Whether two Jacobians agree."""
        kind = promote_types(a.dtype, b.dtype)
        return allclose(a.to(kind), b.to(kind), self.rtol, self.atol if atol is None else atol)


def _of_part(func: Callable, xs: tuple, complex_ones: list[int], imaginary: bool) -> tuple[Callable, tuple]:
    """func as a function of the real (imaginary) parts of its complex arguments, and those parts."""

    def f(*parts: Any) -> Any:
        args = list(parts)
        for k in complex_ones:
            args[k] = xs[k].real + parts[k] * 1j if imaginary else parts[k] + xs[k].imag * 1j
        return as_tuple(func(*args))

    parts = list(xs)
    for k in complex_ones:
        parts[k] = xs[k].imag if imaginary else xs[k].real
    return f, tuple(parts)


def _slow(check: Check, func: Callable, xs: tuple, outs: tuple, part: Part) -> None:
    """All elements of all Jacobians."""
    recorded = [out for out in outs if out.requires_grad]
    found = numerical_jacobians(func, xs, outs, eps=check.eps, is_forward_ad=part.forward)
    if not recorded:
        if any(bool((jacobian != 0).any()) for jacobians in found for jacobian in jacobians):
            raise GradcheckError(texts.NOT_ZERO)
        return
    shown = [out for out in outs if differentiable(out)]
    numerical = [[row[k] for row in found] for k, out in enumerate(shown) if out.requires_grad]
    if part.forward:
        analytical = forward_jacobians(func, xs, outs, check_dtypes=check.dtypes)
        for i, column in enumerate(numerical):
            for j, n in enumerate(column):
                if not check.close(analytical[j][i], n):
                    raise GradcheckError(part.mismatch(analytical[j][i], n, i, j))
        return
    for i, out in enumerate(recorded):
        for j, a in enumerate(analytical_jacobians(xs, out, check.nondet_tol, check.dtypes)):
            n = numerical[i][j]
            if not check.close(a, n):
                raise GradcheckError(part.mismatch(a, n, i, j))


def _unit_vector(x: Any, real: bool, drawn: Generator) -> Any:
    """A random flat vector of length 1."""
    kind = of_numpy(x._value.real.dtype) if real else x.dtype
    v = rand((x.numel(),), generator=drawn, dtype=float64).to(kind)
    return v / v.norm()


def _total(u: Any) -> float:
    """The sum of a vector's elements; of both, if it is a pair for a complex input."""
    return sum(float(p.sum()) for p in u) if isinstance(u, tuple) else float(u.sum())


def _fast(check: Check, func: Callable, xs: tuple, outs: tuple, part: Part) -> None:
    """The product of each Jacobian with two random vectors (one in forward mode)."""
    recorded = tuple([out for out in outs if out.requires_grad])
    places = [k for k, x in enumerate(xs) if isinstance(x, Tensor) and x.requires_grad]
    drawn = Generator()  # of its own: the function may draw from the default one
    us = [
        (_unit_vector(xs[k], True, drawn), _unit_vector(xs[k], True, drawn))
        if xs[k].is_complex()
        else _unit_vector(xs[k], True, drawn)
        for k in places
    ]
    vs: Any = None if part.forward else [_unit_vector(out, False, drawn) for out in recorded]
    numerical = []
    for k, u in zip(places, us, strict=True):
        shape = xs[k].shape
        step = (
            tuple([p.reshape(shape) * check.eps for p in u]) if isinstance(u, tuple) else u.reshape(shape) * check.eps
        )
        found = directional(func, xs, xs[k].data, step, check.eps, part.forward)
        kept = [d for d, out in zip(found, outs, strict=True) if differentiable(out)]
        moved = any(d.numel() and bool(d.abs().max() > check.nondet_tol) for d in kept)
        if moved and not recorded and not part.forward:
            raise GradcheckError(texts.NOT_ZERO)
        numerical.append(kept if vs is None else [(v * d).sum() for v, d in zip(vs, kept, strict=False)])
    analytical: Any
    if part.forward:
        analytical = forward_jacobians(func, xs, outs, check_dtypes=check.dtypes, all_u=us)
    else:
        analytical = [[] for _ in places]
        for out, v in zip(recorded, vs, strict=True):
            pulled = analytical_jacobians(xs, out, check.nondet_tol, check.dtypes, v)
            for row, vj, u in zip(analytical, pulled, us, strict=True):
                row.append(_projected(vj.reshape(-1), u))
    for i, row in enumerate(numerical):
        for j, n in enumerate(row):
            a = analytical[i][j]
            if not check.close(a, n, check.atol * _total(us[i]) * (1.0 if vs is None else _total(vs[j]).real)):
                raise GradcheckError(part.mismatch(a, n, j, i) + _slow_result(check, func, xs, outs, i, j, part))


def _projected(vj: Any, u: Any) -> Any:
    if isinstance(u, tuple):
        return (vj.real * u[0]).sum() + 1j * (vj.imag * u[1]).sum()
    return (vj * u).sum()


def _slow_result(check: Check, func: Callable, xs: tuple, outs: tuple, i: int, j: int, part: Part) -> str:
    """What the slow comparison says of the same two Jacobians."""
    numerical = numerical_jacobians(func, xs, outs, eps=check.eps, is_forward_ad=part.forward)[i][j]
    if part.forward:
        analytical = forward_jacobians(func, xs, outs)[i][j]
    else:
        recorded = [out for out in outs if out.requires_grad]
        analytical = analytical_jacobians(xs, recorded[j], float("inf"), False)[i]
    difference = (numerical - analytical).abs().max()
    text = texts.FAST_FAILED.format(numerical=numerical, analytical=analytical, difference=difference)
    return text + texts.FAST_FAILED_SLOW_OK if check.close(analytical, numerical) else text


SLOW, FAST = _slow, _fast

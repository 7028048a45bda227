"""torch's formulas of gradients, for the nodes that they leave in the graph of a gradient (create_graph).

They follow the derivatives that PyTorch documents for its operations; `test_recorded_gradients` compares their numbers
with those of the core's rules, and their nodes with PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import elementwise as core
from funcgrad.ops.index import where as core_where
from funcgrad.torch.base.dtypes import finfo
from funcgrad.torch.ops.arithmetic import DIV, SUB, div
from funcgrad.torch.ops.comparison import WHERE, where
from funcgrad.torch.ops.cumulative import CUMPROD, CUMSUM, SCALED
from funcgrad.torch.ops.extrema import MAX_ALL, MIN_ALL
from funcgrad.torch.ops.joining import cat, stack
from funcgrad.torch.ops.quantiles import TRACED_MEDIAN
from funcgrad.torch.ops.reductions import MEAN, MEAN_ALL, PROD, PROD_ALL
from funcgrad.torch.ops.softmax import LOG_SOFTMAX, SOFTMAX
from funcgrad.torch.ops.special import xlog1py
from funcgrad.torch.ops.statistics import STD, STD_MEAN, VAR, VAR_MEAN
from funcgrad.torch.ops.vector_norms import VECTOR_NORM
from funcgrad.torch.tensor.formulas import FORMULAS, Saved, formula, under_transforms
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor

LN2, LN10, ROOT_PI = math.log(2), math.log(10), math.sqrt(math.pi)


def _plus(x: Any, *, number: float) -> Any:
    return core.add(x, number)


def _minus(x: Any, *, number: float) -> Any:
    return core.subtract(x, number)


def _over(x: Any, *, number: float) -> Any:
    return core.divide(x, number)


def _softmax_gradient(g: Any, out: Any, *, dim: int) -> Any:
    product = g * out
    return product - out * np.sum(product, axis=dim, keepdims=True)


def _log_softmax_gradient(g: Any, out: Any, *, dim: int) -> Any:
    return g - np.exp(out) * np.sum(g, axis=dim, keepdims=True)


PLUS = Operation(_plus, "AddBackward1", operands=("self",), saves=())
MINUS = Operation(_minus, "SubBackward1", operands=("self",), saves=())
OVER = Operation(_over, "DivBackward1", operands=("self",), saves=())
SOFTMAX_GRADIENT = Operation(
    _softmax_gradient, "SoftmaxBackwardDataBackward0", operands=("grad_output", "output"), saves=(0, 1)
)
LOG_SOFTMAX_GRADIENT = Operation(
    _log_softmax_gradient, "LogSoftmaxBackwardDataBackward0", operands=("grad_output", "output"), saves=(0, 1)
)


def times(x: Any, number: float) -> Any:
    return SCALED(x, by=number)


def plus(x: Any, number: float) -> Any:
    return PLUS(x, number=number)


def minus(x: Any, number: float) -> Any:
    return MINUS(x, number=number)


def over(x: Any, number: float) -> Any:
    return OVER(x, number=number)


def one_minus(x: Any) -> Any:
    return SUB(1.0, x)


# Of one operand.


def unary(name: str, f: Callable[..., Any]) -> None:
    """Enter the formula f(g, x) or f(g, out) of an operation with one operand, or one of all three."""
    names = f.__code__.co_varnames[1 : f.__code__.co_argcount]
    FORMULAS[name] = lambda k, g, s: f(g, *[getattr(s, n) for n in names])


unary("SqrtBackward0", lambda g, out: g / times(out, 2))
unary("TanBackward0", lambda g, out: g * plus(out.pow(2), 1))
unary("ReciprocalBackward0", lambda g, out: -g * (out * out))
unary("RsqrtBackward0", lambda g, out: times(g, -0.5) * out.pow(3))
unary("Exp2Backward0", lambda g, out: times(g * out, LN2))
unary("Expm1Backward0", lambda g, out: g * plus(out, 1))
unary("Log1PBackward0", lambda g, x: g / plus(x, 1))
unary("Log2Backward0", lambda g, x: g / times(x, LN2))
unary("Log10Backward0", lambda g, x: g / times(x, LN10))
unary("AsinBackward0", lambda g, x: g * plus(-x * x, 1).rsqrt())
unary("AcosBackward0", lambda g, x: g * -plus(-x * x, 1).rsqrt())
unary("AtanBackward0", lambda g, x: g / plus(x * x, 1))
unary("AsinhBackward0", lambda g, x: g * plus(x.pow(2), 1).rsqrt())
unary("AcoshBackward0", lambda g, x: g * minus(x * x, 1).rsqrt())
unary("AtanhBackward0", lambda g, x: times(g, 1) / one_minus(x.pow(2)))
unary("ErfBackward0", lambda g, x: times((-x.pow(2)).exp(), 2 / ROOT_PI) * g)
unary("ErfcBackward0", lambda g, x: times((-x.pow(2)).exp(), -2 / ROOT_PI) * g)
unary("ErfinvBackward0", lambda g, x: times(x.erfinv().pow(2).exp(), ROOT_PI / 2) * g)
unary("SpecialEntrBackward0", lambda g, x: g * -plus(x.log(), 1))


@formula("SincBackward0")
def _sinc(k: int, g: Any, s: Saved) -> Any:
    scaled, squared = times(s.x, math.pi), times(s.x * s.x, math.pi)
    return where(squared == 0, 0.0, g * ((scaled * scaled.cos() - scaled.sin()) / squared))


@formula("SoftmaxBackward0")
def _softmax(k: int, g: Any, s: Saved) -> Any:
    return SOFTMAX_GRADIENT(g, s.out, dim=s.get("axis", ()))  # of a single element it has none


@formula("LogSoftmaxBackward0")
def _log_softmax(k: int, g: Any, s: Saved) -> Any:
    return LOG_SOFTMAX_GRADIENT(g, s.out, dim=s.get("axis", ()))


def _omitting_each(x: Any, dim: int) -> Any:
    """Along a dimension, the products of all elements but one."""
    n = x.shape[dim]
    one = x.new_ones([1 if d == dim else m for d, m in enumerate(x.shape)])
    before = cat([one, x.narrow(dim, 0, n - 1)], dim).cumprod(dim)
    after = cat([one, x.narrow(dim, 1, n - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return before * after


def _cumprod_term(k: int, g: Any, x: Any, dim: int) -> Any:
    """The gradient of element k along the dimension of cumprod, without a division."""
    n = x.shape[dim]
    omitted = x.narrow(dim, 0, k).prod(dim, True) if k else None
    if k < n - 1:
        one = x.new_ones([1 if d == dim else m for d, m in enumerate(x.shape)])
        later = cat([one, x.narrow(dim, k + 1, n - k - 1).cumprod(dim)], dim)
        omitted = later if omitted is None else omitted.expand(later.shape) * later
    return (g.narrow(dim, k, n - k) * omitted).sum(dim)


@formula("CumprodBackward0")
def _cumprod(k: int, g: Any, s: Saved) -> Any:
    if s.in_transform and s.x.ndim and s.x.numel() and not s.get("reverse", False):  # values are not looked at
        dim, n = s["axis"], s.x.shape[s["axis"]]
        return g if n == 1 else stack([_cumprod_term(k, g, s.x, dim) for k in range(n)], dim)
    if s.get("reverse", False) or not s.x.ndim or not s.x.numel() or bool((s.x == 0).any()):
        return NotImplemented
    dim = s["axis"]
    if s.x.shape[dim] == 1:
        return g
    return (conj(s.out) * g).flip(dim).cumsum(dim).flip(dim) / conj(s.x)


# Of two operands and more.


def nothing(g: Any) -> Any:
    """A gradient that is zero whatever g is: it has no history."""
    return g.new_zeros(g.shape)


@formula("CopyBackwards")
def _copy(k: int, g: Any, s: Saved) -> Any:
    return g if k else nothing(g)


@formula("FillBackward1", "FillBackward3")
def _fill(k: int, g: Any, s: Saved) -> Any:
    return g.sum() if k else nothing(g)


@formula("PowBackward0")
def _power_of_number(k: int, g: Any, s: Saved) -> Any:
    n = s.y if s.has("y") else 2
    if isinstance(n, complex):
        return NotImplemented
    return nothing(g) if n == 0 else g * times(s.x.pow(n - 1), n)


@formula("PowBackward1")
def _power(k: int, g: Any, s: Saved) -> Any:
    if k == 0:
        return where(s.y == 0, 0.0, g * (s.y * s.x.pow(s.y - 1)))
    return g * where((s.x == 0).logical_and(s.y >= 0), 0.0, s.out * s.x.log())


@formula("PowBackward2")
def _power_of_base(k: int, g: Any, s: Saved) -> Any:
    return g * times(s.out, math.log(s.y)) if isinstance(s.y, (int, float)) and s.y > 0 else NotImplemented


@formula("Atan2Backward0")
def _arctan2(k: int, g: Any, s: Saved) -> Any:
    if s.shared is None:
        squares = s.x * s.x + s.y * s.y
        s.shared = squares.reciprocal().masked_fill(squares == 0, 0)
    return g * s.y * s.shared if k == 0 else g * -s.x * s.shared


@formula("HypotBackward0")
def _hypot(k: int, g: Any, s: Saved) -> Any:
    return g * (s.x if k == 0 else s.y) / s.out


@formula("LogaddexpBackward0")
def _logaddexp(k: int, g: Any, s: Saved) -> Any:
    difference = s.y - s.x if k == 0 else s.x - s.y
    return g / plus(difference.exp(), 1)


@formula("Logaddexp2Backward0")
def _logaddexp2(k: int, g: Any, s: Saved) -> Any:
    difference = s.y - s.x if k == 0 else s.x - s.y
    return g / plus(2**difference, 1)


@formula("XlogyBackward0")
def _xlogy(k: int, g: Any, s: Saved) -> Any:
    if k == 0:
        return g.xlogy(s.y).masked_fill((s.x == 0).logical_and(s.y <= 0), 0)
    return g * s.x / s.y


@formula("RemainderBackward1")
def _remainder(k: int, g: Any, s: Saved) -> Any:
    return g if k == 0 else -g * div(s.x, s.y, rounding_mode="floor")


@formula("FmodBackward1")
def _fmod(k: int, g: Any, s: Saved) -> Any:
    return g if k == 0 else -g * div(s.x, s.y, rounding_mode="trunc")


@formula("AddcmulBackward0")
def _addcmul(k: int, g: Any, s: Saved) -> Any:
    return g if k == 0 else g * times(s.z if k == 1 else s.y, s["value"])


@formula("AddcdivBackward0")
def _addcdiv(k: int, g: Any, s: Saved) -> Any:
    if k == 0:
        return g
    return g * DIV(s["value"], s.z) if k == 1 else -g * (times(s.y, s["value"]) / (s.z * s.z))


@formula("LerpBackward1")
def _lerp(k: int, g: Any, s: Saved) -> Any:
    if k == 0:
        return g * one_minus(s.z)
    return g * (s.z if k == 1 else s.y - s.x)


@formula("MvBackward0")
def _mv(k: int, g: Any, s: Saved) -> Any:
    return g.view(-1, 1) * s.y if k == 0 else s.x.t().mv(g)


@formula("BmmBackward0")
def _bmm(k: int, g: Any, s: Saved) -> Any:
    return g.bmm(s.y.transpose(1, 2)) if k == 0 else s.x.transpose(1, 2).bmm(g)


# Reductions.


def with_axes(t: Any, axes: tuple[int, ...], rank: int) -> Any:
    """A result with the axes that its reduction took away."""
    for d in sorted(axes) if t.ndim < rank else ():
        t = t.unsqueeze(d)
    return t


@formula("MeanBackward0", "MeanBackward1")
def _mean(k: int, g: Any, s: Saved) -> Any:
    rank, axes = len(s.shape), s["axis"]
    if not s.everything:
        g = with_axes(g, axes, rank)
    return over(g.expand(s.shape), math.prod([s.shape[d] for d in axes]))


@formula("ProdBackward0")
def _product(k: int, g: Any, s: Saved) -> Any:
    if not s.x.ndim:
        return g
    if s.in_transform:
        if not s.x.numel():
            return NotImplemented
        flat = s.x.contiguous().view(-1)
        return (
            (g * _omitting_each(flat, 0) if flat.shape[0] > 1 else g).view(s.x.shape) if s.x.numel() else NotImplemented
        )
    return NotImplemented if bool((s.x == 0).any()) else g * conj(s.out / s.x)


@formula("ProdBackward1")
def _product_along(k: int, g: Any, s: Saved) -> Any:
    axes, rank = s["axis"], s.x.ndim
    if not rank or len(axes) != 1:
        return NotImplemented
    if s.in_transform:
        g, n = with_axes(g, axes, rank), s.x.shape[axes[0]]
        return NotImplemented if not s.x.numel() else g if n == 1 else g * _omitting_each(s.x, axes[0])
    if bool((s.x == 0).any()):
        return NotImplemented
    return with_axes(g, axes, rank) * conj(with_axes(s.out, axes, rank) / s.x)


def variance(g: Any, x: Any, axes: tuple[int, ...], ddof: float, whole: bool) -> Any:
    """The gradient of a variance."""
    whole, freedom = whole or not x.ndim, math.prod([x.shape[d] for d in axes]) - ddof
    mean = x.mean() if whole else x.mean(axes, True)
    if whole and freedom <= 0:
        return g * where(x == mean, math.nan, math.inf).to(x.dtype)
    g = with_axes(g, axes, x.ndim) if x.ndim > 1 and not whole else g
    return times(g, 2 / freedom if freedom else math.inf) * (x - mean)


def deviation(g: Any, x: Any, out: Any, axes: tuple[int, ...], ddof: float, whole: bool) -> Any:
    """The gradient of a standard deviation."""
    return variance((g / times(out, 2)).masked_fill(out == 0, 0), x, axes, ddof, whole)


def _spread(s: Saved) -> tuple:
    return s["axis"], s["ddof"], s["whole"]


@formula("VarBackward0")
def _var(k: int, g: Any, s: Saved) -> Any:
    return variance(g, s.x, *_spread(s))


@formula("StdBackward0")
def _std(k: int, g: Any, s: Saved) -> Any:
    return deviation(g, s.x, s.out, *_spread(s))


@formula("VarMeanBackward0")
def _var_mean(k: int, g: Any, s: Saved) -> Any:
    return _with_mean(None if g[0] is None else variance(g[0], s.x, *_spread(s)), g[1], s)


@formula("StdMeanBackward0")
def _std_mean(k: int, g: Any, s: Saved) -> Any:
    return _with_mean(None if g[0] is None else deviation(g[0], s.x, s.out[0], *_spread(s)), g[1], s)


def _with_mean(found: Any, mean: Any, s: Saved) -> Any:
    """The gradient of a variance or deviation, None if that has none, and of the mean beside it."""
    if mean is None:
        return found
    axes = s["axis"]
    mean = mean if s["whole"] else with_axes(mean, axes, s.x.ndim)
    mean = over(mean.expand(s.x.shape), math.prod([s.x.shape[d] for d in axes]))
    return mean if found is None else found + mean


def norm(g: Any, x: Any, out: Any, p: float, axes: tuple[int, ...]) -> Any:
    """The gradient of a p-norm."""
    if axes:
        g, out = with_axes(g, axes, x.ndim), with_axes(out, axes, x.ndim)
    if p == 2:
        return g * (x / out).masked_fill(out == 0, 0)
    if p == 1:
        return x.sgn() * g
    if math.isinf(p):
        largest = (x.abs() == out).logical_or(x.isnan().logical_and(out.isnan())).to(x.dtype)
        return x.sgn() * ((g / (largest.sum(axes, True) if axes else largest.sum())) * largest)
    if p < 1:
        return x.sgn() * x.abs().pow(p - 1).masked_fill(x == 0, 0) * g * out.pow(1 - p)
    scale = (g / out.pow(p - 1)).masked_fill(out == 0, 0)
    return (x.sgn() * x.abs().pow(p - 1) if p < 2 else x * x.abs().pow(p - 2)) * scale


@formula("LinalgVectorNormBackward0")
def _vector_norm(k: int, g: Any, s: Saved) -> Any:
    p = s["ord"]
    return (
        NotImplemented
        if p == 0 or s.x.dtype.to_real() is not s.out.dtype
        else norm(g, s.x, s.out, p, () if s.everything else s["axis"])
    )


@formula("DistBackward0")
def _dist(k: int, g: Any, s: Saved) -> Any:
    if s.shared is None:
        difference = s.x - s.y
        s.shared = norm(g, difference, s.out, s["p"], ())
    return s.shared if k == 0 else -s.shared


@formula("SumBackward0", "SumBackward1")
def _sum(k: int, g: Any, s: Saved) -> Any:
    if not s.everything:
        g = with_axes(g, s["axis"], len(s.shape))
    return g.expand(s.shape)


@formula("LogcumsumexpBackward0")
def _logcumsumexp(k: int, g: Any, s: Saved) -> Any:
    if not s.x.ndim:
        return g
    dim = s["axis"]

    def summed(t: Any) -> Any:
        return ((t - s.out).flip(dim).logcumsumexp(dim).flip(dim) + s.x).exp()

    if g._value.dtype.kind == "c":
        return conj(summed(conj(g).log()))
    size, least = g.abs().log(), finfo(g.dtype).min
    return summed(where(g > 0, size, least)) - summed(where(g < 0, size, least))


@formula("RepeatBackward0")
def _repeat(k: int, g: Any, s: Saved) -> Any:
    repeats = s["repeats"]
    leading = len(repeats) - len(s.shape)
    sizes: list[int] = []
    summed: list[int] = []
    for d, r in enumerate(repeats):
        if r != 1 or d < leading:
            summed.append(len(sizes))
            sizes.append(r)
        if d >= leading:
            sizes.append(s.shape[d - leading])
    return g.reshape(sizes).sum(summed) if summed and all(repeats) else NotImplemented


# Views.


@formula("TBackward0")
def _t(k: int, g: Any, s: Saved) -> Any:
    return g.t()


@formula("PermuteBackward0")
def _permute(k: int, g: Any, s: Saved) -> Any:
    return g.permute([int(d) for d in np.argsort(s["axes"])])


@formula("TransposeBackward0")
def _transpose(k: int, g: Any, s: Saved) -> Any:
    moved = [d for d, a in enumerate(s["axes"]) if d != a]
    return g.transpose(*moved) if moved else g.transpose(0, 0) if g.ndim else NotImplemented


@formula("UnsqueezeBackward0")
def _unsqueeze(k: int, g: Any, s: Saved) -> Any:
    return g.squeeze(int(np.array(s["dim"], np.uint64).astype(np.int64)))


@formula("SqueezeBackward0", "SqueezeBackward1", "SqueezeBackward2")
def _squeeze(k: int, g: Any, s: Saved) -> Any:
    kept = 0
    for d, n in enumerate(s.shape):
        if kept < g.ndim and g.shape[kept] == n and (n != 1 or len(s.shape) - d <= g.ndim - kept):
            kept += 1
        elif n == 1:
            g = g.unsqueeze(d)
            kept += 1
    return g


# Others of two operands.


@formula("SpecialXlog1PyBackward0")
def _xlog1py(k: int, g: Any, s: Saved) -> Any:
    if k == 0:
        return xlog1py(g, s.y).masked_fill((s.x == 0).logical_and(s.y <= -1), 0)
    return g * s.x / plus(s.y, 1)


@formula("CopysignBackward0")
def _copysign(k: int, g: Any, s: Saved) -> Any:
    return nothing(g) if k else g * (s.out / s.x).masked_fill(s.x == 0, 0)


@formula("LogitBackward0")
def _logit(k: int, g: Any, s: Saved) -> Any:
    eps = s["eps"]
    low, high, other = (0.0, 1.0, math.nan) if eps is None else (eps, 1 - eps, 0.0)
    return where((s.x >= low).logical_and(s.x <= high), g / (s.x * one_minus(s.x)), other)


unary("SpecialErfcxBackward0", lambda g, x, out: minus(times(x, 2) * out, 2 / ROOT_PI) * g)


def multiplied(g: Any, number: Any) -> Any:
    """g times a number, which leaves no node if it is 1."""
    return g if number == 1 else times(g, number)


@formula("AddBackward0")
def _add(k: int, g: Any, s: Saved) -> Any:
    return multiplied(g, s.get("alpha", 1)) if k else g


@formula("SubBackward0")
def _sub(k: int, g: Any, s: Saved) -> Any:
    return multiplied(-g, s.get("alpha", 1)) if k else g


@formula("RsubBackward0")
def _rsub(k: int, g: Any, s: Saved) -> Any:
    return g if k else multiplied(-g, s.get("alpha", 1))


# Extrema, and what picks elements.


@formula("MaximumBackward0", "MinimumBackward0")
def _maximum(k: int, g: Any, s: Saved) -> Any:
    x, y = (s.x, s.y) if k == 0 else (s.y, s.x)
    behind = (x < y) if s.name == "MaximumBackward0" else (x > y)
    return where(x == y, over(g, 2), g).masked_fill(behind, 0)


@formula("FmaxBackward0", "FminBackward0")
def _fmax(k: int, g: Any, s: Saved) -> Any:
    first = ((s.x >= s.y) if s.name == "FmaxBackward0" else (s.x <= s.y)).logical_or(s.y.isnan())
    return g.masked_fill(first.logical_not() if k == 0 else first, 0)


@formula("MaxBackward1", "MinBackward1", "MedianBackward0", "NanmedianBackward0")
def _extremum(k: int, g: Any, s: Saved) -> Any:
    if s.in_transform:  # inside of transforms torch does not look at values
        mask = (s.x == s.out).logical_or(s.x.isnan().logical_and(s.out.isnan()))
        return mask * (g / mask.sum())
    mask = s.x.isnan() if bool(s.out.isnan()) else s.x == s.out
    return s.x.new_zeros(s.shape).masked_fill(mask, g / mask.sum())


@formula("AmaxBackward0", "AminBackward0")
def _extrema(k: int, g: Any, s: Saved) -> Any:
    if not s.x.ndim:
        return NotImplemented
    axes = s["axis"]
    shape = tuple([1 if d in axes else n for d, n in enumerate(s.shape)])
    mask = s.x == s.out.view(shape)
    return (g.view(shape) / mask.sum(axes, True)) * mask


@formula(
    "MaxBackward0",
    "MinBackward0",
    "SortBackward0",
    "SortBackward1",
    "TopkBackward0",
    "KthvalueBackward0",
    "ModeBackward0",
    "MedianBackward1",
    "NanmedianBackward1",
)
def _picked(k: int, g: Any, s: Saved) -> Any:
    if not s.shape:
        return NotImplemented
    dim, places = s["axis"], s.y
    if g.ndim < len(s.shape):
        g, places = g.unsqueeze(dim), places.unsqueeze(dim)
    return g.new_zeros(s.shape).scatter(dim, places, g)


@formula("CummaxBackward0", "CumminBackward0")
def _so_far(k: int, g: Any, s: Saved) -> Any:
    return g.new_zeros(s.shape).scatter_add(s["axis"], s.y, g) if s.shape else NotImplemented


@formula("NansumBackward0")
def _nansum(k: int, g: Any, s: Saved) -> Any:
    if not s.everything:
        g = with_axes(g, s["axis"], len(s.shape))
    return g.expand(s.shape) * s.x.isnan().logical_not()


class _Where(Operation):
    """The core's choice, which torch's records without the condition."""

    __slots__ = ()

    def in_rule(self, tensors: tuple, values: list, params: dict) -> Any:
        condition, *rest = tensors
        mask, *others = values
        return record(WHERE, (*rest, condition), [*others, mask], params)


_Where(core_where, "WhereBackward0")


def _in_zeros(g: Any, *, shape: tuple[int, ...], index: Any) -> Any:
    return fnp.array(np.zeros(shape, g.dtype)).at[index].set(g)


IN_ZEROS = {
    name: Operation(_in_zeros, f"{name}Backward0", operands=("grad_output",), saves=())
    for name in ("SelectBackward", "SliceBackward")
}


@formula("SelectBackward0", "SliceBackward0")
def _part(k: int, g: Any, s: Saved) -> Any:
    return IN_ZEROS[s.name.removesuffix("0")](g, shape=s.shape, index=s["index"])


# Linear ones that torch composes otherwise than the core.


@formula("LerpBackward0")
def _lerp_by_number(k: int, g: Any, s: Saved) -> Any:
    return times(g, s["weight"] if k else 1 - s["weight"])


@formula("LogsumexpBackward0")
def _logsumexp(k: int, g: Any, s: Saved) -> Any:
    if not s.x.ndim:
        return NotImplemented
    return with_axes(g, s["axis"], s.x.ndim) * conj((s.x - with_axes(s.out, s["axis"], s.x.ndim)).exp())


@formula("CumsumBackward0")
def _cumsum(k: int, g: Any, s: Saved) -> Any:
    if not s.shape or s.get("reverse", False):
        return g.cumsum(s["axis"]) if s.shape else g
    return g.flip(s["axis"]).cumsum(s["axis"]).flip(s["axis"])


@formula("MaskedFillBackward0")
def _masked_fill(k: int, g: Any, s: Saved) -> Any:
    return g.masked_fill(s.z, 0) if isinstance(s.z, Tensor) else NotImplemented


@formula("CatBackward0")
def _cat(k: int, g: Any, s: Saved) -> Any:
    dim = s["axis"]
    sizes = [n for n in s.sizes(dim)[: k + 1] if n is not None]
    return g.narrow(dim, sum(sizes[:k]), sizes[k]) if len(sizes) == k + 1 else NotImplemented


@formula("MulBackward0")
def _mul(k: int, g: Any, s: Saved) -> Any:
    return g * conj(s.x if k else s.y)


@formula("DivBackward0")
def _div(k: int, g: Any, s: Saved) -> Any:
    return -g * conj(s.x / s.y / s.y) if k else g / conj(s.y)


def conj(x: Any) -> Any:
    """The conjugate of a tensor or number."""
    return x.conj() if isinstance(x, Tensor) else x.conjugate()


@formula("AbsBackward0")
def _abs(k: int, g: Any, s: Saved) -> Any:
    return g * s.x.sgn()


@formula("ExpBackward0")
def _exp(k: int, g: Any, s: Saved) -> Any:
    return g * conj(s.out)


for _op in (
    SOFTMAX,
    LOG_SOFTMAX,
    VAR,
    STD,
    VAR_MEAN,
    STD_MEAN,
    VECTOR_NORM,
    CUMSUM,
    MEAN,
    MEAN_ALL,
    MAX_ALL,
    MIN_ALL,
    TRACED_MEDIAN,
    PROD,
    PROD_ALL,
    CUMPROD,
):
    under_transforms(_op)

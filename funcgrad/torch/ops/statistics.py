"""Statistics: standard deviation and variance, covariance and correlation, counts in bins."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.declare.arguments import fitted
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import count_writes
from funcgrad.torch.ops.complex import complex as as_complex
from funcgrad.torch.ops.reducing import UNSET, applied, dims_of, shown, title
from funcgrad.torch.ops.sorting import NoDerivative, unimplemented
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import statistics as texts

# Standard deviation and variance. `whole` says that no dimensions were given, for which torch has formulas of its own.


def _wide(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _var(x: Any, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> Any:
    out = core.reduce_var(_wide(x), axis=axis, ddof=ddof, keepdims=keepdims)
    return out.astype(x.dtype) if x.dtype.itemsize == 2 else out


def _std(x: Any, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> Any:
    var = core.reduce_var(_wide(x), axis=axis, ddof=ddof, keepdims=keepdims)
    zero = var == 0
    out = fnp.where(zero, stop(var), np.sqrt(fnp.where(zero, 1, var)))  # with derivative 0 where it is 0
    return out.astype(x.dtype) if x.dtype.itemsize == 2 else out


def _mean(x: Any, axis: tuple, keepdims: bool) -> Any:
    mean = core.reduce_mean(_wide(x), axis=axis, keepdims=keepdims)
    if type(x) is np.ndarray:
        mean = np.array(mean)
        _spoil_infinite_means(x, axis, mean)
    return mean.astype(x.dtype) if x.dtype.itemsize == 2 else mean


def _var_mean(x: Any, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> tuple:
    var = _var(x, axis=axis, ddof=ddof, keepdims=keepdims, whole=whole)
    return var, _mean(x, axis, keepdims)


def _std_mean(x: Any, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> tuple:
    std = _std(x, axis=axis, ddof=ddof, keepdims=keepdims, whole=whole)
    return std, _mean(x, axis, keepdims)


VAR = Operation(_var, "VarBackward0", operands=("self",))
STD = Operation(_std, "StdBackward0", operands=("self",), saves_out=True)
VAR_MEAN = Operation(Composite(_var_mean, multiple=True), "VarMeanBackward0", operands=("self",))
STD_MEAN = Operation(Composite(_std_mean, multiple=True), "StdMeanBackward0", operands=("self",), saves_out=True)


def _spread(name: str, op: Operation, input: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    """std and var in their overloads: (unbiased), (dim, unbiased, keepdim), (dim, *, correction, keepdim).

    What is given beside dim decides which of them shows in the node.
    """
    if correction is UNSET:
        correction = int(unbiased is UNSET or unbiased) if dim is not UNSET or unbiased is not UNSET else None
    dim = None if dim is UNSET else dim
    value = input._value
    if value.dtype.kind in "iub":
        raise RuntimeError(texts.SPREAD_DTYPE.format(name="std and var" if "_" not in name else name))
    dims = dims_of(dim, value.ndim)
    ddof = 1 if correction is None else correction
    n = core.count(value.shape, dims)
    if (0 if 0 in core.reduced_shape(value.shape, dims) else n) <= ddof:
        for _ in range(2 if value.dtype.kind == "c" else 1):  # for the real parts, too
            warnings.warn(texts.REDUCTION_TOO_SMALL.format(name=name), UserWarning, stacklevel=4)
    saved = {"dim": shown(dim), "correction": correction, "keepdim": keepdim}
    params = {"axis": dims, "ddof": float(ddof), "keepdims": keepdim, "whole": dim is None}
    found = applied(op, (input,), params, saved)
    if input._inference and value.dtype.kind == "c":  # torch puts it together from two parts
        count_writes(found, 1)
        if name.startswith("std"):
            count_writes(found[0] if name == "std_mean" else found, 1)
    elif input._inference and not name.endswith("_mean") and found._value.size == 1 and value.dtype.itemsize > 2:
        count_writes(found, 1)  # a single number is filled in
    return found


def _spoil_infinite_means(value: np.ndarray, dims: tuple, means: np.ndarray) -> None:
    """The mean that torch keeps up to date beside the variance becomes nan at the element after an infinite one."""
    if value.dtype.kind in "fV" and np.isinf(means).any():
        rows = np.moveaxis(value, dims, range(value.ndim - len(dims), value.ndim))
        rows = rows.reshape(*rows.shape[: value.ndim - len(dims)], -1)
        spoiled = np.isinf(rows[..., :-1]).any(-1)
        np.copyto(means, np.nan, where=spoiled.reshape(means.shape))


def _spread_signatures(out: str) -> tuple[str, ...]:
    second = out.replace(", *, ", ", ")
    return (
        f"(Tensor input, tuple of ints? dim, bool unbiased = True, bool keepdim = False{out})",
        f"(Tensor input, tuple of ints dim = None, *, Number? correction = None, bool keepdim = False{second})",
        "(Tensor input, bool unbiased = True)",
    )


_OUT = ", *, Tensor out = None"


@op("std", *_spread_signatures(_OUT), records=(STD,))
def std(
    input: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: bool = False, *, correction: Any = UNSET
) -> Tensor:
    """The standard deviation: std(dim=None, *, correction=1, keepdim=False), or with unbiased= for correction.

    Arguments:
        dim: a dimension or several; None for all of them.
        correction: what is subtracted from the number of elements that the sum of squares is divided by.
        keepdim: whether the dimensions stay, with size one.
        unbiased: True for correction=1, False for 0.
    """
    return _spread("std", STD, input, dim, unbiased, keepdim, correction)


@op("var", *_spread_signatures(_OUT), records=(VAR,))
def var(
    input: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: bool = False, *, correction: Any = UNSET
) -> Tensor:
    """The variance: var(dim=None, *, correction=1, keepdim=False), or with unbiased= for correction, as for `std`."""
    return _spread("var", VAR, input, dim, unbiased, keepdim, correction)


@op("std_mean", *_spread_signatures(""), method=False, records=(STD_MEAN,))
def std_mean(
    input: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: bool = False, *, correction: Any = UNSET
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean; arguments as for `std`."""
    return _spread("std_mean", STD_MEAN, input, dim, unbiased, keepdim, correction)


@op("var_mean", *_spread_signatures(""), method=False, records=(VAR_MEAN,))
def var_mean(
    input: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: bool = False, *, correction: Any = UNSET
) -> tuple[Tensor, Tensor]:
    """The variance and the mean; arguments as for `std`."""
    return _spread("var_mean", VAR_MEAN, input, dim, unbiased, keepdim, correction)


# Covariance and correlation: of several operations, as their nodes show.


@op("cov", "(Tensor input, *, int correction = 1, Tensor fweights = None, Tensor aweights = None)")
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance matrix of variables, which are the rows of input.

    Arguments:
        input: a matrix, each column an observation; or the observations of one variable.
        correction: what is subtracted from the number of observations that is divided by.
        fweights: how often each observation counts, integers.
        aweights: the weight of each observation, floats.
    """
    x = _observations("cov", input)
    n = x.size(1)
    for what, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None:
            _check_weights(what, weights, n)
    weight = fweights
    if aweights is not None:
        weight = aweights if weight is None else weight * aweights
    total: Any = n
    if weight is not None:
        total = weight.sum()
        if total.item() == 0:
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = x.mean(1, True) if weight is None and x._value.dtype.kind in "fc" else None
    if mean is None:
        mean = (x * weight).sum(1, True) / total if weight is not None else x.sum(1, True) / n
    if weight is None:
        freedom: Any = max(n - correction, 0) if n - correction <= 0 else n - correction
        degrees = n - correction
    else:
        if aweights is None or correction == 0:
            freedom = total - correction
        elif fweights is None:
            freedom = total - correction * (aweights * aweights).sum() / total
        else:
            freedom = total - correction * (weight * aweights).sum() / total
        degrees = freedom.item()
    if degrees <= 0:
        warnings.warn(texts.TOO_FEW_OBSERVATIONS, UserWarning, stacklevel=3)
        freedom = 0 if weight is None else freedom.clamp(min=0)
    x = x - mean
    c = x.mm((x * weight if weight is not None else x).t().conj()) / freedom
    return c.squeeze()


def _observations(name: str, input: Any) -> Tensor:
    """input as a matrix of rows."""
    if input._value.ndim > 2:
        raise RuntimeError(texts.OBSERVATIONS_NOT_A_MATRIX.format(name=name, ndim=input._value.ndim))
    if input._value.dtype.kind == "b":
        raise RuntimeError(f"{name}(): bool dtype is not supported for input")
    return input if input._value.ndim == 2 else input.view(1, -1)


def _check_weights(what: str, weights: Any, n: int) -> None:
    value = weights._value
    if value.ndim > 1:
        raise RuntimeError(texts.WEIGHTS_NOT_A_VECTOR.format(what=what, ndim=value.ndim))
    integral = what == "fweights"
    if (value.dtype.kind in "iu") != integral:
        kind = "integral" if integral else "floating point"
        raise RuntimeError(texts.WEIGHTS_DTYPE.format(what=what, kind=kind, dtype=title(weights)))
    if value.size != n:
        raise RuntimeError(texts.WEIGHTS_NUMEL.format(what=what, numel=value.size, observations=n))
    if n and np.min(raw(weights)) < 0:
        raise RuntimeError(f"cov(): {what} cannot be negative")


@op("corrcoef", "(Tensor input)")
def corrcoef(input: Any) -> Tensor:
    """The matrix of correlation coefficients of variables, which are the rows of input."""
    if input._value.ndim > 2:
        _observations("corrcoef", input)  # raises
    c = cov(input)
    if not c._value.ndim:
        return c / c
    d = c.diag()
    deviation = (d if d._value.dtype.kind != "c" else d.real).sqrt()
    c = c / deviation.view(-1, 1)
    c = c / deviation.view(1, -1)
    if c._value.dtype.kind != "c":
        return c.clamp(-1, 1)
    return as_complex(c.real.clamp(-1, 1), c.imag.clamp(-1, 1))


# Counts in bins, which have no derivative. That of histogram torch has not stated, and it says so when asked.


def _given(x: Any, *, results: Any) -> tuple:
    return results()


class _NotStated(NoDerivative):
    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        raise RuntimeError("derivative for aten::histogram is not implemented")


HISTOGRAM = unimplemented(Composite(_given, multiple=True), "NotImplemented", "histogram", _NotStated)


@op("histc", "(Tensor input, int bins = 100, Number min = 0, Number max = 0, *, Tensor out = None)", writes=2)
def histc(input: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """How many elements lie in each of equal bins between min and max.

    Arguments:
        input: the tensor, of floating dtype.
        bins: the number of bins.
        min, max: the range; if both are equal, that of the elements.
    """
    value = raw(input)
    kind = value.dtype.kind
    if kind in "bc":
        kernel = "linspace" if kind == "b" else "aminmax" if min == max and value.size else "histogram"
        raise NotImplementedError(f"\"{kernel}_cpu\" not implemented for '{title(input)}'")
    if kind in "iu":
        for bound in _range(value, float(min), float(max), "torch.histc"):
            fitted(bound, input.dtype)
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{title(input)}'")
    if bins <= 0:
        raise RuntimeError(texts.HISTOGRAM_BINS_NOT_POSITIVE.format(bins=bins))
    low, high = _range(value, float(min), float(max), "torch.histc")
    edges = _edges(low, high, bins, value.dtype)
    return followed("histc", wrapped(_counts(value, edges, None, uniform=True).astype(value.dtype)), input)


def _range(value: np.ndarray, low: float, high: float, name: str) -> tuple[float, float]:
    if low == high and value.size:
        low, high = float(np.min(value)), float(np.max(value))
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"{name}: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"{name}: max must be larger than min")
    return low, high


def _edges(low: float, high: float, bins: int, kind: np.dtype) -> np.ndarray:
    """Equally spaced, counted from the nearer end, as torch's linspace."""
    one = kind.type
    step = one((one(high) - one(low)) / one(bins))
    k = np.arange(bins + 1)
    return np.where(
        k < (bins + 1) // 2, one(low) + step * k.astype(kind), one(high) - step * (bins - k).astype(kind)
    ).astype(kind)


def _counts(value: np.ndarray, edges: np.ndarray, weights: Any, *, uniform: bool) -> np.ndarray:
    """Sums of weights in bins; the last bin has its upper edge, too."""
    x = value.reshape(-1)
    bins = edges.size - 1
    inside = (x >= edges[0]) & (x <= edges[-1])
    x = x[inside]
    if uniform:
        place = ((x - edges[0]) * bins / (edges[-1] - edges[0])).astype(np.int64)
    else:
        place = np.searchsorted(edges, x, "right") - 1
    place = np.minimum(place, bins - 1)
    return np.bincount(place, None if weights is None else weights.reshape(-1)[inside], bins)


@op(
    "histogram",
    "(Tensor input, Tensor bins, *, Tensor weight = None, bool density = False, tuple of Tensors out = None)",
    "(Tensor input, int bins = 100, *, tuple of floats range = None, Tensor weight = None, bool density = False, "
    "tuple of Tensors out = None)",
    records=(HISTOGRAM,),
)
def histogram(input: Any, bins: Any = 100, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """How many elements lie in each of several bins.

    Arguments:
        input: the tensor, of floating dtype.
        bins: the number of equal bins, or a tensor of their edges.
        range: (min, max) of the bins; by default that of the elements.
        weight: how much each element counts.
        density: whether to divide by the total and the widths of the bins.

    Returns:
        The named tuple (hist, bin_edges).
    """
    value = raw(input)
    if value.dtype.kind in "iubc":
        kernel = "histogram_cpu" if isinstance(bins, Tensor) else "histogramdd"
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{title(input)}'")
    if isinstance(bins, Tensor):
        edges = raw(bins)
        uniform = False
        if edges.dtype != value.dtype:
            names = {"input": CXX_NAMES[input.dtype.name], "bins": CXX_NAMES[bins.dtype.name]}
            raise RuntimeError(texts.HISTOGRAM_DTYPES.format(**names))
        if edges.ndim != 1:
            raise RuntimeError(texts.HISTOGRAM_BINS_DIMENSIONS.format(ndim=edges.ndim))
        if not edges.size:
            raise RuntimeError(texts.HISTOGRAM_WITHOUT_BINS)
    else:
        if bins <= 0:
            raise RuntimeError(texts.HISTOGRAM_BINS_NOT_POSITIVE.format(bins=bins))
        if range is not None:
            if len(range) != 2:
                raise RuntimeError(texts.HISTOGRAM_RANGE_LENGTH.format(n=len(range)))
            low, high = map(float, range)
        else:
            low, high = (float(np.min(value)), float(np.max(value))) if value.size else (0.0, 1.0)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(texts.HISTOGRAM_RANGE_NOT_FINITE.format(low=low, high=high))
        if low > high:
            raise RuntimeError(texts.HISTOGRAM_RANGE_REVERSED.format(low=low, high=high))
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges, uniform = _edges(low, high, bins, value.dtype), True
    if weight is not None and weight.dtype is not input.dtype:
        names = {"input": CXX_NAMES[input.dtype.name], "weight": CXX_NAMES[weight.dtype.name]}
        raise RuntimeError(texts.HISTOGRAM_WEIGHT_DTYPE.format(**names))
    if weight is not None and weight._value.shape != value.shape:
        raise RuntimeError(
            texts.HISTOGRAM_WEIGHT_SHAPE.format(numel=value.size, weight=list(weight._value.reshape(-1).shape))
        )
    counts = _counts(value, edges, None if weight is None else raw(weight), uniform=uniform).astype(value.dtype)
    if density:
        with np.errstate(all="ignore"):
            counts = (counts / counts.sum() / np.diff(edges)).astype(value.dtype)
    return return_types.histogram(applied(HISTOGRAM, (input,), {"results": lambda: (counts, edges.copy())}, {}))


def _weighed(x: Any, weights: Any, *, minlength: int) -> Any:
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    return np.bincount(x, weights.astype(np.float64), minlength).astype(kind)


BINCOUNT = Operation(Undifferentiable(_weighed, "aten::bincount"), "NotImplemented")


@op("bincount", "(Tensor input, Tensor? weights = None, int minlength = 0)", records=(BINCOUNT,))
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each of the numbers 0, 1, ... occurs.

    Arguments:
        input: a one-dimensional tensor of integers, none of them negative.
        weights: how much each element counts.
        minlength: the result has at least this many elements.
    """
    value = raw(input)
    if value.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{title(input)}'")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if value.ndim == 1 and not value.size:
        return wrapped(np.zeros(minlength, np.int64))
    if value.ndim != 1 or np.min(value) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return wrapped(np.bincount(value, None, minlength).astype(np.int64))
    w = raw(weights)
    if w.shape != value.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return record(BINCOUNT, (input, weights), [value, w], {"minlength": minlength})

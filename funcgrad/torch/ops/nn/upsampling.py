"""`torch._C._nn.upsample_*`: images, signals and volumes with another number of samples."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn import resampling_taps as taps
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.ops.nn.resampling_taps import Axis
from funcgrad.torch.ops.reducing import applied
from funcgrad.torch.primitives.resample import resample, resample_back
from funcgrad.torch.tensor.formulas import FORMULAS, Saved
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import resampling as texts

Taps = tuple[ndarray, ndarray | None]


def _resampled(x: Any, *, tables: tuple[Taps, ...]) -> Any:
    """x, resampled along its last axes: small numbers in single precision, and bytes rounded after each axis."""
    kind = x.dtype
    weighted = tables[0][1] is not None
    if weighted and kind.itemsize <= 2:
        x = x.astype(np.float32)
    for axis, (places, weights) in reversed(tuple(enumerate(tables, x.ndim - len(tables)))):
        x = resample(x, axis=axis, places=places, weights=weights)
        if weighted and kind.kind == "u":
            x = np.clip(np.floor(x + 0.5), 0, 255)
    return x.astype(kind)


def _resampled_back(g: Any, *, tables: tuple[Taps, ...], shape: tuple[int, ...]) -> Any:
    kind = g.dtype
    g = g.astype(np.float32) if kind.itemsize <= 2 else g
    first = len(shape) - len(tables)
    for axis, (places, weights) in enumerate(tables, first):
        g = resample_back(g, axis=axis, size=shape[axis], places=places, weights=weights)
    return g.astype(kind)


def _operation(name: str) -> Operation:
    """What records the resampling of this name, and its gradient."""
    title = "".join([w[:1].upper() + w[1:] for w in name.strip("_").split("_")])
    for count in "123":
        title = title.replace(f"{count}d", f"{count}D")
    forward = Operation(_resampled, f"{title}Backward0", operands=("self",), saves=(), again=False)
    backward = Operation(_resampled_back, f"{title}BackwardBackward0", operands=("grad_output",), saves=(), again=False)

    def formula(k: int, g: Any, s: Saved) -> Any:
        return backward(g, tables=s["tables"], shape=s.shape)

    FORMULAS[forward.name] = formula
    return forward


_AXES = {1: ("W",), 2: ("H", "W"), 3: ("D", "H", "W")}


def _output_size(x: Any, output_size: Any, factors: Any) -> list[int]:
    """The sizes of the last axes of the result.

    Raises:
        RuntimeError: not just one of the two is given, or it is not of the right length.
    """
    if (output_size is None) is (factors is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    if output_size is not None:
        if len(output_size) != x._value.ndim - 2:
            raise RuntimeError(texts.SPATIAL_DIMENSIONS.format(name="output_size"))
        return [int(n) for n in output_size]
    if len(factors) != x._value.ndim - 2:
        raise RuntimeError(texts.SPATIAL_DIMENSIONS.format(name="scale_factors"))
    sizes = [n * f for n, f in zip(x._value.shape[2:], factors, strict=True)]
    if not all(abs(s) < 2**63 for s in sizes):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return [int(s) for s in sizes]


def _check_sizes(x: Any, sizes: list[int], count: int) -> None:
    shape = x._value.shape
    if len(shape) != count + 2:
        raise RuntimeError(texts.DIMENSIONS.format(ndim=count + 2, found=len(shape)))
    if min(*shape[2:], *sizes) <= 0:
        before, after = [
            "(" + ", ".join([f"{a}: {n}" for a, n in zip(_AXES[count], ns, strict=True)]) + ")"
            for ns in (shape[2:], sizes)
        ]
        raise RuntimeError(texts.POSITIVE_SIZES.format(before=before, between=" and" * (count == 1), after=after))
    if 0 in shape[1:]:
        raise RuntimeError(texts.NON_EMPTY.format(ndim=count + 2, shape=list(shape)))


def _upsampled(
    op: Operation, kernel: str, x: Any, table: Callable[[Axis], Taps], sizes: list[int], factors: Any, corners: bool
) -> Tensor:
    """The resampled tensor.

    Arguments:
        op: what is recorded.
        kernel: what errors about dtypes call it; with a bar the two letters that say what it takes beside floats.
        x: (n, channels, ...).
        table: gives the taps of an axis.
        sizes: of the result's last axes.
        factors: by how much each axis grows, None where the caller did not say so.
        corners: whether the corners stay where they are.
    """
    name, _, more = kernel.partition("|")
    value = x._value
    if value.dtype.kind in "ibc" or (value.dtype.kind == "u" and "u" not in more):
        raise not_implemented(name, of_numpy(value.dtype))
    if "w" in more and value.dtype.itemsize == 2:
        raise not_implemented(name, of_numpy(value.dtype))
    kind = np.dtype(np.float64 if value.dtype == np.float64 else np.float32)
    tables = tuple(
        [
            table(Axis(n, out, factor, corners, kind))
            for n, out, factor in zip(value.shape[2:], sizes, factors, strict=True)
        ]
    )
    found = applied(op, (x,), {"tables": tables}, {"output_size": tuple(sizes)})
    if type(found._value) is ndarray:
        found._value = laid_out(found._value, in_channels_last(x))
    return found


_FACTORS = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}


def _declare(name: str, count: int, table: Callable[[Axis], Taps], corners: bool, kernel: str, doc: str) -> None:
    """Declare the row of one resampling.

    Arguments:
        name: of torch's function.
        count: how many axes are resampled.
        table: gives the taps of an axis.
        corners: whether there is an argument align_corners.
        kernel: as for `_upsampled`.
        doc: its docstring.
    """
    operation = _operation(name)
    flag = ", bool align_corners" if corners else ""
    factors = ", ".join([f"float {n} = None" for n in _FACTORS[count]])
    signatures = (
        f"(Tensor input, tuple of ints? output_size{flag}, tuple of floats? scale_factors)",
        f"(Tensor input, tuple of ints output_size{flag}, {factors}, *, Tensor out = None)",
    )

    def compute(x: Any, output_size: Any, align_corners: bool, scale_factors: Any, each: dict[str, Any]) -> Tensor:
        given = [each.get(n) for n in _FACTORS[count]]
        if each:
            sizes = [int(n) for n in output_size]
        else:
            sizes, given = _output_size(x, output_size, scale_factors), scale_factors or given
        _check_sizes(x, sizes, count)
        return _upsampled(operation, kernel, x, table, sizes, given, align_corners)

    def with_corners(
        input: Any, output_size: Any, align_corners: bool, scale_factors: Any = None, **each: Any
    ) -> Tensor:
        return compute(input, output_size, align_corners, scale_factors, each)

    def without_corners(input: Any, output_size: Any, scale_factors: Any = None, **each: Any) -> Tensor:
        return compute(input, output_size, False, scale_factors, each)

    body = with_corners if corners else without_corners
    op(f"_nn.{name}", *signatures, records=operation, doc=doc)(body)


for _count in (1, 2, 3):
    for _prefix, _table in (("upsample_nearest", taps.nearest), ("_upsample_nearest_exact", taps.nearest_exact)):
        _kernel = "upsample_nearest2d_channels_last|u" if _count == 2 else f"{_prefix.strip('_')}{_count}d|u"
        _declare(f"{_prefix}{_count}d", _count, _table, False, _kernel, "The input's elements, repeated or left out.")
for _count, _mode, _kernel in (
    (1, "linear", "upsample_linear1d"),
    (2, "bilinear", "upsample_bilinear2d_channels_last|u"),
    (3, "trilinear", "upsample_trilinear3d|u"),
):
    _declare(f"upsample_{_mode}{_count}d", _count, taps.linear, True, _kernel, "Interpolation between neighbours.")
_declare("upsample_bicubic2d", 2, taps.cubic, True, "upsample_bicubic2d|u", "Interpolation by cubic polynomials.")
for _mode in taps.FILTERS:
    _declare(
        f"_upsample_{_mode}2d_aa",
        2,
        functools.partial(taps.filtered, mode=_mode),
        True,
        "compute_index_ranges_weights|uw",
        "Resampling with a filter as wide as the samples are apart.",
    )

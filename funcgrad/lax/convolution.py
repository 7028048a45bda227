"""Convolution by the names of `jax.lax`: conv_general_dilated, and what it is called in common cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError, ShapeError, as_in_jax
from funcgrad.lax.padding import dilated, padtype_to_pads
from funcgrad.lax.shapes import pad
from funcgrad.lax.strict import arrays, as_array
from funcgrad.ops import convolution as core

__all__ = [
    "ConvDimensionNumbers",
    "conv",
    "conv_dimension_numbers",
    "conv_general_dilated",
    "conv_general_dilated_patches",
    "conv_transpose",
    "conv_with_general_padding",
]


class ConvDimensionNumbers(NamedTuple):
    """Which axes of a convolution are what.

    Arguments:
        lhs_spec: the axes of the examples: batch, features, then those that windows move over.
        rhs_spec: those of the kernel: features of the result, features of the examples, then the places of a window.
        out_spec: those of the result: batch, features, then the windows.
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


def conv_dimension_numbers(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], dimension_numbers: Any
) -> ConvDimensionNumbers:
    """Dimension numbers as axes, from how they are written.

    Arguments:
        lhs_shape, rhs_shape: of the examples and the kernel.
        dimension_numbers: None: batch and features first, ("NCHW", "OIHW", "NCHW"); three strings of that kind, where
            each letter but N, C, O and I is an axis that windows move over; or a ConvDimensionNumbers.

    Raises:
        TypeError: they do not fit the shapes, or each other.

    Example:
        >>> fg.lax.conv_dimension_numbers((1, 8, 3), (2, 3, 4), ("NHC", "HIO", "NHC"))
        ConvDimensionNumbers(lhs_spec=(0, 2, 1), rhs_spec=(2, 1, 0), out_spec=(0, 2, 1))
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if rank != len(rhs_shape):
        raise TypeError(f"convolution requires lhs and rhs ndim to be equal, got {rank} and {len(rhs_shape)}.")
    if dimension_numbers is None:
        axes = tuple(range(rank))
        return ConvDimensionNumbers(axes, axes, axes)
    if not isinstance(dimension_numbers, (list, tuple)):
        raise TypeError(f"convolution dimension_numbers must be tuple/list or None, got {type(dimension_numbers)}.")
    if len(dimension_numbers) != 3:
        raise TypeError(f"convolution dimension_numbers list/tuple must be length 3, got {len(dimension_numbers)}.")
    if not all(isinstance(words, str) for words in dimension_numbers):
        raise TypeError(
            f"convolution dimension_numbers elements must be strings, got {tuple(map(type, dimension_numbers))}."
        )
    for i, (words, needed) in enumerate(zip(dimension_numbers, ("NC", "OI", "NC"), strict=True)):
        first, second = needed[0], needed[1]
        if len(words) != rank:
            raise TypeError(
                f"convolution dimension_numbers[{i}] must have length equal to the ndim of lhs and rhs, got "
                f"{len(words)} for lhs and rhs shapes {tuple(lhs_shape)} and {tuple(rhs_shape)}."
            )
        if words.count(first) != 1 or words.count(second) != 1:
            raise TypeError(
                f"convolution dimension_numbers[{i}] must contain the characters '{first}' and '{second}' exactly "
                f"once, got {words}."
            )
        if len(set(words)) != len(words):
            raise TypeError(f"convolution dimension_numbers[{i}] cannot have duplicate characters, got {words}.")
    left, right, out = dimension_numbers
    if not set(left) - set("NC") == set(right) - set("OI") == set(out) - set("NC"):
        raise TypeError(
            "convolution dimension_numbers elements must each have the same set of spatial characters, got "
            f"{tuple(dimension_numbers)}."
        )
    moving = [c for c in right if c not in "OI"]
    return ConvDimensionNumbers(
        (left.index("N"), left.index("C"), *[left.index(c) for c in moving]),
        (right.index("O"), right.index("I"), *[right.index(c) for c in moving]),
        (out.index("N"), out.index("C"), *[out.index(c) for c in moving]),
    )


def conv_general_dilated(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Shaped[Array, "..."]:
    """Convolution over any number of axes: a kernel, which is not flipped, moves over many examples.

    Arguments:
        lhs: the examples, by default "batch features ...".
        rhs: the kernel, by default "out features ...".
        window_strides: for each axis that windows move over the step from one to the next.
        padding: "VALID", "SAME", "SAME_LOWER", or pairs: how many zeros come before and behind.
        lhs_dilation: how far apart the elements of examples are set, with zeros between.
        rhs_dilation: how far apart the places of a window are.
        dimension_numbers: which axes are what, see `conv_dimension_numbers`.
        feature_group_count: of groups of features, each of which meets its own part of the kernel alone.
        batch_group_count: of groups of examples, of which each has its own part of the kernel.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in.
        out_sharding: accepted as in JAX; there is one device.

    Raises:
        TypeError: the dimension numbers do not fit.
        ArgumentError: shapes, groups or dtypes do not fit, or a stride or dilation is not positive.

    Example:
        >>> x, edges = fnp.array([[[1.0, 2.0, 4.0, 8.0]]]), fnp.array([[[-1.0, 1.0]]])
        >>> fg.lax.conv_general_dilated(x, edges, (1,), "VALID")
        Array([[[1., 2., 4.]]], dtype=float64)
    """
    x, w = arrays("conv_general_dilated", lhs, rhs)
    if x.ndim != w.ndim and isinstance(dimension_numbers, ConvDimensionNumbers):
        raise ArgumentError(
            f"the examples and the kernel have {x.ndim} and {w.ndim} axes"
            + as_in_jax("conv_general_dilated lhs and rhs must have the same number of dimensions")
        )
    numbers = conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    if preferred_element_type is not None:
        x, w = x.astype(np.dtype(preferred_element_type)), w.astype(np.dtype(preferred_element_type))
    x, w = fnp.transpose(x, numbers.lhs_spec), fnp.transpose(w, numbers.rhs_spec)
    strides = tuple(window_strides)
    rank = x.ndim - 2
    if len(strides) != rank:
        raise ArgumentError(
            "conv_general_dilated window and window_strides must have the same number of dimensions, but got "
            f"{rank} and {len(strides)}"
        )
    apart = _positive("lhs_dilation", lhs_dilation, rank)
    dilation = _positive("rhs_dilation", rhs_dilation, rank)
    _positive("window_strides", strides, rank)
    _check_groups(x, w, feature_group_count, batch_group_count)
    if isinstance(padding, str):
        if any(d != 1 for d in apart):
            raise ArgumentError(
                "String padding is not implemented for transposed convolution using this op. Please either exactly "
                "specify the required padding or use conv_transpose."
            )
        sizes = [dilated(k, d) for k, d in zip(w.shape[2:], dilation, strict=True)]
        padding = padtype_to_pads(x.shape[2:], sizes, strides, padding)
    pads = tuple([(int(low), int(high)) for low, high in padding])
    if len(pads) != rank:
        raise TypeError(f"Wrong number of explicit pads for convolution: expected {rank}, got {len(pads)}.")
    groups = feature_group_count
    if batch_group_count > 1:  # groups of examples are groups of features, each of which has more of them
        groups, n = batch_group_count, x.shape[0] // batch_group_count
        x = fnp.moveaxis(x.reshape(groups, n, *x.shape[1:]), 0, 1)
        x = x.reshape(n, groups * x.shape[2], *x.shape[3:])
    out = _dilated(x, w, strides, pads, apart, dilation, groups)
    return fnp.transpose(out, tuple(np.argsort(numbers.out_spec).tolist()))


def _dilated(x: Any, w: Any, strides: tuple, pads: tuple, apart: tuple, dilation: tuple, groups: int) -> Any:
    """The convolution with axes in their order."""
    if all(d == 1 for d in apart):
        return core.conv(x, w, strides=strides, padding=pads, dilation=dilation, groups=groups)
    if any(s != 1 for s in strides) or not x.size or not w.size:
        x = pad(x, np.zeros((), x.dtype), [(0, 0, 0), (0, 0, 0), *[(0, 0, d - 1) for d in apart]])
        return core.conv(x, w, strides=strides, padding=pads, dilation=dilation, groups=groups)
    # Without strides it is what comes back of a convolution that has them; its kernel is flipped, its groups turned.
    o, i, *size = w.shape
    moving = tuple(range(2, w.ndim))
    w = fnp.flip(w, moving).reshape(groups, o // groups, i, *size)
    w = fnp.swapaxes(w, 1, 2).reshape(groups * i, o // groups, *size)
    spans = [dilated(k, d) for k, d in zip(size, dilation, strict=True)]
    lengths = [
        max(dilated(n, a) + low + high - span + 1, 0)
        for n, a, (low, high), span in zip(x.shape[2:], apart, pads, spans, strict=True)
    ]
    back = tuple(
        [
            (span - 1 - low, dilated(n, a) + span - 1 - m - (span - 1 - low))
            for n, a, m, (low, _), span in zip(x.shape[2:], apart, lengths, pads, spans, strict=True)
        ]
    )
    return core.conv_input(x, w, lengths=tuple(lengths), strides=apart, padding=back, dilation=dilation, groups=groups)


def _positive(name: str, given: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    found = (1,) * rank if given is None else tuple([int(d) for d in given])
    if len(found) != rank or any(d < 1 for d in found):
        raise ArgumentError(f"conv_general_dilated takes {rank} positive numbers as {name}, got {found}")
    return found


def _check_groups(x: Any, w: Any, features: int, batches: int) -> None:
    for name, count in (("feature_group_count", features), ("batch_group_count", batches)):
        if count < 1:
            raise ArgumentError(f"conv_general_dilated {name} must be a positive integer, got {count}.")
    if features > 1 and batches > 1:
        raise ArgumentError(
            "At most one of batch_group_count and feature_group_count may be > 1, got "
            f"batch_group_count={batches} and feature_group_count={features}"
        )
    if x.shape[1] % features:
        raise ArgumentError(
            "conv_general_dilated feature_group_count must divide lhs feature dimension size, but "
            f"{features} does not divide {x.shape[1]}."
        )
    if x.shape[1] // features != w.shape[1]:
        raise ArgumentError(
            "conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input "
            f"feature dimension size, but {x.shape[1]} // {features} != {w.shape[1]}."
        )
    if w.shape[0] % features:
        raise ArgumentError(
            "conv_general_dilated rhs output feature dimension size must be a multiple of feature_group_count, but "
            f"{w.shape[0]} is not a multiple of {features}."
        )
    if x.shape[0] % batches:
        raise ArgumentError(
            "conv_general_dilated batch_group_count must divide lhs batch dimension size, but "
            f"{batches} does not divide {x.shape[0]}."
        )
    if w.shape[0] % batches:
        raise ArgumentError(
            "conv_general_dilated rhs output feature dimension size must be a multiple of batch_group_count, but "
            f"{w.shape[0]} is not a multiple of {batches}."
        )


def conv(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: str,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """Convolution of examples "batch features ..." with a kernel "out features ..."; see `conv_general_dilated`.

    Arguments:
        lhs, rhs, window_strides, padding, precision, preferred_element_type: as there.

    Example:
        >>> fg.lax.conv(fnp.ones((1, 3, 8, 8)), fnp.ones((4, 3, 5, 5)), (1, 1), "SAME").shape
        (1, 4, 8, 8)
    """
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, precision=precision, preferred_element_type=preferred_element_type
    )


def conv_with_general_padding(
    lhs: Any,
    rhs: Any,
    window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """As `conv`, with any padding and dilation; see `conv_general_dilated`.

    Arguments:
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision, preferred_element_type: as there.

    Example:
        >>> x, w = fnp.ones((1, 3, 8)), fnp.ones((4, 3, 5))
        >>> fg.lax.conv_with_general_padding(x, w, (1,), [(4, 0)], None, None).shape
        (1, 4, 8)
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


_LAST = {2: ("NC", "IO", "NC"), 3: ("NHC", "HIO", "NHC"), 4: ("NHWC", "HWIO", "NHWC"), 5: ("NHWDC", "HWDIO", "NHWDC")}


def conv_transpose(
    lhs: Any,
    rhs: Any,
    strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    transpose_kernel: bool = False,
    precision: Any = None,
    preferred_element_type: Any = None,
    use_consistent_padding: bool = False,
) -> Shaped[Array, "..."]:
    """The transpose of a convolution with strides, which makes examples longer; "deconvolution".

    Arguments:
        lhs: the examples, by default "batch ... features".
        rhs: the kernel, by default "... features out".
        strides: of the convolution that it is the transpose of.
        padding: of that convolution, "SAME" or "VALID"; pairs are zeros that are added to the examples, or with
            use_consistent_padding the padding of that convolution, too.
        rhs_dilation: how far apart the places of a window are.
        dimension_numbers: which axes are what.
        transpose_kernel: whether to flip the kernel and exchange its features: then it is the very transpose of the
            convolution with the same kernel.
        precision, preferred_element_type: as for `conv_general_dilated`.
        use_consistent_padding: whether pairs mean the same as words.

    Raises:
        ShapeError: there are no dimension numbers by default for so many axes.

    Example:
        >>> x, w = fnp.array([[[1.0], [2.0]]]), fnp.ones((2, 1, 1))
        >>> fg.lax.conv_transpose(x, w, (2,), "VALID")[0, :, 0]
        Array([1., 1., 2., 2.], dtype=float64)
    """
    x, w = as_array(lhs, "conv_transpose"), as_array(rhs, "conv_transpose")
    if dimension_numbers is None:
        if x.ndim not in _LAST:
            raise ShapeError("No 4+ dimensional dimension_number defaults.")
        dimension_numbers = _LAST[x.ndim]
    numbers = conv_dimension_numbers(x.shape, w.shape, dimension_numbers)
    size = [w.shape[a] for a in numbers.rhs_spec[2:]]
    dilation = _positive("rhs_dilation", rhs_dilation, x.ndim - 2)
    pads: Any = padding
    if use_consistent_padding or padding in ("SAME", "VALID"):
        each = [padding] * len(size) if isinstance(padding, str) else padding
        spans = [dilated(k, d) for k, d in zip(size, dilation, strict=True)]
        pads = [_transposed_padding(k, s, p) for k, s, p in zip(spans, strides, each, strict=True)]
    if transpose_kernel:
        w = fnp.swapaxes(fnp.flip(w, numbers.rhs_spec[2:]), numbers.rhs_spec[0], numbers.rhs_spec[1])
    return conv_general_dilated(
        x,
        w,
        (1,) * (x.ndim - 2),
        pads,
        strides,
        dilation,
        numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def _transposed_padding(k: int, s: int, padding: Any) -> tuple[int, int]:
    """The zeros to add to spread examples, for this padding of the convolution whose transpose is asked for."""
    if padding == "SAME":
        total = k + s - 2
        low = k - 1 if s > k - 1 else -(-total // 2)
        return low, total - low
    if padding == "VALID":
        return k - 1, s - 1 + max(k - s, 0)
    low, high = padding
    return k - low - 1, k - high - 1


def conv_general_dilated_patches(
    lhs: Any,
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: str | Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """The windows of a convolution: the elements of each window become features.

    Arguments:
        lhs: the examples, by default "batch features ...".
        filter_shape: the size of windows.
        window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, precision, preferred_element_type: as
            for `conv_general_dilated`.

    Returns:
        An array whose features are "features window".

    Example:
        >>> fg.lax.conv_general_dilated_patches(fnp.arange(4.0).reshape(1, 1, 4), (2,), (1,), "VALID")
        Array([[[0., 1., 2.],
                [1., 2., 3.]]], dtype=float64)
    """
    x, size = as_array(lhs, "conv_general_dilated_patches"), tuple(filter_shape)
    numbers = conv_dimension_numbers(x.shape, (1, 1, *size), dimension_numbers)
    features, many = x.shape[numbers.lhs_spec[1]], math.prod(size)
    dtype = x.dtype if preferred_element_type is None else np.dtype(preferred_element_type)
    kernel = np.broadcast_to(np.eye(many, dtype=dtype), (features, many, many))
    kernel = kernel.reshape(features * many, 1, *size).transpose(np.argsort(numbers.rhs_spec))
    return conv_general_dilated(
        x.astype(dtype),
        kernel,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        numbers,
        feature_group_count=features,
        precision=precision,
    )

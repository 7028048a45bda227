"""Convolution with a bias, forwards or transposed, as one primitive: what torch records as one node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops.convolution import conv, conv_input
from funcgrad.ops.reduce import reduce_sum
from funcgrad.ops.structural import astype


def _column(b: Any, rank: int) -> Any:
    return b.reshape(b.shape[0], *(1,) * (rank - 2))


def _biased_conv(x: Any, w: Any, b: Any, *, strides: Any, padding: Any, dilation: Any, groups: int) -> np.ndarray:
    out = conv.impl(x, w, strides=strides, padding=padding, dilation=dilation, groups=groups)
    out += _column(b, out.ndim)
    return out


def _biased_conv_input(
    y: Any, w: Any, b: Any, *, lengths: Any, strides: Any, padding: Any, dilation: Any, groups: int
) -> np.ndarray:
    out = conv_input.impl(y, w, lengths=lengths, strides=strides, padding=padding, dilation=dilation, groups=groups)
    out += _column(b, out.ndim)
    return out


def _to_bias(g: Any) -> Any:
    axes = (0, *range(2, len(g.shape)))
    if g.dtype.itemsize == 2 and g.dtype.kind in "fV":  # halves are added up in single precision
        return astype(reduce_sum(astype(g, dtype=np.dtype(np.float32)), axis=axes), dtype=g.dtype)
    return reduce_sum(g, axis=axes)


def _biased(unbiased: Any, impl: Any, by_kernel: Any, samples: Any) -> Primitive:
    """The primitive that adds a bias to what another one computes."""

    def shape(x: Any, w: Any, b: Any, **params: Any) -> ShapeDtypeStruct:
        return unbiased.shape(x, w, **params)

    def batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        x, w, b = args
        if any(mask[:2]):
            out = unbiased.batch(unbiased, size, (x, w), mask[:2], params)
        else:
            out = batching.everywhere((unbiased(x, w, **params),), (False,), size)[0]
        column = b.reshape(*b.shape, *(1,) * (out.ndim - 3))
        return out + np.expand_dims(column, 1 if mask[2] else 0)

    return primitive(
        impl,
        operands=(*unbiased.operands, "b"),
        shape=shape,
        vjp=(*unbiased.vjp, _to_bias),
        jvp=(
            lambda t, w, params: unbiased(t, w, **params),
            by_kernel,
            lambda t, out_shape: np.broadcast_to(_column(t, len(out_shape)), out_shape),
        ),
        batch=batch,
        samples=samples,
    )


def _samples(draw: Draw) -> Iterator[Sample]:
    for s in (s for i, s in enumerate(conv.samples(draw)) if i in (0, 1, 3)):
        yield Sample(*s.args, draw(s.args[1].shape[0]), **s.params)


def _input_samples(draw: Draw) -> Iterator[Sample]:
    for s in (s for i, s in enumerate(conv_input.samples(draw)) if i in (0, 1, 3)):
        yield Sample(*s.args, draw(s.args[1].shape[1] * s.params["groups"]), **s.params)


biased_conv = _biased(conv, _biased_conv, lambda t, x, params: conv(x, t, **params), _samples)
biased_conv_input = _biased(
    conv_input, _biased_conv_input, lambda t, y, params: conv_input(y, t, **params), _input_samples
)

"""Windows as columns, and back: what unfold and fold compute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops.windows import window_counts
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.primitives import sliding_blocks as primitives
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import pooling as texts

UNFOLD = Operation(primitives.unfold, "Im2ColBackward0", operands=("self",))
FOLD = Operation(primitives.fold, "Col2ImBackward0", operands=("self",))


def _pair(name: str, given: Any) -> tuple[int, int]:
    if type(given) is int:
        return given, given
    if len(given) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")
    return tuple(given)


def _windows(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> dict[str, Any]:
    """The parameters of the primitives, checked."""
    size, apart = _pair("kernel_size", kernel_size), _pair("dilation", dilation)
    pads, strides = _pair("padding", padding), _pair("stride", stride)
    for word, name, pair in (
        ("kernel size", "kernel", size),
        ("stride", "stride", strides),
        ("dilation", "dilation", apart),
    ):
        if min(pair) <= 0:
            height, width = pair
            raise RuntimeError(
                f"{word} should be greater than zero, but got {name}_height: {height} {name}_width: {width}"
            )
    if min(pads) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {pads[0]} pad_width: {pads[1]}")
    return {
        "size": size,
        "strides": strides,
        "padding": tuple([(p, p) for p in pads]),
        "dilation": apart,
    }


def _recorded(operation: Operation, input: Tensor, params: dict[str, Any]) -> Tensor:
    """The result for a batch, or for one example."""
    is_batch = raw(input).ndim == (4 if operation is UNFOLD else 3)
    batch = input if is_batch else input.unsqueeze(0)
    if batch._value.dtype.kind == "b" and operation is FOLD:
        found = _any(batch, params)
    else:
        found = record(operation, (batch,), [raw(batch)], params)
    if type(found._value) is ndarray:
        found._value = np.ascontiguousarray(found._value)
    if found._node is not None:
        shown = {
            "kernel_size": params["size"],
            "dilation": params["dilation"],
            "padding": tuple([low for low, _ in params["padding"]]),
            "stride": params["strides"],
        }
        if operation is UNFOLD:
            shown |= {
                "self_sym_argsize_minus_2": raw(input).shape[-2],
                "self_sym_argsize_minus_1": raw(input).shape[-1],
            }
        found._node.params = shown
    return found if is_batch else found.squeeze(0)


def _any(batch: Tensor, params: dict[str, Any]) -> Tensor:
    """The fold of truth values: whether one is true."""
    return FOLD(batch.to(of_numpy(np.dtype(np.int64))), **params).bool()


_REST = (
    "tuple of ints kernel_size, tuple of ints dilation, tuple of ints padding, tuple of ints stride, *, "
    "Tensor out = None)"
)


@op("_nn.im2col", f"(Tensor input, {_REST}", records=(UNFOLD,))
def im2col(input: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """The windows of images as columns.

    Arguments:
        input: "n c h w", or "c h w".
        kernel_size, dilation, padding, stride: of the windows; a number, or one for each dimension.

    Returns:
        "n c·kh·kw windows".
    """
    value = raw(input)
    params = _windows(kernel_size, dilation, padding, stride)
    shape = value.shape
    if len(shape) < 3:
        input.size(2)
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(texts.UNFOLD_INPUT.format(shape=list(shape)))
    counts = window_counts(shape[-2:], **params)
    if min(counts) < 1:
        raise RuntimeError(
            texts.UNFOLD_EMPTY.format(
                lengths=shape[-2:],
                size=params["size"],
                dilation=params["dilation"],
                padding=tuple([low for low, _ in params["padding"]]),
                counts=counts,
            )
        )
    if value.dtype.kind in "iu":
        raise not_implemented("im2col_out_cpu", of_numpy(value.dtype))
    return _recorded(UNFOLD, input, params)


@op("_nn.col2im", f"(Tensor input, tuple of ints output_size, {_REST}", records=(FOLD,))
def col2im(input: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """Images of columns, which are added up where windows overlap.

    Arguments:
        input: "n c·kh·kw windows", or without n.
        output_size: of the images.
        kernel_size, dilation, padding, stride: as for `im2col`.

    Returns:
        "n c h w".
    """
    value = raw(input)
    lengths = _pair("output_size", output_size)
    params = _windows(kernel_size, dilation, padding, stride)
    shape, size = value.shape, params["size"]
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(texts.FOLD_INPUT.format(shape=list(shape)))
    if shape[-2] % math.prod(size):
        raise RuntimeError(texts.FOLD_FEATURES.format(n=shape[-2], size=size))
    counts = tuple(
        [
            (n + 2 * low - d * (k - 1) - 1) // s + 1
            for n, k, s, (low, _), d in zip(
                lengths, size, params["strides"], params["padding"], params["dilation"], strict=True
            )
        ]
    )
    if math.prod(counts) == shape[-1] and min(counts) < 1:
        raise RuntimeError(
            texts.FOLD_EMPTY.format(
                lengths=lengths,
                size=size,
                dilation=params["dilation"],
                padding=tuple([low for low, _ in params["padding"]]),
                strides=params["strides"],
                counts=counts,
            )
        )
    if math.prod(counts) != shape[-1]:
        raise RuntimeError(
            texts.FOLD_BLOCKS.format(
                lengths=lengths,
                size=size,
                dilation=params["dilation"],
                padding=tuple([low for low, _ in params["padding"]]),
                strides=params["strides"],
                blocks=f"{counts[0]} * {counts[1]} = {math.prod(counts)}",
                n=shape[-1],
            )
        )
    if value.dtype.kind in "iu":
        raise not_implemented("col2im_out_cpu", of_numpy(value.dtype))
    return _recorded(FOLD, input, {"lengths": lengths, **params})

"""Convolution and its transpose in one, two and three dimensions: conv1d, conv_transpose2d, convolution, conv_tbc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import convolution as core
from funcgrad.torch.base.dtypes import CPP_NAMES, of_numpy
from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.fft import PAD
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.primitives import convolution as biased
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import convolution as texts
from funcgrad.torch.texts import products as product_texts

_OPERANDS = ("input", "weight", "bias")
_NAME = "ConvolutionBackward0"

# By whether it is transposed: with a bias, and without.
BIASED = (
    Operation(biased.biased_conv, _NAME, operands=_OPERANDS, saves=(0, 1)),
    Operation(biased.biased_conv_input, _NAME, operands=_OPERANDS, saves=(0, 1)),
)
PLAIN = (
    Operation(core.conv, _NAME, operands=_OPERANDS[:2], edges=3, saves=(0, 1), again=True),
    Operation(core.conv_input, _NAME, operands=_OPERANDS[:2], edges=3, saves=(0, 1), again=False),
)
BACKWARD = tuple(
    [
        Operation(p, "ConvolutionBackwardBackward0", operands=names, edges=3, again=True)
        for p, names in ((core.conv_input, ("grad_output", "weight")), (core.conv_kernel, ("input", "grad_output")))
    ]
)


def convolve(
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """The convolution of a batch, or its transpose; any number is as in torch.convolution, whose errors it raises."""
    x, w = input._value, weight._value
    rank = w.ndim - 2
    if rank <= 0:
        raise RuntimeError(texts.WEIGHT_RANK)
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    strides, pads, apart, more = (
        _expanded(name, given, rank)
        for name, given in (
            ("stride", stride),
            ("padding", padding),
            ("dilation", dilation),
            ("output_padding", output_padding),
        )
    )
    _check_numbers(strides, pads, apart, more)
    _check_shapes(x.shape, w.shape, bias, strides, pads, apart, transposed, groups)
    _check_dtypes(x.dtype, w.dtype, None if bias is None else bias._value.dtype, rank)
    params: dict[str, Any] = {
        "strides": strides,
        "padding": tuple([(p, p) for p in pads]),
        "dilation": apart,
        "groups": groups,
    }
    if not transposed and not x.shape[1]:  # PyTorch gives no features where there are none
        weight, bias = weight[:0], None if bias is None else bias[:0]
    if transposed:
        params["lengths"] = _transposed_lengths(x.shape[2:], w.shape[2:], strides, pads, apart, more)
    args = (input, weight) if bias is None else (input, weight, bias)
    operation = (PLAIN if bias is None else BIASED)[transposed]
    t = record(operation, args, [raw(a) for a in args], params)
    if type(t._value) is ndarray:
        t._value = laid_out(t._value, in_channels_last(input) or in_channels_last(weight))
    if t._node is not None:
        t._node.params = {
            "bias_sym_sizes_opt": None if bias is None else bias._value.shape,
            "dilation": apart,
            "groups": groups,
            "output_padding": more,
            "padding": pads,
            "stride": strides,
            "transposed": transposed,
        }
    return t


def convolve_back(
    grad_output: Tensor,
    other: Tensor,
    input_size: Any,
    weight_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    """The gradient of a convolution: with respect to its input, if input_size is given, or to its weight.

    Arguments:
        grad_output: that with respect to its result.
        other: the weight, or the input.
        input_size, weight_size: one of the two.
        stride, padding, dilation, groups: of the convolution.
    """
    rank = other._value.ndim - 2
    params = {
        "strides": _expanded("stride", stride, rank),
        "padding": tuple([(p, p) for p in _expanded("padding", padding, rank)]),
        "dilation": _expanded("dilation", dilation, rank),
        "groups": groups,
    }
    if input_size is not None:
        return BACKWARD[0](grad_output, other, lengths=input_size[2:], **params)
    return BACKWARD[1](other, grad_output, size=weight_size[2:], **params)


def _expanded(name: str, given: Any, rank: int) -> tuple[int, ...]:
    """A parameter for each dimension."""
    numbers = _each(rank, given)
    if len(numbers) == rank:
        return tuple(numbers)
    if len(numbers) != 1:
        raise RuntimeError(texts.PARAMETER.format(name=name, rank=rank, given=list(numbers)))
    return tuple(numbers) * rank


def _check_numbers(strides: tuple, pads: tuple, apart: tuple, more: tuple) -> None:
    if min(pads) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(more) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(strides) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(apart) <= 0:
        raise RuntimeError("non-positive dilation is not supported")


def _check_shapes(
    x: tuple, w: tuple, bias: Any, strides: tuple, pads: tuple, apart: tuple, transposed: bool, groups: int
) -> None:
    """Raise what PyTorch says of sizes that do not fit each other."""
    shape, weight = list(x), list(w)
    if len(x) != len(w):
        raise RuntimeError(texts.INPUT_RANK.format(rank=len(w), weight=weight, found=len(x), shape=shape))
    if w[0] < groups:
        raise RuntimeError(texts.FEW_FEATURES.format(groups=groups, weight=weight))
    if w[0] % groups:
        raise RuntimeError(texts.UNEVEN_FEATURES.format(groups=groups, weight=weight))
    features = w[0] if transposed else w[1] * groups
    if x[1] != features:
        given = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
        raise RuntimeError(texts.CHANNELS.format(given=given, weight=weight, shape=shape, wanted=features, found=x[1]))
    wanted = w[1] * groups if transposed else w[0]
    if bias is not None and bias._value.shape != (wanted,):
        given, found = "transposed=1, " if transposed else "", list(bias._value.shape)
        raise RuntimeError(texts.BIAS.format(given=given, weight=weight, wanted=wanted, bias=found))
    if not transposed:
        padded = [n + 2 * p for n, p in zip(x[2:], pads, strict=True)]
        kernel = [(k - 1) * d + 1 for k, d in zip(w[2:], apart, strict=True)]
        if any(n < k for n, k in zip(padded, kernel, strict=True)):
            raise RuntimeError(texts.KERNEL_TOO_LARGE.format(padded=_by(padded), kernel=_by(kernel)))
        if 0 in w[2:]:
            raise RuntimeError(texts.PRIMITIVE)


def _by(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def _check_dtypes(x: np.dtype, w: np.dtype, b: Any, rank: int) -> None:
    """Raise what PyTorch says of dtypes that differ, or that it has no code for."""
    kind, weight = of_numpy(x), of_numpy(w)
    if x != w:
        if x.kind not in "fV" or x.itemsize == 8:
            raise RuntimeError(product_texts.SCALAR_TYPES.format(expected=kind.title, found=weight.title))
        raise RuntimeError(
            texts.INPUT_TYPE.format(input=f"torch.{kind.title}Tensor", weight=f"torch.{weight.title}Tensor")
        )
    if b is not None and b != x:
        raise RuntimeError(
            f"Input type ({CPP_NAMES[kind]}) and bias type ({CPP_NAMES[of_numpy(b)]}) should be the same"
        )
    if x.kind == "b":
        raise not_implemented("slow_conv3d_cpu" if rank == 3 else "slow_conv2d_cpu", kind)


def _transposed_lengths(
    lengths: tuple, size: tuple, strides: tuple, pads: tuple, apart: tuple, more: tuple
) -> tuple[int, ...]:
    """The sizes of the result of a transposed convolution."""
    if any(m >= s and m >= d for m, s, d in zip(more, strides, apart, strict=True)):
        names = "dhw"[3 - max(len(size), 2) :]
        fields: dict[str, int] = {}
        for letter, values in (("", more), ("s", strides), ("d", apart)):
            full = (0 if letter == "" else 1,) * (len(names) - len(values)) + values
            fields |= {letter + n: v for n, v in zip(names, full, strict=True)}
        raise RuntimeError((texts.OUTPUT_PADDING_3D if len(size) == 3 else texts.OUTPUT_PADDING).format(**fields))
    found = [
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, k, s, p, d, m in zip(lengths, size, strides, pads, apart, more, strict=True)
    ]
    if min(found) <= 0:
        raise RuntimeError(texts.DESCRIPTOR)
    return tuple(found)


def _each(rank: int, given: Any) -> Any:
    """A number for each dimension, where one is given for all."""
    return (given,) * rank if type(given) is int else given


def _batched(name: str, rank: int, input: Tensor) -> tuple[Tensor, bool]:
    """The input as a batch, and whether it was one."""
    dims = input._value.ndim
    if dims == rank + 2:
        return input, True
    if dims != rank + 1:
        shape = list(input._value.shape)
        raise RuntimeError(texts.RANK.format(rank=rank + 1, batched=rank + 2, name=name, shape=shape))
    return input.unsqueeze(0), False


def _forwards(
    rank: int, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    batch, is_batch = _batched(f"conv{rank}d", rank, input)
    stride, padding, dilation = _each(rank, stride), _each(rank, padding), _each(rank, dilation)
    if isinstance(padding, str):
        batch, padding = _padded(batch, weight, stride, padding, dilation)
    found = convolve(batch, weight, bias, stride, padding, dilation, False, 0, groups)
    return found if is_batch else found.squeeze(0)


def _padded(input: Tensor, weight: Tensor, stride: Any, padding: str, dilation: Any) -> tuple[Tensor, Any]:
    """The input and the padding that a word stands for; the input is padded where the two sides differ."""
    if padding == "valid":
        return input, (0,) * (weight._value.ndim - 2)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    size = weight._value.shape[2:]
    rank = len(size)
    if any(s != 1 for s in _expanded("stride", stride, rank)):
        raise RuntimeError(texts.STRIDED_SAME)
    total = [(k - 1) * d for k, d in zip(size, _expanded("dilation", dilation, rank), strict=True)]
    if any(n % 2 for n in total):
        warn_native(texts.EVEN_SAME, "aten/src/ATen/native/Convolution.cpp:1101", stacklevel=6)
        widths = ((0, 0), (0, 0), *[(0, n % 2) for n in total])
        before = input
        input = PAD(before, widths=widths)
        if input._node is not None:
            input._node.params = {"pad": tuple([w for pair in reversed(widths[2:]) for w in pair])}
    return input, tuple([n // 2 for n in total])


def _backwards(
    rank: int,
    input: Tensor,
    weight: Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    batch, is_batch = _batched(f"conv_transpose{rank}d", rank, input)
    stride, padding, dilation = _each(rank, stride), _each(rank, padding), _each(rank, dilation)
    output_padding = _each(rank, output_padding)
    found = convolve(batch, weight, bias, stride, padding, dilation, True, output_padding, groups)
    return found if is_batch else found.squeeze(0)


_SIGNATURES = (
    "(Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, tuple of ints padding = 0, "
    "tuple of ints dilation = 1, int groups = 1)",
    '(Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, str padding = "valid", '
    "tuple of ints dilation = 1, int groups = 1)",
)
_TRANSPOSED = (
    "(Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, tuple of ints padding = 0, "
    "tuple of ints output_padding = 0, int groups = 1, tuple of ints dilation = 1)"
)
_RECORDED = (*PLAIN, *BIASED, *BACKWARD)


def _declare(rank: int) -> None:
    """Declare the two functions of so many dimensions."""
    places = " ".join("dhw"[3 - rank :])

    def conv(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Tensor:
        return _forwards(rank, input, weight, bias, stride, padding, dilation, groups)

    def conv_transpose(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        return _backwards(rank, input, weight, bias, stride, padding, output_padding, groups, dilation)

    conv.__doc__ = f"""Convolution: a kernel, which is not flipped, moves over the last dimensions.

    Arguments:
        input: "n c {places}", or one example "c {places}".
        weight: "o c/groups ...", a kernel for each feature of the result.
        bias: "o", or None.
        stride: from one place of the kernel to the next; a number, or one for each dimension.
        padding: how many zeros there are before and behind; or "valid", none, or "same", as many as keep the size.
        dilation: how far apart the elements of the kernel meet those of the input.
        groups: of features, each of which meets its own part of the kernel alone.

    Returns:
        "n o ...".
    """
    conv_transpose.__doc__ = f"""The transpose of a convolution, which makes the input larger.

    Arguments:
        input: "n c {places}", or one example "c {places}".
        weight: "c o/groups ...", as the convolution that it is the transpose of has it.
        bias: "o", or None.
        stride, padding, dilation, groups: those of that convolution.
        output_padding: how much larger the result is than the smallest that the convolution makes this input of.

    Returns:
        "n o ...".
    """
    for name, body, signatures in (
        (f"conv{rank}d", conv, _SIGNATURES),
        (f"conv_transpose{rank}d", conv_transpose, (_TRANSPOSED,)),
    ):
        body.__name__ = body.__qualname__ = name
        op(name, *signatures, method=False, records=_RECORDED)(body)


for _rank in (1, 2, 3):
    _declare(_rank)


@op(
    "convolution",
    "(Tensor input, Tensor weight, Tensor? bias, tuple of ints stride, tuple of ints padding, tuple of ints dilation, "
    "bool transposed, tuple of ints output_padding, int groups)",
    method=False,
    records=_RECORDED,
)
def convolution(
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """Convolution of a batch in as many dimensions as the weight has, or its transpose.

    Arguments:
        input, weight, bias, stride, padding, dilation, output_padding, groups: as for `conv2d` and `conv_transpose2d`.
        transposed: whether it is the transpose.
    """
    return convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def _conv_tbc(x: Any, w: Any, b: Any, *, pad: int) -> Any:
    moved = core.conv(
        x.transpose(1, 2, 0), w.transpose(2, 1, 0), strides=(1,), padding=((pad, pad),), dilation=(1,), groups=1
    )
    return moved.transpose(2, 0, 1) + b


TBC = Operation(_conv_tbc, "ConvTbcBackward0", operands=("self", "weight", "bias"))


@op("conv_tbc", "(Tensor input, Tensor weight, Tensor bias, int pad = 0)", method=False, records=(TBC,))
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Tensor:
    """Convolution of sequences "time batch channels" with a kernel "places channels out".

    Arguments:
        input, weight: as said.
        bias: "out".
        pad: how many zeros there are before and behind the sequences.

    Returns:
        "time batch out".
    """
    x, w = input._value, weight._value
    if x.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if w.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias._value.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if x.shape[2] != w.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if bias._value.shape[0] != w.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    t = TBC(input, weight, bias, pad=pad)
    if type(t._value) is ndarray:
        t._value = np.ascontiguousarray(t._value)
    return t

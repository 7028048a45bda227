"""Pooling over windows of one size: the largest element of each, and their mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import pooling as core
from funcgrad.ops.structural import astype
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.ops.reducing import is_traced, simple
from funcgrad.torch.tensor.graph_tracer import symbolic
from funcgrad.torch.tensor.journal import journal, unrecorded
from funcgrad.torch.tensor.operation import Operation, link, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, requires, wrapped
from funcgrad.torch.texts import pooling as texts

_COUNTS = {2: "two", 3: "three"}
_NONE: tuple = ((), [], None)
"""What stands for a stride that is not given."""

MAX = {
    rank: Operation(
        core.window_pick,
        f"MaxPool{rank}DWithIndicesBackward0",
        operands=("self", "which"),
        edges=1,
        saves=(0,),
        again=rank == 2,
    )
    for rank in (2, 3)
}
SPREAD = Operation(
    core.window_place, "MaxPool2DWithIndicesBackwardBackward0", operands=("grad_output", "which"), edges=1
)


class Windows:
    """The windows of a pooling function, with what PyTorch checks of them.

    Arguments:
        name: of the function, such as "max_pool2d".
        rank: of the dimensions that windows move over.
        size, stride, padding, dilation: a number, or one for each dimension; without stride it is the size.
        ceil_mode: whether a last window may begin within the input and end beyond.
    """

    __slots__ = ("ceil_mode", "dilation", "name", "padding", "rank", "size", "stride")

    def __init__(
        self, name: str, rank: int, size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> None:
        self.name, self.rank, self.ceil_mode = name, rank, ceil_mode
        self.size = self._numbers("kernel_size", size)
        self.stride = self._numbers("stride", stride) if stride not in (None, (), []) else self.size
        self.padding = self._numbers("padding", padding)
        self.dilation = self._numbers("dilation", dilation)

    def _numbers(self, what: str, given: Any) -> tuple[int, ...]:
        if type(given) is int:
            return (given,) * self.rank
        if len(given) == self.rank:
            return tuple(given)
        if len(given) == 1:
            return tuple(given) * self.rank
        omitted = "omitted, " if what == "stride" else ""
        either = (
            "must be" if self.name == "avg_pool3d" else "must be either" if what == "dilation" else "must either be"
        )
        raise RuntimeError(
            f"{self.name}: {what} {either} {omitted}a single int, or a tuple of {_COUNTS[self.rank]} ints"
        )

    def params(self, shape: tuple[int, ...]) -> dict[str, Any]:
        """The parameters of the primitives for an input of this shape.

        Raises:
            RuntimeError: the windows do not fit it.
        """
        lengths = shape[len(shape) - self.rank :]
        counts = [
            self._count(n, k, s, p, d)
            for n, k, s, p, d in zip(lengths, self.size, self.stride, self.padding, self.dilation, strict=True)
        ]
        self._check(shape, lengths, counts)
        pads = [
            (p, (m - 1) * s + (k - 1) * d + 1 - n - p)
            for m, n, k, s, p, d in zip(
                counts, lengths, self.size, self.stride, self.padding, self.dilation, strict=True
            )
        ]
        one = (1,) * (len(shape) - self.rank)
        return {
            "size": one + self.size,
            "strides": one + self.stride,
            "padding": (*((0, 0) for _ in one), *pads),
            "dilation": one + self.dilation,
        }

    def _count(self, n: int, k: int, s: int, p: int, d: int) -> int:
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(texts.HALF.format(p=p, k=k, d=d))
        room = n + 2 * p - d * (k - 1) - 1
        found = -(-room // s) + 1 if self.ceil_mode else room // s + 1
        if self.ceil_mode and (found - 1) * s >= n + p:
            found -= 1
        return found

    def _check(self, shape: tuple, lengths: tuple, counts: list[int]) -> None:
        letters = "THW"[3 - self.rank :]
        for word, prefix, given in (
            ("kernel size", "k", self.size),
            ("stride", "d", self.stride),
            ("dilation", "dilation", self.dilation),
        ):
            if min(given) <= 0:
                named = " ".join([f"{prefix}{letter}: {n}" for letter, n in zip(letters, given, strict=True)])
                raise RuntimeError(f"{word} should be greater than zero, but got {named}")
        rest = shape[-self.rank - 1 :]
        if self.rank == 2:
            if len(shape) not in (3, 4) or 0 in rest:
                raise RuntimeError(texts.INPUT.format(shape=list(shape)))
        elif 0 in rest:
            name = "max_pool3d_with_indices_out_cpu_template" if "max" in self.name else self.name
            raise RuntimeError(texts.EMPTY_3D.format(name=name, shape=list(shape)))
        if self.name == "avg_pool3d" and any(
            n + 2 * p < k for n, k, p in zip(lengths, self.size, self.padding, strict=True)
        ):
            (n, h, w), (kt, kh, kw) = lengths, self.size
            raise RuntimeError(texts.SMALLER_THAN_KERNEL.format(n=n, h=h, w=w, kt=kt, kh=kh, kw=kw))
        if min(counts) < 1:
            sizes, found = "x".join(map(str, rest)), "x".join(map(str, (rest[0], *counts)))
            raise RuntimeError(texts.TOO_SMALL.format(given=sizes, found=found))


def _check_rank(rank: int, ndim: int) -> None:
    if ndim not in (rank + 1, rank + 2):
        raise RuntimeError(f"non-empty {rank + 1}D or {rank + 2}D (batch mode) tensor expected for input")


# The largest element.


def largest(input: Tensor, windows: Windows, kernel: str) -> tuple[Tensor, Any, dict]:
    """The largest element of each window, its place in the window, and the parameters of the primitives."""
    value = raw(input)
    params = windows.params(value.shape)
    if value.dtype.kind in "bc":
        raise not_implemented(kernel, of_numpy(value.dtype))
    operation = MAX[windows.rank]
    known = simple(input) and not is_traced(input) and state.dual_level < 0
    if known:
        found, which = core.extremum(value, True, **params)
        t: Tensor = wrapped(found.copy() if found is value else found)
        if state.grad and not input._inference and requires(input):
            link(
                operation, operation.recordings[True, False], (input, which), (value, which), params, t._value, None, t
            )
        elif journal.on:
            unrecorded(operation.name, (input,), t)
    elif symbolic(value):
        found, which = core.window_largest(value, **params)
        t = wrapped(found)
    else:
        which = core.window_argmax(value, **params)
        t = record(operation, (input, which), [value, which], params)
    if type(t._value) is ndarray:
        t._value = laid_out(t._value, in_channels_last(input))
    if t._node is not None:
        t._node.params = {
            "kernel_size": windows.size,
            "stride": () if windows.stride is windows.size else windows.stride,
            "padding": windows.padding,
            "dilation": windows.dilation,
            "ceil_mode": windows.ceil_mode,
        }
    return t, which, params


def _indices(input: Tensor, which: Any, params: dict, rank: int) -> Tensor:
    """Where the elements of places are among the last dimensions of the input, flattened."""
    if not isinstance(which, ndarray):
        flat = _flat(which, lengths=raw(input).shape[-rank:], **{k: v[-rank:] for k, v in params.items()})
        return wrapped(flat)
    found = core.flat_indices(which, raw(input).shape[-rank:], **{k: v[-rank:] for k, v in params.items()})
    return wrapped(laid_out(np.array(found, np.int64), in_channels_last(input)))


def _flat(which: Any, *, lengths: tuple, size: tuple, strides: tuple, padding: tuple, dilation: tuple) -> Any:
    """As `flat_indices` of the core, of places that a transform follows."""
    counts, rank = which.shape[which.ndim - len(lengths) :], len(lengths)
    index, step, inner = 0, 1, 1
    for a in reversed(range(rank)):
        column = (-1,) + (1,) * (rank - 1 - a)
        start = (np.arange(counts[a]) * strides[a] - padding[a][0]) * step
        place = astype(which, dtype=np.dtype(np.int64)) // inner % size[a]
        index = index + start.reshape(column) + place * (dilation[a] * step)
        step, inner = step * lengths[a], inner * size[a]
    return index


def _max_pool(
    name: str, rank: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple[Tensor, Any, dict]:
    windows = Windows(name, rank, kernel_size, stride, padding, dilation, ceil_mode)
    _check_rank(rank, raw(input).ndim)
    return largest(input, windows, name)


def _check_1d(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
    """Raise what PyTorch says of max_pool1d's own."""
    shape = x.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(texts.INPUT_1D.format(shape=list(shape)))
    found = []
    for text, given in (
        (texts.KERNEL_1D, kernel_size),
        (texts.STRIDE_1D, kernel_size if stride in _NONE else stride),
        (texts.PADDING_1D, padding),
        (texts.DILATION_1D, dilation),
    ):
        numbers = (given,) if type(given) is int else tuple(given)
        if len(numbers) != 1:
            raise RuntimeError(text.format(n=len(numbers)))
        found.append(numbers[0])
    k, s, p, d = found
    for word, n in (("kernel_size", k), ("stride", s)):
        if n <= 0:
            raise RuntimeError(f"max_pool1d() {word} must be greater than zero, but got {n}")
    if p < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        raise RuntimeError(texts.HALF_1D.format(p=p, k=k))
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    n = Windows("max_pool1d", 1, k, s, p, d, ceil_mode)._count(shape[-1], k, s, p, d)
    if n <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {n}")


def _one(given: Any) -> Any:
    """What is said of one dimension, for images of height 1."""
    return given if given in _NONE else given if type(given) is int else given[0]


def _as_images(input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple:
    """max_pool1d as max_pool2d of images of height 1."""
    k, s = _one(kernel_size), _one(stride)
    return _max_pool(
        "max_pool2d",
        2,
        input.unsqueeze(-2),
        (1, k),
        (1, k if s in _NONE else s),
        (0, _one(padding)),
        (1, _one(dilation)),
        ceil_mode,
    )


_MAX_1D = (
    "(Tensor input, tuple of ints kernel_size, tuple of ints stride = None, tuple of ints padding = 0, "
    "tuple of ints dilation = 1, bool ceil_mode = False)"
)


@op("max_pool1d", _MAX_1D, method=False, records=(MAX[2],))
def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Tensor:
    """The largest element of windows along the last dimension; arguments as for `max_pool2d`."""
    value = raw(input)
    _check_1d(value, kernel_size, stride, padding, dilation, ceil_mode)
    if not (state.grad and requires(input)) and value.dtype.kind not in "fV":
        raise not_implemented("max_pool1d_impl", of_numpy(value.dtype))
    return _as_images(input, kernel_size, stride, padding, dilation, ceil_mode)[0].squeeze(-2)


@op("max_pool1d_with_indices", _MAX_1D, method=False, records=(MAX[2],))
def max_pool1d_with_indices(
    input: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """As `max_pool1d`, and where the elements are."""
    numbers = {"kernel_size": kernel_size, "padding": padding, "dilation": dilation}
    if stride not in _NONE:
        numbers["stride"] = stride
    check_1d("max_pool1d", raw(input), **numbers)
    found, which, params = _as_images(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found.squeeze(-2), _indices(input.unsqueeze(-2), which, params, 2).squeeze(-2)


def _declare_max(rank: int) -> None:
    """Declare max_pool2d or max_pool3d, and the form that gives indices, too."""
    name = f"max_pool{rank}d"

    def pool(
        input: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Tensor:
        return _max_pool(name, rank, input, kernel_size, stride, padding, dilation, ceil_mode)[0]

    def with_indices(
        input: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> tuple[Tensor, Tensor]:
        found, which, params = _max_pool(name, rank, input, kernel_size, stride, padding, dilation, ceil_mode)
        return found, _indices(input, which, params, rank)

    pool.__doc__ = f"""The largest element of windows over the last {_COUNTS[rank]} dimensions.

    Arguments:
        input: one more dimension, or two: channels, or examples and channels.
        kernel_size: the size of windows; a number, or one for each dimension.
        stride: from one window to the next; by default windows lie side by side.
        padding: how far windows may begin before the input, and end behind it.
        dilation: how far apart the elements of a window are.
        ceil_mode: whether a last window may end further behind the input.
    """
    with_indices.__doc__ = f"""As `{name}`, and where the elements are in the flattened last dimensions."""
    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    op(name, _MAX_1D, method=False, records=(MAX[rank],))(pool)
    outs = _MAX_1D[:-1] + ", *, tuple of Tensors out = None)"
    op(f"_nn.{name}_with_indices", outs, records=(MAX[rank],))(with_indices)


# The mean.


def _divisor(
    lengths: tuple, counts: tuple, size: tuple, strides: tuple, padding: tuple, own: tuple, include: bool
) -> Any:
    """How many elements windows have: a number if all have as many, else an array."""
    found: Any = 1
    for n, m, k, s, (low, _), p in zip(lengths, counts, size, strides, padding, own, strict=True):
        start = np.arange(m) * s - low
        end = np.minimum(start + k, n + p)
        if not include:
            start, end = np.maximum(start, 0), np.minimum(end, n)
        found = np.multiply.outer(found, end - start)
    first = found.reshape(-1)[0]
    return int(first) if np.all(found == first) else found


def _average(x: Any, *, size: tuple, strides: tuple, padding: tuple, own: tuple, include: bool, override: Any) -> Any:
    rank, kind = len(own), x.dtype
    if kind.itemsize == 2 and kind.kind in "fV":
        x = astype(x, dtype=np.dtype(np.float32))
    total = core.window_sum(x, size=size, strides=strides, padding=padding, dilation=(1,) * x.ndim)
    last = slice(x.ndim - rank, None)
    divisor = override or _divisor(
        x.shape[last], total.shape[last], size[last], strides[last], padding[last], own, include
    )
    if kind.kind in "iu":
        return np.sign(total) * np.sign(divisor) * (np.abs(total) // np.abs(divisor))
    if not isinstance(divisor, int):
        divisor = divisor.astype(x.dtype)
    out = total / divisor
    return out if out.dtype == kind else astype(out, dtype=kind)


AVERAGE = {rank: Operation(_average, f"AvgPool{rank}DBackward0", operands=("self",), saves=(0,)) for rank in (2, 3)}
for _operation in AVERAGE.values():
    _operation.primitive.name = "avg_pool"


def average(input: Tensor, windows: Windows, kernel: str, count_include_pad: bool, divisor_override: Any) -> Tensor:
    """The mean of each window."""
    value = raw(input)
    params = windows.params(value.shape)
    if value.dtype.kind in "bc" or (windows.rank == 3 and value.dtype.itemsize == 2 and value.dtype.kind in "fV"):
        raise not_implemented(kernel, of_numpy(value.dtype))
    del params["dilation"]
    params |= {"own": windows.padding, "include": count_include_pad, "override": divisor_override}
    t = record(AVERAGE[windows.rank], (input,), [value], params)
    if type(t._value) is ndarray:
        t._value = laid_out(t._value.astype(value.dtype, copy=False), in_channels_last(input))
    if t._node is not None:
        t._node.params = {
            "kernel_size": windows.size,
            "stride": () if windows.stride is windows.size else windows.stride,
            "padding": windows.padding,
            "ceil_mode": windows.ceil_mode,
            "count_include_pad": count_include_pad,
            "divisor_override": divisor_override,
        }
    return t


def check_1d(name: str, x: Any, **numbers: Any) -> None:
    """Raise what PyTorch says of functions of sequences that it computes as those of images."""
    if x.ndim not in (2, 3):
        raise RuntimeError(texts.DIMENSIONS_1D.format(n=x.ndim, name=name))
    for word, given in numbers.items():
        if type(given) is not int and len(given) > 1:
            raise RuntimeError(f"{name}() argument '{word}' should contain one int (got {len(given)})")


@op(
    "avg_pool1d",
    "(Tensor input, tuple of ints kernel_size, tuple of ints stride = None, tuple of ints padding = 0, "
    "bool ceil_mode = False, bool count_include_pad = True)",
    method=False,
    records=(AVERAGE[2],),
)
def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of windows along the last dimension; arguments as for `avg_pool2d`."""
    stride = kernel_size if stride in _NONE else stride
    check_1d("avg_pool1d", raw(input), kernel_size=kernel_size, stride=stride, padding=padding)
    windows = Windows("avg_pool2d", 2, (1, _one(kernel_size)), (1, _one(stride)), (0, _one(padding)), 1, ceil_mode)
    return average(input.unsqueeze(-2), windows, "avg_pool2d", count_include_pad, None).squeeze(-2)


def _declare_average(rank: int) -> None:
    name = f"avg_pool{rank}d"

    def pool(
        input: Any,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Tensor:
        windows = Windows(name, rank, kernel_size, stride, padding, 1, ceil_mode)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        shape = raw(input).shape
        if rank == 2:
            input.size(-3)
        else:
            _check_rank(rank, len(shape))
        return average(
            input, windows, "avg_pool2d" if rank == 2 else "avg_pool3d_out_frame", count_include_pad, divisor_override
        )

    pool.__doc__ = f"""The mean of windows over the last {_COUNTS[rank]} dimensions.

    Arguments:
        input: one more dimension, or two: channels, or examples and channels.
        kernel_size, stride, padding, ceil_mode: as for `max_pool{rank}d`; there are zeros before and behind the input.
        count_include_pad: whether these zeros count.
        divisor_override: what sums are divided by, in the place of the number of elements.
    """
    pool.__name__ = pool.__qualname__ = name
    op(
        f"_nn.{name}",
        "(Tensor input, tuple of ints kernel_size, tuple of ints stride = None, tuple of ints padding = 0, "
        "bool ceil_mode = False, bool count_include_pad = True, int divisor_override = None, *, Tensor out = None)",
        records=(AVERAGE[rank],),
    )(pool)


for _rank in (2, 3):
    _declare_max(_rank)
    _declare_average(_rank)

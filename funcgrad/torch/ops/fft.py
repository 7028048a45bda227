"""Discrete Fourier transforms, as torch composes them: complex to complex, real to complex, complex to real.

Arguments: n (s for several dimensions) is the length of the transform, to which the dimension is cut or filled up with
zeros; norm says where to divide by it: in the inverse ("backward" or None), by its square root in both ("ortho"), or in
the transform ("forward").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import fft as core
from funcgrad.ops import structural
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.base.storage import allocate
from funcgrad.torch.declare.arguments import OPTIONS, read_options
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import write_out
from funcgrad.torch.ops.complex import _ToComplex
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import creation as creation_texts
from funcgrad.torch.texts import fft as texts
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import memory as memory_texts

NONE, BY_ROOT, BY_LENGTH = range(3)
"""What a transform divides by, as `grad_fn._saved_normalization` shows it."""

_FORWARD_NORM = {NONE: "backward", BY_ROOT: "ortho", BY_LENGTH: "forward"}
_INVERSE_NORM = {NONE: "forward", BY_ROOT: "ortho", BY_LENGTH: "backward"}


def _division(norm: str | None, forward: bool) -> int:
    if norm is None or norm == "backward":
        return NONE if forward else BY_LENGTH
    if norm == "forward":
        return BY_LENGTH if forward else NONE
    if norm == "ortho":
        return BY_ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


# The three operations.


def _c2c(x: Any, *, dim: tuple[int, ...], normalization: int, forward: bool) -> Any:
    transform, norm = (core.fft, _FORWARD_NORM) if forward else (core.ifft, _INVERSE_NORM)
    for d in dim:
        x = transform(x, n=x.shape[d], axis=d, norm=norm[normalization])
    return x


def _r2c(x: Any, *, dim: tuple[int, ...], normalization: int, onesided: bool) -> Any:
    d = dim[-1]
    norm = _FORWARD_NORM[normalization]
    x = (core.rfft if onesided else core.fft)(x, n=x.shape[d], axis=d, norm=norm)
    return _c2c(x, dim=dim[:-1], normalization=normalization, forward=True)


def _c2r(x: Any, *, dim: tuple[int, ...], normalization: int, n: int) -> Any:
    x = _c2c(x, dim=dim[:-1], normalization=normalization, forward=False)
    return core.irfft(x, n=n, axis=dim[-1], norm=_INVERSE_NORM[normalization])


C2C = Operation(_c2c, "FftC2CBackward0", operands=("self",), saves=())
R2C = Operation(_r2c, "FftR2CBackward0", operands=("self",), saves=(0,))
C2R = Operation(_c2r, "FftC2RBackward0", operands=("self",), saves=(), params={"n": "last_dim_size"})
for _op in (
    R2C,
    *(Operation(p, "FftC2CBackward0") for p in (core.fft, core.ifft)),
    Operation(core.rfft, "FftR2CBackward0"),
):
    _op.recordings = _ToComplex(_op)
PAD = Operation(structural.pad, "ConstantPadNdBackward0", operands=("self",))


def _transformed(op: Operation, x: Tensor, dim: Sequence[int], last: int, **params: Any) -> Tensor:
    """Apply one of the three.

    The dimensions of the result follow each other in memory as torch has it: first those that were not transformed,
    then those that were, both by their strides; the `last` ones of `dim` stay at the end.
    """
    if not x.numel():
        raise RuntimeError(texts.BAD_CONFIGURATION)
    t = apply(op, (x,), {"dim": tuple(dim), **params})
    if type(t._value) is ndarray and type(x._value) is ndarray and x.ndim:
        strides = x._value.strides
        front = sorted((d for d in range(x.ndim) if d not in dim), key=lambda d: -strides[d])
        keep = len(dim) - last
        order = front + sorted(dim[:keep], key=lambda d: -strides[d]) + list(dim[keep:])
        value, found, step = t._value, [0] * x.ndim, 1
        for d in reversed(order):
            found[d] = step
            step *= value.shape[d]
        if tuple([s * value.itemsize for s in found]) != value.strides:
            t._value = allocate(value.shape, value.dtype, tuple(found))
            t._value[...] = value
    return t


def complex_to_complex(x: Tensor, dim: Sequence[int], norm: str | None, forward: bool) -> Tensor:
    division = _division(norm, forward)
    return _transformed(C2C, x, dim, 0, normalization=division, forward=forward)


def real_to_complex(x: Tensor, dim: Sequence[int], norm: str | None, forward: bool, onesided: bool) -> Tensor:
    return _transformed(R2C, x, dim, 1, normalization=_division(norm, forward), onesided=onesided)


def complex_to_real(x: Tensor, dim: Sequence[int], norm: str | None, forward: bool, n: int) -> Tensor:
    division = _division(norm, forward)
    if len(dim) > 1:  # the last dimension decides on the order in memory
        strides = x._value.strides if type(x._value) is ndarray else ()
        rest = sorted(dim[:-1], key=lambda d: -strides[d]) if strides else list(dim[:-1])
        dim = (*rest, dim[-1])
    return _transformed(C2R, x, dim, len(dim), normalization=division, n=n)


# Arguments.


def _promoted(x: Tensor, need_complex: bool = False) -> Tensor:
    """x in a dtype that can be transformed."""
    d = of_numpy(x._value.dtype)
    if d.category < FLOATING:
        d = dtypes.get_default_dtype()
    if d.itemsize < 4:
        raise RuntimeError(f"Unsupported dtype {d.title}")
    if need_complex:
        d = d.to_complex()
    return x if x._value.dtype == d.numpy else x.to(d)


def _wrapped(dim: Any, ndim: int) -> int:
    if not ndim:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
    return wrap_dim(dim, ndim)


def _check_length(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _fitted(x: Tensor, dims: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """x with these sizes: cut, or filled up with zeros."""
    widths = [(0, 0)] * x.ndim
    for d, n in zip(dims, sizes, strict=True):
        length = x._value.shape[d]
        if n < length:
            x = x[(slice(None),) * d + (slice(n),)]
        widths[d] = (0, max(n - length, 0))
    return apply(PAD, (x,), {"widths": tuple(widths)}) if any(w != (0, 0) for w in widths) else x


def _listed(x: Any) -> Any:
    """An int as a sequence of one; sequences pass, and None."""
    return (x,) if isinstance(x, int) else x


def _shape_and_dims(x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The sizes and dimensions of a transform over several dimensions."""
    shape = x._value.shape
    ndim = len(shape)
    s = _listed(s)
    dims = None
    if dim is not None:
        dims = [_wrapped(d, ndim) for d in _listed(dim)]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dims is not None and len(dims) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > ndim:
            raise RuntimeError(texts.TOO_MANY_SIZES.format(count=len(s), ndim=ndim))
        if dims is None:
            dims = list(range(ndim - len(s), ndim))
        sizes = [shape[d] if n == -1 else n for n, d in zip(s, dims, strict=True)]
    else:
        if dims is None:
            dims = list(range(ndim))
        sizes = [shape[d] for d in dims]
    for n in sizes:
        _check_length(n)
    return sizes, dims


# Along one dimension.


def _check_out(name: str, kind: str, out: Any) -> None:
    """Raise torch's error if out= is not complex (kind "c") or real ("f")."""
    if out is not None and out._value.dtype.kind != kind:
        word = "complex" if kind == "c" else "floating point"
        raise RuntimeError(f"{name} expects a {word} output tensor, but got {out.dtype.title}")


_ONE = "(Tensor input, int? n = None, int dim = -1, str? norm = None, *, Tensor out = None)"
_ALL = "(Tensor input, tuple of ints? s = None, tuple of ints? dim = None, str? norm = None, *, Tensor out = None)"
_TWO = "(Tensor input, tuple of ints? s = None, tuple of ints dim = {-2,-1}, str? norm = None, *, Tensor out = None)"
_ARGUMENTS = "\n\nArguments: see torch.fft."


def _one(name: str, kind: str, forward: bool, doc: str) -> None:
    """Declare a function of one dimension; kind is "c2c", "r2c" or "c2r"."""

    @op(f"fft.{name}", _ONE, records=(C2C, R2C, C2R), doc=doc + _ARGUMENTS)
    def along_one(
        input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Any = None
    ) -> Tensor:
        _check_out(name, "f" if kind == "c2r" else "c", out)
        found = _along_one(name, kind, forward, input, n, dim, norm)
        return found if out is None else write_out(f"fft_{name}", found, out, (input,))


def _along_one(name: str, kind: str, forward: bool, input: Tensor, n: int | None, dim: int, norm: str | None) -> Tensor:
    if kind == "r2c" and input._value.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got {of_numpy(input._value.dtype).title}")
    x = _promoted(input, need_complex=kind == "c2r")
    d = _wrapped(dim, x.ndim)
    length = x._value.shape[d]
    size = n if n is not None else 2 * (length - 1) if kind == "c2r" else length
    _check_length(size)
    if n is not None:
        x = _fitted(x, (d,), (n // 2 + 1 if kind == "c2r" else n,))
    if kind == "c2r":
        return complex_to_real(x.conj() if forward else x, (d,), norm, forward, size)
    if x._value.dtype.kind == "c":
        return complex_to_complex(x, (d,), norm, forward)
    out = real_to_complex(x, (d,), norm, forward, onesided=kind == "r2c")
    return out if forward else out.conj()


_one("fft", "c2c", True, "The discrete Fourier transform along a dimension.")
_one("ifft", "c2c", False, "The inverse of fft.")
_one("rfft", "r2c", True, "The first half of the transform of a real signal; the other half is its mirror image.")
_one("irfft", "c2r", False, "The inverse of rfft: the real signal with half a spectrum.")
_one("hfft", "c2r", True, "The transform of a signal that is its own conjugate backwards, given by its first half.")
_one("ihfft", "r2c", False, "The inverse of hfft.")


# Over several dimensions.


def _fftn(input: Any, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    sizes, dims = _shape_and_dims(input, s, dim)
    x = _fitted(_promoted(input, need_complex=True), dims, sizes)
    return complex_to_complex(x, dims, norm, forward)


def _rfftn(input: Any, s: Any, dim: Any, norm: Any) -> Tensor:
    if input._value.dtype.kind == "c":
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {of_numpy(input._value.dtype).title}")
    x = _promoted(input)
    sizes, dims = _some("rfftn", input, s, dim)
    return real_to_complex(_fitted(x, dims, sizes), dims, norm, True, True)


def _some(name: str, x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    sizes, dims = _shape_and_dims(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return sizes, dims


def _halved(name: str, x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int], int]:
    """Sizes and dimensions of half a spectrum, and the last size of the real result."""
    sizes, dims = _some(name, x, s, dim)
    given = s is not None and (s if isinstance(s, int) else s[-1]) != -1
    last = sizes[-1] if given else 2 * (x._value.shape[dims[-1]] - 1)
    _check_length(last)
    return [*sizes[:-1], last // 2 + 1], dims, last


def _irfftn(input: Any, s: Any, dim: Any, norm: Any) -> Tensor:
    sizes, dims, last = _halved("irfftn", input, s, dim)
    x = _fitted(_promoted(input, need_complex=True), dims, sizes)
    return complex_to_real(x, dims, norm, False, last)


def _hfftn(input: Any, s: Any, dim: Any, norm: Any) -> Tensor:
    sizes, dims, last = _halved("hfftn", input, s, dim)
    x = _fitted(_promoted(input, need_complex=True), dims, sizes)
    return complex_to_real(
        (complex_to_complex(x, dims[:-1], norm, True) if dims[1:] else x).conj(), dims[-1:], norm, True, last
    )


def _ihfftn(input: Any, s: Any, dim: Any, norm: Any) -> Tensor:
    sizes, dims = _some("ihfftn", input, s, dim)
    if input._value.dtype.kind == "c":
        title = of_numpy(input._value.dtype).title
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {title}")
    x = real_to_complex(_fitted(_promoted(input), dims, sizes), dims[-1:], norm, False, True)
    return x.conj() if len(dims) == 1 else complex_to_complex(x.conj_physical(), dims[:-1], norm, False)


def _several(name: str, f: Callable, doc: str, *args: Any) -> None:
    """Declare the functions over any number of dimensions and over two."""
    called, kind = "fftn" if name == "ifft" else name + "n", "f" if name in ("irfft", "hfft") else "c"

    def computed(public: str, input: Any, s: Any, dim: Any, norm: Any, out: Any) -> Tensor:
        _check_out(called, kind, out)
        found = f(input, s, dim, norm, *args)
        return found if out is None else write_out(f"fft_{public}", found, out, (input,))

    @op(f"fft.{name}n", _ALL, records=(C2C, R2C, C2R), doc=f"{doc} over several dimensions.{_ARGUMENTS}")
    def over_all(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
        return computed(f"{name}n", input, s, dim, norm, out)

    @op(f"fft.{name}2", _TWO, records=(C2C, R2C, C2R), doc=f"{doc} over the last two dimensions.{_ARGUMENTS}")
    def over_two(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None, *, out: Any = None) -> Tensor:
        return computed(f"{name}2", input, s, dim, norm, out)


_several("fft", _fftn, "The discrete Fourier transform", True)
_several("ifft", _fftn, "The inverse Fourier transform", False)
_several("rfft", _rfftn, "The transform of a real signal, without its mirrored half,")
_several("irfft", _irfftn, "The inverse of rfftn")
_several("hfft", _hfftn, "The transform of a signal that is its own conjugate backwards")
_several("ihfft", _ihfftn, "The inverse of hfftn")


# Frequencies.


def _shift(x: Any, dim: Any, up: int) -> Tensor:
    ndim, shape = x._value.ndim, x._value.shape
    dims = list(range(ndim)) if dim is None else [_wrapped(d, ndim) for d in _listed(dim)]
    return x.roll(tuple((shape[d] + up) // 2 for d in dims), tuple(dims))


@op("fft.fftshift", "(Tensor input, tuple of ints? dim = None)")
def fftshift(input: Any, dim: Any = None) -> Tensor:
    """A spectrum with frequency zero in the middle of each dimension.

    Arguments:
        input: the spectrum.
        dim: a dimension or several; None for all.
    """
    return _shift(input, dim, 0)


@op("fft.ifftshift", "(Tensor input, tuple of ints? dim = None)")
def ifftshift(input: Any, dim: Any = None) -> Tensor:
    """The inverse of fftshift."""
    return _shift(input, dim, 1)


def _frequencies(name: str, numbers: ndarray, n: int, d: Any, options: dict[str, Any]) -> Tensor:
    dtype, requires_grad = read_options(**options)
    kind = dtype if dtype is not None else dtypes.get_default_dtype()
    if kind.category < FLOATING:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if kind.is_complex:
        raise NotImplementedError(creation_texts.ARANGE_KIND.format(kind=kind.title))
    product = n * float(d)
    scale = 1.0 / product if product else math.copysign(math.inf, product)
    with np.errstate(all="ignore"):
        t = wrapped(numbers.astype(kind.numpy) * kind.numpy.type(scale))
    return t.requires_grad_(requires_grad)


_FREQUENCIES = f"(int n, float d = 1.0, *, Tensor out = None, {OPTIONS})"


@op("fft.fftfreq", _FREQUENCIES)
def fftfreq(n: int, d: Any = 1.0, **options: Any) -> Tensor:
    """The frequencies of the elements of a spectrum, in cycles per unit of time.

    Arguments:
        n: the length of the signal.
        d: the time between two samples.
    """
    if n < 0:
        raise RuntimeError(memory_texts.NEGATIVE_DIMENSION.format(n=n, sizes=[n]))
    half = (n + 1) // 2
    return _frequencies("fftfreq", np.r_[np.arange(half), np.arange(half - n, 0)], n, d, options)


@op("fft.rfftfreq", _FREQUENCIES)
def rfftfreq(n: int, d: Any = 1.0, **options: Any) -> Tensor:
    """The frequencies of the elements of half a spectrum, that of a real signal; arguments as for fftfreq."""
    return _frequencies("rfftfreq", np.arange(int(n / 2) + 1), n, d, options)

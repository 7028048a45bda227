"""The Fourier transforms of a signal's pieces, each multiplied by a window: `torch.stft` and its inverse.

https://docs.pytorch.org/docs/stable/generated/torch.stft.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.complex import view_as_real
from funcgrad.torch.ops.constructors import from_numpy
from funcgrad.torch.ops.creation import ones, zeros
from funcgrad.torch.ops.fft import complex_to_complex, complex_to_real, real_to_complex
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import fft as texts

_PLACE = "aten/src/ATen/native/SpectralOps.cpp"
_PAD_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # NumPy's names


@op("stft")
def stft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Any:
    """The Fourier transforms of the pieces of a signal, one column for each piece.

    Arguments:
        input: a signal, or a batch of them in rows.
        n_fft: the length of a piece.
        hop_length: how much later the next piece begins; by default a quarter of n_fft.
        win_length: the length of the window, in the middle of a piece; by default n_fft.
        window: what pieces are multiplied by; by default ones.
        center: whether the signal is continued on both sides, so that piece t has sample t * hop_length in its middle.
        pad_mode: how: "reflect", "replicate", "circular" or "constant", with zeros.
        normalized: whether transforms are divided by the root of n_fft.
        onesided: whether to leave out the half of the frequencies that mirrors the other, as of real signals.
        return_complex: whether the result is complex; real results are deprecated.
        align_to_window: without center, whether the first window begins with the signal, and not the first piece.

    Returns:
        Tensor of shape (batch, frequencies, pieces), without the batch if the signal is one.
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        input = _continued(input, n_fft // 2, pad_mode)
    if window is None:
        warn_native(f"{texts.NO_WINDOW}{texts.LEAKAGE}{texts.SUPPRESS_NO_WINDOW}", f"{_PLACE}:835", stacklevel=3)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    complex_window = window is not None and window.is_complex()
    if return_complex is None:
        return_complex = input.is_complex() or complex_window
        if not return_complex:
            raise RuntimeError(texts.RETURN_COMPLEX_NEEDED)
    elif not return_complex:
        warn_native(texts.RETURN_COMPLEX_DEPRECATED, f"{_PLACE}:874", stacklevel=3)

    def check(fits: bool, why: str) -> None:
        if not fits:
            of = f"torch.{input.dtype.title}Tensor{list(input.shape)}"
            options = _shown(normalized, onesided, return_complex=return_complex, align_to_window=align_to_window)
            raise RuntimeError(f"stft({of}, {_sizes(n_fft, hop, width, window)}, {options}) : {why}")

    check(input.is_floating_point() or input.is_complex(), "expected a tensor of floating point or complex values")
    check(1 <= input.ndim <= 2, "expected a 1D or 2D tensor")
    x = input.unsqueeze(0) if input.ndim == 1 else input
    length = x.shape[1]
    check(0 < n_fft <= length, f"expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    check(hop > 0, f"expected hop_length > 0, but got hop_length={hop}")
    check(0 < width <= n_fft, f"expected 0 < win_length <= n_fft, but got win_length={width}")
    check(
        window is None or tuple(window.shape) == (width,),
        f"expected a 1D window tensor of size equal to win_length={width}, but got window with size "
        f"{list(window.shape) if window is not None else ''}",
    )
    if align_to_window and not center:
        x = _continued(x, (n_fft - width) // 2, pad_mode)
    pieces = x.unfold(-1, n_fft, hop)
    weights = _filled(window, width, n_fft, x)
    if weights is not None:
        pieces = pieces * weights
    norm = "ortho" if normalized else None
    if pieces.is_complex():
        if onesided:
            raise RuntimeError(texts.ONESIDED_OF_COMPLEX)
        found = complex_to_complex(pieces, (2,), norm, True)
    else:
        found = real_to_complex(pieces, (2,), norm, True, onesided=onesided is None or onesided)
    found = found.transpose(1, 2)
    if input.ndim == 1:
        found = found.squeeze(0)
    return found if return_complex else view_as_real(found)


@op(
    "istft",
    "(Tensor input, int n_fft, int? hop_length = None, int? win_length = None, Tensor? window = None, bool center = "
    "True, bool normalized = False, bool? onesided = None, int? length = None, bool return_complex = False)",
)
def istft(
    input: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Any:
    """The signal that has these transforms of pieces: the inverse of `stft`, with the same arguments.

    Arguments:
        input: what stft has returned, complex.
        length: of the signal; by default as far as the pieces reach.
        return_complex: whether the signal is complex.
    """
    if window is None:
        warn_native(f"{texts.NO_WINDOW}{texts.SAME_WINDOW}{texts.SUPPRESS_NO_WINDOW}", f"{_PLACE}:1035", stacklevel=3)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    if not input.is_complex():
        raise RuntimeError(texts.ISTFT_OF_REAL)
    as_real = view_as_real(input)
    frequencies, frames = as_real.size(-3), as_real.size(-2)
    start = f"istft(CPU{input.dtype.title}Type{list(input.shape)}, {_sizes(n_fft, hop, width, window)}, center="
    options = _shown(normalized, onesided, length=length, return_complex=return_complex)

    def check(fits: bool, why: str) -> None:
        if not fits:
            raise RuntimeError(f"{start}{int(center)}, {options}){why}")

    half = frequencies != n_fft if onesided is None else onesided
    check(input.numel() > 0, " : input tensor cannot be empty.")
    if input.ndim not in (2, 3):
        check(False, f" : expected a tensor with 2 or 3 dimensions, but got {input.ndim}")
    expected = n_fft // 2 + 1 if half else n_fft
    word = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
    check(frequencies == expected, texts.ISTFT_FREQUENCIES.format(word=word, frequencies=frequencies))
    check(0 < hop <= width, " : expected 0 < hop_length <= win_length")
    check(0 < width <= n_fft, " : expected 0 < win_length <= n_fft")
    check(window is None or tuple(window.shape) == (width,), texts.ISTFT_WINDOW)
    x = (input.unsqueeze(0) if input.ndim == 2 else input).transpose(1, 2)
    weights = _filled(window, width, n_fft, x.real)
    if weights is None:
        weights = ones((n_fft,), dtype=x.real.dtype)
    norm = "ortho" if normalized else None
    if return_complex:
        if half:
            raise RuntimeError(texts.ONESIDED_OF_COMPLEX)
        pieces = complex_to_complex(x, (2,), norm, False)
    else:
        if weights.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        pieces = complex_to_real(x if half else x[:, :, : n_fft // 2 + 1], (2,), norm, False, n_fft)
    places = from_numpy(np.add.outer(np.arange(frames) * hop, np.arange(n_fft)).reshape(-1))
    signal = _overlapped(pieces * weights, places)
    envelope = _overlapped((weights * weights).expand(1, frames, n_fft), places)
    reach = signal.size(1)
    first = n_fft // 2 if center else 0
    end = first + length if length is not None else reach - n_fft // 2 if center else reach
    signal, envelope = signal[:, first:end], envelope[:, first:end]
    check(not bool((envelope.abs().min() < 1e-11).item()), texts.ISTFT_ENVELOPE)
    signal = signal / envelope
    if end > reach:
        warn_native(texts.ISTFT_SHORT, f"{_PLACE}:1199", stacklevel=3)
        signal = cat([signal, zeros((signal.size(0), end - reach), dtype=signal.dtype)], 1)
    return signal.squeeze(0) if input.ndim == 2 else signal


def _overlapped(pieces: Tensor, places: Tensor) -> Tensor:
    """The sum of pieces, each laid at its places in a signal."""
    batch = pieces.size(0)
    signal = zeros((batch, int(places[-1].item()) + 1), dtype=pieces.dtype)
    return signal.index_add(1, places, pieces.reshape(batch, -1))


def _filled(window: Tensor | None, width: int, n_fft: int, x: Tensor) -> Tensor | None:
    """A window of n_fft weights, with the given one in its middle; None: all are one."""
    if width == n_fft:
        return window
    before = (n_fft - width) // 2
    inner = ones((width,), dtype=x.dtype) if window is None else window
    parts = [zeros((n,), dtype=inner.dtype) for n in (before, n_fft - width - before)]
    return cat([parts[0], inner, parts[1]])


def _continued(x: Tensor, n: int, mode: str) -> Tensor:
    """A signal with n more samples on both sides."""
    length = x.size(-1)
    if mode == "constant":
        beside = zeros((*x.shape[:-1], n), dtype=x.dtype)
        return cat([beside, x, beside], -1)
    if mode not in _PAD_MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode == "reflect" and n >= length:
        shape = [*([1] * (3 - x.ndim)), *x.shape]
        raise RuntimeError(texts.REFLECTS_TOO_FAR.format(n=n, shape=shape))
    return x.index_select(-1, from_numpy(np.pad(np.arange(length), n, mode=_PAD_MODES[mode])))


def _sizes(n_fft: int, hop: int, width: int, window: Tensor | None) -> str:
    shown = "None" if window is None else f"torch.{window.dtype.title}Tensor{{{list(window.shape)}}}"
    return f"n_fft={n_fft}, hop_length={hop}, win_length={width}, window={shown}"


def _shown(normalized: bool, onesided: bool | None, **options: Any) -> str:
    options = {"normalized": normalized, "onesided": onesided, **options}
    return ", ".join(f"{k}={v if v is None else int(v)}" for k, v in options.items())

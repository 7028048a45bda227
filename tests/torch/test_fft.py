"""torch.fft against NumPy, its derivatives, and nodes, strides and errors as recorded from torch."""

import numpy as np
import pytest

from funcgrad import torch

F = torch.fft
RNG = np.random.default_rng(0)
REAL = torch.tensor(RNG.normal(size=(3, 4)), requires_grad=True)
COMPLEX = torch.tensor(RNG.normal(size=(3, 4)) + 1j * RNG.normal(size=(3, 4)), requires_grad=True)

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]


def operand(name):
    return REAL if name.startswith(("rfft", "ihfft")) else COMPLEX


@pytest.mark.parametrize("name", ONE + SEVERAL)
@pytest.mark.parametrize("norm", [None, *(pytest.param(n, marks=pytest.mark.slow) for n in ("ortho", "forward"))])
def test_values_and_derivatives(name, norm):
    x, f = operand(name), getattr(F, name)
    found = f(x, norm=norm).detach().resolve_conj()
    np.testing.assert_allclose(found, getattr(np.fft, name)(x.detach().numpy(), norm=norm), atol=1e-12)
    assert torch.autograd.gradcheck(lambda x: f(x, norm=norm), (x,))
    assert torch.autograd.gradgradcheck(lambda x: f(x, norm=norm).abs(), (x,))


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("options", [{"n": 2}, {"n": 5}, {"dim": 0}, {"n": 6, "dim": 0}])
def test_lengths_and_dimensions(name, options):
    x = operand(name)
    numpys = {{"dim": "axis"}.get(k, k): v for k, v in options.items()}
    found = getattr(F, name)(x, **options).detach().resolve_conj()
    np.testing.assert_allclose(found, getattr(np.fft, name)(x.detach().numpy(), **numpys), atol=1e-12)
    assert torch.autograd.gradcheck(lambda x: getattr(F, name)(x, **options), (x,))


def test_transforms_of_hermitian_signals_in_several_dimensions():
    x = F.ihfftn(REAL)
    assert torch.allclose(F.hfftn(x, s=(3, 4)), REAL)
    assert torch.allclose(F.hfft2(F.ihfft2(REAL)), REAL)
    np.testing.assert_allclose(x.detach()[0].resolve_conj(), np.fft.ihfft(REAL.detach().mean(0)), atol=1e-12)


RESULTS = [  # strides, node, and whether it is a lazy conjugate
    (lambda: F.fft(REAL), (4, 1), "FftR2CBackward0", False),
    (lambda: F.ifft(REAL), (4, 1), "ConjBackward0", True),
    (lambda: F.fft(COMPLEX, dim=0), (1, 3), "FftC2CBackward0", False),
    (lambda: F.fftn(REAL), (4, 1), "FftC2CBackward0", False),
    (lambda: F.rfft(REAL), (3, 1), "FftR2CBackward0", False),
    (lambda: F.rfftn(REAL, dim=(1, 0)), (1, 2), "FftR2CBackward0", False),
    (lambda: F.irfft(COMPLEX), (6, 1), "FftC2RBackward0", False),
    (lambda: F.irfftn(COMPLEX, dim=0), (1, 4), "FftC2RBackward0", False),
    (lambda: F.hfft(REAL), (6, 1), "FftC2RBackward0", False),
    (lambda: F.ihfft(REAL), (3, 1), "ConjBackward0", True),
    (lambda: F.ihfftn(REAL), (1, 3), "FftC2CBackward0", False),
    (lambda: F.fftshift(REAL), (4, 1), "RollBackward0", False),
]


@pytest.mark.parametrize("call, strides, node, conj", RESULTS)
def test_strides_and_nodes(call, strides, node, conj):
    found = call()
    assert (found.stride(), type(found.grad_fn).__name__, found.is_conj()) == (strides, node, conj)


def test_dtypes():
    assert F.fft(torch.ones(2)).dtype is torch.complex64
    assert F.rfft(torch.ones(2).double()).dtype is torch.complex128
    assert F.irfft(torch.ones(2, dtype=torch.complex64)).dtype is torch.float32
    assert F.fft(torch.ones(2, dtype=torch.int64)).dtype is torch.complex64
    assert F.fftfreq(4).dtype is torch.float32 and F.rfftfreq(4, dtype=torch.float64).dtype is torch.float64


def test_frequencies_and_shifts():
    np.testing.assert_allclose(F.fftfreq(5, 0.3), np.fft.fftfreq(5, 0.3), rtol=1e-6)
    np.testing.assert_allclose(F.rfftfreq(6, 0.5), np.fft.rfftfreq(6, 0.5))
    for f, numpys in ((F.fftshift, np.fft.fftshift), (F.ifftshift, np.fft.ifftshift)):
        np.testing.assert_array_equal(f(torch.arange(5)), numpys(np.arange(5)))
        np.testing.assert_array_equal(
            f(torch.arange(6).reshape(2, 3), dim=1), numpys(np.arange(6).reshape(2, 3), axes=1)
        )


ERRORS = [
    (lambda x: F.fft(x, n=0), RuntimeError, "Invalid number of data points (0) specified"),
    (lambda x: F.fft(x, norm="bad"), RuntimeError, 'Invalid normalization mode: "bad"'),
    (lambda x: F.fft(x, dim=2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    (lambda x: F.rfft(x + 0j), RuntimeError, "rfft expects a real input tensor, but got ComplexDouble"),
    (lambda x: F.rfftn(x + 0j), RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexDouble"),
    (lambda x: F.fft(x.half()), RuntimeError, "Unsupported dtype Half"),
    (lambda x: F.fftn(x, dim=(0, 0)), RuntimeError, "FFT dims must be unique"),
    (
        lambda x: F.fftn(x, s=(2,), dim=(0, 1)),
        RuntimeError,
        "When given, dim and shape arguments must have the same length",
    ),
    (lambda x: F.rfftn(x, dim=()), RuntimeError, "rfftn must transform at least one axis"),
    (lambda x: F.fft(torch.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
    (lambda x: F.fft("a"), TypeError, "fft_fft(): argument 'input' (position 1) must be Tensor, not str"),
    (
        lambda x: F.fft(x, out=torch.zeros(0)),
        RuntimeError,
        "fft expects a complex output tensor, but got Float",
    ),
    (lambda x: F.fftfreq(4, dtype=torch.int64), RuntimeError, "fftfreq requires a floating point or complex dtype"),
]


@pytest.mark.parametrize("call, error, text", ERRORS)
def test_errors(call, error, text):
    with pytest.raises(error) as e:
        call(REAL.detach())
    assert str(e.value) == text


def test_saved_parameters():
    node = F.fft(COMPLEX, norm="ortho").grad_fn
    assert (node._saved_dim, node._saved_forward, node._saved_normalization) == ((1,), True, 1)


@pytest.mark.parametrize("options", [{}, {"normalized": True, "win_length": 6}, {"center": False}, {"onesided": False}])
def test_derivatives_of_pieces(options):
    """Of the transforms of a signal's pieces, and of the way back."""
    x = torch.sin(torch.arange(14.0, dtype=torch.float64)).requires_grad_()
    w = torch.hann_window(options.get("win_length", 8), dtype=torch.float64, requires_grad=True)

    def forward(x, w):
        return torch.stft(x, 8, 2, window=w, return_complex=True, **options)

    assert torch.autograd.gradcheck(forward, (x, w))
    if options.get("center", True):
        z = forward(x, w).detach().requires_grad_()
        assert torch.autograd.gradcheck(lambda z: torch.istft(z, 8, 2, window=w, **options), z)

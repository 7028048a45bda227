"""Fourier primitives: their transposes as matrices, and agreement with NumPy's n-dimensional ones."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.ops import fft as ops


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("length", [1, 3, 4])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_the_transpose_is_that_of_the_matrix(name, length, n, norm):
    """Column k of the matrix is the transform of the k-th unit vector; i times it, for an operand that is complex."""
    primitive = getattr(ops, name)
    units = np.eye(length) if name == "rfft" else np.eye(length, dtype=complex)
    matrix = np.stack([getattr(np.fft, name)(u, n, norm=norm) for u in units], axis=1)
    rng = np.random.default_rng(0)
    g = rng.standard_normal(len(matrix))
    if matrix.dtype.kind == "c":
        g = g + 1j * rng.standard_normal(len(matrix))
    expected = matrix.T @ g
    if name == "rfft":
        expected = expected.real
    if name == "irfft":  # real-linear only: the imaginary part has a row of its own
        turned = np.stack([np.fft.irfft(1j * u, n, norm=norm) for u in units], axis=1)
        expected = expected - 1j * (turned.T @ g)
    x = units[0]
    (ct,) = fg.vjp(lambda x: primitive(x, n=n, axis=0, norm=norm), x)[1](g)
    assert ct.dtype == x.dtype
    np.testing.assert_allclose(np.asarray(ct), expected, atol=1e-14)


def test_nothing_is_kept_for_the_backward_pass():
    _, pullback = fg.vjp(lambda x: ops.rfft(x, n=8, axis=0, norm="backward"), np.ones(8))
    assert pullback.tape.residual_bytes == 0

"""Fourier transforms under SciPy's names."""

from funcgrad.scipy.fft.lengths import next_fast_len as next_fast_len

__all__ = ["next_fast_len"]

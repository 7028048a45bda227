"""Windows: SciPy's, as constants."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.types import Float
from funcgrad.numpy.convert import asarray

__all__ = ["get_window"]


def get_window(window: Any, Nx: int, fftbins: bool = True) -> Float[Array, " n"]:
    """A window of SciPy, by name. It is a constant; a window with parameters to be differentiated is written out.

    Arguments:
        window: a name, or a tuple of a name and parameters.
        Nx: its length.
        fftbins: whether it is periodic, for spectra, or symmetric, for filters.

    Raises:
        ImportError: SciPy is not installed.
        ValueError: there is no such window.

    Example:
        >>> from funcgrad.scipy.signal import get_window
        >>> get_window("hann", 4)
        Array([0. , 0.5, 1. , 0.5], dtype=float64)
    """
    try:
        signal = import_module("scipy.signal")
    except ImportError:
        raise ImportError(
            f"the window {window!r} is SciPy's, which is not installed: pip install 'funcgrad[scipy]', or pass an array"
        ) from None
    return asarray(signal.get_window(window, Nx, fftbins))

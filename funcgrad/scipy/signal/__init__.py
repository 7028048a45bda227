"""Signals: convolution, filters, spectra, under SciPy's names."""

from funcgrad.scipy.signal.convolutions import choose_conv_method as choose_conv_method
from funcgrad.scipy.signal.convolutions import convolve as convolve
from funcgrad.scipy.signal.convolutions import convolve2d as convolve2d
from funcgrad.scipy.signal.convolutions import correlate as correlate
from funcgrad.scipy.signal.convolutions import correlate2d as correlate2d
from funcgrad.scipy.signal.convolutions import fftconvolve as fftconvolve
from funcgrad.scipy.signal.convolutions import oaconvolve as oaconvolve
from funcgrad.scipy.signal.detrending import detrend as detrend
from funcgrad.scipy.signal.detrending import hilbert as hilbert
from funcgrad.scipy.signal.filters import filtfilt as filtfilt
from funcgrad.scipy.signal.filters import lfilter as lfilter
from funcgrad.scipy.signal.filters import lfilter_zi as lfilter_zi
from funcgrad.scipy.signal.filters import lfiltic as lfiltic
from funcgrad.scipy.signal.filters import sosfilt as sosfilt
from funcgrad.scipy.signal.filters import sosfilt_zi as sosfilt_zi
from funcgrad.scipy.signal.filters import sosfiltfilt as sosfiltfilt
from funcgrad.scipy.signal.spectra import coherence as coherence
from funcgrad.scipy.signal.spectra import csd as csd
from funcgrad.scipy.signal.spectra import istft as istft
from funcgrad.scipy.signal.spectra import periodogram as periodogram
from funcgrad.scipy.signal.spectra import stft as stft
from funcgrad.scipy.signal.spectra import welch as welch
from funcgrad.scipy.signal.windows import get_window as get_window

__all__ = [
    "choose_conv_method",
    "coherence",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "csd",
    "detrend",
    "fftconvolve",
    "filtfilt",
    "get_window",
    "hilbert",
    "istft",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "oaconvolve",
    "periodogram",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "stft",
    "welch",
]

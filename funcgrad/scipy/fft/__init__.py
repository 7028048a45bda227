"""Fourier, cosine and sine transforms under SciPy's names. The Fourier transforms are those of funcgrad.numpy.fft."""

from funcgrad.numpy.fft import fft as fft
from funcgrad.numpy.fft import fft2 as fft2
from funcgrad.numpy.fft import fftfreq as fftfreq
from funcgrad.numpy.fft import fftn as fftn
from funcgrad.numpy.fft import fftshift as fftshift
from funcgrad.numpy.fft import hfft as hfft
from funcgrad.numpy.fft import ifft as ifft
from funcgrad.numpy.fft import ifft2 as ifft2
from funcgrad.numpy.fft import ifftn as ifftn
from funcgrad.numpy.fft import ifftshift as ifftshift
from funcgrad.numpy.fft import ihfft as ihfft
from funcgrad.numpy.fft import irfft as irfft
from funcgrad.numpy.fft import irfft2 as irfft2
from funcgrad.numpy.fft import irfftn as irfftn
from funcgrad.numpy.fft import rfft as rfft
from funcgrad.numpy.fft import rfft2 as rfft2
from funcgrad.numpy.fft import rfftfreq as rfftfreq
from funcgrad.numpy.fft import rfftn as rfftn
from funcgrad.scipy.fft.lengths import next_fast_len as next_fast_len
from funcgrad.scipy.fft.trigonometric import dct as dct
from funcgrad.scipy.fft.trigonometric import dctn as dctn
from funcgrad.scipy.fft.trigonometric import dst as dst
from funcgrad.scipy.fft.trigonometric import dstn as dstn
from funcgrad.scipy.fft.trigonometric import idct as idct
from funcgrad.scipy.fft.trigonometric import idctn as idctn
from funcgrad.scipy.fft.trigonometric import idst as idst
from funcgrad.scipy.fft.trigonometric import idstn as idstn

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

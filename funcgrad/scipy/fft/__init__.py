"""Fourier, cosine and sine transforms under SciPy's names. The Fourier transforms are those of funcgrad.numpy.fft."""

from funcgrad.core.faces import publish
from funcgrad.numpy.fft import *
from funcgrad.scipy.fft.lengths import *
from funcgrad.scipy.fft.trigonometric import *

publish(__name__, source="scipy.fft")

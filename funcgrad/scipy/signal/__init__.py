"""Signals: convolution, filters, spectra, under SciPy's names."""

from funcgrad.core.faces import publish
from funcgrad.scipy.signal.convolutions import *
from funcgrad.scipy.signal.detrending import *
from funcgrad.scipy.signal.filters import *
from funcgrad.scipy.signal.spectra import *
from funcgrad.scipy.signal.windows import *

publish(__name__, source="scipy.signal")

"""SciPy's functions for funcgrad's arrays, and solvers whose results have derivatives.

SciPy itself is needed only where it does a search, in `optimize` and `integrate.quad`, for windows by name in `signal`,
and for sparse matrices. Where it is installed it runs the recurrences of filters.
"""

from funcgrad.core.faces import publish
from funcgrad.scipy import cluster as cluster
from funcgrad.scipy import fft as fft
from funcgrad.scipy import integrate as integrate
from funcgrad.scipy import interpolate as interpolate
from funcgrad.scipy import linalg as linalg
from funcgrad.scipy import ndimage as ndimage
from funcgrad.scipy import optimize as optimize
from funcgrad.scipy import signal as signal
from funcgrad.scipy import sparse as sparse
from funcgrad.scipy import spatial as spatial
from funcgrad.scipy import special as special
from funcgrad.scipy import stats as stats

publish(
    __name__, cluster, fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
)

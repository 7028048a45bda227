"""NumPy's functions for funcgrad's arrays: the same names, arguments, dtypes and promotion, differentiable.

`import funcgrad.numpy as fnp` is the counterpart of `import numpy as np`. Plain NumPy functions work on these arrays as
well, and come here by name.
"""

import sys

from numpy import bool as bool

from funcgrad.core.faces import publish
from funcgrad.numpy import fft as fft
from funcgrad.numpy import linalg as linalg
from funcgrad.numpy.apply import *
from funcgrad.numpy.at import *
from funcgrad.numpy.bits import *
from funcgrad.numpy.constructors import *
from funcgrad.numpy.contractions import *
from funcgrad.numpy.diagonals import *
from funcgrad.numpy.differences import *
from funcgrad.numpy.dtypes import *
from funcgrad.numpy.einsums import *
from funcgrad.numpy.elementwise import *
from funcgrad.numpy.files import *
from funcgrad.numpy.grids import *
from funcgrad.numpy.histograms import *
from funcgrad.numpy.indexing import *
from funcgrad.numpy.joining import *
from funcgrad.numpy.methods import install as _install
from funcgrad.numpy.namespace_info import NamespaceInfo as _NamespaceInfo
from funcgrad.numpy.nan_reductions import *
from funcgrad.numpy.padding import *
from funcgrad.numpy.polynomials import *
from funcgrad.numpy.printing import *
from funcgrad.numpy.quantiles import *
from funcgrad.numpy.reductions import *
from funcgrad.numpy.selecting import *
from funcgrad.numpy.sets import *
from funcgrad.numpy.shapes import *
from funcgrad.numpy.sliding import *
from funcgrad.numpy.sorting import *
from funcgrad.numpy.statistics import *
from funcgrad.numpy.ufunc_objects import frompyfunc as frompyfunc
from funcgrad.numpy.ufunc_objects import install_methods as _install_methods
from funcgrad.numpy.ufunc_objects import ufunc as ufunc
from funcgrad.numpy.ufuncs import *
from funcgrad.numpy.windows import *
from funcgrad.numpy.writing import *

__array_api_version__ = "2023.12"
__array_namespace_info__ = _NamespaceInfo

_install(sys.modules[__name__])
_install_methods(sys.modules[__name__])

publish(__name__, fft, linalg, source="numpy")

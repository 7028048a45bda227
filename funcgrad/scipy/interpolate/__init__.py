"""Interpolation under SciPy's names, with derivatives in values, points and queries."""

from funcgrad.core.faces import publish
from funcgrad.scipy.interpolate.bsplines import *
from funcgrad.scipy.interpolate.grids import *
from funcgrad.scipy.interpolate.piecewise import *

publish(__name__, source="scipy.interpolate")

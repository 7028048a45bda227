"""Integrals: of functions, of samples, and of ordinary differential equations, under SciPy's names."""

from funcgrad.core.faces import publish
from funcgrad.numpy import trapezoid as trapezoid
from funcgrad.scipy.integrate.initial_values import *
from funcgrad.scipy.integrate.quadrature import *
from funcgrad.scipy.integrate.samples import *
from funcgrad.scipy.integrate.systems import *

publish(__name__, source="scipy.integrate")

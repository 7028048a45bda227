"""Interpolation under SciPy's names, with derivatives in values, points and queries."""

from funcgrad.scipy.interpolate.bsplines import BSpline as BSpline
from funcgrad.scipy.interpolate.bsplines import make_interp_spline as make_interp_spline
from funcgrad.scipy.interpolate.grids import RegularGridInterpolator as RegularGridInterpolator
from funcgrad.scipy.interpolate.grids import interp1d as interp1d
from funcgrad.scipy.interpolate.grids import interpn as interpn
from funcgrad.scipy.interpolate.piecewise import Akima1DInterpolator as Akima1DInterpolator
from funcgrad.scipy.interpolate.piecewise import CubicHermiteSpline as CubicHermiteSpline
from funcgrad.scipy.interpolate.piecewise import CubicSpline as CubicSpline
from funcgrad.scipy.interpolate.piecewise import PchipInterpolator as PchipInterpolator
from funcgrad.scipy.interpolate.piecewise import PPoly as PPoly
from funcgrad.scipy.interpolate.piecewise import pchip_interpolate as pchip_interpolate

__all__ = [
    "Akima1DInterpolator",
    "BSpline",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
    "RegularGridInterpolator",
    "interp1d",
    "interpn",
    "make_interp_spline",
    "pchip_interpolate",
]

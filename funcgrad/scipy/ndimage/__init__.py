"""Images: linear filters, and values between elements, under SciPy's names."""

from funcgrad.scipy.ndimage.filters import convolve as convolve
from funcgrad.scipy.ndimage.filters import convolve1d as convolve1d
from funcgrad.scipy.ndimage.filters import correlate as correlate
from funcgrad.scipy.ndimage.filters import correlate1d as correlate1d
from funcgrad.scipy.ndimage.filters import gaussian_filter as gaussian_filter
from funcgrad.scipy.ndimage.filters import gaussian_filter1d as gaussian_filter1d
from funcgrad.scipy.ndimage.filters import uniform_filter as uniform_filter
from funcgrad.scipy.ndimage.filters import uniform_filter1d as uniform_filter1d
from funcgrad.scipy.ndimage.interpolation import map_coordinates as map_coordinates
from funcgrad.scipy.ndimage.interpolation import spline_filter as spline_filter
from funcgrad.scipy.ndimage.interpolation import spline_filter1d as spline_filter1d

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "map_coordinates",
    "spline_filter",
    "spline_filter1d",
    "uniform_filter",
    "uniform_filter1d",
]

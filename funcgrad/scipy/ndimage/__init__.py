"""Images: linear filters, and values between elements, under SciPy's names."""

from funcgrad.core.faces import publish
from funcgrad.scipy.ndimage.filters import *
from funcgrad.scipy.ndimage.interpolation import *

publish(__name__, source="scipy.ndimage")

"""Geometry under SciPy's names: distances between points."""

from funcgrad.core.faces import publish
from funcgrad.scipy.spatial import distance as distance

publish(__name__, distance)

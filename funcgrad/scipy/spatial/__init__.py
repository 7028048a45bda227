"""Geometry under SciPy's names: distances between points."""

from funcgrad.scipy.spatial import distance as distance

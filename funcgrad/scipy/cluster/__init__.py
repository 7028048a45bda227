"""Clusters under SciPy's names: vector quantisation."""

from funcgrad.scipy.cluster import vq as vq

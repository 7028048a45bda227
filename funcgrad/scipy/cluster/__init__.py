"""Clusters under SciPy's names: vector quantisation."""

from funcgrad.core.faces import publish
from funcgrad.scipy.cluster import vq as vq

publish(__name__, vq)

"""Probability distributions under SciPy's names, differentiable in the point and in all parameters.

>>> from funcgrad.scipy.stats import norm
>>> norm.logpdf(1.0, loc=0.0, scale=2.0)
Array(-1.73708571, dtype=float64)
>>> fg.grad(norm.logpdf, argnums=2)(1.0, 0.0, 2.0)
Array(-0.375, dtype=float64)
"""

from funcgrad.core.faces import publish
from funcgrad.scipy.stats import dirichlet as dirichlet
from funcgrad.scipy.stats import multinomial as multinomial
from funcgrad.scipy.stats import multivariate_normal as multivariate_normal
from funcgrad.scipy.stats.discrete import *
from funcgrad.scipy.stats.distributions import *
from funcgrad.scipy.stats.kde import *
from funcgrad.scipy.stats.ranking import *

publish(__name__, dirichlet, multinomial, multivariate_normal, source="scipy.stats")

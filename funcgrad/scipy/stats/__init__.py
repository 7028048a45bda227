"""Probability distributions under SciPy's names, differentiable in the point and in all parameters.

>>> import funcgrad as fg
>>> from funcgrad.scipy.stats import norm
>>> norm.logpdf(1.0, loc=0.0, scale=2.0)
Array(-1.73708571, dtype=float64)
>>> fg.grad(norm.logpdf, argnums=2)(1.0, 0.0, 2.0)
Array(-0.375, dtype=float64)
"""

from funcgrad.scipy.stats import multivariate_normal as multivariate_normal
from funcgrad.scipy.stats.distributions import bernoulli as bernoulli
from funcgrad.scipy.stats.distributions import beta as beta
from funcgrad.scipy.stats.distributions import cauchy as cauchy
from funcgrad.scipy.stats.distributions import chi2 as chi2
from funcgrad.scipy.stats.distributions import expon as expon
from funcgrad.scipy.stats.distributions import gamma as gamma
from funcgrad.scipy.stats.distributions import laplace as laplace
from funcgrad.scipy.stats.distributions import logistic as logistic
from funcgrad.scipy.stats.distributions import norm as norm
from funcgrad.scipy.stats.distributions import poisson as poisson
from funcgrad.scipy.stats.distributions import t as t
from funcgrad.scipy.stats.distributions import uniform as uniform

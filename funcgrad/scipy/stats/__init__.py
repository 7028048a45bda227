"""Probability distributions under SciPy's names, differentiable in the point and in all parameters.

>>> import funcgrad as fg
>>> from funcgrad.scipy.stats import norm
>>> norm.logpdf(1.0, loc=0.0, scale=2.0)
Array(-1.73708571, dtype=float64)
>>> fg.grad(norm.logpdf, argnums=2)(1.0, 0.0, 2.0)
Array(-0.375, dtype=float64)
"""

from funcgrad.scipy.stats import dirichlet as dirichlet
from funcgrad.scipy.stats import multinomial as multinomial
from funcgrad.scipy.stats import multivariate_normal as multivariate_normal
from funcgrad.scipy.stats.discrete import bernoulli as bernoulli
from funcgrad.scipy.stats.discrete import betabinom as betabinom
from funcgrad.scipy.stats.discrete import binom as binom
from funcgrad.scipy.stats.discrete import geom as geom
from funcgrad.scipy.stats.discrete import nbinom as nbinom
from funcgrad.scipy.stats.discrete import poisson as poisson
from funcgrad.scipy.stats.distributions import beta as beta
from funcgrad.scipy.stats.distributions import cauchy as cauchy
from funcgrad.scipy.stats.distributions import chi2 as chi2
from funcgrad.scipy.stats.distributions import expon as expon
from funcgrad.scipy.stats.distributions import exponweib as exponweib
from funcgrad.scipy.stats.distributions import f as f
from funcgrad.scipy.stats.distributions import gamma as gamma
from funcgrad.scipy.stats.distributions import genextreme as genextreme
from funcgrad.scipy.stats.distributions import gennorm as gennorm
from funcgrad.scipy.stats.distributions import gumbel_l as gumbel_l
from funcgrad.scipy.stats.distributions import gumbel_r as gumbel_r
from funcgrad.scipy.stats.distributions import halfcauchy as halfcauchy
from funcgrad.scipy.stats.distributions import halfnorm as halfnorm
from funcgrad.scipy.stats.distributions import invgamma as invgamma
from funcgrad.scipy.stats.distributions import invgauss as invgauss
from funcgrad.scipy.stats.distributions import laplace as laplace
from funcgrad.scipy.stats.distributions import logistic as logistic
from funcgrad.scipy.stats.distributions import lognorm as lognorm
from funcgrad.scipy.stats.distributions import norm as norm
from funcgrad.scipy.stats.distributions import pareto as pareto
from funcgrad.scipy.stats.distributions import rayleigh as rayleigh
from funcgrad.scipy.stats.distributions import t as t
from funcgrad.scipy.stats.distributions import truncnorm as truncnorm
from funcgrad.scipy.stats.distributions import uniform as uniform
from funcgrad.scipy.stats.distributions import vonmises as vonmises
from funcgrad.scipy.stats.distributions import weibull_max as weibull_max
from funcgrad.scipy.stats.distributions import weibull_min as weibull_min
from funcgrad.scipy.stats.distributions import wrapcauchy as wrapcauchy
from funcgrad.scipy.stats.kde import gaussian_kde as gaussian_kde
from funcgrad.scipy.stats.ranking import mode as mode
from funcgrad.scipy.stats.ranking import rankdata as rankdata
from funcgrad.scipy.stats.ranking import sem as sem

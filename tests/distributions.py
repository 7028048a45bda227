"""The distributions that tests go through: valid shapes for each, a plain choice first, and a point inside the support.

A family that is not here fails test_stats.py.
"""

import numpy as np

inf = np.inf

SHAPES = {
    "norm": [()],
    "uniform": [()],
    "expon": [()],
    "laplace": [()],
    "logistic": [()],
    "cauchy": [()],
    "halfcauchy": [()],
    "halfnorm": [()],
    "rayleigh": [()],
    "gumbel_r": [()],
    "gumbel_l": [()],
    "gamma": [(2.5,), (0.3,), (1.0,), (60.0,)],
    "chi2": [(3.0,), (1.0,)],
    "beta": [(2.0, 3.5), (0.5, 0.5), (1.0, 3.0)],
    "t": [(4.0,), (0.7,), (1e3,), (inf,)],
    "f": [(3.0, 7.0), (1.0, 1.0)],
    "lognorm": [(0.5,), (2.0,)],
    "invgamma": [(2.0,), (0.4,)],
    "invgauss": [(1.0,), (0.2,), (5.0,)],
    "gennorm": [(1.3,), (0.5,), (4.0,)],
    "pareto": [(2.0,), (0.5,)],
    "weibull_min": [(1.5,), (0.7,), (1.0,)],
    "weibull_max": [(1.5,), (0.7,)],
    "exponweib": [(2.0, 1.5), (0.5, 0.7)],
    "genextreme": [(0.3,), (-0.3,), (0.0,), (1e-6,)],
    "vonmises": [(1.0,), (0.0,), (10.0,)],
    "wrapcauchy": [(0.3,), (0.9,)],
    "truncnorm": [(-1.0, 2.0), (-inf, 1.0), (2.0, inf), (-8.0, -6.0)],
    "bernoulli": [(0.3,), (0.0,), (1.0,)],
    "poisson": [(2.5,), (0.0,), (40.0,)],
    "geom": [(0.3,)],
    "binom": [(10.0, 0.3), (0.0, 0.5), (5.0, 1.0)],
    "nbinom": [(3.0, 0.4), (2.5, 0.9)],
    "betabinom": [(8.0, 2.0, 3.0), (0.0, 1.0, 1.0)],
}

POINTS = {"pareto": 1.7, "weibull_max": -0.8, "bernoulli": 0.0}
"""Inside the support of the first shapes; elsewhere 0.35 and 1."""

COUNTS = {"n"}
"""Parameters that are integers."""

MIRRORED = {"pdf", "pmf", "sf", "logsf", "isf"}
"""Methods made as others are; long sweeps over them are slow tests."""

"""Random numbers from explicit keys: the functions of `jax.random`, with its numbers.

    key = fg.random.key(0)
    key, subkey = fg.random.split(key)
    x = fg.random.normal(subkey, (3,))

For the same key, shape and dtype the numbers are those of JAX (with 64-bit types and the generator threefry2x32):
bits, floats in an interval, integers, choices and permutations to the last bit, the others up to rounding.
"""

from funcgrad.random.choices import categorical as categorical
from funcgrad.random.choices import choice as choice
from funcgrad.random.choices import permutation as permutation
from funcgrad.random.counts import binomial as binomial
from funcgrad.random.counts import geometric as geometric
from funcgrad.random.counts import multinomial as multinomial
from funcgrad.random.counts import poisson as poisson
from funcgrad.random.gammas import ball as ball
from funcgrad.random.gammas import beta as beta
from funcgrad.random.gammas import chisquare as chisquare
from funcgrad.random.gammas import dirichlet as dirichlet
from funcgrad.random.gammas import f as f
from funcgrad.random.gammas import gamma as gamma
from funcgrad.random.gammas import generalized_normal as generalized_normal
from funcgrad.random.gammas import loggamma as loggamma
from funcgrad.random.gammas import t as t
from funcgrad.random.keys import PRNGKey as PRNGKey
from funcgrad.random.keys import clone as clone
from funcgrad.random.keys import fold_in as fold_in
from funcgrad.random.keys import key as key
from funcgrad.random.keys import key_data as key_data
from funcgrad.random.keys import key_impl as key_impl
from funcgrad.random.keys import split as split
from funcgrad.random.keys import wrap_key_data as wrap_key_data
from funcgrad.random.normals import double_sided_maxwell as double_sided_maxwell
from funcgrad.random.normals import lognormal as lognormal
from funcgrad.random.normals import maxwell as maxwell
from funcgrad.random.normals import multivariate_normal as multivariate_normal
from funcgrad.random.normals import normal as normal
from funcgrad.random.normals import orthogonal as orthogonal
from funcgrad.random.normals import truncated_normal as truncated_normal
from funcgrad.random.quantiles import cauchy as cauchy
from funcgrad.random.quantiles import exponential as exponential
from funcgrad.random.quantiles import gumbel as gumbel
from funcgrad.random.quantiles import laplace as laplace
from funcgrad.random.quantiles import logistic as logistic
from funcgrad.random.quantiles import pareto as pareto
from funcgrad.random.quantiles import rayleigh as rayleigh
from funcgrad.random.quantiles import triangular as triangular
from funcgrad.random.quantiles import wald as wald
from funcgrad.random.quantiles import weibull_min as weibull_min
from funcgrad.random.uniforms import bernoulli as bernoulli
from funcgrad.random.uniforms import bits as bits
from funcgrad.random.uniforms import rademacher as rademacher
from funcgrad.random.uniforms import randint as randint
from funcgrad.random.uniforms import uniform as uniform

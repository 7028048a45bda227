"""`torch.distributions`: probability distributions that are drawn from and differentiated."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.distributions import constraints as constraints
from funcgrad.torch.distributions import kl as kl
from funcgrad.torch.distributions import transforms as transforms
from funcgrad.torch.distributions import utils as utils
from funcgrad.torch.distributions.bernoulli import Bernoulli as Bernoulli
from funcgrad.torch.distributions.beta import Beta as Beta
from funcgrad.torch.distributions.binomial import Binomial as Binomial
from funcgrad.torch.distributions.categorical import Categorical as Categorical
from funcgrad.torch.distributions.cauchy import Cauchy as Cauchy
from funcgrad.torch.distributions.chi2 import Chi2 as Chi2
from funcgrad.torch.distributions.constraint_registry import biject_to as biject_to
from funcgrad.torch.distributions.constraint_registry import transform_to as transform_to
from funcgrad.torch.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from funcgrad.torch.distributions.dirichlet import Dirichlet as Dirichlet
from funcgrad.torch.distributions.distribution import Distribution as Distribution
from funcgrad.torch.distributions.exp_family import ExponentialFamily as ExponentialFamily
from funcgrad.torch.distributions.exponential import Exponential as Exponential
from funcgrad.torch.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from funcgrad.torch.distributions.gamma import Gamma as Gamma
from funcgrad.torch.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from funcgrad.torch.distributions.geometric import Geometric as Geometric
from funcgrad.torch.distributions.gumbel import Gumbel as Gumbel
from funcgrad.torch.distributions.half_cauchy import HalfCauchy as HalfCauchy
from funcgrad.torch.distributions.half_normal import HalfNormal as HalfNormal
from funcgrad.torch.distributions.independent import Independent as Independent
from funcgrad.torch.distributions.inverse_gamma import InverseGamma as InverseGamma
from funcgrad.torch.distributions.kl import kl_divergence as kl_divergence
from funcgrad.torch.distributions.kl import register_kl as register_kl
from funcgrad.torch.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from funcgrad.torch.distributions.laplace import Laplace as Laplace
from funcgrad.torch.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from funcgrad.torch.distributions.log_normal import LogNormal as LogNormal
from funcgrad.torch.distributions.logistic_normal import LogisticNormal as LogisticNormal
from funcgrad.torch.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal as LowRankMultivariateNormal,
)
from funcgrad.torch.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from funcgrad.torch.distributions.multinomial import Multinomial as Multinomial
from funcgrad.torch.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from funcgrad.torch.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from funcgrad.torch.distributions.normal import Normal as Normal
from funcgrad.torch.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
from funcgrad.torch.distributions.one_hot_categorical import (
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
from funcgrad.torch.distributions.pareto import Pareto as Pareto
from funcgrad.torch.distributions.poisson import Poisson as Poisson
from funcgrad.torch.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from funcgrad.torch.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from funcgrad.torch.distributions.studentT import StudentT as StudentT
from funcgrad.torch.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from funcgrad.torch.distributions.transforms import *
from funcgrad.torch.distributions.uniform import Uniform as Uniform
from funcgrad.torch.distributions.von_mises import VonMises as VonMises
from funcgrad.torch.distributions.weibull import Weibull as Weibull
from funcgrad.torch.distributions.wishart import Wishart as Wishart

publish(__name__, constraints, kl, transforms, utils)

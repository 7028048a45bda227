"""Special functions under SciPy's names, each differentiable in every operand of which its derivative has a formula.

One file for each family. They are primitives of ops, or a few words over them. Integers become float64.
"""

from funcgrad.numpy import cbrt as cbrt
from funcgrad.numpy import exp2 as exp2
from funcgrad.numpy import expm1 as expm1
from funcgrad.numpy import log1p as log1p
from funcgrad.numpy import logsumexp as logsumexp
from funcgrad.numpy import sinc as sinc
from funcgrad.scipy.special.bessel import airy as airy
from funcgrad.scipy.special.bessel import bessel_jn as bessel_jn
from funcgrad.scipy.special.bessel import hankel1 as hankel1
from funcgrad.scipy.special.bessel import hankel1e as hankel1e
from funcgrad.scipy.special.bessel import hankel2 as hankel2
from funcgrad.scipy.special.bessel import hankel2e as hankel2e
from funcgrad.scipy.special.bessel import i0 as i0
from funcgrad.scipy.special.bessel import i0e as i0e
from funcgrad.scipy.special.bessel import i1 as i1
from funcgrad.scipy.special.bessel import i1e as i1e
from funcgrad.scipy.special.bessel import iv as iv
from funcgrad.scipy.special.bessel import ive as ive
from funcgrad.scipy.special.bessel import j0 as j0
from funcgrad.scipy.special.bessel import j1 as j1
from funcgrad.scipy.special.bessel import jn as jn
from funcgrad.scipy.special.bessel import jv as jv
from funcgrad.scipy.special.bessel import jve as jve
from funcgrad.scipy.special.bessel import k0 as k0
from funcgrad.scipy.special.bessel import k0e as k0e
from funcgrad.scipy.special.bessel import k1 as k1
from funcgrad.scipy.special.bessel import k1e as k1e
from funcgrad.scipy.special.bessel import kn as kn
from funcgrad.scipy.special.bessel import kv as kv
from funcgrad.scipy.special.bessel import kve as kve
from funcgrad.scipy.special.bessel import y0 as y0
from funcgrad.scipy.special.bessel import y1 as y1
from funcgrad.scipy.special.bessel import yn as yn
from funcgrad.scipy.special.bessel import yv as yv
from funcgrad.scipy.special.bessel import yve as yve
from funcgrad.scipy.special.combinatorics import bernoulli as bernoulli
from funcgrad.scipy.special.combinatorics import binom as binom
from funcgrad.scipy.special.combinatorics import comb as comb
from funcgrad.scipy.special.combinatorics import factorial as factorial
from funcgrad.scipy.special.combinatorics import perm as perm
from funcgrad.scipy.special.distributions import bdtr as bdtr
from funcgrad.scipy.special.distributions import bdtrc as bdtrc
from funcgrad.scipy.special.distributions import chdtr as chdtr
from funcgrad.scipy.special.distributions import chdtrc as chdtrc
from funcgrad.scipy.special.distributions import chdtri as chdtri
from funcgrad.scipy.special.distributions import fdtr as fdtr
from funcgrad.scipy.special.distributions import fdtrc as fdtrc
from funcgrad.scipy.special.distributions import fdtri as fdtri
from funcgrad.scipy.special.distributions import gdtr as gdtr
from funcgrad.scipy.special.distributions import gdtrc as gdtrc
from funcgrad.scipy.special.distributions import gdtria as gdtria
from funcgrad.scipy.special.distributions import gdtrix as gdtrix
from funcgrad.scipy.special.distributions import nbdtr as nbdtr
from funcgrad.scipy.special.distributions import nbdtrc as nbdtrc
from funcgrad.scipy.special.distributions import pdtr as pdtr
from funcgrad.scipy.special.distributions import pdtrc as pdtrc
from funcgrad.scipy.special.distributions import pdtri as pdtri
from funcgrad.scipy.special.distributions import stdtr as stdtr
from funcgrad.scipy.special.distributions import stdtrit as stdtrit
from funcgrad.scipy.special.elementary import boxcox as boxcox
from funcgrad.scipy.special.elementary import boxcox1p as boxcox1p
from funcgrad.scipy.special.elementary import cosdg as cosdg
from funcgrad.scipy.special.elementary import cosm1 as cosm1
from funcgrad.scipy.special.elementary import cotdg as cotdg
from funcgrad.scipy.special.elementary import exp10 as exp10
from funcgrad.scipy.special.elementary import exprel as exprel
from funcgrad.scipy.special.elementary import huber as huber
from funcgrad.scipy.special.elementary import inv_boxcox as inv_boxcox
from funcgrad.scipy.special.elementary import inv_boxcox1p as inv_boxcox1p
from funcgrad.scipy.special.elementary import lambertw as lambertw
from funcgrad.scipy.special.elementary import powm1 as powm1
from funcgrad.scipy.special.elementary import pseudo_huber as pseudo_huber
from funcgrad.scipy.special.elementary import radian as radian
from funcgrad.scipy.special.elementary import round as round
from funcgrad.scipy.special.elementary import sindg as sindg
from funcgrad.scipy.special.elementary import softplus as softplus
from funcgrad.scipy.special.elementary import tandg as tandg
from funcgrad.scipy.special.elementary import wrightomega as wrightomega
from funcgrad.scipy.special.elliptic import agm as agm
from funcgrad.scipy.special.elliptic import ellipe as ellipe
from funcgrad.scipy.special.elliptic import ellipeinc as ellipeinc
from funcgrad.scipy.special.elliptic import ellipk as ellipk
from funcgrad.scipy.special.elliptic import ellipkinc as ellipkinc
from funcgrad.scipy.special.elliptic import ellipkm1 as ellipkm1
from funcgrad.scipy.special.entropies import entr as entr
from funcgrad.scipy.special.entropies import kl_div as kl_div
from funcgrad.scipy.special.entropies import rel_entr as rel_entr
from funcgrad.scipy.special.entropies import xlog1py as xlog1py
from funcgrad.scipy.special.entropies import xlogy as xlogy
from funcgrad.scipy.special.error_functions import dawsn as dawsn
from funcgrad.scipy.special.error_functions import erf as erf
from funcgrad.scipy.special.error_functions import erfc as erfc
from funcgrad.scipy.special.error_functions import erfcinv as erfcinv
from funcgrad.scipy.special.error_functions import erfcx as erfcx
from funcgrad.scipy.special.error_functions import erfi as erfi
from funcgrad.scipy.special.error_functions import erfinv as erfinv
from funcgrad.scipy.special.error_functions import fresnel as fresnel
from funcgrad.scipy.special.error_functions import log_ndtr as log_ndtr
from funcgrad.scipy.special.error_functions import ndtr as ndtr
from funcgrad.scipy.special.error_functions import ndtri as ndtri
from funcgrad.scipy.special.error_functions import ndtri_exp as ndtri_exp
from funcgrad.scipy.special.error_functions import owens_t as owens_t
from funcgrad.scipy.special.error_functions import voigt_profile as voigt_profile
from funcgrad.scipy.special.error_functions import wofz as wofz
from funcgrad.scipy.special.exponential_integrals import exp1 as exp1
from funcgrad.scipy.special.exponential_integrals import expi as expi
from funcgrad.scipy.special.exponential_integrals import expn as expn
from funcgrad.scipy.special.exponential_integrals import shichi as shichi
from funcgrad.scipy.special.exponential_integrals import sici as sici
from funcgrad.scipy.special.exponential_integrals import spence as spence
from funcgrad.scipy.special.gamma_functions import beta as beta
from funcgrad.scipy.special.gamma_functions import betaln as betaln
from funcgrad.scipy.special.gamma_functions import digamma as digamma
from funcgrad.scipy.special.gamma_functions import gamma as gamma
from funcgrad.scipy.special.gamma_functions import gammaln as gammaln
from funcgrad.scipy.special.gamma_functions import gammasgn as gammasgn
from funcgrad.scipy.special.gamma_functions import loggamma as loggamma
from funcgrad.scipy.special.gamma_functions import multigammaln as multigammaln
from funcgrad.scipy.special.gamma_functions import poch as poch
from funcgrad.scipy.special.gamma_functions import polygamma as polygamma
from funcgrad.scipy.special.gamma_functions import psi as psi
from funcgrad.scipy.special.gamma_functions import rgamma as rgamma
from funcgrad.scipy.special.gamma_functions import zeta as zeta
from funcgrad.scipy.special.gamma_functions import zetac as zetac
from funcgrad.scipy.special.hypergeometric import hyp0f1 as hyp0f1
from funcgrad.scipy.special.hypergeometric import hyp1f1 as hyp1f1
from funcgrad.scipy.special.hypergeometric import hyp2f1 as hyp2f1
from funcgrad.scipy.special.hypergeometric import hyperu as hyperu
from funcgrad.scipy.special.incomplete import betainc as betainc
from funcgrad.scipy.special.incomplete import betaincc as betaincc
from funcgrad.scipy.special.incomplete import betainccinv as betainccinv
from funcgrad.scipy.special.incomplete import betaincinv as betaincinv
from funcgrad.scipy.special.incomplete import gammainc as gammainc
from funcgrad.scipy.special.incomplete import gammaincc as gammaincc
from funcgrad.scipy.special.incomplete import gammainccinv as gammainccinv
from funcgrad.scipy.special.incomplete import gammaincinv as gammaincinv
from funcgrad.scipy.special.logistic import expit as expit
from funcgrad.scipy.special.logistic import log_expit as log_expit
from funcgrad.scipy.special.logistic import logit as logit
from funcgrad.scipy.special.orthogonal import eval_chebyc as eval_chebyc
from funcgrad.scipy.special.orthogonal import eval_chebys as eval_chebys
from funcgrad.scipy.special.orthogonal import eval_chebyt as eval_chebyt
from funcgrad.scipy.special.orthogonal import eval_chebyu as eval_chebyu
from funcgrad.scipy.special.orthogonal import eval_gegenbauer as eval_gegenbauer
from funcgrad.scipy.special.orthogonal import eval_genlaguerre as eval_genlaguerre
from funcgrad.scipy.special.orthogonal import eval_hermite as eval_hermite
from funcgrad.scipy.special.orthogonal import eval_hermitenorm as eval_hermitenorm
from funcgrad.scipy.special.orthogonal import eval_jacobi as eval_jacobi
from funcgrad.scipy.special.orthogonal import eval_laguerre as eval_laguerre
from funcgrad.scipy.special.orthogonal import eval_legendre as eval_legendre
from funcgrad.scipy.special.orthogonal import eval_sh_chebyt as eval_sh_chebyt
from funcgrad.scipy.special.orthogonal import eval_sh_chebyu as eval_sh_chebyu
from funcgrad.scipy.special.orthogonal import eval_sh_jacobi as eval_sh_jacobi
from funcgrad.scipy.special.orthogonal import eval_sh_legendre as eval_sh_legendre
from funcgrad.scipy.special.orthogonal import lpmv as lpmv
from funcgrad.scipy.special.orthogonal import sph_harm_y as sph_harm_y
from funcgrad.scipy.special.softmax import log_softmax as log_softmax
from funcgrad.scipy.special.softmax import softmax as softmax

__all__ = [
    "agm",
    "airy",
    "bdtr",
    "bdtrc",
    "bernoulli",
    "bessel_jn",
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "cbrt",
    "chdtr",
    "chdtrc",
    "chdtri",
    "comb",
    "cosdg",
    "cosm1",
    "cotdg",
    "dawsn",
    "digamma",
    "ellipe",
    "ellipeinc",
    "ellipk",
    "ellipkinc",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
    "exp1",
    "exp2",
    "exp10",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "fdtr",
    "fdtrc",
    "fdtri",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrix",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "huber",
    "hyp0f1",
    "hyp1f1",
    "hyp2f1",
    "hyperu",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "iv",
    "ive",
    "j0",
    "j1",
    "jn",
    "jv",
    "jve",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "kn",
    "kv",
    "kve",
    "lambertw",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "loggamma",
    "logit",
    "logsumexp",
    "lpmv",
    "multigammaln",
    "nbdtr",
    "nbdtrc",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "owens_t",
    "pdtr",
    "pdtrc",
    "pdtri",
    "perm",
    "poch",
    "polygamma",
    "powm1",
    "pseudo_huber",
    "psi",
    "radian",
    "rel_entr",
    "rgamma",
    "round",
    "shichi",
    "sici",
    "sinc",
    "sindg",
    "softmax",
    "softplus",
    "spence",
    "sph_harm_y",
    "stdtr",
    "stdtrit",
    "tandg",
    "voigt_profile",
    "wofz",
    "wrightomega",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
    "zeta",
    "zetac",
]

"""Special functions under SciPy's names, each differentiable in every operand of which its derivative has a formula.

One file for each family. They are primitives of ops, or a few words over them. Integers become float64.
"""

from funcgrad.numpy import logsumexp as logsumexp
from funcgrad.scipy.special.bessel import i0 as i0
from funcgrad.scipy.special.bessel import i0e as i0e
from funcgrad.scipy.special.bessel import i1 as i1
from funcgrad.scipy.special.bessel import i1e as i1e
from funcgrad.scipy.special.entropies import entr as entr
from funcgrad.scipy.special.entropies import kl_div as kl_div
from funcgrad.scipy.special.entropies import rel_entr as rel_entr
from funcgrad.scipy.special.entropies import xlog1py as xlog1py
from funcgrad.scipy.special.entropies import xlogy as xlogy
from funcgrad.scipy.special.error_functions import erf as erf
from funcgrad.scipy.special.error_functions import erfc as erfc
from funcgrad.scipy.special.error_functions import erfcinv as erfcinv
from funcgrad.scipy.special.error_functions import erfcx as erfcx
from funcgrad.scipy.special.error_functions import erfinv as erfinv
from funcgrad.scipy.special.error_functions import log_ndtr as log_ndtr
from funcgrad.scipy.special.error_functions import ndtr as ndtr
from funcgrad.scipy.special.error_functions import ndtri as ndtri
from funcgrad.scipy.special.gamma_functions import beta as beta
from funcgrad.scipy.special.gamma_functions import betaln as betaln
from funcgrad.scipy.special.gamma_functions import digamma as digamma
from funcgrad.scipy.special.gamma_functions import gamma as gamma
from funcgrad.scipy.special.gamma_functions import gammaln as gammaln
from funcgrad.scipy.special.gamma_functions import multigammaln as multigammaln
from funcgrad.scipy.special.gamma_functions import poch as poch
from funcgrad.scipy.special.gamma_functions import polygamma as polygamma
from funcgrad.scipy.special.gamma_functions import psi as psi
from funcgrad.scipy.special.gamma_functions import zeta as zeta
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
from funcgrad.scipy.special.softmax import log_softmax as log_softmax
from funcgrad.scipy.special.softmax import softmax as softmax

__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "expit",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "softmax",
    "xlog1py",
    "xlogy",
    "zeta",
]

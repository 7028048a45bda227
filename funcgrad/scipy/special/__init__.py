"""Special functions under SciPy's names, each differentiable in every operand of which its derivative has a formula.

One file for each family. They are primitives of ops, or a few words over them. Integers become float64.
"""

from funcgrad.core.faces import publish
from funcgrad.numpy import cbrt as cbrt
from funcgrad.numpy import exp2 as exp2
from funcgrad.numpy import expm1 as expm1
from funcgrad.numpy import log1p as log1p
from funcgrad.numpy import logsumexp as logsumexp
from funcgrad.numpy import sinc as sinc
from funcgrad.scipy.special.bessel import *
from funcgrad.scipy.special.combinatorics import *
from funcgrad.scipy.special.distributions import *
from funcgrad.scipy.special.elementary import *
from funcgrad.scipy.special.elliptic import *
from funcgrad.scipy.special.entropies import *
from funcgrad.scipy.special.error_functions import *
from funcgrad.scipy.special.exponential_integrals import *
from funcgrad.scipy.special.gamma_functions import *
from funcgrad.scipy.special.hypergeometric import *
from funcgrad.scipy.special.incomplete import *
from funcgrad.scipy.special.logistic import *
from funcgrad.scipy.special.orthogonal import *
from funcgrad.scipy.special.softmax import *

publish(__name__, source="scipy.special")

"""Linear algebra under SciPy's names. What NumPy has too comes from `funcgrad.numpy.linalg`.

Matrices are the last two axes; axes before them are a stack. Schur, Hessenberg and pivoted forms, Sylvester's equation
and the roots and logarithms of matrices take their values from SciPy, which they import when they are called; all else
needs NumPy alone.
"""

from funcgrad.core.faces import publish
from funcgrad.numpy.linalg import LinAlgError as LinAlgError
from funcgrad.numpy.linalg import pinv as pinv
from funcgrad.scipy.linalg.basic import *
from funcgrad.scipy.linalg.eigenvalues import *
from funcgrad.scipy.linalg.factors import *
from funcgrad.scipy.linalg.matrix_equations import *
from funcgrad.scipy.linalg.matrix_functions import *
from funcgrad.scipy.linalg.reduced_forms import *
from funcgrad.scipy.linalg.special_matrices import *
from funcgrad.scipy.linalg.systems import *

publish(__name__, source="scipy.linalg")

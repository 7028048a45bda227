"""Linear algebra under SciPy's names. What NumPy has too comes from `funcgrad.numpy.linalg`.

Matrices are the last two axes; axes before them are a stack. Schur, Hessenberg and pivoted forms, Sylvester's equation
and the roots and logarithms of matrices take their values from SciPy, which they import when they are called; all else
needs NumPy alone.
"""

from funcgrad.numpy.linalg import LinAlgError as LinAlgError
from funcgrad.numpy.linalg import pinv as pinv
from funcgrad.scipy.linalg.basic import det as det
from funcgrad.scipy.linalg.basic import inv as inv
from funcgrad.scipy.linalg.basic import norm as norm
from funcgrad.scipy.linalg.eigenvalues import eig as eig
from funcgrad.scipy.linalg.eigenvalues import eigh as eigh
from funcgrad.scipy.linalg.eigenvalues import eigh_tridiagonal as eigh_tridiagonal
from funcgrad.scipy.linalg.eigenvalues import eigvals as eigvals
from funcgrad.scipy.linalg.eigenvalues import eigvalsh as eigvalsh
from funcgrad.scipy.linalg.eigenvalues import eigvalsh_tridiagonal as eigvalsh_tridiagonal
from funcgrad.scipy.linalg.eigenvalues import subspace_angles as subspace_angles
from funcgrad.scipy.linalg.factors import cho_factor as cho_factor
from funcgrad.scipy.linalg.factors import cholesky as cholesky
from funcgrad.scipy.linalg.factors import lu as lu
from funcgrad.scipy.linalg.factors import lu_factor as lu_factor
from funcgrad.scipy.linalg.factors import null_space as null_space
from funcgrad.scipy.linalg.factors import orth as orth
from funcgrad.scipy.linalg.factors import orthogonal_procrustes as orthogonal_procrustes
from funcgrad.scipy.linalg.factors import pinvh as pinvh
from funcgrad.scipy.linalg.factors import polar as polar
from funcgrad.scipy.linalg.factors import qr as qr
from funcgrad.scipy.linalg.factors import qr_multiply as qr_multiply
from funcgrad.scipy.linalg.factors import rq as rq
from funcgrad.scipy.linalg.factors import svd as svd
from funcgrad.scipy.linalg.factors import svdvals as svdvals
from funcgrad.scipy.linalg.matrix_equations import solve_continuous_lyapunov as solve_continuous_lyapunov
from funcgrad.scipy.linalg.matrix_equations import solve_discrete_lyapunov as solve_discrete_lyapunov
from funcgrad.scipy.linalg.matrix_equations import solve_lyapunov as solve_lyapunov
from funcgrad.scipy.linalg.matrix_equations import solve_sylvester as solve_sylvester
from funcgrad.scipy.linalg.matrix_functions import coshm as coshm
from funcgrad.scipy.linalg.matrix_functions import cosm as cosm
from funcgrad.scipy.linalg.matrix_functions import expm as expm
from funcgrad.scipy.linalg.matrix_functions import expm_frechet as expm_frechet
from funcgrad.scipy.linalg.matrix_functions import fractional_matrix_power as fractional_matrix_power
from funcgrad.scipy.linalg.matrix_functions import funm as funm
from funcgrad.scipy.linalg.matrix_functions import logm as logm
from funcgrad.scipy.linalg.matrix_functions import signm as signm
from funcgrad.scipy.linalg.matrix_functions import sinhm as sinhm
from funcgrad.scipy.linalg.matrix_functions import sinm as sinm
from funcgrad.scipy.linalg.matrix_functions import sqrtm as sqrtm
from funcgrad.scipy.linalg.matrix_functions import tanhm as tanhm
from funcgrad.scipy.linalg.matrix_functions import tanm as tanm
from funcgrad.scipy.linalg.reduced_forms import hessenberg as hessenberg
from funcgrad.scipy.linalg.reduced_forms import rsf2csf as rsf2csf
from funcgrad.scipy.linalg.reduced_forms import schur as schur
from funcgrad.scipy.linalg.special_matrices import block_diag as block_diag
from funcgrad.scipy.linalg.special_matrices import circulant as circulant
from funcgrad.scipy.linalg.special_matrices import companion as companion
from funcgrad.scipy.linalg.special_matrices import convolution_matrix as convolution_matrix
from funcgrad.scipy.linalg.special_matrices import dft as dft
from funcgrad.scipy.linalg.special_matrices import fiedler as fiedler
from funcgrad.scipy.linalg.special_matrices import fiedler_companion as fiedler_companion
from funcgrad.scipy.linalg.special_matrices import hadamard as hadamard
from funcgrad.scipy.linalg.special_matrices import hankel as hankel
from funcgrad.scipy.linalg.special_matrices import helmert as helmert
from funcgrad.scipy.linalg.special_matrices import hilbert as hilbert
from funcgrad.scipy.linalg.special_matrices import invhilbert as invhilbert
from funcgrad.scipy.linalg.special_matrices import invpascal as invpascal
from funcgrad.scipy.linalg.special_matrices import khatri_rao as khatri_rao
from funcgrad.scipy.linalg.special_matrices import leslie as leslie
from funcgrad.scipy.linalg.special_matrices import pascal as pascal
from funcgrad.scipy.linalg.special_matrices import toeplitz as toeplitz
from funcgrad.scipy.linalg.systems import cho_solve as cho_solve
from funcgrad.scipy.linalg.systems import lstsq as lstsq
from funcgrad.scipy.linalg.systems import lu_solve as lu_solve
from funcgrad.scipy.linalg.systems import matmul_toeplitz as matmul_toeplitz
from funcgrad.scipy.linalg.systems import solve as solve
from funcgrad.scipy.linalg.systems import solve_banded as solve_banded
from funcgrad.scipy.linalg.systems import solve_circulant as solve_circulant
from funcgrad.scipy.linalg.systems import solve_toeplitz as solve_toeplitz
from funcgrad.scipy.linalg.systems import solve_triangular as solve_triangular
from funcgrad.scipy.linalg.systems import solveh_banded as solveh_banded

__all__ = [
    "LinAlgError",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "det",
    "dft",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_frechet",
    "fiedler",
    "fiedler_companion",
    "fractional_matrix_power",
    "funm",
    "hadamard",
    "hankel",
    "helmert",
    "hessenberg",
    "hilbert",
    "inv",
    "invhilbert",
    "invpascal",
    "khatri_rao",
    "leslie",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "norm",
    "null_space",
    "orth",
    "orthogonal_procrustes",
    "pascal",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "qr_multiply",
    "rq",
    "rsf2csf",
    "schur",
    "signm",
    "sinhm",
    "sinm",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_lyapunov",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]

"""torch.linalg: linear algebra. https://docs.pytorch.org/docs/stable/linalg.html

Matrices are the last two dimensions of a tensor, those before them are batches. Results that LAPACK leaves column by
column lie that way in memory, as torch's do. A factorization or solver that fails raises `LinAlgError`; the functions
whose names end in _ex do not, and say in `info` for each matrix where it failed.
"""

from __future__ import annotations

from funcgrad.torch.ops.cholesky import cholesky as cholesky
from funcgrad.torch.ops.cholesky import cholesky_ex as cholesky_ex
from funcgrad.torch.ops.determinants import det as det
from funcgrad.torch.ops.determinants import slogdet as slogdet
from funcgrad.torch.ops.factorizations import eig as eig
from funcgrad.torch.ops.factorizations import eigh as eigh
from funcgrad.torch.ops.factorizations import eigvals as eigvals
from funcgrad.torch.ops.factorizations import eigvalsh as eigvalsh
from funcgrad.torch.ops.factorizations import householder_product as householder_product
from funcgrad.torch.ops.factorizations import qr as qr
from funcgrad.torch.ops.factorizations import svd as svd
from funcgrad.torch.ops.factorizations import svdvals as svdvals
from funcgrad.torch.ops.least_squares import lstsq as lstsq
from funcgrad.torch.ops.least_squares import matrix_rank as matrix_rank
from funcgrad.torch.ops.least_squares import pinv as pinv
from funcgrad.torch.ops.linalg import cross as cross
from funcgrad.torch.ops.linalg import diagonal as diagonal
from funcgrad.torch.ops.linalg import matmul as matmul
from funcgrad.torch.ops.linalg import matrix_exp as matrix_exp
from funcgrad.torch.ops.linalg import matrix_power as matrix_power
from funcgrad.torch.ops.linalg import multi_dot as multi_dot
from funcgrad.torch.ops.linalg import vander as vander
from funcgrad.torch.ops.linalg import vecdot as vecdot
from funcgrad.torch.ops.lu import lu as lu
from funcgrad.torch.ops.lu import lu_factor as lu_factor
from funcgrad.torch.ops.lu import lu_factor_ex as lu_factor_ex
from funcgrad.torch.ops.lu import lu_solve as lu_solve
from funcgrad.torch.ops.matrices import LinAlgError as LinAlgError
from funcgrad.torch.ops.matrix_norms import cond as cond
from funcgrad.torch.ops.matrix_norms import matrix_norm as matrix_norm
from funcgrad.torch.ops.matrix_norms import norm as norm
from funcgrad.torch.ops.matrix_norms import vector_norm as vector_norm
from funcgrad.torch.ops.systems import inv as inv
from funcgrad.torch.ops.systems import inv_ex as inv_ex
from funcgrad.torch.ops.systems import solve as solve
from funcgrad.torch.ops.systems import solve_ex as solve_ex
from funcgrad.torch.ops.systems import solve_triangular as solve_triangular
from funcgrad.torch.ops.systems import tensorinv as tensorinv
from funcgrad.torch.ops.systems import tensorsolve as tensorsolve

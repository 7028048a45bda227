"""`torch.linalg`: linear algebra. https://docs.pytorch.org/docs/stable/linalg.html"""

from __future__ import annotations

from funcgrad.torch.ops import linalg as _linalg
from funcgrad.torch.ops import products as _products
from funcgrad.torch.ops.linalg import LinAlgError as LinAlgError
from funcgrad.torch.ops.linalg import cholesky_ex as cholesky_ex
from funcgrad.torch.ops.linalg import cond as cond
from funcgrad.torch.ops.linalg import det as det
from funcgrad.torch.ops.linalg import eig as eig
from funcgrad.torch.ops.linalg import eigh as eigh
from funcgrad.torch.ops.linalg import eigvals as eigvals
from funcgrad.torch.ops.linalg import eigvalsh as eigvalsh
from funcgrad.torch.ops.linalg import householder_product as householder_product
from funcgrad.torch.ops.linalg import inv_ex as inv_ex
from funcgrad.torch.ops.linalg import lstsq as lstsq
from funcgrad.torch.ops.linalg import lu_factor as lu_factor
from funcgrad.torch.ops.linalg import lu_factor_ex as lu_factor_ex
from funcgrad.torch.ops.linalg import matrix_exp as matrix_exp
from funcgrad.torch.ops.linalg import matrix_norm as matrix_norm
from funcgrad.torch.ops.linalg import matrix_rank as matrix_rank
from funcgrad.torch.ops.linalg import pinv as pinv
from funcgrad.torch.ops.linalg import solve as solve
from funcgrad.torch.ops.linalg import solve_ex as solve_ex
from funcgrad.torch.ops.linalg import solve_triangular as solve_triangular
from funcgrad.torch.ops.linalg import svdvals as svdvals
from funcgrad.torch.ops.linalg import tensorinv as tensorinv
from funcgrad.torch.ops.linalg import tensorsolve as tensorsolve
from funcgrad.torch.ops.linalg import vander as vander
from funcgrad.torch.ops.linalg import vecdot as vecdot
from funcgrad.torch.ops.norms import vector_norm as vector_norm
from funcgrad.torch.ops.products import matrix_power as matrix_power
from funcgrad.torch.ops.products import multi_dot as multi_dot
from funcgrad.torch.tensor import Tensor

cholesky, inv, lu, lu_solve = _linalg.linalg_cholesky, _linalg.inverse, _linalg.linalg_lu, _linalg.linalg_lu_solve
norm, qr, slogdet, svd = _linalg.linalg_norm, _linalg.linalg_qr, _linalg.linalg_slogdet, _linalg.linalg_svd
cross = _products.linalg_cross


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, as a view."""
    return A.diagonal(offset, dim1, dim2)

"""Products and distances with batches of matrices."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["batch_mahalanobis", "batch_mv", "log_diagonal", "precision_to_scale_tril"]


def batch_mv(bmat: Any, bvec: Any) -> Tensor:
    """The products of matrices and vectors, whose batches broadcast."""
    return torch.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def batch_mahalanobis(bL: Any, bx: Any) -> Tensor:
    """|L⁻¹ x|² for triangular matrices L and vectors x; the batch of L broadcasts to that of x.

    Each matrix is solved for all its vectors at once, so the dimensions of the batch of x along which L is repeated
    are brought together.
    """
    n = bx.size(-1)
    batch = bx.shape[:-1]
    rank = bL.dim() - 2
    outer = len(batch) - rank  # dimensions that L lacks
    sizes = bL.shape[:-2]
    split = batch[:outer] + tuple([s for own, x in zip(sizes, batch[outer:], strict=True) for s in (x // own, own)])
    repeated, own = range(outer, outer + 2 * rank, 2), range(outer + 1, outer + 2 * rank, 2)
    bx = bx.reshape((*split, n)).permute([*range(outer), *repeated, *own, outer + 2 * rank])
    matrices = bL.reshape(-1, n, n)
    columns = bx.reshape(-1, matrices.size(0), n).permute(1, 2, 0)
    distances = torch.linalg.solve_triangular(matrices, columns, upper=False).pow(2).sum(-2).t()
    back = [*range(outer), *[axis for i in range(rank) for axis in (outer + i, outer + rank + i)]]
    return distances.reshape(bx.shape[:-1]).permute(back).reshape(batch)


def precision_to_scale_tril(P: Any) -> Tensor:
    """The Cholesky factor of the inverse of a matrix."""
    flipped = torch.linalg.cholesky(torch.flip(P, (-2, -1)))
    inverse = torch.transpose(torch.flip(flipped, (-2, -1)), -2, -1)
    identity = torch.eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return torch.linalg.solve_triangular(inverse, identity, upper=False)


def log_diagonal(L: Any) -> Tensor:
    """The logarithm of the determinant of a triangular matrix."""
    return L.diagonal(dim1=-2, dim2=-1).log().sum(-1)


publish(__name__)

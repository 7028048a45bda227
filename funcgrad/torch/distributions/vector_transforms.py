"""Transforms of vectors and matrices: to the simplex, to Cholesky factors, to positive-definite matrices."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.elementwise_transforms import clipped_sigmoid
from funcgrad.torch.distributions.functions import F, torch
from funcgrad.torch.distributions.transform import Transform, check_rank
from funcgrad.torch.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "CorrCholeskyTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "SoftmaxTransform",
    "StickBreakingTransform",
]


class CorrCholeskyTransform(Transform):
    """From D(D-1)/2 numbers to the Cholesky factor of a correlation matrix of size D.

    The numbers, taken to (-1, 1) by tanh, say row by row which part of what is left of its length an entry takes.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        x = torch.tanh(x)
        eps = torch.finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + torch.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = 1 - torch.cumsum(y * y, dim=-1)
        left = F.pad(left[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        """That of x and the elements of y below the diagonal."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        by_tanh = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return 0.5 * left.log().sum(-1) + by_tanh

    def forward_shape(self, shape: Any) -> Any:
        check_rank(shape, 1)
        size = shape[-1]
        d = round((0.25 + 2 * size) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != size:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + torch.Size((d, d))

    def inverse_shape(self, shape: Any) -> Any:
        check_rank(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + torch.Size((shape[-1] * (shape[-1] - 1) // 2,))


class SoftmaxTransform(Transform):
    """y = exp(x), normalized to the simplex; not bijective."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, SoftmaxTransform)

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        check_rank(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """From n numbers to the simplex of n + 1: each says which part of what is left of 1 a component takes."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, StickBreakingTransform)

    def _call(self, x: Any) -> Any:
        z = clipped_sigmoid(x - _log_remaining(x, x.shape[-1]))
        left = (1 - z).cumprod(-1)
        return F.pad(z, [0, 1], value=1) * F.pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        parts = y[..., :-1]
        left = torch.clamp(1 - parts.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return parts.log() - left.log() + _log_remaining(y, parts.shape[-1])

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _log_remaining(x, x.shape[-1])
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        check_rank(shape, 1)
        return shape[:-1] + torch.Size((shape[-1] + 1,))

    def inverse_shape(self, shape: Any) -> Any:
        check_rank(shape, 1)
        return shape[:-1] + torch.Size((shape[-1] - 1,))


def _log_remaining(like: Any, n: int) -> Any:
    """The logarithms of n, n - 1, ..., 1: with them zeros give equal components."""
    return (n + 1 - like.new_ones(n).cumsum(-1)).log()


class LowerCholeskyTransform(Transform):
    """Takes the lower triangle of a matrix and the exponential of its diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, LowerCholeskyTransform)

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """The matrix of which `LowerCholeskyTransform` gives the Cholesky factor."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, PositiveDefiniteTransform)

    def _call(self, x: Any) -> Any:
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


show_as_torch(__name__, "torch.distributions.transforms")
publish(__name__)

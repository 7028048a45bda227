"""`torch.distributions.lowrank_multivariate_normal`: covariances of low rank."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.matrices import batch_mahalanobis, batch_mv, log_diagonal
from funcgrad.torch.distributions.utils import _standard_normal, lazy_property
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["LowRankMultivariateNormal"]


def _batch_capacitance_tril(W: Any, D: Any) -> Any:
    """The Cholesky factor of I + Wᵀ D⁻¹ W."""
    return _factor_with_identity(torch.matmul(W.mT / D.unsqueeze(-2), W))


def _factor_with_identity(K: Any) -> Any:
    """The Cholesky factor of I + K; K is changed."""
    m = K.size(-1)
    K = K.contiguous()
    K.view(-1, m * m)[:, :: m + 1] += 1
    return torch.linalg.cholesky(K)


def _batch_lowrank_logdet(W: Any, D: Any, capacitance_tril: Any) -> Any:
    """log det(W Wᵀ + D), by the matrix determinant lemma."""
    return 2 * log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W: Any, D: Any, x: Any, capacitance_tril: Any) -> Any:
    """xᵀ (W Wᵀ + D)⁻¹ x, by Woodbury's identity."""
    projected = batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - batch_mahalanobis(capacitance_tril, projected)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors of covariance cov_factor cov_factorᵀ + diag(cov_diag).

    Arguments:
        loc: the mean, of shape (..., n).
        cov_factor: of shape (..., n, rank).
        cov_diag: of shape (..., n).
        validate_args: as for `Distribution`.

    Only matrices of size rank are factored.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(texts.TWO_DIMENSIONAL.format(name="cov_factor"))
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(texts.OTHER_COV_FACTOR.format(size=event_shape[0]))
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            column, self.cov_factor, diagonal = torch.broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
            )
        except RuntimeError as e:
            shapes = {"loc": loc.shape, "factor": cov_factor.shape, "diagonal": cov_diag.shape}
            raise ValueError(texts.LOW_RANK_SHAPES.format(**shapes)) from e
        self.loc = column[..., 0]
        self.cov_diag = diagonal[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        own = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")
        parameters = ("loc", "cov_diag", "cov_factor")
        return self._expanded(LowRankMultivariateNormal, batch_shape, _instance, *parameters, kept=own)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    def _as_matrices(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        # of √D (I + √D⁻¹ W Wᵀ √D⁻¹) √D, whose middle has no eigenvalue below 1
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._as_matrices(root * _factor_with_identity(torch.matmul(scaled, scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._as_matrices(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._as_matrices(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        inner = shape[:-1] + self.cov_factor.shape[-1:]
        by_factor = _standard_normal(inner, dtype=self.loc.dtype, device=self.loc.device)
        by_diagonal = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return (
            self.loc
            + batch_mv(self._unbroadcasted_cov_factor, by_factor)
            + self._unbroadcasted_cov_diag.sqrt() * by_diagonal
        )

    def _parts(self) -> tuple[Any, Any]:
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_lowrank_mahalanobis(*self._parts(), value - self.loc, self._capacitance_tril)
        log_det = _batch_lowrank_logdet(*self._parts(), self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self) -> Tensor:
        log_det = _batch_lowrank_logdet(*self._parts(), self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


show_as_torch(__name__)
publish(__name__)

"""Divergences of normal distributions of vectors, whose covariance may be of low rank."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.kl_registry import register_kl
from funcgrad.torch.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from funcgrad.torch.distributions.matrices import batch_mahalanobis, log_diagonal
from funcgrad.torch.distributions.multivariate_normal import MultivariateNormal
from funcgrad.torch.texts import distributions as texts

__all__: list[str] = []


def _batch_trace_XXT(bmat: Any) -> Any:
    """The trace of X Xᵀ."""
    rows, columns = bmat.size(-2), bmat.size(-1)
    return bmat.reshape(-1, rows * columns).pow(2).sum(-1).reshape(bmat.shape[:-2])


def _check_events(p: Any, q: Any, families: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(texts.OTHER_EVENTS_KL.format(families=families))


def _log_det(d: Any) -> Any:
    """The logarithm of the determinant of a covariance of low rank."""
    return _batch_lowrank_logdet(d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, d._capacitance_tril)


def _distance(p: Any, q: Any) -> Any:
    """That of the means, in the metric of q."""
    x = q.loc - p.loc
    return _batch_lowrank_mahalanobis(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, x, q._capacitance_tril)


def _correction(q: Any) -> Any:
    """A, such that the inverse of the covariance of q is D⁻¹ - Aᵀ A."""
    scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    return torch.linalg.solve_triangular(q._capacitance_tril, scaled, upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_events(p, q, "Low Rank Multivariate Normals")
    t1, t3, a = _log_det(q) - _log_det(p), _distance(p, q), _correction(q)
    diagonal, own = q._unbroadcasted_cov_diag, p._unbroadcasted_cov_diag
    t2 = (own / diagonal).sum(-1)
    t2 = t2 + _batch_trace_XXT(p._unbroadcasted_cov_factor * diagonal.rsqrt().unsqueeze(-1))
    t2 = t2 - _batch_trace_XXT(a * own.sqrt().unsqueeze(-2))
    t2 = t2 - _batch_trace_XXT(a.matmul(p._unbroadcasted_cov_factor))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    factor = p._unbroadcasted_scale_tril
    t1, t3 = _log_det(q) - 2 * log_diagonal(factor), _distance(p, q)
    t2 = _batch_trace_XXT(factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    t2 = t2 - _batch_trace_XXT(_correction(q).matmul(factor))
    return 0.5 * (t1 + t2 + t3 - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_events(p, q, "(Low Rank) Multivariate Normals")
    t1: Any = 2 * log_diagonal(q._unbroadcasted_scale_tril) - _log_det(p)
    t3 = batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    n, batch = p.event_shape[0], q._unbroadcasted_scale_tril.shape[:-2]
    batch = torch.broadcast_shapes(batch, p._unbroadcasted_cov_factor.shape[:-2])
    factor = q._unbroadcasted_scale_tril.expand((*batch, n, n))
    t2 = 0
    for part in (p._unbroadcasted_cov_factor, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt())):
        part = part.expand(batch + part.shape[-2:])
        t2 = t2 + _batch_trace_XXT(torch.linalg.solve_triangular(factor, part, upper=False))
    return 0.5 * (t1 + t2 + t3 - n)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_events(p, q, "Multivariate Normals")
    own, other = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half_t1: Any = log_diagonal(other) - log_diagonal(own)
    n, batch = p.event_shape[0], torch.broadcast_shapes(other.shape[:-2], own.shape[:-2])
    solved = torch.linalg.solve_triangular(other.expand((*batch, n, n)), own.expand((*batch, n, n)), upper=False)
    t3 = batch_mahalanobis(other, q.loc - p.loc)
    return half_t1 + 0.5 * (_batch_trace_XXT(solved) + t3 - n)


publish(__name__)

"""`torch.distributions.multivariate_normal`: normal vectors."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.covariance import ByCovariance
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.matrices import batch_mahalanobis, batch_mv, log_diagonal
from funcgrad.torch.distributions.utils import _standard_normal, lazy_property
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["MultivariateNormal"]


class MultivariateNormal(ByCovariance):
    """The normal distribution of vectors.

    Arguments:
        loc: the mean, of shape (..., n).
        covariance_matrix: the covariance, of shape (..., n, n); or
        precision_matrix: its inverse; or
        scale_tril: its lower triangular Cholesky factor, with which nothing need be factored.
        validate_args: as for `Distribution`.

    Example:
        >>> from funcgrad import torch
        >>> torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).entropy()
        tensor(2.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "scale_tril": scale_tril,
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
        }
        given = {n: m for n, m in matrices.items() if m is not None}
        if len(given) != 1:
            raise ValueError(texts.ONE_MATRIX)
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            shown = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(texts.TWO_DIMENSIONAL.format(name=shown))
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._factor(covariance_matrix, precision_matrix, scale_tril)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parameters = ("loc", "covariance_matrix", "scale_tril", "precision_matrix")
        kept = ("_unbroadcasted_scale_tril",)
        return self._expanded(MultivariateNormal, batch_shape, _instance, *parameters, kept=kept)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._as_matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return self._as_matrices(torch.matmul(factor, factor.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._as_matrices(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, normal)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self) -> Tensor:
        half_log_det: Any = log_diagonal(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy


show_as_torch(__name__)
publish(__name__)

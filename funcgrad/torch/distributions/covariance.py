"""Families whose parameter is a covariance, its inverse, or its Cholesky factor."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.matrices import precision_to_scale_tril

__all__ = ["ByCovariance"]


class ByCovariance(Distribution):
    """What these families share: the parameter that is given, and the factor that they compute with."""

    _unbroadcasted_scale_tril: Any

    def _factor(self, covariance_matrix: Any, precision_matrix: Any, scale_tril: Any) -> None:
        """Keep the Cholesky factor of the one that is given."""
        if scale_tril is not None:
            self._unbroadcasted_scale_tril = scale_tril
        elif covariance_matrix is not None:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = precision_to_scale_tril(precision_matrix)

    def _as_matrices(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape[-1:] * 2)


show_as_torch(__name__)
publish(__name__)

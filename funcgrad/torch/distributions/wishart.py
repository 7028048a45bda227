"""`torch.distributions.wishart`: random covariance matrices."""

from __future__ import annotations

import math
import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.chi2 import Chi2
from funcgrad.torch.distributions.covariance import ByCovariance
from funcgrad.torch.distributions.exp_family import ExponentialFamily
from funcgrad.torch.distributions.functions import NUMBER, torch
from funcgrad.torch.distributions.matrices import log_diagonal
from funcgrad.torch.distributions.utils import lazy_property
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["Wishart"]


_LOG_2 = math.log(2)


def _mvdigamma(x: Any, p: int) -> Any:
    """The derivative of torch.mvlgamma."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    steps = torch.arange(p, dtype=x.dtype, device=x.device).div(2).expand((*x.shape, -1))
    return torch.digamma(x.unsqueeze(-1) - steps).sum(-1)


class Wishart(ByCovariance, ExponentialFamily):
    """The sum of x xᵀ over `df` normal vectors x of mean 0.

    Arguments:
        df: their number, greater than their length less one; it need not be an integer.
        covariance_matrix: their covariance, of shape (..., n, n); or
        precision_matrix: its inverse; or
        scale_tril: its Cholesky factor.
        validate_args: as for `Distribution`.

    Source: P. L. Odell, A. H. Feiveson, "A numerical procedure to generate a sample covariance matrix", 1966.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = {n: m for n, m in matrices.items() if m is not None}
        if len(given) != 1:
            raise AssertionError(texts.ONE_MATRIX)
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(texts.TWO_DIMENSIONAL.format(name="scale_tril"))
        if isinstance(df, NUMBER):
            batch_shape = torch.Size(matrix.shape[:-2])
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        least = event_shape[-1] - 1
        if self.df.le(least).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {least}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if self.df.lt(event_shape[-1]).any():
            warnings.warn(texts.LOW_DF, stacklevel=2)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._factor(covariance_matrix, precision_matrix, scale_tril)
        self._prepare()

    def _prepare(self) -> None:
        """The distribution of the squares of the diagonal of a sample's factor, row by row."""
        self._batch_dims = [-(i + 1) for i in range(len(self._batch_shape))]
        factor = self._unbroadcasted_scale_tril
        rows = torch.arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - rows.expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        parameters = ("covariance_matrix", "scale_tril", "precision_matrix")
        new = self._expanded(Wishart, batch_shape, _instance, *parameters, kept=())
        new._unbroadcasted_scale_tril = new._as_matrices(self._unbroadcasted_scale_tril)
        new.df = self.df.expand(new._batch_shape)
        new._prepare()
        return new

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._as_matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return self._as_matrices(factor @ factor.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        identity = torch.eye(self._event_shape[-1], device=factor.device, dtype=factor.dtype)
        return self._as_matrices(torch.cholesky_solve(identity, factor))

    def _df_of_matrices(self) -> Any:
        return self.df.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        return self._df_of_matrices() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor: Any = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return factor.view((*self._batch_shape, 1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance: Any = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._df_of_matrices() * (covariance.pow(2) + torch.einsum("...i,...j->...ij", diagonal, diagonal))

    def _bartlett_sampling(self, sample_shape: Any = ()) -> Any:
        """Samples from a factor with roots of chi-squared numbers on its diagonal, and normal ones below."""
        p = self._event_shape[-1]
        roots: Any = self._dist_chi2.rsample(sample_shape).sqrt()
        factor = roots.clamp(min=torch.finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(p, p, offset=-1)
        below = torch.Size(sample_shape) + self._batch_shape + (int(p * (p - 1) / 2),)
        factor[..., i, j] = torch.randn(below, dtype=factor.dtype, device=factor.device)
        factor = self._unbroadcasted_scale_tril @ factor
        return factor @ factor.transpose(-2, -1)

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """Samples that are differentiable functions of the parameters.

        Arguments:
            sample_shape: the shape.
            max_try_correction: how often singular samples are drawn again, 10 times by default.
        """
        tries = 10 if max_try_correction is None else max_try_correction
        sample_shape = torch.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        is_singular = self.support.check(sample)  # torch's is_singular, too, says which are not
        if self._batch_shape:
            is_singular = is_singular.amax(self._batch_dims)
        if is_singular.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(tries):
                again = self._bartlett_sampling(is_singular[is_singular].shape)
                sample[is_singular] = again
                still = ~self.support.check(again)
                if self._batch_shape:
                    still = still.amax(self._batch_dims)
                is_singular[is_singular.clone()] = still
                if not is_singular.any():
                    break
        return sample

    def _log_det_of_scale(self) -> Any:
        """Half the logarithm of the determinant of twice the covariance."""
        return self._event_shape[-1] * _LOG_2 / 2 + log_diagonal(self._unbroadcasted_scale_tril)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        solved = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        return (
            -nu * self._log_det_of_scale()
            - torch.mvlgamma(nu / 2, p=p)
            + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
            - solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        )

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        return (
            (p + 1) * self._log_det_of_scale()
            + torch.mvlgamma(nu / 2, p=p)
            - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
            + nu * p / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        p = self._event_shape[-1]
        half_df = y + (p + 1) / 2
        return half_df * (-torch.linalg.slogdet(-2 * x).logabsdet + _LOG_2 * p) + torch.mvlgamma(half_df, p=p)


show_as_torch(__name__)
publish(__name__)

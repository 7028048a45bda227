"""`torch.distributions.chi2`: sums of squares of normal numbers."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.gamma import Gamma
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers; the gamma distribution of parameters df/2 and 1/2.

    Arguments:
        df: the degrees of freedom, a positive number or tensor.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2


show_as_torch(__name__)
publish(__name__)

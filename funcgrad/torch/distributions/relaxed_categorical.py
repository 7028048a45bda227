"""`torch.distributions.relaxed_categorical`: one of several, smoothed so that it has gradients."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.categorical import Categorical
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.of_categories import OfCategories
from funcgrad.torch.distributions.relaxed import Relaxed
from funcgrad.torch.distributions.transforms import ExpTransform
from funcgrad.torch.distributions.utils import broadcast_all, clamp_probs
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategories):
    """The logarithms of what `RelaxedOneHotCategorical` draws.

    Arguments:
        temperature: how smooth it is; towards 0 vectors come close to the corners of the simplex.
        probs: weights of the categories, in the last dimension; or
        logits: their logarithms.
        validate_args: as for `Distribution`.

    Source: C. J. Maddison, A. Mnih, Y. W. Teh, "The Concrete distribution", 2017.
    """

    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        shape = self._categorical.param_shape
        super().__init__(self._categorical.batch_shape, shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(ExpRelaxedCategorical, batch_shape, _instance, "_categorical", kept=("temperature",))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        uniforms: Any = clamp_probs(torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbels = -((-(uniforms.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Tensor:
        k = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        log_scale = torch.full_like(self.temperature, float(k)).lgamma() - self.temperature.log().mul(-(k - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(Relaxed):
    """Points of the simplex that come close to the vectors of `OneHotCategorical`, with gradients.

    Arguments:
        temperature, probs, logits, validate_args: as for `ExpRelaxedCategorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedOneHotCategorical, _instance))


show_as_torch(__name__)
publish(__name__)

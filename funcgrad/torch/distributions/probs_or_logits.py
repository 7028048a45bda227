"""Families of two outcomes, whose parameter is either a probability or its log-odds."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import Size
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.distribution import Distribution
from funcgrad.torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ByProbsOrLogits", "check_one_given"]


def check_one_given(probs: Any, logits: Any) -> None:
    """Raise torch's error if neither or both are given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ByProbsOrLogits(Distribution):
    """What these families share: the parameter that was not given is computed when it is asked for."""

    _param: Any

    def _take(self, probs: Any, logits: Any) -> Size:
        """Keep the parameter that is given; the shape of the batch."""
        check_one_given(probs, logits)
        if probs is not None:
            (self.probs,) = broadcast_all(probs)
        else:
            (self.logits,) = broadcast_all(logits)
        self._param = self.probs if probs is not None else self.logits
        return self._param.size()

    def _take_with_count(self, total_count: Any, probs: Any, logits: Any) -> Size:
        """The same, where `total_count` belongs to it."""
        check_one_given(probs, logits)
        if probs is not None:
            self.total_count, self.probs = broadcast_all(total_count, probs)
        else:
            self.total_count, self.logits = broadcast_all(total_count, logits)
        self._param = self.probs if probs is not None else self.logits
        self.total_count = self.total_count.type_as(self._param)
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.size()


show_as_torch(__name__)
publish(__name__)

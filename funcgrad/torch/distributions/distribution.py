"""`torch.distributions.distribution`: what all distributions have in common."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import Size
from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.utils import lazy_property
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = ["Distribution"]

_NO_SHAPE = Size()


class Distribution:
    """The base class of probability distributions.

    Arguments:
        batch_shape: the shape over which the parameters are batched.
        event_shape: the shape of one sample of one distribution of the batch.
        validate_args: whether parameters and values are checked; by default as `set_default_validate_args` says.

    A family draws with `sample`, or with `rsample` so that gradients reach its parameters, and evaluates `log_prob`.
    """

    __reduce_ex__ = reduce_by_place
    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their arguments unless they are told; it is so at first, but under -O."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Size = _NO_SHAPE, event_shape: Size = _NO_SHAPE, validate_args: bool | None = None
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            try:
                arg_constraints = self.arg_constraints
            except NotImplementedError:
                arg_constraints = {}
                warnings.warn(texts.NO_ARG_CONSTRAINTS.format(cls=self.__class__), stacklevel=2)
            for name, constraint in arg_constraints.items():
                self._check_parameter(name, constraint)
        super().__init__()

    def _check_parameter(self, name: str, constraint: Any) -> None:
        if constraints.is_dependent(constraint):
            return
        if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
            return  # not what the user gave
        value = getattr(self, name)
        if not torch._is_all_true(constraint.check(value)):
            raise ValueError(
                texts.INVALID_PARAMETER.format(
                    name=name,
                    kind=type(value).__name__,
                    shape=tuple(value.shape),
                    distribution=repr(self),
                    constraint=repr(constraint),
                    value=value,
                )
            )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The distribution with its batch expanded to this shape; parameters share memory.

        Arguments:
            batch_shape: the shape.
        """
        raise NotImplementedError

    def _expanded(self, family: Any, batch_shape: Any, instance: Any, *names: str, kept: tuple[str, ...] = ()) -> Any:
        """What `expand` of a family gives.

        Arguments:
            family: the class whose `expand` it is.
            batch_shape: the shape.
            instance: what a subclass made for it; None if none did.
            names: the attributes that are expanded, tensors or distributions; those that the object lacks are left out.
            kept: the attributes that stay.
        """
        new = self._get_checked_instance(family, instance)
        shape, own = torch.Size(batch_shape), len(self._batch_shape)
        for name in names:
            part = self.__dict__.get(name)
            if isinstance(part, Distribution):
                setattr(new, name, part.expand(shape))
            elif part is not None:
                setattr(new, name, part.expand(shape + part.shape[own:]))
        for name in kept:
            setattr(new, name, getattr(self, name))
        above: Any = super(family, new)
        above.__init__(shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """For each parameter the set that it must lie in."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set that samples lie in."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """Where the density is greatest."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Samples, through which no gradients flow, of shape sample_shape + batch_shape + event_shape."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Samples that are differentiable functions of the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """n samples; to be written sample((n,)) now."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at value."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of what is at most value."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: what `cdf` takes to value."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along the first dimension.

        Arguments:
            expand: whether they are repeated for the batch; else its dimensions have size one.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, of shape batch_shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of what is drawn."""
        if not isinstance(sample_shape, Size):
            sample_shape = torch.Size(sample_shape)
        return torch.Size(sample_shape + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: Tensor) -> None:
        """Raise an error if value cannot be a sample.

        Raises:
            ValueError: it is no tensor, its shape does not fit, or it lies outside the support.
        """
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        given = value.size()
        if given[len(given) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(texts.OTHER_EVENT_SHAPE.format(given=given, wanted=self._event_shape))
        wanted = self._batch_shape + self._event_shape
        for i, j in zip(reversed(given), reversed(wanted), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(texts.OTHER_BATCH_SHAPE.format(given=given, wanted=wanted))
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(texts.NO_SUPPORT.format(cls=self.__class__), stacklevel=2)
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not torch._is_all_true(support.check(value)):
            raise ValueError(
                texts.OUTSIDE_SUPPORT.format(
                    kind=type(value).__name__,
                    shape=tuple(given),
                    support=repr(support),
                    distribution=repr(self),
                    value=value,
                )
            )

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        """The object that `expand` of a class fills, which a subclass may have made."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(texts.NO_EXPAND.format(name=self.__class__.__name__, family=cls.__name__))
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        given = {n: self.__dict__[n] for n in self.arg_constraints if n in self.__dict__}
        shown = [f"{n}: {p if p.numel() == 1 else p.size()}" for n, p in given.items()]
        return self.__class__.__name__ + "(" + ", ".join(shown) + ")"


show_as_torch(__name__)
publish(__name__)

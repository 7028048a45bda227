"""`torch.distributions.constraint_registry`: which transform takes unconstrained numbers to a constraint.

`biject_to(constraint)` gives a bijection, with a Jacobian; `transform_to(constraint)` one that works number by number
where it can, for optimization.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints, transforms
from funcgrad.torch.distributions.functions import NUMBER
from funcgrad.torch.texts import distributions as texts

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Transforms by class of constraint.

    Example:
        >>> from funcgrad import torch
        >>> torch.distributions.transform_to(torch.distributions.constraints.simplex)
        SoftmaxTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Callable | None = None) -> Any:
        """Say which transform belongs to a class of constraints.

        Arguments:
            constraint: the class, or the only object of it.
            factory: a function of a constraint that gives the transform; without it this is a decorator of one.

        Raises:
            TypeError: it is no constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(texts.NO_CONSTRAINT.format(given=constraint))
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """The transform to a constraint.

        Raises:
            NotImplementedError: none is registered.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _for(*targets: Any, by: tuple[ConstraintRegistry, ...] = (biject_to, transform_to)) -> Callable:
    """Register a function of a constraint and the registry that is asked."""

    def declare(factory: Callable) -> Callable:
        for registry in by:
            for target in targets:
                registry.register(target, lambda constraint, registry=registry: factory(constraint, registry))
        return factory

    return declare


@_for(constraints.real)
def _to_real(constraint: Any, registry: Any) -> Any:
    return transforms.identity_transform


@_for(constraints.independent)
def _to_independent(constraint: Any, registry: Any) -> Any:
    base = registry(constraint.base_constraint)
    return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)


@_for(constraints.positive, constraints.nonnegative, constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any, registry: Any) -> Any:
    steps = [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    return transforms.ComposeTransform(steps)


@_for(constraints.less_than)
def _to_less_than(constraint: Any, registry: Any) -> Any:
    steps = [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    return transforms.ComposeTransform(steps)


@_for(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any, registry: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBER) and low == 0 and isinstance(high, NUMBER) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@_for(constraints.simplex, by=(biject_to,))
def _biject_to_simplex(constraint: Any, registry: Any) -> Any:
    return transforms.StickBreakingTransform()


@_for(constraints.simplex, by=(transform_to,))
def _transform_to_simplex(constraint: Any, registry: Any) -> Any:
    return transforms.SoftmaxTransform()


@_for(constraints.lower_cholesky, by=(transform_to,))
def _to_lower_cholesky(constraint: Any, registry: Any) -> Any:
    return transforms.LowerCholeskyTransform()


@_for(constraints.positive_definite, constraints.positive_semidefinite, by=(transform_to,))
def _to_positive_definite(constraint: Any, registry: Any) -> Any:
    return transforms.PositiveDefiniteTransform()


@_for(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any, registry: Any) -> Any:
    return transforms.CorrCholeskyTransform()


@_for(constraints.cat)
def _to_cat(constraint: Any, registry: Any) -> Any:
    return transforms.CatTransform([registry(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@_for(constraints.stack)
def _to_stack(constraint: Any, registry: Any) -> Any:
    return transforms.StackTransform([registry(c) for c in constraint.cseq], constraint.dim)


show_as_torch(__name__)
publish(__name__)

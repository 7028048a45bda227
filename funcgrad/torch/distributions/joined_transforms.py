"""A transform for each part of a tensor: `CatTransform` and `StackTransform`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions import constraints
from funcgrad.torch.distributions.functions import torch
from funcgrad.torch.distributions.transform import Transform
from funcgrad.torch.distributions.utils import _sum_rightmost, lazy_property
from funcgrad.torch.texts import distributions as texts

__all__ = ["CatTransform", "StackTransform"]


class _JoinedTransform(Transform):
    """What the two share.

    Arguments:
        tseq: the transforms.
        dim: the dimension along which the parts lie.
        cache_size: as for `Transform`.
    """

    transforms: list[Transform]

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        return all(t.bijective for t in self.transforms)

    def _check(self, x: Any, name: str, shown: str, length: int, wanted: str) -> None:
        if not -x.dim() <= self.dim < x.dim():
            raise AssertionError(texts.NOT_ITS_TENSOR.format(dim=self.dim, what=shown, ndim=x.dim()))
        if x.size(self.dim) != length:
            raise AssertionError(
                texts.OTHER_LENGTH.format(what=name, dim=self.dim, size=x.size(self.dim), wanted=f"{wanted} {length}")
            )


class CatTransform(_JoinedTransform):
    """A transform for each part of a tensor that torch.cat joined.

    Arguments:
        tseq: the transforms.
        dim: the dimension.
        lengths: of the parts, 1 by default.
        cache_size: as for `Transform`.

    Example:
        >>> from funcgrad import torch
        >>> D = torch.distributions
        >>> D.CatTransform([D.ExpTransform(), D.identity_transform], lengths=[1, 2])(torch.zeros(3))
        tensor([1., 0., 0.])
    """

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The size along the dimension."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x: Any, name: str, shown: str = "tensor") -> list[Any]:
        self._check(x, name, shown, self.length, "length")
        found, start = [], 0
        for length in self.lengths:
            found.append(x.narrow(self.dim, start, length))
            start += length
        return found

    def _call(self, x: Any) -> Any:
        pairs = zip(self.transforms, self._parts(x, "x"), strict=True)
        return torch.cat([t(part) for t, part in pairs], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        pairs = zip(self.transforms, self._parts(y, "y"), strict=True)
        return torch.cat([t.inv(part) for t, part in pairs], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = []
        for t, a, b in zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y"), strict=True):
            terms.append(_sum_rightmost(t.log_abs_det_jacobian(a, b), max(self.event_dim - t.event_dim, 0)))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_JoinedTransform):
    """A transform for each part of a tensor that torch.stack joined.

    Arguments:
        tseq: the transforms.
        dim: the dimension.
        cache_size: as for `Transform`.
    """

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, x: Any, name: str, shown: str = "tensor") -> list[Any]:
        self._check(x, name, shown, len(self.transforms), "len(transforms)")
        return [x.select(self.dim, i) for i in range(x.size(self.dim))]

    def _call(self, x: Any) -> Any:
        pairs = zip(self.transforms, self._parts(x, "x"), strict=True)
        return torch.stack([t(part) for t, part in pairs], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        pairs = zip(self.transforms, self._parts(y, "y"), strict=True)
        return torch.stack([t.inv(part) for t, part in pairs], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = zip(self.transforms, self._parts(x, "x", "x"), self._parts(y, "y", "y"), strict=True)
        return torch.stack([t.log_abs_det_jacobian(a, b) for t, a, b in parts], dim=self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)


show_as_torch(__name__, "torch.distributions.transforms")
publish(__name__)

"""`torch.distributions.utils`: what families of distributions share."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Final

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.distributions.functions import NUMBER, F, torch
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import distributions as texts

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant: Final[float] = 0.57721566490153286060


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Tensors and numbers, broadcast to one shape; a number takes the dtype of the first tensor.

    Arguments:
        values: tensors and numbers.

    Raises:
        ValueError: one is neither.

    Example:
        >>> from funcgrad import torch
        >>> torch.distributions.utils.broadcast_all(torch.zeros(2), 1)
        (tensor([0., 0.]), tensor([1., 1.]))
    """
    tensors = [isinstance(v, Tensor) for v in values]
    if not all(t or isinstance(v, NUMBER) for t, v in zip(tensors, values, strict=True)):
        raise ValueError(texts.NEITHER_NUMBER_NOR_TENSOR)
    if not all(tensors):
        dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None) or torch.get_default_dtype()
        values = tuple([v if isinstance(v, Tensor) else torch.tensor(v, dtype=dtype) for v in values])
    return torch.broadcast_tensors(*values)


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from log-odds (binary), or from logarithms that need not be normalized, in the last dimension."""
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept off 0 and 1 by the dtype's eps.

    Example:
        >>> from funcgrad import torch
        >>> torch.distributions.utils.clamp_probs(torch.tensor([0.0, 0.5]))
        tensor([1.1921e-07, 5.0000e-01])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds (binary) or logarithms of probabilities."""
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)


class lazy_property:
    """A property that is computed when it is first asked for, and is an attribute from then on.

    Arguments:
        wrapped: the method that computes it; gradients are recorded whatever the mode.
    """

    def __init__(self, wrapped: Callable) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]  # it takes any object

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """What a class shows of a lazy property: it counts as a property, too."""

    def __init__(self, wrapped: Callable) -> None:
        property.__init__(self, wrapped)


def _below(n: int, diag: int, like: Tensor) -> Tensor:
    """Where the lower triangle of an n x n matrix is, up to and with this diagonal."""
    places = torch.arange(n, device=like.device)
    return places < places.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of matrices, row by row, as vectors.

    Arguments:
        mat: of shape (..., n, n).
        diag: the last diagonal that belongs to them.

    Raises:
        ValueError: the matrices have no such diagonal.
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag, mat)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices of which these vectors are the triangles, row by row; see `tril_matrix_to_vec`.

    Raises:
        ValueError: no triangle has so many elements.
    """
    size = vec.shape[-1]
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * size + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(texts.NO_TRIANGLE.format(size=size))
    n = round(n)
    mat = vec.new_zeros(vec.shape[:-1] + torch.Size((n, n)))
    mat[..., _below(n, diag, vec)] = vec
    return mat


show_as_torch(__name__)
publish(__name__)

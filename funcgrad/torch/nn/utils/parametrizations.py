"""`torch.nn.utils.parametrizations`: weights that are orthogonal, or of a norm of their own, or divided by one."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import finfo
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, modules
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.utils import parametrize
from funcgrad.torch.ops.nn.weight_norm import _weight_norm, norm_except_dim
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import nn_utils as nn_utils_texts
from funcgrad.torch.texts import parametrize as texts

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_torch, _linalg = namespaces[""], namespaces["linalg"]


def _named_weight(module: Any, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# Orthogonal matrices.


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(q: Any) -> bool:
    n, k = q.size(-2), q.size(-1)
    identity = _torch["eye"](k, dtype=q.dtype)
    return _torch["allclose"](q.mH @ q, identity, atol=10.0 * n * finfo(q.dtype).eps)


def _make_orthogonal(a: Any) -> Any:
    """An orthonormal basis of the columns, with the signs that make it that of a random matrix."""
    x, tau = _torch["geqrf"](a)
    q = _linalg["householder_product"](x, tau)
    return q * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Any

    def __init__(self, weight: Any, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError(texts.COMPLEX_HOUSEHOLDER)
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Any) -> Any:
        """The orthogonal matrix that belongs to a matrix without conditions."""
        transposed = x.size(-2) < x.size(-1)
        if transposed:
            x = x.mT
        q = self._householder(x) if self.orthogonal_map is _OrthMaps.householder else self._of_skew(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def _of_skew(self, x: Any) -> Any:
        """The first columns of what the skew-hermitian part is mapped to."""
        n, k = x.size(-2), x.size(-1)
        x = x.tril()
        if n != k:
            x = _torch["cat"]([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
        a = x - x.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            q = _torch["matrix_exp"](a)
        else:
            identity = _torch["eye"](n, dtype=a.dtype)
            q = _linalg["solve"](identity.add(a, alpha=-0.5), identity.add(a, alpha=0.5))
        return q if n == k else q[..., :k]

    def _householder(self, x: Any) -> Any:
        """A product of reflections."""
        a = x.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (a * a).sum(dim=-2))
        q = _linalg["householder_product"](a, tau)
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    @no_grad()
    def right_inverse(self, q: Any) -> Any:
        """The matrix to which an orthogonal one belongs; others are made orthogonal first."""
        if q.shape != self.shape:
            raise ValueError(texts.ORTHOGONAL_SHAPE.format(own=self.shape, found=q.shape))
        given, transposed = q, q.size(-2) < q.size(-1)
        if transposed:
            q = q.mT
        n, k = q.size(-2), q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(texts.NO_TRIVIALIZATION)
            a, tau = _torch["geqrf"](q)
            a.diagonal(dim1=-2, dim2=-1).sign_()
            a.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1  # there LAPACK takes the identity, not a reflection
            return a.mT if transposed else a
        if n != k:
            q = _torch["cat"]([q, _torch["randn"](*q.size()[:-2], n, n - k, dtype=q.dtype)], dim=-1)
        self.base = q.clone() if n == k and _is_orthogonal(q) else _make_orthogonal(q)
        negative = _torch["zeros_like"](given)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Have a weight be a matrix with orthonormal columns, or rows if it is wide; or a batch of them.

    Arguments:
        module: whose weight it is.
        name: of the weight.
        orthogonal_map: how it is computed from a matrix without conditions: "matrix_exp", "cayley" or "householder";
            by default the first for square and complex matrices, the last for others.
        use_trivialization: whether it is computed as the product of a fixed orthogonal matrix and one close to the
            identity, to which any orthogonal matrix can be assigned.

    Returns:
        The module.

    Source: Lezcano-Casado (2019), https://arxiv.org/abs/1909.09501

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 5))
        >>> torch.allclose(layer.weight.T @ layer.weight, torch.eye(3), atol=1e-5)
        True
    """
    weight = _named_weight(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    kind = getattr(_OrthMaps, orthogonal_map, None)
    if kind is None:
        raise ValueError(texts.ORTHOGONAL_MAPS.format(given=orthogonal_map))
    parametrization = _Orthogonal(weight, kind, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, parametrization, unsafe=True)
    return module


# Directions and lengths.


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The direction of weight_v, with the lengths weight_g."""
        return _weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> Any:
        """The lengths and the weight itself."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight computed from its length, `original0`, and its direction, `original1`.

    Arguments:
        module: whose weight it is.
        name: of the weight.
        dim: that along which lengths differ; None: there is one length.

    Returns:
        The module.

    Source: Salimans and Kingma (2016), https://arxiv.org/abs/1602.07868
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_older_names(state_dict: Any, prefix: str, *details: Any) -> None:
        """Take states that the older form of weight normalization has saved."""
        olds = [f"{prefix}{name}_{letter}" for letter in "gv"]
        if all(old in state_dict for old in olds):
            tensors = [state_dict.pop(old) for old in olds]
            for i, t in enumerate(tensors):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = t

    module._register_load_state_dict_pre_hook(take_older_names)
    return module


# Largest singular values.


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        n = weight.ndim
        if dim >= n or dim < -n:
            raise IndexError(texts.DIM_RANGE.format(n=n, last=n - 1, dim=dim))
        if n_power_iterations <= 0:
            raise ValueError(nn_utils_texts.POWER_ITERATIONS.format(n=n_power_iterations))
        self.dim = dim if dim >= 0 else dim + n
        self.eps = eps
        if n > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            h, w = matrix.size()
            u = matrix.new_empty(h).normal_(0, 1)
            v = matrix.new_empty(w).normal_(0, 1)
            self.register_buffer("_u", functional.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", functional.normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Any) -> Any:
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.flatten(1)

    @no_grad()
    def _power_method(self, matrix: Any, n_power_iterations: int) -> None:
        """Improve the singular vectors, in place: replicas of a module share them."""
        for _ in range(n_power_iterations):
            self._u = functional.normalize(matrix.mv(self._v), dim=0, eps=self.eps, out=self._u)
            self._v = functional.normalize(matrix.H.mv(self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Any) -> Any:
        """The weight over its largest singular value, as far as the vectors know it."""
        if weight.ndim == 1:
            return functional.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u = self._u.clone(memory_format=contiguous_format)
        v = self._v.clone(memory_format=contiguous_format)
        return weight / u.vdot(matrix.mv(v))

    def right_inverse(self, value: Any) -> Any:
        """The weight itself."""
        return value


def _out_dim(module: Any) -> int:
    """The dimension of a weight that belongs to the outputs."""
    transposed = (modules.ConvTranspose1d, modules.ConvTranspose2d, modules.ConvTranspose3d)
    return 1 if isinstance(module, transposed) else 0


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight divided by its largest singular value.

    Arguments:
        module: whose weight it is.
        name: of the weight.
        n_power_iterations: how many steps improve the singular vectors, each time in training.
        eps: keeps norms from being zero.
        dim: that of the outputs; by default 0, or 1 for transposed convolutions.

    Returns:
        The module.

    Source: Miyato, Kataoka, Koyama and Yoshida (2018), https://arxiv.org/abs/1802.05957
    """
    weight = _named_weight(module, name)
    dim = _out_dim(module) if dim is None else dim
    parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


show_as_torch(__name__)
publish(__name__)

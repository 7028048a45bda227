"""Dimensions in another order: transpose, permute, movedim and the like. All are views."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.geometry import native_warning, saved, unsigned
from funcgrad.torch.ops.memory import alias, change_view
from funcgrad.torch.ops.view_ops import PERMUTE, T_, TRANSPOSE, TRANSPOSE_, T
from funcgrad.torch.tensor.inplace import check_inplace
from funcgrad.torch.tensor.members import property_of
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.texts import shapes as texts


def swapped(x: Tensor, dim0: int, dim1: int) -> tuple[int, ...]:
    """The dimensions of x in order, two of them exchanged."""
    ndim = x._value.ndim
    i, j = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    axes = list(range(ndim))
    if ndim:
        axes[i], axes[j] = j, i
    return tuple(axes)


@op("transpose", "(Tensor input, int dim0, int dim1)", records=(TRANSPOSE,))
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged.

    Arguments:
        input: the tensor.
        dim0, dim1: the dimensions.

    Returns:
        The view.

    Example:
        >>> from funcgrad import torch
        >>> torch.ones(2, 3).transpose(0, 1).shape
        torch.Size([3, 2])
    """
    t = TRANSPOSE(input, axes=swapped(input, dim0, dim1))
    return saved(t, dim0=unsigned(dim0), dim1=unsigned(dim1)) if t._node is not None else t


@op("Tensor.transpose_", "(Tensor input, int dim0, int dim1)", records=(TRANSPOSE_,))
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """As `transpose`, in place."""
    check_inplace(self, name="transpose_")
    t = change_view(self, TRANSPOSE_, axes=swapped(self, dim0, dim1))
    return saved(t, dim0=unsigned(dim0), dim1=unsigned(dim1))


@op("swapaxes", "(Tensor input, int axis0, int axis1)", records=(TRANSPOSE,))
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """As `transpose`."""
    return transpose(input, axis0, axis1)


@op("swapdims", "(Tensor input, int dim0, int dim1)", records=(TRANSPOSE,))
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """As `transpose`."""
    return transpose(input, dim0, dim1)


@op("Tensor.swapaxes_", "(Tensor input, int axis0, int axis1)", records=(TRANSPOSE_,))
def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """As `transpose_`."""
    return transpose_(self, axis0, axis1)


@op("Tensor.swapdims_", "(Tensor input, int dim0, int dim1)", records=(TRANSPOSE_,))
def swapdims_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """As `transpose_`."""
    return transpose_(self, dim0, dim1)


def reversed_matrix(x: Tensor, name: str = "t") -> tuple[int, ...]:
    """The dimensions of a tensor of at most two in reverse."""
    ndim = x._value.ndim
    if ndim > 2:
        raise RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return (1, 0) if ndim == 2 else tuple(range(ndim))


@op("t", "(Tensor input)", records=(T,))
def t(input: Tensor) -> Tensor:
    """The transposed matrix, as a view; a tensor of less than two dimensions stays as it is."""
    return saved(T(input, axes=reversed_matrix(input)))


@op("Tensor.t_", "(Tensor input)", records=(T_,))
def t_(self: Tensor) -> Tensor:
    """As `t`, in place."""
    check_inplace(self, name="t_")
    return saved(change_view(self, T_, axes=reversed_matrix(self, "t_")))


def ordered_dims(x: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
    """All dimensions of x in a new order, counted from the front."""
    ndim = x._value.ndim
    if len(dims) != ndim:
        raise RuntimeError(texts.PERMUTE_DIMS.format(ndim=ndim, given=len(dims)))
    axes = tuple([wrap_dim(d, ndim) for d in dims])
    if len(set(axes)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return axes


@op("permute", "(Tensor input, tuple of ints! dims)", records=(PERMUTE,))
def permute(input: Tensor, dims: Any) -> Tensor:
    """A view with the dimensions in another order.

    Arguments:
        input: the tensor.
        dims: all dimensions of input in their new order.

    Returns:
        The view.

    Example:
        >>> from funcgrad import torch
        >>> torch.permute(torch.ones(2, 3, 5), (2, 0, 1)).shape
        torch.Size([5, 2, 3])
    """
    return _permuted(input, tuple(dims))


def _permuted(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    t = PERMUTE(x, axes=ordered_dims(x, dims))
    return saved(t, dims=tuple([unsigned(d) for d in dims])) if t._node is not None else t


@op(
    "movedim",
    "(Tensor input, int source, int destination)",
    "(Tensor input, tuple of ints! source, tuple of ints! destination)",
    names=("moveaxis",),
    records=(PERMUTE,),
)
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with some dimensions at other places and the rest in their order.

    Arguments:
        input: the tensor.
        source: the dimensions to move, an int or a tuple of them.
        destination: for each of them its new place.

    Returns:
        The view.

    Example:
        >>> from funcgrad import torch
        >>> torch.ones(2, 3, 5).movedim(0, -1).shape
        torch.Size([3, 5, 2])
    """
    ndim = input._value.ndim
    given = tuple([(d,) if isinstance(d, int) else tuple(d) for d in (source, destination)])
    if len(given[0]) != len(given[1]):
        raise RuntimeError(texts.MOVEDIM_DIMS.format(source=list(given[0]), destination=list(given[1])))
    places = [[wrap_dim(d, ndim) for d in dims] for dims in given]
    for dims, found, word in zip(given, places, ("source", "destination"), strict=True):
        if len(set(found)) != len(found):
            raise RuntimeError(f"movedim: repeated dim in `{word}` ({list(dims)})")
    if not ndim:
        return alias(input)
    rest = iter([d for d in range(ndim) if d not in places[0]])
    moved = dict(zip(places[1], places[0], strict=True))
    return _permuted(input, tuple([moved[k] if k in moved else next(rest) for k in range(ndim)]))


def _conjugated(x: Tensor) -> Tensor:
    return x.conj() if x._value.dtype.kind == "c" else x


@op("adjoint", "(Tensor input)")
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices, in the last two dimensions; a view."""
    if not input._value.ndim:
        _warn_0d("adjoint()", _CONJ, 4390, stacklevel=4)
    return _adjoint(input, "adjoint()")


def _adjoint(x: Tensor, name: str) -> Tensor:
    return _conjugated(_matrix_transpose(x, name))


def _matrix_transpose(x: Tensor, name: str) -> Tensor:
    ndim = x._value.ndim
    if ndim == 1:
        raise RuntimeError(texts.MATRICES_ONLY.format(name=name))
    return transpose(x, -2, -1) if ndim else x


def _warn_0d(name: str, remedy: str, line: int, stacklevel: int = 3) -> None:
    native_warning(f"{name} is deprecated on 0-D tensors. {remedy}", line, stacklevel)


_IDENTITY = "This function is the identity in these cases."
_CONJ = "Consider using x.conj()."


@property_of(Tensor, "T")
def _get_T(self: Tensor) -> Tensor:
    """The tensor with its dimensions in reverse; a view."""
    ndim = self._value.ndim
    if ndim == 0:
        _warn_0d("Tensor.T", _IDENTITY, 4321)
    elif ndim != 2:
        native_warning(texts.T_OF_OTHERS_DEPRECATED, 4314)
    return _permuted(self, tuple(range(ndim - 1, -1, -1)))


@property_of(Tensor, "H")
def _get_H(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix; a view."""
    ndim = self._value.ndim
    if ndim not in (0, 2):
        raise RuntimeError(
            texts.MATRIX_ONLY.format(ndim=ndim)
            + (" For batches of matrices, consider using tensor.mH" if ndim > 2 else "")
        )
    if ndim == 0:
        _warn_0d("Tensor.H", _CONJ, 4335)
        return _conjugated(self)
    return _adjoint(self, "H")


@property_of(Tensor, "mT")
def _get_mT(self: Tensor) -> Tensor:
    """Matrices, in the last two dimensions, transposed; a view."""
    if not self._value.ndim:
        _warn_0d("Tensor.mT", _IDENTITY, 4373)
    return _matrix_transpose(self, "mT")


@property_of(Tensor, "mH")
def _get_mH(self: Tensor) -> Tensor:
    """Matrices, in the last two dimensions, conjugated and transposed; a view."""
    if not self._value.ndim:
        _warn_0d("Tensor.mH", _CONJ, 4382)
    return _adjoint(self, "mH")

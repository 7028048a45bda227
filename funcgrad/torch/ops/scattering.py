"""Writing along a dimension: scatter, index_add and their kin; and put, which counts through the whole tensor.

Each turns its arguments into an index of NumPy's, with an array for the dimension in question, and then writes or adds
there by a primitive of the core.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.base.overloads import OWN_NAME
from funcgrad.torch.base.storage import strided
from funcgrad.torch.declare.arguments import fitted
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.advanced_indexing import warn_of_expanded
from funcgrad.torch.ops.gathering import flat_index, nonempty, outside, rows
from funcgrad.torch.ops.indexed import Taken, as_operand, write_at, writing
from funcgrad.torch.ops.overwriting import check_apart, overlaps
from funcgrad.torch.ops.scatter_places import check_rows, check_writable, scattered_places
from funcgrad.torch.ops.scatter_reducing import scatter_combined
from funcgrad.torch.tensor.inplace import check_inplace
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import indexing as texts

SCATTER = writing("ScatterBackward0", ("self", "src", "index"))
SCATTER_NUMBER = writing("ScatterBackward1", ("self", "value", "index"), edges=1)
SCATTER_ADD = writing("ScatterAddBackward0", ("self", "src", "index"), add=True)
INDEX_ADD = writing("IndexAddBackward0", ("self", "source", "index"), add=True, watched=(1,))
INDEX_COPY = writing("IndexCopyBackward0", ("self", "source", "index"), watched=(1,))
INDEX_FILL_NUMBER = writing("IndexFillBackward0", ("self", "value", "index"), edges=1, layout=as_operand)
INDEX_FILL_TENSOR = writing("IndexFillBackward1", ("self", "value", "index"), layout=as_operand)
PUT, PUT_ADDED = (
    writing("PutBackward0", ("self", "source", "index"), add=add, watched=(1,), layout=as_operand)
    for add in (False, True)
)


# Writing at places along a dimension.


@op(
    "scatter",
    "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Number value, *, Tensor out = None)",
    "(Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out = None)",
    inplace="itself",
    records=(SCATTER, SCATTER_NUMBER),
)
def scatter(input: Any, dim: int, index: Any, src: Any, *, reduce: Any = None, inplace: bool = False) -> Any:
    """Write the elements of src, or a number, to the places that index names along dim.

    Arguments:
        dim: the dimension that index is about.
        index: int64 or int32; its places say where on the other dimensions.
        src: a tensor, at least of the size of index, or a number, which is called `value`.
        reduce: "add" or "multiply", to combine with what is there; this has no derivative.

    Example:
        >>> from funcgrad import torch
        >>> torch.scatter(torch.zeros(2, 3), 1, torch.tensor([[0, 2]]), 7.0)
        tensor([[7., 0., 7.],
                [0., 0., 0.]])
    """
    name = "scatter_" if inplace else "scatter"
    is_tensor = isinstance(src, Tensor)
    if reduce is not None:
        return scatter_combined(inplace, input, dim, index, src, reduce)
    if inplace:
        check_writable("scatter_.src" if is_tensor else "scatter_.value", input, index, src)
    dim, where, taken = scattered_places(name, input, dim, index, src if is_tensor else None)
    number = None if is_tensor else fitted(src, input.dtype)
    if is_tensor:
        return write_at(SCATTER, input, src, where, (index,), inplace=inplace, taken=taken, dim=dim, index=index)
    return write_at(SCATTER_NUMBER, input, None, where, (index,), inplace=inplace, v=number, dim=dim, index=index)


@op(
    "scatter_add",
    "(Tensor input, int dim, Tensor index, Tensor src, *, Tensor out = None)",
    inplace="itself",
    records=(SCATTER_ADD,),
    refusal=OWN_NAME,
)
def scatter_add(input: Any, dim: int, index: Any, src: Any, *, inplace: bool = False) -> Any:
    """Add the elements of src at the places that index names along dim.

    Example:
        >>> from funcgrad import torch
        >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([3., 0., 3.])
    """
    name = "scatter_add_" if inplace else "scatter_add"
    if inplace:
        check_writable(name, input, index, src)
    dim, where, taken = scattered_places(name, input, dim, index, src)
    return write_at(SCATTER_ADD, input, src, where, (index,), inplace=inplace, taken=taken, dim=dim, index=index)


# Writing whole slices along a dimension.


@op(
    "index_add",
    "(Tensor input, int dim, Tensor index, Tensor source, *, Number alpha = 1, Tensor out = None)",
    inplace="itself",
    records=(INDEX_ADD,),
    refusal=OWN_NAME,
)
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1, inplace: bool = False) -> Any:
    """Add alpha times the slices of source to those of input that index names along dim.

    Example:
        >>> from funcgrad import torch
        >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([3., 0., 3.])
    """
    name = "index_add_" if inplace else "index_add"
    dim = wrap_dim(dim, input._value.ndim)
    if inplace:
        check_writable(name, input, index, source)
    if not input._value.ndim and index._value.size != 1:
        raise IndexError(texts.NO_DIMENSIONS.format(dim=dim))
    where = check_rows("index_add_", input, dim, index, source)
    taken = None
    if alpha != 1:
        taken = Taken(source._value.shape, factor=fitted(alpha, input.dtype).item())
    shown = {"dim": dim, "index": index, "alpha": alpha}
    return write_at(INDEX_ADD, input, source, where, (index,), inplace=inplace, taken=taken, **shown)


@op(
    "index_copy",
    "(Tensor input, int dim, Tensor index, Tensor source, *, Tensor out = None)",
    inplace="itself",
    records=(INDEX_COPY,),
)
def index_copy(input: Any, dim: int, index: Any, source: Any, *, inplace: bool = False) -> Any:
    """Write the slices of source to those of input that index names along dim."""
    name = "index_copy_" if inplace else "index_copy"
    dim = wrap_dim(dim, input._value.ndim)
    value = raw(index)
    shape, given = input._value.shape, source._value.shape
    if value.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {value.ndim})")
    if not given and value.size != 1:
        raise IndexError(texts.INDEX_COPY_OF_NUMBER.format(n=value.size))
    if len(given) != len(shape) and given and shape:
        raise IndexError(texts.INDEX_COPY_DIMENSIONS.format(source=len(given), destination=len(shape)))
    if value.dtype != np.int64:
        raise RuntimeError(texts.INDEX_COPY_NOT_LONG.format(dtype=index.dtype.title))
    if source.dtype is not input.dtype:
        raise RuntimeError(texts.INDEX_COPY_DTYPES.format(dtype=input.dtype.title, source=source.dtype.title))
    here, there = (list(s[:dim] + s[dim + 1 :]) for s in (shape, given))
    if here != there:
        raise RuntimeError(texts.INDEX_COPY_SLICES.format(destination=_listed(here), dim=dim, source=_listed(there)))
    if given and value.size != given[dim]:
        raise IndexError(texts.INDEX_COPY_NUMBER.format(n=value.size, count=given[dim]))
    n = nonempty(shape)[dim]
    wrong = outside(value, n)
    if wrong is not None:
        raise IndexError(texts.INDEX_COPY_OUT_OF_BOUNDS.format(index=wrong, dim=dim, n=n))
    if inplace:
        check_writable(name, input, index, source)
    where = rows(value.reshape(-1), dim) if shape else ()
    taken = Taken(()) if given and not shape else None
    return write_at(INDEX_COPY, input, source, where, (index,), inplace=inplace, taken=taken, dim=dim, index=index)


def _listed(sizes: list) -> str:
    return " ".join(map(str, sizes))


@op(
    "index_fill",
    "(Tensor input, int dim, Tensor index, Tensor value)",
    "(Tensor input, int dim, Tensor index, Number value)",
    inplace="itself",
    records=(INDEX_FILL_TENSOR, INDEX_FILL_NUMBER),
    refusal=OWN_NAME,
)
def index_fill(input: Any, dim: int, index: Any, value: Any, *, inplace: bool = False) -> Any:
    """Set the slices that index names along dim to value, a number or a 0-d tensor."""
    name = "index_fill_" if inplace else "index_fill"
    dim = wrap_dim(dim, input._value.ndim)
    indices = raw(index)
    shape = input._value.shape
    if isinstance(value, Tensor) and value._value.ndim:
        raise RuntimeError(texts.INDEX_FILL_VALUE_DIMENSIONS.format(ndim=value._value.ndim))
    if indices.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if indices.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if (isinstance(value, complex) or (isinstance(value, Tensor) and value.is_complex())) and not input.is_complex():
        raise RuntimeError(texts.INDEX_FILL_COMPLEX)
    n = nonempty(shape)[dim]
    if inplace:
        check_inplace(input, value, index, name=f"{name}.int_{'Tensor' if isinstance(value, Tensor) else 'Scalar'}")
        if overlaps(input):
            warn_of_expanded("index_fill_", "tensor[mask] = scalar", 1913)
        check_apart(input, index)
    if n == 0 and indices.size:  # torch looks at the slices before it looks at the indices
        sizes, strides = list(shape), list(input.stride())
        sizes[dim], strides[dim] = indices.size, 0
        strided(input._storage(), input._value.dtype, sizes, strides, input.storage_offset())
    wrong = outside(indices, n, -n)
    if wrong is not None:
        raise IndexError(texts.OUT_OF_BOUNDS.format(index=wrong, dim=dim, n=n))
    each = np.unique(np.where(indices < 0, indices + n, indices))  # to fill twice is to fill once, also for gradients
    where = rows(each, dim) if shape else ()
    shown = {"dim": dim, "index": index}
    if isinstance(value, Tensor):
        return write_at(INDEX_FILL_TENSOR, input, value, where, (index,), inplace=inplace, **shown)
    number = fitted(value.item() if isinstance(value, np.generic) else value, input.dtype)
    return write_at(INDEX_FILL_NUMBER, input, None, where, (index,), inplace=inplace, v=number, **shown)


@op(
    "put",
    "(Tensor input, Tensor index, Tensor source, bool accumulate = False)",
    inplace="itself",
    records=(PUT_ADDED, PUT),
)
def put(input: Any, index: Any, source: Any, accumulate: bool = False, *, inplace: bool = False) -> Any:
    """Write the elements of source to the places that index names, counted through the whole of input.

    Arguments:
        accumulate: whether to add to what is there.
    """
    name = "put_" if inplace else "put"
    if index._value.dtype == np.int64:
        if source.dtype is not input.dtype:
            raise RuntimeError(texts.PUT_DTYPES.format(dtype=input.dtype.title, source=source.dtype.title))
        if source._value.size != index._value.size:
            raise IndexError(texts.PUT_NUMBER.format(source=source._value.size, index=index._value.size))
    where = flat_index("put_", input, index, "put_(): Tried to put elements into an empty tensor")
    if not input._value.ndim:
        where = ()
    if inplace:
        check_writable(name, input, index, source)
    v = raw(source).reshape(raw(index).shape if input._value.ndim else ())
    op = PUT_ADDED if accumulate else PUT
    return write_at(op, input, source, where, (index,), inplace=inplace, v=v, index=index, accumulate=accumulate)

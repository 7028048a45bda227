"""Writing along a dimension: scatter, index_add and their kin; and put, which counts through the whole tensor.

Each turns its arguments into an index of NumPy's, with an array for the dimension in question, and then writes or adds
there by a primitive of the core.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base.storage import strided
from funcgrad.torch.declare.arguments import fitted, torch_signature, type_name, wrong_type
from funcgrad.torch.declare.declare import exports, with_out
from funcgrad.torch.ops.advanced_indexing import warn_of_expanded
from funcgrad.torch.ops.gathering import check_tensors, dimension, flat_index, is_index, nonempty, outside, places, rows
from funcgrad.torch.ops.indexed import Corner, Taken, as_operand, write_at, writing
from funcgrad.torch.ops.overwriting import check_apart, overlaps
from funcgrad.torch.tensor.inplace import check_inplace, check_overlap
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


def writes(*, out: bool = False) -> Callable:
    """Declare `f(inplace, input, ...)` as torch.f, .f() and .f_(); what is called does not see the first parameter."""

    def declare(given: Callable) -> Callable:
        f = torch_signature(given)

        def public(*args: Any, **kwargs: Any) -> Any:
            return f(False, *args, **kwargs)

        def in_place(self: Any, *args: Any, **kwargs: Any) -> Any:
            return f(True, self, *args, **kwargs)

        name = f.__name__
        signature = inspect.signature(given)
        parameters = list(signature.parameters.values())[1:]
        for g, n, first in ((public, name, "input"), (in_place, name + "_", "self")):
            g.__name__ = g.__qualname__ = n
            rest = [inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD), *parameters[1:]]
            g.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        public.__doc__ = f.__doc__
        in_place.__doc__ = f"As `{name}`, writing the result into this tensor."
        exports[name] = with_out(public) if out else public
        setattr(Tensor, name, public)
        setattr(Tensor, name + "_", in_place)
        return public

    return declare


def check_writable(name: str, x: Any, *others: Any) -> None:
    """Raise torch's error if x may not be written into by the method of this name, with these arguments."""
    check_inplace(x, *others, name=name)
    check_overlap(x)
    check_apart(x, *others)


# Writing at places along a dimension.


def _check_scatter(name: str, x: Any, dim: int, index: Any, src: Any) -> None:
    """Raise torch's error if index, and src if there is one, do not fit x."""
    value = raw(index)
    if value.size and not is_index(value):
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if src is not None and src._value.dtype != x._value.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not value.size:
        return
    shape, given = nonempty(x._value.shape), nonempty(value.shape)
    if len(shape) != len(given):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    wrong = any(d != dim and n > m for d, (n, m) in enumerate(zip(given, shape, strict=True)))
    if src is not None:
        source = src._value.shape
        if len(nonempty(source)) != len(given):
            if 0 < len(source) < len(given):
                wrap_dim(len(source), len(source))
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if wrong or any(n > m for n, m in zip(given, nonempty(source), strict=True)):
            raise RuntimeError(
                texts.SCATTER_SIZE_WITH_SOURCE.format(
                    index=list(value.shape), shape=list(x._value.shape), dim=dim, source=list(source)
                )
            )
    elif wrong:
        raise RuntimeError(texts.SCATTER_SIZE.format(index=list(value.shape), shape=list(x._value.shape), dim=dim))
    reaching = outside(value, shape[dim])
    if reaching is not None:
        raise RuntimeError(texts.OUT_OF_BOUNDS.format(index=reaching, dim=dim, n=shape[dim]))


def scattered_places(name: str, x: Any, dim: Any, index: Any, src: Any) -> tuple[int, Any, Taken | None]:
    """The dimension and the index that scatter(dim, index, src) is about, and what it takes of src."""
    dim = dimension(x, dim, name)
    _check_scatter(name, x, dim, index, src)
    value, node = raw(index), "ScatterAddBackward0" if name.startswith("scatter_add") else "ScatterBackward0"
    if not value.size:  # nowhere
        where = np.zeros(x._value.shape, bool)
        return dim, where, None if src is None else Taken((0,), Corner(value.shape, node))
    shape = value.shape if x._value.ndim else ()
    where = places(value, dim) if x._value.ndim else ()
    if src is None or src._value.shape == shape:
        return dim, where, None
    if src._value.ndim == value.ndim and src._value.shape != value.shape:
        return dim, where, Taken(shape, Corner(value.shape, node))
    return dim, where, Taken(shape)


@writes(out=True)
def scatter(inplace: bool, input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Any:  # fmt: skip  # noqa: E501
    """Write the elements of src, or a number, to the places that index names along dim.

    Arguments:
        dim: the dimension that index is about.
        index: int64 or int32; its places say where on the other dimensions.
        src: a tensor, at least of the size of index, or a number, which may be called `value`.
        reduce: "add" or "multiply", to combine with what is there; this has no derivative.

    Example:
        >>> from funcgrad import torch
        >>> torch.scatter(torch.zeros(2, 3), 1, torch.tensor([[0, 2]]), 7.0)
        tensor([[7., 0., 7.],
                [0., 0., 0.]])
    """
    name = "scatter_" if inplace else "scatter"
    given = src if value is None else value
    is_tensor = isinstance(given, Tensor)
    if not is_tensor and not isinstance(given, int | float | complex | np.generic):
        raise wrong_type(name, "src", 3, "Tensor", given)
    check_tensors(name, ("index", 2, index))
    if reduce is not None:
        from funcgrad.torch.ops.scatter_reducing import scatter_combined

        return scatter_combined(inplace, input, dim, index, given, reduce)
    if inplace:
        check_writable("scatter_.src" if is_tensor else "scatter_.value", input, index, given)
    dim, where, taken = scattered_places(name, input, dim, index, given if is_tensor else None)
    number = None if is_tensor else fitted(given, input.dtype)
    if is_tensor:
        return write_at(SCATTER, input, given, where, (index,), inplace=inplace, taken=taken, dim=dim, index=index)
    return write_at(SCATTER_NUMBER, input, None, where, (index,), inplace=inplace, v=number, dim=dim, index=index)


@writes(out=True)
def scatter_add(inplace: bool, input: Any, dim: int, index: Any, src: Any) -> Any:
    """Add the elements of src at the places that index names along dim.

    Example:
        >>> from funcgrad import torch
        >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([3., 0., 3.])
    """
    name = "scatter_add_" if inplace else "scatter_add"
    check_tensors(name, ("index", 2, index), ("src", 3, src))
    if inplace:
        check_writable(name, input, index, src)
    dim, where, taken = scattered_places(name, input, dim, index, src)
    return write_at(SCATTER_ADD, input, src, where, (index,), inplace=inplace, taken=taken, dim=dim, index=index)


# Writing whole slices along a dimension.


def check_rows(name: str, x: Any, dim: int, index: Any, source: Any) -> tuple:
    """The index of slices along dim; raises the errors of index_add and index_reduce."""
    value = raw(index)
    shape, given = x._value.shape, source._value.shape
    if value.ndim > 1:
        raise IndexError(
            texts.INDEX_NO_VECTOR.format(name=name, ndim=value.ndim, dtype=index.dtype.title, shape=list(value.shape))
        )
    if not is_index(value):
        raise RuntimeError(texts.INDEX_NOT_INT.format(name=name, dtype=index.dtype.title))
    if source.dtype is not x.dtype:
        raise RuntimeError(texts.SCALAR_TYPES_DIFFER.format(name=name, dtype=x.dtype.title, source=source.dtype.title))
    if len(shape) != len(given) or any(d != dim and n != m for d, (n, m) in enumerate(zip(shape, given, strict=False))):
        raise RuntimeError(texts.SLICES_DIFFER.format(shape=list(shape), source=list(given)))
    count = given[dim] if given else 1
    if value.size != count:
        raise RuntimeError(texts.NUMBER_OF_INDICES.format(name=name, n=value.size, count=count, dim=dim))
    n = nonempty(shape)[dim]
    wrong = outside(value, n)
    if wrong is not None:
        if len(shape) > 1 and name == "index_add_":
            raise RuntimeError(texts.OUT_OF_BOUNDS.format(index=wrong, dim=dim, n=n))
        raise IndexError(texts.OUT_OF_RANGE)
    return rows(value.reshape(-1), dim) if shape else ()


@writes(out=True)
def index_add(inplace: bool, input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Add alpha times the slices of source to those of input that index names along dim.

    Example:
        >>> from funcgrad import torch
        >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
        tensor([3., 0., 3.])
    """
    name = "index_add_" if inplace else "index_add"
    check_tensors(name, ("index", 2, index), ("source", 3, source))
    dim = dimension(input, dim, name)
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


@writes(out=True)
def index_copy(inplace: bool, input: Any, dim: int, index: Any, source: Any) -> Any:
    """Write the slices of source to those of input that index names along dim."""
    name = "index_copy_" if inplace else "index_copy"
    check_tensors(name, ("index", 2, index), ("source", 3, source))
    dim = dimension(input, dim, name)
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


@writes()
def index_fill(inplace: bool, input: Any, dim: int, index: Any, value: Any) -> Any:
    """Set the slices that index names along dim to value, a number or a 0-d tensor."""
    name = "index_fill_" if inplace else "index_fill"
    if not isinstance(value, Tensor | int | float | complex | np.generic):
        got = type_name(value)
        clue = f"      didn't match because some of the arguments have invalid types: (int, Tensor, !{got}!)\n"
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (int, Tensor, {got}), but expected one of:\n"
            f" * (int dim, Tensor index, Tensor value)\n{clue} * (int dim, Tensor index, Number value)\n{clue}"
        )
    check_tensors(name, ("index", 2, index))
    dim = dimension(input, dim, name)
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
            warn_of_expanded("index_fill_", "tensor[mask] = scalar", 1913, stacklevel=5)
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


@writes()
def put(inplace: bool, input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Write the elements of source to the places that index names, counted through the whole of input.

    Arguments:
        accumulate: whether to add to what is there.
    """
    name = "put_" if inplace else "put"
    check_tensors(name, ("index", 1, index), ("source", 2, source))
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

"""Where scatter, index_add and their kin write; and the errors of an index and a source that don't fit the tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.ops.gathering import is_index, nonempty, outside, places, rows
from funcgrad.torch.ops.indexed import Corner, Taken
from funcgrad.torch.ops.overwriting import check_apart
from funcgrad.torch.tensor.inplace import check_inplace, check_overlap
from funcgrad.torch.tensor.tensor import wrap_dim
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import indexing as texts


def check_writable(name: str, x: Any, *others: Any) -> None:
    """Raise torch's error if x may not be written into by the method of this name, with these arguments."""
    check_inplace(x, *others, name=name)
    check_overlap(x)
    check_apart(x, *others)


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
    dim = wrap_dim(dim, x._value.ndim)
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

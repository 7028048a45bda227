"""How samples become a batch: `default_collate`, and `default_convert` for samples that are not batched."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import data as texts
from funcgrad.torch.utils.data._utils import worker

_torch = namespaces[""]
_STRINGS_OR_OBJECTS = re.compile(r"[SaUO]")
_SPARSE = (meta.sparse_coo, meta.sparse_csr, meta.sparse_csc)


def _mapping_like(data: Mapping, values: dict) -> Mapping:
    """A mapping of the type of another, with its further attributes where it can be copied and changed."""
    try:
        if isinstance(data, MutableMapping):
            clone = copy.copy(data)
            clone.update(values)
            return clone
        return type(data)(values)  # type: ignore[call-arg]  # most mappings take one
    except TypeError:
        return values


def _sequence_like(data: Sequence, values: list) -> Sequence:
    """As `_mapping_like`, for sequences; a tuple becomes a list."""
    if isinstance(data, tuple):
        return values
    try:
        if isinstance(data, MutableSequence):
            clone = copy.copy(data)
            for i, value in enumerate(values):
                clone[i] = value
            return clone
        return type(data)(values)  # type: ignore[call-arg]  # most sequences take one
    except TypeError:
        return values


def default_convert(data: Any) -> Any:
    """Make tensors of the ndarrays and NumPy numbers in a sample, and leave the rest.

    Example:
        >>> import numpy as np
        >>> from funcgrad.torch.utils.data import default_convert
        >>> default_convert({"x": np.arange(2), "name": "a", "n": 3})
        {'x': tensor([0, 1]), 'name': 'a', 'n': 3}
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind is np.ndarray and _STRINGS_OR_OBJECTS.search(data.dtype.str):
            return data
        return _torch["as_tensor"](data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*[default_convert(d) for d in data])
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _sequence_like(data, [default_convert(d) for d in data])
    return data


def collate(batch: Any, *, collate_fn_map: dict[type | tuple[type, ...], Callable] | None = None) -> Any:
    """Join samples: mappings, named tuples and sequences entry by entry, the rest as a map says.

    Arguments:
        batch: samples of one kind.
        collate_fn_map: for a type, or a tuple of types, the function that joins instances of it. It is called as
            `f(samples, collate_fn_map=...)`; the first that fits is taken, the type itself before types above it.

    Raises:
        TypeError: there is no rule for such samples.
        RuntimeError: sequences differ in length.
    """
    elem = batch[0]
    kind = type(elem)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for fitting, function in collate_fn_map.items():
            if isinstance(elem, fitting):
                return function(batch, collate_fn_map=collate_fn_map)

    def joined(samples: Sequence) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(elem, Mapping):
        return _mapping_like(elem, {key: joined([d[key] for d in batch]) for key in elem})
    if isinstance(elem, tuple) and hasattr(elem, "_fields"):
        return kind(*[joined(samples) for samples in zip(*batch, strict=False)])
    if isinstance(elem, Sequence):
        if any(len(other) != len(elem) for other in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _sequence_like(elem, [joined(samples) for samples in zip(*batch, strict=True)])
    raise TypeError(texts.NOT_COLLATED.format(kind=kind))


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Stack tensors, in a worker process into memory that counts as shared."""
    if batch[0].is_nested:
        raise RuntimeError(texts.SPARSE_BATCH.format(kind="nested"))
    if batch[0].layout in _SPARSE:
        raise RuntimeError(texts.SPARSE_BATCH.format(kind="sparse"))
    stacked = _torch["stack"](batch, 0)
    return stacked if worker.get_worker_info() is None else stacked.share_memory_()


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stack ndarrays as tensors."""
    if _STRINGS_OR_OBJECTS.search(batch[0].dtype.str):
        raise TypeError(texts.NOT_COLLATED.format(kind=batch[0].dtype))
    return collate([_torch["as_tensor"](b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of NumPy's numbers."""
    return _torch["as_tensor"](batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of Python floats, in float64."""
    return _torch["tensor"](batch, dtype=dtypes.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """A tensor of Python ints."""
    return _torch["tensor"](batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """The strings as they are."""
    return batch


default_collate_fn_map: dict[type | tuple[type, ...], Callable] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""What `default_collate` knows; programs may add types of theirs."""


def default_collate(batch: Any) -> Any:
    """Join samples to a batch: tensors, ndarrays and numbers along a new first dimension, containers entry by entry.

    Example:
        >>> from funcgrad.torch.utils.data import default_collate
        >>> default_collate([{"x": 0, "name": "a"}, {"x": 1, "name": "b"}])
        {'x': tensor([0, 1]), 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)

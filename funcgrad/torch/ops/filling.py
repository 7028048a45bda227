"""Writing values into tensors: `copy_`, `fill_`, `zero_`, and Python functions applied element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.torch.base.dtypes import FLOATING, eight_kinds, recast
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.overloads import ARITHMETIC, OWN_NAME
from funcgrad.torch.declare.arguments import fitted, warn_once
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.indexed import as_operand, writing
from funcgrad.torch.ops.overwriting import check_apart, written
from funcgrad.torch.tensor.inplace import bump, check_inplace, check_overlap
from funcgrad.torch.tensor.levels import hidden_memory
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_fits
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS, raw
from funcgrad.torch.texts import memory as texts
from funcgrad.torch.texts import tensor as tensor_texts

# Copying.

_EVERYTHING = {"index": Ellipsis}
COPY = writing("CopyBackwards", ("self", "src"), layout=as_operand)


@op(
    "Tensor.copy_",
    "-(Tensor input, Number other, bool non_blocking = False)",
    "(Tensor input, Tensor other, bool non_blocking = False)",
    records=(COPY,),
    refusal=ARITHMETIC,
)
def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
    """Copy the elements of other into this tensor, broadcast to its shape and converted to its dtype.

    Arguments:
        other: a tensor, or a number.
        non_blocking: has no effect on the cpu.

    Returns:
        This tensor.
    """
    return copy_into(self, other, 5)


def copy_into(x: Any, other: Any, stacklevel: int) -> Any:
    """`x.copy_(other)`; stacklevel says where a warning belongs."""
    if isinstance(other, np.integer):
        other = int(other)
    check_inplace(x, other, name="copy_")
    value = raw(other) if isinstance(other, Tensor) else np.asarray(other)
    shape, kind = x._value.shape, x._value.dtype
    if value.shape != shape:
        check_fits(shape, value.shape)
    if value.dtype.kind == "c" and kind.kind != "c":
        warn_of_lost_imaginary_part(stacklevel)
        value = value.real
    if value.size:
        check_overlap(x)
        if other is not x:
            check_apart(x, other, same=True)
    return written(COPY, x, (x, other), [x._value, value], _EVERYTHING, lambda memory: _copy(memory, value))


def _copy(memory: ndarray, value: ndarray) -> None:
    np.copyto(memory, recast(value, memory.dtype) if memory.dtype in eight_kinds else value, casting="unsafe")


def warn_of_lost_imaginary_part(stacklevel: int) -> None:
    """Warn that complex values are written where real ones belong."""
    warn_once(texts.IMAGINARY_PART_LOST, stacklevel=stacklevel)


# Filling.


def _filled(x: Any, *, value: Any) -> Any:
    return fnp.array(np.full(x.shape, value, x.dtype))


FILL_NUMBER = Operation(_filled, "FillBackward0", operands=("self",), zero=True)
FILL_TENSOR = writing("FillBackward1", ("self", "value"), layout=as_operand)
FILL_NUMBER_ = Operation(_filled, "FillBackward2", operands=("self",), zero=True)
FILL_TENSOR_ = writing("FillBackward3", ("self", "value"), layout=as_operand)
ZERO = Operation(_filled, "ZeroBackward0", operands=("self",), zero=True)


def _fill_value(x: Any, value: Any, name: str) -> Any:
    """What to fill x with, as a 0-d array of its dtype."""
    if isinstance(value, Tensor):
        if value._value.ndim:
            raise RuntimeError(texts.FILL_VALUE_DIMENSIONS.format(name=name, ndim=value._value.ndim))
        found = raw(value)
        if found.dtype.kind == "c" and x._value.dtype.kind != "c":
            warn_of_lost_imaginary_part(5)
            found = found.real
        return found
    if isinstance(value, np.generic):
        value = value.item()
    return fitted(value, x.dtype, x._value.size)


@op(
    "fill_",
    "(Tensor input, Tensor value)",
    "(Tensor input, Number value)",
    records=(FILL_TENSOR_, FILL_NUMBER_),
    form=".Tensor|.Scalar",
    refusal=OWN_NAME,
)
def fill_(self: Any, value: Any) -> Any:
    """Set all elements to value, a number or a 0-d tensor."""
    if isinstance(value, Tensor):
        check_inplace(self, value, name="fill_")
    if isinstance(value, NUMBERS) and not (isinstance(value, int) and abs(value) >= 2**64):  # no number to torch
        check_inplace(self, name="fill_")
    found = _fill_value(self, value, "fill_")

    def put(memory: ndarray) -> None:
        _copy(memory, found)

    if isinstance(value, Tensor):
        check_overlap(self)
        return written(FILL_TENSOR_, self, (self, value), [self._value, found], _EVERYTHING, put)
    return written(FILL_NUMBER_, self, (self,), [self._value], {"value": found[()]}, put)


@op("zero_", "(Tensor input)", records=(ZERO, FILL_TENSOR, FILL_NUMBER))
def zero_(self: Any) -> Any:
    """Set all elements to zero."""
    check_inplace(self, name="zero_")
    return written(ZERO, self, (self,), [self._value], {"value": 0}, lambda memory: memory.fill(0))


@op(
    "fill",
    "(Tensor input, Tensor value)",
    "(Tensor input, Number value)",
    method=False,
    records=(FILL_TENSOR, FILL_NUMBER),
)
def fill(input: Any, value: Any) -> Any:
    """A tensor of input's shape and dtype, all elements of which are value, a number or a 0-d tensor."""
    found = _fill_value(input, value, "fill")
    if isinstance(value, Tensor):
        return record(FILL_TENSOR, (input, value), [raw(input), found], _EVERYTHING)
    return record(FILL_NUMBER, (input,), [raw(input)], {"value": found[()]})


@op(
    "Tensor.fill_diagonal_",
    "(Tensor input, Number fill_value, bool wrap = False)",
    records=(FILL_TENSOR_, FILL_NUMBER_),
)
def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Set the main diagonal to a number.

    Arguments:
        fill_value: the number.
        wrap: whether the diagonal of a tall matrix starts again below its end.
    """
    shape = self._value.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and any(n != shape[0] for n in shape):
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = self.stride()
    step = sum(strides)
    length = min(shape)
    offset = self.storage_offset()
    self.as_strided((length,), (step,), offset).fill_(fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        first = shape[1] + 1
        count = (shape[0] * shape[1] + shape[1]) // first - length  # what is left of the flattened tensor
        rows = strides[0] * first
        self.as_strided((count,), (step,), offset + rows).fill_(fill_value)
    return self


# Python functions, element by element.


def _check_detached(name: str, *tensors: Any) -> None:
    if any(t.requires_grad for t in tensors):
        raise RuntimeError(texts.APPLY_NEEDS_DETACH.format(name=name))


def _map_into(self: Any, name: str, callable: Callable, others: tuple) -> Any:
    """Set each element to what the function gives for it and for the elements of others at its place."""
    _check_detached(name, self, *others)
    word = "'other'" if len(others) == 1 else "'x'"
    for t in others:
        if t.dtype is not self.dtype:
            raise TypeError(
                texts.MAP_OTHER_TYPE.format(
                    name=name, wanted=self.dtype.tensor_type, word=word, got=t.dtype.tensor_type
                )
            )
    if state.transforms and any(hidden_memory(t) for t in (self, *others)):
        raise RuntimeError(tensor_texts.NO_STORAGE)
    memory = self._value
    columns = [np.broadcast_to(raw(t), memory.shape) for t in (self, *others)]
    for place in np.ndindex(memory.shape):
        memory[place] = _element(callable(*[c[place].item() for c in columns]), self.dtype)
    bump(self)
    return self


def _element(found: Any, dtype: Any) -> Any:
    """What a Python function gave for an element, as a number of a dtype."""
    if isinstance(found, (str, bytes)) or found is None:
        if dtype.category < FLOATING:
            raise TypeError(f"'{type(found).__name__}' object cannot be interpreted as an integer")
        raise TypeError(f"must be real number, not {type(found).__name__}")
    return found


@op("Tensor.apply_", "(Tensor input, Any callable)")
def apply_(self: Any, callable: Callable) -> Any:
    """Set each element to callable(element). Slow: it calls Python for each."""
    return _map_into(self, "apply_", callable, ())


@op("Tensor.map_", "(Tensor input, Tensor other, Any callable)")
def map_(self: Any, other: Any, callable: Callable) -> Any:
    """Set each element to callable(element, element of other)."""
    return _map_into(self, "map_", callable, (other,))


@op("Tensor.map2_", "(Tensor input, Tensor x, Tensor y, Any callable)")
def map2_(self: Any, x: Any, y: Any, callable: Callable) -> Any:
    """Set each element to callable(element, element of x, element of y)."""
    return _map_into(self, "map2_", callable, (x, y))

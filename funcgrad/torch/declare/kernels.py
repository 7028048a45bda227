"""What torch settles before an elementwise kernel runs, and what it says where that fails.

That is the shape to which operands broadcast, the dtype in which they meet, and whether what is written to takes them.
That the kernel has no code for the dtype torch tells only afterwards.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import can_cast
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import pointer
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.levels import check_no_fallback
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype, wrong_shape
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import elementwise as elementwise_texts
from funcgrad.torch.texts import memory as texts

OPERANDS = frozenset(
    ("input", "self", "other", "exponent", "values", "end", "weight", "tensor1", "tensor2", "min", "max")
)
"""What operands are called; other arguments by keyword are numbers that have no say in the dtype."""


def chosen(op: Operation | Callable, named: dict[str, Any]) -> Operation:
    """The operation that a function is, where that depends on arguments by keyword."""
    return op if isinstance(op, Operation) else op(named)


def result_dtype(op: Operation, operands: tuple) -> dtypes.dtype:
    """The dtype that the kernel computes in."""
    if op.result in ("own", "size"):
        return operands[0].dtype
    d = common_dtype(operands)
    return dtypes.get_default_dtype() if op.promote == "float" and d.category < dtypes.FLOATING else d


def check_result_fits(op: Operation, x: Tensor, args: tuple, named: dict[str, Any]) -> None:
    """Raise torch's error if the result of x and other operands can't be written into x."""
    value = x._value
    if value.dtype.kind == "f" and len(args) == 1 and not named and op.before is None:
        y = args[0]
        kind = type(y)
        if kind is float or kind is int:
            return
        if kind is Tensor and y._value.dtype is value.dtype and y._value.shape == value.shape:
            return
    operands = written_with(x, args, named)
    if op.before is not None:
        op.before(*operands)
    shape = check_broadcast([a._value for a in operands if isinstance(a, Tensor)])
    if shape != value.shape:
        raise wrong_shape(value.shape, shape)
    d = result_dtype(op, operands)
    if op.result is None and not can_cast(d, x.dtype):
        raise no_cast(d, x.dtype)


def written_with(x: Tensor, args: tuple, named: dict[str, Any]) -> tuple:
    """The operands of a method that was called with these arguments."""
    return (x, *[a for a in (*args, *[a for n, a in named.items() if n in OPERANDS]) if a is not None])


def no_cast(d: dtypes.dtype, to: dtypes.dtype) -> RuntimeError:
    """The error of a result whose dtype does not fit into what it is written into."""
    return RuntimeError(elementwise_texts.NO_CAST.format(have=d.title, wanted=to.title))


def warn_of_lost_parts(op: Operation, operands: tuple, x: Tensor) -> None:
    """Truth is written into a tensor of numbers by way of the dtype in which the operands met."""
    if (
        op.result != "bool"
        or len(operands) == 1
        or not x._value.size
        or not dtypes.BOOL < x.dtype.category < dtypes.COMPLEX
    ):
        return
    if common_dtype(operands).category == dtypes.COMPLEX:
        warn_once("Casting complex values to real discards the imaginary part", stacklevel=5)


def into(name: str, op: Operation, operands: tuple, out: Any, compute: Callable) -> Any:
    """The result of an elementwise operation, written into out=, which is resized if need be.

    Arguments:
        name: what errors call the operation.
        op: the operation.
        operands: tensors and numbers.
        out: what was given as out=.
        compute: a function of no arguments that gives the result.
    """
    check_no_fallback(f"{name}.out", *operands)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if op.result == "only bool":
        if operands[0].is_complex():
            compute()  # which it refuses
        if out.dtype.category != dtypes.BOOL:
            raise RuntimeError(f"{name} does not support non-boolean outputs.")
    elif not op.blind:
        if not (out._inference and all(isinstance(a, Tensor) and a._inference for a in operands)):
            check_not_recorded(name, out, *operands)
    elif op.result != "bool" and out.requires_grad and out.is_leaf:
        check_not_recorded(f"aten::{name}", out)
    if op.before is not None:
        op.before(*operands)
    shape = check_broadcast([a._value for a in operands if isinstance(a, Tensor)])
    if shape != out._value.shape and any(a is out for a in operands):
        raise wrong_shape(out._value.shape, shape)
    d = result_dtype(op, operands)
    if op.result == "size" and d.category == dtypes.COMPLEX and not out.is_complex():
        if not can_cast(d.to_real(), out.dtype):
            raise no_cast(d.to_real(), out.dtype)
    elif op.result in ("own", "size") and d is not out.dtype:
        raise RuntimeError(f"Found dtype {out.dtype.title} but expected {d.title}")
    if op.result is None and not can_cast(d, out.dtype):
        raise no_cast(d, out.dtype)
    check_partial_overlap(out, operands)
    moved = out._value.shape != shape
    if moved:
        # Another dtype is reached by way of a tensor of the kernel's dtype, which is resized, too.
        through = out.dtype is not d and not (op.result in ("bool", "only bool") and out.dtype.category == dtypes.BOOL)
        resize_out(out, shape, 5, 2 if through else 1)
    result = compute()
    warn_of_lost_parts(op, operands, out)
    inplace.store(out, result._value if result._plain else result._resolved())
    if not moved:
        inplace.bump(out)
    return out


def check_not_recorded(name: str, out: Tensor, *operands: Any) -> None:
    """Raise torch's error if autograd would have to record a function with out=."""
    tensors = [a for a in operands if isinstance(a, Tensor)]
    if state.grad and (out.requires_grad or any(a.requires_grad for a in tensors)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if out._tangent is not None or any(a._tangent is not None for a in tensors):
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an out= function"
        )


def resize_out(out: Tensor, shape: tuple[int, ...], stacklevel: int, times: int = 1) -> None:
    """Give out= the shape of the result, with a warning, or several, if it has elements."""
    for _ in range(times if out.numel() else 0):
        warnings.warn(
            f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
            f"match the required output shape {list(shape)}. This behavior is deprecated, and in a future "
            "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse "
            "an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
            stacklevel=stacklevel,
        )
    with_grad, state.grad = state.grad, False  # a leaf takes what no history leads to
    try:
        out.resize_(shape)
    finally:
        state.grad = with_grad


def check_partial_overlap(written: Tensor, operands: tuple) -> None:
    """Raise torch's error if an operand shares memory with what is written, but not element by element."""
    if written._store is None or isinstance(written._value, Array):
        return
    for a in operands:
        if isinstance(a, Tensor) and a is not written and a._store is written._store and type(a._value) is np.ndarray:
            x, y = written._value, a._value
            same = pointer(x) == pointer(y) and x.shape == y.shape and x.strides == y.strides
            dense = all(inplace.dense_strides(t.shape, t.stride()) for t in (written, a))
            if dense and not same and np.may_share_memory(x, y):
                raise RuntimeError(texts.SAME_MEMORY)

"""What the functions of torch.linalg share: their checks and texts, the layout of matrices, and errors in backward."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.plan import Plans
from funcgrad.core.trace import Tracer
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.tensor.composite import Composite, CompositePlan
from funcgrad.torch.tensor.operation import Operation, Recordings, apply
from funcgrad.torch.tensor.plans import conj
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import linalg as texts


class LinAlgError(RuntimeError):
    """What is raised when a factorization or a solver fails, such as for a singular matrix."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


# Checks.


def check_matrix(name: str, x: Tensor, argument: str = "A") -> None:
    """Raise torch's error if x is neither a matrix nor a batch of matrices."""
    if x._value.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(name: str, x: Tensor, argument: str = "A") -> None:
    """Raise torch's error if x is no matrix, or batch of them, with as many rows as columns."""
    check_matrix(name, x, argument)
    m, n = x._value.shape[-2:]
    if m != n:
        raise RuntimeError(texts.NOT_SQUARE.format(name=name, argument=argument, m=m, n=n))


def check_inexact(name: str, x: Tensor, low_precision: bool = True) -> None:
    """Raise torch's error if x holds integers, or numbers of low precision where they are not allowed."""
    d = of_numpy(x._value.dtype)
    if d.category < FLOATING:
        raise RuntimeError(texts.NOT_INEXACT.format(name=name, title=d.title))
    if not low_precision and d.itemsize < 4:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {d.title}")


def check_kernel(kernel: str, x: Tensor) -> None:
    """Raise torch's error if LAPACK does not compute in the dtype of x."""
    if x._value.dtype.char not in "fdFD":
        raise not_implemented(kernel, of_numpy(x._value.dtype))


def check_same_dtype(name: str, a: Tensor, b: Tensor, names: str = "A B") -> None:
    """Raise torch's error if two operands differ in dtype."""
    if a._value.dtype != b._value.dtype:
        first, second = names.split()
        raise RuntimeError(
            texts.DTYPES_DIFFER.format(name=name, first=first, second=second, dtype=a.dtype.title, other=b.dtype.title)
        )


def check_system(name: str, a: Tensor, rows: tuple, left: bool) -> None:
    """Raise torch's error if a right side whose last two sizes are `rows` does not fit a square matrix."""
    n = a._value.shape[-1]
    if (rows[0] if left else rows[1]) != n:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(texts.SYSTEM_SHAPES.format(name=name, equation=equation, n=n, rows=rows[0], columns=rows[1]))


def failed(info: ndarray, name: str, text: str, error: type = LinAlgError) -> None:
    """Raise torch's error for the first matrix of a batch whose info is not zero; {} in the text stands for it."""
    flat = info.reshape(-1)
    if not flat.any():
        return
    k = int(np.flatnonzero(flat)[0])
    batch = f"(Batch element {k}): " if info.ndim else ""
    raise error(f"{name}: {batch}{text.format(int(flat[k]))}")


def first_zero(diagonal: ndarray) -> ndarray:
    """Along the last axis the number, from 1, of the first element that is zero; 0 if there is none."""
    zero = diagonal == 0
    if not zero.shape[-1]:
        return np.zeros(zero.shape[:-1], np.int32)
    return np.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0).astype(np.int32)


def adjoint(x: Any) -> Any:
    """The conjugate transpose of each matrix, of an array."""
    x = x.mT
    return np.conjugate(x) if x.dtype.kind == "c" else x


# Layout.


def column_major(value: Any) -> Any:
    """Matrices whose columns follow each other in memory, as LAPACK leaves them."""
    if type(value) is not ndarray or value.ndim < 2:
        return value
    out = np.empty(value.mT.shape, value.dtype).mT
    out[...] = value
    return out


def computed(op: Operation, args: tuple, params: dict, layout: Callable = column_major) -> Any:
    """Apply an operation; its results have the given layout in memory."""
    found = apply(op, args, params)
    for t in found if op.multiple else (found,):
        t._value = layout(t._value)
    return found


def row_major(value: Any) -> Any:
    """Matrices whose rows follow each other in memory."""
    return np.array(value, order="C") if type(value) is ndarray else value


def numeric(x: Any) -> Any:
    """The ndarray under tracers, for checks of values."""
    while isinstance(x, Array):
        x = x._value
    return x


# Errors that are raised where gradients are computed.


class Guarded(Composite):
    """A composite in torch's convention of complex gradients whose backward may refuse.

    Arguments:
        f: as for Composite.
        guard: called with the gradients of the results (None for one that is not there), the operands and the
            parameters; raises torch's error if it will not have them.
        multiple: whether f gives a tuple.
    """

    __slots__ = ("guard",)

    def __init__(self, f: Callable, guard: Callable | None = None, *, multiple: bool = False) -> None:
        super().__init__(f, multiple=multiple)
        self.guard, self.plans = guard, Plans(functools.partial(_GuardedPlan, self))


class _Params(dict):
    """The parameters of one application; `differentiated` says whether its gradient was recorded."""

    differentiated = False


class _GuardedPlan(CompositePlan):
    __slots__ = ()

    def evaluate(self, values: tuple, params: dict) -> tuple[Any, tuple]:
        return super().evaluate(values, _Params(params))

    def keep(self, out: Any, params: dict, *values: Any) -> tuple:
        return super().keep(out, _Params(params), *values)

    def pull(self, g: Any, kept: tuple) -> Any:
        params, guard = kept[2], self.primitive.guard
        recorded = any(isinstance(x, Tracer) for x in (g if type(g) is tuple else (g,)))
        # Of a second derivative part comes from within the first one, so the rest cannot be judged alone.
        if guard is not None and (recorded or not params.differentiated):
            guard(g, kept[1], params)
        params.differentiated |= recorded
        try:
            return conj(CompositePlan.pull(self, conj(g), kept))
        except np.linalg.LinAlgError:  # the core's rule meets a singular matrix
            found = tuple([np.full(kept[1][i].shape, np.nan, kept[1][i].dtype) for i in self.linked])
            return found[0] if self.single else found


class _AsTheyAre(Recordings):
    """Recordings whose plans follow torch's convention of complex gradients by themselves."""

    def __missing__(self, mask: tuple[bool, ...]) -> Any:
        found = super().__missing__(mask)
        if found is not None:
            found._conjugated = found
        return found


def guarded(
    name: str, f: Callable, guard: Callable | None = None, *, multiple: bool = False, **options: Any
) -> Operation:
    """An operation whose backward may refuse; see Guarded."""
    op = Operation(Guarded(f, guard, multiple=multiple), name, **options)
    op.recordings = _AsTheyAre(op)
    return op

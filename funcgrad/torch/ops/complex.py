"""Complex numbers: their parts, conjugates, angles. The conjugate is a view; its values are worked out when needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.ops import complex_parts
from funcgrad.ops import elementwise as core
from funcgrad.torch.base.modes import give_tangent
from funcgrad.torch.declare.op import UNARY, op
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor import views
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.members import add_member
from funcgrad.torch.tensor.operation import Operation, Recordings
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import CONJ, NEG, Tensor
from funcgrad.torch.tensor.views import ViewOperation
from funcgrad.torch.texts import elementwise as texts


class _LazyView(ViewOperation):
    """A view of the same memory whose values are conjugated, or negated, when they are read."""

    __slots__ = ("bit",)

    def __init__(self, primitive: Any, name: str, bit: int) -> None:
        super().__init__(primitive, name, look=lambda value: value.view(), replayed=True)
        self.bit = bit

    def __call__(self, x: Any, *, creation: int = views.DEFAULT, **params: Any) -> Any:
        if isinstance(x._value, Array):
            t = views.share(x, x._value)
            views.as_view_of(t, x, self, creation)
            t._set(lazy=t._lazy ^ self.bit)
            return t
        t = super().__call__(x, creation=creation)
        t._set(lazy=t._lazy ^ self.bit)
        if t._view is not None:
            parent = x._view
            first = None if parent is None else parent.replay or views.restride(x)
            t._view.replay = self if first is None else lambda base: self(first(base))
        if t._tangent is not None:
            give_tangent(t, self(x._tangent))
        return t

    def seen_by_rule(self, value: Any, params: dict) -> None:
        """Nothing: what rules ask for has been worked out."""


CONJ_VIEW = _LazyView(core.conjugate, "ConjBackward0", CONJ)
NEG_VIEW = _LazyView(core.negative, "NegViewBackward0", NEG)


@op("conj", "(Tensor input)", records=(CONJ_VIEW,))
def conj(input: Any) -> Any:
    """The complex conjugate, as a view that is worked out when its values are needed; a real tensor itself.

    Example:
        >>> from funcgrad import torch
        >>> torch.conj(torch.tensor([1 + 2j]))
        tensor([1.-2.j])
    """
    return CONJ_VIEW(input) if input._value.dtype.kind == "c" else input


@op("_conj", "(Tensor input)", records=(CONJ_VIEW,))
def _conj(input: Any) -> Any:
    """As conj."""
    return conj(input)


@op("_neg_view", "(Tensor input)", records=(NEG_VIEW,))
def _neg_view(input: Any) -> Any:
    """The negative, as a view that is worked out when its values are needed."""
    return NEG_VIEW(input)


@op("resolve_conj", "(Tensor input)")
def resolve_conj(input: Any) -> Any:
    """The tensor itself, or, if its values are the conjugates of what memory holds, a copy that holds them."""
    return input.clone() if input._lazy & CONJ else input


@op("resolve_neg", "(Tensor input)")
def resolve_neg(input: Any) -> Any:
    """The tensor itself, or, if its values are the negatives of what memory holds, a copy that holds them."""
    return input.clone() if input._lazy & NEG else input


CONJ_PHYSICAL = Operation(core.conjugate, "ConjPhysicalBackward0", operands=("self",), result="own")
CONJ_PHYSICAL_INPLACE = Operation(core.conjugate, "ConjPhysicalBackward1", operands=("self",))
_conj_physical = unary_function(CONJ_PHYSICAL)


def _conj_physical_in_place(self: Any) -> Any:
    return self.clone() if self._value.dtype.kind == "b" else CONJ_PHYSICAL_INPLACE(self)


@op("conj_physical", UNARY, kernel=CONJ_PHYSICAL, inplace=_conj_physical_in_place, inplace_function=True)
def conj_physical(x: Any) -> Any:
    """The complex conjugate, worked out at once; a real tensor itself."""
    return counted(_conj_physical(x), 1, x) if x._value.dtype.kind == "c" else x


# Real and imaginary part are a last dimension of size two.


def _look_as_real(value: ndarray) -> ndarray:
    return value[..., None].view(value.real.dtype)


def _look_as_complex(value: ndarray) -> ndarray:
    return value.view(np.result_type(value.dtype, np.complex64))[..., 0]


VIEW_AS_REAL = ViewOperation(
    complex_parts.as_real, "ViewAsRealBackward0", look=_look_as_real, replayed=True, trailing=True, again=True
)
VIEW_AS_COMPLEX = ViewOperation(
    complex_parts.as_complex, "ViewAsComplexBackward0", look=_look_as_complex, replayed=True, trailing=True, again=True
)


@op("view_as_real", "(Tensor input)", method=False, records=(VIEW_AS_REAL,))
def view_as_real(input: Any) -> Any:
    """A complex tensor as a real one on the same memory, with a last dimension for real and imaginary part."""
    if input._value.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input._lazy & CONJ:
        raise RuntimeError(texts.VIEW_AS_REAL_OF_CONJUGATE)
    return VIEW_AS_REAL(input)


@op("view_as_complex", "(Tensor input)", method=False, records=(VIEW_AS_COMPLEX,))
def view_as_complex(input: Any) -> Any:
    """A real tensor whose last dimension has size two as a complex one on the same memory."""
    value = input._value
    if value.dtype.kind != "f":
        raise RuntimeError(texts.VIEW_AS_COMPLEX_DTYPE.format(dtype=input.dtype.title))
    if not value.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if value.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if type(value) is ndarray:
        *others, last = input.stride()
        if last != 1:
            raise RuntimeError("Tensor must have a last dimension with stride 1")
        if any(s % 2 for s in others):
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
        if input.storage_offset() % 2:
            raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return VIEW_AS_COMPLEX(input)


@op("real", "(Tensor input)", method=False, records=(VIEW_AS_REAL, CONJ_VIEW))
def real(input: Any) -> Any:
    """The real part, as a view of a complex tensor; a real tensor itself."""
    if input._value.dtype.kind != "c":
        return input
    return view_as_real(conj(input) if input._lazy & CONJ else input).select(-1, 0)


@op("imag", "(Tensor input)", method=False, records=(NEG_VIEW, VIEW_AS_REAL, CONJ_VIEW))
def imag(input: Any) -> Any:
    """The imaginary part of a complex tensor, as a view."""
    if input._value.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if input._lazy & CONJ:
        return NEG_VIEW(view_as_real(conj(input))).select(-1, 1)
    return view_as_real(input).select(-1, 1)


def _part(get: Callable) -> property:
    def put(self: Any, value: Any) -> None:
        get(self).copy_(value if isinstance(value, Tensor) else self.new_tensor(value).real)

    return property(get, put, doc=get.__doc__)


add_member(Tensor, "real", _part(real))
add_member(Tensor, "imag", _part(imag))


# Size and angle.


def _angle(x: Any) -> Any:
    if x.dtype.kind == "c":
        return conventions.arctan2(core.imag(x), core.real(x))
    return np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0).astype(x.dtype))


def _angle_of_real(x: Any) -> Any:
    return np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0).astype(x.dtype))


ANGLE = Operation(_angle, "AngleBackward0", operands=("self",))
ANGLE_OF_REAL = Operation(_angle_of_real, "AngleBackward0", operands=("self",), promote="float", zero=True, saves=(0,))


@op("angle", UNARY, records=(ANGLE, ANGLE_OF_REAL))
def angle(input: Any) -> Any:
    """The angle of a complex number, between -pi and pi; of a real one 0, or pi if it is negative."""
    return counted(ANGLE(input), 1, input) if input._value.dtype.kind == "c" else ANGLE_OF_REAL(input)


class _ToComplex(Recordings):
    """Recordings in the convention of complex gradients, for operations whose operands are real."""

    def __missing__(self, mask: tuple[bool, ...]) -> Any:
        found = super().__missing__(mask)
        found = self[mask] = None if found is None else found.conjugated
        return found


COMPLEX = Operation(complex_parts.complex_of, "ComplexBackward0", operands=("real", "imag"), saves=(0, 1))
POLAR = Operation(complex_parts.polar, "PolarBackward0", operands=("abs", "angle"))


COMPLEX.recordings, POLAR.recordings = _ToComplex(COMPLEX), _ToComplex(POLAR)


def _check_parts(x: Any, y: Any) -> None:
    if x._value.dtype.kind != "f" or y._value.dtype.kind != "f":
        raise RuntimeError(texts.COMPLEX_PARTS_NOT_FLOAT.format(real=x.dtype.title, imag=y.dtype.title))
    if x.dtype is not y.dtype:
        raise RuntimeError(texts.COMPLEX_PARTS_DIFFER.format(real=x.dtype.title, imag=y.dtype.title))


@op("complex", "(Tensor real, Tensor imag, *, Tensor out = None)", method=False, records=COMPLEX)
def complex(real: Any, imag: Any) -> Any:
    """A complex tensor of its real and its imaginary part, which are of one dtype and broadcast."""
    _check_parts(real, imag)
    check_broadcast([real._value, imag._value])
    return counted(COMPLEX(real, imag), 1, real, imag)


@op("polar", "(Tensor abs, Tensor angle, *, Tensor out = None)", method=False, records=POLAR)
def polar(abs: Any, angle: Any) -> Any:
    """A complex tensor of absolute values and angles, which are of one dtype and broadcast."""
    _check_parts(abs, angle)
    check_broadcast([abs._value, angle._value])
    return counted(POLAR(abs, angle), 1, abs, angle)

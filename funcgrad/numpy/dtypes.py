"""dtypes, constants, and questions about dtypes: NumPy's own, under its names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import bool_ as bool_
from numpy import (
    byte,
    cdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    double,
    dtype,
    e,
    errstate,
    euler_gamma,
    finfo,
    float16,
    float32,
    float64,
    floating,
    generic,
    get_printoptions,
    geterr,
    half,
    iinfo,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    isdtype,
    isfortran,
    isscalar,
    issubdtype,
    iterable,
    long,
    longlong,
    nan,
    ndindex,
    newaxis,
    number,
    pi,
    printoptions,
    promote_types,
    set_printoptions,
    seterr,
    short,
    signedinteger,
    single,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
)

from funcgrad.core.array import Array
from funcgrad.core.types import ShapeDtypeStruct

__all__ = [
    "bool_",
    "byte",
    "can_cast",
    "cdouble",
    "common_type",
    "complex64",
    "complex128",
    "complexfloating",
    "csingle",
    "double",
    "dtype",
    "e",
    "errstate",
    "euler_gamma",
    "finfo",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "get_printoptions",
    "geterr",
    "half",
    "iinfo",
    "inexact",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "integer",
    "intp",
    "iscomplexobj",
    "isdtype",
    "isfortran",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "iterable",
    "long",
    "longlong",
    "may_share_memory",
    "min_scalar_type",
    "nan",
    "ndarray",
    "ndindex",
    "newaxis",
    "number",
    "pi",
    "printoptions",
    "promote_types",
    "result_type",
    "set_printoptions",
    "seterr",
    "shares_memory",
    "short",
    "signedinteger",
    "single",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
]

ndarray = Array


def _kind(x: Any) -> Any:
    """For questions about the dtype: an Array or tracer as an ndarray of its dtype."""
    return np.zeros((), x.dtype) if isinstance(x, (Array, ShapeDtypeStruct)) else x


def _kind_of_rank(x: Any) -> Any:
    """As `_kind`, an array staying an array (for NumPy treats numbers apart)."""
    return x.dtype if isinstance(x, (Array, ShapeDtypeStruct)) else x


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """The dtype that NumPy's promotion gives for these arrays, numbers and dtypes.

    Example:
        >>> fnp.result_type(fnp.float32(1), 2.0)
        dtype('float32')

    Source: numpy.result_type; NEP 50.
    """
    return np.result_type(*[_kind_of_rank(x) for x in arrays_and_dtypes])


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Whether an array or a dtype can be cast to a dtype under a casting rule."""
    return np.can_cast(_kind_of_rank(from_), to, casting)


def common_type(*arrays: Any) -> type:
    """The scalar type that holds all of these arrays, floating at least."""
    return np.common_type(*[_kind(x) for x in arrays])


def min_scalar_type(a: Any) -> np.dtype:
    """The smallest dtype that holds a value."""
    return np.min_scalar_type(a._concrete("min_scalar_type(x)") if isinstance(a, Array) else a)


def iscomplexobj(x: Any) -> bool:
    """Whether x has a complex dtype."""
    return np.iscomplexobj(_kind(x))


def isrealobj(x: Any) -> bool:
    """Whether x does not have a complex dtype."""
    return np.isrealobj(_kind(x))


def may_share_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Whether two arrays might share memory."""
    return np.may_share_memory(_memory(a), _memory(b), max_work)


def shares_memory(a: Any, b: Any, max_work: int | None = None) -> bool:
    """Whether two arrays share memory."""
    return np.shares_memory(_memory(a), _memory(b), max_work)


def _memory(x: Any) -> Any:
    return x._concrete("shares_memory(x, y)") if isinstance(x, Array) else x

"""torch's dtypes, the default dtype, and the rules by which operands of several dtypes find a common one.

A `dtype` names a NumPy dtype in torch's words. bfloat16 and the floats of eight bits come from the package ml_dtypes
(the extra `torch`); asking for them without that package raises an error which says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.texts import dtypes as texts

BOOL, INTEGER, FLOATING, COMPLEX = range(4)
"""The categories of promotion, from the lowest to the highest."""


CXX_NAMES = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
    "float8_e4m3fn": "c10::Float8_e4m3fn", "float8_e4m3fnuz": "c10::Float8_e4m3fnuz",
    "float8_e5m2": "c10::Float8_e5m2", "float8_e5m2fnuz": "c10::Float8_e5m2fnuz",
    "float8_e8m0fnu": "c10::Float8_e8m0fnu",
}  # fmt: skip
"""What torch's C++ code calls the type of an element."""


class dtype:  # noqa: N801  (torch's name)
    """A torch dtype, such as `torch.float32`."""

    __slots__ = ("__weakref__", "_numpy", "category", "cxx_type", "itemsize", "name", "tensor_type", "title")

    def __init__(self, name: str, numpy: Any, category: int, title: str, itemsize: int) -> None:
        self.name, self._numpy, self.category, self.title, self.itemsize = name, numpy, category, title, itemsize
        self.tensor_type = f"torch.{title}Tensor"
        late = title.startswith(
            ("Complex", "BFloat", "Bool", "UInt", "Float8")
        )  # these came when types had no such names any more
        self.cxx_type = f"CPU{title}Type" if late else self.tensor_type  # what torch's C++ code calls it

    @property
    def numpy(self) -> np.dtype:
        """The NumPy dtype that holds the values."""
        if self._numpy is None:
            self._numpy = _load(self.name)
            by_numpy[self._numpy] = self
            late_kinds.add(self._numpy)
            if self.is_eight:
                eight_kinds.add(self._numpy)
        return self._numpy

    @property
    def is_floating_point(self) -> bool:
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        return (self.category > INTEGER and self.name != "float8_e8m0fnu") or self.name.startswith("int")

    @property
    def is_eight(self) -> bool:
        """Whether these are floats of eight bits: torch moves and converts them, and computes next to nothing."""
        return self.category == FLOATING and self.itemsize == 1

    def to_real(self) -> dtype:
        """The dtype of the real part."""
        return {"complex128": float64, "complex64": float32, "complex32": float16}.get(self.name, self)

    def to_complex(self) -> dtype:
        """The complex dtype of the same precision."""
        if self.category == COMPLEX:
            return self
        if self.category < FLOATING or self.is_eight:
            raise RuntimeError(texts.NO_COMPLEX.format(dtype=self.title))
        return {"float64": complex128, "float16": complex32}.get(self.name, complex64)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _by_name, (self.name,)

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: Any) -> dtype:
        return self


def _by_name(name: str) -> dtype:
    return next(d for d in ALL if d.name == name)


def _load(name: str) -> np.dtype:
    """The dtypes that NumPy has not."""
    if name not in FROM_ML_DTYPES:
        raise RuntimeError(texts.NO_NUMBERS.format(name=name))
    try:
        import ml_dtypes  # optional
    except ImportError:
        raise ImportError(texts.NO_ML_DTYPES.format(name=name)) from None
    return np.dtype(getattr(ml_dtypes, name))


bool_ = dtype("bool", np.dtype(bool), BOOL, "Bool", 1)
uint8 = dtype("uint8", np.dtype("u1"), INTEGER, "Byte", 1)
int8 = dtype("int8", np.dtype("i1"), INTEGER, "Char", 1)
int16 = dtype("int16", np.dtype("i2"), INTEGER, "Short", 2)
int32 = dtype("int32", np.dtype("i4"), INTEGER, "Int", 4)
int64 = dtype("int64", np.dtype("i8"), INTEGER, "Long", 8)
uint16 = dtype("uint16", np.dtype("u2"), INTEGER, "UInt16", 2)
uint32 = dtype("uint32", np.dtype("u4"), INTEGER, "UInt32", 4)
uint64 = dtype("uint64", np.dtype("u8"), INTEGER, "UInt64", 8)
float16 = dtype("float16", np.dtype("f2"), FLOATING, "Half", 2)
bfloat16 = dtype("bfloat16", None, FLOATING, "BFloat16", 2)
float32 = dtype("float32", np.dtype("f4"), FLOATING, "Float", 4)
float64 = dtype("float64", np.dtype("f8"), FLOATING, "Double", 8)
complex32 = dtype("complex32", None, COMPLEX, "ComplexHalf", 4)
complex64 = dtype("complex64", np.dtype("c8"), COMPLEX, "ComplexFloat", 8)
complex128 = dtype("complex128", np.dtype("c16"), COMPLEX, "ComplexDouble", 16)
float8_e4m3fn = dtype("float8_e4m3fn", None, FLOATING, "Float8_e4m3fn", 1)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", None, FLOATING, "Float8_e4m3fnuz", 1)
float8_e5m2 = dtype("float8_e5m2", None, FLOATING, "Float8_e5m2", 1)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", None, FLOATING, "Float8_e5m2fnuz", 1)
float8_e8m0fnu = dtype("float8_e8m0fnu", None, FLOATING, "Float8_e8m0fnu", 1)

EIGHTS = {d.name: d for d in (float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu)}
"""The floats of eight bits, by name."""

FROM_ML_DTYPES = {"bfloat16": bfloat16, **EIGHTS}
"""The dtypes that NumPy has not, by name."""

ALL = (
    bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex32, complex64, complex128, *EIGHTS.values(),
)  # fmt: skip

late_kinds: set[np.dtype] = set()
"""The NumPy dtypes from ml_dtypes that the program has asked for."""

eight_kinds: set[np.dtype] = set()
"""The NumPy dtypes of floats of eight bits among them."""

by_numpy: dict[np.dtype, dtype] = {d._numpy: d for d in ALL if d._numpy is not None}
"""The torch dtype of a NumPy dtype."""

by_tensor_type = {d.tensor_type: d for d in ALL}

CPP_NAMES = {d: CXX_NAMES[d.name] for d in ALL if d is not complex32} | {complex32: "c10::complex<c10::Half>"}
"""What the compiler of torch calls the type of a dtype's elements, which some errors show."""


def of_numpy(kind: np.dtype) -> dtype:
    """The torch dtype for values of this NumPy dtype.

    Raises:
        TypeError: torch has no such values.
    """
    found = by_numpy.get(kind)
    if found is None:
        if (late := FROM_ML_DTYPES.get(kind.name)) is not None:
            late.numpy  # noqa: B018  (loads it)
            return late
        if kind.newbyteorder("=") in by_numpy and not kind.isnative:
            raise ValueError(texts.BYTE_ORDER)
        raise TypeError(texts.NO_SUCH_DTYPE.format(kind=_numpy_type_name(kind)))
    return found


def _numpy_type_name(kind: np.dtype) -> str:
    return f"numpy.{kind.type.__name__}"


# The default dtype.

_default = float32


def sortable(value: Any) -> Any:
    """Values as NumPy sorts them: bfloat16, of which it takes nan for a number like others, as float32."""
    return value.astype(np.float32) if value.dtype.name == "bfloat16" else value


def recast(value: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Values in another dtype, as torch converts them.

    Where ml_dtypes has no number for one, torch differs: float8_e4m3fn goes to its largest, and float8_e8m0fnu, which
    has no sign and no zero, takes the size alone.
    """
    if value.dtype in eight_kinds and kind.kind in "biu":
        value = value.astype(np.float32)
    if kind not in eight_kinds or value.dtype == kind:
        return value.astype(kind)
    with np.errstate(all="ignore"):
        value = value.astype(np.float32)
        if kind.name == "float8_e4m3fn":
            value = np.clip(value, -448, 448)
        elif kind.name == "float8_e8m0fnu":
            value = np.maximum(np.abs(value), np.float32(2.0**-127))
        return value.astype(kind)


def get_default_dtype() -> dtype:
    """The dtype of floating tensors made without one."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Make `d` the dtype of floating tensors that are made without one."""
    global _default
    if not isinstance(d, dtype):
        raise TypeError(texts.DEFAULT_MUST_FLOAT)
    if d.category != FLOATING:
        raise TypeError(texts.DEFAULT_NOT_FLOATING)
    if d.is_eight:
        raise TypeError(f"couldn't find storage object {d.title}Storage")
    _default = d


def default_complex() -> dtype:
    """The complex dtype that goes with the default dtype."""
    return {"float64": complex128, "float16": complex32}.get(_default.name, complex64)


# Promotion. https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc

_INTEGERS = {(uint8, int8): int16, (uint8, int16): int16, (uint8, int32): int32, (uint8, int64): int64}
_WIDE_UNSIGNED = (uint16, uint32, uint64)
_FLOAT_ORDER = {float16: 0, bfloat16: 0, float32: 1, float64: 2}


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that holds both, of at least the higher category.

    Example:
        >>> from funcgrad import torch
        >>> torch.promote_types(torch.int32, torch.float32)
        torch.float32
    """
    if a is b:
        return a
    first, second = a, b
    if a.is_eight or b.is_eight:
        raise RuntimeError(texts.NO_EIGHT_PROMOTION.format(first=first.title, second=second.title))
    if a.category > b.category:
        a, b = b, a
    if b.category <= INTEGER and (a in _WIDE_UNSIGNED or b in _WIDE_UNSIGNED):
        raise RuntimeError(texts.NO_PROMOTION.format(first=first.title, second=second.title))
    if a.category == BOOL:
        return b
    if b.category == INTEGER:
        for x, y in ((a, b), (b, a)):
            if (x, y) in _INTEGERS:
                return _INTEGERS[x, y]
        return a if a.itemsize > b.itemsize else b
    if a.category == INTEGER:
        return b
    if b.category == FLOATING:
        if _FLOAT_ORDER[a] == _FLOAT_ORDER[b]:
            return float32
        return a if _FLOAT_ORDER[a] > _FLOAT_ORDER[b] else b
    if a.category == COMPLEX:
        return a if a.itemsize > b.itemsize else b
    if a is float64:
        return complex128
    if b is complex32:
        return complex32 if a is float16 else complex64
    return b


def of_number(x: Any) -> dtype:
    """The dtype that a Python number stands for."""
    if type(x) is bool or isinstance(x, np.bool_):
        return bool_
    if isinstance(x, (int, np.integer)):
        return int64
    if isinstance(x, (float, np.floating)):
        return _default
    return default_complex()


def result_of(dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None) -> dtype:
    """The common dtype of operands of three ranks: tensors with dimensions, 0-d tensors, and Python numbers.

    A lower rank changes the result only if it is of a higher category.
    """
    out = dimensioned
    for other in (zero_dim, number):
        if other is None:
            continue
        if out is None:
            out = other
        elif other.category == COMPLEX and out.category == FLOATING and out is not float16:  # float16: of complex32
            out = out.to_complex()
        elif other.category > out.category:
            out = promote_types(out, other)
    assert out is not None
    return out


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether values of one dtype may be written in place into another: the category must not fall."""
    if from_.category == COMPLEX and to.category != COMPLEX:
        return False
    if from_.category == FLOATING and to.category < FLOATING:
        return False
    return not (from_.category > BOOL and to.category == BOOL)


_PYTHON = {float: float64, complex: complex128, int: int64, bool: bool_}


def _of_argument(name: str, given: Any) -> dtype:
    found = _PYTHON.get(given, given) if isinstance(given, type) else given
    if not isinstance(found, dtype):
        raise TypeError(texts.TYPE_NO_DTYPE.format(name=name, kind=type(given).__name__))
    return found


class finfo:  # noqa: N801  (torch's name)
    """The machine limits of a floating dtype: bits, eps, max, min, tiny, smallest_normal, resolution, dtype."""

    def __init__(self, type: Any = None) -> None:
        kind = _default if type is None else _of_argument("finfo", type)
        if kind.category < FLOATING:
            raise TypeError(texts.FINFO_OF_INTEGERS)
        real = kind.to_real()
        if real.numpy in late_kinds:
            import ml_dtypes  # optional

            info: Any = ml_dtypes.finfo(real.numpy)
        else:
            info = np.finfo(real.numpy)
        self.bits, self.dtype = info.bits, real.name
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        if real is float8_e5m2fnuz:
            self.eps = 0.125  # half of the distance from 1 to the next number, but what torch says
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = 1.0 if real.is_eight else 10.0**-info.precision

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{k}={getattr(self, k):g}' for k in fields)}, dtype={self.dtype})"


class iinfo:  # noqa: N801  (torch's name)
    """The limits of an integer dtype: bits, max, min, dtype."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args and "type" not in kwargs:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        kind = _of_argument("iinfo", args[0] if args else kwargs["type"])
        if kind.category >= FLOATING:
            raise TypeError(texts.IINFO_OF_FLOATS)
        if kind.category == BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(kind.numpy)
        self.bits, self.max, self.min, self.dtype = info.bits, int(info.max), int(info.min), kind.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


for _class in (dtype, finfo, iinfo):
    _class.__module__ = "torch"

"""Reading the arguments that many functions share: sizes, dtype, device, layout, and numbers that must fit a dtype.

The texts of errors are those of torch's argument parser.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import arguments as texts

PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
"""Python types that stand for a dtype wherever one is asked for."""

_NO_PINNED_MEMORY = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
)


def type_name(x: Any) -> str:
    """The name of an argument's type, as errors say it: with its module if it is not a Python class."""
    kind = type(x)
    if kind.__module__.partition(".")[0] == "numpy":
        return f"numpy.{kind.__name__}"
    if isinstance(x, (dtypes.dtype, meta.device, meta.layout, meta.memory_format, meta.Size)):
        return f"torch.{kind.__name__}"
    return kind.__name__


def wrong_type(name: str, argument: str, position: int | None, expected: str, got: Any) -> TypeError:
    """The error for an argument of the wrong type."""
    place = "" if position is None else f" (position {position})"
    return TypeError(f"{name}(): argument '{argument}'{place} must be {expected}, not {type_name(got)}")


# Warnings that are given once.

_given: set[str] = set()
_always = False


def warn_once(text: str, category: type[Warning] = UserWarning, stacklevel: int = 2, kind: str = "") -> None:
    """Warn, but only the first time in this process, unless set_warn_always(True) was called.

    Warnings of one kind count as one, whatever their texts.
    """
    if _always or (kind or text) not in _given:
        _given.add(kind or text)
        warnings.warn(text, category, stacklevel=stacklevel + 1)


def warn_native(text: str, place: str, stacklevel: int = 2, kind: str = "") -> None:
    """Give once a warning from torch's own code, which says from where in it; see `warn_once` for its kind."""
    text = f"{text} (Triggered internally at /__w/pytorch/pytorch/{place}.)"
    warn_once(text, stacklevel=stacklevel + 1, kind=kind)


def set_warn_always(b: bool) -> None:
    """Give warnings every time that torch otherwise gives once in a process."""
    global _always
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always = b


def is_warn_always_enabled() -> bool:
    """Whether `set_warn_always` is on."""
    return _always


# Sizes.


def is_int(x: Any) -> bool:
    """Whether x counts as an int where sizes are read."""
    if type(x) is int:
        return True
    if isinstance(x, (bool, np.bool_)):
        return False
    if isinstance(x, Tensor):
        return x._value.ndim == 0 and x._value.dtype.kind in "iu"
    return isinstance(x, (int, np.integer)) or (isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype.kind in "iu")


# dtype, device, layout.


def dtype_argument(name: str, given: Any) -> Any:
    """The dtype that an argument names; None stays None."""
    if given is None or type(given) is dtypes.dtype:
        return given
    if isinstance(given, type) and given in PYTHON_DTYPES:
        return PYTHON_DTYPES[given]
    raise wrong_type(name, "dtype", None, "torch.dtype", given)


def read_options(
    dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None, requires_grad: Any = None
) -> tuple[Any, bool]:
    """The dtype (None if none was asked for) and requires_grad of OPTIONS, whose types are known to be right."""
    if device is None:
        device = meta.get_default_device()
    if device is not meta.CPU:
        meta.check_device(device)
    if layout is not None and layout is not meta.strided:
        raise NotImplementedError(f"funcgrad.torch has strided tensors only; it has no layout {layout!r}")
    if pin_memory:
        raise RuntimeError(_NO_PINNED_MEMORY)
    return PYTHON_DTYPES.get(dtype, dtype), bool(requires_grad)


def check_memory_format(name: str, given: Any) -> None:
    """Raise torch's error if an argument is no memory format."""
    if given is not None and not isinstance(given, meta.memory_format):
        raise wrong_type(name, "memory_format", None, "torch.memory_format", given)


# Numbers.

C_NAMES = {
    "bool": "bool", "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t", "float16": "c10::Half",
    "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>", **{name: f"c10::{d.title}" for name, d in dtypes.EIGHTS.items()},
}  # fmt: skip
"""What errors about numbers that do not fit call a dtype."""


def is_number(x: Any) -> bool:
    """Whether x counts as a number: of Python, of NumPy, or a 0-d tensor that requires no grad."""
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return True
    return isinstance(x, Tensor) and x._value.ndim == 0 and not x.requires_grad


def python_number(x: Any) -> Any:
    """A Python number from what counts as one."""
    if type(x) in (float, int, bool, complex):
        return x
    if isinstance(x, Tensor):
        return x.item()
    if isinstance(x, np.generic):
        # NumPy's scalars other than integers are read as floats, unless they are Python numbers, too.
        return int(x) if isinstance(x, np.integer) else complex(x) if isinstance(x, complex) else float(x)
    return x


_LARGEST = (
    {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}
    | dict.fromkeys(("float32", "complex64"), float(np.finfo(np.float32).max))
    | {
        "float8_e4m3fn": 448.0,
        "float8_e4m3fnuz": 240.0,
        "float8_e5m2": 57344.0,
        "float8_e5m2fnuz": 57344.0,
        "float8_e8m0fnu": 2.0**127,
    }
)


def fitted(x: Any, dtype: Any, count: int | None = None) -> Any:
    """A Python number in a dtype, as a 0-d array.

    Arguments:
        x: the number.
        dtype: the torch dtype.
        count: of how many elements a tensor is filled with it; torch fills a single one without looking.

    Raises:
        RuntimeError: the dtype has no such number; negative ones wrap around in unsigned dtypes.
    """
    name = dtype.name
    kind = dtype.numpy
    if isinstance(x, int) and not isinstance(x, bool) and not -(2**64) < x < 2**64:
        raise OverflowError("int too big to convert")
    if dtype.category == dtypes.BOOL:
        return np.asarray(bool(x))
    if isinstance(x, complex) and dtype.category != dtypes.COMPLEX:
        if x.imag:
            raise RuntimeError(texts.OVERFLOW.format(kind=C_NAMES[name]))
        x = x.real
    if dtype.category == dtypes.INTEGER:
        if isinstance(x, float) and x != x:
            raise _overflow(name)
        info = np.iinfo(kind)
        low = -int(info.max) if info.min == 0 and isinstance(x, int) else int(info.min)
        if not low <= x <= int(info.max) or (isinstance(x, float) and x == 2.0**63):
            raise _overflow(name)
        return np.asarray(int(x) % (int(info.max) + 1) if info.min == 0 else int(x)).astype(kind)
    if name in _LARGEST and not (count == 1 and kind.itemsize <= 2):
        limit = _LARGEST[name]
        parts = (x.real, x.imag) if isinstance(x, complex) else (x,)
        if any(limit < abs(p) < float("inf") for p in parts):
            raise _overflow(name)
    with np.errstate(over="ignore"):
        return dtypes.recast(np.asarray(x), kind)


def _overflow(name: str) -> RuntimeError:
    return RuntimeError(texts.OVERFLOW.format(kind=C_NAMES[name]))


# Overloads.


def invalid_combination(name: str, args: tuple, kwargs: dict[str, Any], forms: Sequence[str]) -> TypeError:
    """The error for arguments that fit none of the forms in which a function can be called."""
    got = [type_name(a) for a in args] + [f"{k}={type_name(v)}" for k, v in kwargs.items()]
    listed = ", ".join(got) + ("" if args or not kwargs else ", ")
    rows = "".join(f" * ({form})\n" for form in forms)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({listed}), but expected one of:\n{rows}"
    )


OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool? pin_memory = False, bool? "
    "requires_grad = False"
)
"""What functions that make tensors have in common, as signatures have it; `read_options` reads it."""

"""`Array`: an immutable array around an ndarray, and the base of every tracer.

An Array holds an *owned* value: an ndarray, or a NumPy scalar where NumPy's own operations give one, that nobody else
can write to. The operators, methods and NumPy protocols are installed on this class by `funcgrad.numpy.methods`, which
knows the operations; what is here needs none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from funcgrad.errors import ArgumentError, ImmutableArrayError, IntegerRangeError, type_text

new = object.__new__
NUMBERS = frozenset("biufc")
NATIVE = frozenset(np.dtype(code) for code in np.typecodes["All"] if np.dtype(code).kind in NUMBERS)
"""NumPy's dtypes of numbers in this machine's byte order, the only one that Arrays have."""


class Array:
    """An immutable n-dimensional array.

    Arguments:
        data: an ndarray (copied), an Array, a number, or nested sequences of numbers.
        dtype: the wanted dtype; by default NumPy's choice for `data`.

    Raises:
        ArgumentError: the data are not numbers or booleans.

    Example:
        >>> a = fg.Array([1.0, 2.0], dtype="float32")
        >>> a + 1
        Array([2., 3.], dtype=float32)
    """

    __slots__ = ("__weakref__", "_value")
    __hash__ = None  # type: ignore[assignment]  # == is elementwise, as for ndarray
    __array_priority__ = 1000

    _trace: Any = None  # the EvalTrace; set by core/trace.py. A tracer has a trace of its own in this place.
    _value: Any

    def __init__(self, data: Any, dtype: Any = None) -> None:
        self._value = snapshot(data, dtype)

    if TYPE_CHECKING:  # installed by funcgrad.numpy.methods; type checkers read the signatures here

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Array: ...
        def __iter__(self) -> Iterator[Array]: ...
        def __neg__(self) -> Array: ...
        def __pos__(self) -> Array: ...
        def __abs__(self) -> Array: ...
        def __invert__(self) -> Array: ...
        def __add__(self, other: Any) -> Array: ...
        def __radd__(self, other: Any) -> Array: ...
        def __sub__(self, other: Any) -> Array: ...
        def __rsub__(self, other: Any) -> Array: ...
        def __mul__(self, other: Any) -> Array: ...
        def __rmul__(self, other: Any) -> Array: ...
        def __truediv__(self, other: Any) -> Array: ...
        def __rtruediv__(self, other: Any) -> Array: ...
        def __floordiv__(self, other: Any) -> Array: ...
        def __rfloordiv__(self, other: Any) -> Array: ...
        def __mod__(self, other: Any) -> Array: ...
        def __rmod__(self, other: Any) -> Array: ...
        def __pow__(self, other: Any) -> Array: ...
        def __rpow__(self, other: Any) -> Array: ...
        def __matmul__(self, other: Any) -> Array: ...
        def __rmatmul__(self, other: Any) -> Array: ...
        def __and__(self, other: Any) -> Array: ...
        def __rand__(self, other: Any) -> Array: ...
        def __or__(self, other: Any) -> Array: ...
        def __ror__(self, other: Any) -> Array: ...
        def __xor__(self, other: Any) -> Array: ...
        def __rxor__(self, other: Any) -> Array: ...
        def __lt__(self, other: Any) -> Array: ...
        def __le__(self, other: Any) -> Array: ...
        def __gt__(self, other: Any) -> Array: ...
        def __ge__(self, other: Any) -> Array: ...
        def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]  # elementwise
        def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]  # elementwise

    # What there is without any operation.

    @property
    def shape(self) -> tuple[int, ...]:
        return self._value.shape

    @property
    def dtype(self) -> np.dtype:
        return self._value.dtype

    @property
    def ndim(self) -> int:
        return self._value.ndim

    @property
    def size(self) -> int:
        return self._value.size

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> str:
        return "cpu"

    def to_device(self, device: str, /, *, stream: None = None) -> Array:
        """This array: there is one device, "cpu"."""
        if device != "cpu":
            raise ValueError(f"funcgrad arrays live on the device 'cpu', got {device!r}")
        return self

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    # Leaving the world of Arrays. A tracer overrides `_leave`, which is asked before anything gets out.

    def _leave(self, action: str) -> Any:
        """The raw value, for an action that leaves the trace; on a tracer this raises."""
        return self._value

    def _concrete(self, action: str) -> Any:
        """The raw value, for an action that may look at it without losing a gradient: a comparison, an index."""
        return self._value

    def describe(self) -> str:
        """What this is, for an error message."""
        return f"an Array of type {type_text(self)}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """An ndarray that the caller owns; with copy=False a read-only view, which code in C may still write into."""
        value = np.asarray(self._leave("np.asarray(x)"))
        if copy is not False:
            return np.array(value, dtype)
        if dtype is not None and np.dtype(dtype) != value.dtype:
            raise ValueError(f"np.asarray: cannot give {value.dtype} as {dtype} without a copy")
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        value.flags.writeable = owner.flags.writeable = False  # and so the view's flag cannot be set again
        return value.view()

    def __dlpack__(self, **kwargs: Any) -> Any:
        value = self.__array__(copy=False)
        try:
            return value.__dlpack__(**kwargs)
        except BufferError:  # a consumer of the older protocol, which has no word for read-only memory
            return value.copy().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[Any, int]:
        return np.zeros(()).__dlpack_device__()

    def __float__(self) -> float:
        return float(self._leave("float(x)"))

    def __complex__(self) -> complex:
        return complex(self._leave("complex(x)"))

    def __int__(self) -> int:
        return int(self._concrete("int(x)"))

    def __index__(self) -> int:
        value = self._concrete("x as an index")
        if value.dtype.kind not in "iu" or value.ndim:
            raise TypeError(f"Only integer scalar arrays can be converted to a scalar index, got {self.describe()}")
        return value.__index__()

    def __bool__(self) -> bool:
        return bool(self._concrete("bool(x)"))

    def item(self, *args: Any) -> Any:
        """The value of an array of one element, or of the element at an index, as a Python number."""
        return self._leave("x.item()").item(*args)

    def block_until_ready(self) -> Array:
        """The array itself, which is ready; for programs that JAX runs as well."""
        return self

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._leave("x.tolist()").tolist()

    def tobytes(self, order: Any = "C") -> bytes:
        """The values as bytes, as `ndarray.tobytes`."""
        return self._leave("x.tobytes()").tobytes(order)

    def __reduce__(self) -> Any:
        return _from_numpy, (np.asarray(self._leave("pickle.dumps(x)")),)

    def __copy__(self) -> Array:
        return self

    def __deepcopy__(self, memo: Any) -> Array:
        return self

    def __repr__(self) -> str:
        value = np.asarray(self._value)
        text = np.array2string(value, separator=", ", prefix="Array(")
        if value.size == 0 and value.shape != (0,):
            return f"Array([], shape={value.shape}, dtype={value.dtype})"
        return f"Array({text}, dtype={value.dtype})"

    def __str__(self) -> str:
        return str(np.asarray(self._concrete("str(x)")))

    def __format__(self, spec: str) -> str:
        value = self._concrete("format(x)")
        return format(np.asarray(value)[()] if self.ndim == 0 else np.asarray(value), spec)

    # Immutability.

    def __setitem__(self, index: Any, value: Any) -> None:
        raise ImmutableArrayError(
            f"funcgrad arrays are immutable, so x[i] = v cannot write into {self.describe()}. "
            f"Make an updated copy instead: x = x.at[i].set(v); or .add, .multiply, .divide, .power, .min, .max, .apply"
        )

    def __delitem__(self, index: Any) -> None:
        raise ImmutableArrayError(
            "funcgrad arrays are immutable; use funcgrad.numpy.delete for a copy without an entry"
        )


_FLOATS_OF_ML_DTYPES = ("bfloat16", "float8_")
"""What the names of these begin with; to NumPy they are of the kind V, as records are."""


def is_inexact(dtype: np.dtype) -> bool:
    """Whether values of this dtype can be differentiated: real and complex floats, those of ml_dtypes among them."""
    return dtype.kind in "fc" or (dtype.kind == "V" and dtype.name.startswith(_FLOATS_OF_ML_DTYPES))


def is_number(dtype: np.dtype) -> bool:
    """Whether an Array may hold values of this dtype."""
    return dtype.kind in "biufc" or (dtype.kind == "V" and dtype.name.startswith(_FLOATS_OF_ML_DTYPES))


def native(dtype: Any) -> np.dtype:
    """A dtype in this machine's byte order."""
    dtype = np.dtype(dtype)
    return dtype if dtype in NATIVE else dtype.newbyteorder("=")


def copied(x: np.ndarray) -> np.ndarray:
    """A copy of an array, stretched along the axes along which the array is stretched."""
    if 0 not in x.strides or not x.size:
        return x.copy()
    one = x[tuple([slice(None if s else 1) for s in x.strides])]
    return np.broadcast_to(one.copy(), x.shape)


def snapshot(data: Any, dtype: Any = None) -> Any:
    """An owned value (ndarray or NumPy scalar) with these data.

    ndarrays are copied, for their owner may write into them later; Arrays and NumPy scalars need no copy. The bytes are
    in this machine's order, whatever that of the data.
    """
    kind = type(data)
    if kind is np.ndarray and dtype is None and data.dtype in NATIVE:
        return np.array(data)
    if kind is not np.ndarray and isinstance(data, np.ndarray):
        _refuse_other_arithmetic(data)
    if isinstance(data, Array):
        data = data._leave("funcgrad.Array(x)")
        value = data if dtype is None or data.dtype == dtype else data.astype(dtype)
    elif isinstance(data, np.generic) and dtype is None:
        value = data
    else:
        value = np.array(data, dtype=dtype)
    if value.dtype in NATIVE:
        return value
    if not is_number(value.dtype):
        if type(data) is int:
            raise IntegerRangeError(
                f"an integer of {data.bit_length()} bits does not fit into an array, whose integers have 64 at most. "
                f"Convert it to float, or reduce it first"
            )
        raise ArgumentError(
            f"funcgrad arrays hold numbers and booleans, got data of dtype {value.dtype} ({type(data).__name__}); "
            f"to join arrays use funcgrad.numpy.stack or funcgrad.numpy.array"
        )
    return value.astype(native(value.dtype), copy=False)


def _refuse_other_arithmetic(data: np.ndarray) -> None:
    """A memory map is an ndarray like any other; masked arrays, matrices and quantities compute in other ways."""
    cls = type(data)
    if cls.__mul__ is not np.ndarray.__mul__ or cls.__array_ufunc__ is not np.ndarray.__array_ufunc__:
        raise ArgumentError(
            f"funcgrad computes with plain ndarrays; the arithmetic of {cls.__module__}.{cls.__name__} would be lost. "
            f"Convert it, with np.asarray(x), or with x.filled(value) if it is a masked array"
        )


def wrap(value: Any) -> Array:
    """An Array around an owned value. Arrays and tracers pass as they are."""
    if isinstance(value, Array):
        return value
    a = new(Array)
    a._value = value
    return a


def raw(x: Any) -> Any:
    """What `wrap` made an Array of; a tracer passes as it is."""
    return x._value if type(x) is Array else x


def _from_numpy(value: np.ndarray) -> Array:
    """Unpickles an Array: the value is owned, but may come from a machine of another byte order."""
    return wrap(value if value.dtype in NATIVE else snapshot(value))

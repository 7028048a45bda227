"""`Tensor`: a mutable array with a history.

What is here needs no operation: the state that autograd keeps, memory and geometry, and the ways in and out of NumPy.
The modules above install the rest on the class (see `members`): `views` its strides, `history` what autograd tells of
it, `text` how it is printed, and those in ops/ the operators and methods.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.errors import NoValueError
from funcgrad.torch.base import meta
from funcgrad.torch.base.dtypes import late_kinds, of_numpy
from funcgrad.torch.base.meta import CPU, Size
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, pointer, without_elements
from funcgrad.torch.tensor.journal import journal, left, lend, refused
from funcgrad.torch.tensor.levels import (
    OUTSIDE,
    VMAP,
    alive,
    hidden_memory,
    wrapping,
)
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import tensor as texts

CONJ, NEG = 1, 2
"""The bits of `_lazy`: the value is the conjugate, the negative, of what memory holds."""


class Replaced(int):
    """A version after `.data = …`: nodes that saved the tensor before then look at it again."""

    __slots__ = ()
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


# Inside transforms of torch.func.


def _check_one(n: int) -> None:
    if n != 1:
        raise RuntimeError(f"a Tensor with {n} elements cannot be converted to Scalar")


class _TensorMeta(type):
    """The class of Tensor; what methods there are is known when all operations are installed."""

    if TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any: ...
        def __setattr__(cls, name: str, value: Any) -> None: ...


SUBCLASSES: set[type] = set()
"""All classes derived from Tensor; while there are none, no operation looks for them."""


class Tensor(metaclass=_TensorMeta):
    """A multi-dimensional array that records what is done with it.

    `torch.tensor(data)` makes one from data. The class called directly is torch's legacy constructor:
    `torch.Tensor(2, 3)` is an uninitialised tensor of that size, `torch.Tensor([2, 3])` holds these values.
    """

    # An instance sets only what differs from these.
    _value: Any  # an ndarray, or a tracer of the functional face
    _node: Any = None  # its grad_fn
    _entry = 0  # the number of its entry in the journal
    _nr = 0  # which output of it
    _requires = False  # for a leaf: whether it requires grad
    _grad: Any = None
    _accumulate: Any = None  # a weak reference to the AccumulateGrad node
    _counter: Any = None  # [version], shared by views and detached tensors
    _store: Any = None  # the UntypedStorage, made when first asked for
    _view: Any = None  # views.View if it is a view
    _lazy = 0  # bits CONJ and NEG
    _tangent: Any = None  # the tensor of forward derivatives
    _plain = True  # no lazy bits, no tangent, no tracer: `_value` is all there is to it
    _inference = False
    _hooks: Any = None
    _retain_call: Any = None
    _post_accumulate_hooks: Any = None
    _level: Any = OUTSIDE  # the innermost transform of torch.func that ran when it was made
    _home: Any = None  # the same of its memory, if that is another one
    _operation: str | None = None  # inside a transform: what the node of the operation that made it is called
    _cut: tuple = ()  # the levels of transforms that do not see it as a view of its base
    _alias: Any = None  # inside a transform: the tensor that it shares memory with, but not all of its history
    _argument: Any = None  # inside a transform: the Argument that it stands for
    _laid: Any = None  # inside a transform: an array that lies in memory as it would, if that is not C order
    _wrapped_number = False  # stands for a Python number, so its dtype gives way

    __array_priority__ = 1000
    names_ = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        SUBCLASSES.add(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # a subclass may call it with what its own constructor takes

    if TYPE_CHECKING:  # installed by the modules above

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __iter__(self) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __abs__(self) -> Any: ...
        def __invert__(self) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lshift__(self, other: Any) -> Any: ...
        def __rlshift__(self, other: Any) -> Any: ...
        def __rshift__(self, other: Any) -> Any: ...
        def __rrshift__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __eq__(self, other: Any) -> Any: ...
        def __ne__(self, other: Any) -> Any: ...

    # What is the same for all tensors here.

    is_sparse = is_quantized = is_mkldnn = is_cuda = is_meta = is_nested = is_xpu = is_mps = is_sparse_csr = property(
        lambda self: False
    )
    is_cpu = property(lambda self: True)
    layout = property(lambda self: meta.strided)
    name = property(lambda self: None)

    @property
    def volatile(self) -> bool:
        """Always False; superseded by no_grad."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
        return False

    # Geometry and memory.

    @property
    def shape(self) -> Size:
        return Size(self._value.shape)

    @property
    def dtype(self) -> Any:
        return of_numpy(self._value.dtype)

    @property
    def device(self) -> Any:
        return CPU

    @property
    def ndim(self) -> int:
        return self._value.ndim

    def dim(self, *extra: Any) -> int:
        """The number of dimensions."""
        if extra:
            raise no_arguments("dim", extra)
        return self._value.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """The sizes, or that of one dimension."""
        if dim is None:
            return Size(self._value.shape)
        if not is_dim(dim):
            raise TypeError(texts.DIM_NO_INT.format(name="size", kind=type(dim).__name__))
        if not self._value.ndim:
            raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
        return self._value.shape[wrap_dim(dim, self._value.ndim)]

    def numel(self, *extra: Any) -> int:
        """The number of elements."""
        if extra:
            raise no_arguments("numel", extra)
        return self._value.size

    nelement = numel

    def data_ptr(self, *extra: Any) -> int:
        """The address of the first element."""
        if extra:
            raise no_arguments("data_ptr", extra)
        if isinstance(self._value, Array) or (state.transforms and wrapping(self)):
            raise RuntimeError(texts.NO_STORAGE)
        return pointer(self._value) if self._value.size else 0

    def element_size(self, *extra: Any) -> int:
        """The bytes of one element."""
        if extra:
            raise no_arguments("element_size", extra)
        return self._value.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self._value.size * self._value.dtype.itemsize

    def _storage(self) -> UntypedStorage:
        if self._store is None:
            if isinstance(self._value, Array):
                raise self._no_storage()
            self._settle()
            self._store = UntypedStorage(self._value)
        return self._store

    def _settle(self) -> Any:
        """The ndarray as other tensors may look at it: also without elements it has the strides of the tensor."""
        value = self._value
        if not value.size and self._store is None and type(value) is ndarray:
            steps = [s * value.itemsize for s in self.stride()]
            value = self._value = without_elements(pointer(value), value.shape, value.dtype, steps)
        return value

    def untyped_storage(self, *extra: Any) -> UntypedStorage:
        """The memory, as bytes."""
        if extra:
            raise no_arguments("untyped_storage", extra)
        if state.transforms and wrapping(self):
            raise self._no_storage()
        return self._storage()

    def _no_storage(self) -> NotImplementedError:
        kind = "BatchedTensorImpl" if self._is_batched() else "TensorWrapper"
        return NotImplementedError(f"Cannot access storage of {kind}")

    def storage(self) -> TypedStorage:
        """The memory, counted in elements."""
        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)

    _typed_storage = storage

    def get_device(self, *extra: Any) -> int:
        """-1: the cpu."""
        if extra:
            raise no_arguments("get_device", extra)
        return -1

    # What it is worth: the value, the bits of lazy conjugation and negation, the tangent.

    def _set(self, *, value: Any = ..., lazy: int | None = None, tangent: Any = ...) -> None:
        """Change what the tensor is worth. Whoever changes whether it is plain has to do it here."""
        if value is not ...:
            self._value = value
        if lazy is not None:
            self._lazy = lazy
        if tangent is not ...:
            self._tangent = tangent
        self._plain = not self._lazy and self._tangent is None and not isinstance(self._value, Array)

    def _resolved(self) -> Any:
        """The value with conjugation and negation carried out."""
        value = self._value
        if isinstance(value, Array):
            value = self._value = alive(value)
        if self._lazy & CONJ:
            value = np.conjugate(value)
        if self._lazy & NEG:
            value = np.negative(value)
        return value

    def is_conj(self) -> bool:
        """Whether the values are the conjugates of what memory holds."""
        return bool(self._lazy & CONJ)

    def is_neg(self) -> bool:
        """Whether the values are the negatives of what memory holds."""
        return bool(self._lazy & NEG)

    def _like_self(self, t: Tensor) -> Any:
        """t as an object of this tensor's own class."""
        t.__class__ = type(self)
        return t

    # The state of autograd.

    def _linked(self) -> bool:
        """Whether it has a place in torch's own graph."""
        if self._requires or self._node is not None:
            return True
        view = self._view
        if view is None or not (view.base._requires or view.base._node is not None):
            return False
        return self._value.dtype.kind not in "iub"

    @property
    def _version(self) -> int:
        if self._inference and self._counter is None:  # detached outside of the mode it has one
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None or self._is_batched() else int(self._counter[0])

    def _is_batched(self) -> bool:
        """Whether it is an example of the vmap that runs innermost: such a tensor knows little of itself."""
        if not state.transforms:
            return False
        wrappers = wrapping(self)
        return bool(wrappers) and wrappers[-1].kind == VMAP

    def _bump(self) -> None:
        if self._inference and self._counter is None:
            if not state.inference:
                raise RuntimeError(texts.INFERENCE_WRITTEN)
        elif self._counter is None:
            self._counter = [1]
        else:
            self._counter[0] += 1

    @property
    def _base(self) -> Any:
        return None if self._view is None or self._is_batched() else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None and not self._is_batched()

    # To Python and NumPy.

    def item(self, *extra: Any) -> Any:
        """The value of a tensor of one element, as a Python number."""
        if extra:
            raise no_arguments("item", extra)
        if state.awaited is not None and isinstance(self._value, Array):
            _check_one(self._value.size)
            return state.awaited(self)
        return self._number("item()")

    def _number(self, what: str) -> Any:
        """Its only value as a Python number; the journal calls that so."""
        if state.transforms and not self._is_batched():
            _check_one(self._value.size)
        value = self._concrete(texts.ITEM_IN_VMAP)
        _check_one(value.size)
        if self._entry and journal.on:
            left(what, self)
        return value.astype(np.float64).item() if value.dtype in late_kinds else value.item()

    def tolist(self, *extra: Any) -> Any:
        """The values as nested lists of Python numbers."""
        if extra:
            raise no_arguments("tolist", extra)
        value = self._concrete(texts.NO_STORAGE, texts.NO_STORAGE)
        if self._entry and journal.on:
            left("tolist()", self)
        return (value.astype(np.float32) if value.dtype in late_kinds else value).tolist()

    def _concrete(self, refusal: str = texts.ITEM_IN_VMAP, inside: str = "") -> Any:
        """The ndarray of values; of a tracer the values underneath.

        Arguments:
            refusal: the text of the error if the tensor is an example of the innermost vmap.
            inside: the same, if a transform inside of vmap is what runs innermost.

        Raises:
            RuntimeError: the tensor stands for a batch.
        """
        value = self._value if self._plain else self._resolved()
        if isinstance(value, Array):
            try:
                value = np.asarray(value._concrete("the value of a tensor"))
            except NoValueError:
                if not state.batches:  # a symbol, in a function that is compiled
                    raise
                raise RuntimeError(refusal if self._is_batched() else inside or texts.ITEM_INSIDE_VMAP) from None
        return value

    def numpy(self, *, force: bool = False) -> ndarray:
        """An ndarray on the same memory.

        Raises:
            RuntimeError: the tensor requires grad (use tensor.detach().numpy()), or has a lazy bit.
        """
        if self._value.dtype in late_kinds:
            raise TypeError(texts.NO_NUMPY_DTYPE.format(dtype=self.dtype.title))
        if force:
            t = self.detach()
            if state.transforms and hidden_memory(t):
                raise RuntimeError(texts.NO_STORAGE)
            if not t._lazy and type(t._value) is ndarray:
                t._storage().lent = True
            found = t._concrete() if not t._lazy else t._resolved()
            if t._entry and journal.on:
                lend(found, t)
            return found
        if state.grad and self.requires_grad:
            raise refused("numpy()", texts.NUMPY_REQUIRES_GRAD, self)
        if self._lazy & CONJ:
            raise RuntimeError(texts.NUMPY_OF_CONJ)
        if self._lazy & NEG:
            raise RuntimeError(texts.NUMPY_OF_NEG)
        if state.transforms and hidden_memory(self):
            raise RuntimeError(texts.NO_STORAGE)
        found = self._concrete().view() if self._value.size else np.empty(self._value.shape, self._value.dtype)
        if type(self._value) is ndarray:
            self._storage().lent = True
        if self._entry and journal.on:
            lend(found, self)
        return found

    def __array__(self, dtype: Any = None) -> ndarray:  # without `copy`, as in torch: NumPy warns and copies itself
        value = self.numpy()
        return value if dtype is None else value.astype(dtype, copy=False)

    def _check_exportable(self) -> None:
        """Raise torch's error if other libraries can't look at the memory."""
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self._lazy & CONJ:
            raise BufferError("Can't export tensors with the conjugate bit set")

    def __dlpack__(self, *, stream: Any = None, **kwargs: Any) -> Any:
        self._check_exportable()
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        return self._value.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __bool__(self) -> bool:
        value = self._concrete(texts.CONTROL_FLOW_IN_VMAP)
        if value.size != 1:
            if value.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(value.reshape(-1)[0])

    def _one(self, what: str = "float()") -> Any:
        """The only value, for float() and its kin."""
        if state.grad and self.requires_grad and not isinstance(self._value, Array):
            warnings.warn(texts.SCALAR_REQUIRES_GRAD, UserWarning, stacklevel=3)
        if self._value.size != 1:
            raise ValueError(texts.NOT_ONE_ELEMENT)
        return self._number(what)

    def __float__(self) -> float:
        return float(_real(self._one(), "double"))

    def __int__(self) -> int:
        if self._value.size != 1:
            raise ValueError(texts.NOT_ONE_ELEMENT)
        return int(_real(self._number("int()"), "int64_t"))

    def __complex__(self) -> complex:
        return complex(self._one("complex()"))

    def __index__(self) -> int:
        value = self._concrete()
        if value.size != 1 or value.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(value.reshape(-1)[0])

    def __len__(self) -> int:
        if self._value.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._value.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        if self._value.ndim == 0 and not self.is_meta and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __reversed__(self) -> Tensor:
        return self.flip(0) if self._value.ndim else self

    def __dir__(self) -> list[str]:
        return [n for n in object.__dir__(self) if n not in _internal]


def _real(number: Any, kind: str) -> Any:
    """A number that has to be real, or complex without an imaginary part."""
    if type(number) is not complex:
        return number
    if number.imag:
        raise RuntimeError(arguments_texts.OVERFLOW.format(kind=kind))
    return number.real


class _ReadOnly(property):
    """A property that says in torch's words that it can't be set."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.public_name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(texts.NOT_WRITABLE.format(name=self.public_name))

    def __delete__(self, instance: Any) -> None:
        raise AttributeError(texts.NOT_WRITABLE.format(name=self.public_name))


_SHOWN = frozenset(["_base", "_conj", "_is_view", "_make_subclass", "_neg_view", "_version"])
"""The names with one underscore that are torch's."""
_internal: set[str] = set()
"""The others, which `dir` does not show."""


def seal() -> None:
    """Give the properties of Tensor that have no setter torch's words, and hide what is not torch's from `dir`.

    Called when all of them are installed.
    """
    _internal.update(n for n in vars(Tensor) if n[0] == "_" and n[1] != "_" and n not in _SHOWN)
    for name, p in list(vars(Tensor).items()):
        if type(p) is property and p.fset is None and p.fdel is None:
            sealed = _ReadOnly(p.fget, doc=p.__doc__)
            sealed.public_name = name
            setattr(Tensor, name, sealed)


Tensor.__module__ = "torch"  # under that name it is pickled


def wrap_dim(dim: Any, ndim: int) -> int:
    """A dimension counted from the front; a 0-d tensor has the dimensions 0 and -1.

    Raises:
        IndexError: there is no such dimension.
    """
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(texts.DIM_RANGE.format(lowest=-n, highest=n - 1, dim=dim))
    return dim + n if dim < 0 else int(dim)


def contiguous_strides(shape: tuple) -> tuple:
    """The strides of a contiguous tensor, in elements."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return tuple(reversed(found))


def no_arguments(name: str, given: tuple) -> TypeError:
    """The error of a method that is called with arguments and takes none."""
    return TypeError(f"TensorBase.{name}() takes no arguments ({len(given)} given)")


def is_dim(x: Any) -> bool:
    """Whether x may stand for a dimension."""
    return isinstance(x, (int, np.integer, Tensor)) and not isinstance(x, bool)

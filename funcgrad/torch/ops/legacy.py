"""torch's oldest constructors: `torch.Tensor(2, 3)`, `torch.FloatTensor([1, 2])` and other classes named by dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, allocate, held_by
from funcgrad.torch.declare.arguments import type_name
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.ops.constructors import array_of, from_numpy
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.members import add_member
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import ViewOperation
from funcgrad.torch.texts import creation as texts
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import memory as memory_texts


def _alias(x: Any) -> Any:
    return x


ALIAS = ViewOperation(Composite(_alias), "AliasBackward0", look=lambda value: value[...], saves=())


_FORMS = Signatures(
    "new",
    (
        "(*, torch.device device = None)",
        "(torch.Storage storage)",
        "(Tensor other)",
        "(tuple of ints! size, *, torch.device device = None)",
        "(object data, *, torch.device device = None)",
    ),
)


def legacy_constructor(cls: type, dtype: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a legacy class makes of its arguments.

    Arguments:
        cls: the class of the result.
        dtype: its dtype; None: the default dtype, or that of a tensor given.
        args: nothing, sizes, data, a tensor, or a storage.
        kwargs: device, and size instead of args.
    """
    sequence = len(args) == 1 and isinstance(args[0], (tuple, list)) and not isinstance(args[0], meta.Size)
    if sequence and kwargs.keys() <= {"device"}:  # which are data, even if they are ints
        bound = {"data": args[0], **kwargs}
    else:
        _, bound = _FORMS.match(args, kwargs)
    device = bound.get("device")
    if device is not None and meta.as_device(device).type != "cpu":
        raise RuntimeError(texts.NEW_OTHER_DEVICE.format(type=meta.as_device(device).type))
    t = _new(dtype, bound)
    if cls is not Tensor:
        t.__class__ = cls
    return t


add_member(Tensor, "__new__", staticmethod(lambda cls, *args, **kwargs: legacy_constructor(cls, None, args, kwargs)))


def _new(dtype: Any, bound: dict[str, Any]) -> Tensor:
    """A tensor from the arguments of one of the forms."""
    kind = (dtype or dtypes.get_default_dtype()).numpy
    if "other" in bound:
        return _of_tensor(dtype, bound["other"])
    if "data" in bound:
        return _of_data(dtype, bound["data"])
    if "storage" in bound:
        storage = bound["storage"].untyped()
        t = wrapped(storage.bytes[: storage.bytes.size // kind.itemsize * kind.itemsize].view(kind))
        t._store = storage
        return t
    return wrapped(allocate(tuple(bound.get("size", (0,))), kind))


def _of_tensor(dtype: Any, other: Tensor) -> Tensor:
    if dtype is not None and dtype is not other.dtype:
        wanted, got = (texts.NEW_OPTIONS.format(dtype=dtypes.CPP_NAMES[d]) for d in (dtype, other.dtype))
        raise TypeError(f"expected TensorOptions({wanted}) (got TensorOptions({got}))")
    return ALIAS(other)


def _of_data(dtype: Any, data: Any) -> Tensor:
    if isinstance(data, (str, bytes)):
        raise TypeError(indexing_texts.NO_DTYPE.format(kind=type(data).__name__))
    if not hasattr(data, "__len__") or (isinstance(data, np.ndarray) and not data.ndim):
        raise TypeError(f"new(): data must be a sequence (got {type_name(data)})")
    dtype = dtype or dtypes.get_default_dtype()
    if isinstance(data, np.ndarray) and data.dtype == dtype.numpy:
        return from_numpy(data)
    return wrapped(array_of(data, dtype))


class tensortype(type):  # noqa: N801  (torch's name)
    """The type of `torch.FloatTensor` and its kin: classes of which tensors of a dtype count as instances."""

    dtype: Any
    layout = meta.strided
    is_cuda = False

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return legacy_constructor(Tensor, cls.dtype, args, kwargs)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Tensor) and of_numpy(x._value.dtype) is cls.dtype


tensortype.__module__ = "torch"


def _legacy_class(dtype: Any) -> tensortype:
    own = {"__module__": "torch", "dtype": dtype, "__doc__": f"Tensors of dtype {dtype!r}."}
    return tensortype(f"{dtype.title}Tensor", (), own)


_LATE = (dtypes.uint16, dtypes.uint32, dtypes.uint64, *dtypes.EIGHTS.values())
LEGACY = {d: _legacy_class(d) for d in dtypes.ALL if d not in _LATE and d.category != dtypes.COMPLEX}
"""The class of each dtype that has one."""


class _StorageType(type):
    """The type of `torch.FloatStorage` and its kin: classes of which storages of a dtype count as instances."""

    dtype: Any

    def __call__(cls, *args: Any, wrap_storage: Any = None, **options: Any) -> TypedStorage:
        expected = memory_texts.LEGACY_STORAGE_ARGUMENTS.format(kind=cls)
        for name in ("device", "dtype"):
            if options.get(name) is not None:
                raise RuntimeError(f"{expected}\nKeyword argument '{name}' cannot be specified")
        return TypedStorage(wrap_storage=held_by(args, wrap_storage, cls.dtype, expected), dtype=cls.dtype)

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, TypedStorage) and x.dtype is cls.dtype

    def from_buffer(cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0) -> TypedStorage:
        """A storage of this type with a copy of the elements in a buffer; see `UntypedStorage.from_buffer`."""
        try:
            memoryview(buffer)
        except TypeError:
            raise TypeError(f"a bytes-like object is required, not '{type_name(buffer)}'") from None
        held = UntypedStorage.from_buffer(buffer, byte_order, count, offset, dtype=cls.dtype)
        return cls(wrap_storage=held)


LEGACY_STORAGES = {
    d: _StorageType(f"{d.title}Storage", (), {"__module__": "torch", "dtype": d}) for d in dtypes.ALL if not d.is_eight
}
"""The storage class of each dtype."""

CLASSES = {c.__name__: c for c in (*LEGACY.values(), *LEGACY_STORAGES.values())}
"""What torch has of them, by name."""


@op("Tensor.new")
def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The legacy constructor with the dtype of this tensor."""
    return legacy_constructor(type(self), self.dtype, args, kwargs)

"""The small value types around a tensor: Size, device, layout, memory_format."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.torch.texts import dtypes as texts
from funcgrad.torch.texts import namespaces as namespaces_texts


class Size(tuple):
    """The sizes of a tensor: a tuple of ints.

    Arguments:
        sizes: ints, or tensors of one int.
    """

    __slots__ = ()

    def __new__(cls, *sizes: Any) -> Size:
        found = tuple(*sizes)
        for i, n in enumerate(found):
            if type(n) is not int:
                return tuple.__new__(cls, (*found[:i], *[_size(k + i, n) for k, n in enumerate(found[i:])]))
        return tuple.__new__(cls, found)

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, tuple):
            return Size(tuple.__add__(other, self))
        name = type(other).__name__
        raise TypeError(f'can only concatenate {name} (not "torch.Size") to {name}')

    def __mul__(self, n: Any) -> Any:
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return _restored_size, (tuple(self),)


def _restored_size(sizes: tuple) -> Size:
    return Size(sizes)  # pickle finds functions of this module, but not classes that are said to be torch's


Size.__module__ = "torch"


def _size(place: int, n: Any) -> int:
    """One size as an int."""
    if isinstance(n, int):
        return int(n)
    if not isinstance(n, float) and hasattr(n, "__index__"):
        try:
            return operator.index(n)
        except TypeError:
            pass
    raise TypeError(texts.SIZE_OF_NO_INTS.format(place=place, kind=type(n).__name__))


_DEVICE_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device(Scope):  # noqa: N801  (torch's name)
    """A device: here values live on "cpu"; other devices can be named, but nothing can be put on them.

    As a context manager it is the device of tensors that are made inside.

    Arguments:
        type: "cpu", "cuda" and the like, also with an index: "cuda:1".
        index: which of them.
    """

    __slots__ = ("index", "type")
    index: int | None
    type: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind, index = _device(*args, **kwargs)
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", index)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __reduce__(self) -> Any:
        return as_device, (str(self),)

    @property
    def entered(self) -> int:  # type: ignore[override]  # an attribute of other scopes
        """How many blocks of any device are open."""
        return len(_contexts)

    def __enter__(self) -> device:
        _contexts.append(self)
        return self

    def leave(self, *error: Any) -> None:
        _contexts.pop()

    def __call__(self, f: Any) -> Any:
        @functools.wraps(f)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return f(*args, **kwargs)

        return wrapped


def _device(*args: Any, **kwargs: Any) -> tuple[str, int | None]:
    """The type and the index that the arguments of `device` name."""
    given = dict(zip(("type", "index"), args, strict=False), **kwargs)
    kind, index = given.pop("type", given.pop("device", None)), given.pop("index", None)
    if isinstance(kind, device) and index is None:
        return kind.type, kind.index
    if _is_index(kind) and index is None:
        if kind < 0:
            raise RuntimeError(texts.INDEX_NEGATIVE)
        raise RuntimeError(namespaces_texts.NO_ACCELERATOR)
    if isinstance(kind, str) and len(args) == 2 and not _is_index(index):
        raise TypeError(texts.INDEX_NO_INT.format(kind=type(index).__name__))
    if not isinstance(kind, str) or (index is not None and not _is_index(index)) or given or len(args) > 2:
        got = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
        reason = ""
        if len(args) == 1 and not kwargs:
            reason = texts.INVALID_TYPES.format(got=got)
        raise TypeError(texts.DEVICE_ARGUMENTS.format(got=got, reason=reason))
    if index is not None and index < 0:
        raise RuntimeError(texts.INDEX_NEGATIVE)
    return _parsed(kind, index)


def _is_index(x: Any) -> bool:
    return hasattr(x, "__index__") and not isinstance(x, bool)


def _parsed(text: str, index: int | None) -> tuple[str, int | None]:
    """The type and the index in a text such as "cuda:1"."""
    if not text:
        raise RuntimeError("Device string must not be empty")
    name, colon, number = text.partition(":")
    if not name.replace("_", "").isalpha() or (colon and not (number.isdigit() and str(int(number)) == number)):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if name not in _DEVICE_TYPES:
        known = ", ".join(_DEVICE_TYPES)
        raise RuntimeError(f"Expected one of {known} device type at start of device string: {name}")
    if colon and index is not None:
        raise RuntimeError(texts.INDEX_TWICE.format(text=text))
    return name, int(number) if colon else index


device.__module__ = "torch"
CPU = device("cpu")
_contexts: list[device] = []
_default_device = CPU


def get_default_device() -> device:
    """The device of tensors that are made without saying where."""
    found = _contexts[-1] if _contexts else _default_device
    check_device(found)
    return found


def set_default_device(device: Any) -> None:
    """Say on which device tensors are made; None: on the cpu."""
    global _default_device
    _default_device = CPU if device is None else as_device(device)


def as_device(given: Any) -> device:
    """A device from itself or its name."""
    return given if isinstance(given, device) else device(given)


def check_device(given: Any) -> None:
    """Refuse every device but the cpu, with the words of a CPU build."""
    kind = "cpu" if given is None else as_device(given).type
    if kind == "cpu":
        return
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    raise NotImplementedError(texts.NO_BACKEND.format(backend=kind.upper()))


class _Named:
    """One of a few objects that torch has by name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _named, (type(self).__name__, self.name)


class layout(_Named):  # noqa: N801  (torch's name)
    """How the elements of a tensor lie in memory."""

    __slots__ = ()


class memory_format(_Named):  # noqa: N801  (torch's name)
    """In which order a tensor's dimensions follow each other in memory."""

    __slots__ = ()


def _named(kind: str, name: str) -> Any:
    """The one layout or memory format of a name."""
    return globals()[name]


for _class in (layout, memory_format):
    _class.__module__ = "torch"

strided, sparse_coo, sparse_csr, sparse_csc = (layout(n) for n in ("strided", "sparse_coo", "sparse_csr", "sparse_csc"))
jagged, _mkldnn = layout("jagged"), layout("_mkldnn")
contiguous_format, preserve_format, channels_last, channels_last_3d = (
    memory_format(n) for n in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
)

"""The small value types around a tensor: Size, device, layout, memory_format."""

from __future__ import annotations

import functools
from typing import Any


class Size(tuple):
    """The sizes of a tensor: a tuple of ints."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        n = 1
        for s in self:
            n *= s
        return n

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f'can only concatenate tuple (not {type(other).__name__}) to torch.Size')
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, n: Any) -> Any:
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


_DEVICE_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device:  # noqa: N801  (torch's name)
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
        return device, (self.type,) if self.index is None else (self.type, self.index)

    def __enter__(self) -> device:
        _contexts.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
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
            raise RuntimeError("Device index must not be negative")
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(kind, str) or (index is not None and not _is_index(index)) or given or len(args) > 2:
        got = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
        reason = ""
        if len(args) == 1 and not kwargs:
            reason = f"\n      didn't match because some of the arguments have invalid types: (!{got}!)"
        raise TypeError(
            f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            f" * (torch.device device){reason}\n * (str type, int index = -1)\n"
        )
    if index is not None and index < 0:
        raise RuntimeError("Device index must not be negative")
    return _parsed(kind, index)


def _is_index(x: Any) -> bool:
    return hasattr(x, "__index__") and not isinstance(x, bool)


def _parsed(text: str, index: int | None) -> tuple[str, int | None]:
    """The type and the index in a text such as "cuda:1"."""
    if not text:
        raise RuntimeError("Device string must not be empty")
    name, colon, number = text.partition(":")
    if not name.isidentifier() or (colon and not (number.isdigit() and str(int(number)) == number)):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if name not in _DEVICE_TYPES:
        known = ", ".join(_DEVICE_TYPES)
        raise RuntimeError(f"Expected one of {known} device type at start of device string: {name}")
    if colon and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    return name, int(number) if colon else index


CPU = device("cpu")
_contexts: list[device] = []
_default_device = CPU


def get_default_device() -> device:
    """The device of tensors that are made without saying where."""
    return _contexts[-1] if _contexts else _default_device


def set_default_device(device: Any) -> None:
    """Say on which device tensors are made; None: on the cpu."""
    global _default_device
    _default_device = CPU if device is None else as_device(device)


def as_device(given: Any) -> device:
    """A device from itself or its name."""
    return given if isinstance(given, device) else device(given)


def check_device(given: Any) -> None:
    """Refuse every device but the cpu, with the words of a CPU build."""
    kind = as_device(given).type
    if kind == "cpu":
        return
    if kind in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    raise NotImplementedError(
        f"Could not run 'aten::empty.memory_format' with arguments from the '{kind.upper()}' backend. This could be "
        "because the operator doesn't exist for this backend, or was omitted during the selective/custom build process "
        "(if using custom build)."
    )


class layout:  # noqa: N801  (torch's name)
    """How the elements of a tensor lie in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class memory_format:  # noqa: N801  (torch's name)
    """In which order a tensor's dimensions follow each other in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


strided, sparse_coo, sparse_csr, sparse_csc = (layout(n) for n in ("strided", "sparse_coo", "sparse_csr", "sparse_csc"))
jagged, _mkldnn = layout("jagged"), layout("_mkldnn")
contiguous_format, preserve_format, channels_last, channels_last_3d = (
    memory_format(n) for n in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
)

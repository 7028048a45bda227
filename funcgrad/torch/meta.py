"""The small value types around a tensor: Size, device, layout, memory_format."""

from __future__ import annotations

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
    """A device: here values live on "cpu"; other devices can be named, but nothing can be put on them."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        elif isinstance(type, str):
            name, colon, number = type.partition(":")
            if name not in _DEVICE_TYPES:
                raise RuntimeError(f"Expected one of {', '.join(_DEVICE_TYPES)} device type at start of device string: {type}")  # fmt: skip  # noqa: E501
            if colon:
                if index is not None:
                    raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")  # fmt: skip  # noqa: E501
                if not number.isdigit():
                    raise RuntimeError(f"Invalid device string: '{type}'")
                index = int(number)
            type = name
        self.type, self.index = type, index

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
        return device, (self.type, self.index)


CPU = device("cpu")


def check_device(given: Any) -> None:
    """Refuse every device but the cpu, with the words of a CPU build."""
    if given is None:
        return
    d = given if isinstance(given, device) else device(given)
    if d.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if d.type != "cpu":
        raise RuntimeError(f"funcgrad.torch keeps tensors on the cpu; it has no device {str(d)!r}")


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

"""Files of `torch.save` written instruction by instruction, as somebody with bad intentions would write them."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping

STORAGE = struct.pack("<4f", 1, 2, 3, 4)
PROTOCOL = b"\x80\x02"


def text(s: str) -> bytes:
    """The instruction that puts a text on the stack."""
    data = s.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def number(n: int) -> bytes:
    """The instruction that puts an int on the stack."""
    data = pickle.encode_long(n)
    return b"\x8a" + bytes([len(data)]) + data


def name(module: str, what: str) -> bytes:
    """The instruction that puts what a name stands for on the stack."""
    return f"c{module}\n{what}\n".encode()


def items(*instructions: bytes) -> bytes:
    """A tuple of what these instructions make."""
    return b"(" + b"".join(instructions) + b"t"


def call(function: bytes, *arguments: bytes) -> bytes:
    """A call of a function."""
    return function + items(*arguments) + b"R"


def storage(kind: str = "FloatStorage", key: str = "0", place: str = "cpu", count: int = 4) -> bytes:
    """A storage of the file."""
    return items(text("storage"), name("torch", kind), text(key), text(place), number(count)) + b"Q"


HOOKS = call(name("collections", "OrderedDict"))
REBUILD = name("torch._utils", "_rebuild_tensor_v2")


def tensor_arguments(
    size: tuple[int, ...] = (4,), stride: tuple[int, ...] = (1,), offset: int = 0, held: bytes | None = None
) -> tuple[bytes, ...]:
    """What a file says of a tensor."""
    sizes, strides = (items(*map(number, ns)) for ns in (size, stride))
    return (storage() if held is None else held), number(offset), sizes, strides, b"\x89", HOOKS


def tensor(**parts: object) -> bytes:
    """A tensor."""
    return call(REBUILD, *tensor_arguments(**parts))  # type: ignore[arg-type]


def archive(
    program: bytes, storages: Mapping[str, bytes] = {"0": STORAGE}, compression: int = zipfile.ZIP_STORED
) -> bytes:
    """A file with this program, to which the instruction to stop is added."""
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w", compression) as opened:
        opened.writestr("archive/data.pkl", PROTOCOL + program + b".")
        opened.writestr("archive/byteorder", "little")
        for key, data in storages.items():
            opened.writestr(f"archive/data/{key}", data)
        opened.writestr("archive/version", "3\n")
    return f.getvalue()


def old_file(program: bytes, keys: bytes, storages: bytes) -> bytes:
    """A file as PyTorch wrote it before 1.6."""
    magic = number(0x1950A86A20F9469CFC6C)
    pickles = magic, number(1001), b"}", program, keys
    return b"".join([PROTOCOL + p + b"." for p in pickles]) + storages


def mutated(data: bytes, random: Callable[[int], int]) -> bytes:
    """A file with some bytes changed, left out, doubled or put elsewhere; `random(n)` gives a number below n."""
    out = bytearray(data)
    for _ in range(1 + random(4)):
        i, n = random(len(out)), 1 + random(8)
        match random(6):
            case 0:
                out[i] ^= 1 << random(8)
            case 1:
                out[i] = (0, 1, 0x7F, 0x80, 0xFF, ord("R"), ord("b"), ord("."))[random(8)]
            case 2:
                del out[i : i + n]
            case 3:
                out[i:i] = out[i : i + n]
            case 4:
                j = random(len(out))
                out[j : j + n] = out[i : i + n]
            case 5:
                out[i:i] = bytes([random(256) for _ in range(n)])
        if not out:
            break
    return bytes(out)

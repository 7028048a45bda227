"""The zip archives that `torch.save` writes: records by name, read without trust in what the archive says of itself.

`torch.save` stores records without compressing them, so what is read can be held to the size of the file: no record,
and not all of them together, is longer than the archive. Checksums are not looked at, as in PyTorch, which can write
archives without them (`torch.serialization.set_crc32_options`).
https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import IO

import numpy as np

SIGNATURE = b"PK\x03\x04"
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # before a record: a signature, the lengths of its name and of other data
_OLDEST, _NEWEST = 1, 10  # the versions of archives that are read

# What `zipfile` raises for archives that are damaged.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    NotImplementedError,
    OverflowError,
    EOFError,
    OSError,
)


class Archive:
    """The records of an archive.

    Arguments:
        file: a file open for reading bytes, which can be searched.
        compressed: whether records may be compressed; if so, nothing bounds what they take in memory.

    Raises:
        RuntimeError: it is no archive of `torch.save`, or it is damaged.
    """

    def __init__(self, file: IO[bytes], *, compressed: bool = False) -> None:
        self._file, self._compressed = file, compressed
        try:
            with zipfile.ZipFile(file) as archive:
                found = archive.infolist()
        except _DAMAGED:
            raise _failed("reading zip archive", "failed finding central directory") from None
        self._records = {record.filename: record for record in found}
        self._left = file.seek(0, 2)
        first = found[0].filename if found else ""
        self._folder, below, _ = first.partition("/")
        if not below:
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:180] . file in archive is not in a subdirectory: {first}"
            )
        for outside in (n for n in self._records if not n.startswith(f"{self._folder}/")):
            raise RuntimeError(
                "[enforce fail at inline_container.cc:340] . file in archive is not in a subdirectory "
                f"{self._folder}/: {outside}"
            )
        self._check_version()

    def __contains__(self, name: str) -> bool:
        return f"{self._folder}/{name}" in self._records

    def read(self, name: str) -> bytes:
        """The bytes of a record.

        Raises:
            RuntimeError: there is none of this name, it is damaged, or longer than the archive has room for.
        """
        return self.array(name).tobytes()

    def array(self, name: str, nbytes: int | None = None) -> np.ndarray:
        """The bytes of a record in new memory: an ndarray of uint8.

        Arguments:
            name: which record.
            nbytes: how many bytes there have to be, if that is known.

        Raises:
            RuntimeError: as for `read`, or the record has another size.
        """
        record = self._records.get(f"{self._folder}/{name}")
        if record is None:
            raise _failed(f"locating file {name}", "file not found")
        if nbytes is not None and record.file_size != nbytes:
            raise RuntimeError(
                f"record size ({record.file_size} bytes) does not match expected size ({nbytes} bytes = {nbytes} "
                "elements * 1 bytes/element) for dtype Byte"
            )
        stored = record.compress_type == zipfile.ZIP_STORED
        if record.flag_bits & 1 or not (stored or record.compress_type == zipfile.ZIP_DEFLATED):
            raise _failed(f"retrieving file meta-data for {name}", "unsupported method")
        if not (stored or self._compressed):
            raise RuntimeError(
                f"The record {name} of this file is compressed. torch.save stores records as they are, and with "
                "weights_only=True no others are read: a small file could fill the memory. Save the object again with "
                "torch.save, or, if you trust the source of the file, load it with weights_only=False."
            )
        held = self._stored(name, record, record.compress_size)
        if not stored:
            return self._inflated(name, held, record.file_size)
        if record.file_size != record.compress_size:
            raise _failed(f"reading file {name}", "file read failed")
        return held

    def _stored(self, name: str, record: zipfile.ZipInfo, size: int) -> np.ndarray:
        """The bytes that lie in the file for a record."""
        self._left -= size
        if self._left < 0:
            raise _failed(f"reading file {name}", "records overlap, or reach beyond the end of the archive")
        held = np.empty(size, np.uint8)
        try:
            self._file.seek(record.header_offset)
            signature, *lengths = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
            self._file.seek(sum(lengths), 1)
            read = self._fill(held) if signature == SIGNATURE else -1
        except _DAMAGED:
            read = -1
        if read != size:
            raise _failed(f"reading file {name}", "file read failed")
        return held

    def _fill(self, held: np.ndarray) -> int:
        """Read the next bytes of the file into held, and say how many there were."""
        if hasattr(self._file, "readinto"):
            return self._file.readinto(held)
        data = self._file.read(held.size)
        held[: len(data)] = np.frombuffer(data, np.uint8)
        return len(data)

    @staticmethod
    def _inflated(name: str, held: np.ndarray, size: int) -> np.ndarray:
        try:
            found = zlib.decompressobj(-zlib.MAX_WBITS).decompress(held.tobytes(), size + 1)
        except zlib.error:
            found = b""
        if len(found) != size:
            raise _failed(f"reading file {name}", "file read failed")
        return np.frombuffer(bytearray(found), np.uint8)

    def _check_version(self) -> None:
        name = next((n for n in (".data/version", "version") if n in self), None)
        if name is None:
            raise RuntimeError(
                'Expected hasRecord("version") to be true, but got false.  (Could this error message be improved?  If '
                "so, please report an enhancement request to PyTorch.)"
            )
        text = self.read(name).decode("latin-1").strip()
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:215] . Couldn't parse the version {text} as Long Long."
            )
        if int(text) < _OLDEST:
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:219] . Attempted to read a PyTorch file with version {text}, "
                f"but the minimum supported version for reading is {_OLDEST}. Your PyTorch script module file is too "
                "old. Please regenerate it with latest version of PyTorch to mitigate this issue."
            )
        if int(text) > _NEWEST:
            raise RuntimeError(
                f"[enforce fail at inline_container.cc:230] . Attempted to read a PyTorch file with version {text}, "
                f"but the maximum supported version for reading is {_NEWEST}. The version of your PyTorch installation "
                "may be too old, please upgrade PyTorch to latest version to mitigate this issue."
            )


def _failed(what: str, why: str) -> RuntimeError:
    return RuntimeError(
        f"PytorchStreamReader failed {what}: {why}. This is an internal miniz error. If you are seeing this error, "
        "there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not "
        "saved properly, was transferred incorrectly, or the file was modified after saving."
    )

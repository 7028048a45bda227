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

from funcgrad.torch.serialization.storage_records import read_into
from funcgrad.torch.texts import serialization as texts

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
        memory: the file as it is mapped into memory, of which the bytes of records are parts then.

    Raises:
        RuntimeError: it is no archive of `torch.save`, or it is damaged.
    """

    def __init__(self, file: IO[bytes], *, compressed: bool = False, memory: np.ndarray | None = None) -> None:
        self._file, self._compressed, self._memory = file, compressed, memory
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
            raise RuntimeError(texts.NO_FOLDER.format(first=first))
        for outside in (n for n in self._records if not n.startswith(f"{self._folder}/")):
            raise RuntimeError(texts.OTHER_FOLDER.format(folder=self._folder, outside=outside))
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
        """The bytes of a record in memory of its own, or in that of the file: an ndarray of uint8.

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
            raise RuntimeError(texts.RECORD_SIZE.format(size=record.file_size, expected=nbytes))
        stored = record.compress_type == zipfile.ZIP_STORED
        if record.flag_bits & 1 or not (stored or record.compress_type == zipfile.ZIP_DEFLATED):
            raise _failed(f"retrieving file meta-data for {name}", "unsupported method")
        if not (stored or self._compressed):
            raise RuntimeError(texts.COMPRESSED.format(name=name))
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
        held = np.empty(size if self._memory is None else 0, np.uint8)
        try:
            self._file.seek(record.header_offset)
            signature, *lengths = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
            begin = self._file.seek(sum(lengths), 1)
            if self._memory is not None:
                held = self._memory[begin : begin + size]
                read = held.size
            else:
                read = read_into(self._file, held)
            if signature != SIGNATURE:
                read = -1
        except _DAMAGED:
            read = -1
        if read != size:
            raise _failed(f"reading file {name}", "file read failed")
        return held

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
            raise RuntimeError(texts.NO_VERSION)
        text = self.read(name).decode("latin-1").strip()
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise RuntimeError(texts.VERSION_NO_NUMBER.format(text=text))
        if int(text) < _OLDEST:
            raise RuntimeError(texts.VERSION_TOO_OLD.format(text=text, oldest=_OLDEST))
        if int(text) > _NEWEST:
            raise RuntimeError(texts.VERSION_TOO_NEW.format(text=text, newest=_NEWEST))


def _failed(what: str, why: str) -> RuntimeError:
    return RuntimeError(texts.READER_FAILED.format(what=what, why=why))

"""Machine code kept on disk: what LLVM has made once need not be made again by the next process.

An object file bears the hash of all that it depends on: the text it was made of, LLVM's version, the processor. What is
in the directory is run, so it must be the user's own, and nobody else may write there. The file begins with a hash of
the rest, so that a damaged one is made anew. It gets its name when it is complete: processes do not see each other's
halves. Wherever the disk does not play along, there is no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 64 << 20
"""What all files may take; beyond it those that were not used for longest go, down to half of it."""
_HASH = hashlib.sha256().digest_size


def directory() -> Path | None:
    """Where objects are kept; None if they are not."""
    chosen = os.environ.get("FUNCGRAD_CACHE_DIR")
    if chosen is not None:
        found = Path(chosen) if chosen else None
    elif sys.platform == "win32":
        found = Path(os.environ["LOCALAPPDATA"], "funcgrad") if "LOCALAPPDATA" in os.environ else None
    elif sys.platform == "darwin":
        found = Path("~/Library/Caches/funcgrad").expanduser()
    else:
        found = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "funcgrad"
    if found is None:
        return None
    try:
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
        return found if _is_own(found) else None
    except (OSError, RuntimeError):  # read-only, or there is no home
        return None


def _is_own(path: Path) -> bool:
    """Whether a directory belongs to the user, and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    found = path.lstat()
    writers = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not writers


def key(*parts: str) -> str:
    """The name of what depends on these texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".o"


def read(name: str) -> bytes | None:
    """The object of a name, if it is there and whole."""
    where = directory()
    if where is None:
        return None
    try:
        data = (where / name).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[_HASH:]).digest() != data[:_HASH]:
        return None
    with contextlib.suppress(OSError):
        os.utime(where / name)  # it has been used
    return data[_HASH:]


def write(name: str, data: bytes) -> None:
    """Keep an object."""
    where = directory()
    if where is None:
        return
    with contextlib.suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=where, suffix=".part", delete=False) as file:
            file.write(hashlib.sha256(data).digest() + data)
        Path(file.name).replace(where / name)
        _bound(where)


def _bound(where: Path) -> None:
    """Let go what was not used for longest, if all takes too much."""
    with os.scandir(where) as entries:
        found = [(e.stat().st_mtime, e.stat().st_size, e.path) for e in entries if e.name.endswith((".o", ".part"))]
    total = sum([size for _, size, _ in found])
    if total <= MOST_BYTES:
        return
    for _, size, path in sorted(found):
        with contextlib.suppress(OSError):  # another process was faster
            Path(path).unlink()
        total -= size
        if total <= MOST_BYTES // 2:
            return

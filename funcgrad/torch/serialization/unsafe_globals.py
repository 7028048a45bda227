"""`get_unsafe_globals_in_checkpoint`: what a file names that weights_only=True refuses."""

from __future__ import annotations

import pickletools
from typing import Any

from funcgrad.torch.serialization.archive import SIGNATURE, Archive
from funcgrad.torch.serialization.file_names import NAMES
from funcgrad.torch.serialization.trusted_names import trusted
from funcgrad.torch.serialization.weights_unpickler import PLAIN
from funcgrad.torch.texts import serialization as texts


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The full names in an archive of torch.save that `torch.load` refuses to look up; nothing of it is run.

    Arguments:
        f: a path, or a file object open for reading bytes.

    Raises:
        ValueError: it is no such archive.
    """
    if hasattr(f, "read"):
        return _unsafe(f)
    with open(f, "rb") as opened:
        return _unsafe(opened)


def _unsafe(file: Any) -> list[str]:
    begin = file.read(len(SIGNATURE))
    file.seek(-len(begin), 1)
    if begin != SIGNATURE:
        raise ValueError(texts.NO_ARCHIVE)
    names: dict[str, None] = {}
    words: list[str] = []  # the last two texts, which STACK_GLOBAL takes from the stack
    memo: dict[int, Any] = {}
    last: Any = None
    for code, argument, _ in pickletools.genops(Archive(file).read("data.pkl")):
        if code.name == "MEMOIZE" or code.name.endswith("PUT"):
            memo[len(memo) if argument is None else int(argument)] = last
            continue
        last = memo.get(int(argument or 0)) if code.name.endswith("GET") else argument
        if code.name == "GLOBAL":
            module, name = str(argument).split(" ", 1)
        elif code.name == "STACK_GLOBAL" and len(words) == 2:
            module, name = words
        else:
            words = [*words, last][-2:] if isinstance(last, str) else words
            continue
        full = f"{module}.{name}"
        if (module, name) not in NAMES and (module, name) not in PLAIN and full not in trusted:
            names[full] = None
    return list(names)

"""Dialogues with torch: statements, and what came of each, as real torch recorded it.

A file in data/dialogues/ has blocks, separated by blank lines. A line that begins with `>>> ` is a statement; below
stand the warnings it gives, the description of its value, or the error it raises. The statements of a block share
names.

    python dialogues.py data/dialogues/creation.txt

records a file anew: it needs torch.
"""

from __future__ import annotations

import ast
import copy
import io
import math
import pickle
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data" / "dialogues"


def describe(x: Any, torch: ModuleType) -> str:
    """A value with all that can be seen of it; of tensors also strides and history."""
    if isinstance(x, torch.Tensor):
        parts = [type(x).__name__, str(x.dtype), str(tuple(x.shape)), f"strides {x.stride()}"]
        if x.storage_offset():
            parts.append(f"offset {x.storage_offset()}")
        if x.requires_grad:
            parts.append("leaf" if x.grad_fn is None else type(x.grad_fn).__name__)
        return f"{' '.join(parts)}: {x.detach().tolist()}"
    if isinstance(x, np.ndarray):
        return f"ndarray {x.dtype} {x.shape}: {x.tolist()}"
    if type(x) in (tuple, list):
        return f"{type(x).__name__}({', '.join(describe(e, torch) for e in x)})"
    return re.sub(r"0x[0-9a-f]+", "0x…", repr(x))


def outcome(statement: str, names: dict[str, Any]) -> list[str]:
    """What comes of a statement, in lines."""
    (node,) = ast.parse(statement).body
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "__array", DeprecationWarning)
        warnings.filterwarnings("ignore", "TypedStorage is deprecated")  # given once, whatever set_warn_always says
        try:
            if isinstance(node, ast.Expr):
                value = eval(compile(statement, "<dialogue>", "eval"), names)
                if value is not None:
                    lines = [describe(value, names["torch"])]
            else:
                exec(compile(statement, "<dialogue>", "exec"), names)
        except Exception as error:
            lines = [f"{type(error).__name__}: {str(error).partition('Exception raised from')[0]}"]
    said = [
        f"{w.category.__name__}: {re.sub(r' [(]Triggered internally at [^)]*[)]', '', str(w.message))}" for w in given
    ]
    return [line.rstrip() for entry in said + lines for line in entry.splitlines() if line.strip()]


def names_for(torch: ModuleType) -> dict[str, Any]:
    """The names with which a block begins."""
    modules = {"copy": copy, "io": io, "math": math, "pickle": pickle, "np": np, "torch": torch}
    return {**modules, "T": torch.tensor}


def blocks(name: str) -> list[str]:
    """The blocks of a file."""
    return re.split(r"\n\s*\n", (FOLDER / f"{name}.txt").read_text(encoding="utf-8").strip())


def label(block: str) -> str:
    """A short name for a block."""
    return block.splitlines()[0][4:44]


def replay(block: str, torch: ModuleType) -> str:
    """The block with what comes of its statements now."""
    always = getattr(torch, "set_warn_always", None)
    if always is not None:
        always(True)
    names, lines = names_for(torch), []
    try:
        for line in block.splitlines():
            if line.startswith(">>> "):
                lines += [line, *outcome(line[4:], names)]
    finally:
        if always is not None:
            always(False)
        torch.set_default_dtype(torch.float32)
    return "\n".join(lines)


if __name__ == "__main__":
    import torch as real

    for path in sys.argv[1:]:
        found = [replay(block, real) for block in blocks(Path(path).stem)]
        Path(path).write_text("\n\n".join(found) + "\n", encoding="utf-8")

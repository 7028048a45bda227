"""How the caller calls a tensor: by a variable, or as a part of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from funcgrad.torch.tensor.tensor import Tensor


def name_of(value: Any, frame: Any, otherwise: str) -> str:
    """The name of a tensor, or of what holds it, among the variables of a frame."""
    variables = [(n, v) for d in (frame.f_locals, frame.f_globals) for n, v in list(d.items()) if n[:1] != "_"]
    for name, held in variables:
        if held is value:
            return name
    for name, held in variables:
        for path, part in _parts(held):
            if part is value:
                return name + path
    return otherwise


def _parts(held: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(held, Tensor):
        return
    if type(held) in (list, tuple):
        yield from ((f"[{k}]", v) for k, v in enumerate(held[:100]))
    elif type(held) is dict:
        yield from ((f"[{k!r}]", v) for k, v in list(held.items())[:100])
    elif not isinstance(held, type) and hasattr(held, "named_parameters"):
        yield from ((f".{path}", p) for path, p in held.named_parameters())

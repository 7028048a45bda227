"""Objects on their way between a loader's process and its workers, which may not share memory.

Classes say that they are PyTorch's (`torch.utils.data.dataset.TensorDataset`), which pickle believes. Here they are
stored as what they are, so that they are found whether or not `import torch` leads to funcgrad in the other process.
"""

from __future__ import annotations

import io
import pickle
import sys
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from typing import Any


class Passed:
    """An object in the arguments of a process that is started."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return _passed, (packed(self.value),)


def _passed(data: bytes) -> Passed:
    return Passed(unpacked(data))


def packed(value: Any) -> bytes:
    """The object as bytes."""
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return buffer.getvalue()


def unpacked(data: bytes) -> Any:
    """The object that `packed` made bytes of."""
    return pickle.loads(data)  # noqa: S301  # they come from a process of this program


class _Pickler(ForkingPickler):
    def reducer_override(self, obj: Any) -> Any:
        """How a class or function of funcgrad that has the name of one of PyTorch's is stored."""
        named, name = getattr(obj, "__module__", None), getattr(obj, "__qualname__", None)
        if isinstance(named, str) and named.startswith("torch.") and isinstance(name, str):
            module = sys.modules.get(f"funcgrad.{named}")
            if getattr(module, name, None) is obj:
                return _found, (f"funcgrad.{named}", name)
        return NotImplemented


def _found(module: str, name: str) -> Any:
    return getattr(import_module(module), name)

"""The operations of torch, by family. Importing a module declares its rows. Those of networks, `nn`, come later."""

import importlib as _importlib
import pkgutil as _pkgutil
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any as _Any

from funcgrad.torch.texts import programs as _texts

for _module in _pkgutil.iter_modules(__path__):
    if not _module.ispkg:
        _importlib.import_module(f"{__name__}.{_module.name}")


def load_library(path: str) -> None:
    """Not available: no library for PyTorch can be loaded.

    Raises:
        OSError: always; programs take it that the library is not there.
    """
    raise OSError(_texts.NO_LIBRARIES)


def __getattr__(name: str) -> _Any:
    raise AttributeError(_texts.REFUSED_NAME.format(module="torch.ops", name=name, reason=_texts.NO_REGISTRY))

"""The operations of torch, by family. Importing a module declares its rows.

Those that every program needs are imported here; the others are when somebody asks for what they declare. `families.py`
says what that is.
"""

from importlib import import_module as _import_module
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import Any as _Any

from funcgrad.torch.declare.op import announce as _announce
from funcgrad.torch.ops.families import FAMILIES as _FAMILIES
from funcgrad.torch.tensor.later import families as _families
from funcgrad.torch.texts import programs as _texts

_EVERYWHERE = "arithmetic axes complex constructors conversion copying creation legacy reductions"

for _family in _EVERYWHERE.split():
    _import_module(f"{__name__}.{_family}")
for _family, _names in _FAMILIES.items():
    _announce(f"{__name__}.{_family}", *[_part.split() for _part in _names.split("|")])
    if _family != "nn":  # of networks no other family knows
        _families[f"{__name__}.{_family}"] = None


def load_library(path: str) -> None:
    """Not available: no library for PyTorch can be loaded.

    Raises:
        OSError: always; programs take it that the library is not there.
    """
    raise OSError(_texts.NO_LIBRARIES)


def __getattr__(name: str) -> _Any:
    raise AttributeError(_texts.REFUSED_NAME.format(module="torch.ops", name=name, reason=_texts.NO_REGISTRY))

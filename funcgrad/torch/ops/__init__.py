"""The operations of torch, by family. Importing a module declares its rows. Those of networks, `nn`, come later."""

import importlib as _importlib
import pkgutil as _pkgutil
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi

for _module in _pkgutil.iter_modules(__path__):
    if not _module.ispkg:
        _importlib.import_module(f"{__name__}.{_module.name}")

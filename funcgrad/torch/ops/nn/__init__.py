"""The operations of networks, by family, which `torch.nn` and `torch.nn.functional` are made of.

They are loaded with `funcgrad.torch.nn`, not with torch itself: programs of tensors alone start without them.
"""

import importlib as _importlib
import pkgutil as _pkgutil

for _module in _pkgutil.iter_modules(__path__):
    _importlib.import_module(f"{__name__}.{_module.name}")

"""What `import torch` finds first in a process that was spawned by a program: it makes way for funcgrad.torch."""

from __future__ import annotations

import sys
from importlib import import_module

from funcgrad.torch.imports import install

if __name__ == "torch":
    del sys.modules[__name__]
    install()
    import_module(__name__)

"""torch.special: special functions, named as in scipy.special. https://docs.pytorch.org/docs/stable/special.html"""

from __future__ import annotations

from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch import ops as _ops
from funcgrad.torch.declare.op import namespaces as _namespaces

__getattr__: _Any  # for type checkers: the functions that declared themselves
assert _ops  # where they do
globals().update(_namespaces["special"].all())
__all__ = sorted(_namespaces["special"])

publish(__name__)

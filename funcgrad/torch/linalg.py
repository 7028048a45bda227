"""torch.linalg: linear algebra. https://docs.pytorch.org/docs/stable/linalg.html

Matrices are the last two dimensions of a tensor, those before them are batches. Results that LAPACK leaves column by
column lie that way in memory, as torch's do. A factorization or solver that fails raises `LinAlgError`; the functions
whose names end in _ex do not, and say in `info` for each matrix where it failed.
"""

from __future__ import annotations

from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces as _namespaces
from funcgrad.torch.ops.matrices import LinAlgError as LinAlgError

__getattr__: _Any  # for type checkers: the functions that declared themselves
globals().update(_namespaces["linalg"].all())

publish(__name__)

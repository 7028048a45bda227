"""Reading and writing along a dimension: gather, scatter, index_add and their kin; take and put on the flattened tensor.

Each turns its arguments into an index of NumPy's, with an array for the dimension in question, and then reads, writes or
adds there by a primitive of the core.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.ops import index as core
from funcgrad.torch.arguments import fitted, type_name, warn_once, wrong_type
from funcgrad.torch.declare import exports, function, with_out
from funcgrad.torch.inplace import check_inplace, check_overlap
from funcgrad.torch.operation import Operation, raw
from funcgrad.torch.ops.advanced_indexing import overlaps, warn_of_expanded
from funcgrad.torch.ops.checks import Undifferentiable
from funcgrad.torch.ops.geometry import integer
from funcgrad.torch.ops.indexed import WithIndices, contiguous, read_at, write_at, writing
from funcgrad.torch.tensor import Tensor, wrap_dim

_PLACE = "/__w/pytorch/pytorch/aten/src/ATen/native/TensorAdvancedIndexing.cpp"


def declared(f: Any, *, out: bool = False, inplace: bool = True, method: bool = True) -> None:
    """Put f into torch and on Tensor. f takes `_inplace`; with True it is `f_`."""
    name = f.__name__

    def public(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    public.__name__, public.__doc__ = name, f.__doc__
    exports[name] = with_out(f) if out else f
    if method:
        setattr(Tensor, name, f)
    if inplace:

        def in_place(self: Any, *args: Any, **kwargs: Any) -> Any:
            return f(self, *args, **kwargs, _inplace=True)

        in_place.__name__ = in_place.__qualname__ = name + "_"
        in_place.__doc__ = f"As `{name}`, writing the result into this tensor."
        setattr(Tensor, name + "_", in_place)

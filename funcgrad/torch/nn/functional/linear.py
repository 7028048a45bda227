"""Linear and bilinear maps of features."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import linear as _rows

__all__ = ["bilinear", "linear"]

assert _rows  # they are declared
bilinear = namespaces[""]["bilinear"]
linear = namespaces["_nn"]["linear"]

publish(__name__)

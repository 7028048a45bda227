"""PyTorch's tensors on NumPy: stateful, mutable, with torch's own results, texts and errors."""

from __future__ import annotations

from funcgrad.torch import autograd as autograd
from funcgrad.torch.declare import exports
from funcgrad.torch.ops import creation, elementwise
from funcgrad.torch.tensor import Tensor as Tensor
from funcgrad.torch.modes import *  # noqa: F403
from funcgrad.torch.dtypes import *  # noqa: F403

globals().update(exports)

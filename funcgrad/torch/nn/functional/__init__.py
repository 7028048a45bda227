"""`torch.nn.functional`: what layers compute, as functions of tensors.

The names of PyTorch's library are rows of `funcgrad.torch.ops.nn` (`"_nn.gelu"`); what PyTorch itself has written in
Python stands here, one file for each family.
"""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.ops import nn as _rows

assert _rows  # its rows are declared

publish(__name__)

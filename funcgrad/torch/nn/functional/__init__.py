"""`torch.nn.functional`: what layers compute, as functions of tensors.

The names of PyTorch's library are rows of `funcgrad.torch.ops.nn` (`"_nn.gelu"`); what PyTorch itself has written in
Python stands here, one file for each family.
"""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces as _namespaces
from funcgrad.torch.nn import grad as grad
from funcgrad.torch.nn.functional.activation import *
from funcgrad.torch.nn.functional.attention import *
from funcgrad.torch.nn.functional.conv import *
from funcgrad.torch.nn.functional.distances import *
from funcgrad.torch.nn.functional.dropout import *
from funcgrad.torch.nn.functional.embedding import *
from funcgrad.torch.nn.functional.fold import *
from funcgrad.torch.nn.functional.linear import *
from funcgrad.torch.nn.functional.losses import *
from funcgrad.torch.nn.functional.normalization import *
from funcgrad.torch.nn.functional.padding import *
from funcgrad.torch.nn.functional.pooling import *
from funcgrad.torch.nn.functional.resampling import *
from funcgrad.torch.nn.functional.shuffling import *
from funcgrad.torch.ops import nn as _rows

assert _rows  # its rows are declared
for _name, _function in _namespaces["_nn"].items():
    globals().setdefault(_name, _function)

publish(__name__)

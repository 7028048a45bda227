"""`torch.nn.parameter`: tensors that modules hold."""

from __future__ import annotations

from funcgrad.core.faces import publish
from funcgrad.torch.ops.parameter import Buffer as Buffer
from funcgrad.torch.ops.parameter import Parameter as Parameter
from funcgrad.torch.ops.parameter import UninitializedBuffer as UninitializedBuffer
from funcgrad.torch.ops.parameter import UninitializedParameter as UninitializedParameter
from funcgrad.torch.ops.parameter import UninitializedTensorMixin as UninitializedTensorMixin
from funcgrad.torch.ops.parameter import is_lazy as is_lazy

publish(__name__)

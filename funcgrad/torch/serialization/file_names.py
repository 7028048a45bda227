"""What the names in a file of torch stand for: the functions and classes that either library finds under them."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.ops import copying, parameter
from funcgrad.torch.ops.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor


class StorageType:
    """What stands in a file for the dtype of a storage."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


STORAGE_TYPES = {d: StorageType(d) for d in dtypes.ALL}
UNTYPED = StorageType(dtypes.uint8)

NAMES: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): copying.rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): copying.rebuild_tensor_of_dtype,
    ("torch._utils", "_rebuild_parameter"): parameter.rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): parameter.rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): copying.rebuild_from_type,
    ("torch", "Size"): meta._restored_size,
    ("torch", "device"): meta.as_device,
    ("torch", "Tensor"): Tensor,
    ("torch.nn.parameter", "Parameter"): Parameter,
    ("torch.storage", "UntypedStorage"): UNTYPED,
    **{("torch", d.name): d for d in dtypes.ALL},
    **{("torch", f"{d.title}Storage"): s for d, s in STORAGE_TYPES.items()},
}

NAME_OF = {id(x): name for name, x in NAMES.items()}

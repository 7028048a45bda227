"""`torch.utils.dlpack`: tensors on the memory of other libraries, and the other way round."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import check_device
from funcgrad.torch.ops.constructors import from_numpy
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "DLDeviceType",
    "from_dlpack",
    "to_dlpack",
]

DLDeviceType = IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1,
        "kDLCUDA": 2,
        "kDLCUDAHost": 3,
        "kDLOpenCL": 4,
        "kDLVulkan": 7,
        "kDLMetal": 8,
        "kDLVPI": 9,
        "kDLROCM": 10,
        "kDLROCMHost": 11,
        "kDLExtDev": 12,
        "kDLCUDAManaged": 13,
        "kDLOneAPI": 14,
    },
)
DLDeviceType.__doc__ = "DLPack's numbers of the kinds of devices."


class _Capsule:
    """An object with the DLPack protocol around a bare capsule, which NumPy does not take."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (int(DLDeviceType.kDLCPU), 0)


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule on the memory of a tensor."""
    return tensor.__dlpack__()


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of an object with `__dlpack__`, or of a DLPack capsule.

    Arguments:
        ext_tensor: the object or capsule.
        device: only the cpu.
        copy: True: the tensor gets memory of its own.
    """
    check_device(device)
    found = np.from_dlpack(ext_tensor if hasattr(ext_tensor, "__dlpack__") else _Capsule(ext_tensor))
    return from_numpy(found.copy() if copy else found)


publish(__name__)

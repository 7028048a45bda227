"""PyTorch's tensors on NumPy: stateful, mutable, with torch's own results, texts and errors.

    from funcgrad import torch

The reference is PyTorch 2.13 on a CPU. Names of one kind stand in one file: functions of tensors in `ops/`, which
declare themselves (see `declare/`); what is no function of tensors is listed here.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch import __future__ as __future__
from funcgrad.torch import autograd as autograd
from funcgrad.torch import ops as _ops
from funcgrad.torch import random as random
from funcgrad.torch import storage as storage
from funcgrad.torch import version as version
from funcgrad.torch.base import return_types as return_types
from funcgrad.torch.base.dtypes import bfloat16 as bfloat16
from funcgrad.torch.base.dtypes import bool_ as _bool
from funcgrad.torch.base.dtypes import can_cast as can_cast
from funcgrad.torch.base.dtypes import complex32 as complex32
from funcgrad.torch.base.dtypes import complex64 as complex64
from funcgrad.torch.base.dtypes import complex128 as complex128
from funcgrad.torch.base.dtypes import dtype as dtype
from funcgrad.torch.base.dtypes import finfo as finfo
from funcgrad.torch.base.dtypes import float8_e4m3fn as float8_e4m3fn
from funcgrad.torch.base.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from funcgrad.torch.base.dtypes import float8_e5m2 as float8_e5m2
from funcgrad.torch.base.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from funcgrad.torch.base.dtypes import float8_e8m0fnu as float8_e8m0fnu
from funcgrad.torch.base.dtypes import float16 as float16
from funcgrad.torch.base.dtypes import float32 as float32
from funcgrad.torch.base.dtypes import float64 as float64
from funcgrad.torch.base.dtypes import get_default_dtype as get_default_dtype
from funcgrad.torch.base.dtypes import iinfo as iinfo
from funcgrad.torch.base.dtypes import int8 as int8
from funcgrad.torch.base.dtypes import int16 as int16
from funcgrad.torch.base.dtypes import int32 as int32
from funcgrad.torch.base.dtypes import int64 as int64
from funcgrad.torch.base.dtypes import promote_types as promote_types
from funcgrad.torch.base.dtypes import set_default_dtype as set_default_dtype
from funcgrad.torch.base.dtypes import uint8 as uint8
from funcgrad.torch.base.dtypes import uint16 as uint16
from funcgrad.torch.base.dtypes import uint32 as uint32
from funcgrad.torch.base.dtypes import uint64 as uint64
from funcgrad.torch.base.meta import Size as Size
from funcgrad.torch.base.meta import channels_last as channels_last
from funcgrad.torch.base.meta import channels_last_3d as channels_last_3d
from funcgrad.torch.base.meta import contiguous_format as contiguous_format
from funcgrad.torch.base.meta import device as device
from funcgrad.torch.base.meta import get_default_device as get_default_device
from funcgrad.torch.base.meta import jagged as jagged
from funcgrad.torch.base.meta import layout as layout
from funcgrad.torch.base.meta import memory_format as memory_format
from funcgrad.torch.base.meta import preserve_format as preserve_format
from funcgrad.torch.base.meta import set_default_device as set_default_device
from funcgrad.torch.base.meta import sparse_coo as sparse_coo
from funcgrad.torch.base.meta import sparse_csc as sparse_csc
from funcgrad.torch.base.meta import sparse_csr as sparse_csr
from funcgrad.torch.base.meta import strided as strided
from funcgrad.torch.base.modes import enable_grad as enable_grad
from funcgrad.torch.base.modes import inference_mode as inference_mode
from funcgrad.torch.base.modes import is_grad_enabled as is_grad_enabled
from funcgrad.torch.base.modes import is_inference_mode_enabled as is_inference_mode_enabled
from funcgrad.torch.base.modes import no_grad as no_grad
from funcgrad.torch.base.modes import set_grad_enabled as set_grad_enabled
from funcgrad.torch.base.printing import set_printoptions as set_printoptions
from funcgrad.torch.base.storage import TypedStorage as TypedStorage
from funcgrad.torch.base.storage import UntypedStorage as UntypedStorage
from funcgrad.torch.declare.arguments import is_warn_always_enabled as is_warn_always_enabled
from funcgrad.torch.declare.arguments import set_warn_always as set_warn_always
from funcgrad.torch.declare.op import namespaces as _namespaces
from funcgrad.torch.imports import install as install
from funcgrad.torch.imports import uninstall as uninstall
from funcgrad.torch.ops.conditions import _check as _check
from funcgrad.torch.ops.conditions import _check_index as _check_index
from funcgrad.torch.ops.conditions import _check_not_implemented as _check_not_implemented
from funcgrad.torch.ops.conditions import _check_tensor_all as _check_tensor_all
from funcgrad.torch.ops.conditions import _check_type as _check_type
from funcgrad.torch.ops.conditions import _check_value as _check_value
from funcgrad.torch.ops.conditions import _check_with as _check_with
from funcgrad.torch.ops.legacy import CLASSES as _LEGACY_CLASSES
from funcgrad.torch.random import Generator as Generator
from funcgrad.torch.random import default_generator as default_generator
from funcgrad.torch.random import get_rng_state as get_rng_state
from funcgrad.torch.random import initial_seed as initial_seed
from funcgrad.torch.random import manual_seed as manual_seed
from funcgrad.torch.random import seed as seed
from funcgrad.torch.random import set_rng_state as set_rng_state
from funcgrad.torch.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from funcgrad.torch.settings import compile as compile
from funcgrad.torch.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from funcgrad.torch.settings import get_float32_matmul_precision as get_float32_matmul_precision
from funcgrad.torch.settings import get_num_interop_threads as get_num_interop_threads
from funcgrad.torch.settings import get_num_threads as get_num_threads
from funcgrad.torch.settings import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from funcgrad.torch.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from funcgrad.torch.settings import set_float32_matmul_precision as set_float32_matmul_precision
from funcgrad.torch.settings import set_flush_denormal as set_flush_denormal
from funcgrad.torch.settings import set_num_interop_threads as set_num_interop_threads
from funcgrad.torch.settings import set_num_threads as set_num_threads
from funcgrad.torch.settings import use_deterministic_algorithms as use_deterministic_algorithms
from funcgrad.torch.tensor.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from funcgrad.torch.tensor.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from funcgrad.torch.tensor.journal import is_journal_enabled as is_journal_enabled
from funcgrad.torch.tensor.journal import set_journal_enabled as set_journal_enabled
from funcgrad.torch.tensor.tensor import Tensor as Tensor
from funcgrad.torch.tensor.tensor import seal as _seal
from funcgrad.torch.version import torch_version as _torch_version

__version__ = _torch_version
bool, half, float, double = _bool, float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble, chalf = complex64, complex128, complex32
inf, nan, pi, e, newaxis = _ops.inf, _ops.nan, _ops.pi, _ops.e, None

_seal()  # all properties are there
_functions = _namespaces[""]
globals().update(_LEGACY_CLASSES | _functions)  # classes named by dtype; functions that have declared themselves


_LATER = {
    **{
        name: name
        for name in ("_dynamo", "_utils", "compiler", "distributions", "hub", "jit", "multiprocessing", "nn", "optim")
    },
    **{name: name for name in ("__config__", "overrides", "profiler", "quasirandom", "types")},
    **{name: name for name in ("fft", "func", "linalg", "special", "utils")},
    **dict.fromkeys(("accelerator", "backends", "cpu", "cuda", "mps", "mtia", "xpu"), "devices"),
    **dict.fromkeys(("load", "save", "serialization"), "serialization"),
    "draw": "drawing",
    "vmap": "func",
    **dict.fromkeys(("GradScaler", "amp", "autocast"), "amp"),
    **dict.fromkeys(("_C", "distributed", "library", "onnx"), "absent"),
    "explain": "explanations",
}
"""Namespaces, and the modules that are loaded when they are first asked for: a small program starts without them."""


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        module = _import_module(f"{__name__}.{_LATER[name]}")
        return globals().setdefault(name, module if name == _LATER[name] else getattr(module, name))
    if name in _functions or name in _functions.later:
        return globals().setdefault(name, _functions[name])
    raise AttributeError(f"module 'torch' has no attribute '{name}'")


_shown = [_name for _name in _LATER if _name[0] != "_"]

publish(
    __name__,
    autograd,
    random,
    return_types,
    storage,
    version,
    later=_shown,
)
globals()["__all__"] += [_name for _name in _functions.later if _name[0] != "_" and _name not in _functions] + ["vmap"]

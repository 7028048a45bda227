"""`torch.cuda`, `torch.backends` and their kin, as far as programs ask them whether there is anything to use."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from funcgrad.core.scope import scoped
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.attention_kernels import KERNELS, get_fastpath_enabled, set_fastpath_enabled
from funcgrad.torch.base.namespaces import Namespace
from funcgrad.torch.texts import attention as attention_texts
from funcgrad.torch.texts import namespaces as texts


def _refusing(kind: str) -> Any:
    """What needs the device, of which there is none."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        meta.check_device(kind)

    return refuse


def _answering(answer: Any) -> Any:
    return lambda *args, **kwargs: answer


_NEED_A_DEVICE = (
    *("current_blas_handle", "current_device", "current_stream", "default_stream", "get_device_capability"),
    *("get_device_name", "get_device_properties", "get_rng_state", "init", "initial_seed", "ipc_collect"),
    *("mem_get_info", "reset_peak_memory_stats", "set_device", "set_rng_state", "synchronize"),
)


class _NoDevice:
    """The context `torch.cuda.device(n)` or `torch.cuda.stream(s)`: there is nothing to switch to."""

    def __init__(self, device: Any = None) -> None:
        self.idx, self.prev_idx = -1, -1

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class _NoEvent:
    """`torch.cuda.Event` and `torch.cuda.Stream`, of which there are no instances."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")


def _accelerator(kind: str, **names: Any) -> Namespace:
    """A kind of device of which there is none."""
    no, none, zero = _answering(False), _answering(None), _answering(0)
    return Namespace(
        f"torch.{kind}",
        f"`torch.{kind}`: there is no such device.",
        **{name: _refusing(kind) for name in _NEED_A_DEVICE},
        **dict.fromkeys(["is_available", "is_initialized", "is_built", "is_bf16_supported", "is_tf32_supported"], no),
        **dict.fromkeys(["manual_seed", "manual_seed_all", "seed", "seed_all", "empty_cache"], none),
        **dict.fromkeys(["device_count", "memory_allocated", "max_memory_allocated"], zero),
        **dict.fromkeys(["memory_reserved", "max_memory_reserved"], zero),
        get_rng_state_all=list,
        get_arch_list=list,
        memory_stats=lambda device=None: OrderedDict(),
        device=_NoDevice,
        device_of=_NoDevice,
        stream=_NoDevice,
        Event=type("Event", (_NoEvent,), {"__module__": f"torch.{kind}"}),
        Stream=type("Stream", (_NoEvent,), {"__module__": f"torch.{kind}"}),
        **names,
    )


class _LegacyType(type):
    """The type of `torch.cuda.FloatTensor` and its kin, of which there are no instances."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(texts.NO_CUDA_TYPE.format(name=cls.__name__))

    def __instancecheck__(cls, instance: Any) -> bool:
        return False


_cuda_types = {
    f"{d.title}Tensor": _LegacyType(f"{d.title}Tensor", (), {"__module__": "torch.cuda"})
    for d in dtypes.ALL
    if not d.is_eight
}
cuda = _accelerator(
    "cuda",
    later={"amp": "funcgrad.torch.amp.cuda"},
    OutOfMemoryError=type("OutOfMemoryError", (RuntimeError,), {}),
    **_cuda_types,
)
xpu, mps, mtia = (_accelerator(kind) for kind in ("xpu", "mps", "mtia"))
cpu = Namespace(
    "torch.cpu",
    "`torch.cpu`: the cpu, in the words of an accelerator.",
    later={"amp": "funcgrad.torch.amp.cpu"},
    is_available=_answering(True),
    is_initialized=_answering(True),
    device_count=_answering(1),
    current_device=_answering("cpu"),
    synchronize=_answering(None),
)


def _backend(name: str, available: bool = False, **settings: Any) -> Namespace:
    answers = {"is_available": _answering(available), "is_built": _answering(available)}
    return Namespace(f"torch.backends.{name}", f"Settings of {name}, which is not used here.", **answers, **settings)


@scoped
def _flags(**settings: Any) -> Iterator[None]:
    before = {name: getattr(_cudnn, name) for name in settings}
    vars(_cudnn).update(settings)
    try:
        yield
    finally:
        vars(_cudnn).update(before)


_cudnn = _backend(
    "cudnn",
    enabled=True,
    benchmark=False,
    benchmark_limit=None,
    deterministic=False,
    allow_tf32=True,
    version=_answering(None),
    is_acceptable=_answering(False),
    flags=_flags,
)
_matmul = Namespace(
    "torch.backends.cuda.matmul",
    "Settings of products of matrices, which are not used here.",
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
)


def _switch(kernel: str) -> dict[str, Any]:
    """The functions that say, and are told, whether attention may be computed in this way."""

    def enable(enabled: bool) -> None:
        KERNELS[kernel] = enabled

    return {f"enable_{kernel}_sdp": enable, f"{kernel}_sdp_enabled": lambda: KERNELS[kernel]}


@scoped
def _sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict]:
    """Say how attention may be computed inside; deprecated in favour of `torch.nn.attention.sdpa_kernel`."""
    warnings.warn(attention_texts.SDP_KERNEL, FutureWarning, stacklevel=3)
    before = dict(KERNELS)
    KERNELS.update(math=enable_math, flash=enable_flash, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        KERNELS.update(before)


_cuda = _backend(
    "cuda",
    matmul=_matmul,
    sdp_kernel=_sdp_kernel,
    **{k: f for kernel in ("math", "flash", "mem_efficient", "cudnn") for k, f in _switch(kernel).items()},
)
backends = Namespace(
    "torch.backends",
    "The libraries that torch may compute with: none of them is used here.",
    cuda=_cuda,
    cudnn=_cudnn,
    mha=Namespace(
        "torch.backends.mha",
        "Whether layers of attention take a shorter path.",
        get_fastpath_enabled=get_fastpath_enabled,
        set_fastpath_enabled=set_fastpath_enabled,
    ),
    mps=_backend("mps"),
    mkl=_backend("mkl"),
    mkldnn=_backend("mkldnn", enabled=True),
    openmp=_backend("openmp"),
    opt_einsum=_backend("opt_einsum", enabled=False, strategy=None),
    quantized=_backend("quantized", engine="none", supported_engines=["none"]),
)


def _raise(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(texts.NO_ACCELERATOR)


_no_accelerator: Any = _raise


accelerator = Namespace(
    "torch.accelerator",
    "`torch.accelerator`: there is none.",
    is_available=_answering(False),
    device_count=_answering(0),
    current_accelerator=lambda check_available=False: None,
    **dict.fromkeys(["synchronize", "current_device_index", "set_device_index", "current_stream"], _no_accelerator),
    **dict.fromkeys(["empty_cache", "memory_allocated", "max_memory_allocated", "memory_stats"], _no_accelerator),
)

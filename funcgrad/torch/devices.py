"""`torch.cuda`, `torch.backends` and their kin, as far as programs ask them whether there is anything to use."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from funcgrad.core.scope import scoped
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.attention_kernels import KERNELS, get_fastpath_enabled, set_fastpath_enabled
from funcgrad.torch.texts import attention as attention_texts
from funcgrad.torch.texts import namespaces as texts


class Accelerator:
    """A kind of device of which there is none."""

    amp: Any  # the older names of torch.amp, which installs them

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        meta.check_device(self._kind)

    def is_available(self) -> bool:
        """False."""
        return False

    is_initialized = is_built = is_bf16_supported = is_available

    def device_count(self) -> int:
        """0."""
        return 0

    def memory_allocated(self, device: Any = None) -> int:
        """0."""
        return 0

    max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated

    def manual_seed(self, seed: int) -> None:
        """Does nothing."""

    manual_seed_all = manual_seed

    def empty_cache(self) -> None:
        """Does nothing."""

    seed = seed_all = empty_cache

    def get_rng_state_all(self) -> list:
        """No states."""
        return []

    current_device = synchronize = init = set_device = get_device_name = get_device_properties = _refuse
    get_device_capability = reset_peak_memory_stats = ipc_collect = get_rng_state = set_rng_state = _refuse

    def __repr__(self) -> str:
        return f"<module 'torch.{self._kind}'>"


class _LegacyType(type):
    """The type of `torch.cuda.FloatTensor` and its kin, of which there are no instances."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(texts.NO_CUDA_TYPE.format(name=cls.__name__))

    def __instancecheck__(cls, instance: Any) -> bool:
        return False


cuda, xpu, mps, mtia = (Accelerator(kind) for kind in ("cuda", "xpu", "mps", "mtia"))
for _d in dtypes.ALL:
    setattr(cuda, f"{_d.title}Tensor", _LegacyType(f"{_d.title}Tensor", (), {"__module__": "torch.cuda"}))


class Cpu:
    """The cpu, in the words of an accelerator."""

    amp: Any  # as above

    def is_available(self) -> bool:
        """True."""
        return True

    def device_count(self) -> int:
        """1."""
        return 1

    def current_device(self) -> str:
        """Its name."""
        return "cpu"

    def synchronize(self, device: Any = None) -> None:
        """Does nothing: operations are finished when they return."""


def _flag(available: bool, **settings: Any) -> SimpleNamespace:
    return SimpleNamespace(is_available=lambda: available, is_built=lambda: available, **settings)


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


backends = SimpleNamespace(
    cuda=_flag(
        False,
        matmul=SimpleNamespace(allow_tf32=False),
        sdp_kernel=_sdp_kernel,
        **{k: f for kernel in ("math", "flash", "mem_efficient", "cudnn") for k, f in _switch(kernel).items()},
    ),
    mha=SimpleNamespace(get_fastpath_enabled=get_fastpath_enabled, set_fastpath_enabled=set_fastpath_enabled),
    cudnn=_flag(False, enabled=True, benchmark=False, deterministic=False, allow_tf32=True, version=lambda: None),
    mps=_flag(False),
    mkl=_flag(False),
    mkldnn=_flag(False, enabled=True),
    openmp=_flag(False),
    opt_einsum=_flag(False),
)
"""The libraries that torch may compute with: none of them is used here."""

accelerator = SimpleNamespace(
    is_available=lambda: False, device_count=lambda: 0, current_accelerator=lambda check_available=False: None
)
compiler = SimpleNamespace(
    is_compiling=lambda: False, disable=lambda fn=None, recursive=True: fn or (lambda f: f), reset=lambda: None
)
cpu = Cpu()

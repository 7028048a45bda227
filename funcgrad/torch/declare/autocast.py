"""Mixed precision: which operations compute in which dtype while autocast is on, and how their operands get it.

The tables are those of PyTorch's CPU. While an operation of theirs computes, autocast is off: what it is made of sees
operands that have been cast already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base import dtypes
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.tensor import Tensor

_LOWER = frozenset([
    "addbmm", "addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "linalg_vecdot", "linear", "lstm", "matmul", "mm", "prelu",
    "rnn_relu", "rnn_tanh", "scaled_dot_product_attention",
])  # fmt: skip
"""What computes in the lower precision; so do the products that LSTM and plain recurrent networks are made of."""

_WIDE = frozenset([
    "adaptive_avg_pool3d", "adaptive_max_pool3d", "avg_pool3d", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cdist", "cholesky", "cholesky_inverse", "cholesky_solve",
    "cosine_embedding_loss", "cross_entropy_loss", "ctc_loss", "fft_fft",
    "fft_fft2", "fft_fftn", "fft_hfft", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ihfft", "fft_irfft",
    "fft_irfft2", "fft_irfftn", "fft_rfft", "fft_rfft2", "fft_rfftn", "fractional_max_pool2d",
    "fractional_max_pool3d", "geqrf", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d",
    "hinge_embedding_loss", "huber_loss", "inverse", "kl_div", "l1_loss", "linalg_cholesky",
    "linalg_cholesky_ex", "linalg_cond", "linalg_eig", "linalg_eigh", "linalg_eigvals", "linalg_eigvalsh",
    "linalg_householder_product", "linalg_inv", "linalg_inv_ex", "linalg_lstsq", "linalg_matrix_rank",
    "linalg_qr", "linalg_solve", "linalg_svd", "linalg_svdvals", "linalg_tensorinv", "linalg_tensorsolve",
    "lu_solve", "margin_ranking_loss", "max_pool3d", "max_unpool2d", "max_unpool3d", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "nanquantile", "nll_loss", "nll_loss2d", "orgqr", "ormqr",
    "pinverse", "poisson_nll_loss", "polar", "prod", "qr", "quantile", "reflection_pad1d", "reflection_pad2d",
    "replication_pad1d", "replication_pad2d", "replication_pad3d", "smooth_l1_loss", "soft_margin_loss", "stft",
    "svd", "trace", "triangular_solve", "triplet_margin_loss", "view_as_complex",
])  # fmt: skip
"""What computes in float32."""

_WIDEST = frozenset(["index_copy"])
"""What computes in the widest dtype among its operands."""


def autocasting(name: str, body: Callable) -> Callable:
    """The body of an operation of the tables, which casts its operands while autocast is on; others as they are."""
    name = name.removeprefix("_nn.").removeprefix("Tensor.").replace(".", "_")
    if name not in _LOWER and name not in _WIDE and name not in _WIDEST:
        return body

    @functools.wraps(body)
    def call(*args: Any, **kwargs: Any) -> Any:
        fast = state.autocast
        if fast is None:
            return body(*args, **kwargs)
        if name in _WIDEST:
            wide = any(isinstance(a, Tensor) and a.dtype is dtypes.float32 for a in args)
            target = dtypes.float32 if wide else fast
        else:
            target = fast if name in _LOWER else dtypes.float32
        state.autocast = None
        try:
            args = tuple([_cast(a, target, fast) for a in args])
            return body(*args, **{n: _cast(a, target, fast) for n, a in kwargs.items()})
        finally:
            state.autocast = fast

    call.uncast = body  # type: ignore[attr-defined]  # for out= and forms that write in place, which never cast
    return call


def uncast(body: Callable) -> Callable:
    """The body itself of an operation that may be of the tables."""
    return getattr(body, "uncast", body)


def _cast(x: Any, target: Any, fast: Any) -> Any:
    """An operand in the dtype that an operation computes in."""
    if not isinstance(x, Tensor):
        return type(x)([_cast(a, target, fast) for a in x]) if type(x) in (list, tuple) else x
    have = x.dtype
    if have is target or not have.is_floating_point or have is dtypes.float64:
        return x
    if target is not fast or have is not dtypes.float32 or not state.autocast_caches:
        return x.to(target)
    if not x._requires or x._view is not None or not state.grad:  # what is cast unrecorded has no gradient
        return x.to(target)
    if state.autocast_cache is None:
        state.autocast_cache = {}
    cached = state.autocast_cache.get(id(x))  # of parameters, so that a block casts each of them once
    if cached is None:
        cached = state.autocast_cache[id(x)] = x, x.to(target)
    return cached[1]


_DTYPES = dict.fromkeys(("cuda", "xpu", "mps", "mtia", "ipu", "privateuseone"), dtypes.float16)
_DTYPES |= dict.fromkeys(("cpu", "hpu", "xla", "maia"), dtypes.bfloat16)


class Switches:
    """What is switched on in a thread, for each kind of device; only the cpu computes by it."""

    def __init__(self) -> None:
        self.enabled = dict.fromkeys(_DTYPES, False)
        self.dtypes = dict(_DTYPES)
        self.nesting = 0


def switches() -> Switches:
    """Those of this thread."""
    if state.autocast_switches is None:
        state.autocast_switches = Switches()
    return state.autocast_switches


def switch(kind: str, *, enabled: bool | None = None, dtype: Any = None) -> None:
    """Switch autocast of a kind of device on or off, or set its lower precision."""
    own = switches()
    if enabled is not None:
        own.enabled[kind] = enabled
    if dtype is not None:
        own.dtypes[kind] = dtype
    state.autocast = own.dtypes["cpu"] if own.enabled["cpu"] else None


def setting(kind: str) -> tuple[bool, Any, bool]:
    """Whether autocast of a kind of device is on, its lower precision, and whether parameters are cast only once."""
    own = switches()
    return own.enabled[kind], own.dtypes[kind], state.autocast_caches


def enter(kind: str, enabled: bool, dtype: Any, caches: bool) -> tuple[bool, Any, bool]:
    """Begin a block of such a setting; gives the one before, for `leave`."""
    before = setting(kind)
    switch(kind, enabled=enabled, dtype=dtype)
    switches().nesting += 1
    state.autocast_caches = caches
    return before


def leave(kind: str, enabled: bool, dtype: Any, caches: bool) -> None:
    """End a block, and go back to a setting; the outermost one forgets the parameters that were cast."""
    own = switches()
    own.nesting -= 1
    if own.nesting == 0:
        state.autocast_cache = None
    switch(kind, enabled=enabled, dtype=dtype)
    state.autocast_caches = caches

"""Settings of the whole process: threads, determinism, precision, denormal numbers, compilation.

They are kept and reported; NumPy computes as it does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.texts import namespaces as texts

_threads = os.cpu_count() or 1
_interop_threads = os.cpu_count() or 1
_deterministic = _warn_only = False
_fill_uninitialized = True
_precision = "highest"


def _positive(name: str, n: Any) -> int:
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return n


def get_num_threads() -> int:
    """How many threads an operation may use."""
    return _threads


def set_num_threads(num: int) -> None:
    """Say how many threads an operation may use."""
    global _threads
    _threads = _positive("set_num_threads", num)


def get_num_interop_threads() -> int:
    """How many operations may run at the same time."""
    return _interop_threads


def set_num_interop_threads(num: int) -> None:
    """Say how many operations may run at the same time."""
    global _interop_threads
    _interop_threads = _positive("set_num_interop_threads", num)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for operations that give the same result every time: all of them do."""
    global _deterministic, _warn_only
    if not isinstance(mode, bool):
        raise TypeError(texts.DETERMINISTIC_TYPE.format(kind=type(mode).__name__))
    if not isinstance(warn_only, bool):
        raise TypeError(texts.WARN_ONLY_TYPE.format(kind=type(warn_only).__name__))
    _deterministic, _warn_only = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Whether deterministic operations were asked for."""
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether an operation that is not deterministic is to warn rather than raise."""
    return _warn_only


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """As `use_deterministic_algorithms`, in one word or number: default (0), warn (1) or error (2)."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(texts.DEBUG_MODE_WORD.format(debug_mode=debug_mode))
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(texts.DEBUG_MODE_NUMBER.format(debug_mode=debug_mode))
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2; see `set_deterministic_debug_mode`."""
    return 0 if not _deterministic else 1 if _warn_only else 2


def set_flush_denormal(mode: bool) -> bool:
    """Ask for denormal numbers to be taken as zero; gives whether that is possible."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return not mode


def get_float32_matmul_precision() -> str:
    """The precision asked for in products of float32 matrices."""
    return _precision


def set_float32_matmul_precision(precision: str) -> None:
    """Say with what precision float32 matrices may be multiplied: "highest", "high" or "medium"."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        warn_native(
            texts.MATMUL_PRECISION.format(precision=precision),
            "aten/src/ATen/Context.cpp:458",
        )
        return
    _precision = precision


_COMPILE_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compile(
    model: Callable | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict | None = None,
    disable: bool = False,
) -> Any:
    """Record what a function or module does with tensors, and run it as one compiled program.

    A whole training step may be compiled, with `backward()` and the step of an optimiser in it. What can't be recorded
    runs as it is; `torch._dynamo.explain` says why (docs/torch/compile.md).

    Arguments:
        model: a function or module; without one, a decorator.
        fullgraph: whether what can't be recorded is an error.
        dynamic, options: make no difference here: each set of shapes has a program of its own.
        backend: one of torch's, which are all the same here.
        mode: one of torch's modes, which makes no difference here.
        disable: whether model is to be given back as it is.

    Raises:
        RuntimeError: the arguments contradict each other, or there is no such mode or backend; by the compiled function
            for fullgraph, when it can't be recorded.

    Example:
        >>> from funcgrad import torch
        >>> @torch.compile
        ... def f(x):
        ...     return torch.sin(x) ** 2
        >>> x = torch.ones(2, requires_grad=True)
        >>> f(x)
        tensor([0.7081, 0.7081], grad_fn=<CompiledFunctionBackward>)
    """
    if mode is not None and options is not None:
        raise RuntimeError(texts.MODE_AND_OPTIONS)
    if mode is not None and mode not in _COMPILE_MODES:
        raise RuntimeError(texts.UNKNOWN_MODE.format(mode=mode, known=", ".join(_COMPILE_MODES)))
    optimized = import_module("funcgrad.torch._dynamo").optimized  # it takes modules, so it stands above torch.nn
    options_of_it = {"fullgraph": fullgraph, "backend": backend, "disable": disable}
    if model is None:
        return lambda f: optimized(f, **options_of_it)
    return optimized(model, **options_of_it)

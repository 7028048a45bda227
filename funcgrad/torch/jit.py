"""`torch.jit`: functions and modules that PyTorch would compile to TorchScript. Here they run as they are."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

from funcgrad.core.faces import publish
from funcgrad.torch.texts import programs as texts

__all__ = [
    "Attribute",
    "Final",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "trace",
    "trace_module",
    "unused",
    "wait",
]


class ScriptFunction:
    """A compiled function: there are none."""


class ScriptModule:
    """A compiled module: there are none."""


class Attribute:
    """A value with the type that it has in TorchScript: the value."""

    def __new__(cls, value: Any, type: Any) -> Any:
        return value


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function, module or class itself."""
    return obj


def trace(func: Any, example_inputs: Any = None, *args: Any, **options: Any) -> Any:
    """The function or module itself: the examples are not looked at."""
    return func


trace_module = trace


def export(fn: Any) -> Any:
    """The function itself."""
    return fn


unused = interface = script_method = script_if_tracing = export


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function itself; called without one, a decorator."""
    return drop if callable(drop) else export


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """The module itself."""
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """The module itself."""
    return mod


def is_scripting() -> bool:
    """False: nothing is compiled."""
    return False


is_tracing = is_scripting


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value itself."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Python's own, for types without parameters."""
    return builtins.isinstance(obj, target_type)


def fork(func: Callable, *args: Any, **kwargs: Any) -> Any:
    """The result of the call, which is made at once."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """What `fork` gave."""
    return future


def set_fusion_strategy(strategy: Any) -> list:
    """Does nothing."""
    return []


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Not available.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(texts.NO_TORCHSCRIPT)


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Not available.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(texts.NO_TORCHSCRIPT)


publish(__name__)

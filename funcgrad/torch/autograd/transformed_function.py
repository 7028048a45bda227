"""Custom Functions inside the transforms of torch.func."""

from __future__ import annotations

from typing import Any


def apply_transformed(cls: Any, args: tuple, kwargs: dict, separate: bool) -> Any:
    """`cls.apply` where an argument is a tracer of a transform."""
    if not separate:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    raise NotImplementedError(f"{cls.__name__}: a custom Function inside a transform of torch.func")

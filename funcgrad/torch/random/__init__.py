"""The module `torch.random`: the default generator of random numbers, and its state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.core.scope import scoped
from funcgrad.torch.base import generator as sources
from funcgrad.torch.base import meta
from funcgrad.torch.declare.arguments import type_name
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import randomness as texts

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]


class Generator(sources.Generator):
    """A source of random numbers with a state of its own.

    Arguments:
        device: where its numbers go; "cpu" is the only place.

    Example:
        >>> from funcgrad import torch
        >>> g = torch.Generator().manual_seed(0)
        >>> torch.rand(2, generator=g)
        tensor([0.4963, 0.7682])
    """

    __slots__ = ()

    def __init__(self, device: Any = "cpu") -> None:
        device = meta.as_device(device)
        if device.type == "cuda":
            raise RuntimeError(texts.NO_CUDA_GENERATOR)
        meta.check_device(device)
        super().__init__(device)

    def get_state(self) -> Any:
        """The whole state, as a tensor of 5056 bytes."""
        return wrapped(super().get_state())

    def set_state(self, new_state: Any) -> Any:
        """Take over a state that `get_state` gave."""
        if not isinstance(new_state, Tensor):
            raise TypeError(texts.NO_STATE.format(kind=type_name(new_state)))
        super().set_state(new_state._value)
        return self

    def clone_state(self) -> Generator:
        """Another generator in the same state."""
        return Generator(self.device).set_state(self.get_state())

    graphsafe_get_state = clone_state

    def __deepcopy__(self, memo: dict) -> Generator:
        return self.clone_state()

    def __reduce__(self) -> Any:
        return _restored, (str(self.device), super().get_state())

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


Generator.__module__ = "torch._C"


def _restored(device: str, state: np.ndarray) -> Generator:
    return Generator(device).set_state(wrapped(state))


default_generator = Generator()
default_generator.seed()


def manual_seed(seed: Any) -> Generator:
    """Start the default generator anew from a seed, and return it.

    Arguments:
        seed: an integer from -2**63 to 2**64 - 1; a negative one stands for itself plus 2**64.

    Example:
        >>> from funcgrad import torch
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))  # type: ignore[return-value]


def seed() -> int:
    """Start the default generator anew from a seed that the operating system draws, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator, as bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Take over a state for the default generator."""
    default_generator.set_state(new_state)


def thread_safe_generator() -> None:
    """None: the default generator is used in all threads."""


@scoped
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Random numbers drawn inside leave the default generator as it was before.

    Arguments:
        devices: other devices whose generators are to be kept; there are none.
        enabled: whether it does anything.
    """
    if not enabled:
        yield
        return
    if devices:
        meta.check_device(device_type)
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def used(generator: Any) -> sources.Generator:
    """The generator that an argument names; None: the default one."""
    return default_generator if generator is None else generator


publish(__name__)

"""Random numbers in a function that is compiled: they are drawn when the program runs, from the state it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.scope import scoped
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.modes import state
from funcgrad.torch.random import default_generator
from funcgrad.torch.texts import randomness as texts
from funcgrad.transforms.callback import pure_callback


class Deferred:
    """A state of the default generator that a program is given, from which one draw after the other goes on.

    Arguments:
        state: the bytes, or a tracer of them; None if there is none, so that all draws are refused.
    """

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state

    def draw(self, draw: Callable[[], ndarray]) -> Any:
        """What draw gives when the program runs."""
        if self.state is None or state.batches:
            raise RuntimeError(texts.DRAWN_IN_BATCH if state.batches else texts.DRAWN_IN_PROGRAM)
        before = current_state()
        example, after = _drawn(before, draw)
        if np.array_equal(before, after) and example.size:
            raise RuntimeError(texts.OTHER_GENERATOR)
        kinds = ShapeDtypeStruct(example.shape, example.dtype), ShapeDtypeStruct(before.shape, before.dtype)
        value, self.state = pure_callback(lambda start: _drawn(start, draw), kinds, self.state)
        return value


def current_state() -> ndarray:
    """The state of the default generator."""
    return Generator.get_state(default_generator)


def continue_from(start: ndarray) -> None:
    """Let the default generator go on from a state."""
    Generator.set_state(default_generator, start)


@scoped
def generator_at(start: ndarray) -> Iterator[None]:
    """Within it the default generator goes on from a state; afterwards it is where it was."""
    before = current_state()
    continue_from(start)
    try:
        yield
    finally:
        continue_from(before)


def _drawn(start: ndarray, draw: Callable[[], ndarray]) -> tuple[ndarray, ndarray]:
    """What is drawn from a state, and the state after it."""
    with generator_at(start):
        return np.asarray(draw()), current_state()

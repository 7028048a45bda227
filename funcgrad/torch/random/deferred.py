"""Random numbers in a function that is compiled: they are drawn when the program runs.

A function of the functional face is given the state of the generator, and draws in the middle of its program
(`Deferred`). A program of torch.compile is given the numbers: what the function draws is drawn before the program runs,
in the same order, by the same lines (`Planned`). Their order in memory is that of an eager run (`Watched`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
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

Strides = tuple[int, ...] | None
Make = Callable[[Strides], ndarray]
"""Draws an array that lies in memory with some strides, in elements; None for C order."""


class Deferred:
    """A state of the default generator that a program is given, from which one draw after the other goes on.

    Arguments:
        state: the bytes, or a tracer of them; None if there is none, so that all draws are refused.
    """

    __slots__ = ("state",)

    def __init__(self, state: Any) -> None:
        self.state = state

    def draw(self, make: Make, strides: Strides) -> Any:
        """What `make(strides)` gives when the program runs."""
        if self.state is None or state.batches:
            raise RuntimeError(texts.DRAWN_IN_BATCH if state.batches else texts.DRAWN_IN_PROGRAM)

        def draw() -> ndarray:
            return make(strides)

        before = current_state()
        example, after = _drawn(before, draw)
        if np.array_equal(before, after) and example.size:
            raise RuntimeError(texts.OTHER_GENERATOR)
        kinds = ShapeDtypeStruct(example.shape, example.dtype), ShapeDtypeStruct(before.shape, before.dtype)
        value, self.state = pure_callback(lambda start: _drawn(start, draw), kinds, self.state)
        return value


class Watched:
    """Draws at once, and remembers what was drawn.

    Attributes:
        kinds: shape, dtype and strides of each.
    """

    __slots__ = ("kinds",)

    def __init__(self) -> None:
        self.kinds: list[tuple[tuple[int, ...], np.dtype, Strides]] = []

    def draw(self, make: Make, strides: Strides) -> ndarray:
        """What `make(strides)` gives."""
        value = np.asarray(make(strides))
        self.kinds.append((value.shape, value.dtype, strides))
        return value


class Planned:
    """Draws nothing: says what a program is to be given.

    Arguments:
        kinds: of what an eager run drew; None if there has been none.

    Attributes:
        values: what stands for it in the program.
        makes: what draws it.
        missing: whether more was to be drawn.
    """

    __slots__ = ("kinds", "makes", "missing", "values")

    def __init__(self, kinds: list | None) -> None:
        self.kinds, self.missing = kinds or [], False
        self.begin(())

    def begin(self, values: Sequence[Any]) -> None:
        """The function runs."""
        self.values = values
        self.makes: list[Callable[[], ndarray]] = []

    def draw(self, make: Make, strides: Strides) -> Any:
        """What stands for the draw."""
        number = len(self.makes)
        if number == len(self.kinds):
            self.missing = True
            raise RuntimeError(texts.DRAWN_IN_PROGRAM)
        self.makes.append(functools.partial(make, self.kinds[number][2]))
        return self.values[number]


class Sampled(Planned):
    """Draws, and leaves the generator where it was: for programs that only are to be looked at."""

    __slots__ = ()

    def draw(self, make: Make, strides: Strides) -> ndarray:
        """What `make(strides)` gives."""
        with generator_at(current_state()):
            return np.asarray(make(strides))


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

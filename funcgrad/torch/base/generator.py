"""torch's random number generator for the CPU, on NumPy's Mersenne Twister: the same seed gives the same numbers.

Beside the state of the Twister a generator keeps a spare normal number: where torch makes normal numbers in pairs, the
second of a pair waits for the next draw.

Source: M. Matsumoto and T. Nishimura, Mersenne Twister (1998); torch.Generator
(https://docs.pytorch.org/docs/stable/generated/torch.Generator.html).
"""

from __future__ import annotations

import contextlib
import operator
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from funcgrad.core.scope import scoped
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import randomness as texts

DEFAULT_SEED = 67280421310721
_WORDS = 624  # in the state of the Twister
_FEW = 512  # up to here, drawing word by word is faster than in bulk

_STATE = np.dtype(
    [
        ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("words", "u8", (_WORDS,)),
        ("unused_x", "f8"), ("spare", "f8"), ("unused_rho", "f8"), ("has_spare", "i4"), ("padding", "i4"),
        ("spare_single", "f4"), ("has_spare_single", "?"),
    ],
    align=True,
)  # fmt: skip
"""The layout of the bytes that torch gives out as a generator's state."""


class Generator:
    """A source of random numbers with a state of its own.

    Arguments:
        device: where its numbers go; "cpu" is the only place.

    Example:
        >>> from funcgrad.torch.base.generator import Generator
        >>> Generator().manual_seed(0).words32(2)
        array([2357136044, 2546248239], dtype=uint32)
    """

    __slots__ = ("__weakref__", "_bits", "_bulk", "_seed", "device", "spare", "spare_single")

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device
        self._seed = DEFAULT_SEED
        self.spare: float | None = None  # the normal number that waits for the next draw
        self.spare_single: float | None = None  # carried along with the state; no distribution of torch's uses it

    def __getattr__(self, name: str) -> Any:
        """The stream itself, when it is first used: a program that draws nothing does not load numpy.random."""
        if name not in ("_bits", "_bulk"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._bits = np.random.MT19937()
        self._bulk = np.random.RandomState(self._bits)
        self._bulk.seed(self._seed & 0xFFFFFFFF)
        return getattr(self, name)

    def _start(self, seed: int) -> None:
        self._seed = seed
        self.spare = self.spare_single = None
        with contextlib.suppress(AttributeError):  # it has not been used
            del self._bits, self._bulk

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from a seed.

        Arguments:
            seed: an integer from -2**63 to 2**64 - 1; a negative one stands for itself plus 2**64.

        Returns:
            The generator.
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = operator.index(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(arguments_texts.TOO_LARGE)
        self._start(seed % 2**64)
        return self

    def seed(self) -> int:
        """Start anew from a seed that the operating system draws, and return it."""
        self._start(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the generator last started from."""
        return self._seed

    def get_state(self) -> np.ndarray:
        """The whole state, as the 5056 bytes that torch makes of it."""
        twister = self._bits.state["state"]
        words, used = twister["key"], twister["pos"]
        out = np.zeros(1, _STATE)
        record = out[0]
        record["seed"], record["seeded"], record["words"] = self._seed, 1, words
        # In both, an exhausted block is refilled by the next draw; torch counts a block that was never used as empty.
        record["left"] = max(_WORDS + 1 - used, 1)
        record["next"] = 0 if used == _WORDS and words[0] == self._seed & 0xFFFFFFFF else used
        if self.spare is not None:
            record["spare"], record["has_spare"] = self.spare, 1
        if self.spare_single is not None:
            record["spare_single"], record["has_spare_single"] = self.spare_single, True
        return out.view(np.uint8)

    def set_state(self, state: np.ndarray) -> None:
        """Take over a state that `get_state`, or torch's, gave.

        Raises:
            TypeError: not an array of bytes.
            RuntimeError: not the size of a state, or not a state.
        """
        if not isinstance(state, np.ndarray):
            raise TypeError(texts.NO_STATE.format(kind=type(state).__name__))
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != _STATE.itemsize:
            raise RuntimeError(texts.STATE_SIZE.format(wanted=_STATE.itemsize, size=state.size))
        record = np.ascontiguousarray(state).reshape(-1).view(_STATE)[0]
        left, following = int(record["left"]), int(record["next"])
        if not (record["seeded"] and 0 < left <= _WORDS and following <= _WORDS):
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(record["seed"])
        self._place((record["words"].astype(np.uint32), _WORDS if left == 1 else following))
        self.spare = float(record["spare"]) if record["has_spare"] else None
        self.spare_single = float(record["spare_single"]) if record["has_spare_single"] else None

    def clone_state(self) -> Generator:
        """Another generator in the same state."""
        out = Generator(self.device)
        out.set_state(self.get_state())
        return out

    def get_offset(self) -> int:
        """Refused: only generators that count their draws have an offset."""
        raise RuntimeError(texts.NO_OFFSET)

    def set_offset(self, offset: int) -> None:
        """Refused: only generators that count their draws have an offset."""
        raise RuntimeError(texts.NO_OFFSET)

    def __reduce__(self) -> Any:
        return _restore, (self.device, self.get_state())

    # The stream of numbers

    def words32(self, n: int) -> np.ndarray:
        """The next n words, as uint32."""
        if n <= _FEW:
            return self._bits.random_raw(n).astype(np.uint32)
        return np.frombuffer(self._bulk.bytes(4 * n), "<u4")

    def words64(self, n: int) -> np.ndarray:
        """The next 2 n words in pairs, the first of a pair in the high half, as uint64."""
        v = self.words32(2 * n).view(np.uint64)
        return v << np.uint64(32) | v >> np.uint64(32)

    def singles(self, n: int) -> np.ndarray:
        """n float32 numbers in [0, 1), of 24 bits and one word each."""
        out = (self.words32(n) & np.uint32(2**24 - 1)).astype(np.float32)
        out *= np.float32(2.0**-24)
        return out

    def doubles(self, n: int) -> np.ndarray:
        """n float64 numbers in [0, 1), of 53 bits and two words each."""
        out = (self.words64(n) & np.uint64(2**53 - 1)).astype(np.float64)
        out *= 2.0**-53
        return out

    @scoped
    def one_by_one(self) -> Iterator[Callable[[], float]]:
        """A function that gives the next double, for algorithms which cannot tell how many they will use."""
        twister = self._bits.state["state"]
        origin = twister["key"], twister["pos"]
        used, size = 0, 16

        def numbers() -> Iterator[float]:
            nonlocal used, size
            while True:
                for x in self.doubles(size).tolist():
                    used += 1
                    yield x
                size = min(2 * size, 2**14)

        try:
            yield numbers().__next__
        finally:
            # They were drawn in bulk: go back, and forward by what was used.
            self._place(origin)
            self.words32(2 * used)

    def _place(self, twister: tuple[np.ndarray, int]) -> None:
        key, pos = twister
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": pos}}


def _restore(device: Any, state: np.ndarray) -> Generator:
    out = Generator(device)
    out.set_state(state)
    return out


default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Start the default generator anew from a seed, and return it."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the default generator anew from a seed that the operating system draws, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator last started from."""
    return default_generator.initial_seed()


def get_rng_state() -> np.ndarray:
    """The state of the default generator, as bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: np.ndarray) -> None:
    """Take over a state for the default generator."""
    default_generator.set_state(new_state)

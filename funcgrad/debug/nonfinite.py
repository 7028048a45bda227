"""Finding NaN and infinities among the numbers that operations take and give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array, is_number
from funcgrad.core.scope import scoped
from funcgrad.core.trace import Tracer
from funcgrad.transforms.jvp import JvpTracer
from funcgrad.transforms.vmap import BatchTracer

_SCALARS = (np.generic, bool, int, float, complex)


class Numbers(NamedTuple):
    """A value as the numbers that it consists of.

    Attributes:
        label: what it is: "result", "operand x".
        array: the numbers, with the batch dimensions of every vmap in front.
        batches: how many batch dimensions there are.
        order: of the derivative: 0 for a value, 1 for its tangent, 2 for the tangent of a tangent.
    """

    label: str
    array: Any
    batches: int
    order: int

    def __str__(self) -> str:
        """The type of one example, and how many there are: `float64[2,3] (a batch of 10)`."""
        text = f"{self.array.dtype}[{','.join(map(str, self.array.shape[self.batches :]))}]"
        sizes = " by ".join(map(str, self.array.shape[: self.batches]))
        return f"{text} (a batch of {sizes})" if sizes else text


def numbers(*values: tuple[str, Any]) -> list[Numbers]:
    """What some labelled values consist of: their numbers, and those of their tangents."""
    found = [n for label, x in values for n in _numbers(label, x, 0, 0)]
    return [n for n in found if isinstance(n.array, np.ndarray) and is_number(n.array.dtype)]


def _numbers(label: str, x: Any, batches: int, order: int) -> Iterator[Numbers]:
    if isinstance(x, tuple):  # the cotangents of several results, the operands `xs`
        for i, part in enumerate(x):
            yield from _numbers(f"{label} {i}", part, batches, order)
        return
    tangents = []
    while isinstance(x, Tracer):
        batches += isinstance(x, BatchTracer)
        if isinstance(x, JvpTracer):
            tangents.append((x._tangent, batches))
        x = x._value
    if isinstance(x, Array):
        x = x._value
    yield Numbers(label, np.asarray(x) if isinstance(x, _SCALARS) else x, batches, order)
    for tangent, n in tangents:
        yield from _numbers(f"tangent of {label}", tangent, n, order + 1)


class Finding:
    """Numbers of which some are bad.

    Arguments:
        numbers: all of them.
        bad: which.

    Attributes:
        kind: "NaN" or "Inf": what the first is.
        index: where the first is, batch dimensions included.
    """

    __slots__ = ("bad", "index", "kind", "numbers")

    def __init__(self, numbers: Numbers, bad: Any) -> None:
        self.numbers, self.bad = numbers, bad
        self.index = tuple([int(i) for i in np.unravel_index(np.argmax(bad), bad.shape)])
        self.kind = "NaN" if np.isnan(numbers.array[self.index]) else "Inf"

    def __str__(self) -> str:
        array, batches = self.numbers.array, self.numbers.batches
        text = str(array[self.index])
        if array.ndim:
            text += f" in {np.count_nonzero(self.bad)} of {array.size} elements, the first"
        if array.ndim > batches:
            text += f" at index {self.index[batches:]}"
        if batches:
            example = self.index[:batches]
            text += f" of example {example[0] if batches == 1 else example}"
        return text

    def there(self, other: Numbers) -> Any:
        """What an operand of an elementwise operation holds in the place of the first bad element; None if unknown."""
        shape, own = self.numbers.array.shape, other.array.shape
        broadcasts = len(own) <= len(shape) and all(n in (1, m) for n, m in zip(own[::-1], shape[::-1], strict=False))
        if own == shape or (broadcasts and not other.batches):
            return np.broadcast_to(other.array, shape)[self.index]
        return None


class Search(NamedTuple):
    """What is looked for."""

    nan: bool
    inf: bool

    def first(self, candidates: Sequence[Numbers]) -> Finding | None:
        """The first candidate with a non-finite value, or None."""
        for n in candidates:
            bad = self._bad(n.array)
            if bad.any():
                return Finding(n, bad)
        return None

    def _bad(self, x: np.ndarray) -> Any:
        if self.nan and self.inf:
            return ~np.isfinite(x)
        return np.isnan(x) if self.nan else np.isinf(x) if self.inf else np.zeros((), bool)

    @scoped
    def instead_of_warnings(self) -> Iterator[set[str]]:
        """Hold back NumPy's warnings about what is looked for, and collect what they report."""
        said: set[str] = set()
        kinds = ["invalid"] * self.nan + ["divide", "over"] * self.inf
        with np.errstate(call=lambda kind, flag: said.add(kind), **dict.fromkeys(kinds, "call")):
            yield said

"""What happens to each tensor that gradients are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import ref

from funcgrad.torch.report.entries import Seen
from funcgrad.torch.report.places import NOWHERE, Place
from funcgrad.torch.tensor.tensor import Tensor


class Cause(NamedTuple):
    """Why a gradient is what it is: the place to blame, of what kind it is, and the words."""

    kind: str
    place: Place
    why: str
    remedy: str
    value: str = ""  # the variable that the line makes
    region: Place | None = None  # where recording was switched off, if that is why


@dataclass(slots=True, eq=False)
class Leaf:
    """A tensor that requires grad and was made by no recorded operation, or that an optimiser was given.

    Attributes:
        key: its number.
        entry: the number of its entry.
        made: where.
        parameter: whether it is an nn.Parameter.
        optimisers: the keys of the optimisers that were given it.
        walks: how many backward walks reached it; nonzero, zero, bad: how often with such a gradient.
        lost: why walks did not reach it, counted; zeros, bads: why the gradient was zero, not finite.
        given: how often the program assigned .grad itself.
        asked: how often autograd.grad was asked for its gradient.
        asked_only: whether all walks that reached it were those of autograd.grad, which leaves .grad alone.
        arrived, arrived_at: by which backward the last gradient came, and the number of the last entry then.
        names: all names that variables give it.
        input: whether it was given to a module as its input.
        stepped_at: the number of the last node before the last step that changed it.
        outdated: where what is in .grad was computed forward, and backward, if that was before that step.
        old: the same of gradients that a step used, counted.
        fresh: whether a gradient arrived since the last step that used it.
        used: of the gradient that a step or an update used and that is there still, what `mark` says; else None.
        mixed: where what is there was added to a gradient that had been used; None if that has been cleared.
        doubled: where a gradient was added to one that had been used, counted.
        twice: where backward ran again on a part of the graph that it had run on, counted.
        stale: where a step used a gradient again, counted.
        discarded: where a gradient was cleared that nobody had used, counted.
        read, read_again: where what is in .grad was read; and where it had been read before more was added to it.
        reads, reads_empty: where .grad was read, and with what.
        updates: where the program itself wrote into it without recording.
        frozen: where requires_grad was switched off; thawed: on.
        filled: where all its values were made zero.
        born: after how many backward walks it was first seen.
        late: after how many backward walks requires_grad was switched on.
        first, largest: the largest absolute value, at first and ever.
        loaded: whether its values were copied from elsewhere.
    """

    key: int
    held: ref
    entry: int = 0
    made: Place = NOWHERE
    parameter: bool = False
    shape: tuple[int, ...] = ()
    name: str = ""
    optimisers: list[int] = field(default_factory=list)
    walks: int = 0
    nonzero: int = 0
    zero: int = 0
    bad: int = 0
    lost: Counter = field(default_factory=Counter)
    zeros: Counter = field(default_factory=Counter)
    bads: Counter = field(default_factory=Counter)
    given: int = 0
    asked: int = 0
    asked_only: bool = True
    fresh: bool = False
    arrived: Place = NOWHERE
    arrived_at: int = 0
    names: list[str] = field(default_factory=list)
    input: bool = False
    stepped_at: int = 0
    outdated: tuple[Place, Place] | None = None
    old: Counter = field(default_factory=Counter)
    used: Any = None
    mixed: Place | None = None
    doubled: Counter = field(default_factory=Counter)
    twice: Counter = field(default_factory=Counter)
    stale: Counter = field(default_factory=Counter)
    discarded: Counter = field(default_factory=Counter)
    cleared: Place | None = None
    read: Place | None = None
    read_again: Place | None = None
    reads: Counter = field(default_factory=Counter)
    reads_empty: Counter = field(default_factory=Counter)
    updates: Counter = field(default_factory=Counter)
    frozen: Place | None = None
    thawed: Place | None = None
    filled: Place | None = None
    late: int = 0
    born: int = 0
    loaded: bool = False
    largest: float = 0.0
    first: float = 0.0

    @property
    def tensor(self) -> Any:
        """The tensor, None if it is gone."""
        return self.held()

    @property
    def matters(self) -> bool:
        """Whether it is meant to learn: an optimiser was given it, or the program looks at its gradient."""
        return bool(self.optimisers or self.reads or self.reads_empty or self.updates or self.asked)

    @property
    def learns(self) -> bool:
        """Whether a gradient ever arrived, where it is looked for: an optimiser looks at .grad."""
        return bool(self.given or (self.walks and not (self.asked_only and self.optimisers)))


MOST = 2000
"""So many leaves are remembered, beside those that are there or that an optimiser was given."""


class Leaves:
    """All of them, by tensor and by key."""

    def __init__(self) -> None:
        self.by_key: dict[int, Leaf] = {}
        self._of: dict[int, int] = {}

    def of(self, tensor: Any) -> Leaf | None:
        """The record of a tensor, None if there is none."""
        leaf = self.by_key.get(self._of.get(id(tensor), 0))
        return leaf if leaf is not None and leaf.tensor is tensor else None

    def add(self, tensor: Any, made: Place) -> Leaf:
        """The record of a tensor, made if there is none."""
        leaf = self.of(tensor)
        if leaf is not None:
            return leaf
        key = max(self.by_key, default=0) + 1 if len(self.by_key) < 4 else next(reversed(self.by_key)) + 1
        address = id(tensor)

        def forget(gone: Any) -> None:
            known = self.by_key.get(self._of.get(address, 0))
            if known is not None and known.held is gone:
                del self._of[address]
                self._thin()

        leaf = Leaf(key, Seen(tensor, forget), made=made, shape=tuple(tensor._value.shape))
        leaf.parameter = hasattr(type(tensor), "_is_param") or type(tensor).__name__ == "Parameter"
        self.by_key[key], self._of[address] = leaf, key
        return leaf

    def _thin(self) -> None:
        """Forget the oldest of those that are gone and that no optimiser was given, where there are many."""
        if len(self.by_key) > MOST:
            gone = [k for k, other in self.by_key.items() if other.tensor is None and not other.optimisers]
            for key in gone[: -MOST // 2]:
                del self.by_key[key]

    def __iter__(self) -> Iterator[Leaf]:
        return iter(list(self.by_key.values()))

    def alive(self) -> Iterator[Leaf]:
        """Those whose tensors are there."""
        return (leaf for leaf in self if leaf.tensor is not None)


def mark(value: Any) -> Any:
    """Something that tells whether an array has changed."""
    return hash(value.tobytes())


class Names:
    """The names of leaves in the program, as far as its variables and modules have shown them."""

    def __init__(self, leaves: Leaves) -> None:
        self.leaves = leaves
        self._again: dict[int, int] = {}

    def look(self, scopes: list[dict[str, Any]], is_module: Callable[[Any], bool]) -> None:
        """Name the leaves that variables of these scopes hold, in modules and lists, too."""
        for scope in scopes:
            for name, value in list(scope.items()):
                if not name.startswith("__"):
                    self._look_at(name, value, is_module, 0, set())

    def _look_at(self, name: str, value: Any, is_module: Callable[[Any], bool], depth: int, seen: set[int]) -> None:
        if depth > 6 or id(value) in seen:
            return
        if isinstance(value, Tensor):
            leaf = self.leaves.of(value)
            if leaf is not None and name not in leaf.names and len(leaf.names) < 4:
                leaf.names.append(name)
            if leaf is not None and (not leaf.name or (leaf.name.startswith("self.") and not name.startswith("self."))):
                leaf.name = name
            return
        seen.add(id(value))
        if isinstance(value, (list, tuple)):
            for k, v in enumerate(value[:64]):
                self._look_at(f"{name}[{k}]", v, is_module, depth + 1, seen)
        elif isinstance(value, dict) and depth:
            for k, v in list(value.items())[:64]:
                self._look_at(f"{name}[{k!r}]", v, is_module, depth + 1, seen)
        elif is_module(value):
            for k, v in {**value._parameters, **value._modules}.items():
                self._look_at(f"{name}.{k}", v, is_module, depth + 1, seen)
            for k, v in list(vars(value).items()):
                if not k.startswith("_") and isinstance(v, (Tensor, list, tuple, dict)):
                    self._look_at(f"{name}.{k}", v, is_module, depth + 1, seen)
        elif depth == 0 and not isinstance(value, type) and type(value).__module__ == "__main__":
            for k, v in list(getattr(value, "__dict__", {}).items()):
                self._look_at(f"{name}.{k}", v, is_module, depth + 1, seen)

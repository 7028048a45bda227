"""Whether all that a function reaches is as it was when its program was recorded.

Things are compared by identity, in a few passes that run at the speed of C: about 30 ns for each attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from operator import is_, methodcaller
from typing import Any
from weakref import ref

from funcgrad.torch._dynamo.reach import SIMPLE, Reach

_values = methodcaller("values")
_MISSING = object()


class Guards:
    """What a function reaches, as it is now.

    Arguments:
        reach: what that is.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.spaces = [space for space, _ in reach.names]
        self.names = [name for _, name in reach.names]
        self.missing = [_MISSING] * len(self.names)
        self.empty = [d for d in reach.dicts if not d]
        self.filled = [d for d in reach.dicts if d]
        self.keys = [*chain.from_iterable(self.filled)]
        self.held = [*self._now()]
        self.dicts = [(d, dict(d)) for d in reach.dicts]
        self.lists = [(x, list(x)) for x in reach.lists]
        self.sets = [(x, set(x)) for x in reach.sets]
        self.cells = [(c, _content(c)) for c in reach.cells]
        self.globals = [(space, name, space.get(name, _MISSING)) for space, name in reach.names]

    def _now(self) -> Iterator[Any]:
        reach = self.reach
        return chain(
            chain.from_iterable(map(_values, self.filled)),
            chain.from_iterable(reach.lists),
            chain.from_iterable(reach.sets),
            map(dict.get, self.spaces, self.names, self.missing),
            map(_content, reach.cells),
            map(type, reach.objects),
        )

    def hold(self) -> bool:
        """Whether all is as it was."""
        now = [*self._now()]
        if len(now) != len(self.held) or any(self.empty):
            return False
        if not all(map(is_, now, self.held)) and not all(map(_same, now, self.held)):
            return False
        return [*chain.from_iterable(self.filled)] == self.keys

    def swap(self, stand_ins: dict[int, Any]) -> None:
        """Put other tensors in the places of those that are reached, by their ids; adds the weak references."""
        for reference in self.reach.references:
            stand_ins[id(reference)] = ref(stand_ins[id(reference())])
        for d, _ in self.dicts:
            if isinstance(d, dict):
                for key, x in d.items():
                    if id(x) in stand_ins:
                        dict.__setitem__(d, key, stand_ins[id(x)])
        for held, _ in self.lists:
            held[:] = [stand_ins.get(id(x), x) for x in held]
        for c, x in self.cells:
            if id(x) in stand_ins:
                c.cell_contents = stand_ins[id(x)]
        for space, name, x in self.globals:
            if id(x) in stand_ins:
                space[name] = stand_ins[id(x)]

    def restore(self, stand_ins: dict[int, Any]) -> bool:
        """Make all as it was, after `swap`; gives whether anything else had changed."""
        changed = False

        def other(now: Any, before: Any) -> bool:
            return now is not stand_ins.get(id(before), before)

        for d, before in self.dicts:
            if list(d) != list(before) or any(map(other, d.values(), before.values())):
                changed = True
            if isinstance(d, dict):
                _refill(d, before)
        for held, was in self.lists:
            changed |= len(held) != len(was) or any(map(other, held, was))
            held[:] = was
        for kept, those in self.sets:
            if kept != those:
                changed = True
                kept.clear()
                kept |= those
        for c, x in self.cells:
            changed |= other(_content(c), x)
            if x is not _MISSING:
                c.cell_contents = x
        for space, name, x in self.globals:
            now = space.get(name, _MISSING)
            changed |= other(now, x)
            if now is not x:
                space[name] = x
        return changed


def _refill(d: dict, before: dict) -> None:
    """Give a dict its items again, in their order."""
    if list(d) != list(before):
        d.clear()
    for key, x in before.items():
        dict.__setitem__(d, key, x)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return _MISSING


def _same(a: Any, b: Any) -> bool:
    """Whether two things are one, or equal numbers or texts."""
    if a is b:
        return True
    if type(a) is not type(b) or type(a) not in SIMPLE:
        return False
    return repr(a) == repr(b)

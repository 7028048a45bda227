"""Whether all that a function reaches is as it was when its program was recorded.

Things are compared by identity. `quickly` is a function written for just these things, which takes about 20 ns for each
attribute; `hold` also knows that equal numbers and texts are as good, and takes 40 ns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from operator import is_, methodcaller
from typing import Any
from weakref import ref

from funcgrad.torch._dynamo.reach import SIMPLE, Reach
from funcgrad.torch._dynamo.source import Source

_values = methodcaller("values")
_MISSING = object()


class Guards:
    """What a function reaches, as it is now.

    Arguments:
        reach: what that is.

    Attributes:
        rates: the groups of optimisers whose learning rate is a number, which programs are given.
        states: those of optimisers, whose keys are tensors.
        quickly: a function that gives True if all is as it was; False may be wrong.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.spaces = [space for space, _ in reach.names]
        self.names = [name for _, name in reach.names]
        self.missing = [_MISSING] * len(self.names)
        self.rates = [g for o in reach.optimizers for g in o.param_groups if type(g.get("lr")) is float]
        self.states = [o.state for o in reach.optimizers]
        apart = {id(g) for g in self.rates}
        self.empty = [d for d in (*reach.dicts, *self.states) if not d]
        self.filled = [d for d in reach.dicts if d and id(d) not in apart]
        self.keys = [*chain.from_iterable((*self.filled, *self.rates))]
        self.held = [*self._now()]
        self.dicts = [(d, dict(d)) for d in (*reach.dicts, *self.states)]
        self.lists = [(x, list(x)) for x in reach.lists]
        self.sets = [(x, set(x)) for x in reach.sets]
        self.cells = [(c, _content(c)) for c in reach.cells]
        self.globals = [(space, name, space.get(name, _MISSING)) for space, name in reach.names]
        self.quickly = _Check(self).function()

    def _now(self) -> Iterator[Any]:
        reach = self.reach
        return chain(
            chain.from_iterable(map(_values, self.filled)),
            chain.from_iterable(map(_but_rate, self.rates)),
            chain.from_iterable(self.states),
            chain.from_iterable(map(_values, self.states)),
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
        return [*chain.from_iterable((*self.filled, *self.rates))] == self.keys

    def swap(self, stand_ins: dict[int, Any]) -> None:
        """Put other tensors in the places of those that are reached, by their ids; adds the weak references."""
        for reference in self.reach.references:
            stand_ins[id(reference)] = ref(stand_ins[id(reference())])
        for d, before in self.dicts:
            if isinstance(d, dict):
                for key, x in d.items():
                    if id(x) in stand_ins:
                        dict.__setitem__(d, key, stand_ins[id(x)])
                if any(id(key) in stand_ins for key in before):
                    _refill(d, {stand_ins.get(id(key), key): x for key, x in d.items()})
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
            if len(d) != len(before) or any(map(other, d, before)) or any(map(other, d.values(), before.values())):
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


class _Check(Source):
    """The source of `Guards.quickly`.

    def quickly():
        try:
            x0, x1, = d0.values()
            if x0 is not c0 or x1 is not None or [*d0] != k0: return False
            ...
        except (ValueError, KeyError): return False
        return True
    """

    def __init__(self, guards: Guards) -> None:
        super().__init__()
        reach = guards.reach
        if guards.empty:
            self._demand([self.known(d) for d in guards.empty])
        for d in (*guards.filled, *guards.rates):
            name = self.known(d)
            but = "lr" if any(d is g for g in guards.rates) else None
            wrong = [f"[*{name}] != {self.known([*d])}"]
            if but:
                wrong.append(f"type({name}['lr']) is not float")
            self._items(f"{name}.values()", [_RATE if k == but else x for k, x in d.items()], wrong)
        for d in guards.states:
            if d:
                name = self.known(d)
                self._items(name, [*d])
                self._items(f"{name}.values()", [*d.values()])
        for x in (*reach.lists, *reach.sets):
            self._items(self.known(x), [*x])
        for space, name in reach.names:
            found, where = space.get(name, _MISSING), self.known(space)
            self._demand([
                f"{name!r} in {where}" if found is _MISSING else f"{where}[{name!r}] is not {self.known(found)}"
            ])  # fmt: skip
        for c in reach.cells:
            if _content(c) is not _MISSING:
                self._demand([f"{self.known(c)}.cell_contents is not {self.known(_content(c))}"])
        if reach.objects:
            self._demand([f"type({self.known(x)}) is not {self.known(type(x))}" for x in reach.objects])
        if any(_content(c) is _MISSING for c in reach.cells):  # which only the other way knows
            self.lines.insert(0, "return False")

    def _demand(self, wrong: list[str]) -> None:
        self.lines.append(f"if {' or '.join(wrong)}: return False")

    def _items(self, where: str, items: list, wrong: list[str] | None = None) -> None:
        """Take something apart, and compare what is in it."""
        if items:
            names = [f"x{k}" for k in range(len(items))]
            self.lines.append(f"{', '.join(names)}, = {where}")
            wrong = [f"{n} is not {self.known(x)}" for n, x in zip(names, items, strict=True) if x is not _RATE] + (
                wrong or []
            )
            if wrong:
                self._demand(wrong)
        else:
            self._demand([f"len({where})"])

    def function(self) -> Callable[[], bool]:
        """The function."""
        body = [f"    {line}" for line in self.lines or ["pass"]]
        self.lines = ["try:", *body, "except (ValueError, KeyError): return False", "return True"]
        found: Callable[[], bool] = self.written("quickly()")
        return found


_RATE = object()
"""Stands for a learning rate, whose value does not matter."""


def _but_rate(group: dict) -> list:
    """The values of a group of an optimiser, with the type of its learning rate."""
    return [type(x) if key == "lr" else x for key, x in group.items()]


def _refill(d: dict, before: dict) -> None:
    """Give a dict its items again, in their order."""
    if len(d) != len(before) or not all(map(is_, d, before)):
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

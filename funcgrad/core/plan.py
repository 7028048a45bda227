"""`Plan`: what an equation says about its operation, and how cotangents and tangents go through it; and `Plans`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any


class Plan:
    """How an operation is differentiated with respect to one mask of its operands. Each equation has one.

    A plan of one's own says what `pull` does, and sets the attributes of which the class has no value; the rest is as
    written below unless it says otherwise. A trace that records the operation stores the residuals that `keep` gives it
    and links the equations of the `linked` operands. The backward walk hands the cotangent of the result and the
    residuals to `pull`, and adds what that gives to the cotangents of those equations. Forward mode calls `push`.

    Attributes:
        primitive: the operation: a `Primitive`, or what stands in the place of one.
        operands: the names of its operands.
        linked: the numbers of those that cotangents go to, ascending.
        single: whether that is one, whose cotangent `pull` gives; otherwise it gives a tuple with one for each.
        simple: whether they are all that the mask marks, and the result is one: a trace has nothing to sort out.
        names: of the residuals, if they have names.
        kept: the numbers of the operands that are residuals, into which nobody may write unseen.
        checked: whether the walk fits cotangents to the inputs: broadcasting and promotion are undone there.
        trusted: the same plan with `checked` False, for operands that were not broadcast or promoted; None if none is.
        partial: of several results: whether `pull` takes None, and not zeros, for one that nothing depends on.
        evaluate: `evaluate(operands, params) -> (result, residuals)`, in the place of the primitive and `keep`, of a
            plan whose residuals come into being while the result is computed; None for others.
        picks: which of several results of its one input this is; None for an operation.
        line: file and number of the line of the user's code that applied the operation, if it is known.
        place: where it was applied, if somebody looked on (see debug/watch.py).
        scope: the names of the scopes in which it was applied, if they were written down.
    """

    __slots__ = ("linked", "operands", "primitive", "single")
    primitive: Any
    operands: tuple[Any, ...]
    linked: tuple[int, ...]
    single: bool
    simple: bool = False
    names: tuple[str, ...] = ()
    kept: frozenset[int] = frozenset()
    checked: bool = True
    trusted: Any = None
    partial: bool = False
    evaluate: Callable[[tuple, dict[str, Any]], tuple[Any, tuple]] | None = None
    picks: int | None = None
    line: tuple[str, int] | None = None
    place: Any = None
    scope: tuple[str, ...] = ()

    def __init__(self, primitive: Any, mask: tuple[bool, ...]) -> None:
        self.primitive = primitive
        self.operands = primitive.operands or numbered(len(mask))
        self.linked = tuple([i for i, m in enumerate(mask) if m])
        self.single = len(self.linked) == 1

    def keep(self, out: Any, params: dict[str, Any], *operands: Any) -> tuple:
        """The residuals, from result, parameters and operands; here none."""
        return ()

    def pull(self, g: Any, kept: tuple) -> Any:
        """The cotangents of the linked operands, from that of the result (a tuple for several) and the residuals."""
        raise NotImplementedError(f"{type(self).__name__} has no backward rule")

    def push(self, out: Any, params: dict[str, Any], tangents: tuple, *operands: Any) -> Any:
        """The tangent of the result, from result, parameters, tangents (None for an operand without) and operands."""
        raise NotImplementedError(f"{type(self).__name__} has no forward rule")

    def same_as(self, other: Any) -> bool:
        """Whether equations with this plan and with another one of its class do the same."""
        return self is other

    def but(self, **changes: Any) -> Any:
        """Another plan like this one except for these attributes and methods."""
        kind: Any = type(self)
        shared = tuple([n for n in changes if type(getattr(kind, n, None)) is not MemberDescriptorType])
        twin = twin_of(self, _with_slots(kind, shared) if shared else kind)
        for name, value in changes.items():
            setattr(twin, name, value)
        return twin


@functools.cache
def numbered(n: int) -> tuple[str, ...]:
    """Names for operands that have none."""
    return tuple([f"x{i}" for i in range(n)])


def twin_of(x: Any, kind: Any = None) -> Any:
    """An object with the same in its slots, of the same class or of one that is made from it."""
    twin: Any = object.__new__(kind or type(x))
    for cls in type(x).__mro__:
        for slot in vars(cls).get("__slots__", ()):
            member = vars(cls)[slot]  # not getattr, for a method of a subclass may hide the slot
            member.__set__(twin, member.__get__(x))
    return twin


@functools.cache
def _with_slots(kind: Any, names: tuple[str, ...]) -> Any:
    """A class of plans like this one, in which these attributes or methods belong to each plan."""
    return type(kind.__name__, (kind,), {"__slots__": names})


_HOT = {"unary": (True,), "both": (True, True), "first": (True, False), "second": (False, True)}


class Plans(dict[tuple[bool, ...], Any]):
    """The plan for each mask of differentiated operands, made on first use; None if nothing depends on them.

    Those of the commonest masks are attributes as well: to read one takes 20 ns, to look a mask up 60.

    Arguments:
        make: gives the plan for a mask.

    Attributes:
        unary: the plan for one operand.
        both, first, second: the plans for two operands, by those that are differentiated.
    """

    __slots__ = ("both", "first", "make", "second", "unary")
    unary: Any
    both: Any
    first: Any
    second: Any

    def __init__(self, make: Callable[[tuple[bool, ...]], Any]) -> None:
        self.make = make

    def __missing__(self, mask: tuple[bool, ...]) -> Any:
        plan = self[mask] = self.make(mask)
        return plan

    def __getattr__(self, name: str) -> Any:  # called for an attribute that is not set yet
        mask = _HOT.get(name)
        if mask is None:
            raise AttributeError(f"Plans has no attribute {name!r}")
        plan = self[mask]
        setattr(self, name, plan)
        return plan

"""Paces: elements that lie at equal distances, near to each other, or from the last to the first.

All that lies between them is read as one, and the lanes are chosen of it; what is not wanted is masked, so it need not
be there. A processor takes longer to gather such elements, or to scatter them: sums over x[::2], x[1::2] and x[::-1] of
100,000 doubles and their derivative 376 µs and 245.
"""

from __future__ import annotations

from funcgrad.compile.native.ir import Function, Value

_NEAR = 4  # the distance up to which it is the faster way


def near(pace: int) -> bool:
    """Whether elements at this distance are read and written here."""
    return 0 < abs(pace) <= _NEAR


def lowest(pace: int, lanes: int) -> int:
    """How far from the first element the one is that lies first in memory."""
    return min(0, pace * (lanes - 1))


def load(f: Function, where: Value, pace: int, kind: str, lanes: int, mask: Value | None) -> Value:
    """Elements at equal distances; where the mask does not hold nothing is read, and the value is 0.

    Arguments:
        f: the function to write to.
        where: the address of that which lies first in memory.
        pace: how far it is from each to the next.
        kind, lanes, mask: as for `Function.load`.
    """
    order = _order(pace, lanes)
    wide = f.load(where, kind, lanes * abs(pace), _only(f, order, lanes * abs(pace), mask))
    return f.chosen(wide, order)


def store(f: Function, x: Value, where: Value, pace: int, mask: Value | None) -> None:
    """Write elements at equal distances; none where the mask does not hold. Arguments as for `load`."""
    order, size = _order(pace, x.lanes), x.lanes * abs(pace)
    f.store(f.chosen(x, _lanes(order, size)), where, _only(f, order, size, mask))


def _order(pace: int, lanes: int) -> range:
    """The places of the lanes among the elements that lie between the first and the last of them."""
    return range(0, lanes * pace, pace) if pace > 0 else range(-pace * (lanes - 1), -1, pace)


def _lanes(order: range, size: int, other: int = 0) -> list[int]:
    """The lane of each of so many elements; another number where there is none."""
    lane = {at: k for k, at in enumerate(order)}
    return [lane.get(k, other) for k in range(size)]


def _only(f: Function, order: range, size: int, mask: Value | None) -> Value | None:
    """The mask of so many elements of which those of an order are wanted, each where a mask of its own holds."""
    if mask is not None:
        return f.chosen(mask, _lanes(order, size, mask.lanes), f.like(False, mask))
    if len(order) == size:
        return None
    return Value(f"<{', '.join([f'i1 {str(k in order).lower()}' for k in range(size)])}>", "i1", size)

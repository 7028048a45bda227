"""The report about NaN or an infinity that was found, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Primitive
from funcgrad.debug.nonfinite import Finding, Numbers, Search
from funcgrad.debug.origins import Origin
from funcgrad.errors import NonFiniteError

_MEANT = " If infinities are meant: nans(inf=False)."


def report(
    head: str,
    found: Finding,
    others: Sequence[Numbers],
    remedy: str,
    primitive: Any = None,
    at: Origin | None = None,
) -> NonFiniteError:
    """The error about a finding.

    Arguments:
        head: what happened, and where.
        found: what is bad.
        others: what sheds light on it.
        remedy: what to do.
        primitive: the operation in whose operands and results it was found.
        at: where that comes from.
    """
    lines = [head, f"  {found.numbers.label}: {found.numbers}, {found}"]
    for n in others:
        bad = Search(nan=True, inf=True).first([n])
        there = found.there(n) if is_elementwise(primitive) else None
        state = str(bad) if bad is not None else "finite" if there is None else f"finite, there {there}"
        lines.append(f"  {n.label}: {n}, {state}")
    error = NonFiniteError("\n".join([*lines, remedy]))
    error.place = None if at is None else at.place
    return error


def remedy_for_input(found: Finding) -> str:
    """What to do about an operand that was bad before."""
    return (
        f"No operation that nans sees made it: it is an argument or a constant, or it was computed on plain ndarrays "
        f"or before nans was on. Look at where it comes from, for instance with np.isfinite(x).all(). If it is meant: "
        f"nans({found.kind.lower()}=False)."
    )


def remedy_for_value(primitive: Any, found: Finding, operands: Sequence[Numbers], warnings: set[str]) -> str:
    """What to do about an operation that gives something bad for operands that are not what is looked for.

    Arguments:
        primitive: the operation.
        found: in its results.
        operands: what it was given.
        warnings: what NumPy said meanwhile.
    """
    meant = _MEANT if found.kind == "Inf" else ""
    infinite = Search(nan=False, inf=True).first(operands)
    if infinite is not None:
        return (
            f"{found.kind} comes of the infinity in {infinite.numbers.label}: nans() without inf=False stops where the "
            f"first infinity begins."
        )
    begins = "The operands are finite, so it begins here"
    if "overflow" in warnings:
        return f"{begins}, {_overflow(found)}{meant}"
    if not is_elementwise(primitive):
        return f"{begins}: look at them for a singular matrix, or a reduction of no elements.{meant}"
    return (
        f"{begins}: keep them where {primitive.name} is finite. If np.where discards these elements afterwards, choose "
        f"before it, too, or the gradient is NaN: {_double_where(primitive)}.{meant}"
    )


def remedy_for_derivative(primitive: Any, found: Finding, incoming: Sequence[Numbers], warnings: set[str]) -> str:
    """What to do about an operation whose derivative is bad where its value is good.

    Arguments:
        primitive: the operation.
        found: in its derivative.
        incoming: the cotangents or tangents that the rule was given.
        warnings: what NumPy said meanwhile.
    """
    meant = _MEANT if found.kind == "Inf" else ""
    begins = "The value is finite, its derivative is not"
    if "overflow" in warnings:
        return f"{begins}, {_overflow(found)}{meant}"
    if not isinstance(primitive, Primitive):
        return f"{begins}: look at what the rule of {primitive.name} does with these arguments.{meant}"
    if found.kind == "NaN" and any(np.isinf(found.there(n)) for n in incoming if found.there(n) is not None):
        return (
            f"{begins}. What arrives there is infinite, and 0 times infinity is NaN: nans() without inf=False stops "
            f"where the first infinity begins."
        )
    if not is_elementwise(primitive):
        return (
            f"{begins}: this is a singular point of {primitive.name}, as zero is of a norm, or equal eigenvalues are "
            f"of eigenvectors. Keep away from it, or choose another operand there with np.where.{meant}"
        )
    if any(found.there(n) == 0 for n in incoming):
        return (
            f"{begins}. What arrives there is 0, and 0 times infinity is NaN. If it is 0 because np.where discards the "
            f"element, choose before {primitive.name}, too: {_double_where(primitive)}."
        )
    return (
        f"{begins}: this is a singular point of {primitive.name}. Keep away from it, or if the value there is not "
        f"wanted, choose before: {_double_where(primitive)}.{meant}"
    )


def is_elementwise(primitive: Any) -> bool:
    return getattr(primitive, "batch", None) is batching.elementwise


def _overflow(found: Finding) -> str:
    return f"with an overflow of {found.numbers.array.dtype}: scale down, or compute with logarithms."


def _double_where(primitive: Any) -> str:
    names = primitive.operands
    safe = ", ".join([f"np.where(ok, {x}, 1.0)" for x in names])
    return f"{', '.join(names)} = {safe}, then np.where(ok, {primitive.name}({', '.join(names)}), 0.0)"

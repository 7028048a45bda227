"""The backward walk over a recording: cotangents of all values, and what each rule took."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from funcgrad.debug.explain.record import Recording, Value


def pull_back(recording: Recording, seeds: dict[Value, Any], exact: bool = False) -> dict[Value, Any]:
    """The cotangent of each value that one arrives at, as far as a derivative flows.

    Arguments:
        recording: of a function.
        seeds: the cotangents of its results.
        exact: whether a sum of terms that is nothing but their rounding errors counts as zero.
    """
    found = dict(seeds)
    sizes: dict[Value, tuple[int, Any]] = {}  # how many terms a sum has, and the sum of their magnitudes
    for step in reversed(recording.steps):
        for result in step.results:
            _settle(found, sizes, result, exact)
        arrived = [found.get(result) if result.linked else None for result in step.results]
        if step.plan is None or all(g is None for g in arrived):
            continue
        begun = perf_counter()
        pulled = step.pull(arrived, exact)
        step.back = perf_counter() - begun
        if exact and step.operation.name == "softmax":  # its rule subtracts a mean of what arrives
            size = abs(step.out[0]) * np.max(np.abs(arrived[0]), initial=0)
            pulled = {k: _unless_rounding(ct, 2, size) for k, ct in pulled.items()}
        for k, ct in pulled.items():
            x = step.operand(k)
            if x not in found:
                found[x], sizes[x] = ct, (1, abs(ct))
            else:
                count, size = sizes.get(x, (1, abs(found[x])))
                found[x], sizes[x] = found[x] + ct, (count + 1, size + abs(ct))
    for x in recording.inputs:
        _settle(found, sizes, x, exact)
    return found


def _settle(found: dict[Value, Any], sizes: dict[Value, tuple[int, Any]], x: Value, exact: bool) -> None:
    if exact and x in sizes and sizes[x][0] > 1:
        found[x] = _unless_rounding(found[x], *sizes[x])


def _unless_rounding(total: Any, terms: int, size: Any) -> Any:
    """A sum, or zero where it is no more than the rounding errors of so many terms of this size."""
    return np.where(abs(total) <= 2 * terms * np.finfo(total.dtype).eps * size, 0 * total, total)

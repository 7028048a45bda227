"""Random numbers inside `vmap`: refused, the same for every example, or different ones, as its randomness= says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.levels import batched_at, check_write
from funcgrad.torch.texts import randomness as texts
from funcgrad.transforms.vmap import BatchTracer


def _different() -> list[Any]:
    """The traces of the vmaps whose examples get numbers of their own, the outermost first."""
    for _, randomness in state.batches:
        if randomness in ("error", "unsupported"):
            raise RuntimeError(texts.REFUSED if randomness == "error" else texts.UNSUPPORTED)
    return [trace for trace, randomness in state.batches if randomness == "different"]


def _batched(value: Any, traces: list[Any]) -> Any:
    """An array whose first dimensions are the batches, as the value of one example."""
    for trace in traces:
        value = trace.tracer(value)
    return value


def drawn(shape: tuple[int, ...], draw: Callable[[tuple[int, ...]], ndarray]) -> Any:
    """What draw gives for a shape; for several examples at once, if they are to differ."""
    if state.deferred is not None:
        return state.deferred.draw(lambda _: draw(shape), None)
    if not state.batches:
        return np.asarray(draw(shape))
    traces = _different()
    return _batched(np.asarray(draw((*[t.size for t in traces], *shape))), traces)


def filled(value: Any, kind: Any, fill: Callable[[ndarray], None]) -> Any:
    """New memory that lies as that of a tensor's raw value, filled; for several examples at once, if these differ.

    Arguments:
        value: the raw value, or for memory without gaps an array of the shape.
        kind: the NumPy dtype.
        fill: fills an ndarray.
    """
    traces = _different()
    shape = (*[t.size for t in traces], *value.shape)
    while isinstance(value, Array):
        value = value._value
    memory = np.empty_like(value, kind) if value.shape == shape else np.empty(shape, kind)
    fill(memory)
    return _batched(memory, traces)


def drawn_from(parameters: tuple, draw: Callable) -> Any:
    """What draw gives for arrays of parameters, which may be tracers."""
    if not state.batches and all(type(p) is ndarray for p in parameters):
        return draw(*parameters)
    traces = _different()
    ndim = max(p.ndim for p in parameters)
    return _batched(draw(*[_laid_out(p, traces, ndim) for p in parameters]), traces)


def laid_out(p: Any, ndim: int) -> ndarray:
    """The values of a parameter as `filled` lays out memory of `ndim` dimensions."""
    return _laid_out(p, _different(), ndim)


def _laid_out(p: Any, traces: list[Any], ndim: int) -> ndarray:
    """The values of a parameter with a dimension for each batch in front, and `ndim` others."""
    shape = p.shape
    own = []
    while isinstance(p, Array):
        if isinstance(p, BatchTracer):
            own.append(p._trace)
        p = p._value
    if any(t not in traces for t in own):
        raise RuntimeError(texts.SAME_OF_BATCH)
    sizes = [t.size if t in own else 1 for t in traces]
    p = p.reshape((*sizes, *(1,) * (ndim - len(shape)), *shape))
    if len(own) == len(traces):
        return p
    return np.ascontiguousarray(np.broadcast_to(p, (*[t.size for t in traces], *p.shape[len(traces) :])))


def check_in_place(value: Any) -> None:
    """Raise torch's error if memory that all examples share is to be filled with numbers that differ.

    What is the same for the examples of one vmap is drawn once, so it is shared by those of the vmaps around it.
    """
    if not state.batches:
        return
    _different()  # raises if there are to be no random numbers at all
    own = []
    while isinstance(value, Array):
        if isinstance(value, BatchTracer):
            own.append(value._trace)
        value = value._value
    for trace, randomness in reversed(state.batches):
        if randomness == "different" and trace not in own:
            raise RuntimeError(texts.DIFFERENT_IN_PLACE)
        if randomness == "same" and trace in own:
            own = []


def check_chances(x: Any, p: Any) -> None:
    """Raise torch's error if x can't be filled with numbers that depend on p, for each vmap that runs."""
    _different()
    for level in reversed(state.transforms):
        if level.randomness == "same" and batched_at(p, level.number):
            raise RuntimeError(texts.SAME_OF_BATCH)
    check_write(x, "bernoulli_", (p,))
    check_in_place(x._value)


def check_no_out(out: Any) -> None:
    """Raise torch's error if inside vmap random numbers are to be written into a tensor given as out=."""
    if out is not None and state.batches:
        raise RuntimeError(texts.NO_OUT)

"""Writing into tensors whose value is a tracer of the functional face, where memory can't be written to.

The base gets a new value in which the part that the view shows is replaced, and the views of it that are alive look at
the new value. Where a view's elements lie in the base is found by pulling back through the view operations, which are
linear; so there is no rule for each of them here.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.tree import structure
from funcgrad.torch.modes import no_grad
from funcgrad.torch.operation import cast, wrapped
from funcgrad.transforms.vjp import record as record_vjp


def register(view: Any) -> None:
    """Let the base know of a view, so that it is shown the new value when there is one."""
    base = view._view.base
    held = base.__dict__.setdefault("_traced_views", [])
    held[:] = [r for r in held if r() is not None]
    held.append(ref(view))


def write_traced(x: Any, new: Any) -> None:
    """Give x, and all that share its memory, a new value.

    Arguments:
        x: a tensor whose value is a tracer, or one that is about to be written a tracer into.
        new: what is written, a raw value that broadcasts to the shape of x.
    """
    shape, kind = x._value.shape, x._value.dtype
    new = cast(new, kind) if new.dtype != kind else new
    if new.shape != shape:
        new = fnp.broadcast_to(new, shape)
    if x._view is None:
        show(x, new)
        return
    base = x._view.base
    with no_grad():
        _, pullback, _ = record_vjp(lambda b: _look(x, b), [base._value], structure((0,)), False, "in-place")
        output = pullback.outputs[0][0]
        placed = pullback.pull({output: new})[0]
        covered = pullback.pull({output: np.ones(shape, kind)})[0]
        show(base, fnp.where(np.not_equal(covered, 0), placed, base._value))
        if not any(r() is x for r in base.__dict__.get("_traced_views", [])):
            x._value, x._plain = _look(x, base._value), False


def show(base: Any, value: Any) -> None:
    """Put a new value into a tensor, and let its views look at it."""
    base._value, base._plain, base._store = value, False, None
    for r in base.__dict__.get("_traced_views", []):
        view = r()
        if view is not None:
            view._value, view._plain = _look(view, value), False


def _look(view: Any, value: Any) -> Any:
    """What a view shows of a base with this value."""
    if view._view.replay is None:  # made when both were plain: its sizes and strides say what it shows
        from funcgrad.torch.views import restride

        view._view.replay = restride(view)
    return view._view.replay(wrapped(value))._value


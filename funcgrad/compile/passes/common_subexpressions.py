"""Common subexpressions: an operation that occurs twice on the same operands is computed once."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.compile.rewrite import rewrite, with_inputs
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape


def common_subexpressions(tape: Tape) -> Tape:
    """The tape with each operation on the same operands once. Calls may have effects, so they stay."""
    seen: dict[Any, Equation] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        if not isinstance(e.primitive, Primitive) and e.picks is None:
            return None
        operands = tuple([i if type(i) is Equation else frozen(i) for i in inputs])
        key = (e.primitive.name, operands, frozen(e.params) if e.params else ())
        found = seen.get(key)
        if found is None:
            found = seen[key] = with_inputs(e, inputs)
        return found

    return rewrite(tape, rule)


def frozen(x: Any) -> Any:
    """A value that compares by what x is: -0.0 is not 0.0, 1 is not 1.0; small arrays compare by their bytes."""
    if type(x) is Equation:
        return x
    if isinstance(x, np.ndarray):
        if x.ndim and x.size and not any(x.strides):
            return ("stretched", x.shape, x.dtype.str, x[(0,) * x.ndim].tobytes())
        return (x.shape, x.dtype.str, x.tobytes()) if x.size <= 64 else ("array", id(x))
    if isinstance(x, (np.generic, float, complex)):
        return (type(x), np.asarray(x).tobytes())
    if isinstance(x, dict):
        return tuple([(k, frozen(v)) for k, v in sorted(x.items())])
    if isinstance(x, (tuple, list)):
        return (type(x), *[frozen(v) for v in x])
    if isinstance(x, slice):
        return ("slice", frozen(x.start), frozen(x.stop), frozen(x.step))
    try:
        hash(x)
    except TypeError:
        return ("object", id(x))
    return (type(x), x)

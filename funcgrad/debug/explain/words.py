"""What the causes are in words, and what to do about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.debug.explain.causes import Cause
from funcgrad.debug.explain.kinds import names
from funcgrad.debug.explain.record import Step

_SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "power": "**", "floor_divide": "//",
    "remainder": "%", "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "truncate": "astype", "getitem": "x[i]", "gather": "x[i]", "index_set": "x.at[i].set",
    "stop": "stop_gradient", "reduce_sum": "sum", "reduce_prod": "prod", "reduce_max": "max", "reduce_min": "min",
    "astype": "astype", "vecdot": "@", "matvec": "@", "vecmat": "@", "rint": "round",
}  # fmt: skip  # in rows


def operation_name(step: Step | None) -> str:
    """The operation of a step as the user calls it."""
    if step is None:
        return "the operation"
    name = step.operation.name
    if name.startswith("index_"):
        return f"x.at[i].{name.removeprefix('index_')}"
    call = step.place.call if step.place is not None else None
    return call if call not in (None, "index") else _SYMBOLS.get(name, name)


def number_text(x: Any) -> str:
    """A number in few digits."""
    x = np.asarray(x)[()]
    return f"{x:.4g}" if x.dtype.kind in "fc" else str(x)


def _share(c: Cause) -> str:
    """In how many elements, as words that end a sentence."""
    if c.size == 1:
        return "" if c.steps == 1 else f" in all {c.steps} steps"
    steps = f" of {c.steps} steps" if c.steps > 1 else ""
    return f" in all {c.size} elements{steps}" if c.whole else f" in {c.elements} of {c.size} elements{steps}"


def _first(c: Cause) -> str:
    if c.sample is None:
        return ""
    number = number_text(c.sample)
    return f" (there it is {number})" if c.elements == 1 else f" (in the first of them it is {number})"


def _dtype(c: Cause) -> str:
    return str(c.step.out[0].dtype) if c.step is not None and c.step.out else "integers"


def _other_operand(c: Cause) -> str:
    return "the other operand" if c.step is not None and len(c.step.values) == 2 else "what it is multiplied by"


def _by(c: Cause) -> str:
    return f"by {c.action} " if "(" in c.action else ""


def _unused(c: Cause) -> str:
    if c.step is None:
        return "it is not used"
    if c.step.within is None:
        return "what is computed here is not used in the result"
    return f"{c.step.within} takes a derivative of what is computed here, and that derivative does not depend on it"


_THROUGH = "x + stop_gradient(round(x) - x) rounds the value and has the gradient of x"

WORDS: dict[str, tuple[Any, str]] = {
    "stop_gradient": (
        lambda c, op: f"`{op}` makes a constant of it",
        "if a gradient is wanted on this path, take stop_gradient out",
    ),
    "integers": (
        lambda c, op: f"`{op}` gives {_dtype(c)}, which has no derivative",
        f"compute with floats; {_THROUGH}",
    ),
    "indices": (
        lambda c, op: (
            f"`{op}` gives or takes places of elements, which move in jumps: no derivative flows through"
            if c.step
            else "it is used as an index, which moves in jumps: no derivative flows through"
        ),
        "use the values at these places, or a smooth choice such as softmax(x) @ values",
    ),
    "comparison": (
        lambda c, op: (
            f"`{op}` {'decides something inside' if c.inside else 'is true or false'}, which changes in jumps: no "
            "derivative flows through"
        ),
        "weigh instead of choosing, as with sigmoid((x - threshold) / width)",
    ),
    "rounding": (
        lambda c, op: f"`{op}` is piecewise constant, so its derivative is zero{_share(c)}",
        _THROUGH,
    ),
    "saturated": (
        lambda c, op: f"`{op}` is saturated: its derivative underflows to 0{_share(c)}{_first(c)}",
        "bring what goes in to a size of about 1: scale, normalise, or choose smaller initial values; for a logarithm "
        "of it use log_sigmoid, log_softmax or logsumexp",
    ),
    "relu": (
        lambda c, op: f"`{op}` is 0, and so is its derivative{_share(c)}{_first(c)}",
        "choose other initial values or a smaller step, or a function that is not flat: leaky_relu, elu, gelu",
    ),
    "clipped": (
        lambda c, op: f"`{op}` is at a bound, where it is constant{_share(c)}{_first(c)}",
        "start within the bounds, or use a smooth bound such as low + (high - low) * sigmoid(x)",
    ),
    "where": (
        lambda c, op: f"`{op}` takes the other branch{_share(c)}",
        "see whether the condition is meant: where it chooses the other branch, this one has no influence",
    ),
    "not chosen": (
        lambda c, op: f"`{op}` gives another element, so these have no influence{_share(c)}",
        "for a smooth maximum use logsumexp",
    ),
    "not read": (
        lambda c, op: f"`{op}` takes other elements" if c.inside else f"`{op}` does not read it{_share(c)}",
        "see whether the index, or the part that is taken, is meant",
    ),
    "overwritten": (
        lambda c, op: f"`{op}` puts other values in its place{_share(c)}",
        "see whether the old values are to count as well: x.at[i].add, or where",
    ),
    "times zero": (
        lambda c, op: (
            f"`{op}` multiplies it by 0{_share(c)}"
            if c.inside
            else f"{_other_operand(c)} of `{op}` is 0, so its derivative is zero{_share(c)}"
        ),
        "see where the zeros come from; initial values that are all zero are better drawn at random",
    ),
    "flat": (
        lambda c, op: f"the derivative of `{op}` is 0 there{_share(c)}{_first(c)}",
        "this is a stationary point of it: start somewhere else if it is none that you look for",
    ),
    "underflow": (
        lambda c, op: f"what comes back through `{op}` is too small for {_dtype(c)} and becomes 0{_share(c)}",
        "scale the result up, compute with logarithms, or in float64",
    ),
    "cancelled": (
        lambda c, op: f"what comes back on several paths is not zero, but its sum is{_share(c)}",
        "this is a stationary point, or the result does not depend on it, as x - x does not",
    ),
    "custom rule": (
        lambda c, op: f"the rule of `{op}` gives zero{_share(c)}",
        "check the rule: funcgrad.testing.check_grads compares it with differences",
    ),
    "shape": (
        lambda c, op: "nothing but its shape is used",
        "if its values are to count, compute with them",
    ),
    "branch": (
        lambda c, op: f"{_by(c)}it only decides what is computed, which changes in jumps: no derivative flows through",
        "weigh instead of choosing, as with sigmoid((x - threshold) / width)",
    ),
    "python": (
        lambda c, op: f"{_by(c)}it becomes a plain number, and what is computed from that is a constant",
        "compute with the array itself, with functions of funcgrad.numpy",
    ),
    "unused": (
        lambda c, op: _unused(c),
        "return what depends on it, or leave it out of the arguments",
    ),
}


def text_of(c: Cause) -> str:
    """Why, in a sentence without its line."""
    return WORDS[c.kind][0](c, operation_name(c.step))


def remedy_of(c: Cause) -> str:
    if c.kind == "unused" and c.step is not None and c.step.within is not None:
        return "the second derivative of relu, abs and where is zero: use smooth functions such as tanh or softplus"
    return WORDS[c.kind][1]


CUTS = names("stop_gradient integers indices comparison rounding shape branch python unused")
"""The kinds by which a gradient is lost, wherever the inputs are; with the others it is zero at these inputs."""

USUAL = frozenset(("not read", "where", "overwritten", "not chosen", "times zero"))
"""The kinds that need no remedy where they concern a part of a gradient."""

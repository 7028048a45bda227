"""Functions that choose or are repeated, written down as bodies.

They are closed like others (transforms/closing.py), with one thing more: what a function does to values that it closed
over is written down as well (`staging`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core.tape import Tape, equation
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.lax.staging import staging
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.closing import ClosingTrace, close


def closed(
    functions: Sequence[Callable], args: Sequence[Any], name: str, decides: bool = False
) -> tuple[list[TapeBody], list[Any], list[Any]]:
    """The bodies of functions of the same flat arguments, with common constants.

    Arguments:
        functions: of flat arguments, each giving a pytree.
        args: Arrays and tracers like the arguments, or their ShapeDtypeStructs.
        name: of the operation, for messages.
        decides: as for `close`.

    Returns:
        `(bodies, constants, out_trees)`: each body takes all constants before its arguments.
    """
    found = [_closed(f, args, name, decides) for f in functions]
    constants = list({id(c): c for _, cs, _ in found for c in cs}.values())
    bodies = []
    for body, own, _ in found:
        tape, inputs = body.tape, dict(zip(map(id, own), body.tape.inputs, strict=False))
        leading = [inputs.get(id(c)) or equation(0, None, (), {}, (), c.shape, c.dtype) for c in constants]
        everything = [*leading, *tape.inputs[len(own) :]]
        bodies.append(TapeBody(Tape(everything, tape.outputs, None, None, symbolic=True, effects=tape.effects)))
    return bodies, constants, [out_tree for _, _, out_tree in found]


def _closed(f: Callable, args: Sequence[Any], name: str, decides: bool) -> tuple[TapeBody, list[Any], Any]:
    trace = ClosingTrace(name)

    def staged(*xs: Any) -> PyTree:
        with staging(trace):
            return f(*xs)

    return close(staged, args, name, decides, trace)


def on_shapes(f: Callable, kinds: Sequence[ShapeDtypeStruct], name: str) -> Any:
    """What f gives for flat arguments of which only the types are known."""
    trace = ClosingTrace(name)
    trace.values = {}
    with trace, staging(trace):
        return f(*[trace.input(kind) for kind in kinds])

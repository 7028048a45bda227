"""`cond` and `switch`: one of several functions, chosen by a value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.tape import Tape
from funcgrad.core.trace import known
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.core.weak import Weak
from funcgrad.errors import ArgumentError
from funcgrad.lax.agreement import Result, check_branches
from funcgrad.lax.branches import Branches
from funcgrad.lax.carry import operands as operand_leaves
from funcgrad.lax.control_flow import ControlFlow, closed
from funcgrad.lax.staging import staging
from funcgrad.transforms.arguments import output_values
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.make_tape import SymbolicTrace

_NOT_GIVEN: Any = object()


def cond(pred: Any, true_fun: Callable, false_fun: Callable, *operands: PyTree, operand: PyTree = _NOT_GIVEN) -> PyTree:
    """Apply one of two functions, as `true_fun(*operands) if pred else false_fun(*operands)` does.

    Where pred is known just the chosen function is run. Of the other one only the types of its result are found out, by
    running it on shapes, when the two are first met together. In a batch whose examples differ, each function is run on
    the batch if some example needs it; a tape holds both.

    Arguments:
        pred: a boolean or real scalar; a number counts as true if it is not zero.
        true_fun, false_fun: functions of the operands, with results of the same structure, shapes and dtypes.
        operands: pytrees of arrays.
        operand: the only operand, in the older form; and `cond(pred, x, true_fun, y, false_fun)` gives each function an
            operand of its own.

    Returns:
        What the chosen function returned, its leaves as Arrays.

    Raises:
        ArgumentError: pred is no scalar, or the results differ in structure, shape or dtype.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> f = lambda x: fg.lax.cond(x > 0, fnp.sqrt, lambda x: 0.0 * x, x)
        >>> f(4.0), fg.vmap(fg.grad(f))(fnp.array([4.0, -1.0]))
        (Array(2., dtype=float64), Array([0.25, 0.  ], dtype=float64))

    Source: `jax.lax.cond` (https://docs.jax.dev/en/latest/_autosummary/jax.lax.cond.html).
    """
    if operand is not _NOT_GIVEN:
        if operands:
            raise ArgumentError(
                f"cond: if the 'operand' keyword is passed then no positional operands can be passed, got "
                f"operand={operand!r} and positional operands {operands!r}"
            )
        operands = (operand,)
    if len(operands) == 2 and not callable(true_fun) and callable(false_fun) and callable(operands[1]):
        on_true, on_false = false_fun, operands[1]
        operands = (true_fun, operands[0])
        true_fun, false_fun = (lambda x, _: on_true(x)), (lambda _, y: on_false(y))
    if not (callable(true_fun) and callable(false_fun)):
        raise ArgumentError("lax.cond: true_fun and false_fun arguments should be callable.")
    return _choose(_truth(pred), (false_fun, true_fun), operands, "cond", ("false_fun", "true_fun"))


def switch(index: Any, branches: Sequence[Callable], *operands: PyTree, operand: PyTree = _NOT_GIVEN) -> PyTree:
    """Apply one of several functions, as `branches[index](*operands)` does.

    What is run, and when, is as for `cond`.

    Arguments:
        index: an integer scalar. One that is negative chooses the first function, one beyond the end the last.
        branches: functions of the operands, with results of the same structure, shapes and dtypes.
        operands: pytrees of arrays.
        operand: the only operand, by keyword.

    Returns:
        What the chosen function returned, its leaves as Arrays.

    Raises:
        ArgumentError: index is no integer scalar, or the results differ in structure, shape or dtype.
        ValueError: there are no branches.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda i, x: fg.lax.switch(i, [fnp.sin, fnp.exp, fnp.square], x))(fnp.arange(3), fnp.zeros(3))
        Array([0., 1., 0.], dtype=float64)

    Source: `jax.lax.switch` (https://docs.jax.dev/en/latest/_autosummary/jax.lax.switch.html).
    """
    if operand is not _NOT_GIVEN:
        if operands:
            raise ArgumentError(
                f"switch: if the 'operand' keyword is passed then no positional operands can be passed, got "
                f"operand={operand!r} and positional operands {operands!r}"
            )
        operands = (operand,)
    if not all(callable(b) for b in branches):
        raise ArgumentError("lax.switch: branches argument should be a sequence of callables.")
    index = _number(index)
    if not branches:
        raise ValueError("Empty branch sequence: lax.switch needs one function at least")
    value = known(index)
    last = len(branches) - 1
    place: Any = min(max(int(value), 0), last) if value is not None else fnp.clip(index, 0, last)
    if last == 0:
        place = 0
    return _choose(place, tuple(branches), operands, "switch", [f"branch {k}" for k in range(len(branches))])


def _truth(pred: Any) -> Any:
    """A predicate as a bool, or, where its value is not known, as a boolean tracer.

    Raises:
        ArgumentError: it is no real scalar.
    """
    if pred is None:
        raise ArgumentError("cond predicate is None; it must be a boolean or a real number")
    if isinstance(pred, str | bytes | tuple | list | dict):
        raise ArgumentError(f"Pred must be a scalar, got {pred!s} of type {type(pred)}")
    if not isinstance(pred, Array | np.ndarray | np.generic | bool | int | float | complex):
        raise ArgumentError(f"Pred type must be either boolean or number, got {pred}.")
    if np.shape(pred) != ():
        raise ArgumentError(
            f"Pred must be a scalar, got {pred} of shape {np.shape(pred)}. To choose elementwise use "
            f"funcgrad.numpy.where, or vmap of cond"
        )
    kind = np.result_type(pred) if not isinstance(pred, Array) else pred.dtype
    if kind.kind not in "biuf":
        raise ArgumentError(f"Pred type must be either boolean or number, got {kind}.")
    value = known(pred)
    if value is not None:
        return bool(value != 0)
    return pred if kind.kind == "b" else fnp.not_equal(pred, 0)


def _number(index: Any) -> Any:
    """The index of switch, known to be an integer scalar."""
    if isinstance(index, tuple | list) and np.shape(index) != ():
        raise ArgumentError(f"Branch index must be scalar, got {index} of shape {np.shape(index)}.")
    if not isinstance(index, Array | np.ndarray | np.generic | bool | int | float | complex):
        raise ArgumentError(f"Index type must be an integer, got {index}.")
    if np.shape(index) != ():
        raise ArgumentError(f"Branch index must be scalar, got {index} of shape {np.shape(index)}.")
    kind = index.dtype if isinstance(index, Array) else np.asarray(index).dtype
    if kind.kind not in "iu":
        raise ArgumentError(f"Index type must be an integer, got {index} as {kind}")
    return index


def _choose(index: Any, branches: tuple[Callable, ...], args: tuple, name: str, labels: Sequence[str]) -> PyTree:
    """The branch of a number applied to operands; of the two branches of cond the second one is for true."""
    leaves, structure = operand_leaves(args, name)
    if known(index) is None:
        return _recorded(index, branches, leaves, structure, name, labels)
    number = int(known(index))
    outs, out_tree = output_values(branches[number](*structure.unflatten(leaves)), name)
    met = _meetings(tuple([_code(b) for b in branches]), tuple([(x.shape, x.dtype) for x in leaves]))
    if not met:
        met.append(True)
        one = Result(labels[number], branches[number], out_tree, outs)
        for k, branch in enumerate(branches):
            other = None if k == number else _on_shapes(Result(labels[k], branch, structure, leaves), name)
            if other is not None:
                check_branches(name, *((one, other) if (number < k) is (name == "switch") else (other, one)))
    return out_tree.unflatten(outs)


@lru_cache(maxsize=1024)
def _meetings(codes: tuple, kinds: tuple) -> list[bool]:
    """A list of its own for each combination of branches and types of operands, to note that they were checked."""
    return []


def _code(f: Callable) -> Any:
    """What stands for a function beyond this call, in which it may have been made."""
    while isinstance(f, partial):
        f = f.func
    return getattr(inspect.unwrap(f), "__code__", type(f))


def _on_shapes(branch: Result, name: str) -> Result | None:
    """What a branch gives, as far as one can tell without running it; its structure and kinds are of the operands.

    Nothing is said of a branch that fails: it was not chosen, and may be meant to fail.
    """
    trace = SymbolicTrace(name)
    with suppress(Exception), trace, staging(trace):
        given = [x if type(x) is Weak else trace.input(ShapeDtypeStruct(x.shape, x.dtype)) for x in branch.kinds]
        outs, out_tree = output_values(branch.function(*branch.structure.unflatten(given)), name)
        return Result(branch.label, branch.function, out_tree, [ShapeDtypeStruct(o.shape, o.dtype) for o in outs])
    return None


def _recorded(
    index: Any, branches: tuple[Callable, ...], leaves: list[Any], structure: Any, name: str, labels: Sequence[str]
) -> PyTree:
    """The choice as one operation."""

    def flat(branch: Callable) -> Callable:
        def f(*xs: Any) -> PyTree:
            given = iter(xs)
            return branch(*structure.unflatten([x if type(x) is Weak else next(given) for x in leaves]))

        return f

    arrays = [x for x in leaves if type(x) is not Weak]
    bodies, constants, out_trees = closed([flat(b) for b in branches], arrays, name, decides=True)
    found = [
        Result(label, branch, out_tree, body.kinds([]))
        for label, branch, out_tree, body in zip(labels, branches, out_trees, bodies, strict=True)
    ]
    for other in found[1:]:
        check_branches(name, *((found[0], other) if name == "switch" else (other, found[0])))
    given = [*constants, *arrays]
    forwarded = [_position(column, bodies) for column in zip(*[b.tape.outputs for b in bodies], strict=True)]
    bodies = [_without(body, forwarded) for body in bodies]
    outs = iter(ControlFlow(Branches(bodies), name)(index, *given))
    return out_trees[0].unflatten([next(outs) if i is None else given[i] for i in forwarded])


def _position(outputs: tuple, bodies: list[TapeBody]) -> int | None:
    """Which argument all branches give back as it is, as the result that has these places on their tapes."""
    places = {b.tape.inputs.index(o) if o in b.tape.inputs else None for o, b in zip(outputs, bodies, strict=True)}
    return places.pop() if len(places) == 1 else None


def _without(body: TapeBody, forwarded: list[int | None]) -> TapeBody:
    """A body without those results."""
    tape = body.tape
    outputs = [o for o, i in zip(tape.outputs, forwarded, strict=True) if i is None]
    return TapeBody(Tape(tape.inputs, outputs, None, None, symbolic=True, effects=tape.effects))

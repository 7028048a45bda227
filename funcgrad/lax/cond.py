"""`cond` and `switch`: one of several functions, chosen by a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from types import CellType
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array, wrap
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import known
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.core.weak import is_weak
from funcgrad.errors import ArgumentError
from funcgrad.lax.agreement import Result, check_branches
from funcgrad.lax.branches import Branches
from funcgrad.lax.carry import operands as operand_leaves
from funcgrad.lax.closing import closed, on_shapes
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.transforms.arguments import output_values
from funcgrad.transforms.bodies import TapeBody

__all__ = ["cond", "switch"]


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
        >>> f = lambda x: fg.lax.cond(x > 0, fnp.sqrt, lambda x: 0.0 * x, x)
        >>> f(4.0), fg.vmap(fg.grad(f))(fnp.array([4.0, -1.0]))
        (Array(2., dtype=float64), Array([0.25, 0.  ], dtype=float64))
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
        >>> fg.vmap(lambda i, x: fg.lax.switch(i, [fnp.sin, fnp.exp, fnp.square], x))(fnp.arange(3), fnp.zeros(3))
        Array([0., 1., 0.], dtype=float64)
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
    if type(pred) is bool:
        return pred
    if pred is None:
        raise ArgumentError("cond predicate is None; it must be a boolean or a real number")
    if isinstance(pred, (str, bytes, tuple, list, dict)):
        raise ArgumentError(f"Pred must be a scalar, got {pred!s} of type {type(pred)}")
    if not isinstance(pred, (Array, np.ndarray, np.generic, bool, int, float, complex)):
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
    if isinstance(index, (tuple, list)) and np.shape(index) != ():
        raise ArgumentError(f"Branch index must be scalar, got {index} of shape {np.shape(index)}.")
    if not isinstance(index, (Array, np.ndarray, np.generic, bool, int, float, complex)):
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
    met = _meetings(tuple([_identity(b) for b in branches]), tuple([(x.shape, x.dtype) for x in leaves]))
    if not met:
        met.append(True)  # at once, for a branch that calls itself would never get to its end
        try:
            _check_others(
                number, Result(labels[number], branches[number], out_tree, outs), branches, labels, args, name
            )
        except BaseException:  # an interrupt as well
            met.clear()
            raise
    return out_tree.unflatten(outs)


def _check_others(
    number: int, one: Result, branches: Sequence[Callable], labels: Sequence[str], args: tuple, name: str
) -> None:
    """Check that the other branches return the types of the branch taken."""
    leaves, structure = operand_leaves(args, name)
    for k, branch in enumerate(branches):
        other = None if k == number else _on_shapes(Result(labels[k], branch, structure, leaves), name)
        if other is not None:
            check_branches(name, *((one, other) if (number < k) is (name == "switch") else (other, one)))


@lru_cache(maxsize=1024)
def _meetings(identities: tuple, kinds: tuple) -> list[bool]:
    """A list of its own for each combination of branches and types of operands, to note that they were checked."""
    return []


def _identity(f: Any, depth: int = 3) -> Any:
    """What tells a function or another value from others beyond this call, in which it may have been made.

    It is the code, and the same of what the function closes over; of an array the type.
    """
    if isinstance(f, partial):
        return "partial", _identity(f.func), *[_identity(x, depth - 1) for x in f.args]
    code = getattr(f, "__code__", None)
    if code is None:
        return (f.shape, f.dtype) if isinstance(f, (Array, np.ndarray)) else type(f)
    if f.__closure__ is None or not depth:
        return code
    return code, *[_identity(cell.cell_contents, depth - 1) for cell in f.__closure__ if cell != _EMPTY]


_EMPTY = CellType()


def _on_shapes(branch: Result, name: str) -> Result | None:
    """What a branch gives, as far as one can tell without running it; its structure and kinds are of the operands.

    Nothing is said of a branch that fails: it was not chosen, and may be meant to fail.
    """
    arrays = [x for x in branch.kinds if not is_weak(x)]

    def flat(*xs: Any) -> Result:
        outs, out_tree = output_values(branch.function(*_with_numbers(branch.structure, branch.kinds, xs)), name)
        return Result(branch.label, branch.function, out_tree, [ShapeDtypeStruct(o.shape, o.dtype) for o in outs])

    with suppress(Exception):
        return on_shapes(flat, [ShapeDtypeStruct(x.shape, x.dtype) for x in arrays], name)
    return None


def _with_numbers(structure: Any, leaves: Sequence[Any], xs: Sequence[Any]) -> PyTree:
    """Operands with other leaves, but for the numbers without a dtype of their own."""
    given = iter(xs)
    return structure.unflatten([x if is_weak(x) else next(given) for x in leaves])


def _recorded(
    index: Any, branches: tuple[Callable, ...], leaves: list[Any], structure: Any, name: str, labels: Sequence[str]
) -> PyTree:
    """The choice as one operation."""

    def flat(branch: Callable) -> Callable:
        return lambda *xs: branch(*_with_numbers(structure, leaves, xs))

    arrays = [x for x in leaves if not is_weak(x)]
    bodies, constants, out_trees = closed([flat(b) for b in branches], arrays, name, decides=True)
    found = [
        Result(label, branch, out_tree, body.kinds([]))
        for label, branch, out_tree, body in zip(labels, branches, out_trees, bodies, strict=True)
    ]
    for other in found[1:]:
        check_branches(name, *((found[0], other) if name == "switch" else (other, found[0])))
    given = [*constants, *arrays]
    common = [_common(column, bodies, given) for column in zip(*[b.tape.outputs for b in bodies], strict=True)]
    bodies = [_without(body, common) for body in bodies]
    outs = iter(ControlFlow(Branches(bodies), name)(index, *given))
    return out_trees[0].unflatten([next(outs) if x is None else x for x in common])


def _common(outputs: tuple, bodies: list[TapeBody], given: list[Any]) -> Any:
    """What all branches give as a result, if that is one of their arguments or a number; otherwise None.

    Arguments:
        outputs: the places of the result on the tapes of the branches.
        bodies, given: the branches, and their arguments.
    """
    first = outputs[0]
    if type(first) is not Equation:
        same = [type(o) is not Equation and o.shape == () and o.dtype == first.dtype and o == first for o in outputs]
        return wrap(first) if first.shape == () and all(same) else None
    places = {
        b.tape.inputs.index(o) if type(o) is Equation and o in b.tape.inputs else None
        for o, b in zip(outputs, bodies, strict=True)
    }
    place = places.pop()
    return None if places or place is None else given[place]


def _without(body: TapeBody, common: list[Any]) -> TapeBody:
    """A body without the results that are known already."""
    tape = body.tape
    outputs = [o for o, x in zip(tape.outputs, common, strict=True) if x is None]
    return TapeBody(Tape(tape.inputs, outputs, None, None, symbolic=True, effects=tape.effects))

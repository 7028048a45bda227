"""`scan`: a loop over the rows of arrays that carries a value along and collects results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import index
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.types import PyTree
from funcgrad.core.weak import is_weak, strong
from funcgrad.errors import ArgumentError, ShapeError, type_text
from funcgrad.lax.agreement import first_argument
from funcgrad.lax.carry import Carry, operands, results
from funcgrad.lax.closing import closed
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan, joined, order
from funcgrad.transforms.make_tape import Kind, recording

__all__ = ["scan"]


def scan(
    f: Callable,
    init: PyTree,
    xs: PyTree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[PyTree, PyTree]:
    """Loop over the first axis of arrays, carrying a value along and collecting results.

        def scan(f, init, xs):
            carry, ys = init, []
            for x in xs:
                carry, y = f(carry, x)
                ys.append(y)
            return carry, stack(ys)

    Arguments:
        f: takes the carry and a row of each array in xs, and gives a pair: the next carry, of the same structure,
            shapes and dtypes, and a pytree of results.
        init: the first carry: a pytree of arrays. The dtype of a Python number in it is the one that f gives.
        xs: a pytree of arrays, all of one length along the first axis; None if there is nothing to loop over.
        length: the number of steps, needed if xs is None.
        reverse: whether to begin with the last row. Results lie where their rows do, in either case.
        unroll, _split_transpose: accepted as in JAX, where they guide the compiler.

    Returns:
        `(carry, ys)`: the last carry, and the results of all steps joined along a new first axis.

    Raises:
        ArgumentError: f gives no pair, or a carry of another type than it takes.
        ValueError: arrays of different lengths, or one without axes, or no length at all.

    Example:
        >>> fg.lax.scan(lambda total, x: (total + x, total * x), 0.0, fnp.array([1.0, 2.0, 3.0]))
        (Array(6., dtype=float64), Array([0., 2., 9.], dtype=float64))
    """
    if not callable(f):
        raise ArgumentError("lax.scan: f argument should be a callable.")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 0):
        raise ValueError(f"`unroll` must be a `bool` or a non-negative `int`, got {unroll!r}.")
    arrays, xs_structure = operands(xs, "scan")
    n = _length(arrays, xs, length)
    leaves, structure = operands(init, "scan")
    carry = Carry(leaves, structure, "scan", partial(first_argument, f, "carry"))
    if recording() or n == 0:
        return record_scan(f, leaves, carry, xs_structure.unflatten(arrays), n, reverse)
    value, ys = structure.unflatten(leaves), []
    single = len(arrays) == 1 and xs_structure.node_data() is None
    for i in order(n, reverse):
        rows = [x[i] for x in arrays]
        out = f(value, rows[0] if single else xs_structure.unflatten(rows))
        if type(out) is not tuple or len(out) != 2:
            out = _pair(out)
        value = carry.after(out[0])
        ys.append(out[1])
    outs, structure = results(value, "scan")
    return structure.unflatten(outs), _collected(ys, reverse)


def record_scan(
    f: Callable, leaves: list[Any], carry: Carry, xs: PyTree, length: int, reverse: bool, weak: bool = False
) -> tuple[PyTree, PyTree]:
    """A scan as one operation.

    Arguments:
        f: as for scan.
        leaves, carry: the initial carry.
        xs: a pytree of Arrays and tracers.
        length, reverse: as for scan.
        weak: whether the rows of xs are numbers without a dtype of their own.
    """
    arrays, xs_structure = tree.flatten(xs)
    rows = [Kind(x.shape[1:], x.dtype, weak) for x in arrays]
    m = len(leaves)

    def step(*args: Any) -> tuple:
        value, y = _pair(f(carry.structure.unflatten(args[:m]), xs_structure.unflatten(args[m:])))
        return carry.after(value), y

    leaves = carry.settle(leaves, rows, step)
    (body,), constants, (out_tree,) = closed([step], [*carry.kinds, *rows], carry.name)
    call = ControlFlow(Scan(body, len(constants), m, length, bool(reverse)), carry.name)
    return out_tree.unflatten(call(*constants, *leaves, *arrays))


def _length(arrays: list[Any], xs: PyTree, length: Any) -> int:
    """The number of steps.

    Raises:
        ShapeError: the arrays have no common length, or none at all.
        ArgumentError: length is no integer.
    """
    if any(x.ndim == 0 for x in arrays):
        scalars = ", ".join([str(strong(x)) for x in arrays if x.ndim == 0])
        raise ShapeError(
            f"scan got value with no leading axis to scan over: {scalars}. Values that all steps share belong in the "
            f"carry, or in a closure"
        )
    lengths = [x.shape[0] for x in arrays]
    if length is not None:
        if isinstance(length, float) and length.is_integer():
            length = int(length)
        try:
            n = index(length)
        except TypeError:
            raise ArgumentError(f"scan: length must be an int, got {length!r}") from None
        if any(k != n for k in lengths):
            raise ShapeError(
                f"scan got `length` argument of {n} which disagrees with leading axis sizes {lengths}.{_places(xs)}"
            )
        return max(n, 0)
    if not lengths:
        raise ShapeError("scan got no values to scan over and `length` not provided.")
    if len(set(lengths)) > 1:
        sizes = ", ".join(map(str, lengths))
        raise ShapeError(f"scan got values with different leading axis sizes: {sizes}.{_places(xs)}")
    return lengths[0]


def _places(xs: PyTree) -> str:
    lines = [f"\n  xs{tree.keystr(path)}: shape {np.shape(x)}" for path, x in tree.leaves_with_path(xs)]
    return "".join(lines)


def _pair(out: Any) -> tuple[Any, Any]:
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        shown = type_text(out) if hasattr(out, "dtype") else tree.map(type_text, out)
        raise ArgumentError(
            f"scan body output must be a pair, got {shown}. Return (carry, y), or (carry, None) if there is nothing to "
            f"collect"
        )
    return out[0], out[1]


def _collected(ys: list[PyTree], reverse: bool) -> PyTree:
    """What the steps gave, in the order of the steps, joined leaf by leaf."""
    if all(y is None for y in ys):
        return None
    if all(isinstance(y, Array) for y in ys):
        return _column(ys, reverse)
    found = [operands(y, "scan") for y in ys]
    structure = found[0][1]
    for _, other in found:
        if other != structure:
            raise ArgumentError(f"scan: the results of all steps must have one structure, got {structure} and {other}")
    return structure.unflatten(
        [_column(list(column), reverse) for column in zip(*[ls for ls, _ in found], strict=True)]
    )


def _column(rows: list[Any], reverse: bool) -> Any:
    dtype = rows[-1].dtype  # of the last step, where the dtypes of all values have settled
    rows = [strong(x).astype(dtype) if is_weak(x) else x for x in rows]
    return joined(rows[::-1] if reverse else rows)

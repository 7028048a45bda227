"""Choosing elementwise between arrays: where, select, choose, piecewise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Bool, Integer, Shaped
from funcgrad.errors import NoValueError
from funcgrad.numpy.convert import asarray, operand, reject, wrap
from funcgrad.numpy.indexing import concrete, index, nonzero
from funcgrad.numpy.shapes import broadcast_arrays
from funcgrad.ops import index as ops
from funcgrad.ops import structural

__all__ = ["choose", "piecewise", "select", "where"]


@overload
def where(
    condition: ArrayLike, *, size: int | None = None, fill_value: Any = None
) -> tuple[Integer[Array, " n"], ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Shaped[Array, "..."]: ...
def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike | tuple[ArrayLike, ...] | None = None,
) -> Shaped[Array, "..."] | tuple[Integer[Array, " n"], ...]:
    """Elements of x where a condition holds, and of y elsewhere. With the condition alone, `nonzero(condition)`.

    The gradient of the branch that is not chosen is multiplied by zero, so a NaN or an infinity in its derivative comes
    through; make its argument harmless as well: `where(x > 0, log(where(x > 0, x, 1)), 0)`.

    Arguments:
        condition: an array of booleans; numbers count as true if they are not zero.
        x, y: what to choose from. The three broadcast.
        size, fill_value: as for `nonzero`, where x and y are left out.

    Raises:
        ValueError: just one of x and y was given, or both and size or fill_value.

    Example:
        >>> fnp.where(fnp.array([True, False]), fnp.array([1.0, 2.0]), -1.0)
        Array([ 1., -1.], dtype=float64)
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    if size is not None or fill_value is not None:
        raise ValueError("where: size and fill_value have a meaning only without x and y")
    return wrap(ops.where(operand(condition), operand(x), operand(y)))


def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Shaped[Array, "..."]:
    """Elementwise the choice whose condition is the first to hold.

    Arguments:
        condlist: arrays of booleans.
        choicelist: as many arrays. All of them broadcast.
        default: where no condition holds.

    Raises:
        ValueError: the lists have different lengths, or are empty.
        TypeError: a condition is not boolean.

    Example:
        >>> x = fnp.array([1.0, 2.0, 3.0])
        >>> fnp.select([x < 2, x < 3], [x, 10 * x], default=-1.0)
        Array([ 1., 20., -1.], dtype=float64)
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            f"select takes as many conditions as choices, and one at least; got {len(condlist)} and {len(choicelist)}"
        )
    conditions, choices = [operand(c) for c in condlist], [operand(c) for c in (*choicelist, default)]
    for k, c in enumerate(conditions):
        if not isinstance(c, bool) and (not hasattr(c, "dtype") or c.dtype.kind != "b"):
            raise TypeError(f"select: condition {k} must be boolean, got {c!r}")
    dtype = np.result_type(*[c if isinstance(c, (int, float, complex)) else c.dtype for c in choices])
    *choices, out = [asarray(c, dtype) for c in choices]
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        out = wrap(ops.where(condition, choice, out))
    return out


def choose(
    a: ArrayLike, choices: Sequence[ArrayLike] | ArrayLike, out: Any = None, mode: str = "raise"
) -> Shaped[Array, "..."]:
    """Elementwise one of several arrays, by its number.

    Arguments:
        a: integers: which array.
        choices: the arrays, or one array whose first axis counts them. All broadcast with a.
        out: must be None.
        mode: what a number out of bounds does: "raise", "wrap" around, "clip" to the first or last.

    Raises:
        ValueError: a number is out of bounds, and mode is "raise".

    Example:
        >>> fnp.choose([1, 0], [fnp.array([1.0, 2.0]), fnp.array([3.0, 4.0])])
        Array([3., 2.], dtype=float64)
    """
    reject("choose", out=out)
    numbers, *parts = broadcast_arrays(a, *(choices if isinstance(choices, (list, tuple)) else asarray(choices)))
    n = len(parts)
    if mode == "wrap":
        numbers = np.remainder(numbers, n)
    elif mode == "clip":
        numbers = np.minimum(np.maximum(numbers, 0), n - 1)
    else:
        values = concrete(numbers, 'choose(x, choices, mode="raise")')
        if ((values < 0) | (values >= n)).any():
            raise ValueError(f"invalid entry in choice array: the numbers must be in [0, {n})")
    stacked = structural.stack(*parts, axis=0)
    return index(wrap(ops.take_along_axis(stacked, index(numbers, None), axis=0, unique=True)), 0)


def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike] | ArrayLike,
    funclist: Sequence[Callable | ArrayLike],
    *args: Any,
    **kw: Any,
) -> Shaped[Array, "..."]:
    """A function given by pieces, each applied to just those elements that it is for.

    Arguments:
        x: an array.
        condlist: for each piece where it holds; of several the last counts.
        funclist: the pieces, functions or constants; one more than conditions says what holds elsewhere, by default 0.
        args, kw: passed on to the functions.

    Returns:
        An array with the shape and dtype of x.

    Raises:
        ValueError: the lengths of condlist and funclist do not fit.

    Example:
        >>> x = fnp.array([-1.0, 4.0])
        >>> fnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, fnp.sqrt])
        Array([1., 2.], dtype=float64)
    """
    a = asarray(x)
    given: Any = condlist
    if np.isscalar(given) or (a.ndim and not isinstance(given[0], np.ndarray) and not np.ndim(given[0])):
        given = [given]
    conditions = [asarray(c, np.dtype(bool)) for c in given]
    if len(funclist) == len(conditions) + 1:
        *funclist, otherwise = funclist
        rest = np.ones(conditions[0].shape, bool)
        for c in conditions:
            rest = np.logical_and(rest, np.logical_not(c))
        conditions, funclist = [*conditions, asarray(rest)], [*funclist, otherwise]
    elif len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected, got {len(funclist)}")
    out = asarray(np.zeros(a.shape, a.dtype))
    for condition, piece in zip(conditions, funclist, strict=True):
        out = _with_piece(out, a, condition, piece, args, kw)
    return out


def _with_piece(out: Array, x: Array, condition: Bool[Array, "..."], piece: Any, args: tuple, kw: dict) -> Array:
    try:
        mask = np.array(condition._concrete("piecewise"))
    except NoValueError:  # only shapes are known: evaluate everywhere and choose
        value = asarray(piece(x, *args, **kw) if callable(piece) else piece).astype(out.dtype)
        return wrap(ops.where(condition, value, out))
    if not mask.any():
        return out
    value = piece(index(x, mask), *args, **kw) if callable(piece) else piece
    return wrap(ops.index_set(out, asarray(value).astype(out.dtype), None, index=mask))

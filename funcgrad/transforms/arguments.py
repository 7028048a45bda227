"""What transforms take and give: pytrees of arrays, taken apart into leaves that are checked one by one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy import ndarray

from funcgrad.core import tree
from funcgrad.core.array import NATIVE, NUMBERS, Array, raw, snapshot, wrap
from funcgrad.core.trace import Trace, Tracer
from funcgrad.core.types import PYTHON_NUMBERS, PyTree
from funcgrad.core.weak import is_weak, strong, weak
from funcgrad.errors import ArgumentError, as_in_jax
from funcgrad.ops.elements import is_objects, joined, number, plain
from funcgrad.transforms.loans import Loans

float0 = np.dtype([("float0", np.void, 0)])
"""The dtype of the cotangent of an integer: it carries no information, as in JAX."""

CLOSE_OVER = " Close over values that are no arrays, as s in lambda x: f(x, s)"
"""What to do with an argument that is no array."""

_ARRAYS = (Array, ndarray, np.generic)
_LEAVES = (*_ARRAYS, bool, int, float, complex)

Refusal: TypeAlias = Callable[[Any, np.dtype], tuple[str, str] | None]


def leaf_value(x: Any, where: Callable[[], str], remedy: str = "") -> Any:
    """A leaf as an owned value.

    Arguments:
        x: the leaf.
        where: gives its name and place, for messages.
        remedy: what to do about a leaf that is no array, as a sentence after a blank.

    Raises:
        ArgumentError: it is no array.
    """
    if not isinstance(x, _LEAVES):
        raise no_array(x, where(), remedy)
    try:
        if is_objects(x):
            return raw(joined(x))
        return snapshot(x)[()] if type(x) in PYTHON_NUMBERS else snapshot(x)
    except ArgumentError as e:
        raise type(e)(f"{where()}: {e}{as_in_jax(_NOT_VALID.format(type(x)))}") from None


def no_array(x: Any, what: str, remedy: str) -> ArgumentError:
    """The error for a leaf that is no array.

    Arguments:
        x: the leaf.
        what: its name and place.
        remedy: what to do about it, as a sentence after a blank.
    """
    kind = f"{type(x).__module__}.{type(x).__qualname__}".removeprefix("builtins.")
    if hasattr(x, "__array__"):  # of a library that puts names around arrays
        return ArgumentError(
            f"{what} must be an array or a number, got a {kind}. Give the array in it: s.to_numpy() of a "
            f"pandas.Series, d.data of an xarray.DataArray{as_in_jax(_NOT_VALID.format(type(x)))}"
        )
    if hasattr(x, "__dict__"):
        hint = ". Register its class as a pytree, or close over it, as s in lambda x: f(x, s)"
    else:
        hint = f".{remedy}"
    return ArgumentError(
        f"{what} must be an array or a number, got {x!r} of type {kind}{hint}"
        f"{as_in_jax(f'{x!r} of type {type(x)} is not a valid JAX type')}"
    )


_NOT_VALID = "Value of type {} is not a valid JAX type"


def input_value(x: Any, where: Callable[[], str]) -> Any:
    """`leaf_value` of a leaf of the arguments of a transform; a tracer of a transform further out passes."""
    if type(x) is Array:
        return x._value
    if isinstance(x, Tracer):
        x._check_alive()
        return strong(number(x))
    return leaf_value(x, where, CLOSE_OVER)


def in_floats(x: Any, dtype: np.dtype) -> Any:
    """A tangent or cotangent in this dtype if it is one of integers: SciPy tries a product with a vector of int8."""
    return x.astype(dtype) if x.dtype.kind in "biu" else x


def weak_or_value(x: Any, where: Callable[[], str]) -> Any:
    """`input_value`, but what has no dtype of its own stays so: Python numbers become a Weak."""
    x = number(x)
    if isinstance(x, Tracer) and is_weak(x):
        x._check_alive()
        return x
    value = input_value(x, where)
    return weak(value.item()) if is_weak(x) and (type(x) is not int or value.dtype == np.int64) else value


def input_values(
    args: tuple,
    name: str,
    numbers: Sequence[int | str] | None = None,
    refuse: Refusal | None = None,
    keep_weak: bool = False,
    loans: Loans | None = None,
) -> tuple[list[Any], Any]:
    """The leaves of the arguments of a transform as raw values or outer tracers, and their structure.

    Nobody else can write to the values: ndarrays are copied, or on loan.

    Arguments:
        args: the arguments.
        name: of the transform, for messages.
        numbers: the positions of the arguments as the user counts them; by default 0, 1, …
        refuse: given a leaf and its dtype, says what the transform requires instead, and what to do; or None.
        keep_weak: whether what has no dtype of its own, as Python numbers have none, stays so.
        loans: takes large ndarrays on loan, so that they are not copied.

    Raises:
        ArgumentError: a leaf is no array, or refused; the message gives its place.
    """
    leaves, in_tree = tree.flatten(args)

    def place(k: int) -> str:
        return tree.argument_place(tree.leaves_with_path(args)[k][0], numbers)

    def where(k: int) -> str:
        return f"{name}: {place(k)}"

    value_of = weak_or_value if keep_weak else input_value
    values = []
    for k, x in enumerate(leaves):
        if loans is not None:
            x = loans.input(x)
        if type(x) is Array:
            value = x._value
        elif type(x) is float and not keep_weak:  # as `input_value` has it, sooner
            value = np.float64(x)
        elif type(x) is ndarray and x.dtype in NATIVE:
            value = snapshot(x)
        else:
            value = value_of(x, functools.partial(where, k))
        if refuse is not None and (refusal := refuse(x, value.dtype)):
            requires, remedy = refusal
            raise ArgumentError(f"{name} {requires} for {place(k)}. {remedy}")
        values.append(value)
    return values, in_tree


def split_arrays(values: PyTree) -> tuple[list[Array], Callable[[Sequence[Any]], PyTree]]:
    """The arrays of a pytree whose other leaves may be anything, and a function that replaces them."""
    leaves, structure = tree.flatten(values)
    places = [k for k, x in enumerate(leaves) if isinstance(x, _ARRAYS) and x.dtype.kind in NUMBERS]
    arrays = [wrap(weak_or_value(leaves[k], str)) for k in places]

    def whole(xs: Sequence[Any]) -> PyTree:
        full = list(leaves)
        for k, x in zip(places, xs, strict=True):
            full[k] = x
        return structure.unflatten(full)

    return arrays, whole


def called(fun: Callable, args: tuple, kwargs: dict) -> PyTree:
    """The result of a function where no transform runs; arrays become Arrays on the way in and out."""
    arrays, whole = split_arrays((args, kwargs))
    given, named = whole(arrays)
    found, out = split_arrays(fun(*given, **named))
    return out(found)


def output_values(out: PyTree, name: str) -> tuple[list[Any], Any]:
    """The leaves of what the user's function returned, as Arrays and tracers, and their structure."""
    leaves, out_tree = tree.flatten(out)
    for k, x in enumerate(leaves):
        if type(x) is not Array:
            x = number(x)
            leaves[k] = x if isinstance(x, Tracer) else output_value(x, functools.partial(_result_place, out, name, k))
    return leaves, out_tree


def output_value(x: Any, where: Callable[[], str]) -> Array:
    """A leaf of what the user's function returned, as an Array or tracer; `where` gives its name and place."""
    x = number(x)
    return x if type(x) is Array or isinstance(x, Tracer) else wrap(leaf_value(x, where))


def _result_place(out: PyTree, name: str, k: int) -> str:
    place = tree.keystr(tree.leaves_with_path(out)[k][0])
    return f"{name}: the result of the function{f' at {place}' if place else ''}"


def split_aux(out: Any, has_aux: bool, trace: Trace) -> tuple[PyTree, PyTree]:
    """What the user's function returned as (result, aux); aux as it is outside the trace, and None if there is none.

    Raises:
        ArgumentError: has_aux is true, and the function did not return a pair.
    """
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise ArgumentError(
            f"{trace.transform}: with has_aux=True the function must return a two-element tuple, the pair (result, "
            f"aux); got {f'a tuple of length {len(out)}' if isinstance(out, tuple) else type(out).__name__}"
        )
    result, aux = out

    def outside(x: Any) -> Any:
        x = plain(x)
        return wrap(x._value) if isinstance(x, Array) and trace.own(x) else x

    return result, tree.map(outside, aux)

"""Where the examples lie: `in_axes` and `out_axes` of vmap, and the number of examples that follows from them.

An axis is an int, or None for a value that all examples share. A specification is an axis, or a pytree of axes that is
a prefix of what it describes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.errors import ArgumentError, ShapeError, TreeError, type_text


def checked_axes(axes: Any, name: str) -> Any:
    """A specification of axes that holds nothing but ints and None; a list for the arguments becomes a tuple.

    Arguments:
        axes: the specification.
        name: `in_axes` or `out_axes`.

    Raises:
        ArgumentError: it holds something else.
    """
    if name == "in_axes":
        axes = tuple(axes) if isinstance(axes, list) else axes
        if not _is_axis(axes) and not isinstance(axes, tuple):
            raise ArgumentError(
                f"vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
                f"passed to the function, but got {axes!r}. For one argument that is a pytree write ({axes!r},)"
            )
    for axis in tree.leaves(axes):
        if not _is_axis(axis):
            raise ArgumentError(
                f"vmap {name} must be an int, None, or (nested) container with those types as leaves, but got "
                f"{axis!r} of type {type(axis).__name__} in {axes!r}"
            )
    return axes


def _is_axis(x: Any) -> bool:
    return x is None or (isinstance(x, int) and not isinstance(x, bool))


def axis_of_each(axes: Any, values: Any, count: int, name: str) -> list[Any]:
    """One axis for each leaf of values.

    Arguments:
        axes: the specification.
        values: a pytree; for in_axes, the tuple of positional arguments.
        count: how many leaves it has.
        name: `in_axes` or `out_axes`.

    Raises:
        TreeError: axes is no prefix of values.
    """
    if _is_axis(axes):
        return [axes] * count
    if name == "in_axes" and len(axes) != len(values):
        raise TreeError(
            f"vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments "
            f"passed to the function, but got len(in_axes)={len(axes)}, len(args)={len(values)}"
        )
    try:
        return tree.broadcast_prefix(axes, values, is_leaf=_is_axis)
    except TreeError as e:
        raise TreeError(
            f"vmap {name} specification must be a tree prefix of the corresponding value; got specification {axes!r} "
            f"for value tree {tree.structure(values)}. Mismatch details: {e}"
        ) from None


def batch_size(
    f: Callable, values: Sequence[Any], axes: Sequence[Any], args: tuple, kwargs: dict, axis_size: int | None
) -> int:
    """The number of examples.

    Arguments:
        f: the function, for messages.
        values: the leaves of the arguments; those with an axis are arrays.
        axes: for each its axis.
        args, kwargs: the arguments.
        axis_size: the number that the user gave.

    Raises:
        ArgumentError: nothing says it.
        ShapeError: an array has not the axis, or they have different lengths.
    """
    sizes: dict[int, list[int]] = {}
    for k, (v, a) in enumerate(zip(values, axes, strict=True)):
        if a is None:
            continue
        if not -v.ndim <= a < v.ndim:
            raise ShapeError(
                f"vmap was requested to map its argument along axis {a}, which implies that its rank should be at "
                f"least {a + 1 if a >= 0 else -a}, but is only {v.ndim} (its shape is {v.shape}): this is "
                f"{_places(f, args, kwargs)[k]}. For a value that all examples share give None in in_axes; keyword "
                f"arguments are always mapped along axis 0, so close over such a value instead"
            )
        sizes.setdefault(v.shape[a], []).append(k)
    if axis_size is None and not sizes:
        if not values:
            raise ArgumentError(
                f"vmap wrapped function must be passed at least one argument containing an array or axis_size must be "
                f"specified, got empty *args={args} and **kwargs={kwargs}"
            )
        raise ArgumentError(
            "vmap must have at least one non-None value in in_axes or axis_size must be specified: otherwise the "
            "number of examples is unknown"
        )
    if len(sizes) > 1 or (axis_size is not None and sizes.keys() - {axis_size}):
        raise _different_sizes(sizes, values, axes, _places(f, args, kwargs), axis_size)
    return next(iter(sizes), axis_size)  # type: ignore[return-value]  # without sizes it was given


def _different_sizes(
    sizes: dict[int, list[int]], values: Sequence[Any], axes: Sequence[Any], places: list[str], axis_size: int | None
) -> ShapeError:
    lines = [] if axis_size is None else [f"the `axis_size` argument was {axis_size}"]
    for rank, (size, found) in enumerate(sorted(sizes.items(), key=lambda item: -len(item[1]))):
        k = found[0]
        example = f"axis {axes[k]} of {places[k]} of type {type_text(values[k])}"
        if len(found) == 1:
            lines.append(f"one axis had size {size}: {example}")
        else:
            lines.append(f"{'some' if rank else 'most'} axes ({len(found)} of them) had size {size}, e.g. {example}")
    listed = ";\n".join([f"  * {line}" for line in lines])
    return ShapeError(
        f"vmap got inconsistent sizes for array axes to be mapped:\n{listed}\nin_axes says along which axis of each "
        f"argument the examples lie, None for one that they share"
    )


def _places(f: Callable, args: tuple, kwargs: dict) -> list[str]:
    """What each leaf of the arguments is called in messages: by the parameters of f, as far as it names them."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # some builtins have none
        parameters = {}.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    places = []
    for path, _ in tree.leaves_with_path(args):
        i = path[0].idx
        known = f"argument {names[i]}{tree.keystr(path[1:])}" if i < len(names) else f"args{tree.keystr(path)}"
        places.append(known)
    for key, value in kwargs.items():
        places += [f"kwargs[{key!r}]{tree.keystr(path)}" for path, _ in tree.leaves_with_path(value)]
    return places

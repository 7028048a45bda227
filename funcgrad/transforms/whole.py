"""Transforms of compiled functions, compiled as a whole.

The gradient of a compiled function could call the program of the function and that of its backward pass. It is faster
as one program, in which nothing is left of the transform itself. The transforms know no compiler: a function that can
do so has a method `__funcgrad_transformed__`, and they ask it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any


def whole(f: Any, key: tuple[Hashable, ...], function: Callable, same: bool = True) -> Callable:
    """A transformed function, compiled if f is.

    Arguments:
        f: what was transformed. If its class has a method `__funcgrad_transformed__(key, function, same)`, that gives
            the result.
        key: the name of the transform, and its options.
        function: the transformed function.
        same: whether it takes the arguments that f takes.
    """
    take = getattr(type(f), "__funcgrad_transformed__", None)
    return function if take is None else take(f, key, function, same)

"""How the functions of funcgrad.random read their arguments: keys, shapes, dtypes and parameters of distributions.

Every error names the function and the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import shape_of
from funcgrad.errors import ArgumentError, ShapeError, type_text
from funcgrad.numpy.convert import asarray

KEY_WORDS = 2  # a key is 64 bits: one number of 64, or two words of 32


# Keys.


def is_raw(key: Any) -> bool:
    """Whether keys are given as pairs of words, as `PRNGKey` makes them."""
    return key.dtype == np.uint32


def key_array(name: str, key: Any) -> Array:
    """Keys of any shape, as an array of numbers or of pairs of words.

    Raises:
        ArgumentError: they are no keys.
    """
    if not isinstance(key, (Array, np.ndarray, np.generic)):
        made = f"; make a key of it with fg.random.key({key})" if isinstance(key, int) else ""
        raise ArgumentError(f"{name}: key must be a key, as fg.random.key(0) makes them, got {key!r}{made}")
    if key.dtype == np.uint64 or (key.dtype == np.uint32 and key.shape[-1:] == (KEY_WORDS,)):
        return asarray(key)
    raise ArgumentError(
        f"{name}: key must be of dtype uint64, as fg.random.key(0) makes them, or of dtype uint32 with a last axis of "
        f"length {KEY_WORDS}, as PRNGKey(0) does; got {type_text(key)}"
    )


def one_key(name: str, key: Any) -> Array:
    """A single key, as one number.

    Raises:
        ArgumentError: it is no key.
        ShapeError: there are several.
    """
    key = key_array(name, key)
    shape = key.shape[:-1] if is_raw(key) else key.shape
    if shape:
        raise ShapeError(
            f"{name}: takes one key, but got keys of shape {shape}. Choose one, keys[0], or map over them: "
            f"fg.vmap(lambda key: fg.random.{name}(key, ...))(keys)"
        )
    return packed(key)


def packed(key: Array) -> Array:
    """Keys as numbers of 64 bits."""
    if not is_raw(key):
        return key
    words = key.astype(np.uint64)
    return (words[..., 0] << np.uint64(32)) | words[..., 1]


# Shapes.


def lengths(name: str, shape: Any, what: str = "shape") -> tuple[int, ...]:
    """A shape as a tuple of ints.

    Arguments:
        name: of the function.
        shape: what the caller gave.
        what: how the argument is called.

    Raises:
        ArgumentError: it is no sequence of integers.
        ShapeError: a length is negative.
    """
    if not isinstance(shape, (Sequence, np.ndarray, Array)) or isinstance(shape, str):
        hint = f"; write {what}=({shape},)" if isinstance(shape, int) else ""
        raise ArgumentError(f"{name}: {what} must be a tuple of ints, got {shape!r}{hint}")
    try:
        found = tuple([index(n) for n in shape])
    except TypeError:
        raise ArgumentError(f"{name}: {what} must hold ints, got {shape!r}") from None
    if any(n < 0 for n in found):
        raise ShapeError(f"{name}: {what} must not hold negative numbers, got {found}")
    return found


def common_shape(name: str, shape: Any, **parameters: Any) -> tuple[int, ...]:
    """The shape of a sample: as asked for, or else that to which the parameters broadcast.

    Arguments:
        shape: what the caller gave, perhaps None.
        parameters: arrays, or shapes in tuples, that must broadcast to the shape of the sample.

    Raises:
        ShapeError: the parameters do not fit each other, or the shape.
    """
    shapes = {k: p if isinstance(p, tuple) else shape_of(p) for k, p in parameters.items()}
    told = ", ".join(f"{k} {s}" for k, s in shapes.items())
    try:
        common = np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ShapeError(f"{name}: the parameters do not broadcast against each other; their shapes: {told}") from None
    if shape is None:
        return common
    wanted = lengths(name, shape)
    try:
        fits = np.broadcast_shapes(wanted, common) == wanted
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"{name}: the parameters do not broadcast to shape {wanted}; their shapes: {told}")
    return wanted


# Dtypes and parameters.


def floating(name: str, dtype: Any, default: Any = np.float64) -> np.dtype:
    """The dtype of real samples.

    Raises:
        ArgumentError: not float16, float32 or float64.
    """
    found = np.dtype(default if dtype is None else dtype)
    if found.char not in "efd":
        raise ArgumentError(f"{name}: dtype must be float16, float32 or float64, got {found}")
    return found


def parameter(name: str, what: str, value: Any, dtype: np.dtype) -> Array:
    """A parameter of a distribution, in the dtype of the sample.

    Raises:
        ArgumentError: it is no array of real numbers.
    """
    x = real(name, what, value)
    return x if x.dtype == dtype else x.astype(dtype)


def real(name: str, what: str, value: Any) -> Array:
    """A parameter of a distribution, in its own dtype.

    Raises:
        ArgumentError: it is no array of real numbers.
    """
    try:
        x = asarray(value)
    except (ArgumentError, ValueError):
        raise ArgumentError(f"{name}: {what} must be a number or an array, got {value!r}") from None
    if x.dtype.kind == "c":
        raise ArgumentError(f"{name}: {what} must be real, got {type_text(x)}")
    return x


def inexact(name: str, what: str, value: Any) -> Array:
    """A parameter in its own dtype if that is a floating one, otherwise in float64.

    Raises:
        ArgumentError: it is no array of real numbers.
    """
    x = real(name, what, value)
    return x if x.dtype.char in "efd" else x.astype(np.float64)

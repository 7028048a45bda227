"""Keys: where random numbers come from, and how one key gives others.

A key is 64 bits. `key(seed)` holds them in one number: an Array of dtype uint64 and shape (). So keys are arrays like
others, that can be indexed, stacked, mapped over and passed through every transform. `PRNGKey(seed)` holds them in two
words, of dtype uint32 and shape (2,), as older programs for JAX have it; every function takes either, and gives keys of
the kind that it got.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.types import ArrayLike, Integer
from funcgrad.errors import ArgumentError, ShapeError, type_text
from funcgrad.numpy.convert import asarray
from funcgrad.numpy.joining import stack
from funcgrad.ops.random_bits import counters, threefry2x32
from funcgrad.random.arguments import KEY_WORDS, is_raw, key_array, lengths, one_key, packed

__all__ = ["PRNGKey", "clone", "fold_in", "key", "key_data", "key_impl", "split", "wrap_key_data"]

_IMPLEMENTATION = "threefry2x32"


def key(seed: ArrayLike, *, impl: str | None = None) -> Integer[Array, ""]:
    """A key from a seed.

    Arguments:
        seed: an integer; may be traced.
        impl: the generator; there is one, "threefry2x32".

    Returns:
        The key, an Array of dtype uint64 and shape ().

    Raises:
        ArgumentError: the seed is no integer of at most 64 bits, or the generator is unknown.
        ShapeError: several seeds; map over them with vmap.

    Example:
        >>> fg.random.split(fg.random.key(0))
        Array([7719171245655871230, 3989946895414531357], dtype=uint64)
    """
    return _seeded("key", seed, impl)


def PRNGKey(seed: ArrayLike, *, impl: str | None = None) -> Integer[Array, "2"]:
    """A key from a seed, as two words.

    Arguments:
        seed, impl: as for `key`.

    Returns:
        The key, an Array of dtype uint32 and shape (2,).

    Raises:
        ArgumentError, ShapeError: as for `key`.

    Example:
        >>> fg.random.PRNGKey(7)
        Array([0, 7], dtype=uint32)
    """
    return _words(_seeded("PRNGKey", seed, impl))


def _seeded(name: str, seed: Any, impl: str | None) -> Array:
    _check_impl(name, impl)
    if type(seed) is int:
        if not -(2**63) <= seed < 2**64:
            raise ArgumentError(f"{name}: seed must have at most 64 bits, got {seed}")
        return wrap(np.uint64(seed % 2**64))
    kind = getattr(getattr(seed, "dtype", None), "kind", None)
    if kind is None or kind not in "iu":
        raise ArgumentError(f"{name}: seed must be an integer, got {seed!r}")
    if seed.shape:
        raise ShapeError(
            f"{name}: takes one seed, but got an array of shape {seed.shape}. Map over it: "
            f"fg.vmap(fg.random.{name})(seeds)"
        )
    seed = asarray(seed)
    short = seed.dtype.itemsize < 8  # a negative number of 32 bits or less fills one word only
    return seed.astype(np.uint32).astype(np.uint64) if short else seed.astype(np.uint64)


def _check_impl(name: str, impl: str | None) -> None:
    if impl not in (None, _IMPLEMENTATION):
        raise ArgumentError(f'{name}: there is one generator, impl="{_IMPLEMENTATION}", got {impl!r}')


def _words(keys: Array) -> Array:
    return stack([(keys >> np.uint64(32)).astype(np.uint32), keys.astype(np.uint32)], axis=-1)


def _like(given: Any, made: Any) -> Array:
    """New keys in the form of those that were given."""
    return _words(made) if is_raw(given) else made


def split(key: ArrayLike, num: int | Sequence[int] = 2) -> Integer[Array, "..."]:
    """New keys from one, which should not be used again.

    Arguments:
        key: a key.
        num: how many, or the shape of an array of them.

    Returns:
        An array of `num` keys. Unpack it: `key, subkey = split(key)`.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or num is no number of keys.

    Example:
        >>> keys = fg.random.split(fg.random.key(0), 3)
        >>> keys.shape
        (3,)
    """
    shape = lengths("split", num if isinstance(num, Sequence) else (num,), "num")
    return _like(key, threefry2x32(one_key("split", key), counters(shape)))


def fold_in(key: ArrayLike, data: ArrayLike) -> Integer[Array, "..."]:
    """A new key from a key and a number: the same for the same number, different for others.

    Arguments:
        key: a key.
        data: an integer, such as the number of a step; may be traced. Its last 32 bits count.

    Returns:
        A key. `fold_in(key, i)` is the i-th key of `split(key, n)`.

    Raises:
        ArgumentError: key is no key, or data no integer of at most 32 bits.
        ShapeError: there are several of them.

    Example:
        >>> key = fg.random.key(0)
        >>> fg.random.fold_in(key, 1) == fg.random.split(key, 5)[1]
        Array(True, dtype=bool)
    """
    number = asarray(data)
    if number.dtype.kind not in "iu":
        raise ArgumentError(f"fold_in: data must be an integer, got {data!r}")
    if number.shape:
        raise ShapeError(f"fold_in: takes one number, but data has shape {number.shape}. Map over it with fg.vmap")
    if type(data) is int and not 0 <= data < 2**32:
        raise ArgumentError(f"fold_in: data must lie between 0 and 2**32 - 1, got {data}")
    return _like(key, threefry2x32(one_key("fold_in", key), number.astype(np.uint32).astype(np.uint64)))


def clone(key: ArrayLike) -> Integer[Array, "..."]:
    """The same key again: says that numbers are meant to be drawn from it a second time.

    Arguments:
        key: a key, or an array of keys.

    Returns:
        An equal key.

    Raises:
        ArgumentError: key is no key.

    Example:
        >>> key = fg.random.key(3)
        >>> fg.random.clone(key) == key
        Array(True, dtype=bool)
    """
    return key_array("clone", key)


def key_data(keys: ArrayLike) -> Integer[Array, "... 2"]:
    """The two words of each key.

    Arguments:
        keys: a key, or an array of keys.

    Returns:
        An array of dtype uint32, with a last axis of length 2.

    Raises:
        ArgumentError: they are no keys.

    Example:
        >>> fg.random.key_data(fg.random.key(7))
        Array([0, 7], dtype=uint32)
    """
    given = key_array("key_data", keys)
    return given if is_raw(given) else _words(given)


def wrap_key_data(key_bits_array: ArrayLike, *, impl: str | None = None) -> Integer[Array, "..."]:
    """Keys from their words: the inverse of `key_data`.

    Arguments:
        key_bits_array: of dtype uint32, with a last axis of length 2.
        impl: the generator; there is one, "threefry2x32".

    Returns:
        An array of keys, of the shape that is left.

    Raises:
        ArgumentError: the words are of another dtype or shape, or the generator is unknown.

    Example:
        >>> fg.random.wrap_key_data(np.array([0, 7], np.uint32)) == fg.random.key(7)
        Array(True, dtype=bool)
    """
    _check_impl("wrap_key_data", impl)
    dtype, shape = getattr(key_bits_array, "dtype", None), getattr(key_bits_array, "shape", ())
    if dtype != np.uint32 or shape[-1:] != (KEY_WORDS,):
        raise ArgumentError(
            f"wrap_key_data: the words of keys are of dtype uint32 with a last axis of length {KEY_WORDS}, got "
            f"{type_text(key_bits_array)}"
        )
    return packed(asarray(key_bits_array))


def key_impl(keys: ArrayLike) -> str:
    """The name of the generator that keys are for.

    Arguments:
        keys: a key, or an array of keys.

    Returns:
        "threefry2x32".

    Raises:
        ArgumentError: they are no keys.

    Example:
        >>> fg.random.key_impl(fg.random.key(0))
        'threefry2x32'

    Source: jax.random.key_impl (https://docs.jax.dev/en/latest/jax.random.html).
    """
    key_array("key_impl", keys)
    return _IMPLEMENTATION

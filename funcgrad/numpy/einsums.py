"""`einsum` and `einsum_path`: a contraction is brought into sums, diagonals and products of two operands.

Labels are read once into a normal form (every operand has each label once, every label one size). From there a
contraction of any number of operands goes pair by pair, along a path that keeps intermediate results small. Each pair
is one `einsum` primitive, so the backward pass follows the same path and reuses the same results.
"""

from __future__ import annotations

import functools
import string
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import Shaped
from funcgrad.numpy.contractions import in_preferred
from funcgrad.numpy.convert import asarray, operand, reject, wrap
from funcgrad.numpy.shapes import astype
from funcgrad.ops import contract
from funcgrad.ops.reduce import reduce_sum
from funcgrad.ops.structural import diagonal, reshape, transpose

__all__ = ["einsum", "einsum_path"]

_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order in which NumPy sorts them
_LETTER_OF = dict(enumerate(_LETTERS))


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    optimize: bool | str | list | tuple = "greedy",
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """Sums of products of array elements, named by Einstein's convention.

    Arguments:
        operands: subscripts such as `"ij,jk->ik"` and the arrays, or arrays and lists of integer labels in turn:
            `einsum(a, [0, 1], b, [1, 2], [0, 2])`. `...` stands for axes that broadcast; if the result is written
            out without it, they are summed over.
        out: only None.
        dtype: in which to compute; by default that of the operands together.
        optimize: in which order three or more arrays are multiplied: "greedy" or True, "optimal", a path from
            `einsum_path`, or False for the order in which they are given.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: JAX's name for dtype.

    Returns:
        The contraction.

    Raises:
        ValueError: the subscripts are malformed, or do not fit the shapes.

    Example:
        >>> a = fnp.array([[1.0, 2.0], [3.0, 4.0]])
        >>> fnp.einsum("ij,j->i", a, fnp.array([1.0, 10.0]))
        Array([21., 43.], dtype=float64)
        >>> fnp.einsum("ii", a)
        Array(5., dtype=float64)
    """
    if out is not None:
        reject("einsum", out=out)
    subscripts, given = _read(operands)
    # One operand may come back as a view of itself; of two or more the product is fresh memory.
    xs = [asarray(x) if len(given) == 1 or not hasattr(x, "shape") else operand(x) for x in given]
    if dtype is not None:
        xs = [astype(x, dtype) for x in xs]
    if preferred_element_type is not None:
        xs = in_preferred("einsum", preferred_element_type, *xs)
    labels, result, sizes, normal = _expand(subscripts, tuple([x.shape for x in xs]))
    if normal:
        return wrap(contract.einsum(*xs, subscripts=normal))
    pairs = [_each_once(x, word, sizes) for x, word in zip(xs, labels, strict=True)]
    if len(pairs) > 2:
        words, shapes = tuple([word for _, word in pairs]), tuple([x.shape for x, _ in pairs])
        for together in _path(words, shapes, result, _hashable(optimize)):
            chosen = [pairs[i] for i in together]
            pairs = [p for i, p in enumerate(pairs) if i not in together]
            kept = set(result).union(*[word for _, word in pairs])
            while len(chosen) > 1:
                first, second, *chosen = chosen
                still = kept.union(*[word for _, word in chosen])
                chosen.insert(0, _product(first, second, still, "" if pairs or len(chosen) else result))
            pairs.append(chosen[0])
    if len(pairs) == 2:
        pairs = [_product(pairs[0], pairs[1], set(result), result)]
    x, word = _summed(*pairs[0], set(result))
    if word != result:
        x = transpose(x, axes=tuple([word.index(a) for a in result]))
    return wrap(x)


def einsum_path(*operands: Any, optimize: bool | str | list | tuple = "greedy", einsum_call: bool = False) -> tuple:
    """The order in which `einsum` multiplies its operands, and a report of what it costs.

    Arguments:
        operands: as for einsum; only the shapes of the arrays matter.
        optimize: "greedy", "optimal", or one of these with a limit for the size of intermediate results.
        einsum_call: only False.

    Returns:
        The path, which `einsum` takes as `optimize`, and a text.

    Example:
        >>> a, v = fnp.ones((9, 9)), fnp.ones(9)
        >>> fnp.einsum_path("ij,jk,k->i", a, a, v)[0]
        ['einsum_path', (1, 2), (0, 1)]
    """
    if einsum_call:
        reject("einsum_path", einsum_call=einsum_call)
    subscripts, xs = _read(operands)
    return np.einsum_path(subscripts, *[_stand_in(np.shape(x)) for x in xs], optimize=optimize)


def _stand_in(shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.zeros(()), shape)


def _read(operands: tuple) -> tuple[str, list[Any]]:
    """Subscripts as a string, and the arrays, from either form of the arguments."""
    if not operands:
        raise ValueError("einsum takes subscripts and arrays, got nothing")
    if isinstance(operands[0], str):
        return operands[0].replace(" ", ""), list(operands[1:])
    arrays, lists = list(operands[: len(operands) // 2 * 2 : 2]), list(operands[1::2])
    words = [_word(labels) for labels in lists]
    return ",".join(words) + (f"->{_word(operands[-1])}" if len(operands) % 2 else ""), arrays


def _word(labels: Any) -> str:
    try:
        return "".join(["..." if a is Ellipsis else _LETTER_OF[index(a)] for a in labels])
    except (TypeError, KeyError):
        raise ValueError(f"einsum: labels are lists of integers from 0 to 51 and Ellipsis, got {labels!r}") from None


@functools.lru_cache(maxsize=4096)
def _expand(
    subscripts: str, shapes: tuple[tuple[int, ...], ...]
) -> tuple[tuple[str, ...], str, dict[str, int], str | None]:
    """The labels of each operand and of the result, without ellipses, and the size of each label.

    The last item is the subscripts for the primitive, if this is a product of two operands in its normal form already.
    """
    left, arrow, result = subscripts.partition("->")
    words = left.split(",")
    if len(words) != len(shapes):
        raise ValueError(f"einsum: {subscripts!r} names {len(words)} operands, but {len(shapes)} were given")
    for word in (*words, result):
        if not set(word.replace("...", "", 1)) <= set(_LETTERS):
            raise ValueError(f"einsum: subscripts are letters and one '...', got {word!r} in {subscripts!r}")
    named = [len(word.replace("...", "")) for word in words]
    for word, n, shape in zip(words, named, shapes, strict=True):
        if len(shape) != n and ("..." not in word or len(shape) < n):
            raise ValueError(f"einsum: {word!r} in {subscripts!r} does not fit an operand of shape {shape}")
    extra = max([len(s) - n for s, n in zip(shapes, named, strict=True)])
    free = [a for a in _LETTERS if a not in subscripts]
    if extra > len(free):
        raise ValueError(f"einsum: {subscripts!r} leaves no letters for {extra} axes of its ellipsis")
    dots = "".join(free[:extra])
    labels = tuple([w.replace("...", dots[extra - len(s) + n :]) for w, s, n in zip(words, shapes, named, strict=True)])
    if not arrow:
        every = "".join(words).replace(".", "")
        result = "..." + "".join(sorted(a for a in set(every) if every.count(a) == 1))
    result = result.replace("...", dots)
    if len(set(result)) != len(result):
        raise ValueError(f"einsum: the result in {subscripts!r} names an axis twice")
    sizes: dict[str, int] = {}
    for word, shape in zip(labels, shapes, strict=True):
        for a, n in zip(word, shape, strict=True):
            if sizes.setdefault(a, n) != n:
                if 1 not in (sizes[a], n):
                    raise ValueError(f"einsum: the sizes {sizes[a]} and {n} of {a!r} in {subscripts!r} do not match")
                sizes[a] = n if sizes[a] == 1 else sizes[a]
    if not set(result) <= set(sizes):
        raise ValueError(f"einsum: the result in {subscripts!r} names an axis that no operand has")
    normal = None
    if len(labels) == 2:
        every = "".join(labels) + result
        alike = all(n == sizes[a] for a, n in zip("".join(labels), shapes[0] + shapes[1], strict=True))
        if alike and all(len(set(w)) == len(w) for w in labels) and all(every.count(a) > 1 for a in every):
            normal = f"{','.join(labels)}->{result}"
    return labels, result, sizes, normal


def _each_once(x: Any, word: str, sizes: dict[str, int]) -> tuple[Any, str]:
    """An operand without repeated labels, and without axes of length one that others stretch."""
    for a in dict.fromkeys(word):
        while word.count(a) > 1:
            i = word.index(a)
            j = word.index(a, i + 1)
            if x.shape[i] != x.shape[j]:
                raise ValueError(f"einsum: {a!r} is repeated for axes of lengths {x.shape[i]} and {x.shape[j]}")
            x = diagonal(x, offset=0, axis1=i, axis2=j)
            word = word[:i] + word[i + 1 : j] + word[j + 1 :] + a
    kept = [a for a, n in zip(word, x.shape, strict=True) if n == sizes[a]]
    if len(kept) != len(word):
        x, word = reshape(x, shape=tuple([sizes[a] for a in kept]), order="C"), "".join(kept)
    return x, word


def _summed(x: Any, word: str, kept: set[str]) -> tuple[Any, str]:
    """An operand summed over the axes that nothing else needs."""
    alone = tuple([i for i, a in enumerate(word) if a not in kept])
    if alone:
        x = reduce_sum(x, axis=alone, dtype=x.dtype if x.dtype.kind in "biu" else None)
    return x, "".join([a for a in word if a in kept])


def _product(first: tuple[Any, str], second: tuple[Any, str], kept: set[str], result: str) -> tuple[Any, str]:
    """The product of two operands, summed over what nothing else needs; labelled in the order of `result` if given."""
    x, a = _summed(*first, kept | set(second[1]))
    y, b = _summed(*second, kept | set(first[1]))
    if len(result) != len(kept & set(a + b)):
        result = "".join([c for c in dict.fromkeys(a + b) if c in kept])
    return contract.einsum(x, y, subscripts=f"{a},{b}->{result}"), result


def _hashable(optimize: Any) -> Any:
    return tuple(optimize) if isinstance(optimize, list) else optimize


@functools.lru_cache(maxsize=1024)
def _path(words: tuple[str, ...], shapes: tuple[tuple[int, ...], ...], result: str, optimize: Any) -> tuple:
    """Which operands to multiply, step by step; the product of a step comes last in the list of operands."""
    if optimize is False:
        return (tuple(range(len(words))),)
    optimize = list(optimize) if isinstance(optimize, tuple) and optimize[0] == "einsum_path" else optimize
    subscripts = f"{','.join(words)}->{result}"
    return tuple(np.einsum_path(subscripts, *[_stand_in(s) for s in shapes], optimize=optimize)[0][1:])

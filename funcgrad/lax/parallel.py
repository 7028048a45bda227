"""Collective operations: what the examples of a vmap with a named axis do together.

Inside `vmap(f, axis_name="batch")` a value is that of one example; `psum(x, "batch")` is the sum over all of them, the
same for each. Names and meaning are those of `jax.lax` (https://docs.jax.dev/en/latest/jax.lax.html, parallel
operators). All are built of three linear operations and their transposes: sum, gather, permute.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, raw, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.call import Call
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.vmap import axis as named_axis

__all__ = [
    "all_gather",
    "all_to_all",
    "axis_index",
    "axis_size",
    "pbroadcast",
    "pmax",
    "pmean",
    "pmin",
    "ppermute",
    "pshuffle",
    "psum",
    "psum_scatter",
    "pswapaxes",
]


class Collective(Call):
    """A linear operation on all examples of a named axis together.

    Arguments:
        name: of the operation.
        axis_name: of the axis.
        whole: from the batch, its batch dimension in front, to the result; `at` is the position in each example at
            which the operation puts or takes the axis, where it does.
        transposed: the name of the transposed operation.
        shared: whether the result is the same for each example, and has no batch dimension.
    """

    __slots__ = ("at", "axis_name", "pairs", "size")

    def __init__(self, name: str, axis_name: Any, size: int, at: int = 0, pairs: tuple = ()) -> None:
        super().__init__(None, name)
        self.axis_name, self.size, self.at, self.pairs = axis_name, size, at, pairs

    def whole(self, batch: Any) -> Any:
        """What comes of the batch; `psum` and `all_gather` give one result for all examples."""
        if self.name == "psum":
            return np.add.reduce(batch, axis=0, dtype=batch.dtype)
        if self.name == "all_gather":
            return np.moveaxis(batch, 0, self.at)
        if self.name == "psum_scatter":  # each example gets, of the sum, what stands at its number
            return np.moveaxis(np.add.reduce(batch, axis=0, dtype=batch.dtype), self.at, 0)
        sources = np.zeros(self.size, int)
        arrived = np.zeros(self.size, bool)
        for source, target in self.pairs:
            sources[target], arrived[target] = source, True
        moved = batch[sources]
        return moved if arrived.all() else np.where(arrived.reshape((-1,) + (1,) * (moved.ndim - 1)), moved, 0)

    @property
    def shared(self) -> bool:
        return self.name in ("psum", "all_gather")

    def transpose(self) -> Collective:
        other = {"psum": "psum", "all_gather": "psum_scatter", "psum_scatter": "all_gather", "ppermute": "ppermute"}
        pairs = tuple([(b, a) for a, b in self.pairs])
        return Collective(other[self.name], self.axis_name, self.size, self.at, pairs)

    def __call__(self, *args: Any) -> list[Any]:
        trace = named_axis(self.axis_name)
        return super().__call__(*[_batched(wrap(x), trace) for x in args])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return self(*primals), self(*tangents)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        return self(*primals), Transposed(self.transpose())

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        if trace is named_axis(self.axis_name):
            return [wrap(self.whole(raw(args[0])))], [not self.shared]
        inner = Collective(self.name, self.axis_name, self.size, self.at + 1, self.pairs)
        return inner(*args), [True]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        (kind,) = kinds
        shape = list(kind.shape)
        if self.name == "all_gather":
            shape.insert(self.at, self.size)
        elif self.name == "psum_scatter":
            del shape[self.at]
        return [ShapeDtypeStruct(tuple(shape), kind.dtype)]


class Transposed:
    """The pullback of a collective operation; it keeps nothing."""

    __slots__ = ("call",)

    def __init__(self, call: Collective) -> None:
        self.call = call

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        (g,) = cotangents
        return [None] if g is None else self.call(g)


tree.register_pytree_node(Transposed, lambda t: ((), t.call), lambda call, _: Transposed(call))


def _batched(x: Any, trace: BatchTrace) -> Any:
    """x as a value of this batch, even if it is the same for each example."""
    inside = x
    while isinstance(inside, Tracer) and inside._trace.level >= trace.level:
        if inside._trace is trace:
            return x
        inside = inside._value
    if not isinstance(inside, (Array, np.ndarray, np.generic)):
        return x  # only its shape is known: whether it is batched is seen when the tape runs
    zeros = np.zeros((trace.size,), x.dtype)
    return x | trace.tracer(zeros) if x.dtype.kind == "b" else x + trace.tracer(zeros)


def _names(axis_name: Any) -> tuple:
    """The names of the axes, each of which is bound and named once."""
    names = tuple(axis_name) if isinstance(axis_name, (tuple, list)) else (axis_name,)
    if len({id(named_axis(n)) for n in names}) < len(names):
        raise ArgumentError(f"duplicate axis name: each may be given once, got {axis_name!r}")
    return names


def _each(x: PyTree, f: Callable[[Any], Any], name: str) -> PyTree:
    """f of each leaf."""
    values, structure = input_values((x,), name)
    return structure.unflatten([f(wrap(v)) for v in values])[0]


def _along(x: PyTree, axis_name: Any, f: Callable[[BatchTrace, Any], Any], name: str) -> PyTree:
    """f of each leaf, for one axis name after the other."""
    for n in _names(axis_name):
        x = _each(x, functools.partial(f, named_axis(n)), name)
    return x


def _only(axis_name: Any, name: str) -> Any:
    """The axis name of an operation that takes just one."""
    names = _names(axis_name)
    if len(names) != 1:
        raise ArgumentError(f"{name} takes the name of one axis, got {axis_name!r}")
    return names[0]


def _position(axis: int, leaf: Any, name: str) -> int:
    """An axis of an example, counted from the front."""
    if not -leaf.ndim <= axis < leaf.ndim:
        raise ShapeError(f"{name}: axis {axis} is out of range for an example of shape {leaf.shape}")
    return axis % leaf.ndim


def psum(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The sum over all examples of a named axis.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis, or a tuple of names.
        axis_index_groups: must be None; sums over groups are not supported.

    Returns:
        The sums, the same for each example. Of a Python number it is a Python number, so that the sum of 1, the size
        of the axis, may be part of a shape.

    Raises:
        AxisNameError: no vmap around has the name.
        ArgumentError: a leaf that is no array, or one axis named twice.

    Example:
        >>> fg.vmap(lambda x: x / fg.lax.psum(x, "i"), axis_name="i")(fnp.array([1.0, 3.0]))
        Array([0.25, 0.75], dtype=float64)
    """
    _refuse_groups(axis_index_groups)
    size = axis_size(axis_name)

    def total(leaf: Any) -> Any:
        if type(leaf) in PYTHON_NUMBERS:
            return leaf * size
        return _along(leaf, axis_name, lambda t, v: Collective("psum", t.axis_name, t.size)(_counted(v))[0], "psum")

    return tree.map(total, x)


def _counted(x: Any) -> Any:
    return x.astype(int) if x.dtype.kind == "b" else x


def _refuse_groups(groups: Any) -> None:
    if groups is not None:
        raise ArgumentError("axis_index_groups is not supported: nest two vmaps with a name each")


def pmean(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The mean over all examples of a named axis; see `psum`.

    Example:
        >>> fg.vmap(lambda x: x - fg.lax.pmean(x, "i"), axis_name="i")(fnp.array([1.0, 3.0]))
        Array([-1.,  1.], dtype=float64)
    """
    size = axis_size(axis_name)
    return tree.map(lambda s: s / size, psum(x, axis_name, axis_index_groups=axis_index_groups))


def pmax(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The maximum over all examples of a named axis; see `psum`."""
    _refuse_groups(axis_index_groups)
    return _along(x, axis_name, lambda t, leaf: _gathered(leaf, t).max(axis=0) if t.size else leaf, "pmax")


def pmin(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The minimum over all examples of a named axis; see `psum`."""
    _refuse_groups(axis_index_groups)
    return _along(x, axis_name, lambda t, leaf: _gathered(leaf, t).min(axis=0) if t.size else leaf, "pmin")


def _gathered(x: Any, trace: BatchTrace, at: int = 0) -> Any:
    return Collective("all_gather", trace.axis_name, trace.size, at)(x)[0]


def all_gather(
    x: PyTree, axis_name: Any, *, axis_index_groups: None = None, axis: int = 0, tiled: bool = False
) -> PyTree:
    """The values of all examples of a named axis, as an array.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis, or a tuple of names, the first varying slowest.
        axis_index_groups: must be None.
        axis: where the new axis goes.
        tiled: whether the examples are joined along the existing axis instead.

    Returns:
        Arrays with one more axis, the same for each example.

    Example:
        >>> fg.vmap(lambda x: fg.lax.all_gather(x, "i"), axis_name="i", out_axes=None)(fnp.array([1.0, 3.0]))
        Array([1., 3.], dtype=float64)
    """
    _refuse_groups(axis_index_groups)
    names = _names(axis_name)

    def gather(leaf: Any) -> Any:
        rank = leaf.ndim
        at = axis + rank + (not tiled) if axis < 0 else axis
        if not 0 <= at < rank + (not tiled):
            raise ShapeError(f"all_gather: axis={axis} is out of range for an example of shape {leaf.shape}")
        shape = leaf.shape
        count = 1
        for n in reversed(names):
            leaf = _gathered(leaf, named_axis(n), at)
            count *= axis_size(n)
        joined = (*shape[:at], count, *shape[at:])
        return leaf.reshape((*shape[:at], count * shape[at], *shape[at + 1 :]) if tiled else joined)

    return _each(x, gather, "all_gather")


def psum_scatter(
    x: PyTree, axis_name: Any, *, scatter_dimension: int = 0, axis_index_groups: None = None, tiled: bool = False
) -> PyTree:
    """The sum over all examples, of which each gets the part that stands at its own number.

    Arguments:
        x: a pytree of arrays, which along scatter_dimension have the size of the axis (with `tiled` a multiple of it).
        axis_name: the name of an axis.
        scatter_dimension: along which axis of an example the sum is dealt out.
        axis_index_groups: must be None.
        tiled: whether each example gets a slice, instead of an entry.

    Returns:
        Arrays without the scattered dimension (with `tiled` with a shorter one).

    Raises:
        AxisNameError: no vmap around has the name.
        ShapeError: an array without that axis, or of another length along it.

    Example:
        >>> x = fnp.array([[1.0, 2.0], [30.0, 40.0]])
        >>> fg.vmap(lambda x: fg.lax.psum_scatter(x, "i"), axis_name="i")(x)
        Array([31., 42.], dtype=float64)
    """
    _refuse_groups(axis_index_groups)
    t = named_axis(_only(axis_name, "psum_scatter"))

    def scatter(leaf: Any) -> Any:
        d = _position(scatter_dimension, leaf, "psum_scatter")
        n = leaf.shape[d]
        if n % t.size if tiled else n != t.size:
            raise ShapeError(
                f"psum_scatter: an example of shape {leaf.shape} can't be dealt out along axis {scatter_dimension} to "
                f"the {t.size} examples of {t.axis_name!r}"
            )
        if tiled:
            leaf = leaf.reshape((*leaf.shape[:d], t.size, n // t.size, *leaf.shape[d + 1 :]))
        return Collective("psum_scatter", t.axis_name, t.size, d)(_counted(leaf))[0]

    return _each(x, scatter, "psum_scatter")


def ppermute(x: PyTree, axis_name: Any, perm: Sequence[tuple[int, int]]) -> PyTree:
    """Each example gets the value of another.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis.
        perm: pairs (source, destination) of numbers of examples. An example that is no destination gets zeros.

    Returns:
        The pytree of what arrived.

    Raises:
        AxisNameError: no vmap around has the name.
        ArgumentError: a number out of range, or twice in the same role.

    Example:
        >>> shift = lambda x: fg.lax.ppermute(x, "i", [(0, 1), (1, 2)])
        >>> fg.vmap(shift, axis_name="i")(fnp.array([1.0, 2.0, 3.0]))
        Array([0., 1., 2.], dtype=float64)
    """
    t = named_axis(_only(axis_name, "ppermute"))
    pairs = tuple([(int(a), int(b)) for a, b in perm])
    for role in zip(*pairs, strict=True):
        if len(set(role)) < len(role) or not all(0 <= k < t.size for k in role):
            raise ArgumentError(
                f"ppermute: perm must pair numbers from 0 to {t.size - 1}, each at most once as source and once as "
                f"destination; got {list(perm)}"
            )
    return _each(x, lambda leaf: Collective("ppermute", t.axis_name, t.size, 0, pairs)(leaf)[0], "ppermute")


def pshuffle(x: PyTree, axis_name: Any, perm: Sequence[int]) -> PyTree:
    """Example i gets the value of example `perm[i]`; see `ppermute`.

    Raises:
        ArgumentError: perm does not hold the number of each example once.

    Example:
        >>> fg.vmap(lambda x: fg.lax.pshuffle(x, "i", [2, 0, 1]), axis_name="i")(fnp.array([1.0, 2.0, 3.0]))
        Array([3., 1., 2.], dtype=float64)
    """
    size = axis_size(_only(axis_name, "pshuffle"))
    if sorted(perm) != list(range(size)):
        raise ArgumentError(f"pshuffle: perm must hold each number from 0 to {size - 1} once, got {list(perm)}")
    return ppermute(x, axis_name, [(int(source), i) for i, source in enumerate(perm)])


def pbroadcast(x: PyTree, axis_name: Any, source: int) -> PyTree:
    """The value of one example, for all of them.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis.
        source: the number of the example whose value it is.

    Returns:
        A pytree like x, the same for each example.

    Raises:
        AxisNameError: no vmap around has the name.
        ArgumentError: there is no such example.

    Example:
        >>> fg.vmap(lambda x: x - fg.lax.pbroadcast(x, "i", 1), axis_name="i")(fnp.array([1.0, 3.0, 7.0]))
        Array([-2.,  0.,  4.], dtype=float64)
    """
    t = named_axis(_only(axis_name, "pbroadcast"))
    if not 0 <= source < t.size:
        raise ArgumentError(f"pbroadcast: source must be a number from 0 to {t.size - 1}, got {source}")
    return _each(x, lambda leaf: _gathered(leaf, t)[source], "pbroadcast")


def all_to_all(x: PyTree, axis_name: Any, split_axis: int, concat_axis: int, *, tiled: bool = False) -> PyTree:
    """Exchange the axis of examples with an axis of each example.

    Arguments:
        x: a pytree of arrays, which along split_axis have the size of the named axis (with `tiled` a multiple of it).
        axis_name: the name of an axis, or a tuple of names, the first varying slowest.
        split_axis: the axis of an example that is dealt out.
        concat_axis: where what an example gets from the others is put.
        tiled: whether parts are cut from and joined along existing axes.

    Returns:
        A pytree like x.

    Raises:
        AxisNameError: no vmap around has the name.
        ShapeError: an array without one of the axes, or of another length along split_axis.

    Example:
        >>> x = fnp.array([[1.0, 2.0], [3.0, 4.0]])
        >>> fg.vmap(lambda x: fg.lax.all_to_all(x, "i", 0, 0), axis_name="i")(x)
        Array([[1., 3.],
               [2., 4.]], dtype=float64)
    """
    size, number = axis_size(axis_name), axis_index(axis_name)

    def exchange(leaf: Any) -> Any:
        split, concat = _position(split_axis, leaf, "all_to_all"), _position(concat_axis, leaf, "all_to_all")
        n = leaf.shape[split]
        if n % size if tiled else n != size:
            raise ShapeError(
                f"all_to_all: axis {split_axis} of an example of shape {leaf.shape} must "
                f"{'be a multiple of' if tiled else 'have'} the size of {axis_name!r}, {size}"
            )
        gathered = all_gather(leaf, axis_name)  # (source, ...): each example picks its own part of what every other has
        parts = gathered.reshape((*gathered.shape[: split + 1], size, n // size, *gathered.shape[split + 2 :]))
        mine = np.moveaxis(parts, split + 1, 0)[number]  # (source, ..., n/size, ...)
        if not tiled:
            return np.moveaxis(mine.reshape(mine.shape[: split + 1] + mine.shape[split + 2 :]), 0, concat)
        moved = np.moveaxis(mine, 0, concat)
        joined = moved.shape[concat] * moved.shape[concat + 1]
        return moved.reshape((*moved.shape[:concat], joined, *moved.shape[concat + 2 :]))

    return _each(x, exchange, "all_to_all")


def pswapaxes(x: PyTree, axis_name: Any, axis: int) -> PyTree:
    """Swap the axis of examples with an axis of each example; see `all_to_all`."""
    return all_to_all(x, axis_name, axis, axis)


def axis_index(axis_name: Any) -> Any:
    """The number of the example along a named axis.

    Arguments:
        axis_name: the name of an axis, or a tuple of names, the first varying slowest.

    Returns:
        An integer scalar.

    Example:
        >>> fg.vmap(lambda x: x + fg.lax.axis_index("i"), axis_name="i")(fnp.zeros(3))
        Array([0., 1., 2.], dtype=float64)
    """
    index: Any = 0
    for n in _names(axis_name):
        trace = named_axis(n)
        index = index * trace.size + trace.tracer(np.arange(trace.size))
    return index


def axis_size(axis_name: Any) -> int:
    """The number of examples along a named axis, or along several together; an int."""
    size = 1
    for n in _names(axis_name):
        size *= named_axis(n).size
    return size

"""Collective operations: what the examples of a vmap with a named axis do together.

Inside `vmap(f, axis_name="batch")` a value is that of one example; `psum(x, "batch")` is the sum over all of them, the
same for each. Names and meaning are those of `jax.lax` (https://docs.jax.dev/en/latest/jax.lax.html, parallel
operators). All are built of three linear operations and their transposes: sum, gather, permute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import raw, wrap
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.call import Call
from funcgrad.transforms.vmap import BatchTrace, axis


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
            return np.add.reduce(batch, axis=0)
        if self.name == "all_gather":
            return np.moveaxis(batch, 0, self.at)
        if self.name == "psum_scatter":  # each example gets, of the sum, what stands at its number
            return np.moveaxis(np.add.reduce(batch, axis=0), self.at, 0)
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
        trace = axis(self.axis_name)
        return super().__call__(*[_batched(wrap(x), trace) for x in args])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return self(*primals), self(*tangents)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        return self(*primals), Transposed(self.transpose())

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        if trace is axis(self.axis_name):
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
    while inside is not None and hasattr(inside, "_trace") and inside._trace.level >= trace.level:
        if inside._trace is trace:
            return x
        inside = inside._value
    zeros = np.zeros((trace.size,), x.dtype)
    return x | trace.tracer(zeros) if x.dtype.kind == "b" else x + trace.tracer(zeros)


def _names(axis_name: Any) -> tuple:
    return tuple(axis_name) if isinstance(axis_name, tuple | list) else (axis_name,)


def _each(x: PyTree, axis_name: Any, f: Callable[[Any, BatchTrace], Any], name: str) -> PyTree:
    """f of each leaf, for one axis name after the other."""
    values, structure = input_values((x,), name)
    leaves = [wrap(v) for v in values]
    for n in _names(axis_name):
        trace = axis(n)
        leaves = [f(leaf, trace) for leaf in leaves]
    return structure.unflatten(leaves)[0]


def psum(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The sum over all examples of a named axis.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis, or a tuple of names.
        axis_index_groups: must be None; sums over groups are not supported.

    Returns:
        The sums, the same for each example. The sum of the number 1 is the size of the axis.

    Raises:
        AxisNameError: no vmap around has the name.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda x: x / fg.lax.psum(x, "i"), axis_name="i")(fnp.array([1.0, 3.0]))
        Array([0.25, 0.75], dtype=float64)

    Source: `jax.lax.psum`.
    """
    _refuse_groups(axis_index_groups)
    return _each(x, axis_name, lambda leaf, t: Collective("psum", t.axis_name, t.size)(_counted(leaf))[0], "psum")


def _counted(x: Any) -> Any:
    return x.astype(int) if x.dtype.kind == "b" else x


def _refuse_groups(groups: Any) -> None:
    if groups is not None:
        raise ArgumentError("axis_index_groups is not supported: nest two vmaps with a name each")


def pmean(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The mean over all examples of a named axis; see `psum`.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda x: x - fg.lax.pmean(x, "i"), axis_name="i")(fnp.array([1.0, 3.0]))
        Array([-1.,  1.], dtype=float64)
    """
    size = axis_size(axis_name)
    return tree.map(lambda s: s / size, psum(x, axis_name, axis_index_groups=axis_index_groups))


def pmax(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The maximum over all examples of a named axis; see `psum`."""
    _refuse_groups(axis_index_groups)
    return _each(x, axis_name, lambda leaf, t: _gathered(leaf, t).max(axis=0), "pmax")


def pmin(x: PyTree, axis_name: Any, *, axis_index_groups: None = None) -> PyTree:
    """The minimum over all examples of a named axis; see `psum`."""
    _refuse_groups(axis_index_groups)
    return _each(x, axis_name, lambda leaf, t: _gathered(leaf, t).min(axis=0), "pmin")


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
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda x: fg.lax.all_gather(x, "i"), axis_name="i", out_axes=None)(fnp.array([1.0, 3.0]))
        Array([1., 3.], dtype=float64)

    Source: `jax.lax.all_gather`.
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
            leaf = _each(leaf, n, lambda y, t: _gathered(y, t, at), "all_gather")
            count *= axis_size(n)
        joined = (*shape[:at], count, *shape[at:])
        return leaf.reshape((*shape[:at], count * shape[at], *shape[at + 1 :]) if tiled else joined)

    values, structure = input_values((x,), "all_gather")
    return structure.unflatten([gather(wrap(v)) for v in values])[0]


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

    Source: `jax.lax.psum_scatter`.
    """
    _refuse_groups(axis_index_groups)

    def scatter(leaf: Any, t: BatchTrace) -> Any:
        d = scatter_dimension % max(leaf.ndim, 1)
        n = leaf.shape[d] if leaf.ndim else 0
        if n % t.size if tiled else n != t.size:
            raise ShapeError(
                f"psum_scatter: an example of shape {leaf.shape} can't be dealt out along axis {scatter_dimension} to "
                f"the {t.size} examples of {t.axis_name!r}"
            )
        if tiled:
            leaf = leaf.reshape((*leaf.shape[:d], t.size, n // t.size, *leaf.shape[d + 1 :]))
        return Collective("psum_scatter", t.axis_name, t.size, d)(leaf)[0]

    return _each(x, axis_name, scatter, "psum_scatter")


def ppermute(x: PyTree, axis_name: Any, perm: Sequence[tuple[int, int]]) -> PyTree:
    """Each example gets the value of another.

    Arguments:
        x: a pytree of arrays.
        axis_name: the name of an axis.
        perm: pairs (source, destination) of numbers of examples. An example that is no destination gets zeros.

    Returns:
        The pytree of what arrived.

    Raises:
        ArgumentError: a number out of range, or twice in the same role.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> shift = lambda x: fg.lax.ppermute(x, "i", [(0, 1), (1, 2)])
        >>> fg.vmap(shift, axis_name="i")(fnp.array([1.0, 2.0, 3.0]))
        Array([0., 1., 2.], dtype=float64)

    Source: `jax.lax.ppermute`.
    """
    pairs = tuple([(int(a), int(b)) for a, b in perm])

    def permute(leaf: Any, t: BatchTrace) -> Any:
        for role in zip(*pairs, strict=True):
            if len(set(role)) < len(role) or not all(0 <= k < t.size for k in role):
                raise ArgumentError(
                    f"ppermute: perm must pair numbers from 0 to {t.size - 1}, each at most once as source and once as "
                    f"destination; got {list(perm)}"
                )
        return Collective("ppermute", t.axis_name, t.size, 0, pairs)(leaf)[0]

    return _each(x, axis_name, permute, "ppermute")


def pshuffle(x: PyTree, axis_name: Any, perm: Sequence[int]) -> PyTree:
    """Example i gets the value of example `perm[i]`; see `ppermute`."""
    return ppermute(x, axis_name, [(int(source), i) for i, source in enumerate(perm)])


def all_to_all(x: PyTree, axis_name: Any, split_axis: int, concat_axis: int, *, tiled: bool = False) -> PyTree:
    """Exchange the axis of examples with an axis of each example.

    Arguments:
        x: a pytree of arrays, which along split_axis have the size of the named axis (with `tiled` a multiple of it).
        axis_name: the name of an axis.
        split_axis: the axis of an example that is dealt out.
        concat_axis: where what an example gets from the others is put.
        tiled: whether parts are cut from and joined along existing axes.

    Returns:
        A pytree like x.

    Source: `jax.lax.all_to_all`.
    """

    def exchange(leaf: Any, t: BatchTrace) -> Any:
        split, concat = split_axis % leaf.ndim, concat_axis % leaf.ndim
        n = leaf.shape[split]
        if n % t.size if tiled else n != t.size:
            raise ShapeError(
                f"all_to_all: axis {split_axis} of an example of shape {leaf.shape} must "
                f"{'be a multiple of' if tiled else 'have'} the size of {t.axis_name!r}, {t.size}"
            )
        gathered = _gathered(leaf, t)  # (source, ...): each example picks its own part of what every other has
        parts = gathered.reshape((*gathered.shape[: split + 1], t.size, n // t.size, *gathered.shape[split + 2 :]))
        mine = np.moveaxis(parts, split + 1, 0)[axis_index(t.axis_name)]  # (source, ..., n/size, ...)
        if not tiled:
            return np.moveaxis(mine.reshape(mine.shape[: split + 1] + mine.shape[split + 2 :]), 0, concat)
        moved = np.moveaxis(mine, 0, concat)
        return moved.reshape((*moved.shape[:concat], -1, *moved.shape[concat + 2 :]))

    return _each(x, axis_name, exchange, "all_to_all")


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
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.vmap(lambda x: x + fg.lax.axis_index("i"), axis_name="i")(fnp.zeros(3))
        Array([0., 1., 2.], dtype=float64)

    Source: `jax.lax.axis_index`.
    """
    index: Any = 0
    for n in _names(axis_name):
        trace = axis(n)
        index = index * trace.size + trace.tracer(np.arange(trace.size))
    return index


def axis_size(axis_name: Any) -> int:
    """The number of examples along a named axis, or along several together; an int.

    Source: `jax.lax.axis_size`.
    """
    size = 1
    for n in _names(axis_name):
        size *= axis(n).size
    return size

"""`torch.vmap`: a function of one example, applied to a batch of them at once.

The work is done by the functional face's batching rules; here are torch's arguments and its words about them.
https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec, flatten, leaves, spread
from funcgrad.torch.func.leaving import shared, with_bits
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.random import get_rng_state, set_rng_state
from funcgrad.torch.tensor.graph_tracer import applied, in_graph
from funcgrad.torch.tensor.levels import VMAP, Level, alive, below, usable
from funcgrad.torch.tensor.operation import through
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.traced import Argument, graph_value
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import as_view_of, share
from funcgrad.torch.texts import vmap as texts
from funcgrad.transforms.vmap import BatchTrace


def _is_dim(x: Any) -> bool:
    return x is None or isinstance(x, int)


def _name(func: Callable) -> str:
    """What errors call a function."""
    if isinstance(func, functools.partial) and not hasattr(func, "__name__"):
        return f"functools.partial({_name(func.func)}, ...)"
    return getattr(func, "__name__", repr(func))


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """Map a function over a dimension of its arguments.

    Arguments:
        func: a function of tensors, in pytrees.
        in_dims: along which dimension of each argument the examples lie, None for an argument that all share; a pytree
            like the arguments, or one int for all. All examples share the keyword arguments.
        out_dims: where the examples lie in each result.
        randomness: what random operations do inside: "error", "different" or "same" for every example.
        chunk_size: how many examples are computed at a time.

    Returns:
        A function of batches.

    Example:
        >>> from funcgrad import torch
        >>> torch.vmap(torch.dot)(torch.eye(2), torch.tensor([[3.0, 4.0], [5.0, 6.0]]))
        tensor([3., 6.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(texts.RANDOMNESS.format(randomness=randomness))
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(texts.CHUNK_SIZE.format(chunk_size=chunk_size))

    return mapped(func, in_dims, out_dims, randomness, chunk_size)


def mapped(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "unsupported", chunk_size: int | None = None
) -> Callable:
    """vmap, as autograd itself uses it: by default it refuses random operations in other words."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(func, out_dims)
        size, dims, given, structure = _inputs(func, in_dims, args)
        batch = _Batch(func, dims, structure, kwargs)
        if chunk_size is None:
            return batch.run(size, given, out_dims, randomness)
        return batch.run_in_chunks(chunk_size, size, given, out_dims, randomness)

    return wrapper


def _check_out_dims(func: Callable, out_dims: Any) -> None:
    if not isinstance(out_dims, int) and not all(_is_dim(d) for d in leaves(out_dims)):
        raise ValueError(texts.OUT_DIMS_TYPE.format(func=_name(func), out_dims=out_dims))


def _inputs(func: Callable, in_dims: Any, args: tuple) -> tuple[int, list, list, TreeSpec]:
    """The number of examples; for each leaf of args the dimension they lie in; the leaves and their structure."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(texts.IN_DIMS_TYPE.format(func=_name(func), in_dims=in_dims, kind=type(in_dims)))
    if not args:
        raise ValueError(texts.NO_INPUTS.format(func=_name(func)))
    given, structure = flatten(args)
    dims = spread(in_dims, structure)
    if dims is None:
        raise ValueError(
            texts.IN_DIMS_STRUCTURE.format(
                func=_name(func), in_dims=in_dims, given=flatten(in_dims)[1], structure=structure
            )
        )
    sizes = []
    for i, (x, d) in enumerate(zip(given, dims, strict=True)):
        if d is None:
            continue
        if not isinstance(d, int) or not isinstance(x, Tensor) or not -x.ndim <= d < x.ndim:
            raise _wrong_in_dim(texts.GOT_IN_DIM.format(func=_name(func), in_dims=in_dims, in_dim=d), x, d)
        dims[i] = d % x.ndim
        sizes.append(x._value.shape[d])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ValueError(texts.SIZES_DIFFER.format(sizes=sizes))
    return sizes[0], dims, given, structure


def _wrong_in_dim(where: str, x: Any, d: Any) -> ValueError:
    if not isinstance(d, int):
        return ValueError(texts.IN_DIM_TYPE.format(where=where))
    if not isinstance(x, Tensor):
        return ValueError(texts.NO_TENSOR.format(where=where, kind=type(x)))
    return ValueError(texts.IN_DIM_RANGE.format(where=where, ndim=x.ndim))


class _Examples(BatchTrace):
    """Batching rules, and for an operation that PyTorch computes in another way on batches, that way, on tensors."""

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        op = applied.op
        if op is None or op.primitive is not primitive or len(args) != 1 or not in_graph(args):
            return super().process(primitive, args, params)
        (x,) = args
        lifted = not x.ndim and params.get("axis") == () and not op.multiple
        if op.examples is None and not lifted:
            return super().process(primitive, args, params)
        level = next(level for level in state.transforms if level.trace is self)
        with below(level):
            batch = wrapped(x._value)
            if op.examples is not None:
                return self.tracer(graph_value(op.examples(batch, **params)))
            row = graph_value(batch.unsqueeze(-1))  # a reduction has something to reduce
            return self.tracer(through(op, (row,), params | {"axis": (1,), "keepdims": False}))


class _Batch:
    """A function, and in which dimensions of its arguments the examples lie.

    Arguments:
        func: the function.
        dims: for each leaf of the arguments.
        structure: of the arguments.
        kwargs: the keyword arguments.
    """

    def __init__(self, func: Callable, dims: list, structure: TreeSpec, kwargs: dict) -> None:
        self.func, self.dims, self.structure, self.kwargs = func, dims, structure, kwargs

    def run(self, size: int, given: list, out_dims: Any, randomness: str) -> Any:
        """The results for a batch of `size` examples."""
        trace = _Examples("vmap", size)
        with trace, Level(VMAP, trace, randomness) as level:
            batched = [x if d is None else _example(level, x, d) for x, d in zip(given, self.dims, strict=True)]
            out = self.func(*self.structure.unflatten(batched), **self.kwargs)
            outs, out_spec = flatten(out)
            places = _out_dims(self.func, out_dims, out, out_spec)
            results = [_out(level, o, d, given, self.func) for o, d in zip(outs, places, strict=True)]
        return out_spec.unflatten(results)

    def run_in_chunks(self, most: int, size: int, given: list, out_dims: Any, randomness: str) -> Any:
        """The results for a batch of which at most so many examples are computed at a time, joined."""
        numbers = get_rng_state()
        found = []
        for start in range(0, size, most):
            if randomness == "same":
                set_rng_state(numbers)
            n = min(most, size - start)
            part = [x if d is None else x.narrow(d, start, n) for x, d in zip(given, self.dims, strict=True)]
            found.append(flatten(self.run(n, part, out_dims, randomness)))
        if not found:
            raise AssertionError("arg_spec must not be None")
        structure = found[0][1]
        places = spread(out_dims, structure)
        if places is None:
            raise AssertionError("flat_out_dims must not be None")
        columns = zip(*[chunk for chunk, _ in found], strict=True)
        return structure.unflatten([cat(list(c), dim=d) for c, d in zip(columns, places, strict=True)])


def _example(level: Level, x: Tensor, d: int) -> Tensor:
    """One example of the batch that lies along a dimension of x."""
    argument = Argument(level, x, d)
    t = wrapped(argument.examples())
    t._argument = argument
    return t


def _as_view(level: Level, o: Tensor, result: Tensor, given: list) -> Tensor:
    """The batch of which o is an example; if o is a view of an argument, a view of what was given for it."""
    if o._view is None or result._node is not None:
        return result
    result = shared(result, given)
    argument = o._view.base._argument
    if result._view is not None or argument is None or argument.level is not level:
        return result
    plain = type(result._value) is ndarray  # that ndarrays with elements share memory is known already
    if plain != (type(argument.tensor._value) is ndarray) or (plain and result._value.size):
        return result
    view = with_bits(share(argument.tensor, result._value), result)
    as_view_of(view, argument.tensor, None if plain else vmap(o._view.replay, argument.dim))
    return view


def _out(level: Level, o: Any, d: Any, given: list, func: Callable) -> Any:
    """A result with the examples where out_dims wants them."""
    if not isinstance(o, Tensor):
        if d is None:
            return o
        raise ValueError(texts.RETURNED_NO_TENSOR.format(func=_name(func), kind=type(o)))
    value = alive(o._value)
    batched = isinstance(value, Array) and level.trace.own(value)
    if d is None:
        if batched:
            raise ValueError(texts.RETURNED_BATCH.format(func=_name(func)))
        return o
    argument, here = o._argument, 0
    if argument is not None and argument.level is level:
        inner, here = argument.tensor, argument.dim
    elif batched:
        found = value._value if o._view is not None else usable(value._value)
        inner = _as_view(level, o, with_bits(wrapped(found), o), given)
    else:
        shape = list(o.shape)
        shape.insert(wrap_dim(d, o.ndim + 1), level.trace.size)
        return o.expand(shape)
    there = wrap_dim(d, inner.ndim)
    return inner.movedim(here, there) if there != here else inner


def _out_dims(func: Callable, out_dims: Any, out: Any, structure: TreeSpec) -> list:
    """The dimension of the examples for each result."""
    if isinstance(out, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1 and _is_dim(out_dims[0]):
        return list(out_dims)
    found = spread(out_dims, structure)
    if found is None or (isinstance(out, Tensor) and not _is_dim(out_dims)):
        raise ValueError(
            texts.OUT_DIMS_STRUCTURE.format(
                func=_name(func), out_dims=out_dims, given=flatten(out_dims)[1], structure=structure
            )
        )
    return found

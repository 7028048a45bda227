"""`torch.vmap`: a function of one example, applied to a batch of them at once.

The work is done by the functional face's batching rules; here are torch's arguments and its words about them.
https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.torch.levels import VMAP, Level
from funcgrad.torch.operation import raw, wrapped
from funcgrad.torch.pytrees import is_none, shared, spec
from funcgrad.torch.random import get_rng_state, set_rng_state
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.traced import Argument
from funcgrad.torch.views import as_view_of, share
from funcgrad.transforms.vmap import BatchTrace


def _is_dim(x: Any) -> bool:
    return x is None or isinstance(x, int)


def _name(func: Callable) -> str:
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
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    return mapped(func, in_dims, out_dims, randomness, chunk_size)


def mapped(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "unsupported", chunk_size: int | None = None
) -> Callable:
    """vmap, as autograd itself uses it: by default it refuses random operations in other words."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        size, dims, leaves, structure = _inputs(func, in_dims, args)
        batch = _Batch(func, dims, structure, kwargs)
        if chunk_size is None or chunk_size >= size:
            return batch.run(size, leaves, out_dims, randomness)
        return batch.run_in_chunks(chunk_size, size, leaves, out_dims, randomness)

    return wrapper


def _inputs(func: Callable, in_dims: Any, args: tuple) -> tuple[int, list, list, Any]:
    """The number of examples; for each leaf of args the dimension they lie in; the leaves and their structure."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            f"function with no inputs. The latter is unsupported."
        )
    leaves, structure = tree.flatten(args, is_leaf=is_none)
    try:
        dims = _spread(in_dims, args)
    except Exception:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of "
            f"`inputs`. in_dims has structure {spec(in_dims)} but inputs has structure {spec(args)}."
        ) from None
    sizes = []
    for i, (x, d) in enumerate(zip(leaves, dims, strict=True)):
        where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but"
        if not _is_dim(d):
            raise ValueError(f"{where} in_dim must be either an integer dimension or None.")
        if d is None:
            continue
        if not isinstance(x, Tensor):
            raise ValueError(
                f"{where} the input is of type {type(x)}. We cannot vmap over non-Tensor arguments, please use None as "
                f"the respective in_dim"
            )
        if not -x.ndim <= d < x.ndim:
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that input is a "
                f"Tensor of dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
        dims[i] = d % x.ndim
        sizes.append(x._value.shape[d])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            f"mapped dimension"
        )
    return sizes[0], dims, leaves, structure


def _spread(prefix: Any, values: Any) -> list:
    """One dimension for each leaf of values, None among them, from a pytree that is a prefix of it.

    Raises:
        TreeError: it is none.
    """
    found: list = []

    def add(d: Any, sub: Any) -> None:
        found.extend([d] * len(tree.leaves(sub, is_leaf=is_none)))

    tree.map(add, prefix, values, is_leaf=lambda x: _is_dim(x) or not isinstance(x, (tuple, list, dict)))
    return found


class _Batch:
    """A function, and in which dimensions of its arguments the examples lie.

    Arguments:
        func: the function.
        dims: for each leaf of the arguments.
        structure: of the arguments.
        kwargs: the keyword arguments.
    """

    def __init__(self, func: Callable, dims: list, structure: Any, kwargs: dict) -> None:
        self.func, self.dims, self.structure, self.kwargs = func, dims, structure, kwargs

    def run(self, size: int, leaves: list, out_dims: Any, randomness: str) -> Any:
        """The results for a batch of `size` examples."""
        trace = BatchTrace("vmap", size)
        with trace, Level(VMAP, trace, randomness) as level:
            batched = [x if d is None else _example(level, x, d) for x, d in zip(leaves, self.dims, strict=True)]
            out = self.func(*self.structure.unflatten(batched), **self.kwargs)
            outs, out_tree = tree.flatten(out, is_leaf=is_none)
            places = _out_dims(self.func, out_dims, out)
            results = []
            for o, d in zip(outs, places, strict=True):
                if isinstance(o, Tensor):
                    results.append(_out(level, o, d, leaves, self.func, out_dims))
                elif d is None:
                    results.append(o)
                else:
                    raise ValueError(
                        f"vmap({_name(self.func)}, ...): `{_name(self.func)}` must only return Tensors, got type "
                        f"{type(o)}. Did you mean to set out_dims= to None for output?"
                    )
        return out_tree.unflatten(results)

    def run_in_chunks(self, most: int, size: int, leaves: list, out_dims: Any, randomness: str) -> Any:
        """The results for a batch of which at most so many examples are computed at a time, joined."""
        from funcgrad.torch.declare import exports

        numbers = get_rng_state()
        found = []
        for start in range(0, size, most):
            if randomness == "same":
                set_rng_state(numbers)
            n = min(most, size - start)
            part = [x if d is None else x.narrow(d, start, n) for x, d in zip(leaves, self.dims, strict=True)]
            found.append(tree.flatten(self.run(n, part, out_dims, randomness), is_leaf=is_none))
        structure = found[0][1]
        dims = _spread(out_dims, structure.unflatten(found[0][0]))
        columns = zip(*[chunk for chunk, _ in found], strict=True)
        joined = [c[0] if d is None else exports["cat"](list(c), d) for c, d in zip(columns, dims, strict=True)]
        return structure.unflatten(joined)


def _example(level: Level, x: Tensor, d: int) -> Tensor:
    """One example of the batch that lies along a dimension of x."""
    argument = Argument(level, x, d)
    t = wrapped(argument.examples())
    t._argument = argument
    return t


def _as_view(level: Level, o: Tensor, result: Tensor, leaves: list) -> Tensor:
    """The batch of which o is an example; if o is a view of an argument, a view of what was given for it."""
    if o._view is None or result._node is not None:
        return result
    result = shared(result, leaves)
    argument = o._view.base._argument
    if result._view is not None or argument is None or argument.level is not level:
        return result
    plain = type(result._value) is ndarray  # that ndarrays with elements share memory is known already
    if plain != (type(argument.tensor._value) is ndarray) or (plain and result._value.size):
        return result
    view = share(argument.tensor, result._value)
    as_view_of(view, argument.tensor, None if plain else vmap(o._view.replay, argument.dim))
    return view


def _out(level: Level, o: Tensor, d: Any, leaves: list, func: Callable, out_dims: Any) -> Any:
    """A result with the examples where out_dims wants them."""
    value = raw(o)
    batched = isinstance(value, Array) and level.trace.own(value)
    if d is None:
        if batched:
            raise ValueError(
                f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None"
            )
        return o
    argument = o._argument
    if argument is not None and argument.level is level:
        inner, here = argument.tensor, argument.dim
    else:
        size, here = level.trace.size, 0
        inner = (
            _as_view(level, o, wrapped(value._value), leaves) if batched else o.unsqueeze(0).expand((size, *o.shape))
        )
    n = inner.ndim
    if not -n <= d < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
    return inner.movedim(here, d) if d % n != here else inner


def _out_dims(func: Callable, out_dims: Any, out: Any) -> list:
    """The dimension of the examples for each result."""

    def incompatible() -> ValueError:
        return ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {spec(out_dims)} but outputs has structure "
            f"{spec(out)}."
        )

    if isinstance(out, Tensor):
        if isinstance(out_dims, (tuple, list)) and len(out_dims) == 1:
            out_dims = out_dims[0]
        if not _is_dim(out_dims):
            if isinstance(out_dims, (tuple, list, dict)):
                raise incompatible()
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                f"collection of ints representing where in the outputs the vmapped dimension should appear."
            )
        return [out_dims]
    if not isinstance(out_dims, (int, tuple, list, dict, type(None))):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            f"ints representing where in the outputs the vmapped dimension should appear."
        )
    try:
        if isinstance(out_dims, list) and isinstance(out, tuple):
            out_dims = tuple(out_dims)
        elif isinstance(out_dims, tuple) and isinstance(out, list):
            out_dims = list(out_dims)
        return _spread(out_dims, out)
    except Exception:
        raise incompatible() from None

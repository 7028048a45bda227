"""`torch.vmap`: a function of one example, applied to a batch of them at once.

The work is done by the functional face's batching rules; here are torch's arguments and its words about them.
https://docs.pytorch.org/docs/stable/generated/torch.vmap.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.torch.modes import state
from funcgrad.torch.operation import GraphTracer, raw, requires, wrapped
from funcgrad.torch.tensor import Tensor
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
            like the arguments, or one int for all.
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

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        size, dims, leaves, structure = _inputs(func, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            return _run(func, size, dims, leaves, structure, out_dims, randomness, kwargs)
        found = []
        for start in range(0, size, chunk_size):
            n = min(chunk_size, size - start)
            part = [x if d is None else x.narrow(d, start, n) for x, d in zip(leaves, dims, strict=True)]
            found.append(_run(func, n, dims, part, structure, out_dims, randomness, kwargs))
        return _joined(found, out_dims)

    return wrapper


def _joined(chunks: list, out_dims: Any) -> Any:
    """The results of chunks, joined along the dimension of the examples."""
    from funcgrad.torch.declare import exports

    rows = [tree.flatten(c) for c in chunks]
    dims = _spread(out_dims, chunks[0])
    columns = zip(*[leaves for leaves, _ in rows], strict=True)
    return rows[0][1].unflatten(
        [c[0] if d is None else exports["cat"](list(c), d) for c, d in zip(columns, dims, strict=True)]
    )


def _spread(prefix: Any, values: Any) -> list:
    """One dimension for each leaf of values, from a pytree that is a prefix of it; TreeError if it is none."""
    found: list = []
    tree.map(lambda d, sub: found.extend([d] * len(tree.leaves(sub))), prefix, values, is_leaf=_is_dim)
    return found


def _inputs(func: Callable, in_dims: Any, args: tuple) -> tuple[int, list, list, Any]:
    """The number of examples; for each leaf of args the dimension they lie in; the leaves and their structure."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            f"function with no inputs. The latter is unsupported."
        )
    leaves, structure = tree.flatten(args, is_leaf=lambda x: x is None)
    try:
        dims = _spread_with_none(tuple(in_dims) if isinstance(in_dims, list) else in_dims, args)
    except Exception:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. "
            f"in_dims has structure {tree.structure(in_dims, is_leaf=_is_dim)} but inputs has structure {structure}."
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
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
            f"dimension"
        )
    return sizes[0], dims, leaves, structure


def _spread_with_none(prefix: Any, values: Any) -> list:
    """As `_spread`, where None among values is a leaf."""
    found: list = []

    def add(d: Any, sub: Any) -> None:
        found.extend([d] * len(tree.leaves(sub, is_leaf=lambda x: x is None)))

    tree.map(add, prefix, values, is_leaf=lambda x: _is_dim(x) or not isinstance(x, (tuple, list, dict)))
    return found


def _run(func: Callable, size: int, dims: list, leaves: list, structure: Any, out_dims: Any, randomness: str, kwargs: dict) -> Any:  # fmt: skip  # noqa: E501
    trace = BatchTrace("vmap", size)
    before = state.batches
    state.batches = (*before, (trace, randomness))
    try:
        with trace:
            batched = [
                x if d is None else wrapped(trace.tracer(_in_front(x, d))) for x, d in zip(leaves, dims, strict=True)
            ]
            out = func(*structure.unflatten(batched), **kwargs)
            outs, out_tree = tree.flatten(out, is_leaf=lambda x: x is None)
            places = _out_dims(func, out_dims, out, out_tree)
            results = []
            for o, d in zip(outs, places, strict=True):
                if not isinstance(o, Tensor):
                    if d is None:
                        results.append(o)
                        continue
                    raise ValueError(
                        f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(o)}. Did "
                        f"you mean to set out_dims= to None for output?"
                    )
                results.append(_shared(_out(trace, o, d, size, func, out_dims), leaves))
    finally:
        state.batches = before
    return out_tree.unflatten(results)


def _shared(result: Any, inputs: list) -> Any:
    """A result that looks at the memory of an input is a view of it."""
    value = result._value
    if type(value) is np.ndarray and value.base is not None and result._view is None and result._node is None:
        for x in inputs:
            if isinstance(x, Tensor) and type(x._value) is np.ndarray and np.may_share_memory(x._value, value):
                view = share(x, value)
                as_view_of(view, x, None)
                return view
    return result


def _in_front(x: Tensor, d: int) -> Any:
    value = raw(x)
    if state.grad and not isinstance(value, Array) and requires(x):
        value = GraphTracer.of(x, value)
    return value if d == 0 else np.moveaxis(value, d, 0)


def _out(trace: BatchTrace, o: Tensor, d: Any, size: int, func: Callable, out_dims: Any) -> Any:
    """A result with the examples where out_dims wants them."""
    value = raw(o)
    batched = isinstance(value, Array) and trace.own(value)
    if d is None:
        if batched:
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `{_name(func)}` can not return a BatchedTensor when out_dim is None"  # noqa: E501
            )
        return o
    inner = wrapped(value._value) if batched else o.unsqueeze(0).expand((size, *o.shape))
    n = inner.ndim
    if not -n <= d < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {d})")
    return inner.movedim(0, d) if d % n else inner


def _out_dims(func: Callable, out_dims: Any, out: Any, out_tree: Any) -> list:
    """The dimension of the examples for each result."""

    def incompatible() -> ValueError:
        return ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree.structure(out_dims, is_leaf=_is_dim)} but outputs has structure "
            f"{out_tree}."
        )

    if isinstance(out, Tensor):
        if isinstance(out_dims, (tuple, list)) and len(out_dims) == 1:
            out_dims = out_dims[0]
        if not _is_dim(out_dims):
            if isinstance(out_dims, (tuple, list, dict)):
                raise incompatible()
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
                f"of ints representing where in the outputs the vmapped dimension should appear."
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
        return _spread_with_none(out_dims, out)
    except Exception:
        raise incompatible() from None

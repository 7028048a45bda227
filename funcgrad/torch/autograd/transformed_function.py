"""Custom Functions inside the transforms of torch.func.

A call becomes a primitive of its own: each transform asks it for the result one level down and takes the derivative, or
the batched result, from the Function's static methods, which see tensors of that level.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.plan import Plan, Plans
from funcgrad.core.trace import bind
from funcgrad.torch.autograd.unwritten import Unwritten
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.levels import VMAP, Level, batched_at, below
from funcgrad.torch.tensor.plans import conj
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import graph_value
from funcgrad.torch.tensor.values import raw, tensor_of, wrapped
from funcgrad.torch.texts import custom_functions as texts
from funcgrad.transforms.vmap import one_by_one


class VmapInfo(NamedTuple):
    """What a Function's vmap method is told about the batch."""

    batch_size: int
    randomness: str


def apply_transformed(cls: Any, args: tuple, kwargs: dict, separate: bool) -> Any:
    """`cls.apply` where an argument is a tracer of a transform."""
    if not separate:
        raise RuntimeError(texts.NO_SETUP_CONTEXT)
    if any(isinstance(x, Tensor) for x in tree.leaves(kwargs)):
        raise NotImplementedError(texts.KEYWORD_TENSORS)
    leaves, structure = tree.flatten(args, is_leaf=lambda x: x is None)
    places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
    call = _Call(cls, leaves, structure, places, kwargs)
    values = [graph_value(leaves[i]) for i in places]
    outs = bind(call, tuple(values), {})
    return call.results([wrapped(o) for o in outs], [leaves[i] for i in places])


class _Call:
    """One call of a custom Function, in the place of a primitive of the core."""

    multiple, preserves, operands = True, False, None

    def __init__(self, cls: Any, leaves: list, structure: Any, places: list[int], kwargs: dict) -> None:
        self.cls, self.name, self.kwargs = cls, cls.__name__, kwargs
        self.node = f"{cls.__name__}GeneratedBackward"
        self.leaves, self.structure, self.places = leaves, structure, places
        self.plans = Plans(functools.partial(_Plan, self))
        self.returned: Any = None  # what forward returned, tensors marked
        self.same: dict[int, int] = {}  # results that are operands written into

    def arguments(self, tensors: list) -> tuple:
        """The arguments of forward with these tensors in their places."""
        leaves = list(self.leaves)
        for i, t in zip(self.places, tensors, strict=True):
            leaves[i] = t
        return self.structure.unflatten(leaves)

    def impl(self, *values: Any) -> tuple:
        """Run the Function on plain arrays."""
        return self.on_tensors([wrapped(np.array(v)) for v in values], unwrap=True)

    def on_tensors(self, tensors: list, unwrap: bool = False) -> tuple:
        """Run the Function on tensors of torch's own graph."""
        found = self.cls.apply(*self.arguments(tensors), **self.kwargs)
        self.returned = _Returned(found)
        results = [o for o in _as_tuple(found) if isinstance(o, Tensor)]
        self.same = {j: k for j, o in enumerate(results) for k, t in enumerate(tensors) if o is t}
        return tuple([raw(o) for o in results]) if unwrap else tuple(results)

    def results(self, tensors: list, operands: list) -> Any:
        """What the caller gets: tensors for the results, and the operands that were written into."""
        for j, k in self.same.items():
            inplace.store(operands[k], raw(tensors[j]))
            inplace.bump(operands[k])
            tensors[j] = operands[k]
        return self.returned.filled(tensors)

    def context(self, values: tuple, out: tuple, mask: tuple[bool, ...]) -> Any:
        """A context as setup_context leaves it, for tensors of the level of `values`."""
        tensors = [wrapped(v) for v in values]
        results = [wrapped(o) for o in out]
        for j, k in self.same.items():
            tensors[k] = results[j]
        ctx = _Context()
        needs = iter(mask)
        ctx.needs_input_grad = tuple([i in self.places and next(needs) for i in range(len(self.leaves))])
        self.cls.setup_context(ctx, self.arguments(tensors), self.returned.filled(results), **self.kwargs)
        return ctx

    def batch(self, _: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> tuple:
        """The batching rule: the Function's vmap method, or example by example with generate_vmap_rule."""
        if self._one_by_one():
            return one_by_one(self, size, args, mask, params)
        level = self._level(args)
        dims: list[Any] = [None] * len(self.leaves)
        given = []
        for i, m, a in zip(self.places, mask, args, strict=True):
            argument = self.leaves[i]._argument
            dim = argument.dim if argument is not None and argument.level is level else 0
            dims[i] = dim if m else None
            given.append(np.moveaxis(a, 0, dim) if m and dim else a)
        with below(level):
            tensors = [wrapped(a) for a in given]
            info = VmapInfo(size, level.randomness)
            found = self.cls.vmap(info, self.structure.unflatten(dims), *self.arguments(tensors), **self.kwargs)
        if not isinstance(found, tuple):
            raise RuntimeError(f"{texts.VMAP_RETURNS}Got a {type(found)} instead")
        if len(found) != 2:
            raise RuntimeError(f"{texts.VMAP_RETURNS}Got {len(found)} returns instead")
        self.returned, self.same = _Returned(found[0]), {}
        outs, out_dims = _as_tuple(found[0]), found[1]
        if not isinstance(out_dims, tuple):
            out_dims = (out_dims,) * len(outs)
        return tuple([_batched(o, d, size) for o, d in zip(outs, out_dims, strict=True) if isinstance(o, Tensor)])

    def _one_by_one(self) -> bool:
        """Whether the examples are computed one by one, since there is no vmap method."""
        cls = self.cls
        if cls.generate_vmap_rule and cls.vmap is not Unwritten.vmap:
            raise RuntimeError(texts.VMAP_TWICE.format(name=cls.__name__))
        if not cls.generate_vmap_rule and cls.vmap is Unwritten.vmap:
            raise RuntimeError(texts.VMAP_NEVER.format(name=cls.__name__))
        return bool(cls.generate_vmap_rule)

    def _level(self, values: tuple) -> Level:
        """The vmap whose batch these values are: the outermost that is further in than what they belong to."""
        at = max([v._trace.level for v in values if isinstance(v, Array)], default=0)
        tensors = [self.leaves[i] for i in self.places]
        return next(
            level
            for level in state.transforms
            if level.kind == VMAP and level.number > at and any(batched_at(t, level.number) for t in tensors)
        )

    def __call__(self, *args: Any, **params: Any) -> Any:
        return bind(self, args, params)


_MARK = object()


class _Returned:
    """What forward returned, with marks in the places of tensors."""

    def __init__(self, found: Any) -> None:
        self.is_tuple = isinstance(found, tuple)
        self.marked = [_MARK if isinstance(o, Tensor) else o for o in _as_tuple(found)]

    def filled(self, tensors: list) -> Any:
        """The same with these tensors."""
        left = iter(tensors)
        found = tuple([next(left) if o is _MARK else o for o in self.marked])
        return found if self.is_tuple else found[0]


def _as_tuple(found: Any) -> tuple:
    return found if isinstance(found, tuple) else (found,)


def _batched(o: Any, dim: Any, size: int) -> Any:
    value = graph_value(o)
    if dim is None:
        return np.broadcast_to(value, (size, *value.shape))
    return value if dim == 0 else np.moveaxis(value, dim, 0)


class _Context:
    """ctx, as the static methods of a Function see it inside a transform."""

    materialize_grads = True

    def __init__(self) -> None:
        self.saved_tensors: tuple = ()
        self.needs_input_grad: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        pass  # which results are operands is seen from what forward returned

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value


class _Plan(Plan):
    """How a custom Function is differentiated: by its backward and jvp methods."""

    __slots__ = ("mask",)
    names = ("ctx", "types")

    def __init__(self, call: _Call, mask: tuple[bool, ...]) -> None:
        super().__init__(call, mask)
        self.mask, self.single = mask, False

    def keep(self, out: tuple, params: dict, *values: Any) -> tuple:
        ctx = self.primitive.context(values, out, self.mask)
        return (ctx, [(v.shape, v.dtype) for v in values])

    def pull(self, g: tuple, kept: tuple) -> tuple:
        ctx, types = kept
        given = iter(g)
        arguments = [tensor_of(conj(next(given))) if o is _MARK else None for o in self.primitive.returned.marked]
        found = _as_tuple(self.primitive.cls.backward(ctx, *arguments))
        by_place = dict(zip(self.primitive.places, range(len(self.mask)), strict=True))
        per_operand: list[Any] = [None] * len(self.mask)
        for i, r in enumerate(found):
            if i in by_place:
                per_operand[by_place[i]] = r
        return tuple(
            [np.zeros(*types[i]) if per_operand[i] is None else conj(graph_value(per_operand[i])) for i in self.linked]
        )

    def push(self, out: tuple, params: dict, tangents: tuple, *values: Any) -> tuple:
        ctx = self.primitive.context(values, out, self.mask)
        by_place = dict(zip(self.primitive.places, tangents, strict=True))
        arguments = [
            tensor_of(by_place[i]) if by_place.get(i) is not None else None for i in range(len(self.primitive.leaves))
        ]
        found = _as_tuple(self.primitive.cls.jvp(ctx, *arguments))
        return tuple([None if t is None else graph_value(t) for t in found])

"""`Composite`: several primitives that torch counts as one operation, and how the whole is differentiated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import raw
from funcgrad.core.plan import Plan, Plans
from funcgrad.core.trace import Tracer, bind
from funcgrad.core.tree import structure
from funcgrad.torch.base.parameters import parameters
from funcgrad.torch.tensor.graph_tracer import applied, in_graph
from funcgrad.transforms.jvp import jvp
from funcgrad.transforms.vjp import record
from funcgrad.transforms.vmap import BatchTrace


class Composite:
    """Several primitives that torch counts as one operation. It stands where a primitive does.

    Arguments:
        f: a function of arrays (positional) and parameters (keyword) in funcgrad's own operations.
        multiple: whether it gives a tuple.
        whole: whether tensors below transforms may compute it as a whole, transform by transform; f must not look at
            transforms itself then.
    """

    __slots__ = ("batch", "f", "multiple", "name", "operands", "plans", "preserves", "whole")
    plans: Any  # by mask

    def __init__(self, f: Callable, *, multiple: bool = False, whole: bool = True) -> None:
        self.whole = whole
        self.f, self.multiple, self.name, self.preserves = f, multiple, f.__name__.strip("_"), False
        found = parameters(f)
        self.operands = None if found.further else found.by_place
        self.plans, self.batch = Plans(functools.partial(CompositePlan, self)), batched_as_one

    def impl(self, *values: Any, **params: Any) -> Any:
        with np.errstate(all="ignore"):
            out = self.f(*values, **params)
        return tuple([raw(o) for o in out]) if self.multiple else raw(out)

    def __call__(self, *values: Any, **params: Any) -> Any:
        """Transforms see the primitives that it is composed of; or itself, if what it does is recorded by tensors."""
        if self.whole and is_recorded_as_one(self, values):
            return bind(self, values, params)
        return self.f(*values, **params)


def is_recorded_as_one(primitive: Any, values: tuple) -> bool:
    """Whether transforms are being shown an operation with this primitive that tensors record below them."""
    return applied.op is not None and applied.op.primitive is primitive and in_graph(values)


def batched_as_one(primitive: Any, size: int, values: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batching rule of a composite that is recorded: the batch of it, which is recorded by the same name."""

    def f(*xs: Any, **params: Any) -> Any:
        trace = BatchTrace("vmap", size)
        with trace:
            out = primitive.f(*[trace.tracer(raw(x)) if m else x for x, m in zip(xs, mask, strict=True)], **params)
            return tuple([trace.out(o) for o in out]) if primitive.multiple else trace.out(out)

    batched = Composite(f, multiple=primitive.multiple)
    batched.name, batched.operands = primitive.name, primitive.operands
    before = applied.op
    applied.op = before.of(batched)
    try:
        return bind(batched, values, params)
    finally:
        applied.op = before


class CompositePlan(Plan):
    """How a composite is differentiated: the core's vjp of the whole; where its gradient is differentiated again, anew.

    The residuals are (pullback, operands, params, result); the pullback, None if hooks hold what it was made of, is
    used where cotangents are plain arrays.
    """

    __slots__ = ()
    names = ("pullback", "xs", "params", "out")
    partial = True

    def evaluate(self, values: tuple, params: dict) -> tuple[Any, tuple]:
        """The result and the residuals."""
        outs, pullback = self._record(values, params)
        out = outs if self.primitive.multiple else outs[0]
        return out, (pullback, values, params, out)

    def keep(self, out: Any, params: dict, *values: Any) -> tuple:
        """The residuals where the result is known already."""
        return None, values, params, out

    def _record(self, values: tuple, params: dict) -> tuple[tuple, Any]:
        def f(*xs: Any) -> Any:
            args = list(values)
            for i, x in zip(self.linked, xs, strict=True):
                args[i] = x
            out = self.primitive.f(*args, **params)
            return tuple(out) if self.primitive.multiple else (out,)

        inputs = [values[i] for i in self.linked]
        with np.errstate(all="ignore"):
            outs, pullback, _ = record(f, inputs, structure(tuple(inputs)), False, "backward")
        return tuple([raw(o) for o in outs]), pullback

    def pull(self, g: Any, kept: tuple) -> Any:
        pullback, values, params, _ = kept
        gs = g if self.primitive.multiple else (g,)
        if pullback is None or any(isinstance(v, Tracer) for v in (*values, *gs)):
            pullback = self._record(values, params)[1]
        seeds: dict = {}
        for (e, _), ct in zip(pullback.outputs, gs, strict=True):
            if e is not None and ct is not None:
                seeds[e] = seeds[e] + ct if e in seeds else ct
        found = pullback.pull(seeds)
        return found[0] if self.single else found

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        def f(*xs: Any) -> Any:
            args = list(values)
            for i, x in zip(self.linked, xs, strict=True):
                args[i] = x
            return self.primitive.f(*args, **params)

        found = jvp(f, tuple(values[i] for i in self.linked), tuple(tangents[i] for i in self.linked))[1]
        return tuple([raw(t) for t in found]) if self.primitive.multiple else raw(found)

"""`linearize` of torch.func: what a function does to tangents, written down by the functional face's trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.tape import Tape
from funcgrad.core.trace import constant
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec, flatten
from funcgrad.torch.tensor.dual import check_not_nested, dual_level, make_dual
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.levels import check_no_fallback
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import graph_value, outside
from funcgrad.torch.tensor.values import owned, raw, requires, wrapped
from funcgrad.torch.texts import func as texts
from funcgrad.torch.texts.writing import LEAF_WRITTEN
from funcgrad.transforms.linearize import TangentTrace


def linearize(func: Callable, *primals: Any) -> tuple:
    """The value of `func` and a function from tangents of primals to the tangent of the value.

    func is called twice: once for its value, and once on dual tensors whose tangents are not known yet. What it does to
    these is written down, and `jvp_fn` goes through that without calling func again.

    Arguments:
        func: a function of tensors.
        primals: its arguments.

    Returns:
        `(result, jvp_fn)`; `jvp_fn(*tangents)` gives the derivative in their direction.

    Example:
        >>> from funcgrad import torch
        >>> y, jvp_fn = torch.func.linearize(torch.square, torch.tensor([1.0, 2.0]))
        >>> jvp_fn(torch.tensor([1.0, 0.0])), jvp_fn(torch.tensor([0.0, 1.0]))
        (tensor([2., 0.]), tensor([0., 4.]))
    """
    value = func(*primals)
    leaves, structure = flatten(primals)
    for p in leaves:
        if not isinstance(p, Tensor):
            raise AttributeError(f"'{type(p).__name__}' object has no attribute 'new_empty'")
    check_not_nested()
    if any(p._is_batched() for p in leaves):
        check_no_fallback("_make_dual", *leaves)
    written: list[Tensor] = []
    before, state.before_write = state.before_write, written.append
    try:
        tape, outs, out_spec = _tangents_written_down(func, leaves, structure)
    finally:
        state.before_write = before
    writes_into_parameter = any(requires(x) for x in written)

    def jvp_fn(*tangents: Any) -> Any:
        given = _checked(tangents, leaves, structure)
        if writes_into_parameter:
            raise RuntimeError(LEAF_WRITTEN)
        directions = [graph_value(_written(t)) for t in given]
        with np.errstate(all="ignore"):
            found = iter(tape.run(directions))
        return out_spec.unflatten(
            [outside(owned(constant(next(found)), directions)) if isinstance(o, Tensor) else o for o in outs]
        )

    return value, jvp_fn


def _checked(tangents: tuple, leaves: list, structure: TreeSpec) -> list:
    """The leaves of tangents, which have to be like the primals."""
    given, t_structure = flatten(tangents)
    if structure != t_structure:
        raise RuntimeError(texts.LINEARIZED_STRUCTURE.format(tangents=t_structure, primals=structure))
    for k, (p, t) in enumerate(zip(leaves, given, strict=True)):
        for what, expected, got in (("shape", p.shape, t.shape), ("dtype", p.dtype, t.dtype)):
            if expected != got:
                raise RuntimeError(texts.LINEARIZED_TYPE.format(k=k, what=what, given=got, expected=expected))
    return given


def _written(t: Tensor) -> Tensor:
    """A tangent as the program gets it: copied into memory that is like the primal."""
    t = t.clone()
    t._counter = [1]
    return t


class _FoldedTrace(TangentTrace):
    """Writes down what is done to tangents, where what was computed of primals alone is a parameter.

    PyTorch folds it so: it requires grad if the primals did, but its history goes no further.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("linearize")
        self.values: dict[int, tuple[Any, Any]] = {}  # the parameters

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        return super().process(primitive, tuple([self.folded(a) for a in args]), params)

    def folded(self, a: Any) -> Any:
        """A constant of the program."""
        if type(a) is not GraphTracer or not requires(a._tensor):
            return a
        found = self.values.get(id(a._tensor))
        if found is None:
            leaf = wrapped(a._value)
            leaf._requires = True
            found = self.values[id(a._tensor)] = (a._tensor, GraphTracer.of(leaf, a._value))
        return found[1]


def _tangents_written_down(func: Callable, leaves: list, structure: TreeSpec) -> tuple[Tape, list, TreeSpec]:
    """A tape from tangents of a function's arguments to those of its results; the results, and their structure."""
    trace = _FoldedTrace()
    try:
        with dual_level(), trace:
            symbols = [trace.input(ShapeDtypeStruct(p._value.shape, p._value.dtype)) for p in leaves]
            out = func(*structure.unflatten([make_dual(p, wrapped(s)) for p, s in zip(leaves, symbols, strict=True)]))
            outs, out_spec = flatten(out)
            results: list[Any] = []
            for o in outs:
                if isinstance(o, Tensor):
                    t = o._tangent
                    t = np.zeros(o._value.shape, o._value.dtype) if t is None else raw(t)
                    results.append(t._eqn if trace.own(t) else t)
    finally:
        trace.values = {}  # tensors whose tangents are values of this trace: they would hold each other
    trees = tree.structure(tuple(symbols)), tree.structure(tuple(results))
    tape = Tape([s._eqn for s in symbols], results, *trees, symbolic=True, effects=trace.effects)
    return tape, outs, out_spec

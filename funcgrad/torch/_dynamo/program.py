"""A recorded call: the program, what it takes and gives, and its place in the graph of autograd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.compile.jit import jit
from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.array import raw as unwrapped
from funcgrad.core.tape import reachable
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch._dynamo.node import CompiledFunctionBackward
from funcgrad.torch.base.treespec import TreeSpec, flatten
from funcgrad.torch.func.arrays import _draws, _transforms
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.journal import entries, journal, note
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, requires, wrapped
from funcgrad.torch.tensor.views import counter_of
from funcgrad.torch.texts import compilation as texts
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.vjp import vjp

PLAIN = (type(None), bool, int, float, complex, str)
_MEMBERS = {*vars(Tensor), *Tensor.__annotations__, "_traced_aliases", "_traced_views"}
"""The attributes of tensors that are not a user's."""


def described(t: Any) -> tuple:
    """What a program depends on of a tensor.

    Raises:
        Unsupported: the tensor is of a kind that programs do not take.
    """
    value = t._value
    if type(t) is not Tensor and type(t) is not Parameter:
        raise Unsupported(texts.ARGUMENT.format(what=f"a {type(t).__name__}"))
    if not t._plain or type(value) is not ndarray or value.dtype.kind not in "biufc" or t._inference:
        raise Unsupported(texts.TENSOR.format(what="of a kind that programs do not take"))
    if not value.flags.c_contiguous:
        raise Unsupported(texts.TENSOR.format(what="not contiguous"))
    return value.shape, value.dtype, requires(t)


class Program:
    """A function recorded for one kind of arguments, and for what it reached then.

    Arguments:
        f: the function.
        leaves: the leaves of its arguments.
        spec: the structure of `(args, kwargs)`.
        guards: what the function reaches.
        recording: whether gradients are recorded.

    Raises:
        Unsupported: it can't be recorded.
    """

    def __init__(self, f: Callable, leaves: list, spec: TreeSpec, guards: Guards, recording: bool) -> None:
        self.guards = guards
        reached = list(guards.reach.tensors.values())
        given = [x for x in leaves if isinstance(x, Tensor)]
        if len({id(x) for x in (*given, *reached)}) < len(given) + len(reached):
            raise Unsupported(texts.ARGUMENT.format(what="given twice"))
        self.reached, self.kinds = reached, [described(t) for t in reached]
        tensors = [*given, *reached]
        kinds = [described(t) for t in tensors]
        linked = [recording and k[2] for k in kinds]
        self.order = [i for i, x in enumerate(linked) if x] + [i for i, x in enumerate(linked) if not x]
        self.linked = sum(linked)
        self._record(f, leaves, spec, [tensors[i] for i in self.order])

    def _record(self, f: Callable, leaves: list, spec: TreeSpec, tensors: list) -> None:
        layout: dict[str, Any] = {}

        def results(values: tuple) -> tuple[list, list]:
            """The inexact results, and the others; buffers that were written into are results as well."""
            with _transforms(), _draws(None):
                inside = {id(t): wrapped(v) for t, v in zip(tensors, values, strict=True)}
                versions = {i: t._version for i, t in inside.items()}
                outs, out_spec = self._call(f, leaves, spec, inside)
                written = [t for t in tensors if inside[id(t)]._version != versions[id(t)]]
                layout.update(spec=out_spec, written=written)
                stand_ins = [inside[id(t)] for t in written]
                _check_results(outs, list(inside.values())[: len(tensors)])
                layout["leaves"] = [x if not isinstance(x, Tensor) else ... for x in outs]
                found = [raw(x) for x in outs if isinstance(x, Tensor)] + [raw(t) for t in stand_ins]
            layout["inexact"] = [is_inexact(x.dtype) for x in found]
            inexact = [wrap(x) for x in found if is_inexact(x.dtype)]
            return inexact, [wrap(x) for x in found if not is_inexact(x.dtype)]

        def run(*values: Any) -> tuple:
            n = self.linked
            if not n:
                inexact, others = results(values)
                layout["links"] = [False] * len(inexact)
                return (*inexact, *others)
            inexact, pullback, others = vjp(lambda diff: results((*diff, *values[n:])), values[:n], has_aux=True)
            layout["links"] = [e is not None for e, _ in pullback.outputs]
            residuals, layout["pullback"] = tree.flatten(pullback)
            return (*inexact, *others, *residuals)

        kinds = [ShapeDtypeStruct(t._value.shape, t._value.dtype) for t in tensors]
        traced = jit(run).trace(*kinds)
        self.call = traced.compiled.call
        if traced.compiled.constants:
            raise Unsupported(texts.MODES)
        self._arrange(layout, tensors, traced)

    def _call(self, f: Callable, leaves: list, spec: TreeSpec, inside: dict[int, Any]) -> tuple[list, TreeSpec]:
        """Call the function with stand-ins for all tensors, and make what it reaches as it was."""
        args, kwargs = spec.unflatten([inside.get(id(x), x) for x in leaves])
        before = flatten((args, kwargs))[0]
        self.guards.swap(inside)
        changed = True
        try:
            out = f(*args, **kwargs)
        finally:
            changed = self.guards.restore(inside)
        if changed:
            raise Unsupported(texts.EFFECT.format(what="what it reaches"))
        after, after_spec = flatten((args, kwargs))
        if after_spec != spec or any(a is not b for a, b in zip(before, after, strict=True)):
            raise Unsupported(texts.EFFECT.format(what="its arguments"))
        return flatten(out)

    def _arrange(self, layout: dict[str, Any], tensors: list, traced: Any) -> None:
        """Note where the results stand among those of the program."""
        self.spec, self.leaves, inexact = layout["spec"], layout["leaves"], layout["inexact"]
        written, links = layout["written"], iter(layout["links"])
        count = sum(inexact)
        first, second = iter(range(count)), iter(range(count, len(inexact)))
        places = [next(first) if x else next(second) for x in inexact]
        linked = [next(links) if x else False for x in inexact]
        n = len(inexact) - len(written)
        self.places, self.links, self.writes = places[:n], linked[:n], []
        for t, place, link in zip(written, places[n:], linked[n:], strict=True):
            i = next(i for i, x in enumerate(tensors) if x is t)
            value = traced.outputs[place]
            kept = value.shape == t._value.shape and value.dtype == t._value.dtype
            at = next((k for k, x in enumerate(self.reached) if x is t), None)
            if link or i < self.linked or requires(t) or t._view is not None or not kept or at is None:
                raise Unsupported(texts.EFFECT.format(what="a tensor that is no plain buffer"))
            self.writes.append((at, place))
        self.kept = len(inexact)
        inputs = set(traced.inputs)
        self.constant = [
            not inputs.intersection(reachable([traced.outputs[p]])) if hasattr(traced.outputs[p], "inputs") else True
            for p in self.places
        ]
        self.backward: Any = None
        if self.linked:
            pullback, kinds = layout["pullback"], [ShapeDtypeStruct(o.shape, o.dtype) for o in traced.outputs]
            residuals = kinds[self.kept :]
            cts = [kinds[p] for p, link in zip(self.places, self.links, strict=True) if link]
            where = [p for p, link in zip(self.places, self.links, strict=True) if link]

            def pull(*values: Any) -> tuple:
                given = dict(zip(where, values[len(residuals) :], strict=True))
                seeds = [
                    given[k] if k in given else wrap(np.zeros(kinds[k].shape, kinds[k].dtype)) for k in range(count)
                ]
                return pullback.unflatten(values[: len(residuals)])(seeds)[0]

            self.backward = jit(pull).trace(*residuals, *cts).compiled.call

    def holds(self) -> bool:
        """Whether what the function reaches is as it was."""
        if not self.guards.hold():
            return False
        for t, (shape, kind, needs) in zip(self.reached, self.kinds, strict=True):
            value = t._value
            if (
                value.shape != shape
                or value.dtype != kind
                or not t._plain
                or not value.flags.c_contiguous
                or (t._requires or t._node is not None or (t._view is not None and t._linked())) != needs
                or t._inference
            ):
                return False
        return True

    def __call__(self, given: list) -> Any:
        """The results for these tensors."""
        tensors = [*given, *self.reached]
        ordered = [tensors[i] for i in self.order]
        values = [t._value for t in ordered]
        outs = self.call.body.kernel(*values)
        residuals = tuple(outs[self.kept :])
        node = None
        if self.linked and any(self.links):
            old = list(values)
            for at, _ in self.writes:  # the program may run again, for derivatives of gradients
                old = [v.copy() if v is self.reached[at]._value else v for v in old]
            node = CompiledFunctionBackward(self, ordered[: self.linked], old, residuals)
        arrays = self._owned([outs[p] for p in self.places], values, residuals)
        for at, place in self.writes:
            t = self.reached[at]
            np.copyto(t._value, outs[place])
            t._bump()
        made = [wrapped(x) for x in arrays]
        if node is not None:
            self._link(node, ordered, made)
        return self._packed(made)

    def _owned(self, outs: list, values: list, residuals: tuple) -> list:
        """Results that share memory with nothing that others see."""
        found: list[ndarray] = []
        for x, constant in zip(outs, self.constant, strict=True):
            x = np.asarray(unwrapped(x))
            if constant or not x.flags.writeable or not x.flags.c_contiguous:
                x = x.copy()
            elif x.base is not None or any(x is y for y in (*values, *found)):
                shares = any(np.may_share_memory(x, y) for y in (*values, *found, *residuals))
                x = x.copy() if shares else x
            elif any(y.base is x for y in found):
                x = x.copy()
            found.append(x)
        return found

    def _link(self, node: Any, ordered: list, made: list) -> None:
        """Give the results their node, and the node what to look at before it runs."""
        node.gives(made, self.links)
        kept = {id(r) for r in node.residuals} | {id(r.base) for r in node.residuals if type(r) is ndarray}
        node.saved = tuple([_saved(t, t) for t in ordered if _shown(t, kept)]) + tuple(
            [_saved(None, t) for t in made if _shown(t, kept)]
        )
        node.results = [k for k, t in enumerate(made) if _shown(t, kept)]
        if journal.on:
            note(node.number, node.title, None, True, None, None, entries(ordered[: self.linked]))
        for number, (t, link) in enumerate(zip(made, self.links, strict=True)):
            if link:
                t._node, t._nr, t._entry = node, number, node.number

    def _packed(self, made: list) -> Any:
        found = iter(made)
        return self.spec.unflatten([next(found) if x is ... else x for x in self.leaves])

    def pull(self, residuals: tuple, grads: list) -> list:
        """The gradients of the linked tensors, raw."""
        return self.backward.body.kernel(*residuals, *grads)

    def pull_recorded(self, values: list, grads: list) -> list:
        """The same, operation by operation, for values and gradients that may be tracers."""
        residuals = TapeBody(self.call.body.tape)(*values)[self.kept :]
        return TapeBody(self.backward.body.tape)(*residuals, *grads)


def _shown(t: Any, kept: set[int]) -> bool:
    """Whether a tensor shows one of the arrays with these ids, or the memory of one."""
    return id(t._value) in kept or (t._value.base is not None and id(t._value.base) in kept)


def _saved(tensor: Any, t: Any) -> tuple:
    """What a node notes of a tensor whose memory it needs; nothing but the version of one that it made."""
    counter = counter_of(t)
    return tensor, counter, counter[0]


def _check_results(outs: list, inside: list) -> None:
    """See that results are tensors and plain values, and that none is a view of what others see."""
    bases = [id(t) for t in inside]
    for x in outs:
        if not isinstance(x, Tensor):
            if type(x) not in PLAIN:
                raise Unsupported(texts.RESULT.format(what=f"a {type(x).__name__}"))
            continue
        base = x
        while base._view is not None or base._alias is not None:
            base = base._view.base if base._view is not None else base._alias
        if id(base) in bases:
            raise Unsupported(texts.RESULT.format(what="a tensor that it was given, or a view of one"))
        bases.append(id(base))
    for x in (*inside, *(x for x in outs if isinstance(x, Tensor))):
        if vars(x).keys() - _MEMBERS:
            raise Unsupported(texts.EFFECT.format(what="attributes of a tensor"))

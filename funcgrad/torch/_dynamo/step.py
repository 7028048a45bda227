"""`Step`: a training step as one program, with `backward()` and the steps of optimisers in it.

The function runs once, inside a gradient transform of which parameters are the arguments. `backward()` pulls back
through what that has recorded, and leaves gradients on the stand-ins of the parameters; optimisers write into these.
The program takes parameters, gradients, buffers and the state of optimisers, and gives those that are written into; a
call copies them to where they were.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numpy import float64

from funcgrad.compile.jit import jit
from funcgrad.core.array import wrap
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch._dynamo.inside import described, memory_of, run_inside
from funcgrad.torch._dynamo.node import freed_node
from funcgrad.torch._dynamo.recorded import Recorded
from funcgrad.torch._dynamo.recorder import Recorder
from funcgrad.torch._dynamo.source import Source
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec
from funcgrad.torch.func.arrays import drawing_from, transforms_known
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.random.deferred import Planned
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import requires, wrapped
from funcgrad.torch.texts import compilation as texts
from funcgrad.transforms.vjp import VjpTrace


class Step(Recorded):
    """A training step.

    Arguments:
        f: the function.
        leaves, spec, guards, draws: as for `Recorded`.

    Attributes:
        held: the tensors that have a `.grad`, which the program takes as well.
        counters: those that count the steps of optimisers, in lists of such as count the same.
        writes: what is written into: the number of the tensor, where its new value is, how often.
        grads: the tensors whose `.grad` is another one afterwards: their number, and where it is, or None.
    """

    def __init__(self, f: Callable, leaves: list, spec: TreeSpec, guards: Guards, draws: Planned) -> None:
        super().__init__(leaves, spec, guards, draws)
        self.linked = [i for i, k in enumerate(self.kinds) if state.grad and k[2]]
        if any(t._node is not None or _hooked(t) or (t._view is not None and requires(t)) for t in self.tensors):
            raise Unsupported(texts.HISTORY)
        if any(t._requires or t._grad is not None for t in self.given):
            raise Unsupported(texts.ARGUMENT.format(what="a tensor that requires grad"))
        grads = [t._grad for t in self.tensors if t._grad is not None]
        if len({id(t) for t in (*self.tensors, *grads)}) < len(self.tensors) + len(grads):
            raise Unsupported(texts.SHARED)
        self.held = [i for i, t in enumerate(self.tensors) if t._grad is not None]
        self.grad_kinds = [described(self.tensors[i]._grad) for i in self.held]
        self.counters = _counters(guards.reach.optimizers)
        counts = [float(c[0]._value) for c in self.counters]
        rates = [group["lr"] for group in guards.rates]

        def run(*values: Any) -> tuple:
            parts = iter(values)
            own = [next(parts) for _ in self.tensors]
            grads = [next(parts) for _ in self.held]
            numbers = [next(parts) for _ in rates], [next(parts) for _ in counts]
            draws.begin(list(parts))
            return self._run(f, own, grads, *numbers)

        kinds = [ShapeDtypeStruct(shape, dtype) for shape, dtype, _ in (*self.kinds, *self.grad_kinds)]
        drawn = [ShapeDtypeStruct(shape, dtype) for shape, dtype, _ in draws.kinds]
        self.finish(jit(run).trace(*kinds, *rates, *counts, *drawn))

    def _run(self, f: Callable, values: list, grads: list, rates: list, counts: list) -> tuple:
        """Run the function on symbols; gives all that is returned or written."""
        trace = VjpTrace("backward")
        with trace, transforms_known(), drawing_from(self.draws):
            for i in self.linked:
                values[i] = trace.input(values[i])
            stand_ins = [wrapped(v) for v in values]
            inside = {id(t): s for t, s in zip(self.tensors, stand_ins, strict=True)}
            for i, g in zip(self.held, grads, strict=True):
                stand_ins[i]._grad = inside[id(self.tensors[i]._grad)] = wrapped(g)
            counters = {id(inside[id(c)]): k for k, same in enumerate(self.counters) for c in same}
            recorder = Recorder(trace, [stand_ins[i] for i in self.linked], counters, counts)
            starts = [(s, s._version, s._grad, 0 if s._grad is None else s._grad._version, s._value) for s in stand_ins]
            outs = self._recorded(f, inside, recorder, rates)
            return self._outcome(recorder, starts, outs)

    def _recorded(self, f: Callable, inside: dict, recorder: Recorder, rates: list) -> list:
        """Call the function; gives the leaves of its result."""
        groups = self.guards.rates
        before = [group["lr"] for group in groups]

        def at_rates(*args: Any, **kwargs: Any) -> Any:
            state.recorder = recorder
            for group, rate in zip(groups, rates, strict=True):
                group["lr"] = rate
            try:
                return f(*args, **kwargs)
            finally:
                state.recorder = None
                for group, rate in zip(groups, before, strict=True):
                    group["lr"] = rate

        outs, self.spec, self.numbers = run_inside(at_rates, self.arguments, self.argument_spec, self.guards, inside)
        return outs

    def _outcome(self, recorder: Recorder, starts: list, outs: list) -> tuple:
        """All that the program gives: what tensors are written, gradients, results."""
        found: list[Any] = []

        def place(t: Any) -> int:
            found.append(wrap(recorder.value(t)))
            return len(found) - 1

        self.writes, self.grads, self.advances = [], [], []
        states = [x for o in self.guards.reach.optimizers for x in o.state.values()]
        kept = {id(x) for x in chain.from_iterable(map(dict.values, states))}
        extra = {i: len(self.tensors) + k for k, i in enumerate(self.held)}
        for i, (s, version, grad, grad_version, value) in enumerate(starts):
            if recorder.equation(s) is not (value._eqn if i in self.linked else None):
                raise Unsupported(texts.EFFECT.format(what="a tensor that is no plain buffer"))
            times = recorder.advanced.get(id(s), 0)
            if times:
                self.advances.append((i, times))
            if s._version != version:  # a buffer of a layer is written once, in however many operations
                exact = i in self.linked or id(self.tensors[i]) in kept
                self.writes.append((i, place(s), s._version - version if exact else 1))
            if s._grad is not grad:
                if s._grad is not None and (i not in self.linked or recorder.equation(s._grad) is not None):
                    raise Unsupported(texts.EFFECT.format(what="gradients in a way of its own"))
                self.grads.append((i, None if s._grad is None else place(s._grad)))
            elif grad is not None and grad._version - grad_version:
                self.writes.append((extra[i], place(grad), grad._version - grad_version))
        made = [s._grad for s, _, grad, *_ in starts if s._grad is not None and s._grad is not grad]
        seen = [id(memory_of(x)) for x in (*made, *outs) if isinstance(x, Tensor)]
        if len({*seen, *[id(s) for s, *_ in starts]}) < len(seen) + len(starts) or any(g._requires for g in made):
            raise Unsupported(texts.EFFECT.format(what="gradients in a way of its own"))
        for i, at, _ in self.writes:
            shape, kind, *_ = (*self.kinds, *self.grad_kinds)[i]
            view = i < len(self.tensors) and self.tensors[i]._view is not None
            if view or i < len(self.given) or found[at].shape != shape or found[at].dtype != kind:
                raise Unsupported(texts.EFFECT.format(what="a tensor that is no plain buffer"))
        self.leaves = [x if not isinstance(x, Tensor) else ... for x in outs]
        self.places, self.links = [], []
        for x in outs:
            if isinstance(x, Tensor):
                e = recorder.equation(x)
                if e is not None and e not in recorder.freed:
                    raise Unsupported(texts.RESULT.format(what="a tensor with a graph that is not freed"))
                self.places.append(place(x))
                self.links.append(e is not None)
        return tuple(found)

    # Calls.

    def inputs(self, source: Source) -> list[str]:
        source.scope["float64"] = float64
        names = [f"g{k}" for k in range(len(self.held))]
        for name, t in zip(names, self._holders(source), strict=True):
            source.lines.append(f"{name} = {t}._grad._value")
        values = [*[f"v{k}" for k in range(len(self.kinds))], *names]
        source.lines.append(f"if not {source.known(self._apart)}({', '.join(values)}): return NotImplemented")
        for k, group in enumerate(self.guards.rates):
            source.lines.append(f"a{k} = float64({source.known(group)}['lr'])")
            names.append(f"a{k}")
        for k, same in enumerate(self.counters):
            source.lines.append(f"n{k} = float64({source.known(same[0])}._value.item())")
            names.append(f"n{k}")
        return names

    def _apart(self, *values: Any) -> bool:
        """Whether what is written into shares memory with nothing else."""
        owners = [id(_owner(v)) for v in values]
        return len(set(owners)) == len(owners) or all(owners.count(owners[i]) == 1 for i, _, _ in self.writes)

    def _holders(self, source: Source) -> list[str]:
        """Names of the tensors that have a `.grad`."""
        first = len(self.names)
        return [source.known(self.reached[i - first]) for i in self.held]

    def demands(self, source: Source) -> list[str]:
        first, found = len(self.names), []
        for i, t in enumerate(self.reached, first):
            name = source.known(t)
            wrong = f"{name}._hooks or {name}._post_accumulate_hooks or {name}._grad is "
            found.append(wrong + ("None" if i in self.held else "not None"))
        for name, (shape, dtype, _) in zip(self._holders(source), self.grad_kinds, strict=True):
            g = f"{name}._grad"
            known = f"{shape!r} or {g}._value.dtype is not {source.known(dtype)} or not {g}._value.flags.c_contiguous"
            history = f"{g}._requires or {g}._node is not None or {g}._view is not None"
            found.append(
                f"type({g}) is not {source.known(Tensor)} or type({g}._value) is not ndarray or not {g}._plain or "
                f"{g}._value.shape != {known} or {g}._inference or {history}"
            )
        for same in self.counters:
            counted = [f"{source.known(c)}._value.item()" for c in same]
            if len(counted) > 1:
                found.append(f"not {' == '.join(counted)}")
        return found

    def results(self, source: Source, outs: tuple, values: tuple) -> list[str]:
        arrays = tuple([v for v in values if type(v) is np.ndarray])
        new_grads = [at for _, at in self.grads if at is not None]
        places = [*[at for _, at, _ in self.writes], *new_grads, *self.places]
        owned = iter(self.owned(source, places, outs, arrays))
        tensors = [*self.names, *[source.known(t) for t in self.reached]]
        holders = [f"{tensors[i]}._grad" for i in self.held]
        memory = [*[f"v{k}" for k in range(len(tensors))], *[f"g{k}" for k in range(len(holders))]]
        source.scope.update(copyto=np.copyto, add=np.add, freed=freed_node)
        for i, _, bumps in self.writes:
            source.lines.append(f"copyto({memory[i]}, {next(owned)})")
            source.lines += [f"{[*tensors, *holders][i]}._bump()"] * bumps
        for i, at in self.grads:
            if at is None:
                source.lines.append(f"{tensors[i]}._grad = None")
            else:
                source.lines += ["g = new(Tensor)", f"g._value = {next(owned)}", f"{tensors[i]}._grad = g"]
        for i, times in self.advances:
            source.lines += [f"add(v{i}, {times}, v{i}, casting='unsafe')", *[f"{tensors[i]}._bump()"] * times]
        made = [f"t{k}" for k in range(len(self.places))]
        for t, link in zip(made, self.links, strict=True):
            source.lines += [f"{t} = new(Tensor)", f"{t}._value = {next(owned)}"]
            if link:
                source.lines += [f"{t}._node = freed({t})", f"{t}._entry = {t}._node.number"]
        return made


def _hooked(t: Any) -> bool:
    return bool(t._hooks or t._post_accumulate_hooks)


def _owner(x: Any) -> Any:
    """What owns the memory of an array."""
    while True:
        below = x.obj if type(x) is memoryview else getattr(x, "base", None)
        if below is None:
            return x
        x = below


def _counters(optimizers: list[Optimizer]) -> list[list]:
    """The tensors that count the steps of optimisers, in lists of such as count the same."""
    found: dict[tuple, list] = {}
    for k, optimizer in enumerate(optimizers):
        for kept in optimizer.state.values():
            count = kept.get("step")
            if isinstance(count, Tensor) and count._plain and not count._value.shape:
                found.setdefault((k, count._value.item()), []).append(count)
    return list(found.values())

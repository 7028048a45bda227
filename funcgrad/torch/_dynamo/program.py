"""`Program`: a function whose results have a place in the graph of autograd, as two programs: forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.compile.jit import jit
from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch._dynamo.inside import run_inside
from funcgrad.torch._dynamo.node import BackwardPlan, CompiledFunctionBackward, saved_result, saved_version
from funcgrad.torch._dynamo.recorded import Recorded
from funcgrad.torch._dynamo.source import Source
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec
from funcgrad.torch.func.arrays import drawing_from, transforms_known
from funcgrad.torch.random.deferred import Planned
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, requires, wrapped
from funcgrad.torch.texts import compilation as texts
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.vjp import vjp


class Program(Recorded):
    """A function whose results may be differentiated.

    Arguments:
        f: the function.
        leaves, spec, guards, draws: as for `Recorded`.

    Attributes:
        linked: the numbers of the tensors that gradients go to.
        places, links: of each result, where it is among those of the program, and whether it has a gradient.
        writes: the buffers that are written into: their number, and where their new value is.
        kept: how many results the program has before what it keeps for the backward.
        known_as: what of that is a result or an argument, by its number.
        backward: the backward program, an operation, or None.
        plan: of the node.
        shapes, dtypes: of the results, as a node has them.
    """

    def __init__(self, f: Callable, leaves: list, spec: TreeSpec, guards: Guards, draws: Planned) -> None:
        super().__init__(leaves, spec, guards, draws)
        self.linked = [i for i, k in enumerate(self.kinds) if state.grad and k[2]]
        tensors, linked = self.tensors, self.linked
        layout: dict[str, Any] = {}

        def results(values: tuple) -> tuple[list, list]:
            """The inexact results, and the others; buffers that were written into are results as well."""
            n = len(tensors)
            draws.begin(values[n:])
            with transforms_known(), drawing_from(draws):
                inside = {id(t): wrapped(v) for t, v in zip(tensors, values, strict=False)}
                versions = {i: t._version for i, t in inside.items()}
                outs, self.spec, self.numbers = run_inside(f, leaves, spec, guards, inside)
                layout["written"] = [i for i, t in enumerate(tensors) if inside[id(t)]._version != versions[id(t)]]
                self.leaves = [x if not isinstance(x, Tensor) else ... for x in outs]
                found = [raw(x) for x in outs if isinstance(x, Tensor)]
                found += [raw(inside[id(tensors[i])]) for i in layout["written"]]
            layout["inexact"] = [is_inexact(x.dtype) for x in found]
            inexact = [wrap(x) for x in found if is_inexact(x.dtype)]
            return inexact, [wrap(x) for x in found if not is_inexact(x.dtype)]

        def run(*values: Any) -> tuple:
            if not linked:
                inexact, others = results(values)
                layout["links"] = [False] * len(inexact)
                return (*inexact, *others)

            def of_linked(some: tuple) -> tuple[list, list]:
                every = list(values)
                for i, v in zip(linked, some, strict=True):
                    every[i] = v
                return results(tuple(every))

            inexact, pullback, others = vjp(of_linked, tuple([values[i] for i in linked]), has_aux=True)
            layout["links"] = [e is not None for e, _ in pullback.outputs]
            residuals, layout["pullback"] = tree.flatten(pullback)
            return (*inexact, *others, *residuals)

        kinds = [ShapeDtypeStruct(shape, dtype) for shape, dtype, *_ in (*self.kinds, *draws.kinds)]
        traced = jit(run).trace(*kinds)
        self._arrange(layout, traced)
        self.finish(traced)

    def _arrange(self, layout: dict[str, Any], traced: Any) -> None:
        """Note where the results stand among those of the program."""
        inexact, links, written = layout["inexact"], iter(layout["links"]), layout["written"]
        count = sum(inexact)
        first, second = iter(range(count)), iter(range(count, len(inexact)))
        places = [next(first) if x else next(second) for x in inexact]
        linked = [next(links) if x else False for x in inexact]
        n = len(inexact) - len(written)
        self.places, self.links, self.writes = places[:n], linked[:n], []
        for i, place, link in zip(written, places[n:], linked[n:], strict=True):
            t, value = self.tensors[i], traced.outputs[place]
            kept = value.shape == t._value.shape and value.dtype == t._value.dtype
            if link or requires(t) or t._view is not None or not kept or i < len(self.given):
                raise Unsupported(texts.EFFECT.format(what="a tensor that is no plain buffer"))
            self.writes.append((i, place))
        self.kept = len(inexact)
        found: dict[int, str] = {id(e): f"o{p}" for p, e in enumerate(traced.outputs[: self.kept])}
        found |= {id(e): f"v{i}" if i < len(self.tensors) else "" for i, e in enumerate(traced.inputs)}
        self.known_as = {
            k: found[id(e)] for k, e in enumerate(traced.outputs[self.kept :], self.kept) if found.get(id(e))
        }
        kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in traced.outputs]
        types = [(kinds[p].shape, kinds[p].dtype if k else None) for p, k in zip(self.places, self.links, strict=True)]
        self.shapes, self.dtypes = types[0] if n == 1 else tuple(zip(*types, strict=True)) or ((), ())
        self.backward: Any = None
        if any(self.links):
            compiled = _backward(layout["pullback"], kinds, count, self.kept, self._seeded())
            self.programs.append(compiled)
            self.backward = compiled.call
            self.plan = BackwardPlan(self.backward.body, len(self.linked))

    def _seeded(self) -> list[int]:
        """Where the results are that have gradients."""
        return [p for p, link in zip(self.places, self.links, strict=True) if link]

    def results(self, source: Source, outs: tuple, values: tuple) -> list[str]:
        owned = self.owned(source, self.places, outs, values, outs[self.kept :])
        names, residuals = self._residuals(source, owned, outs, values)
        tensors = [*self.names, *[source.known(t) for t in self.reached]]
        if self.backward is not None:
            source.scope.update(Node=CompiledFunctionBackward, saved_version=saved_version, saved_result=saved_result)
            written = {i for i, _ in self.writes}  # the program may run again, for derivatives of gradients
            given = "".join([f"v{i}.copy(), " if i in written else f"v{i}, " for i in range(len(tensors))])
            drawn = "".join([f"d{k}, " for k in range(len(self.draws.kinds))])
            leaves = "".join([f"{tensors[i]}, " for i in self.linked])
            kept = "".join([f"{name}, " for name in names])
            source.lines.append(f"node = Node({source.known(self)}, ({leaves}), ({given}{drawn}), ({kept}))")
        for i, place in self.writes:
            source.scope["copyto"] = np.copyto
            source.lines += [f"copyto(v{i}, o{place})", f"{tensors[i]}._bump()"]
        made = [f"t{k}" for k in range(len(owned))]
        for t, x in zip(made, owned, strict=True):
            source.lines += [f"{t} = new(Tensor)", f"{t}._value = {x}"]
        if self.backward is not None:
            shown = {id(r) for r in residuals} | {id(r.base) for r in residuals if type(r) is ndarray}
            found = [
                k
                for k, (x, p) in enumerate(zip(owned, self.places, strict=True))
                if x == f"o{p}" and _shows(outs[p], shown)
            ]
            saved = [f"saved_version({t})" for t, v in zip(tensors, values, strict=False) if _shows(v, shown)]
            saved += [f"saved_result({made[k]})" for k in found]
            source.lines += [
                f"node.results = {tuple(found)}",
                *([f"node.saved = ({''.join([f'{s}, ' for s in saved])})"] if saved else []),
            ]
            for k, (t, link) in enumerate(zip(made, self.links, strict=True)):
                if link:
                    source.lines += [f"{t}._node = node", f"{t}._nr = {k}", f"{t}._entry = node.number"]
        return made

    def _residuals(self, source: Source, owned: list[str], outs: tuple, values: tuple) -> tuple[list[str], list]:
        """Names of what is kept for the backward, and what they stood for the first time.

        A backend may give a result twice; what a tensor shows is kept as that, so that writing into it is noticed.
        """
        written = {id(values[i]) for i, _ in self.writes}
        names, arrays = [], []
        for k in range(self.kept, len(outs)):
            name, x = f"o{k}", outs[k]
            known = self.known_as.get(k, "")
            if known in owned or known.startswith("v"):
                name, x = known, (outs if known[0] == "o" else values)[int(known[1:])]
            if _shows(x, written):
                source.lines.append(f"k{k} = {name}.copy()")
                name, x = f"k{k}", x.copy()
            names.append(name)
            arrays.append(x)
        return names, arrays

    def pull_recorded(self, values: list, grads: list) -> list:
        """The gradients, operation by operation, for values and gradients that may be tracers."""
        residuals = TapeBody(self.call.body.tape)(*values)[self.kept :]
        return TapeBody(self.backward.body.tape)(*residuals, *grads)


def _backward(pullback: Any, kinds: list, count: int, kept: int, where: list[int]) -> Any:
    """The backward program, from residuals and the cotangents of linked results to the cotangents of the operands.

    Arguments:
        pullback: made of residuals, gives cotangents for those of all inexact results.
        kinds: of all results of the program.
        count: how many are inexact.
        kept: from where on they are residuals.
        where: which have a gradient.
    """
    n = len(kinds) - kept

    def pull(*values: Any) -> tuple:
        given = dict(zip(where, values[n:], strict=True))
        seeds = [given[k] if k in given else wrap(np.zeros(kinds[k].shape, kinds[k].dtype)) for k in range(count)]
        return pullback.unflatten(values[:n])(seeds)[0]

    return jit(pull).trace(*kinds[kept:], *[kinds[p] for p in where]).compiled


def _shows(x: Any, memory: set[int]) -> bool:
    """Whether an array is one of those with these ids, or lies in the memory of one."""
    return id(x) in memory or (type(x) is ndarray and x.base is not None and id(x.base) in memory)

"""`Recorded`: a function as a program, for one kind of arguments and for what it reached when it was recorded.

What a call needs to look at is known by then, so two functions are written for it (`source.Source`): `entry` takes
arguments, and asks whether they and all that the function reaches are as they were; `run` calls the kernel and makes
tensors of what it gives.

    def entry(args, kwargs):
        if len(args) != 1 or kwargs or state.grad is not True or default() is not c1: return NotImplemented
        x0, = args
        v = x0._value
        if type(x0) is not c2 or type(v) is not ndarray or v.shape != (32, 64) or ...: return NotImplemented
        v = c3._value
        ...
        if not quickly(): return NotImplemented
        return program.run(x0)

    def run(x0):
        if body._kernel is not c1: return program.again(x0)
        v0 = x0._value
        v1 = c2._value
        return after(x0, v0, v1, quiet.run(c1, v0, v1))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.compile.backends import default_backend
from funcgrad.compile.tiers import TIERS, background
from funcgrad.core.array import raw as unwrapped
from funcgrad.core.tape import Equation, reachable
from funcgrad.torch._dynamo.exc import Later, Unsupported
from funcgrad.torch._dynamo.guards import Guards
from funcgrad.torch._dynamo.inside import described
from funcgrad.torch._dynamo.source import Source
from funcgrad.torch.base.dtypes import get_default_dtype
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.base.treespec import LEAF, TreeSpec
from funcgrad.torch.random.deferred import Planned
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import new, requires
from funcgrad.torch.texts import compilation as texts


class Recorded:
    """A function as a program. `Program` and `Step` say what is recorded, and what a call does besides.

    Arguments:
        leaves: the leaves of its arguments.
        spec: the structure of `(args, kwargs)`.
        guards: what the function reaches.
        draws: what stands for the random numbers that it draws; they are the last arguments of the program.

    Attributes:
        given, reached: the tensors among the arguments, and those that it reaches.
        kinds: what was known of both.
        call: the program, as an operation.
        programs: that and others, as jit has them.
        run: a function of the given tensors, which gives NotImplemented if it can't take them.
        entry: a function of args and kwargs, which may give NotImplemented; None if they are of a structure that only
            the general way knows.

    Raises:
        Unsupported: it can't be recorded.
        Later: not before it has been seen what it draws.
    """

    call: Any
    spec: TreeSpec
    leaves: list
    numbers: set[int]

    def __init__(self, leaves: list, spec: TreeSpec, guards: Guards, draws: Planned) -> None:
        self.guards, self.arguments, self.argument_spec, self.draws = guards, leaves, spec, draws
        self.given, self.reached = [x for x in leaves if isinstance(x, Tensor)], list(guards.reach.tensors.values())
        self.tensors = [*self.given, *self.reached]
        if len({id(t) for t in self.tensors}) < len(self.tensors):
            raise Unsupported(texts.ARGUMENT.format(what="given twice"))
        self.kinds = [described(t) for t in self.tensors]
        self.run: Callable = self.again
        self.entry: Callable | None = None
        self.programs: list[Any] = []
        self.calls = 0

    # What a kind of program says of itself.

    def inputs(self, source: Source) -> list[str]:
        """Write what takes further arguments of the kernel than tensors and random numbers; gives their names."""
        return []

    def results(self, source: Source, outs: tuple, values: tuple) -> list[str]:
        """Write what is done with the results of the kernel, `o0`, `o1`, …; gives the names of the tensors returned.

        Arguments:
            outs: what the kernel gave the first time.
            values: what it was given.
        """
        raise TypeError(f"{type(self).__name__} must define results")

    def demands(self, source: Source) -> list[str]:
        """Further reasons for which the program does not hold."""
        return []

    # Calls.

    def finish(self, traced: Any) -> None:
        """All is recorded: write the entry."""
        if len(self.draws.makes) != len(self.draws.kinds):
            raise Later  # something has changed since it was seen what it draws
        self.call = traced.compiled.call
        self.programs.append(traced.compiled)
        if traced.compiled.constants:
            raise Unsupported(texts.MODES)
        inputs = set(traced.inputs)
        self.constant = [not (type(o) is Equation and inputs.intersection(reachable([o]))) for o in traced.outputs]
        self.modes = state.grad, get_default_dtype()
        self.names = [f"x{k}" for k, x in enumerate(self.arguments) if isinstance(x, Tensor)]
        source = Source()
        self._reached(source, "return False")
        source.lines.append("return True")
        self.accepts: Callable[[], bool] = source.written("accepts()")
        self.entry = self._entry()
        self.given, self.tensors = [], []
        self.arguments = [None if isinstance(x, Tensor) else x for x in self.arguments]

    def holds(self) -> bool:
        """Whether what the function reaches is as it was."""
        return self.guards.hold() and self.accepts()

    def again(self, *given: Any) -> Any:
        """Run, and write down how to from now on; the second time, have machine code made of the program."""
        self.calls += 1
        if self.calls == 2 and default_backend() == TIERS:
            for compiled in self.programs:
                background.add(compiled)
        body = self.call.body
        kernel = body.kernel
        source, names = Source(), ", ".join(self.names)
        values = self._inputs(source)
        source.lines.append(f"return {_tuple(values)}")
        taken = source.written(f"inputs({names})")(*given)
        if taken is NotImplemented:
            return taken
        outs = quiet.run(kernel, *taken)
        after = self._after(values, outs, taken)
        if self.calls > 1:
            source.lines.pop()
            known, program = source.known(kernel), source.known(self)
            source.lines.insert(0, f"if {source.known(body)}._kernel is not {known}: return {program}.again({names})")
            source.scope["quiet"] = quiet
            every = ", ".join([*self.names, *values, f"quiet.run({', '.join([known, *values])})"])
            source.lines.append(f"return {source.known(after)}({every})")
            self.run = source.written(f"run({names})")
        return after(*given, *taken, outs)

    # Sources.

    def _entry(self) -> Callable | None:
        """The function that takes arguments which are leaves, one by one; None if they are not."""
        args, kwargs = self.argument_spec.children
        if any(c != LEAF for c in (*args.children, *kwargs.children)):
            return None
        source, no = Source(), "return NotImplemented"
        source.scope.update(state=state, default=get_default_dtype)
        names = [f"x{k}" for k in range(len(self.arguments))]
        first = len(args.children)
        counts = f"len(args) != {first} or len(kwargs) != {len(names) - first}"
        modes = f"state.grad is not {self.modes[0]} or default() is not {source.known(self.modes[1])}"
        source.lines.append(f"if {counts} or {modes}: {no}")
        if first:
            source.lines.append(f"{''.join([f'{n}, ' for n in names[:first]])}= args")
        if kwargs.children:
            found = [f"{n} = kwargs[{key!r}]" for n, key in zip(names[first:], kwargs.context, strict=True)]
            source.lines += ["try: " + "; ".join(found), f"except KeyError: {no}"]
        kinds = iter(self.kinds)
        for n, x in zip(names, self.arguments, strict=True):
            if isinstance(x, Tensor):
                source.lines.append(f"if type({n}) is not {source.known(type(x))}: {no}")
                self._tensor(source, n, next(kinds), x, no)
            elif isinstance(x, (float, complex)):
                source.lines.append(f"if type({n}) is not {source.known(type(x))} or repr({n}) != {repr(x)!r}: {no}")
            elif x is None or isinstance(x, bool):
                source.lines.append(f"if {n} is not {x}: {no}")
            else:
                source.lines.append(f"if type({n}) is not {source.known(type(x))} or {n} != {x!r}: {no}")
        self._reached(source, no)
        source.lines.append(f"if not {source.known(self.guards.quickly)}(): {no}")
        source.lines.append(f"return {source.known(self)}.run({', '.join(self.names)})")
        found_entry: Callable = source.written("entry(args, kwargs)")
        return found_entry

    def _reached(self, source: Source, no: str) -> None:
        """Look at all tensors that are reached, and at what else the program asks for."""
        for t, kind in zip(self.reached, self.kinds[len(self.given) :], strict=True):
            self._tensor(source, source.known(t), kind, t, no)
        source.lines += [f"if {wrong}: {no}" for wrong in self.demands(source)]

    def _tensor(self, source: Source, name: str, kind: tuple, t: Any, no: str) -> None:
        """Look at a tensor of this name, which was t and of this kind."""
        shape, dtype, needs = kind
        source.scope["ndarray"], source.scope["requires"] = ndarray, requires
        if t._node is None and t._view is None:
            history = f"{name}._requires is not {needs} or {name}._node is not None or {name}._view is not None"
        else:
            history = f"requires({name}) is not {needs}"
        source.lines += [
            f"v = {name}._value",
            f"if type(v) is not ndarray or v.shape != {shape!r} or v.dtype is not {source.known(dtype)} or "
            f"not {name}._plain or not v.flags.c_contiguous or {name}._inference or {history}: {no}",
        ]

    def _inputs(self, source: Source) -> list[str]:
        """Write what takes the arguments of the kernel; gives their names."""
        where = [*self.names, *[source.known(t) for t in self.reached]]
        values = [f"v{k}" for k in range(len(where))]
        source.lines += [f"{v} = {t}._value" for v, t in zip(values, where, strict=True)]
        values += self.inputs(source)
        source.scope["contiguous"] = np.ascontiguousarray
        for k, make in enumerate(self.draws.makes):
            source.lines.append(f"d{k} = contiguous({source.known(make)}())")
            values.append(f"d{k}")
        return values

    def _after(self, values: list[str], outs: tuple, taken: tuple) -> Callable:
        """What is done with the results of the kernel, as a function of the tensors, the arguments, and those."""
        source = Source()
        source.scope.update(new=new, Tensor=Tensor, asarray=np.asarray)
        names = [f"o{k}" for k in range(len(outs))]
        if names:
            source.lines.append(f"{', '.join(names)}, = outs")
        made = iter(self.results(source, outs, taken))
        items = [next(made) if x is ... else source.known(x) for x in self.leaves]
        items = [f"{x}._value.item()" if k in self.numbers else x for k, x in enumerate(items)]
        source.lines.append(f"return {_packed(source, self.spec, items)}")
        found: Callable = source.written(f"after({', '.join([*self.names, *values, 'outs'])})")
        return found

    def owned(self, source: Source, places: list[int], outs: tuple, values: tuple, others: tuple = ()) -> list[str]:
        """Write what gives results memory that nobody else sees, as it was found to be the first time.

        Gives their names, which are those of the kernel's results where no copy is made.

        Arguments:
            places: of the results among those of the kernel.
            outs: what the kernel gave, for these values.
            others: what is kept besides.
        """
        kept: list[ndarray] = []
        names: list[str] = []
        for place in places:
            x, name = np.asarray(unwrapped(outs[place])), f"o{place}"
            if not x.shape:
                source.lines.append(f"{name} = asarray({name})")
            if (
                self.constant[place]
                or not x.flags.writeable
                or not x.flags.c_contiguous
                or _shared(x, kept, values, others)
            ):
                x = x.copy()
                source.lines.append(f"r{len(kept)} = {name}.copy()")
                name = f"r{len(kept)}"
            kept.append(x)
            names.append(name)
        return names


def _shared(x: ndarray, kept: list, values: tuple, others: tuple) -> bool:
    """Whether a result lies in the memory of another one, of an argument, or of what is kept for the backward."""
    if any(y is x for y in (*values, *kept)):
        return True
    if x.base is not None:
        return any(np.may_share_memory(x, y) for y in (*values, *kept, *others) if isinstance(y, ndarray))
    return any(isinstance(y, ndarray) and y.base is x for y in kept)


def _tuple(names: list[str]) -> str:
    return f"({''.join([f'{n}, ' for n in names])})"


def _packed(source: Source, spec: TreeSpec, items: list[str]) -> str:
    """What makes the result of a function of its leaves: a literal, where it can be one."""
    if spec == LEAF:
        return items[0]
    if spec.kind in (tuple, list) and all(c == LEAF for c in spec.children):
        return _tuple(items) if spec.kind is tuple else f"[{', '.join(items)}]"
    return f"{source.known(spec)}.unflatten([{', '.join(items)}])"

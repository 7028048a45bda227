"""`JitCall`: how a compiled function passes through transforms.

Under another transform a compiled call is the compiled transform: its pushforward, its batched form are recorded as
tapes of their own and compiled, and reverse mode is two programs, one that gives the results and what the backward pass
needs, and one that pulls back. Each is made once for each set of shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.compile.bodies import simplify, with_compiled_bodies
from funcgrad.compile.collector import Uncollected
from funcgrad.compile.inline import InlinedCall, unnested
from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.tape import Tape
from funcgrad.core.trace import Tracer, observer
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax.control_flow import PartlyBatched, depends
from funcgrad.transforms.bodies import Pushforward, TapeBody, calls_host
from funcgrad.transforms.call import present
from funcgrad.transforms.closing import close
from funcgrad.transforms.halves import Halves
from funcgrad.transforms.vmap import BatchTrace

_DEEP = 8  # levels of compiled calls from which transforms do not go into each


class CompiledBody(TapeBody):
    """A tape that runs compiled where its operands are known, and equation by equation on tracers.

    Arguments:
        tape: the program, as it was recorded.
        backend: makes the kernel.

    Attributes:
        calls_host: whether something in it calls a function of the user when it runs.
        depth: how deep compiled calls are nested in it.
        derived: the programs of its transforms.
    """

    __slots__ = ("_kernel", "_simplified", "backend", "calls_host", "depth", "derived")
    depth: int

    def __init__(self, tape: Tape, backend: Callable[[Tape], Any]) -> None:
        super().__init__(tape)
        self.backend = backend
        operations = tape.primitives
        self.calls_host = any(map(calls_host, operations))
        self.depth = 1 + max([p.body.depth for p in operations if type(p) is JitCall], default=0)
        self.derived: dict[Any, Any] = {}
        self._kernel: Any = None
        self._simplified: Tape | None = None

    @property
    def fresh(self) -> bool:
        """Whether none of it has been compiled yet."""
        return self._kernel is None and not self.derived

    @property
    def steps(self) -> TapeBody:
        """The tape that transforms work on; deeply nested calls are inlined, for each level costs Python frames."""
        return self if self.depth <= _DEEP else TapeBody(unnested(self.tape))

    @property
    def simplified(self) -> Tape:
        """The program after all passes."""
        if self._simplified is None:
            with Uncollected():
                self._simplified = simplify(self.tape)
        return self._simplified

    @property
    def lowered(self) -> Tape:
        """What a backend makes a kernel of: the program after all passes, in which bodies run compiled as well."""
        return with_compiled_bodies(self.simplified, self._as_body)

    @property
    def kernel(self) -> Any:
        """The compiled program, made when it is first asked for."""
        if self._kernel is None:
            with Uncollected():
                self._kernel = self.backend(self.lowered)
        return self._kernel

    @kernel.setter
    def kernel(self, kernel: Callable[..., tuple]) -> None:
        self._kernel = kernel

    def _as_body(self, tape: Tape) -> JitBody:
        """A tape within this one, as a body that runs compiled as well."""
        return JitBody(JitCall(CompiledBody(tape, self.backend), "body"))

    def __call__(self, *args: Any) -> list[Any]:
        if observer.get() is not None or any(isinstance(x, Tracer) for x in args):
            return super().__call__(*args)
        return [wrap(o) for o in self.kernel(*[raw(x) for x in args])]


class JitCall(InlinedCall):
    """The call of a compiled function."""

    __slots__ = ()
    body: CompiledBody

    @property
    def effect(self) -> bool:  # it is known once the tape is
        return bool(self.body.tape.effects)

    @property
    def recorded(self) -> bool:
        return self.effect or self.body.calls_host

    @property
    def fresh(self) -> bool:
        return self.body.fresh

    def __call__(self, *args: Any) -> list[Any]:
        values = []
        for x in args:
            if type(x) is Array:
                values.append(x._value)
            elif isinstance(x, Array):
                return super().__call__(*args)
            else:
                values.append(x)
        if self.recorded or observer.get() is not None:
            return super().__call__(*args)
        return [wrap(o) for o in self.body.kernel(*values)]

    def _derived(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self.body.derived:
            self.body.derived[key] = make()
        return self.body.derived[key]

    def _closed(self, f: Callable, kinds: Sequence[ShapeDtypeStruct]) -> JitCall:
        """A function of arrays of these kinds as a call like this one."""
        body, _, _ = close(f, kinds, self.name, decides=False)
        return JitCall(CompiledBody(body.tape, self.body.backend), self.name)

    def _kinds(self) -> list[ShapeDtypeStruct]:
        return [ShapeDtypeStruct(e.shape, e.dtype) for e in self.body.tape.inputs]

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        mask = tuple([t is not None for t in tangents])
        pushforward = self._derived(("jvp", mask), lambda: self._pushforward(mask))
        found = pushforward(*primals, *[t for t in tangents if t is not None])
        n = len(self.body.tape.outputs)
        rest = iter(found[n:])
        return found[:n], [next(rest) if is_inexact(o.dtype) else None for o in found[:n]]

    def _pushforward(self, mask: tuple[bool, ...]) -> JitCall:
        kinds = self._kinds()
        moving = [k for k, m in zip(kinds, mask, strict=True) if m]
        return self._closed(Pushforward(self.body.steps, mask), [*kinds, *moving])

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        forward, backward, kinds = self._derived(("vjp", mask), lambda: self._halves(mask))
        found = forward(*primals)
        n = len(kinds)
        return found[:n], backward.unflatten(found[n:])

    def _halves(self, mask: tuple[bool, ...]) -> tuple[JitCall, BackwardHalf, list[ShapeDtypeStruct]]:
        """The forward half, which gives results and residuals, the backward half, and the kinds of the results."""
        halves = Halves(self.body.steps, self._kinds(), mask, self.name)
        count = len(halves.residuals)

        def backward(*args: Any) -> list[Any]:
            given = iter(args[count:])
            cotangents = [next(given) if is_inexact(k.dtype) else None for k in halves.results]
            return [wrap(g) for g in halves.backward(args[:count], cotangents)]

        first = JitCall(CompiledBody(halves.forward.tape, self.body.backend), self.name)
        inexact = [k for k in halves.results if is_inexact(k.dtype)]
        second = self._closed(backward, [*halves.residuals, *inexact])
        return first, BackwardHalf(second, halves.results), halves.results

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        key = ("vmap", mask, trace.size, trace.axis_name)
        batched, results = self._derived(key, lambda: self._batched(trace, mask))
        return batched(*args), results

    def _batched(self, trace: BatchTrace, mask: tuple[bool, ...]) -> tuple[JitCall, list[bool]]:
        """The call on batches, and which of its results are batches."""
        size, results = trace.size, list(depends(self.body.steps, mask))
        kinds = [
            ShapeDtypeStruct((size, *k.shape), k.dtype) if m else k for k, m in zip(self._kinds(), mask, strict=True)
        ]
        return self._closed(PartlyBatched(self.body.steps, mask, results, trace), kinds), results


class JitBody(TapeBody):
    """The body of control flow in a compiled program: its steps are calls of a compiled function."""

    __slots__ = ("call",)

    def __init__(self, call: JitCall) -> None:
        super().__init__(call.body.tape)
        self.call = call

    def __call__(self, *args: Any) -> list[Any]:
        return self.call(*args)


class BackwardHalf:
    """What the pullbacks of a compiled call have in common: their structure, as residuals are all their leaves.

    Arguments:
        call: from residuals and a cotangent for each inexact result to the cotangents of the operands.
        kinds: of the results.
    """

    __slots__ = ("call", "kinds")

    def __init__(self, call: JitCall, kinds: list[ShapeDtypeStruct]) -> None:
        self.call, self.kinds = call, kinds

    def unflatten(self, residuals: Sequence[Any]) -> CompiledPullback:
        return CompiledPullback(self, residuals)


class CompiledPullback:
    """The pullback of a compiled call: the backward half, and what the forward half kept."""

    __slots__ = ("leaves", "structure")

    def __init__(self, structure: BackwardHalf, residuals: Sequence[Any]) -> None:
        self.structure, self.leaves = structure, residuals

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        return self.structure.call(*self.leaves, *present(cotangents, self.structure.kinds))


tree.register_pytree_node(CompiledPullback, lambda p: (p.leaves, p.structure), BackwardHalf.unflatten)

"""`checkpoint`: trade time for memory. What a function computes on the way is not kept, but computed again.

Under reverse mode a checkpoint is one equation, which keeps the operands of the function (and what a policy picks). The
pullback runs the function once more from them, recording it, and pulls back through that record. With a checkpoint
around every √n layers, a chain of n layers needs memory for √n operands and for the √n layers of one checkpoint.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import running
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError
from funcgrad.ops import structural
from funcgrad.transforms.call import Call, Rerun, TapeBody, call_closed, close
from funcgrad.transforms.results import Projection
from funcgrad.transforms.vjp import Pullback, VjpTrace


def checkpoint(
    fun: Callable,
    *,
    prevent_cse: bool = True,
    policy: Callable[..., bool] | None = None,
    static_argnums: int | Sequence[int] = (),
    concrete: bool = False,
) -> Callable[..., PyTree]:
    """The same function, of which reverse mode keeps the arguments only and computes the rest again.

    Arguments:
        fun: a function of pytrees of arrays. What it closes over counts as an argument.
        prevent_cse: accepted as in JAX; the second run is never merged with the first here.
        policy: which results inside are kept all the same; see `checkpoint_policies`. By default none.
        static_argnums: positions of arguments that are no arrays and are passed as they are.
        concrete: accepted as in JAX; decisions inside may always look at values that are known.

    Returns:
        A function with the arguments and results of fun.

    Raises:
        ArgumentError: an argument has a leaf that is no array.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> f = lambda x: fnp.sum(fnp.sin(fnp.exp(fnp.cos(x))))
        >>> x = fnp.ones(1000)
        >>> fg.vjp(f, x)[1].tape.residual_bytes, fg.vjp(fg.checkpoint(f), x)[1].tape.residual_bytes
        (16000, 8000)

    Source: `jax.checkpoint`; Griewank and Walther, Algorithm 799: Revolve (2000), for the trade.
    """
    if not callable(fun):
        raise ArgumentError(f"checkpoint takes a function, got {fun!r} of type {type(fun).__name__}")
    static = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)

    @functools.wraps(fun, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def checkpointed(*args: Any, **kwargs: Any) -> PyTree:
        if not running():
            return fun(*args, **kwargs)
        return call_closed(lambda b, name: CheckpointCall(b, name, policy), fun, args, kwargs, "checkpoint", static)

    return checkpointed


remat = checkpoint


def checkpoint_name(x: PyTree, name: str) -> PyTree:
    """The same values, under a name that the policy of a checkpoint can pick.

    Arguments:
        x: a pytree of arrays.
        name: for `checkpoint_policies.save_only_these_names` and its like.

    Returns:
        The same pytree.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> policy = fg.checkpoint_policies.save_only_these_names("hidden")
        >>> f = fg.checkpoint(lambda x: fnp.sum(fnp.sin(fg.checkpoint_name(fnp.exp(x), "hidden"))), policy=policy)
        >>> fg.vjp(f, fnp.ones(1000))[1].tape.residual_bytes
        16000

    Source: `jax.ad_checkpoint.checkpoint_name`.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"checkpoint_name takes a string as the name, got {name!r}")
    return tree.map(lambda leaf: wrap(structural.name(leaf, name=name)), x)


class CheckpointCall(Call):
    """A function whose inside reverse mode does not keep.

    Arguments:
        body, name: as for a Call.
        policy: which results are kept all the same; None for none.
    """

    __slots__ = ("policy",)

    def __init__(self, body: Any, name: str, policy: Callable[..., bool] | None) -> None:
        super().__init__(body, name)
        self.policy = policy

    def derived(self, body: Any) -> Call:
        return CheckpointCall(body, self.name, self.policy)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        if self.policy is None:
            return super().vjp(primals, mask)
        body = self.body
        constants: list[Any] = []
        if not isinstance(body, TapeBody):  # the batched form of a tape, say: its program as a tape again
            body, constants, _ = close(lambda *xs: self.body(*xs), primals, self.name)
        saved = [e for e in body.tape.equations if self._saves(e)]
        tape = Tape(body.tape.inputs, [*body.tape.outputs, *saved], None, None, symbolic=True)
        found = self.derived(TapeBody(tape))(*constants, *primals)
        outs = found[: len(body.tape.outputs)]
        kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        replay = Replay(body.tape, saved, (False,) * len(constants) + mask)
        return outs, Rerun(self.derived(replay), kinds, [*constants, *primals, *found[len(outs) :]])

    def _saves(self, e: Equation) -> bool:
        """Whether the policy keeps the result of an equation; about calls and several results it is not asked."""
        return _simple(e) and bool(self.policy(e.primitive, *e.inputs, **e.params))  # type: ignore[misc]


class Replay:
    """The body that pulls back through a tape from its inputs and from some results that were kept.

    It takes the inputs, the kept results and a cotangent for each inexact output. What was kept is not computed again,
    nor what only it was computed from, as far as no derivative rule asks for the value.

    Arguments:
        tape: of the function.
        saved: the equations whose results were kept.
        mask: which inputs are differentiated.
    """

    __slots__ = ("linked", "mask", "needed", "saved", "tape")

    def __init__(self, tape: Tape, saved: list[Equation], mask: tuple[bool, ...]) -> None:
        self.tape, self.saved, self.mask = tape, saved, mask
        self.linked = {e for e, m in zip(tape.inputs, mask, strict=True) if m}
        for e in tape.equations:
            if any(i in self.linked for i in e.inputs if type(i) is Equation):
                self.linked.add(e)
        self.needed = self._values_needed()

    def _values_needed(self) -> set[Equation]:
        """The equations that must be computed: because a derivative rule names the value, or another computation."""
        given = set(_with_aliases(self.saved))
        needed: set[Equation] = set()
        for e in reversed(self.tape.equations):
            operands = [i for i in e.inputs if type(i) is Equation]
            if not _simple(e):
                needed.add(e)
            elif e in self.linked:
                plan = e.primitive.plans[tuple([i in self.linked if type(i) is Equation else False for i in e.inputs])]
                if plan is not None:
                    needed |= {e.inputs[k] for k in plan.kept if type(e.inputs[k]) is Equation}
                    if "out" in plan.names:
                        needed.add(e)
            needed -= given
            if e in needed:
                needed |= set(operands) - given
        return needed

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [k for k, m in zip(kinds, self.mask, strict=False) if m]

    def __call__(self, *args: Any) -> list[Any]:
        n = len(self.mask) + len(self.saved)
        trace = VjpTrace("checkpoint")
        with trace:
            inputs, outs = self._record(trace, args[: len(self.mask)], args[len(self.mask) : n])
        pullback = Pullback([t._eqn for t in inputs], None, [(t._eqn, None) for t in outs if t is not None], None)
        seeds: dict[Equation, Any] = {}
        inexact = [t for t, o in zip(outs, self.tape.outputs, strict=True) if is_inexact(o.dtype)]
        for t, g in zip(inexact, args[n:], strict=True):
            if t is not None:
                seeds[t._eqn] = seeds[t._eqn] + raw(g) if t._eqn in seeds else raw(g)
        return [wrap(g) for g in pullback.pull(seeds, release=True)]

    def _record(self, trace: VjpTrace, inputs: Sequence[Any], kept: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Run the tape, as far as needed, on tracers; gives those of the differentiated inputs, and of the outputs."""
        given = _with_aliases(self.saved, kept)
        env = {e: trace.input(raw(x)) if m else x for e, x, m in zip(self.tape.inputs, inputs, self.mask, strict=True)}
        starts = [env[e] for e, m in zip(self.tape.inputs, self.mask, strict=True) if m]
        for e, dead in zip(self.tape.equations, self.tape.last_uses(), strict=True):
            operands = tuple([env[i] if type(i) is Equation else i for i in e.inputs])
            if e in self.needed or type(e.plan) is Projection:
                env[e] = e.primitive(*operands, **e.params)
            else:  # no value, or one that was kept: a shape and a dtype stand in for a value that nobody reads
                out = raw(given[e]) if e in given else ShapeDtypeStruct(e.shape, e.dtype)
                env[e] = trace.general(e.primitive, operands, e.params, out) if e in self.linked else out
            for i in dead:
                del env[i]
        outs = [env[o] if type(o) is Equation else None for o in self.tape.outputs]
        return starts, [t if isinstance(t, Array) and trace.own(t) else None for t in outs]


def _simple(e: Equation) -> bool:
    return isinstance(e.primitive, Primitive) and not e.primitive.multiple


def _with_aliases(saved: Sequence[Equation], values: Sequence[Any] | None = None) -> dict[Equation, Any]:
    """The kept results by equation. That of `name` is also the result of what it names."""
    found = dict(zip(saved, values or [None] * len(saved), strict=True))
    for e in saved:
        if e.primitive is structural.name and type(e.inputs[0]) is Equation and e.inputs[0].plan is not None:
            found[e.inputs[0]] = found[e]
    return found

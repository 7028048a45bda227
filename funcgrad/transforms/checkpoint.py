"""`checkpoint`: trade time for memory. What a function computes on the way is not kept, but computed again.

Under reverse mode a checkpoint is one equation, which keeps those operands of the function that its derivative asks for
(and what a policy picks). The pullback runs the function once more from them, recording it, and pulls back through that
record (transforms/replay.py). With a checkpoint around every √n layers, a chain of n layers needs memory for √n
operands and for the √n layers of one checkpoint.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.ops import structural
from funcgrad.transforms.arguments import output_value
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call, Rerun
from funcgrad.transforms.closing import call_closed, close, taped
from funcgrad.transforms.custom_rules import kinds_of
from funcgrad.transforms.replay import Replay


def checkpoint(
    fun: Callable,
    *,
    prevent_cse: bool = True,
    policy: Callable[..., bool] | None = None,
    static_argnums: int | tuple[int, ...] = (),
    concrete: bool = False,
) -> Callable[..., PyTree]:
    """The same function, but reverse mode keeps its arguments only and computes the rest again.

    Arguments:
        fun: a function of pytrees of arrays. What it closes over counts as an argument.
        prevent_cse: accepted as in JAX; the second run is never merged with the first here.
        policy: which results inside are kept all the same; see `checkpoint_policies`. By default none.
        static_argnums: positions of arguments that are no arrays and are passed as they are.
        concrete: accepted as in older versions of JAX; decisions inside may always look at values that are known.

    Returns:
        A function with the arguments and results of fun.

    Raises:
        ArgumentError: an argument has a leaf that is no array, or static_argnums names no argument.

    Example:
        >>> f = lambda x: fnp.sum(fnp.sin(fnp.exp(fnp.cos(x))))
        >>> x = fnp.ones(1000)
        >>> fg.vjp(f, x)[1].tape.residual_bytes, fg.vjp(fg.checkpoint(f), x)[1].tape.residual_bytes
        (16000, 8000)

    Source: `jax.checkpoint` (https://docs.jax.dev/en/latest/_autosummary/jax.checkpoint.html); Griewank and Walther,
        Algorithm 799: Revolve (2000), for the trade.
    """
    if not callable(fun):
        raise ArgumentError(f"checkpoint takes a function, got {fun!r} of type {type(fun).__name__}")
    if policy is not None and not callable(policy):
        raise ArgumentError(
            f"checkpoint: policy must be None or a function, such as funcgrad.checkpoint_policies.everything_saveable; "
            f"got {policy!r} of type {type(policy).__name__}"
        )

    @functools.wraps(fun, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def checkpointed(*args: Any, **kwargs: Any) -> PyTree:
        static = _static_positions(static_argnums, len(args))
        return call_closed(lambda b, name: CheckpointCall(b, name, policy), fun, args, kwargs, "checkpoint", static)

    return checkpointed


remat = checkpoint


def _static_positions(static_argnums: Any, count: int) -> set[int]:
    """The positions that static_argnums names, of so many arguments."""
    numbers = (static_argnums,) if type(static_argnums) is int else static_argnums
    if type(numbers) is not tuple or not all(type(n) is int for n in numbers):
        raise ArgumentError(
            f"checkpoint: the `static_argnums` argument must be an int, tuple of ints or, bool, but got value "
            f"{static_argnums!r}"
        )
    if not all(-count <= n < count for n in numbers):
        raise ArgumentError(
            f"checkpoint: the `static_argnums` argument can only take integer values greater than or equal to "
            f"`-len(args)` and less than `len(args)`, but got {static_argnums}, while `len(args)` = {count}"
        )
    return {n % count for n in numbers}


def checkpoint_name(x: PyTree, name: str) -> PyTree:
    """The same values, under a name that the policy of a checkpoint can pick.

    Arguments:
        x: a pytree of arrays.
        name: for `checkpoint_policies.save_only_these_names` and its like.

    Returns:
        The same pytree.

    Raises:
        ArgumentError: the name is no string.

    Example:
        >>> policy = fg.checkpoint_policies.save_only_these_names("hidden")
        >>> f = fg.checkpoint(lambda x: fnp.sum(fnp.sin(fg.checkpoint_name(fnp.exp(x), "hidden"))), policy=policy)
        >>> fg.vjp(f, fnp.ones(1000))[1].tape.residual_bytes
        8000

    Source: `jax.ad_checkpoint.checkpoint_name`.
    """
    if not isinstance(name, str):
        raise ArgumentError(f"checkpoint_name takes a string as the name, got {name!r}")
    return tree.map(lambda leaf: wrap(structural.name(output_value(leaf, _place), name=name)), x)


def _place() -> str:
    return "checkpoint_name: the value"


class CheckpointCall(Call):
    """A function whose intermediate values reverse mode does not keep.

    Arguments:
        body, name: as for a Call.
        policy: which results are kept all the same; None for none.
    """

    __slots__ = ("policy",)
    opens = True

    def __init__(self, body: Any, name: str, policy: Callable[..., bool] | None) -> None:
        super().__init__(body, name)
        self.policy = policy

    def derived(self, body: Any) -> Call:
        return CheckpointCall(body, self.name, self.policy)

    def for_tape(self, args: tuple) -> tuple[Call, tuple]:
        return taped(self, args)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        call, operands = self.for_tape(tuple(primals))
        tape = call.body.tape if self.policy is None else _opened(call.body.tape)
        mask = (False,) * (len(operands) - len(primals)) + mask
        replay = Replay(tape, mask, self.policy)
        if replay.saved:
            outputs = [*tape.outputs, *replay.saved]
            tape = Tape(tape.inputs, outputs, None, None, symbolic=True, effects=tape.effects)
        found = self.derived(TapeBody(tape))(*operands)
        n = len(found) - len(replay.saved)
        kept = [*[operands[i] for i in replay.inputs], *found[n:]]
        return found[:n], Rerun(self.derived(replay), kinds_of(found[:n]), kept)


def _opened(tape: Tape) -> Tape:
    """A tape with named calls inlined, so that a policy is asked about the operations inside them."""
    if not any(getattr(e.primitive, "transparent", False) for e in tape.equations):
        return tape

    def run(*xs: Any) -> list[Any]:
        env: dict[Any, Any] = dict(zip(tape.inputs, xs, strict=True))
        for e in tape.equations:
            operands = [env[i] if type(i) is Equation else i for i in e.inputs]
            inside = getattr(e.primitive, "transparent", False)
            env[e] = e.primitive.evaluate(*operands) if inside else e.primitive(*operands, **e.params)
        return [env[o] if type(o) is Equation else o for o in tape.outputs]

    body, _, _ = close(run, tape.inputs, "checkpoint", decides=False)
    return _opened(body.tape)

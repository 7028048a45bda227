"""A function that has been compiled for arguments of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.arguments import Given, hollowed
from funcgrad.compile.call import CompiledBody, JitCall
from funcgrad.compile.inline import opened
from funcgrad.compile.tracing import JitTrace
from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import Tracer
from funcgrad.core.weak import is_weak
from funcgrad.ops import contract, structural
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.closing import close, weakened
from funcgrad.transforms.make_tape import recording
from funcgrad.transforms.wraps import name_of


class Compiled:
    """A function for one structure of arguments, and one shape and dtype of each.

    Attributes:
        call: the program, as an operation that passes through transforms.
        kernel: what runs it on raw values; None until it has been called with known ones. Whoever calls it reads it
            here each time, so that `replace_kernel` holds from the next call on.
        constants: tracers of transforms further out that the function closed over; the program takes them first.
        out_tree: the structure of the result.
        in_tree, types, names: of the leaves of the arguments.
        shows_inputs: whether a result may share memory with an argument.
        single: whether the result is one array, with a dtype of its own.
        weak: for each leaf of the result whether it is a number without a dtype of its own.
    """

    __slots__ = (
        "call",
        "constants",
        "in_tree",
        "kernel",
        "names",
        "out_tree",
        "shows_inputs",
        "single",
        "types",
        "weak",
    )

    def __init__(self, given: Given, backend: Callable[[Tape], Any]) -> None:
        self.weak: list[bool] = []

        def flat(*xs: Any) -> Any:
            out = hollowed(given.call(xs))
            self.weak = [is_weak(x) for x in tree.leaves(out)]
            return out

        arguments = given.arguments()
        body, self.constants, self.out_tree = close(flat, arguments, "jit", decides=False, trace=JitTrace("jit"))
        self.call = JitCall(CompiledBody(body.tape, backend), f"jit[{name_of(given.f)}]")
        self.in_tree, self.types, self.names = given.in_tree, given.types, [a.name for a in arguments]
        self.single = self.weak == [False] and tree.treedef_is_leaf(self.out_tree)
        self.kernel: Any = None  # once it has been called with known values
        self.shows_inputs = True

    @property
    def tape(self) -> Tape:
        """The program as it was recorded."""
        return self.call.body.tape

    @property
    def simplified(self) -> Tape:
        """The program after all passes."""
        return self.call.body.simplified

    def __call__(self, given: Given) -> Any:
        if self.constants and recording() is None:  # used once, so there is no use in compiling its derivatives
            return self.result(TapeBody(opened(self.tape))(*self.constants, *map(wrap, given.values(copies=True))))
        if self.constants or any(isinstance(x, Tracer) for x in given.leaves) or (self.call.recorded and recording()):
            return self.result(self.call(*self.constants, *given.values(copies=True)))
        if self.kernel is None:
            self.kernel = self.call.body.kernel
            self.shows_inputs = shows_inputs(self.simplified)
        return self.result(self.kernel(*given.values(self.shows_inputs)))

    def replace_kernel(self, kernel: Callable[..., tuple]) -> None:
        """Let another kernel, which does the same and has a `source` too, run this program from the next call on."""
        self.kernel = self.call.body.kernel = kernel

    def result(self, outs: Any) -> Any:
        """The result of the function from its leaves, which are raw values or tracers."""
        if self.single:
            return wrap(outs[0])
        return self.out_tree.unflatten(
            [weakened(wrap(o)) if w else wrap(o) for o, w in zip(outs, self.weak, strict=True)]
        )


_FRESH = frozenset({contract.matmul, structural.concatenate, structural.stack})


def shows_inputs(tape: Tape) -> bool:
    """Whether a result may be an input, or a view of one, which its owner may write to later.

    Ufuncs, reductions and what is listed give new arrays; everything else might give its operand back.
    """
    seen = set(tape.inputs)
    for e in tape.equations:
        p = e.primitive
        fresh = isinstance(p, Primitive) and (
            isinstance(p.impl, np.ufunc) or p in _FRESH or p.name.startswith("reduce_")
        )
        if not fresh and any(type(i) is Equation and i in seen for i in e.inputs):
            seen.add(e)
    return any(type(o) is Equation and o in seen for o in tape.outputs)

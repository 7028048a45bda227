"""The stages of a compiled function that `trace` and `lower` give: the program, the simplified program, the executable.

They are tapes, so they print, draw, and can be called with the arguments that are not static.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.compile.backends import outside_of, source_of
from funcgrad.compile.compiled import Compiled
from funcgrad.compile.cost import Cost, cost
from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.tape import Tape
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PyTree, ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.errors import ArgumentError, TreeError, as_in_jax, type_text


class _Stage(Tape):
    """A program of a compiled function. Its in_tree is that of `(args, kwargs)`."""

    __slots__ = ("compiled", "name")

    def __init__(self, compiled: Compiled, tape: Tape) -> None:
        super().__init__(
            tape.inputs,
            tape.outputs,
            compiled.in_tree,
            compiled.out_tree,
            symbolic=True,
            effects=tape.effects,
        )
        self.compiled, self.name = compiled, compiled.call.name

    def __call__(self, /, *args: Any, **kwargs: Any) -> PyTree:
        """The result for arguments like those for which it was recorded, equation by equation."""
        leaves, in_tree = tree.flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise TreeError(f"this program takes {self.in_tree} as (args, kwargs), got {in_tree}")
        values = [
            self._argument(e, x, (args, kwargs), i) for i, (e, x) in enumerate(zip(self.inputs, leaves, strict=True))
        ]
        return self.out_tree.unflatten(self.run(values))

    @property
    def in_avals(self) -> PyTree:
        """Shapes and dtypes of `(args, kwargs)`."""
        return _kinds(self.in_tree, self.inputs)

    args_info = in_avals

    @property
    def out_info(self) -> PyTree:
        """Shapes and dtypes of the result."""
        return _kinds(self.out_tree, self.outputs)

    out_avals = out_info

    @property
    def fun_name(self) -> str:
        """The name of the function."""
        return self.name.removeprefix("jit[").removesuffix("]")

    def as_text(self, dialect: str | None = None) -> str:
        """The program as text; `dialect` is accepted as in JAX."""
        return str(self)

    def cost(self) -> Cost:
        """What running the program costs."""
        return cost(self)

    def cost_analysis(self) -> dict[str, float]:
        """The cost under the names that JAX has for it."""
        found = self.cost()
        return {"flops": float(found.flops), "bytes accessed": float(found.bytes_read + found.bytes_written)}


def _kinds(structure: Any, leaves: Any) -> PyTree:
    return structure.unflatten([ShapeDtypeStruct(shape_of(x), dtype_of(x)) for x in leaves])


class Traced(_Stage):
    """The program as it was recorded."""

    __slots__ = ()

    @property
    def jaxpr(self) -> Tape:
        """The tape, under JAX's name."""
        return self

    def lower(self) -> Lowered:
        """The next stage."""
        return Lowered(self.compiled, self.compiled.simplified)


class Lowered(_Stage):
    """The program after all passes."""

    __slots__ = ()

    def compile(self, compiler_options: dict[str, Any] | None = None) -> Executable:
        """The last stage; the options are accepted as in JAX."""
        return Executable(self.compiled)


class Executable:
    """A compiled program for arguments of one structure, and one shape and dtype of each.

    Arguments:
        compiled: what it runs.

    Attributes:
        source: what the backend made of the program.
    """

    __slots__ = ("compiled", "source")

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.source = compiled, source_of(compiled.call.body.kernel)

    def cost(self) -> Cost:
        """What running the program costs, and what of it no machine code does."""
        return cost(self.compiled.simplified)._replace(outside=outside_of(self.compiled.call.body.kernel))

    @property
    def in_tree(self) -> Any:
        """The structure of `(args, kwargs)`."""
        return self.compiled.in_tree

    @property
    def out_tree(self) -> Any:
        """The structure of the result."""
        return self.compiled.out_tree

    @property
    def in_avals(self) -> PyTree:
        """Shapes and dtypes of `(args, kwargs)`."""
        return _kinds(self.in_tree, self.compiled.tape.inputs)

    args_info = in_avals

    @property
    def out_info(self) -> PyTree:
        """Shapes and dtypes of the result."""
        return _kinds(self.out_tree, self.compiled.tape.outputs)

    def as_text(self) -> str:
        """The source of the program."""
        return self.source

    def cost_analysis(self) -> dict[str, float]:
        """The cost under the names that JAX has for it."""
        return Lowered(self.compiled, self.compiled.simplified).cost_analysis()

    def memory_analysis(self) -> Cost:
        """What running the program costs, the most memory that it holds among it."""
        return cost(self.compiled.simplified)

    def __call__(self, /, *args: Any, **kwargs: Any) -> PyTree:
        """The result for arguments like those for which it was compiled.

        Raises:
            TreeError: they have another structure.
            ArgumentError: a leaf has another shape or dtype, or belongs to a transform.
        """
        leaves, in_tree = tree.flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise TreeError(
                f"Function compiled with input pytree does not match the input pytree it was called with: it takes "
                f"{self.in_tree} as (args, kwargs), got {in_tree}"
            )
        wrong = []
        values = []
        for x, (shape, dtype, _), name in zip(leaves, self.compiled.types, self.compiled.names, strict=True):
            if isinstance(x, Tracer):
                raise ArgumentError(
                    f"a compiled stage takes arrays that have values, got {x.describe()}. Transform the function that "
                    f"jit gave"
                    + as_in_jax(
                        f"Cannot apply JAX transformations to a function lowered and compiled for a particular "
                        f"signature. Detected argument of Tracer type {type(x)}"
                    )
                )
            given, expected = ShapeDtypeStruct(shape_of(x), dtype_of(x)), ShapeDtypeStruct(shape, dtype)
            if given != expected:
                wrong.append(
                    f"Argument '{name}' compiled with {type_text(expected)} and called with {type_text(given)}"
                )
                continue
            values.append(x._value if type(x) is Array else np.array(x, dtype)[()])
        if wrong:
            raise ArgumentError(
                "Argument types differ from the types for which this computation was compiled. The mismatches are:\n"
                + "\n".join(wrong)
            )
        return self.compiled.result(self.compiled.call.body.kernel(*values))

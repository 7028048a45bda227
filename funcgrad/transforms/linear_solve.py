"""The solution of a linear system as an operation of its own: x = A⁻¹ b, for a matrix that nobody has formed.

`LinearSolve` holds how to apply A to a vector and how to solve for one, and its derivatives follow from the system that
x obeys instead of from how x was found:

    A x = b    gives    A dx = db − dA x    and, going backwards,    Aᵀ λ = g,  ḃ = λ,  Ȧ = −λ xᵀ.

So each mode is another solve with the same matrix or its transpose, which can be differentiated again, and Ȧ reaches
what the matrix is made of as the pullback of `c ↦ A(c) x` at −λ. Vectors are flat lists of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import raw, wrap
from funcgrad.core.trace import zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import CustomRuleError, NotDifferentiableError
from funcgrad.transforms.bodies import Batched, FunctionBody, PullbackBody, Pushforward
from funcgrad.transforms.call import Call
from funcgrad.transforms.linear_transpose import linear_transpose
from funcgrad.transforms.vmap import BatchTrace


class Operator:
    """A linear map A(c), or its transpose, as a body: from the constants c and a vector to a vector of the same kind.

    Arguments:
        body: takes the constants and a vector, and gives A(c) times the vector. If it has a method `at`, that gives the
            map for given constants, prepared for many vectors.
        count: the number of constants.
        transposed: whether this is the transpose of what body does.
    """

    __slots__ = ("body", "count", "transposed")

    def __init__(self, body: Any, count: int, transposed: bool = False) -> None:
        self.body, self.count, self.transposed = body, count, transposed

    def at(self, constants: Sequence[Any], vector: Sequence[Any]) -> Callable[[Sequence[Any]], list[Any]]:
        """The map for given constants, on vectors like this one."""
        body = self.body
        apply = body.at(constants) if hasattr(body, "at") else lambda xs: body(*constants, *xs)
        if not self.transposed:
            return apply
        pull = linear_transpose(lambda *xs: apply(xs), *[ShapeDtypeStruct(x.shape, x.dtype) for x in vector])
        return lambda gs: list(pull([wrap(g) for g in gs]))

    @property
    def transpose(self) -> Operator:
        return Operator(self.body, self.count, not self.transposed)

    def __call__(self, *args: Any) -> list[Any]:
        constants, vector = args[: self.count], args[self.count :]
        return self.at(constants, vector)(vector)

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[self.count :])


class LinearSolve(Call):
    """The solution of A(c) x = b.

    Its operands are the constants of the operator, those of `solve`, those of `solve_transpose`, and b. The results are
    x and what else `solve` gives, which is not differentiated. The solvers' constants have no derivative either: they
    say how x is found, and x does not depend on that.

    Arguments:
        operator: the matrix.
        solve: the body that solves: from its own constants, those of the operator, and b, to x and the rest.
        solve_transpose: likewise with the transpose, for reverse mode. Or a text that says why there is none.
        counts: of the constants of both solvers.
        symmetric: whether the matrix equals its transpose.
        name: for tapes and messages.
    """

    __slots__ = ("counts", "solve", "solve_transpose", "symmetric")
    body: Operator

    def __init__(
        self, operator: Operator, solve: Any, solve_transpose: Any, counts: tuple[int, int], symmetric: bool, name: str
    ) -> None:
        super().__init__(operator, name)
        self.solve, self.solve_transpose, self.counts, self.symmetric = solve, solve_transpose, counts, symmetric

    def split(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]:
        """The constants of the operator, those of the solvers, and b."""
        i = self.body.count
        j = i + self.counts[0]
        k = j + self.counts[1]
        return operands[:i], operands[i:j], operands[j:k], operands[k:]

    def transposed(self) -> LinearSolve:
        """The solution of Aᵀ x = b. The constants of its solvers come in the other order.

        Raises:
            CustomRuleError: nobody said how to solve that.
        """
        if isinstance(self.solve_transpose, str):
            raise CustomRuleError(self.solve_transpose)
        operator = self.body if self.symmetric else self.body.transpose
        counts = self.counts[::-1]
        return LinearSolve(operator, self.solve_transpose, self.solve, counts, self.symmetric, self.name)

    def linear(self, mask: Sequence[bool]) -> bool:
        if any(self.split(mask)[0]):
            raise NotDifferentiableError(
                f"linear_transpose: the solution of a linear system, by {self.name}, is linear in its right-hand side, "
                f"not in what its matrix is made of. Use funcgrad.vjp, which takes the derivative at a point"
            )
        return True

    def evaluate(self, *args: Any) -> list[Any]:
        constants, own, _, b = self.split(args)
        return [wrap(o) for o in self.solve(*own, *constants, *b)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        constants, own, _, b = self.split(kinds)
        return self.solve.kinds([*own, *constants, *b])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        outs = self(*primals)
        constants, own, others, b = self.split(primals)
        moving, _, _, rhs = self.split(tangents)
        x, rest = outs[: len(b)], outs[len(b) :]
        mask = tuple([t is not None for t in moving])
        if any(mask):
            push = Pushforward(self.body, (*mask, *[False] * len(b)))
            shift = push(*constants, *x, *[t for t in moving if t is not None])[len(b) :]
            rhs = [-s if t is None else t - s for t, s in zip(rhs, shift, strict=True)]
        elif all(t is None for t in rhs):
            return outs, [None] * len(outs)
        else:
            rhs = zeros_for(rhs, b)
        return outs, [*self(*constants, *own, *others, *rhs)[: len(b)], *[None] * len(rest)]

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs = self(*primals)
        constants, own, others, b = self.split(primals)
        kinds = [ShapeDtypeStruct(x.shape, x.dtype) for x in b]
        x = outs[: len(b)] if any(self.split(mask)[0]) else []
        return outs, SolvePullback(self, mask, kinds, [*constants, *own, *others], x)

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        constants, own, others, some = self.split(mask)
        _, _, _, b = self.split(args)
        every = (True,) * len(b)
        operator = Operator(batched(self.body.body, (*constants, *every), trace), self.body.count, self.body.transposed)
        solve = batched(self.solve, (*own, *constants, *every), trace)
        solve_transpose = batched(self.solve_transpose, (*others, *constants, *every), trace)
        call = LinearSolve(operator, solve, solve_transpose, self.counts, self.symmetric, self.name)
        outs = call(*args[: len(args) - len(b)], *spread_out(b, some, trace.size))
        return outs, (True,) * len(outs)


def batched(body: Any, mask: tuple[bool, ...], trace: BatchTrace) -> Any:
    """A body on batches; a text that stands in for one passes."""
    if isinstance(body, str):
        return body
    if is_uncompiled(body):
        return OneByOne(body, mask, trace.size)
    return Batched(body, mask, trace.size, trace.axis_name)


def is_uncompiled(body: Any) -> bool:
    """Whether a body calls the user's function: it may decide by values, which differ from example to example."""
    return isinstance(body, (FunctionBody, OneByOne)) or getattr(body, "uncompiled", False)


class OneByOne:
    """A body on batches that runs it for each example. Arguments as for Batched."""

    __slots__ = ("body", "mask", "size")

    def __init__(self, body: Any, mask: tuple[bool, ...], size: int) -> None:
        self.body, self.mask, self.size = body, mask, size

    def __call__(self, *args: Any) -> list[Any]:
        if self.size == 0:
            kinds = self.kinds([ShapeDtypeStruct(x.shape, x.dtype) for x in args])
            return [zeros(k.shape, k.dtype) for k in kinds]
        rows = [self.body(*[x[i] if m else x for x, m in zip(args, self.mask, strict=True)]) for i in range(self.size)]
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return Batched(self.body, self.mask, self.size, None).kinds(kinds)


def spread_out(xs: Sequence[Any], mask: Sequence[bool], size: int) -> list[Any]:
    """Operands that all have the batch dimension in front, from those of which mask marks the ones that do."""
    return [x if m else wrap(np.broadcast_to(raw(x), (size, *x.shape))) for x, m in zip(xs, mask, strict=True)]


def zeros_for(xs: Sequence[Any], kinds: Sequence[Any]) -> list[Any]:
    """Tangents or cotangents, zeros in the place of those that are None."""
    return [wrap(zeros(k.shape, k.dtype)) if x is None else wrap(x) for x, k in zip(xs, kinds, strict=True)]


class SolvePullback:
    """The pullback of a `LinearSolve`.

    Arguments:
        call: the solve.
        mask: which of its operands are differentiated.
        kinds: of b.
        constants: its operands before b.
        x: its solution; empty if the constants of the operator are not differentiated.
    """

    __slots__ = ("call", "constants", "kinds", "mask", "x")

    def __init__(
        self,
        call: LinearSolve,
        mask: tuple[bool, ...],
        kinds: Sequence[Any],
        constants: Sequence[Any],
        x: Sequence[Any],
    ) -> None:
        self.call, self.mask, self.kinds = call, mask, kinds
        self.constants, self.x = [wrap(c) for c in constants], [wrap(v) for v in x]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        call, n = self.call, len(self.kinds)
        if all(g is None for g in cotangents[:n]):
            return [None] * sum(self.mask)
        constants, own, others, _ = call.split(self.constants)
        moving, *rest, linked = call.split(self.mask)
        found = call.transposed()(*constants, *others, *own, *zeros_for(cotangents[:n], self.kinds))[:n]
        shares: list[Any] = []
        if any(moving):
            # λᵀ dA x. For a solve with the transpose of the body's map that is the body's map between x and λ.
            point, seed = (found, self.x) if call.body.transposed else (self.x, found)
            pull = PullbackBody(call.body.body, (*moving, *[False] * n))
            shares = pull(*constants, *point, *[-s for s in seed])
        return [*shares, *[None] * sum(map(sum, rest)), *[g for g, m in zip(found, linked, strict=True) if m]]


tree.register_pytree_node(
    SolvePullback,
    lambda p: ((p.constants, p.x), (p.call, p.mask, p.kinds)),
    lambda aux, children: SolvePullback(*aux, *children),
)

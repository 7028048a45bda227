"""The root of a function as an operation of its own: the x with f(c, x) = 0, as a function of c.

How x was found does not matter to its derivatives. They follow from the equation that it obeys, by the implicit
function theorem: moving c by dc moves x such that f stays zero,

    (∂f/∂x) dx = −(∂f/∂c) dc,

which is a linear system for dx. So `Root` takes an x that has been found already, and only says how it moves: forward
mode solves that system, reverse mode the transposed one, and both are a `LinearSolve` with the constants (c, x), which
brings the derivatives of higher order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import NotDifferentiableError
from funcgrad.transforms.bodies import PullbackBody, Pushforward
from funcgrad.transforms.call import Call
from funcgrad.transforms.linear_solve import LinearSolve, Operator, batched, spread_out, zeros_for
from funcgrad.transforms.linearize import linearize
from funcgrad.transforms.vmap import BatchTrace


class Derivative:
    """The derivative ∂f/∂x as a body: from c, x and a vector v to (∂f/∂x) v.

    Arguments:
        body: f, from c and x.
        count: the number of leaves of c.
    """

    __slots__ = ("body", "count")

    def __init__(self, body: Any, count: int) -> None:
        self.body, self.count = body, count

    def __call__(self, *args: Any) -> list[Any]:
        n = (len(args) - self.count) // 2
        push = Pushforward(self.body, (*[False] * self.count, *[True] * n))
        return push(*args)[n:]

    def at(self, constants: Sequence[Any]) -> Callable[[Sequence[Any]], list[Any]]:
        """The linear map at a point, where f is evaluated once for all vectors."""
        c, x = constants[: self.count], constants[self.count :]
        _, push = linearize(lambda *xs: self.body(*c, *xs), *[wrap(v) for v in x])
        return lambda v: push(*[wrap(t) for t in v])

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        n = (len(kinds) - self.count) // 2
        return list(kinds[len(kinds) - n :])


class Root(Call):
    """A root of f. Its operands are c, the constants of the solver of the linear system, and the root: the result.

    Arguments:
        body: f, from c and x.
        solve, solve_transpose: as for a LinearSolve, whose constants are c and x, with the same constants of their own.
        counts: the numbers of leaves of c, and of constants of the solver.
        name: for tapes and messages.
    """

    __slots__ = ("counts", "solve", "solve_transpose")

    def __init__(self, body: Any, solve: Any, solve_transpose: Any, counts: tuple[int, int], name: str) -> None:
        super().__init__(body, name)
        self.solve, self.solve_transpose, self.counts = solve, solve_transpose, counts

    def split(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """c, the constants of the solver, and x."""
        i = self.counts[0]
        j = i + self.counts[1]
        return operands[:i], operands[i:j], operands[j:]

    def solved(
        self, c: Sequence[Any], own: Sequence[Any], x: Sequence[Any], rhs: Sequence[Any], turn: bool
    ) -> list[Any]:
        """The solution of the linear system at a root, or of the transposed one."""
        operator = Operator(Derivative(self.body, len(c)), len(c) + len(x))
        counts = (len(own), len(own))
        call = LinearSolve(operator, self.solve, self.solve_transpose, counts, False, f"tangent of {self.name}")
        return (call.transposed() if turn else call)(*c, *x, *own, *own, *rhs)

    def linear(self, mask: Sequence[bool]) -> bool:
        if any(self.split(mask)[0]):
            raise NotDifferentiableError(
                f"linear_transpose: a root, by {self.name}, is not known to be linear in what the function closes "
                f"over. Use funcgrad.vjp, which takes the derivative at a point"
            )
        return True

    def evaluate(self, *args: Any) -> list[Any]:
        return list(self.split(args)[2])

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(self.split(kinds)[2])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        x = self(*primals)
        c, own, _ = self.split(primals)
        moving, _, _ = self.split(tangents)
        mask = tuple([t is not None for t in moving])
        if not any(mask):
            return x, [None] * len(x)
        push = Pushforward(self.body, (*mask, *[False] * len(x)))
        shift = push(*c, *x, *[t for t in moving if t is not None])[len(x) :]
        return x, self.solved(c, own, x, [-s for s in shift], turn=False)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        x = self(*primals)
        c, own, _ = self.split(primals)
        return x, RootPullback(self, mask, [*c, *own, *x])

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        c, own, some = self.split(mask)
        _, _, x = self.split(args)
        every = (True,) * len(x)
        solve = batched(self.solve, (*own, *c, *every, *every), trace)
        solve_transpose = batched(self.solve_transpose, (*own, *c, *every, *every), trace)
        call = Root(batched(self.body, (*c, *every), trace), solve, solve_transpose, self.counts, self.name)
        return call(*args[: len(args) - len(x)], *spread_out(x, some, trace.size)), every


class RootPullback:
    """The pullback of a `Root`.

    Arguments:
        call: the root.
        mask: which of its operands are differentiated.
        operands: all of them.
    """

    __slots__ = ("call", "mask", "operands")

    def __init__(self, call: Root, mask: tuple[bool, ...], operands: Sequence[Any]) -> None:
        self.call, self.mask, self.operands = call, mask, [wrap(o) for o in operands]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        moving, *rest = self.call.split(self.mask)
        others = [None] * sum(map(sum, rest))
        if not any(moving) or all(g is None for g in cotangents):
            return [None] * sum(moving) + others
        c, own, x = self.call.split(self.operands)
        found = self.call.solved(c, own, x, zeros_for(cotangents, x), turn=True)
        pull = PullbackBody(self.call.body, (*moving, *[False] * len(x)))
        return [*pull(*c, *x, *[-g for g in found]), *others]


tree.register_pytree_node(
    RootPullback, lambda p: (p.operands, (p.call, p.mask)), lambda aux, operands: RootPullback(aux[0], aux[1], operands)
)

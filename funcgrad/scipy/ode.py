"""The solution of an ordinary differential equation as an operation. Its derivatives are solutions of others.

An `Ode` is y' = f(y, t, c) from y0. Its steps are nobody's business: they run on ndarrays, in dormand_prince.py. Its
derivative at a point is a `LinearOde`,

    forward:  s' = (∂f/∂y) s + (∂f/∂c) dc,   solved along with y;
    back:     λ' = −(∂f/∂y)ᵀ λ,   c̄' = −(∂f/∂c)ᵀ λ,   solved from time to time backwards, with y from the stored
              results, the cotangents of the results being added to λ at their times;

and these two are the transposes of each other. Both solve by an Ode of a larger system, so they have derivatives too.
What reverse mode keeps is the results, not the steps in between.

A batch is one system as well, with steps that are short enough for each of its examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import raw, wrap
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import ConvergenceError, NoValueError, UnsupportedError
from funcgrad.numpy import broadcast_to, stack
from funcgrad.scipy import dormand_prince
from funcgrad.scipy.vectors import Vectors
from funcgrad.transforms.bodies import Batched, Pushforward
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close
from funcgrad.transforms.linear_solve import zeros_for
from funcgrad.transforms.vjp import record
from funcgrad.transforms.vmap import BatchTrace


class Ode(Call):
    """The solution of y' = f(c, y, t). Its operands are c, y at the first time, and the times.

    Arguments:
        body: f, from c, y and one time to y'.
        groups: for each leaf of c and of y into how many examples of a batch it falls.
        size: the number of leaves of y.
        limits: rtol, atol, mxstep, hmax.
    """

    __slots__ = ("groups", "limits", "size")

    def __init__(
        self, body: Any, groups: tuple[int, ...], size: int, limits: tuple[float, float, float, float]
    ) -> None:
        super().__init__(body, "odeint")
        self.groups, self.size, self.limits = groups, size, limits

    def split(self, operands: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Any]:
        """c, y, and the times."""
        n = len(operands) - 1 - self.size
        return operands[:n], operands[n:-1], operands[-1]

    def evaluate(self, *args: Any) -> list[Any]:
        c, y, times = self.split([raw(x) for x in args])
        times = np.asarray(times)
        turns = np.sign(np.diff(times))
        if ((turns > 0).any() and (turns < 0).any()) or np.isnan(times).any():
            raise ValueError(f"odeint: the times t must be increasing, or all decreasing; got {times}")
        vectors = Vectors(y)
        size_of = dormand_prince.sizes(vectors.lengths, self.groups[len(c) :])

        def f(v: np.ndarray, t: np.floating) -> np.ndarray:
            return vectors.join(self.body(*c, *vectors.parts(v), t))

        try:
            found = dormand_prince.integrate(f, vectors.join(y), times, size_of, *self.limits)
        except dormand_prince.StepError as e:
            raise ConvergenceError(
                f"odeint: {e}. The solution may go to infinity there, or the equation be stiff; raise the tolerances "
                f"rtol and atol"
            ) from None
        return [wrap(x) for x in vectors.rows(found)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        _, y, times = self.split(kinds)
        return [ShapeDtypeStruct((*times.shape, *k.shape), k.dtype) for k in y]

    def slopes(self, c: Sequence[Any], ys: Sequence[Any], times: Any) -> list[Any]:
        """The right-hand side at all the times."""
        every = Batched(self.body, (*[False] * len(c), *[True] * (self.size + 1)), times.shape[0], None)
        return [wrap(s) for s in every(*c, *ys, times)]

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        c, y, times = self.split(primals)
        dc, dy, dt = self.split(tangents)
        ys = self(*primals)
        start = zeros_for(dy, y)
        if dt is not None:  # a later start is a start from where the solution was before
            slopes = self.body(*c, *y, times[0])
            start = [s - wrap(f) * dt[0] for s, f in zip(start, slopes, strict=True)]
        push = LinearOde(self, tuple([t is not None for t in dc]))
        ss = push(*c, *ys, times, *[t for t in dc if t is not None], *start)
        if dt is not None:
            slopes = self.slopes(c, ys, times)
            ss = [s + f * dt.reshape((-1,) + (1,) * (f.ndim - 1)) for s, f in zip(ss, slopes, strict=True)]
        return ys, ss

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        c, _, times = self.split(primals)
        ys = self(*primals)
        return ys, OdePullback(self, mask, [*c, *ys, times])

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        size = trace.size
        every = (True,) * self.size
        if mask[-1]:  # each example has times of its own
            rows = [self(*[x[i] if m else x for x, m in zip(args, mask, strict=True)]) for i in range(size)]
            if not rows:
                return [wrap(np.zeros((0, *k.shape), k.dtype)) for k in self._of_one(args, mask)], every
            return [stack(column) for column in zip(*rows, strict=True)], every
        c, y, times = self.split(args)
        c_mask, y_mask, _ = self.split(mask)
        y = [x if m else broadcast_to(x, (size, *x.shape)) for x, m in zip(y, y_mask, strict=True)]
        together = (*c_mask, *every)
        body = Batched(self.body, (*together, False), size, trace.axis_name)
        groups = tuple([g * size if m else g for g, m in zip(self.groups, together, strict=True)])
        outs = Ode(taped(body, [*c, *y, times[0]]), groups, self.size, self.limits)(*c, *y, times)
        return [x.swapaxes(0, 1) for x in outs], every

    def _of_one(self, args: Sequence[Any], mask: Sequence[bool]) -> list[ShapeDtypeStruct]:
        return self.kinds([ShapeDtypeStruct(x.shape[m:], x.dtype) for x, m in zip(args, mask, strict=True)])


def taped(body: Any, operands: Sequence[Any]) -> Any:
    """The same body as a tape, which is quicker to run many times; or itself, if it decides by values."""
    try:
        return close(lambda *xs: tuple(body(*xs)), operands, "odeint", decides=False)[0]
    except (NoValueError, UnsupportedError):
        return body


class LinearOde(Call):
    """The derivative of the solution at a point, a linear function, or its transpose.

    It goes from the tangents of those of c that are marked, and of y0, to that of the solution; its transpose from the
    cotangents of the solution to those of the former. Before these its operands are c, the solution at all the times,
    and the times.

    Arguments:
        ode: the Ode.
        mask: which of c are differentiated.
        transposed: whether it is the transpose.
    """

    __slots__ = ("mask", "ode", "transposed")

    def __init__(self, ode: Ode, mask: tuple[bool, ...], transposed: bool = False) -> None:
        body = (CotangentBody if transposed else TangentBody)(ode, mask)
        super().__init__(body, "cotangent of odeint" if transposed else "tangent of odeint")
        self.ode, self.mask, self.transposed = ode, mask, transposed

    @property
    def point(self) -> int:
        """The number of operands before those in which it is linear."""
        return len(self.mask) + self.ode.size + 1

    def linear(self, mask: Sequence[bool]) -> bool:
        return not any(mask[: self.point])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        if not self.linear([t is not None for t in tangents]):
            return super().jvp(primals, tangents)
        i = self.point
        return self(*primals), self(*primals[:i], *zeros_for(tangents[i:], primals[i:]))

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        if not self.linear(mask):
            return super().vjp(primals, mask)
        outs = self(*primals)
        kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        transpose = LinearOde(self.ode, self.mask, not self.transposed)
        return outs, LinearPullback(transpose, kinds, mask[self.point :], primals[: self.point])


class LinearPullback:
    """The pullback of a `LinearOde` with respect to the operands in which it is linear.

    Arguments:
        call: its transpose.
        kinds: of its results.
        mask: which of the linear operands are differentiated.
        point: the operands before those.
    """

    __slots__ = ("call", "kinds", "mask", "point")

    def __init__(self, call: LinearOde, kinds: Sequence[Any], mask: Sequence[bool], point: Sequence[Any]) -> None:
        self.call, self.kinds, self.mask, self.point = call, kinds, mask, [wrap(x) for x in point]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        found = self.call(*self.point, *zeros_for(cotangents, self.kinds))
        return [g for g, m in zip(found, self.mask, strict=True) if m]


tree.register_pytree_node(
    LinearPullback,
    lambda p: (p.point, (p.call, p.kinds, p.mask)),
    lambda aux, point: LinearPullback(aux[0], aux[1], aux[2], point),
)


class TangentBody:
    """What a LinearOde does: it solves for y and its tangent together."""

    __slots__ = ("mask", "ode")

    def __init__(self, ode: Ode, mask: tuple[bool, ...]) -> None:
        self.ode, self.mask = ode, mask

    def __call__(self, *args: Any) -> list[Any]:
        ode, n, i = self.ode, self.ode.size, len(self.mask)
        c, ys, times, tangents = args[:i], args[i : i + n], args[i + n], args[i + n + 1 :]
        moving, start = tangents[:-n], tangents[-n:]
        operands = [*c, *moving, *[y[0] for y in ys], *start]
        body = taped(Sensitivity(ode.body, self.mask, n), [*operands, times[0]])
        c_groups, groups = ode.groups[:i], ode.groups[i:]
        moving_groups = [g for g, m in zip(c_groups, self.mask, strict=True) if m]
        both = Ode(body, (*c_groups, *moving_groups, *groups, *groups), 2 * n, ode.limits)
        return both(*operands, times)[n:]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        i = len(self.mask)
        return list(kinds[i : i + self.ode.size])


class CotangentBody:
    """What its transpose does: from time to time it solves for the cotangents backwards, and for y with them."""

    __slots__ = ("mask", "ode")

    def __init__(self, ode: Ode, mask: tuple[bool, ...]) -> None:
        self.ode, self.mask = ode, mask

    def __call__(self, *args: Any) -> list[Any]:
        ode, n, i = self.ode, self.ode.size, len(self.mask)
        c, ys, times, gs = args[:i], args[i : i + n], args[i + n], args[i + n + 1 :]
        totals = [wrap(np.zeros(x.shape, x.dtype)) for x, m in zip(c, self.mask, strict=True) if m]
        last = times.shape[0] - 1
        adjoint = [g[last] for g in gs]
        body = taped(Adjoint(ode.body, self.mask, n), [*c, *[y[0] for y in ys], *adjoint, *totals, times[0]])
        c_groups, groups = ode.groups[:i], ode.groups[i:]
        total_groups = [g for g, m in zip(c_groups, self.mask, strict=True) if m]
        back = Ode(body, (*c_groups, *groups, *groups, *total_groups), 2 * n + len(totals), ode.limits)
        for k in range(last, 0, -1):
            found = back(*c, *[y[k] for y in ys], *adjoint, *totals, times[k - 1 : k + 1][::-1])
            adjoint = [x[1] + g[k - 1] for x, g in zip(found[n : 2 * n], gs, strict=True)]
            totals = [x[1] for x in found[2 * n :]]
        return [*totals, *adjoint]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        i = len(self.mask)
        ys = kinds[i : i + self.ode.size]
        marked = [k for k, m in zip(kinds, self.mask, strict=False) if m]
        return [*marked, *[ShapeDtypeStruct(k.shape[1:], k.dtype) for k in ys]]


class Sensitivity:
    """The right-hand side of y and its tangent: from c, the tangents of those marked, y, the tangent and a time."""

    __slots__ = ("body", "mask", "size")

    def __init__(self, body: Any, mask: tuple[bool, ...], size: int) -> None:
        self.body, self.mask, self.size = body, mask, size

    def __call__(self, *args: Any) -> list[Any]:
        i, n = len(self.mask), self.size
        j = i + sum(self.mask)
        push = Pushforward(self.body, (*self.mask, *[True] * n, False))
        return push(*args[:i], *args[j : j + n], args[-1], *args[i:j], *args[j + n : -1])

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[-1 - 2 * self.size : -1])


class Adjoint:
    """The right-hand side of y, its cotangent, and the cotangents of those of c that are marked.

    It takes c, then these, and a time.
    """

    __slots__ = ("body", "mask", "size")

    def __init__(self, body: Any, mask: tuple[bool, ...], size: int) -> None:
        self.body, self.mask, self.size = body, mask, size

    def __call__(self, *args: Any) -> list[Any]:
        i, n = len(self.mask), self.size
        c, y, cotangents, now = args[:i], args[i : i + n], args[i + n : i + 2 * n], args[-1]
        chosen = [raw(x) for x in [*y, *[x for x, m in zip(c, self.mask, strict=True) if m]]]

        def f(*xs: Any) -> tuple:
            rest = iter(xs[n:])
            return tuple(self.body(*[next(rest) if m else x for x, m in zip(c, self.mask, strict=True)], *xs[:n], now))

        slopes, pullback, _ = record(f, chosen, tree.structure(tuple(chosen)), False, "vjp")
        seeds: dict[Any, Any] = {}
        for (e, _), g in zip(pullback.outputs, cotangents, strict=True):
            if e is not None:
                seeds[e] = seeds[e] + raw(g) if e in seeds else raw(g)
        return [*slopes, *[-wrap(g) for g in pullback.pull(seeds, release=True)]]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[len(self.mask) : -1])


class OdePullback:
    """The pullback of an `Ode`: it keeps c, the solution and the times, and solves back from time to time.

    Arguments:
        call: the Ode.
        mask: which of its operands are differentiated.
        kept: c, y at all the times, and the times.
    """

    __slots__ = ("call", "kept", "mask")

    def __init__(self, call: Ode, mask: tuple[bool, ...], kept: Sequence[Any]) -> None:
        self.call, self.mask, self.kept = call, mask, [wrap(x) for x in kept]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        if all(g is None for g in cotangents):
            return [None] * sum(self.mask)
        call = self.call
        c, ys, times = call.split(self.kept)
        c_mask, y_mask, t_mask = call.split(self.mask)
        gs = zeros_for(cotangents, ys)
        found = LinearOde(call, tuple(c_mask), transposed=True)(*c, *ys, times, *gs)
        totals, adjoint = found[: sum(c_mask)], found[sum(c_mask) :]
        moved = []
        if t_mask:  # a later time shows a later point of the same curve; a later start shifts the curve
            slopes = call.slopes(c, ys, times)
            here = sum([(f * g).real.reshape(times.shape[0], -1).sum(axis=1) for f, g in zip(slopes, gs, strict=True)])
            start = sum([(f[0] * (a - g[0])).real.sum() for f, g, a in zip(slopes, gs, adjoint, strict=True)])
            moved = [here.at[0].set(-start).astype(times.dtype)]
        return [*totals, *[a for a, m in zip(adjoint, y_mask, strict=True) if m], *moved]


tree.register_pytree_node(
    OdePullback, lambda p: (p.kept, (p.call, p.mask)), lambda aux, kept: OdePullback(aux[0], aux[1], kept)
)

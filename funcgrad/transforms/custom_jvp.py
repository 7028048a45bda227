"""`custom_jvp`: a function whose forward-mode rule is written by its user.

The rule gives the tangents of the results from those of the arguments, and must be linear in them. So reverse mode
follows: the rule is run with the tangents as inputs of a tape, and the pullback of that tape is the transposed rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, raw, wrap
from funcgrad.errors import ArgumentError, CustomRuleError, ShapeError, TreeError, type_text
from funcgrad.transforms.arguments import float0, input_values, output_values
from funcgrad.transforms.call import Batched, Call, FunctionBody, RecordedPullback
from funcgrad.transforms.custom_rules import CustomFunction, SymbolicZero, refuse_closures
from funcgrad.transforms.vjp import record
from funcgrad.transforms.vmap import BatchTrace


class custom_jvp(CustomFunction):  # noqa: N801  (it is used as a function, under JAX's name)
    """A function with a forward-mode derivative rule of its own.

    Arguments:
        fun: a function of pytrees of arrays.
        nondiff_argnums: positions of arguments that the rule gets as they are, before the rest: functions, options.
        nondiff_argnames: the same by name.

    Returns:
        The function. Give it its rule with `defjvp` or `defjvps` before it is differentiated.

    Raises:
        CustomRuleError: it is called without a rule, or closes over a value that is being differentiated.
        TreeError, ShapeError, ArgumentError: the rule gives something else than a pair of results and tangents that
            fit each other.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> @fg.custom_jvp
        ... def log1pexp(x):
        ...     return fnp.log(1.0 + fnp.exp(x))
        >>> @log1pexp.defjvp
        ... def _(primals, tangents):
        ...     (x,), (t,) = primals, tangents
        ...     return log1pexp(x), t * (1.0 - 1.0 / (1.0 + fnp.exp(x)))
        >>> fg.grad(log1pexp)(100.0)
        Array(1., dtype=float64)

    Source: `jax.custom_jvp` (https://docs.jax.dev/en/latest/_autosummary/jax.custom_jvp.html).
    """

    transform = "custom_jvp"
    rule: Callable | None = None
    symbolic_zeros = False

    def defjvp(self, jvp: Callable, symbolic_zeros: bool = False) -> Callable:
        """Define the rule.

        Arguments:
            jvp: takes the nondiff arguments, the tuple of primals and the tuple of their tangents, and gives a pair of
                the result and its tangent. The tangent of an integer is a zero of dtype float0.
            symbolic_zeros: whether tangents that are known to be zero come as SymbolicZero, instead of as zeros.

        Returns:
            jvp, so that this can be a decorator.
        """
        self.rule, self.symbolic_zeros = jvp, symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable | None) -> None:
        """Define the rule argument by argument, for a function without nondiff arguments.

        Arguments:
            jvps: for each argument a function `(tangent, result, *primals)` that gives its share of the result's
                tangent; None where that is zero.
        """
        if self.nondiff_argnums:
            raise ArgumentError("custom_jvp: defjvps is for functions without nondiff_argnums; use defjvp")

        def rule(primals: tuple, tangents: tuple) -> tuple:
            out = self(*primals)
            shares = [f(t, out, *primals) for f, t in zip(jvps, tangents, strict=True) if f is not None]
            if not shares:
                return out, tree.map(lambda o: np.zeros(np.shape(o), np.asarray(o).dtype), out)
            total = shares[0]
            for s in shares[1:]:
                total = tree.map(lambda a, b: a + b, total, s)
            return out, total

        self.defjvp(rule)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.rule is None:
            raise CustomRuleError(
                f"No JVP defined for custom_jvp function {self.title} using defjvp: decorate its rule with "
                f"@{self.title}.defjvp"
            )
        args = self.positional(args, kwargs)
        nondiff, places = self.split(args)
        values, in_tree = input_values(tuple([args[i] for i in places]), self.title, places)
        body = FunctionBody(self.of_others(args, places), in_tree, self.title)
        rule = Rule(self.rule, nondiff, in_tree, body, self.symbolic_zeros)
        outs = CustomJvpCall(body, self.title, rule)(*values)
        return body.out_tree.unflatten(outs)


class Rule:
    """A user's rule on flat lists: `(primals, tangents) -> (results, tangents)`, a tangent being None if it is zero."""

    __slots__ = ("body", "in_tree", "nondiff", "rule", "symbolic_zeros")

    def __init__(self, rule: Callable, nondiff: tuple, in_tree: Any, body: FunctionBody, symbolic_zeros: bool) -> None:
        self.rule, self.nondiff, self.in_tree = rule, nondiff, in_tree
        self.body, self.symbolic_zeros = body, symbolic_zeros

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        given = [self._tangent(x, t) for x, t in zip(primals, tangents, strict=True)]
        found = self.rule(*self.nondiff, self.in_tree.unflatten(primals), self.in_tree.unflatten(given))
        name = f"the JVP rule of {self.body.name}"
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise ArgumentError(
                f"Custom JVP rule for function {self.body.name} must produce a pair (list or tuple of length two), the "
                f"result and its tangent, but it gave {found!r}"
            )
        outs, out_tree = output_values(found[0], name)
        flat, t_tree = tree.flatten(found[1])
        if t_tree != out_tree:
            raise TreeError(
                f"Custom JVP rule for function {self.body.name} must produce primal and tangent outputs with equal "
                f"container (pytree) structures, but got {out_tree} and {t_tree} respectively"
            )
        if self.body.out_tree is not None and self.body.out_tree != out_tree:
            raise TreeError(
                f"Custom JVP rule for function {self.body.name} must produce a result of the structure that the "
                f"function gives, {self.body.out_tree}, but got {out_tree}"
            )
        self.body.out_tree = out_tree
        return outs, [self._checked(o, t) for o, t in zip(outs, flat, strict=True)]

    def _tangent(self, x: Any, t: Any) -> Any:
        if not is_inexact(x.dtype):
            return SymbolicZero(x.shape, float0) if self.symbolic_zeros else np.zeros(x.shape, float0)
        if t is None:
            return SymbolicZero(x.shape, x.dtype) if self.symbolic_zeros else wrap(np.zeros(x.shape, x.dtype))
        return t

    def _checked(self, out: Any, t: Any) -> Any:
        """The tangent of a result, known to fit it; None if it is zero."""
        if isinstance(t, SymbolicZero) or getattr(t, "dtype", None) == float0 or not is_inexact(out.dtype):
            return None
        (t,), _ = output_values((t,), f"the tangent from the JVP rule of {self.body.name}")
        if t.shape != out.shape or t.dtype != out.dtype:
            raise ShapeError(
                f"Custom JVP rule for function {self.body.name} must produce primal and tangent outputs with "
                f"corresponding shapes and dtypes. Expected {type_text(out)} but got {type_text(t)}"
            )
        return t


class CustomJvpCall(Call):
    """The call of a function with a JVP rule."""

    __slots__ = ("rule",)

    def __init__(self, body: Any, name: str, rule: Callable) -> None:
        super().__init__(body, name)
        self.rule = rule

    def evaluate(self, *args: Any) -> list[Any]:
        return refuse_closures(self.name, super().evaluate(*args), args)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        outs, found = self.rule(primals, tangents)
        refuse_closures(self.name, [*outs, *[t for t in found if t is not None]], [*primals, *present(tangents)])
        return outs, found

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        """The rule's tape from tangents to tangents, pulled back."""
        chosen = [np.zeros(x.shape, x.dtype) for x, m in zip(primals, mask, strict=True) if m]

        def push(*ts: Any) -> tuple:
            given = iter(ts)
            outs, found = self.rule(primals, [next(given) if m else None for m in mask])
            moving = [i for i, t in enumerate(found) if t is not None]
            return tuple([found[i] for i in moving]), (outs, moving)

        _, pullback, (outs, moving) = record(push, chosen, tree.structure(tuple(chosen)), True, self.name)
        refuse_closures(self.name, outs, primals)
        return outs, RecordedPullback(pullback, moving)

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        body = Batched(self.body, mask, trace.size, trace.axis_name)
        outs = CustomJvpCall(body, self.name, BatchedRule(self.rule, mask, trace.size, trace.axis_name))(*args)
        return outs, (True,) * len(outs)


class BatchedRule:
    """A flat rule on batches."""

    __slots__ = ("axis_name", "mask", "rule", "size")

    def __init__(self, rule: Callable, mask: tuple[bool, ...], size: int, axis_name: Any) -> None:
        self.rule, self.mask, self.size, self.axis_name = rule, mask, size, axis_name

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        trace = BatchTrace("vmap", self.size, self.axis_name)
        with trace:

            def into(xs: Sequence[Any]) -> list[Any]:
                return [trace.tracer(raw(x)) if m and x is not None else x for x, m in zip(xs, self.mask, strict=True)]

            def back(xs: Sequence[Any]) -> list[Any]:
                return [x if x is None else trace.out(x) for x in xs]

            outs, found = self.rule(into(primals), into(tangents))
            return back(outs), back(found)


def present(xs: Sequence[Any]) -> list[Any]:
    """Those that are not None."""
    return [x for x in xs if x is not None]

"""`custom_jvp`: a function whose forward-mode rule is written by its user.

The rule gives the tangents of the results from those of the arguments, and must be linear in them. So reverse mode
follows: as a function of the tangents alone, the rule is transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.trace import DeadTrace, innermost, zeros
from funcgrad.errors import ArgumentError, CustomRuleError, NotDifferentiableError, type_text
from funcgrad.transforms.arguments import output_values
from funcgrad.transforms.custom_call import CustomCall, Examples
from funcgrad.transforms.custom_rules import CustomFunction, Given, is_zero, kinds_of, pair, zero_from_primal
from funcgrad.transforms.linear_transpose import Transpose, linear_transpose
from funcgrad.transforms.wraps import name_of


class custom_jvp(CustomFunction):  # noqa: N801  (it is used as a function, under JAX's name)
    """A function with a forward-mode derivative rule of its own.

    Arguments:
        fun: a function of pytrees of arrays.
        nondiff_argnums: positions of arguments that the rule gets as they are, before the rest: functions, options.
        nondiff_argnames: the same by name.

    Returns:
        The function. Give it its rule with `defjvp` or `defjvps` before it is called.

    Raises:
        CustomRuleError: it is called without a rule; or the rule gives something else than a pair of results and
            tangents that fit each other, or, under reverse mode, is not linear in the tangents.
        ClosureError: it closes over a value that is being differentiated.

    Example:
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
    jvp: Callable | None = None
    jvps: tuple[Callable | None, ...] | None = None
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
        self.jvp, self.jvps, self.symbolic_zeros = jvp, None, symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable | None) -> None:
        """Define the rule argument by argument, for a function without nondiff arguments.

        Arguments:
            jvps: for each argument a function `(tangent, result, *primals)` that gives its share of the result's
                tangent; None where that is zero.
        """
        if self.nondiff_argnums:
            raise ArgumentError("can't use custom_jvp.defjvps with nondiff_argnums: write one rule with defjvp")
        self.jvp, self.jvps, self.symbolic_zeros = None, jvps, False

    def rule(self) -> Callable | None:
        """The rule, or None if there is none. It may refer to this function, which does not refer to it."""
        return self.jvp if self.jvps is None else self._shares

    def _shares(self, primals: tuple, tangents: tuple) -> tuple:
        """The rule that those for each argument make."""
        out = self(*primals)
        jvps: Any = self.jvps
        shares = [f(t, out, *primals) for f, t in zip(jvps, tangents, strict=True) if f is not None]
        if not shares:
            return out, tree.map(lambda x: zero_from_primal(x, symbolic_zeros=True), out)
        return out, tree.map(lambda *terms: sum(terms[1:], terms[0]), *shares)

    def check(self) -> None:
        if self.rule() is None:
            raise CustomRuleError(
                f"No JVP defined for custom_jvp function {self.title} using defjvp: decorate its rule with "
                f"@{self.title}.defjvp"
            )

    def call(self, given: Given) -> Any:
        return CustomJvpCall(given, self.title, Rule(self, given), innermost())


class Rule:
    """A user's rule on flat lists: `(primals, tangents) -> (results, tangents)`, a tangent being None if it is zero."""

    __slots__ = ("given", "jvp", "symbolic_zeros")

    def __init__(self, function: custom_jvp, given: Given) -> None:
        self.jvp: Any = function.rule()
        self.symbolic_zeros, self.given = function.symbolic_zeros, given

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        given, name = self.given, self.given.name
        moving = [
            zero_from_primal(x, self.symbolic_zeros) if t is None else t for x, t in zip(primals, tangents, strict=True)
        ]
        found = self.jvp(*given.nondiff, given.others(primals), given.others(moving))
        title = f"Custom JVP rule {name_of(self.jvp)}"
        out, tangent = pair(found, title, name, "primal and tangent outputs")
        outs, out_tree = output_values(out, title)
        flat, t_tree = tree.flatten(tangent)
        given.check_primal_out(title, "the first element represents the primal output", outs, out_tree)
        if t_tree != out_tree:
            raise CustomRuleError(
                f"{title} for function {name} must produce primal and tangent outputs with equal container (pytree) "
                f"structures, but got {out_tree} and {t_tree} respectively."
            )
        return outs, [self._checked(o, t, title) for o, t in zip(outs, flat, strict=True)]

    def _checked(self, out: Any, t: Any, title: str) -> Any:
        """The tangent of a result, known to fit it; None if it is zero."""
        if is_zero(t) or not is_inexact(out.dtype):
            return None
        (t,), _ = output_values((t,), title)
        if t.shape != out.shape or t.dtype != out.dtype:
            raise CustomRuleError(
                f"Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes. "
                f"Expected {type_text(out)} (tangent type of {type_text(out)}) but got {type_text(t)}. It is the rule "
                f"{name_of(self.jvp)} of {self.given.name}"
            )
        return t


class CustomJvpCall(CustomCall):
    """The call of a function with a JVP rule, which is as `Rule` says."""

    __slots__ = ()
    transform = "custom_jvp"

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        outs, found = self.rule(primals, tangents)
        self.closed([*outs, *found], [*primals, *tangents])
        return outs, found

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        """The rule as a function of the tangents, transposed."""
        results: list[Any] = []
        moving: list[int] = []

        def push(*tangents: Any) -> tuple:
            given = iter(tangents)
            results[:], found = self.rule(primals, [next(given) if m else None for m in mask])
            moving[:] = [i for i, t in enumerate(found) if t is not None]
            return tuple([found[i] for i in moving])

        try:
            transposed = linear_transpose(push, *[k for k, m in zip(kinds_of(primals), mask, strict=True) if m])
        except NotDifferentiableError as e:
            raise CustomRuleError(
                f"reverse mode transposes the JVP rule of {self.name}, which must be linear in the tangents: {e}"
            ) from None
        if any(type(o._trace) is DeadTrace for o in results):
            raise CustomRuleError(f"the JVP rule of {self.name} gives a result that depends on the tangents")
        self.closed(results, primals)
        return results, TransposedRule(transposed, moving)

    def batched(self, examples: Examples) -> Any:
        return BatchedRule(self.rule, examples)

    def behind(self, count: int) -> Any:
        return RuleBehindConstants(self, count)


class TransposedRule:
    """The pullback of a call with a JVP rule.

    Arguments:
        transposed: from the cotangents of some results to those of the operands.
        moving: which results these are.
    """

    __slots__ = ("moving", "transposed")

    def __init__(self, transposed: Transpose, moving: list[int]) -> None:
        self.transposed, self.moving = transposed, moving

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        kinds = self.transposed.inputs
        given = [
            zeros(k.shape, k.dtype) if cotangents[i] is None else cotangents[i]
            for i, k in zip(self.moving, kinds, strict=True)
        ]
        return self.transposed.tape.run([wrap(g) for g in given])


tree.register_pytree_node(
    TransposedRule, lambda t: ((t.transposed,), t.moving), lambda moving, children: TransposedRule(children[0], moving)
)


class BatchedRule:
    """A flat rule on batches."""

    __slots__ = ("examples", "rule")

    def __init__(self, rule: Callable, examples: Examples) -> None:
        self.rule, self.examples = rule, examples

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        examples = self.examples
        with examples.running() as trace:
            outs, found = self.rule(examples.into(trace, primals), examples.into(trace, tangents))
            values, moved = examples.out(trace, outs, found)
        return values, moved


class RuleBehindConstants:
    """The flat rule of a function whose first operands are what it closed over."""

    __slots__ = ("call", "count")

    def __init__(self, call: CustomJvpCall, count: int) -> None:
        self.call, self.count = call, count

    def __call__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        if any(t is not None for t in tangents[: self.count]):
            raise self.call.closes_over()
        return self.call.rule(primals[self.count :], tangents[self.count :])

"""From derivative rules to plans: what to keep on the tape, and how to call the rules with it.

A rule is a Python function whose first parameter is the incoming cotangent `g` (or tangent `t`); its other parameters
name what it needs, and so say what the tape has to keep:

    x, y, ...             an operand, by the name that the primitive gives it;
    out                   the result;
    x_shape, x_dtype      metadata of an operand (or of `out`), which cost no memory;
    linked                a tuple of booleans: which operands are differentiated;
    params                all parameters of the primitive, as a dict;
    anything else         a parameter of the primitive, such as `axis`; left out, it has the default of the
    implementation.

A rule is written in NumPy and works on arrays as on tracers. Two traps: np.float64 constants (`np.log(2)`) promote
single precision, Python floats (`math.log(2)`) do not; and `1j * g` may turn a NumPy scalar into a Python complex
without a shape, `g * 1j` does not.

Which names matter depends on which operands are differentiated, so there is one plan for each primitive and *mask* of
differentiated operands. A plan is built once, on first use, and holds three small functions assembled from the names:

    keep(out, params, *operands) -> residuals      picks what the rules of this mask name, each once;
    pull(g, residuals) -> cotangents               calls the backward rules;
    push(out, params, tangents, *operands)         calls the forward rules and adds up.

They are assembled as source text, as `collections.namedtuple` does it, because calling them is on the hot path.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature, unwrap
from operator import itemgetter
from typing import Any

import numpy as np

from funcgrad.callers import ASSEMBLED
from funcgrad.core.plan import Plan, numbered
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.errors import NotDifferentiableError


class Statement:
    """Stands in the place of a rule, and says why there is no formula. It is a `Zero` or a `NotDifferentiable`.

    There is no third way: an operand for which nothing is said is refused when the primitive is declared, so a gradient
    that is zero is one that a record states.

    Arguments:
        reason: for people.
    """

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r})"


class Zero(Statement):
    """The derivative is zero, as a matter of mathematics: "integer operand", "piecewise constant"."""

    __slots__ = ()


class NotDifferentiable(Statement):
    """The derivative is unknown or does not exist, so differentiating is an error, in every transform."""

    __slots__ = ()


class Joint:
    """A rule that handles all operands at once; see `joint`."""

    __slots__ = ("partial", "rule")

    def __init__(self, rule: Callable, partial: bool = False) -> None:
        self.rule, self.partial = rule, partial


def joint(rule: Callable, partial: bool = False) -> Joint:
    """Mark a rule that handles all operands at once.

    Backward it returns a sequence with one cotangent for each operand, None where the operand is not linked. Forward it
    takes a tuple of tangents, None where there is none.

    Arguments:
        rule: the rule.
        partial: of a backward rule of several results: the cotangent of a result that nothing depends on is None, and
            not an array of zeros. The program decides which those are, and no value, so every transform agrees.
    """
    return Joint(rule, partial)


class _SameOperation:
    def __repr__(self) -> str:
        return "SAME_OPERATION"


SAME_OPERATION = _SameOperation()
"""In the place of a forward rule: the operation is linear in the operand, so the tangent goes through the operation."""


def rule_names(rule: Callable) -> tuple[str, ...]:
    """The names of what a rule needs beside its cotangent or tangent."""
    code = unwrap(rule).__code__  # a run-time type checker may have wrapped it
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


class RulePlan(Plan):
    """The plan of a primitive: its functions are assembled from the rules of the record."""

    __slots__ = ("_push", "checked", "flags", "keep", "kept", "names", "partial", "pull", "simple", "trusted")
    keep: Callable
    pull: Any

    def __init__(self, primitive: Any, mask: tuple[bool, ...], linked: tuple[int, ...]) -> None:
        self.primitive = primitive
        self.linked = linked
        self.single = len(linked) == 1
        self.simple = len(linked) == sum(mask) and not primitive.multiple  # nothing for a trace to sort out
        variadic = primitive.operands is None
        self.operands = operands = numbered(len(mask)) if variadic else primitive.operands
        self.flags = tuple(i in linked for i in range(len(mask)))
        vjp = primitive.vjp
        self.partial = isinstance(vjp, Joint) and vjp.partial
        rules = [vjp.rule] if isinstance(vjp, Joint) else [vjp[i] for i in linked]

        # What to keep: the union of the names, in order of first use.
        self.names = tuple(dict.fromkeys(n for r in rules for n in rule_names(r) if n != "linked"))
        arrays = {operands[i] for i in linked} | {"out"}  # these are sure to have a shape; constants may be numbers
        defaults = defaults_of(primitive.impl)
        sources = [_source(n, operands, variadic, arrays, defaults) for n in self.names]
        scope: dict[str, Any] = {"defaults": defaults}
        text = f"lambda out, params, {', '.join(operands)}: ({''.join(s + ', ' for s in sources)})"
        self.keep = _function(text, scope)
        self.kept = frozenset(i for i, o in enumerate(operands) if o in self.names or (variadic and "xs" in self.names))

        # How to call the rules. Unpacking residuals with * would cost more than all the rest of the call.
        places = {n: f"kept[{k}]" for k, n in enumerate(self.names)} | {"linked": "linked"}
        calls = [_call(f"r{k}", r, [places[n] for n in rule_names(r)]) for k, r in enumerate(rules)]
        scope = {f"r{k}": r for k, r in enumerate(rules)} | {"linked": self.flags}
        if isinstance(vjp, Joint):
            scope["pick"] = itemgetter(*linked)
            self.pull = _function(f"lambda g, kept: pick({calls[0]})", scope)
        else:
            self.pull = _function(f"lambda g, kept: {calls[0] if self.single else ', '.join(calls).join('()')}", scope)

        # Whether the walk has to fit cotangents to operands: broadcasting and mixed dtypes are undone there. A trace
        # that sees that an elementwise operation broadcast and promoted nothing records the trusted twin of the plan.
        self.checked = not (primitive.preserves and len(mask) == 1)
        self._push: Callable | None = None
        self.trusted: RulePlan | None = None
        if self.checked and primitive.preserves:
            self.trusted = self.but(checked=False, trusted=None)

    def __reduce__(self) -> Any:
        return _plan, (self.primitive, self.flags, self.checked)

    @property
    def push(self) -> Callable:
        """`push(out, params, tangents, *operands) -> tangent`; built when forward mode first asks for it."""
        if self._push is None:
            self._push = self._build_push()
        return self._push

    def _build_push(self) -> Callable:
        primitive, jvp = self.primitive, self.primitive.jvp
        defaults = defaults_of(primitive.impl)
        scope: dict[str, Any] = {"primitive": primitive, "linked": self.flags, "defaults": defaults}
        operands, variadic = self.operands, primitive.operands is None
        arrays = {operands[i] for i in self.linked} | {"out"}
        if isinstance(jvp, Joint):
            scope["rule"] = jvp.rule
            needs = [_source(n, operands, variadic, arrays, defaults) for n in rule_names(jvp.rule)]
            body = f"rule({', '.join(['tangents', *needs])})"
        else:
            terms = []
            for i in self.linked:
                rule, tangent = jvp[i], f"tangents[{i}]"
                if rule is SAME_OPERATION:
                    args = [tangent if k == i else o for k, o in enumerate(operands)]
                    terms.append(f"primitive({', '.join(args)}, **params)")
                else:
                    scope[f"r{i}"] = rule
                    needs = [_source(n, operands, variadic, arrays, defaults) for n in rule_names(rule)]
                    terms.append(f"r{i}({', '.join([tangent, *needs])})")
            body = " + ".join(terms)
        return _function(f"lambda out, params, tangents, {', '.join(operands)}: {body}", scope)


def _body(rule: Callable) -> tuple:
    """What a rule computes, whatever its names are called: equal for lambdas that are equal but for those."""
    code = unwrap(rule).__code__
    return code.co_code, code.co_consts, code.co_names, code.co_freevars, code.co_argcount, code.co_kwonlyargcount


_WRITTEN_OUT = {
    _body(lambda g: g): "g",
    _body(lambda g: -g): "-g",
    _body(lambda g, a: g * a): "g * {0}",
    _body(lambda g, a: g / a): "g / {0}",
    _body(lambda g, a: g * (2 * a)): "g * (2 * {0})",
    _body(lambda g, a: g * (1 - a * a)): "g * (1 - {0} * {0})",
    _body(lambda g, a: g * np.cos(a)): "g * cos({0})",
    _body(lambda g, a: g * -np.sin(a)): "g * -sin({0})",
}
"""Rules so short that calling them costs as much as what they do, and what to write instead of the call: the pull of a
product of two scalars takes 213 ns instead of 308, that of a sum 53 instead of 157."""


def _call(name: str, rule: Callable, args: list[str]) -> str:
    """The expression that gives what a rule gives: a call, or for the shortest rules their own text."""
    text = _WRITTEN_OUT.get(_body(rule))
    return f"{name}({', '.join(['g', *args])})" if text is None else text.format(*args)


def _plan(primitive: Any, flags: tuple[bool, ...], checked: bool) -> RulePlan:
    """Unpickles a plan: the one that this process has."""
    plan = primitive.plans[flags]
    return plan if plan.checked == checked else plan.trusted


def make_plan(primitive: Any, mask: tuple[bool, ...]) -> RulePlan | None:
    """The plan for a mask, or None if the derivative by every operand that it marks is zero.

    Raises:
        NotDifferentiableError: the primitive states that it has no derivative by one of them.
    """
    rules = primitive.vjp
    linked = []
    for i, m in enumerate(mask):
        if m:
            rule = rules if isinstance(rules, (Joint, Statement)) else rules[i]
            if isinstance(rule, NotDifferentiable):
                operand = "" if rule is rules else f" with respect to its operand {primitive.operands[i]}"
                raise NotDifferentiableError(
                    f"{primitive.name} has no derivative{operand}: {rule.reason}. custom_jvp and custom_vjp give a "
                    f"function a derivative of your own, stop_gradient makes an operand a constant"
                )
            if not isinstance(rule, Zero):
                linked.append(i)
    return RulePlan(primitive, mask, tuple(linked)) if linked else None


def _source(name: str, operands: tuple[str, ...], variadic: bool, arrays: set[str], defaults: dict[str, Any]) -> str:
    """The expression that gives what a rule calls `name`, in terms of out, params and the operands."""
    if name in ("out", "params", "linked") or name in operands:
        return name
    everything = f"({''.join(o + ', ' for o in operands)})"
    if variadic and name == "xs":
        return everything
    base, _, what = name.rpartition("_")
    if variadic and base == "xs" and what in ("shapes", "dtypes"):
        return f"tuple([{what[:-1]}_of(x) for x in {everything}])"
    if (base == "out" or base in operands) and what in ("shape", "dtype"):
        return f"{base}.{what}" if base in arrays else f"{what}_of({base})"
    if name in defaults:
        return f"(params[{name!r}] if {name!r} in params else defaults[{name!r}])"
    return f"params[{name!r}]"


def defaults_of(impl: Callable) -> dict[str, Any]:
    """The default values of the parameters of an implementation."""
    if isinstance(impl, np.ufunc):
        return {}
    return {k: p.default for k, p in signature(impl).parameters.items() if p.default is not p.empty}


def _function(source: str, scope: dict[str, Any] | None = None) -> Callable:
    names = {"cos": np.cos, "sin": np.sin, "shape_of": shape_of, "dtype_of": dtype_of, **(scope or {})}
    return eval(compile(source, ASSEMBLED, "eval"), names)  # noqa: S307  (our own text)

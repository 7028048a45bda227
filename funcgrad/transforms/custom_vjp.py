"""`custom_vjp`: a function whose reverse-mode rule is written by its user.

The rule comes in two halves: the forward half runs in place of the function and says what to keep, the backward half
makes cotangents of the arguments from that and from the cotangent of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.trace import innermost, uniform
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import CustomRuleError, ShapeError, TreeError, type_text
from funcgrad.transforms.arguments import float0, leaf_value, output_values
from funcgrad.transforms.custom_call import CustomCall, Examples
from funcgrad.transforms.custom_rules import CustomFunction, Given, SymbolicZero, kinds_of, pair
from funcgrad.transforms.wraps import name_of


class custom_vjp(CustomFunction):  # noqa: N801  (it is used as a function, under JAX's name)
    """A function with a reverse-mode derivative rule of its own.

    Arguments:
        fun: a function of pytrees of arrays.
        nondiff_argnums: positions of arguments that the rules get as they are: functions, options.
        nondiff_argnames: the same by name.

    Returns:
        The function. Give it its rule with `defvjp` before it is called.

    Raises:
        CustomRuleError: it is called without a rule, or goes through forward mode, or a rule gives something that does
            not fit the function.
        ShapeError: the backward half gives a cotangent of another shape or dtype than its argument.
        ClosureError: it closes over a value that is being differentiated.

    Example:
        >>> @fg.custom_vjp
        ... def clip_gradient(x):
        ...     return x
        >>> clip_gradient.defvjp(lambda x: (x, None), lambda kept, g: (fnp.clip(g, -1.0, 1.0),))
        >>> fg.grad(lambda x: 100.0 * clip_gradient(x))(1.0)
        Array(1., dtype=float64)

    Source: `jax.custom_vjp` (https://docs.jax.dev/en/latest/_autosummary/jax.custom_vjp.html).
    """

    transform = "custom_vjp"
    fwd: Callable | None = None
    bwd: Callable | None = None
    symbolic_zeros = False

    def defvjp(self, fwd: Callable, bwd: Callable, symbolic_zeros: bool = False, optimize_remat: bool = False) -> None:
        """Define the rule.

        Arguments:
            fwd: takes the arguments of the function and gives a pair: the result, and a pytree of what bwd needs.
            bwd: takes the nondiff arguments, what fwd kept and the cotangent of the result; gives a tuple with a
                cotangent for each argument that is not nondiff, None where it is zero.
            symbolic_zeros: whether fwd gets each array as a `CustomVJPPrimal`, which says whether it is differentiated,
                and bwd gets cotangents that are known to be zero as SymbolicZero.
            optimize_remat: accepted as in JAX, where it tells the compiler to drop a forward half whose residuals
                nobody uses; here they are dropped with the tape.
        """
        self.fwd, self.bwd, self.symbolic_zeros = fwd, bwd, symbolic_zeros

    def check(self) -> None:
        if self.fwd is None or self.bwd is None:
            raise CustomRuleError(
                f"No VJP defined for custom_vjp function {self.title} using defvjp: call {self.title}.defvjp(fwd, bwd)"
            )

    def call(self, given: Given) -> Any:
        return CustomVjpCall(given, self.title, Forward(self, given), innermost())


class CustomVJPPrimal:
    """An argument as the forward half sees it with `symbolic_zeros=True`.

    Attributes:
        value: the array.
        perturbed: whether it is being differentiated.
    """

    __slots__ = ("perturbed", "value")

    def __init__(self, value: Any, perturbed: bool) -> None:
        self.value, self.perturbed = value, perturbed

    def __repr__(self) -> str:
        return f"CustomVJPPrimal(value={self.value!r}, perturbed={self.perturbed})"


def custom_vjp_primal_tree_values(primals: PyTree) -> PyTree:
    """The arrays of an argument as the forward half sees it with `symbolic_zeros=True`.

    Arguments:
        primals: a pytree of `CustomVJPPrimal`.

    Returns:
        The same pytree with the `value` of each.

    Raises:
        CustomRuleError: a leaf is something else.

    Example:
        >>> from funcgrad.custom_derivatives import CustomVJPPrimal, custom_vjp_primal_tree_values
        >>> custom_vjp_primal_tree_values({"x": CustomVJPPrimal(2.0, perturbed=True)})
        {'x': 2.0}

    Source: `jax.custom_derivatives.custom_vjp_primal_tree_values`.
    """

    def value(leaf: Any) -> Any:
        if not isinstance(leaf, CustomVJPPrimal):
            raise CustomRuleError(f"custom_vjp_primal_tree_values takes a pytree of CustomVJPPrimal, found {leaf!r}")
        return leaf.value

    return tree.map(value, primals)


class Forward:
    """A user's forward half on flat lists: `(primals, mask) -> (results, pullback)`."""

    __slots__ = ("function", "given")

    def __init__(self, function: custom_vjp, given: Given) -> None:
        self.function, self.given = function, given

    def __call__(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Kept]:
        function, given = self.function, self.given
        leaves: Sequence[Any] = primals
        if function.symbolic_zeros:
            leaves = [CustomVJPPrimal(x, m) for x, m in zip(given.typed(primals), mask, strict=True)]
        fwd: Any = function.fwd
        title = f"Custom VJP fwd rule {name_of(fwd)}"
        found = fwd(*given.full(given.others(leaves)))
        out, kept = pair(found, title, given.name, "the primal output and what the bwd rule needs")
        outs, out_tree = output_values(out, title)
        given.check_primal_out(title, "the first element represents the primal output", outs, out_tree)
        arrays, structure = tree.flatten(kept)
        rule = Backward(function, given, structure, out_tree, kinds_of(outs), kinds_of(primals), mask)
        return outs, Kept(rule, [_safe(x, title) for x in arrays])


def _safe(x: Any, title: str) -> Any:
    """What the backward half shall find: arrays are safe from changes; anything else is kept as it is."""
    if isinstance(x, (np.ndarray, np.generic)):
        return wrap(leaf_value(x, lambda: f"{title}: a residual"))
    return x


class Backward:
    """A user's backward half on flat lists: `(kept, cotangents) -> cotangents of the differentiated primals`.

    A cotangent that is None is zero, on both sides.
    """

    __slots__ = ("function", "given", "in_kinds", "kept_tree", "mask", "out_kinds", "out_tree")

    def __init__(
        self,
        function: custom_vjp,
        given: Given,
        kept_tree: Any,
        out_tree: Any,
        out_kinds: list[ShapeDtypeStruct],
        in_kinds: list[ShapeDtypeStruct],
        mask: tuple[bool, ...],
    ) -> None:
        self.function, self.given, self.kept_tree = function, given, kept_tree
        self.out_tree, self.out_kinds, self.in_kinds, self.mask = out_tree, out_kinds, in_kinds, mask

    def __call__(self, kept: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        given = [self._cotangent(g, k) for g, k in zip(cotangents, self.out_kinds, strict=True)]
        bwd: Any = self.function.bwd
        found = bwd(*self.given.nondiff, self.kept_tree.unflatten(kept), self.out_tree.unflatten(given))
        return self._checked(found, f"Custom VJP bwd rule {name_of(bwd)} of {self.function.title}")

    def _cotangent(self, g: Any, kind: ShapeDtypeStruct) -> Any:
        if g is not None and is_inexact(kind.dtype):
            return wrap(g)
        if self.function.symbolic_zeros or not is_inexact(kind.dtype):
            zero = SymbolicZero(kind.shape, kind.dtype if is_inexact(kind.dtype) else float0)
            return zero if self.function.symbolic_zeros else zero.instantiate()
        return wrap(uniform(0, kind.shape, kind.dtype))

    def _checked(self, found: Any, title: str) -> list[Any]:
        """The cotangents of the differentiated leaves, known to fit them."""
        in_tree, n = self.given.in_tree, len(self.given.places)
        found = tuple(found) if isinstance(found, list) else found
        if not isinstance(found, tuple):
            raise CustomRuleError(
                f"{title} must produce a tuple with a cotangent for each of {n} arguments, but got "
                f"{type_text(found)}. For one argument write `return (g,)`"
            )
        cts, structure = tree.flatten(found, is_leaf=_may_stand_for_a_subtree)
        numbers = in_tree.unflatten(range(len(self.in_kinds)))
        try:
            parts = [tree.leaves(part) for part in structure.flatten_up_to(numbers)]
            fits = all(len(part) == 1 or g is None for g, part in zip(cts, parts, strict=True))
        except TreeError:
            fits = False
        if not fits:
            raise CustomRuleError(
                f"{title} must produce an output with the same container (pytree) structure as the args tuple of the "
                f"primal function, and in particular must produce a tuple of length equal to the number of arguments "
                f"to the primal function, but got {tree.structure(found)} for {in_tree}. None stands for a zero"
            )
        flat = {i: g for g, part in zip(cts, parts, strict=True) for i in part}
        return [self._fitting(flat[i], i, title) for i, m in enumerate(self.mask) if m]

    def _fitting(self, g: Any, i: int, title: str) -> Any:
        """The cotangent of the i-th leaf, known to fit it; None if it is zero."""
        if g is None or getattr(g, "dtype", None) == float0:
            return None
        kind, zero = self.in_kinds[i], isinstance(g, SymbolicZero)
        if not zero:
            (g,), _ = output_values((g,), title)
        if g.shape != kind.shape or not np.can_cast(g.dtype, kind.dtype, "same_kind"):
            place = tree.keystr(tree.leaves_with_path(self.given.in_tree.unflatten(range(len(self.in_kinds))))[i][0])
            raise ShapeError(
                f"{title} must produce an output with the same shape/dtypes as the args tuple of the primal function, "
                f"but at output{place} the bwd rule produced an output of type {type_text(g)} corresponding to an "
                f"input of type {type_text(kind)}.{' Consider just returning a None here.' if zero else ''}"
            )
        return None if zero else g


def _may_stand_for_a_subtree(g: Any) -> bool:
    return g is None or isinstance(g, SymbolicZero)


class Kept:
    """The pullback of a call with a VJP rule: a flat backward half, and what the forward half kept."""

    __slots__ = ("kept", "rule")

    def __init__(self, rule: Callable, kept: Sequence[Any]) -> None:
        self.rule, self.kept = rule, kept

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        return self.rule(self.kept, cotangents)


def _flatten_kept(k: Kept) -> tuple:
    """Arrays are children; what else was kept belongs to the structure."""
    arrays = [x for x in k.kept if isinstance(x, Array)]
    return arrays, (k.rule, [None if isinstance(x, Array) else (x,) for x in k.kept])


def _unflatten_kept(aux: tuple, arrays: Sequence[Any]) -> Kept:
    rule, others = aux
    it = iter(arrays)
    return Kept(rule, [_array(next(it)) if o is None else o[0] for o in others])


def _array(x: Any) -> Any:
    """Raw values as Arrays; whatever else a pytree carries passes."""
    return wrap(x) if isinstance(x, (np.ndarray, np.generic)) else x


tree.register_pytree_node(Kept, _flatten_kept, _unflatten_kept)


class CustomVjpCall(CustomCall):
    """The call of a function with a VJP rule, which is a forward half as `Forward` says."""

    __slots__ = ()
    transform = "custom_vjp"

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        raise CustomRuleError(
            f"can't apply forward-mode autodiff (jvp) to a custom_vjp function: {self.name} has a backward rule "
            f"only. Use custom_jvp for a rule that serves both modes"
        )

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs, pullback = self.rule(primals, mask)
        return self.closed(outs, primals), pullback

    def batched(self, examples: Examples) -> Any:
        return BatchedForward(self.rule, examples)

    def behind(self, count: int) -> Any:
        return ForwardBehindConstants(self, count)


class BatchedForward:
    """A flat forward half on batches."""

    __slots__ = ("examples", "forward")

    def __init__(self, forward: Callable, examples: Examples) -> None:
        self.forward, self.examples = forward, examples

    def __call__(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Kept]:
        examples = self.examples
        with examples.running() as trace:
            outs, pullback = self.forward(examples.into(trace, primals), mask)
            kept, structure = tree.flatten(pullback)
            batched = [isinstance(k, Array) and trace.own(k) for k in kept]
            found = [wrap(k._value) if b else k for k, b in zip(kept, batched, strict=True)]
            (results,) = examples.out(trace, outs)
        linked = [b for b, m in zip(examples.mask, mask, strict=True) if m]
        return results, Kept(BatchedBackward(examples, structure, batched, examples.results, linked), found)


class BatchedBackward:
    """A flat backward half on batches: the cotangent of a primal that all examples share is added up over them.

    Arguments:
        examples: of the vmap.
        structure: of the pullback of one example, whose leaves are what is kept.
        kept, results, linked: which of these, of the results, of the differentiated operands are batches.
    """

    __slots__ = ("examples", "kept", "linked", "results", "structure")

    def __init__(
        self, examples: Examples, structure: Any, kept: Sequence[bool], results: Sequence[bool], linked: Sequence[bool]
    ) -> None:
        self.examples, self.structure = examples, structure
        self.kept, self.results, self.linked = kept, results, linked

    def __call__(self, kept: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        with self.examples.running() as trace:
            inside = [trace.tracer(raw(k)) if b else k for k, b in zip(kept, self.kept, strict=True)]
            given = [
                trace.tracer(raw(g)) if b and g is not None else g
                for g, b in zip(cotangents, self.results, strict=True)
            ]
            found = self.structure.unflatten(inside)(given)
            return [g if g is None else self._placed(trace, g, b) for g, b in zip(found, self.linked, strict=True)]

    def _placed(self, trace: Any, g: Any, batched: bool) -> Any:
        """A cotangent as a batch, or, of a primal that all examples share, the sum of what each of them gives."""
        if batched:
            return trace.out(g)
        return wrap(np.add.reduce(raw(trace.out(g)), axis=0)) if trace.own(g) else g


class ForwardBehindConstants:
    """The flat forward half of a function whose first operands are what it closed over."""

    __slots__ = ("call", "count")

    def __init__(self, call: CustomVjpCall, count: int) -> None:
        self.call, self.count = call, count

    def __call__(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Kept]:
        if any(mask[: self.count]):
            raise self.call.closes_over()
        return self.call.rule(primals[self.count :], mask[self.count :])

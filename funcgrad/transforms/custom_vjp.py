"""`custom_vjp`: a function whose reverse-mode rule is written by its user; `custom_gradient`, the same in one piece.

The rule comes in two halves: the forward half runs in place of the function and says what to keep, the backward half
makes cotangents of the arguments from that and from the cotangent of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, CustomRuleError, ShapeError, TreeError, type_text
from funcgrad.transforms.arguments import float0, input_values, leaf_value, output_values
from funcgrad.transforms.call import Batched, Call, FunctionBody, close
from funcgrad.transforms.custom_rules import CustomFunction, SymbolicZero, refuse_closures
from funcgrad.transforms.vmap import BatchTrace


class custom_vjp(CustomFunction):  # noqa: N801  (it is used as a function, under JAX's name)
    """A function with a reverse-mode derivative rule of its own.

    Arguments:
        fun: a function of pytrees of arrays.
        nondiff_argnums: positions of arguments that the rules get as they are: functions, options.
        nondiff_argnames: the same by name.

    Returns:
        The function. Give it its rule with `defvjp` before it is differentiated.

    Raises:
        CustomRuleError: it is called without a rule, or goes through forward mode, or closes over a value that is being
            differentiated.
        TreeError, ShapeError, ArgumentError: a rule gives something that does not fit the function.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
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

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.fwd is None or self.bwd is None:
            raise CustomRuleError(
                f"No VJP defined for custom_vjp function {self.title} using defvjp: call {self.title}.defvjp(fwd, bwd)"
            )
        args = self.positional(args, kwargs)
        nondiff, places = self.split(args)
        values, in_tree = input_values(tuple([args[i] for i in places]), self.title, places)
        body = FunctionBody(self.of_others(args, places), in_tree, self.title)
        outs = CustomVjpCall(body, self.title, Forward(self, args, nondiff, places, in_tree, body))(*values)
        return body.out_tree.unflatten(outs)


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


class Forward:
    """The forward half on flat lists: `(primals, mask) -> (results, pullback)`."""

    __slots__ = ("args", "body", "function", "in_tree", "nondiff", "places")

    def __init__(
        self, function: custom_vjp, args: tuple, nondiff: tuple, places: list[int], in_tree: Any, body: FunctionBody
    ) -> None:
        self.function, self.args, self.nondiff, self.places = function, args, nondiff, places
        self.in_tree, self.body = in_tree, body

    def __call__(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        symbolic = self.function.symbolic_zeros
        leaves = [CustomVJPPrimal(x, m) for x, m in zip(primals, mask, strict=True)] if symbolic else primals
        full = list(self.args)
        for i, x in zip(self.places, self.in_tree.unflatten(leaves), strict=True):
            full[i] = x
        found = self.function.fwd(*full)  # type: ignore[misc]  # checked by __call__
        name = self.body.name
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise ArgumentError(
                f"Custom VJP fwd rule for function {name} must produce a pair (list or tuple of length two), the "
                f"result and what the bwd rule needs, but it gave {found!r}"
            )
        outs, out_tree = output_values(found[0], f"the fwd rule of {name}")
        if self.body.out_tree is not None and self.body.out_tree != out_tree:
            raise TreeError(
                f"Custom VJP fwd rule for function {name} must produce a result of the structure that the function "
                f"gives, {self.body.out_tree}, but got {out_tree}"
            )
        self.body.out_tree = out_tree
        kept, structure = tree.flatten(found[1])
        kinds = [ShapeDtypeStruct(x.shape, x.dtype) for x in primals]
        out_kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        rule = Backward(self.function, self.nondiff, structure, out_tree, out_kinds, self.in_tree, kinds, mask)
        return outs, Kept(rule, [_residual(x, name) for x in kept])


def _residual(x: Any, name: str) -> Any:
    """What the backward half shall find: arrays are safe from changes; anything else is kept as it is."""
    if isinstance(x, np.ndarray | np.generic):
        return wrap(leaf_value(x, lambda: f"a residual of {name}"))
    return x


class Backward:
    """The backward half on flat lists: `(kept, cotangents) -> cotangents of the differentiated primals`."""

    __slots__ = ("function", "in_kinds", "in_tree", "kept_tree", "mask", "nondiff", "out_kinds", "out_tree")

    def __init__(
        self,
        function: custom_vjp,
        nondiff: tuple,
        kept_tree: Any,
        out_tree: Any,
        out_kinds: list[ShapeDtypeStruct],
        in_tree: Any,
        in_kinds: list[ShapeDtypeStruct],
        mask: tuple[bool, ...],
    ) -> None:
        self.function, self.nondiff, self.kept_tree = function, nondiff, kept_tree
        self.out_tree, self.out_kinds = out_tree, out_kinds
        self.in_tree, self.in_kinds, self.mask = in_tree, in_kinds, mask

    def __call__(self, kept: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        given = [self._cotangent(g, k) for g, k in zip(cotangents, self.out_kinds, strict=True)]
        found = self.function.bwd(  # type: ignore[misc]  # checked by __call__
            *self.nondiff, self.kept_tree.unflatten(kept), self.out_tree.unflatten(given)
        )
        return self._checked(found)

    def _cotangent(self, g: Any, kind: ShapeDtypeStruct) -> Any:
        dtype = kind.dtype if is_inexact(kind.dtype) else float0
        if g is None or dtype == float0:
            zero = SymbolicZero(kind.shape, dtype)
            return (
                zero
                if self.function.symbolic_zeros
                else zero.instantiate()
                if dtype == float0
                else wrap(zero.instantiate())
            )
        return wrap(g)

    def _checked(self, found: Any) -> list[Any]:
        """The cotangents of the differentiated leaves, known to fit them; None for zero."""
        name = self.function.title
        n = len(self.in_tree.children())
        if isinstance(found, list):
            found = tuple(found)
        if not isinstance(found, tuple) or len(found) != n:
            raise TreeError(
                f"Custom VJP bwd rule of {name} must produce an output with the same container (pytree) structure as "
                f"the args tuple of the primal function, and in particular must produce a tuple of length equal to the "
                f"number of arguments to the primal function, {n}, but got {_what(found)}"
            )
        flat: list[Any] = []

        def add(g: Any, leaves: Any) -> None:
            flat.extend([g] * len(tree.leaves(leaves)))

        try:
            shape = self.in_tree.unflatten(range(len(self.in_kinds)))
            tree.map(add, found, shape, is_leaf=lambda g: g is None or isinstance(g, SymbolicZero))
        except TreeError as e:
            raise TreeError(
                f"Custom VJP bwd rule of {name} must produce an output with the same container (pytree) structure as "
                f"the args tuple of the primal function, {self.in_tree}, but got {tree.structure(found)}: {e}"
            ) from None
        return [
            self._fitting(g, k, i) for i, (g, k, m) in enumerate(zip(flat, self.in_kinds, self.mask, strict=True)) if m
        ]

    def _fitting(self, g: Any, kind: ShapeDtypeStruct, i: int) -> Any:
        if g is None or isinstance(g, SymbolicZero) or getattr(g, "dtype", None) == float0:
            return None
        (g,), _ = output_values((g,), f"the cotangent from the bwd rule of {self.function.title}")
        if g.shape != kind.shape or (g.dtype != kind.dtype and not np.can_cast(g.dtype, kind.dtype, "same_kind")):
            path = tree.leaves_with_path(self.in_tree.unflatten(range(len(self.in_kinds))))[i][0]
            raise ShapeError(
                f"Custom VJP bwd rule of {self.function.title} must produce an output with the same shapes and dtypes "
                f"as the args tuple of the primal function, but at output{tree.keystr(path)} the bwd rule produced an "
                f"output of type {type_text(g)} corresponding to an input of type {type_text(kind)}"
            )
        return g


def _what(x: Any) -> str:
    return f"{tree.structure(x)}" if isinstance(x, tuple | list | dict) else f"{x!r}"


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
    return Kept(rule, [wrap_any(next(it)) if o is None else o[0] for o in others])


def wrap_any(x: Any) -> Any:
    """Raw values as Arrays; whatever else a pytree carries passes."""
    return wrap(x) if isinstance(x, np.ndarray | np.generic) else x


tree.register_pytree_node(Kept, _flatten_kept, _unflatten_kept)


class CustomVjpCall(Call):
    """The call of a function with a VJP rule."""

    __slots__ = ("forward",)

    def __init__(self, body: Any, name: str, forward: Callable) -> None:
        super().__init__(body, name)
        self.forward = forward

    def evaluate(self, *args: Any) -> list[Any]:
        return refuse_closures(self.name, super().evaluate(*args), args)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        raise CustomRuleError(
            f"can't apply forward-mode autodiff (jvp) to a custom_vjp function: {self.name} has a backward rule "
            f"only. Use custom_jvp for a rule that serves both modes"
        )

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs, pullback = self.forward(primals, mask)
        return refuse_closures(self.name, outs, primals), pullback

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        body = Batched(self.body, mask, trace.size, trace.axis_name)
        outs = CustomVjpCall(body, self.name, BatchedForward(self.forward, mask, trace.size, trace.axis_name))(*args)
        return outs, (True,) * len(outs)


class BatchedForward:
    """A flat forward half on batches."""

    __slots__ = ("axis_name", "batched", "forward", "size")

    def __init__(self, forward: Callable, batched: tuple[bool, ...], size: int, axis_name: Any) -> None:
        self.forward, self.batched, self.size, self.axis_name = forward, batched, size, axis_name

    def __call__(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        trace = BatchTrace("vmap", self.size, self.axis_name)
        with trace:
            inside = [trace.tracer(raw(x)) if b else x for x, b in zip(primals, self.batched, strict=True)]
            outs, pullback = self.forward(inside, mask)
            kept, structure = tree.flatten(pullback)
            shared = [not (isinstance(k, Array) and trace.own(k)) for k in kept]
            found = [k if s else wrap(k._value) for k, s in zip(kept, shared, strict=True)]
            results = [trace.out(o) for o in outs]
        linked = [b for b, m in zip(self.batched, mask, strict=True) if m]
        rule = BatchedBackward(structure, shared, linked, self.size, self.axis_name)
        return results, Kept(rule, found)


class BatchedBackward:
    """A flat backward half on batches: the cotangent of a primal that all examples share is added up over them."""

    __slots__ = ("axis_name", "linked", "shared", "size", "structure")

    def __init__(self, structure: Any, shared: list[bool], linked: list[bool], size: int, axis_name: Any) -> None:
        self.structure, self.shared, self.linked = structure, shared, linked
        self.size, self.axis_name = size, axis_name

    def __call__(self, kept: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        trace = BatchTrace("vmap", self.size, self.axis_name)
        with trace:
            inside = [k if s else trace.tracer(raw(k)) for k, s in zip(kept, self.shared, strict=True)]
            given = [g if g is None else trace.tracer(raw(g)) for g in cotangents]
            found = [g if g is None else trace.out(g) for g in self.structure.unflatten(inside)(given)]
        return [
            g if g is None or b else wrap(np.add.reduce(raw(g), axis=0))
            for g, b in zip(found, self.linked, strict=True)
        ]


def custom_gradient(fun: Callable) -> Callable:
    """A function that brings its own pullback along with its result.

    Arguments:
        fun: takes arrays and gives a pair: the result, and a function from the cotangent of the result to those of the
            arguments: one, or a tuple if there are several.

    Returns:
        The function from arguments to result, whose derivative is that pullback.

    Example:
        >>> import funcgrad as fg
        >>> @fg.custom_gradient
        ... def square(x):
        ...     return x * x, lambda g: 3.0 * g * x
        >>> fg.grad(square)(2.0)
        Array(6., dtype=float64)

    Source: `jax.custom_gradient`.
    """

    def forward(*args: Any) -> tuple:
        out, rule = fun(*args)
        outs, out_tree = output_values(out, "custom_gradient")
        in_tree: Any = None

        def flat_rule(*gs: Any) -> Any:
            return rule(out_tree.unflatten(gs))

        body, constants, in_tree = close(flat_rule, outs, "custom_gradient")
        return out, (constants, Residual((body, in_tree, len(args))))

    def backward(kept: tuple, g: Any) -> tuple:
        constants, residual = kept
        body, in_tree, count = residual.value
        found = in_tree.unflatten(body(*constants, *tree.leaves(g)))
        return found if isinstance(found, tuple) and (count != 1 or len(found) == 1) else (found,)

    wrapped = custom_vjp(fun)
    wrapped.fun = lambda *args: fun(*args)[0]
    wrapped.defvjp(forward, backward)
    return wrapped


class Residual:
    """Something that is no array among what a forward half keeps."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def closure_convert(fun: Callable, *example_args: PyTree) -> tuple[Callable, list[Any]]:
    """A function that takes as further arguments what it closed over, and those values.

    Arguments:
        fun: a function of pytrees of arrays, which may close over values that are being transformed.
        example_args: arguments like those that it will be called with: structure, shapes and dtypes.

    Returns:
        `(converted, constants)`: `converted(*args, *constants)` equals `fun(*args)` and closes over no traced value.

    Raises:
        NoValueError: fun asks for a number that is not known.

    Example:
        >>> import funcgrad as fg
        >>> def loss(a):
        ...     converted, constants = fg.closure_convert(lambda x: a * x, 1.0)
        ...     return converted(3.0, *constants)
        >>> fg.grad(loss)(2.0)
        Array(3., dtype=float64)

    Source: `jax.closure_convert`.
    """
    values, in_tree = input_values(example_args, "closure_convert")
    body, constants, out_tree = close(
        lambda *xs: fun(*in_tree.unflatten(xs)), [wrap(v) for v in values], "closure_convert"
    )

    def converted(*args: Any) -> PyTree:
        n = len(args) - len(constants)
        leaves, found = tree.flatten(args[:n])
        if found != in_tree:
            raise TreeError(f"closure_convert: the function takes arguments of structure {in_tree}, got {found}")
        return out_tree.unflatten([wrap(o) for o in body(*args[n:], *[wrap_any(x) for x in leaves])])

    return converted, constants

"""`linear_call`: a linear function together with its transpose, both written by the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, CustomRuleError, type_text
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close
from funcgrad.transforms.custom_rules import kinds_of
from funcgrad.transforms.linear_solve import spread_out, zeros_for
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.wraps import name_of


def linear_call(fun: Callable, fun_transpose: Callable, residual_args: PyTree, linear_args: PyTree) -> PyTree:
    """Call a linear function with a user-supplied transpose.

    Arguments:
        fun: `fun(residual_args, linear_args)`, linear in linear_args. It is run on shapes and dtypes.
        fun_transpose: `fun_transpose(residual_args, cotangent)`: from a cotangent of the result of fun to one of
            linear_args. It is linear in the cotangent, and fun is its transpose in turn.
        residual_args: what both functions need. Derivatives with respect to it are those of fun.
        linear_args: what fun is linear in.

    Returns:
        `fun(residual_args, linear_args)`.

    Raises:
        CustomRuleError: fun_transpose gives something that is not like linear_args.
        NoValueError: fun asks for a number.

    Example:
        >>> from funcgrad.custom_derivatives import linear_call
        >>> def scaled(r, x):
        ...     return linear_call(lambda r, x: x / r, lambda r, g: g / r, r, x)
        >>> fg.linear_transpose(lambda x: scaled(2.0, x), 1.0)(10.0)
        (Array(5., dtype=float64),)

    Source: `jax.custom_derivatives.linear_call`.
    """
    for f in (fun, fun_transpose):
        if not callable(f):
            raise ArgumentError(f"linear_call takes two functions, got {f!r} of type {type(f).__name__}")
    names = ("residual_args", "linear_args")
    values, in_tree = input_values((residual_args, linear_args), "linear_call", names)
    operands = [wrap(v) for v in values]
    body, constants, out_tree = close(lambda *xs: fun(*in_tree.unflatten(xs)), operands, "linear_call", decides=False)
    residuals, linear = in_tree.children()
    kinds = kinds_of(operands[residuals.num_leaves :])
    transpose = Transpose(fun_transpose, len(constants), residuals, out_tree, linear, kinds)
    call = LinearCall(body, name_of(fun), transpose, len(constants) + residuals.num_leaves)
    return out_tree.unflatten(call(*constants, *operands))


class Transpose:
    """The body that the transpose is: from constants, residuals and a cotangent to a cotangent.

    Arguments:
        f: the transpose, of pytrees.
        constants: how many constants the function has, of which the transpose knows nothing.
        residuals, cotangent: the structures of its arguments.
        out_tree, out_kinds: what it is to give.
    """

    __slots__ = ("constants", "cotangent", "f", "out_kinds", "out_tree", "residuals")

    def __init__(
        self, f: Callable, constants: int, residuals: Any, cotangent: Any, out_tree: Any, out_kinds: list[Any]
    ) -> None:
        self.f, self.constants, self.residuals, self.cotangent = f, constants, residuals, cotangent
        self.out_tree, self.out_kinds = out_tree, out_kinds

    def __call__(self, *args: Any) -> list[Any]:
        n = self.constants + self.residuals.num_leaves
        found = self.f(self.residuals.unflatten(args[self.constants : n]), self.cotangent.unflatten(args[n:]))
        outs, out_tree = output_values(found, "linear_call: the transpose")
        if out_tree != self.out_tree:
            raise CustomRuleError(
                f"linear_call: transpose output pytree structure must match that of linear_args, {self.out_tree}, but "
                f"{name_of(self.f)} gave {out_tree}"
            )
        for o, k in zip(outs, self.out_kinds, strict=True):
            if o.shape != k.shape or o.dtype != k.dtype:
                raise CustomRuleError(
                    f"linear_call: transpose output must match linear_args in shapes and dtypes: {name_of(self.f)} "
                    f"gave {type_text(o)} for {type_text(k)}"
                )
        return outs

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.out_kinds


class LinearCall(Call):
    """A linear function and its transpose. Its operands are what both need, and what it is linear in.

    Arguments:
        body, name: as for a Call.
        transpose: the body of the transpose, whose first operands are the same.
        count: how many operands both need.
    """

    __slots__ = ("count", "transpose")

    def __init__(self, body: Any, name: str, transpose: Any, count: int) -> None:
        super().__init__(body, name)
        self.transpose, self.count = transpose, count

    def transposed(self) -> LinearCall:
        return LinearCall(self.transpose, f"transpose of {self.name}", self.body, self.count)

    def linear(self, mask: Sequence[bool]) -> bool:
        return not any(mask[: self.count])

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        n, outs = self.count, self(*primals)
        found: list[Any] = [None] * len(outs)
        if any(t is not None for t in tangents[n:]):
            found = self(*primals[:n], *zeros_for(tangents[n:], primals[n:]))
        moving = [t for t in tangents[:n] if t is not None]
        if moving:
            push = Pushforward(self.body, (*[t is not None for t in tangents[:n]], *[False] * (len(primals) - n)))
            others = push(*primals, *moving)[len(outs) :]
            found = [o if t is None else t + o for t, o in zip(found, others, strict=True)]
        return outs, found

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs = self(*primals)
        kept = primals if any(mask[: self.count]) else primals[: self.count]
        return outs, LinearPullback(self, mask, kinds_of(outs), kept)

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        n, size = self.count, trace.size
        one = [ShapeDtypeStruct(x.shape[m:], x.dtype) for x, m in zip(args, mask, strict=True)]
        results = (True,) * len(self.kinds(one))
        body = Batched(self.body, (*mask[:n], *[True] * (len(args) - n)), size, trace.axis_name)
        transpose = Batched(self.transpose, (*mask[:n], *results), size, trace.axis_name)
        call = LinearCall(body, self.name, transpose, n)
        return call(*args[:n], *spread_out(args[n:], mask[n:], size)), results


class LinearPullback:
    """The pullback of a `LinearCall`.

    Arguments:
        call: the call.
        mask: which of its operands are differentiated.
        kinds: of its results.
        kept: its operands, as far as they are needed.
    """

    __slots__ = ("call", "kept", "kinds", "mask")

    def __init__(self, call: LinearCall, mask: tuple[bool, ...], kinds: list[Any], kept: Sequence[Any]) -> None:
        self.call, self.mask, self.kinds, self.kept = call, mask, kinds, tuple(kept)

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        n, call = self.call.count, self.call
        given = zeros_for(cotangents, self.kinds)
        found: list[Any] = []
        if any(self.mask[:n]):
            found += PullbackBody(call.body, (*self.mask[:n], *[False] * (len(self.mask) - n)))(*self.kept, *given)
        if any(self.mask[n:]):
            pulled = call.transposed()(*self.kept[:n], *given)
            found += [g for g, m in zip(pulled, self.mask[n:], strict=True) if m]
        return found


tree.register_pytree_node(
    LinearPullback,
    lambda p: (p.kept, (p.call, p.mask, p.kinds)),
    lambda aux, kept: LinearPullback(aux[0], aux[1], aux[2], [wrap(x) for x in kept]),
)

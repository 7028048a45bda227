"""Gradients as operations of their own, as which torch records them where they are differentiated again; and operands
that have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.tensor.formulas import FORMULAS, Saved
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.values import requires
from funcgrad.torch.texts import graph as texts
from funcgrad.transforms.vjp import vjp


def gradient_of(f: Callable, k: int = 0) -> Callable:
    """The gradient of operand k of a function of arrays, as a function of g, the operands and the parameters."""

    def gradient(g: Any, *operands: Any, **params: Any) -> Any:
        def out(x: Any) -> Any:
            return f(*operands[:k], x, *operands[k + 1 :], **params)

        return vjp(out, operands[k])[1](g)[0]

    return gradient


def record_gradients(op: Operation, *backwards: Operation) -> None:
    """Have the gradients of an operation, a composite, recorded as these: one for each operand that has one.

    They take the cotangent, the operands and the parameters.
    """

    def formula(k: int, g: Any, s: Saved) -> Any:
        return backwards[k](g, *[getattr(s, n) for n in "xyz"[: len(op.operands)]], **s["params"])

    FORMULAS[op.name] = formula


def undifferentiable(gradient: Callable, function: str) -> Operation:
    """A gradient that torch records as one that it cannot differentiate, by the name of the function."""
    return Operation(Undifferentiable(gradient, f"aten::{function}"), "NotImplemented", again=False)


def check_constants(function: str, **constants: Any) -> None:
    """Raise torch's error if an argument requires grad by which it does not differentiate."""
    for name, x in constants.items():
        if x is not None and state.grad and requires(x):
            raise RuntimeError(texts.NOT_DIFFERENTIABLE.format(function=function, argument=name))

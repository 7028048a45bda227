"""What torch's kernels refuse: dtypes they have no code for, and operations without a derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.ops import elementwise as core
from funcgrad.ops.index import where
from funcgrad.torch.dtypes import dtype, of_numpy
from funcgrad.torch.node import node_class
from funcgrad.torch.operation import Composite, Operation

COMPLEX_KINDS, INTEGER_KINDS, BOOL_KINDS = "c", "iu", "b"


def not_implemented(kernel: str, d: dtype) -> NotImplementedError:
    """The error of a kernel that has no code for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{d.title}'")


def refusing(call: Callable, kernel: str, kinds: str, message: str = "", error: type = NotImplementedError) -> Callable:
    """A function of one tensor that refuses some kinds of dtype.

    Arguments:
        call: the function.
        kernel: how torch's error calls it.
        kinds: NumPy's letters for the kinds of dtype that are refused.
        message: the text for complex tensors, where it is not the usual one.
        error: and the exception that it comes with.
    """

    def f(x: Any) -> Any:
        kind = x._value.dtype.kind
        if kind in kinds:
            if message and kind == "c":
                raise error(message)
            raise not_implemented(kernel, of_numpy(x._value.dtype))
        return call(x)

    return f


def check_kinds(kernel: str, d: dtype, kinds: str) -> None:
    """Raise the error of a kernel that has no code for these kinds of dtype."""
    if d.numpy.kind in kinds:
        raise not_implemented(kernel, d)


class Constant(Composite):
    """A function of arrays on whose result no gradient depends, such as one with a boolean result."""

    __slots__ = ()

    def __init__(self, f: Callable) -> None:
        super().__init__(f)
        self.plans = _NoPlans()


class _NoPlans(dict):
    def __missing__(self, mask: tuple[bool, ...]) -> None:
        return None


class Undifferentiable(Composite):
    """A function of arrays that torch records, to say in the backward walk that there is no derivative."""

    __slots__ = ("text",)

    def __init__(self, f: Callable, text: str) -> None:
        super().__init__(f)
        self.text = text
        node_class("NotImplemented").title = "torch::autograd::NotImplemented"
        self.plans = _RefusingPlans(self)


class _RefusingPlans(dict):
    def __init__(self, primitive: Undifferentiable) -> None:
        self.primitive = primitive

    def __missing__(self, mask: tuple[bool, ...]) -> _RefusingPlan:
        plan = self[mask] = _RefusingPlan(self.primitive, mask)
        return plan


class _RefusingPlan:
    __slots__ = ("linked", "operands", "primitive", "single")
    names: tuple = ()
    kept: frozenset = frozenset()
    checked, trusted = True, None

    def __init__(self, primitive: Undifferentiable, mask: tuple[bool, ...]) -> None:
        self.primitive, self.operands = primitive, primitive.operands
        self.linked = tuple(i for i, m in enumerate(mask) if m)
        self.single = len(self.linked) == 1

    def keep(self, out: Any, params: dict, *values: Any) -> tuple:
        return ()

    def pull(self, g: Any, kept: tuple) -> Any:
        raise (NotImplementedError if self.primitive.text.startswith("the ") else RuntimeError)(self.primitive.text)

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        name = self.primitive.text.removeprefix("the ").split()[2].strip("':")
        raise NotImplementedError(f"Trying to use forward AD with {name} that does not support it.")


# What the core's own rules compute with is recorded under these names when gradients are differentiated again.

for _primitive, _node in (
    (core.absolute, "AbsBackward0"),
    (core.conjugate, "ConjBackward0"),
    (core.divide, "DivBackward0"),
    (core.power, "PowBackward1"),
    (core.sign, "SgnBackward0"),
    (where, "WhereBackward0"),
):
    Operation(_primitive, _node)

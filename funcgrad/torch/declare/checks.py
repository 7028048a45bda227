"""What torch's kernels refuse: dtypes they have no code for, and operations without a derivative.

Importing it also declares under which names the core's own primitives are recorded, see the end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from funcgrad.core.plan import Plan, Plans
from funcgrad.core.trace import Tracer
from funcgrad.ops import elementwise as core
from funcgrad.torch.base.dtypes import dtype, of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.forward_mode import refuse_forward
from funcgrad.torch.tensor.node import node_class
from funcgrad.torch.tensor.operation import Operation, by_number
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.values import raw, requires
from funcgrad.torch.texts import elementwise as texts
from funcgrad.torch.texts import tensor as tensor_texts


def not_implemented(kernel: str, d: dtype) -> NotImplementedError:
    """The error of a kernel that has no code for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{d.title}'")


def refusing(
    call: Callable, kernel: str, kinds: str, message: str = "", error: type = NotImplementedError, half: bool = False
) -> Callable:
    """A function of one tensor that refuses some kinds of dtype.

    Arguments:
        call: the function.
        kernel: how torch's error calls it.
        kinds: NumPy's letters for the kinds of dtype that are refused.
        message: the text for complex tensors, where it is not the usual one.
        error: and the exception that it comes with.
        half: whether it refuses numbers of two bytes, too.
    """

    def f(x: Any) -> Any:
        kind = x._value.dtype.kind
        if kind in kinds or (half and kind in "fV" and x._value.dtype.itemsize == 2):
            if message and kind == "c":
                raise error(message)
            raise not_implemented(kernel, of_numpy(x._value.dtype))
        return call(x)

    return f


def check_kinds(kernel: str, d: dtype, kinds: str, *operands: Any) -> None:
    """Raise the error of a kernel that has no code for these kinds of dtype, or before it that of operands' shapes."""
    if d.numpy.kind in kinds:
        check_broadcast([raw(a) for a in operands])
        raise not_implemented(kernel, d)


class Constant(Composite):
    """A function of arrays on whose result no gradient depends, such as one with a boolean result."""

    __slots__ = ()

    def __init__(self, f: Callable) -> None:
        super().__init__(f)
        self.plans = Plans(lambda mask: None)


def check_real_if_recorded(name: str, result: Any, *operands: Any) -> None:
    """Raise torch's error if an operation without a complex derivative would be recorded.

    Arguments:
        name: what torch calls the function.
        result: a tensor of the dtype of its result.
        operands: what it is given.
    """
    if state.grad and result._value.dtype.kind == "c" and any(requires(x) for x in operands):
        raise RuntimeError(texts.NO_GRADIENT_OF_COMPLEX.format(name=name))


class Undifferentiable(Composite):
    """A function of arrays that torch records, to say in the backward walk that there is no derivative.

    Arguments:
        f: the function.
        name: what torch calls it where it has no derivative, `aten::floor_divide`.
        unknown: what torch calls the derivative, for a function in place that has one only out of place.
    """

    __slots__ = ("error", "forward_text", "text")

    def __init__(self, f: Callable, name: str, unknown: str = "") -> None:
        super().__init__(f, whole=False)
        self.error: type[Exception] = RuntimeError
        self.text, self.forward_text = f"derivative for {name} is not implemented", texts.NEVER_FORWARD.format(name)
        if unknown:
            self.error = NotImplementedError
            self.text, self.forward_text = (
                texts.UNKNOWN_DERIVATIVE.format(unknown),
                texts.NO_FORWARD_IN_PLACE.format(name),
            )
        node_class("NotImplemented").title = "torch::autograd::NotImplemented"
        self.plans = Plans(functools.partial(_RefusingPlan, self))

    def __call__(self, *values: Any, **params: Any) -> Any:
        """On tracers the derivative is refused when somebody asks for it."""
        refuse_forward(values, self.forward_text)
        return without_derivative(lambda *xs: self.f(*xs, **params), values, self.error, self.text)


def without_derivative(f: Callable, xs: tuple, error: type[Exception], text: str) -> Any:
    """f(*xs), from which no cotangent comes back to a tracer: asking for it is an error."""
    places = [i for i, x in enumerate(xs) if isinstance(x, Tracer)]

    def of_tracers(*tracers: Any) -> Any:
        full = list(xs)
        for i, x in zip(places, tracers, strict=True):
            full[i] = x
        return f(*full)

    def refuse(_: Any, g: Any) -> Any:
        raise error(text)

    called = import_module("funcgrad.transforms.custom_vjp").custom_vjp(of_tracers)  # few programs come here
    called.defvjp(lambda *tracers: (of_tracers(*tracers), None), refuse)
    return called(*[xs[i] for i in places])


class _RefusingPlan(Plan):
    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        raise self.primitive.error(self.primitive.text)

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        raise NotImplementedError(self.primitive.forward_text)


class HalfDifferentiable(Composite):
    """A function of two operands whose derivative by the first one torch does not know, and forward mode neither.

    Arguments:
        primitive: what computes it.
        by_second: the cotangent of the second operand, from that of the result and both operands.
        name: of the function, in torch's error of forward mode.
        unknown: what torch calls the derivative that it does not know.
    """

    __slots__ = ("by_second", "forward_text", "primitive", "text")

    def __init__(self, primitive: Any, by_second: Callable, name: str, unknown: str) -> None:
        super().__init__(lambda x, y: primitive(x, y))
        self.primitive, self.by_second, self.operands = primitive, by_second, ("self", "other")
        self.text, self.forward_text = (
            texts.UNKNOWN_DERIVATIVE.format(unknown),
            tensor_texts.NO_FORWARD.format(name=name),
        )
        self.plans = Plans(functools.partial(_HalfPlan, self))

    def __call__(self, x: Any, y: Any) -> Any:
        refuse_forward((x, y), self.forward_text)
        return self.primitive(without_derivative(lambda x: x, (x,), NotImplementedError, self.text), y)


class _HalfPlan(Plan):
    __slots__ = ()
    names = ("self", "other")
    kept = frozenset((0, 1))

    def keep(self, out: Any, params: dict, *values: Any) -> tuple:
        return values

    def pull(self, g: Any, kept: tuple) -> Any:
        found = [self.primitive.by_second(g, *kept) if i else _Unknown(self.primitive.text) for i in self.linked]
        return found[0] if self.single else tuple(found)

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        raise NotImplementedError(self.primitive.forward_text)


class _Unknown:
    """A cotangent that nobody knows. Who looks at it gets torch's error; who needs that of another operand does not."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def shape(self) -> Any:
        raise NotImplementedError(self.text)


# What the core's own rules compute with is recorded under these names when gradients are differentiated again.

for _primitive, _node in (
    (core.absolute, "AbsBackward0"),
    (core.conjugate, "ConjBackward0"),
    (core.divide, "DivBackward0"),
    (core.power, "PowBackward1"),
    (core.sign, "SgnBackward0"),
):
    Operation(_primitive, _node, again=True)

# Rules write a number of their own first; one that is second comes from the program, where it counts as a tensor.
for _primitive, _nodes in (
    (core.add, ("AddBackward1", "AddBackward1")),
    (core.subtract, ("RsubBackward1", "SubBackward1")),
    (core.multiply, ("MulBackward1", None)),
    (core.divide, (None, "DivBackward1")),
):
    by_number(_primitive, *_nodes)

"""The arithmetic that the rules of optimisers are written in, on ndarrays and on tensors.

A rule says once how a parameter changes: its first argument is one of the two namespaces here, whose functions it
calls. `OnArrays` computes in memory, for the ordinary parameter, whose steps nobody looks at; `OnTensors` has torch's
own operations, which can be recorded. Names end in "_" where the first operand is written into. A *temporary* is a
value that the rule made and uses no further; where one is asked for, it may be written into, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor.tensor import Tensor

_torch = namespaces[""]


class OnArrays:
    """The functions on ndarrays of one dtype; factors are numbers."""

    sqrt = np.sqrt
    absolute = np.absolute
    sign = conventions.sign
    product = np.multiply
    quotient = np.divide
    copy = np.copy

    @staticmethod
    def plus(x: Any, y: Any, alpha: float) -> Any:
        """x + alpha * y."""
        out = np.multiply(y, alpha)
        return np.add(x, out, out=out)

    @staticmethod
    def add_(x: Any, y: Any, alpha: float = 1) -> None:
        """x becomes x + alpha * y."""
        plain = type(alpha) is int and alpha == 1  # a symbol equals nothing
        np.add(x, y if plain else np.multiply(y, alpha), out=x)

    @staticmethod
    def mul_(x: Any, factor: float) -> None:
        """x becomes factor * x."""
        np.multiply(x, factor, out=x)

    @staticmethod
    def lerp_(x: Any, end: Any, weight: float) -> None:
        """x becomes x + weight * (end - x)."""
        between = np.subtract(end, x)
        if weight < 0.5:
            np.multiply(between, weight, out=between)
            np.add(x, between, out=x)
        else:  # from the other end, which is then met exactly
            np.multiply(between, 1 - weight, out=between)
            np.subtract(end, between, out=x)

    @staticmethod
    def addcmul_(x: Any, a: Any, b: Any, value: float) -> None:
        """x becomes x + value * a * b."""
        out = np.multiply(a, value) if value != 1 else a
        np.add(x, np.multiply(out, b, out=None if out is a else out), out=x)

    @staticmethod
    def addcdiv_(x: Any, a: Any, b: Any, value: float = 1) -> None:
        """x becomes x + value * a / b."""
        out = np.multiply(a, value)
        np.divide(out, b, out=out)
        np.add(x, out, out=x)

    @staticmethod
    def over(temporary: Any, divisor: Any) -> Any:
        """temporary / divisor."""
        return np.divide(temporary, divisor, out=temporary)

    @staticmethod
    def times(temporary: Any, factor: Any) -> Any:
        """temporary * factor."""
        return np.multiply(temporary, factor, out=temporary)

    @staticmethod
    def shifted(temporary: Any, number: float) -> Any:
        """temporary + number."""
        return np.add(temporary, number, out=temporary)

    sum_with = np.add

    @staticmethod
    def maximum_(x: Any, y: Any) -> None:
        """x becomes the larger of x and y."""
        np.maximum(x, y, out=x)

    @staticmethod
    def clamp_(x: Any, low: float, high: float) -> None:
        """x becomes what is nearest to it between low and high."""
        np.minimum(np.maximum(x, low, out=x), high, out=x)

    @staticmethod
    def copy_(x: Any, y: Any) -> None:
        """x becomes y."""
        x[...] = y

    @staticmethod
    def where(condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, b elsewhere; one of them has the dtype of the parameter."""
        kind = (b if hasattr(b, "dtype") else a).dtype
        return np.where(condition, a, b).astype(kind, copy=False)


def _kept(x: Any) -> Any:
    """An operand that autograd may save: a copy if steps are recorded, since rules write into what they use."""
    return x.clone() if state.grad and isinstance(x, Tensor) else x


def _recorded(x: Any) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


class OnTensors:
    """The functions on tensors; factors may be tensors, and what is made of those can be differentiated."""

    sqrt = _torch["sqrt"]
    absolute = _torch["abs"]
    sign = _torch["sign"]
    copy = _torch["clone"]

    @staticmethod
    def product(a: Any, b: Any) -> Any:
        """a * b."""
        return _kept(a) * _kept(b)

    @staticmethod
    def quotient(a: Any, b: Any) -> Any:
        """a / b."""
        return _kept(a) / b

    @staticmethod
    def plus(x: Any, y: Any, alpha: Any) -> Any:
        """x + alpha * y."""
        return x + _kept(y) * alpha if _recorded(alpha) else x.add(y, alpha=_number(alpha))

    @staticmethod
    def add_(x: Any, y: Any, alpha: Any = 1) -> None:
        """x becomes x + alpha * y."""
        if _recorded(alpha):
            x.add_(_kept(y) * alpha)
        else:
            x.add_(y, alpha=_number(alpha))

    @staticmethod
    def mul_(x: Any, factor: Any) -> None:
        """x becomes factor * x."""
        x.mul_(factor)

    @staticmethod
    def lerp_(x: Any, end: Any, weight: Any) -> None:
        """x becomes x + weight * (end - x)."""
        x.lerp_(_kept(end), weight.to(x.dtype) if isinstance(weight, Tensor) else weight)

    @staticmethod
    def addcmul_(x: Any, a: Any, b: Any, value: Any) -> None:
        """x becomes x + value * a * b."""
        if _recorded(value):
            x.addcmul_(_kept(a) * value, _kept(b))
        else:
            x.addcmul_(_kept(a), _kept(b), value=_number(value))

    @staticmethod
    def addcdiv_(x: Any, a: Any, b: Any, value: Any = 1) -> None:
        """x becomes x + value * a / b."""
        if _recorded(value):
            x.addcdiv_(_kept(a) * value, _kept(b))
        else:
            x.addcdiv_(_kept(a), _kept(b), value=_number(value))

    @staticmethod
    def over(temporary: Any, divisor: Any) -> Any:
        """temporary / divisor."""
        return temporary / divisor

    @staticmethod
    def times(temporary: Any, factor: Any) -> Any:
        """temporary * factor."""
        return temporary * factor

    @staticmethod
    def shifted(temporary: Any, number: Any) -> Any:
        """temporary + number."""
        return temporary + number

    sum_with = shifted

    @staticmethod
    def maximum_(x: Any, y: Any) -> None:
        """x becomes the larger of x and y; of equal ones half a gradient goes to each."""
        x.copy_(_torch["maximum"](_kept(x), y))

    @staticmethod
    def clamp_(x: Any, low: float, high: float) -> None:
        """x becomes what is nearest to it between low and high."""
        x.copy_(_kept(x).clamp(low, high))

    @staticmethod
    def copy_(x: Any, y: Any) -> None:
        """x becomes y."""
        x.copy_(y)

    where = _torch["where"]


def _number(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x

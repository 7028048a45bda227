"""`Recorder`: what `backward()` and the steps of optimisers meet while a training step is recorded."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.tape import Equation, reachable
from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch.tensor.levels import unseen
from funcgrad.torch.tensor.plans import conj
from funcgrad.torch.tensor.starting_grads import given_grads, starting_grads
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import write_traced
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import compilation as texts
from funcgrad.transforms.vjp import VjpTrace
from funcgrad.transforms.walk import walk


class Recorder:
    """What `backward()` and the steps of optimisers are handed to while a training step is recorded.

    Arguments:
        trace: of the gradient transform around the function.
        leaves: the stand-ins of tensors that require grad.
        counters: the number of what counts the steps, for the stand-ins of counters by their ids.
        counts: the values of these.
    """

    def __init__(self, trace: VjpTrace, leaves: list, counters: dict[int, int], counts: list) -> None:
        self.trace, self.leaves, self.counters, self.counts = trace, leaves, counters, counts
        self.advanced: dict[int, int] = {}
        self.freed: set[Equation] = set()

    def equation(self, t: Any) -> Equation | None:
        """What recorded a tensor."""
        value = t._value
        if isinstance(value, Array) and self.trace.own(value):
            found: Equation = value._eqn
            return found
        return None

    def value(self, t: Any) -> Any:
        """A tensor's value in the program."""
        value = raw(t)
        return value._value if isinstance(value, Array) and self.trace.own(value) else value

    def backward(self, tensors: tuple, given: Any, retain: bool | None, special: bool) -> None:
        """Add the gradients of the leaves to their `.grad`."""
        if special:
            raise Unsupported(texts.BACKWARD)
        cotangents: dict[Equation, Any] = {}
        grads = starting_grads(tensors, given_grads(given, len(tensors)))
        for t, g in zip(tensors, grads, strict=True):
            e = self.equation(t)
            if e is None or g is None:
                raise Unsupported(texts.BACKWARD)
            value = conj(self.value(g))
            cotangents[e] = cotangents[e] + value if e in cotangents else value
        order = reachable(list(cotangents))
        walk(order, cotangents)
        if not retain:
            self.freed.update(order)
        for leaf in self.leaves:
            g = cotangents.get(self.equation(leaf))  # type: ignore[arg-type]  # a leaf has one
            if g is not None:
                _accumulate(leaf, conj(g))

    def advance(self, count: Tensor) -> Any:
        """One more step of an optimiser; gives how many there were now, a number without a dtype."""
        number = self.counters.get(id(count))
        if number is None:
            raise Unsupported(texts.EFFECT.format(what="the state of an optimiser, which its first step makes"))
        times = self.advanced[id(count)] = self.advanced.get(id(count), 0) + 1
        return self.counts[number] + times


def _accumulate(leaf: Any, g: Any) -> None:
    old = leaf._grad
    if old is None:
        leaf._grad = wrapped(g)
    else:
        write_traced(old, raw(old) + g, unseen())
        old._bump()

"""Programs whose arrays are tiny, element by element: what of a tape is arithmetic, and what only moves elements about.

The elements of an array lie in a NumPy array of objects, so that whatever moves elements is done by the primitive
itself, once, when the program is written. What an element is, a subclass says: a Python expression, a register.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.bodies import is_plain
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation, Tape
from funcgrad.lax.branches import Branches
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan, order
from funcgrad.ops import contract, index, reduce, structural

PRODUCTS = (contract.matmul, contract.vecdot, contract.outer_product)
MOVES = (
    structural.reshape,
    structural.transpose,
    structural.broadcast_to,
    structural.stack,
    structural.concatenate,
    structural.flip,
    structural.roll,
    index.getitem,
)
FLOAT, BOOL, INT = np.dtype(np.float64), np.dtype(bool), np.dtype(np.int64)


class ByElement(ABC):
    """Writes tapes element by element."""

    @abstractmethod
    def apply(self, e: Equation, *args: Any) -> Any:
        """An element of the result of an elementwise equation."""

    @abstractmethod
    def add(self, a: Any, b: Any) -> Any:
        """The sum of two doubles."""

    @abstractmethod
    def multiply(self, a: Any, b: Any) -> Any:
        """The product of two doubles."""

    @abstractmethod
    def constant(self, value: Any) -> Any:
        """An element for a Python float, int or bool."""

    @abstractmethod
    def choice(self, e: Equation, args: list[np.ndarray]) -> list[np.ndarray]:
        """The elements of the results of a choice between tapes."""

    def results(self, tape: Tape, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The elements of the results of a tape, for those of its inputs."""
        known: dict[Equation, Any] = dict(zip(tape.inputs, inputs, strict=True))
        for e in tape.equations:
            args = [known[i] if type(i) is Equation else self._constants(i, e) for i in e.inputs]
            if e.picks is not None:
                known[e] = args[0][e.picks]
            elif is_loop(e):
                known[e] = self._steps(e.primitive.body, args)
            else:
                known[e] = self.choice(e, args) if is_choice(e) else self._elements(e, args)
        return [known[o] if type(o) is Equation else self._constants(o, None) for o in tape.outputs]

    def _steps(self, scan: Scan, args: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The elements of the results of a scan: one step after the other."""
        constants, carry, xs = scan.split(args)
        rows: list[Sequence[np.ndarray]] = []
        for i in order(scan.length, scan.reverse):
            row = [x[i] if x.ndim > 1 else objects([x[i]], ()) for x in xs]
            outs = self.results(scan.step.tape, [*constants, *carry, *row])
            carry = outs[: scan.carry]
            rows.append(outs[scan.carry :])
        if scan.reverse:
            rows.reverse()
        return [*carry, *[np.stack(column) for column in zip(*rows, strict=True)]]

    def _constants(self, x: Any, e: Equation | None) -> np.ndarray:
        """The elements of a constant, as operands of e: Python's integers beside integers, floats beside floats."""
        x = np.asarray(raw(x))
        others = [] if e is None else [i for i in e.inputs if type(i) is Equation]
        floats = x.dtype == INT and e is not None and not any(is_integer(i) for i in others)
        return objects([self.constant(float(v) if floats else v) for v in x.reshape(-1).tolist()], x.shape)

    def _elements(self, e: Equation, args: list[np.ndarray]) -> np.ndarray:
        """The elements of a result."""
        p = e.primitive
        if p is structural.stack:
            return np.concatenate([np.expand_dims(a, e.params["axis"]) for a in args], e.params["axis"])
        if p in MOVES:
            out = p.impl(*args, **e.params)
            return out if isinstance(out, np.ndarray) else objects([out], ())
        if p is reduce.reduce_sum:
            return self._sums(args[0], e)
        if p is index.scatter_add:
            return self._scattered(args, e)
        if p in PRODUCTS:
            return self._products(args, e)
        flat = [np.broadcast_to(a, e.shape).reshape(-1).tolist() for a in args]
        return objects([self.apply(e, *xs) for xs in zip(*flat, strict=True)], e.shape)

    def _sums(self, x: np.ndarray, e: Equation) -> np.ndarray:
        axis = e.params["axis"]
        rest = [a for a in range(x.ndim) if a not in axis]
        if not x.size:
            return objects([self.constant(0.0) for _ in range(math.prod(e.shape))], e.shape)
        found = []
        for row in x.transpose([*rest, *axis]).reshape(math.prod([x.shape[a] for a in rest]), -1).tolist():
            total = row[0]
            for n in row[1:]:
                total = self.add(total, n)
            found.append(self.add(total, self.constant(0.0)))  # NumPy's sum of -0.0's is 0.0
        return objects(found, e.shape)

    def _products(self, args: list[np.ndarray], e: Equation) -> np.ndarray:
        """The sums of products that a product of matrices or vectors is."""
        x, y = args
        if e.primitive is contract.outer_product:
            x, y = x[..., :, None, None], y[..., None, :, None]
        elif e.primitive is contract.matmul:  # the axis of the sum last
            y = y if y.ndim == 1 else np.swapaxes(y, -1, -2)
            x, y = x if y.ndim == 1 else x[..., None, :], y if x.ndim == 1 or y.ndim == 1 else y[..., None, :, :]
        found = []
        xs, ys = np.broadcast_arrays(x, y)
        n = xs.shape[-1]
        for a, b in zip(xs.reshape(-1, n).tolist(), ys.reshape(-1, n).tolist(), strict=True):
            total = self.multiply(a[0], b[0])
            for u, v in zip(a[1:], b[1:], strict=True):
                total = self.add(total, self.multiply(u, v))
            found.append(total)
        return objects(found, e.shape)

    def _scattered(self, gs: list[np.ndarray], e: Equation) -> np.ndarray:
        """Sums in the places that the indices name; like NumPy's they start from zero."""
        places = np.arange(math.prod(e.shape)).reshape(e.shape)
        totals: list[Any] = [self.constant(0.0) for _ in range(places.size)]
        for g, where in zip(gs, e.params["indices"], strict=True):
            to = np.asarray(places[where])
            for k, n in zip(to.reshape(-1).tolist(), np.broadcast_to(g, to.shape).reshape(-1).tolist(), strict=True):
                totals[k] = self.add(totals[k], n)
        return objects(totals, e.shape)


def is_choice(e: Equation) -> bool:
    """Whether an equation chooses between tapes."""
    body = getattr(e.primitive, "body", None)
    return isinstance(e.primitive, ControlFlow) and type(body) is Branches and is_plain(body) and len(body.branches) > 1


def is_loop(e: Equation) -> bool:
    """Whether an equation is a scan of a tape."""
    body = getattr(e.primitive, "body", None)
    return isinstance(e.primitive, ControlFlow) and e.picks is None and type(body) is Scan and is_plain(body)


def is_integer(x: Any) -> bool:
    """Whether an operand is an integer, or an array of such."""
    return x.dtype == INT if hasattr(x, "dtype") else type(x) is int


def objects(items: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """An array of these objects, whatever they are."""
    out = np.empty(len(items), object)
    for k, item in enumerate(items):  # NumPy would look into tuples
        out[k] = item
    return out.reshape(shape)

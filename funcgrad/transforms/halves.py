"""The two halves of reverse mode, as programs: one that gives results and residuals, and one that pulls back.

`vjp` keeps residuals while a function runs. Where a function is recorded first and runs later, as in a compiled program
or in the steps of a recorded loop, the forward half is a tape whose further results are the residuals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.transforms.bodies import TapeBody, pulled, with_pullback
from funcgrad.transforms.closing import close


class Halves:
    """A body in reverse mode.

    Arguments:
        body: it closes over no tracer.
        kinds: of its arguments.
        mask: which of them are differentiated.
        name: of the operation, for messages.

    Attributes:
        forward: the body that gives all results and then all residuals.
        results, residuals: shapes and dtypes of both.
    """

    __slots__ = ("forward", "residuals", "results", "structure")

    def __init__(self, body: Any, kinds: Sequence[ShapeDtypeStruct], mask: Sequence[bool], name: str) -> None:
        def run(*args: Any) -> list[Any]:
            outs, pullback = with_pullback(body, args, mask, name)
            residuals, self.structure = tree.flatten(pullback)
            self.results = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
            self.residuals = [ShapeDtypeStruct(r.shape, r.dtype) for r in residuals]
            return [*outs, *residuals]

        self.forward: TapeBody = close(run, kinds, name, decides=False)[0]

    def backward(self, residuals: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The cotangents of the marked arguments, raw.

        Arguments:
            residuals: what the forward half gave.
            cotangents: of all results; None where nothing arrived, and where a result is not inexact.
        """
        return pulled(self.structure.unflatten(residuals), cotangents)

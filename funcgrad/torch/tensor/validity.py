"""What may arrive as the gradient of what: torch's checks between two nodes of a backward walk.

They matter when `.data` gave a tensor another shape or dtype after it was computed: its node still expects gradients
of the old ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.cotangent import Deferred
from funcgrad.torch.tensor.formulas import fitted
from funcgrad.torch.tensor.gradient_memory import fit
from funcgrad.torch.texts import graph as texts

KEEPS_KIND = frozenset(
    f"{name}Backward{k}"
    for name, k in (
        ("Sum", 0), ("Sum", 1), ("Mean", 0), ("Mean", 1), ("Prod", 0), ("Prod", 1), ("Cumprod", 0),
    )
)  # fmt: skip
"""Nodes whose formulas do not take the real part where `dtype=` made real numbers complex."""


def expected(node: Any, nr: int) -> tuple[tuple[int, ...], np.dtype]:
    """The shape and dtype of the gradients that an output of a node takes."""
    return (node.shape, node.dtype) if node.outputs == 1 else (node.shape[nr], node.dtype[nr])


def check_shape(got: Any, shape: tuple[int, ...], by: Any = None, k: int = 0) -> None:
    """Raise torch's error unless summing brings a gradient of shape `got` to `shape`.

    Arguments:
        by: the node that gave the gradient; None if the caller of backward did.
        k: of which of its operands it is the gradient.
    """
    got = tuple(got)
    if len(shape) > len(got) or any(a not in (1, b) for a, b in zip(shape[::-1], got[::-1], strict=False)):
        what = "invalid gradient" if by is None else f"Function {by.name()} returned an invalid gradient"
        raise RuntimeError(texts.GRADIENT_SHAPE.format(what=what, k=k, shape=list(got), wanted=list(shape)))


def check_kind(got: np.dtype, kind: np.dtype) -> None:
    """Raise torch's error for a gradient that no cast brings to the expected dtype."""
    if got.kind not in "fV" and (got.kind == "c") != (kind.kind == "c"):
        raise RuntimeError(texts.GRADIENT_KIND)


def seen_as(node: Any, nr: int, number: float) -> tuple | None:
    """The shape and dtype that `.data` had given to an output of a node when node `number` was recorded."""
    found = getattr(node, "_replaced", None)
    if found is None or nr not in found or found[nr][0] > number:
        return None
    return found[nr][1:]


def fit_operand(by: Any, node: Any, nr: int, ct: Any) -> Any:
    """A gradient as what the operand's node expects; its rule may have left the shape of the operand to be restored."""
    if node.slow:
        now = seen_as(node, nr, by.number)
        if now is not None:
            ct = fit(ct.dense() if isinstance(ct, Deferred) else ct, *now)
            check_arrived(by, node, nr, ct)
    shape, kind = expected(node, nr)
    if by.title in KEEPS_KIND:
        check_kind(ct.dtype, kind)
    return fit(ct, shape, kind)


def fit_recorded(by: Any, node: Any, nr: int, t: Any) -> Any:
    """The same for a gradient that is recorded."""
    if node.slow:
        now = seen_as(node, nr, by.number)
        if now is not None:
            t = fitted(t, *now)
            check_arrived(by, node, nr, t._value)
    shape, kind = expected(node, nr)
    if by.title in KEEPS_KIND:
        check_kind(t._value.dtype, kind)
    return fitted(t, shape, kind)


def check_arrived(by: Any, node: Any, nr: int, ct: Any) -> None:
    """Raise torch's error if a node may not hand this gradient to an output of another one."""
    shape, kind = expected(node, nr)
    if ct.shape != shape:
        k = next(k for k, i, n in zip(by.linked, by.inputs, by.numbers, strict=True) if i is node and n == nr)
        check_shape(ct.shape, shape, by, k)
    check_kind(ct.dtype, kind)

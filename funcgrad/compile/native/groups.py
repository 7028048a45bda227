"""Groups in machine code."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from funcgrad.compile.native.ir import Module
from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.core.tape import Equation


def group_part(
    module: Module, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
) -> Any | None:
    """A group as a function of the module; None if NumPy shall carry it out.

    Arguments:
        module: to which the function is added.
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        title: the name of the function.
        lent: the operands whose memory it may write over.

    Returns:
        An object with `operands`, `taken`, `text` and `function(library)`, as target.py says.
    """
    return None

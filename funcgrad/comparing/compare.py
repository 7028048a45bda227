"""`compare`: run a function of tensors and a function of Arrays on the same numbers."""

from __future__ import annotations

from collections.abc import Callable

from funcgrad.comparing.comparison import Comparison, row
from funcgrad.comparing.sides import functional_side, is_differentiated, torch_side, widened
from funcgrad.core import tree
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.transforms.saved_residuals import argument_names


def compare(torch_function: Callable, functional_function: Callable, *args: PyTree, rtol: float = 1e-9) -> Comparison:
    """The same computation on the torch face and on the functional one, side by side.

    Both functions get the same numbers in double precision: the one as tensors, those of floating-point and complex
    numbers with `requires_grad=True`, the other as Arrays. Value and gradients of both are compared, those of a result
    that is no scalar being the gradients of its sum. A gradient by complex numbers is meant as in torch: what `grad`
    gives is its conjugate.

    Arguments:
        torch_function: written with `from funcgrad import torch`; returns tensors. It may call backward itself.
        functional_function: written with NumPy or funcgrad.numpy; returns arrays.
        args: pytrees of arrays and numbers; booleans, strings and None are passed as they are.
        rtol: how far numbers may differ, relative to the largest of an array.

    Returns:
        A `Comparison`. Printed it shows source, value, gradients, and the grad_fn graph against the tape, side by side;
        `agree` says whether the numbers are equal, and `save("page.html")` writes it as a page.

    Raises:
        ArgumentError: one of them is no function, or the torch function returns something else than tensors.

    Example:
        >>> from funcgrad import torch
        >>> comparison = fg.compare(lambda w: (w**2).sum(), lambda w: fnp.sum(w**2), np.array([1.0, 2.0]))
        >>> comparison.agree
        True
        >>> [(r.name, r.verdict) for r in comparison.rows]
        [('value', 'equal'), ('gradient of w', 'equal')]
    """
    for f in (torch_function, functional_function):
        if not callable(f):
            raise ArgumentError(f"compare takes two functions, got {f!r} of type {type(f).__name__}")
    leaves, structure = tree.flatten(args)
    leaves = [widened(x) for x in leaves]
    every = argument_names(functional_function, args, {})
    names = [name for name, x in zip(every, leaves, strict=True) if is_differentiated(x)]
    left = torch_side(torch_function, leaves, structure, names)
    right = functional_side(functional_function, leaves, structure, names)
    if len(left.values) != len(right.values):
        raise ArgumentError(
            f"compare: the torch function gives {len(left.values)} results, the functional one {len(right.values)}"
        )
    several = len(left.values) > 1
    pairs = enumerate(zip(left.values, right.values, strict=True))
    rows = [row(f"value {k}" if several else "value", a, b, rtol) for k, (a, b) in pairs]
    gradients = zip(names, left.gradients, right.gradients, strict=True)
    rows += [row(f"gradient of {name}", a, b, rtol) for name, a, b in gradients]
    return Comparison(left, right, rows)

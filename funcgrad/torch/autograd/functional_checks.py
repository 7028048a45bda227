"""What the functions of `torch.autograd.functional` share: their arguments, and the checks of strict mode."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import functional as texts

OUTPUTS = "outputs of the user-provided function"


def as_tuple(given: Any, what: str, function: str) -> tuple[bool, tuple]:
    """Whether a tuple was given, and the tensors as a tuple."""
    is_tuple = isinstance(given, tuple)
    found = given if is_tuple else (given,)
    for i, x in enumerate(found):
        if not isinstance(x, Tensor):
            which = f"value at index {i}" if is_tuple else f"given {what}"
            raise TypeError(texts.NO_TENSOR.format(what=what, function=function, which=which, kind=type(x)))
    return is_tuple, found


def fresh(tensors: tuple, create_graph: bool, requires_grad: bool = True) -> tuple:
    """Tensors of their own to differentiate with respect to; with create_graph the history stays.

    They are other objects than those given, which the user's function may also use in its own right.
    """
    return tuple(
        [
            x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(requires_grad)
            for x in tensors
        ]
    )


def result(found: Any, create_graph: bool, *were_tuples: bool) -> Any:
    """What the caller gets of a tuple (of tuples) of tensors: no history it did not ask for, no needless tuples."""
    return _unpacked(_without_history(found, create_graph), were_tuples)


def _unpacked(found: Any, were_tuples: tuple[bool, ...]) -> Any:
    if not were_tuples:
        return found
    first, *rest = were_tuples
    if not rest:
        return tuple(found) if first else found[0]
    inner = tuple([_unpacked(f, tuple(rest)) for f in found])
    return inner if first else inner[0]


def _without_history(found: Any, create_graph: bool) -> Any:
    if isinstance(found, Tensor):
        return found if create_graph else found.detach()
    return tuple([_without_history(f, create_graph) for f in found])


def check_vector(v: tuple, other: tuple, is_tuple: bool) -> None:
    """v has to be like the inputs, or outputs, that it multiplies."""
    if len(other) != len(v):
        if is_tuple:
            raise RuntimeError(texts.V_LENGTH.format(expected=len(other), got=len(v)))
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (x, y) in enumerate(zip(v, other, strict=True)):
        if x.shape != y.shape:
            entry = f"Entry {i} in " if is_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {y.size()} but got {x.size()}.")


def check_recorded(tensors: tuple, strict: bool, otherwise: str) -> None:
    """In strict mode: the tensors depend on the inputs. Otherwise: the text about one that does not."""
    if not strict:
        return
    for i, x in enumerate(tensors):
        if x is None:
            raise RuntimeError(texts.INPUT_UNREACHED.format(i=i))
        if not x.requires_grad:
            raise RuntimeError(otherwise.format(i=i))


def filled(grads: tuple, like: tuple, strict: bool, create_graph: bool, what: str, otherwise: str) -> tuple:
    """Gradients with zeros in the place of None.

    Arguments:
        grads: what autograd.grad gave.
        like: tensors of their shapes.
        strict: None is an error, and with create_graph a gradient without history.
        create_graph: as in autograd.grad.
        what: they belong to, "jacobian" or "hessian".
        otherwise: the text about None.
    """
    found = []
    for i, (g, x) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(otherwise.format(i=i))
            g = x.new_zeros(x.shape)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(texts.INDEPENDENT_IN_GRAPH.format(what=what, i=i))
        found.append(g)
    return tuple(found)

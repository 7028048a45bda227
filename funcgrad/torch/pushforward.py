"""`jvp` and `linearize` of torch.func: forward mode, on the functional face's `jvp`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.torch.levels import JVP, Level
from funcgrad.torch.operation import cast, wrapped
from funcgrad.torch.pytrees import checked_output, is_none, seen, spec, tensors, values, with_aux
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.traced import Argument
from funcgrad.transforms.jvp import JvpTracer
from funcgrad.transforms.jvp import jvp as core_jvp

_NAME = "jvp(f, primals, tangents)"


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """The value of `func` and its derivative in the direction of tangents.

    Arguments:
        func: a function of tensors.
        primals: the tuple of its arguments.
        tangents: a tuple like primals.
        strict: refuse a result that does not depend on primals.
        has_aux: whether func returns a pair (result, aux).

    Returns:
        `(result, tangent)` or `(result, tangent, aux)`.

    Example:
        >>> from funcgrad import torch
        >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.tensor([1.0, 2.0]),))
        (tensor([0., 0.]), tensor([1., 2.]))
    """
    leaves, given, structure = _checked(primals, tangents)

    def f(*xs: Any) -> Any:
        with Level(JVP, xs[0]._trace) as level:
            arguments = []
            for x, tensor in zip(xs, leaves, strict=True):
                t = wrapped(x)
                t._argument = Argument(level, tensor)
                arguments.append(t)
            out, aux = func(*structure.unflatten(arguments)), None
            if has_aux:
                out, aux = with_aux(out, _NAME)
            found = values(checked_output(out, _NAME))
            if strict and not all(isinstance(o, JvpTracer) and level.trace.own(o) for o in tree.leaves(found)):
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            return found, values(aux) if has_aux else None

    with np.errstate(all="ignore"):
        value, tangent, aux = core_jvp(
            f,
            tuple([seen(x) for x in leaves]),
            tuple([cast(seen(t), x._value.dtype) for x, t in zip(leaves, given, strict=True)]),
            has_aux=True,
        )
    result, derivative = tensors(value), tree.map(_tangent, tensors(value), tensors(tangent))
    return (result, derivative, tensors(aux)) if has_aux else (result, derivative)


def _tangent(out: Tensor, tangent: Any) -> Any:
    """The tangent of a result; an integer has zeros."""
    return tangent if isinstance(tangent, Tensor) and tangent._value.dtype == out._value.dtype else out.new_zeros(out.shape)  # fmt: skip  # noqa: E501


def _checked(primals: Any, tangents: Any) -> tuple[list, list, Any]:
    """The leaves of primals and of tangents, and their structure."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_NAME}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    leaves, structure = tree.flatten(primals, is_leaf=is_none)
    given, t_structure = tree.flatten(tangents, is_leaf=is_none)
    if structure != t_structure:
        raise RuntimeError(
            f"{_NAME}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec(primals)} and tangents "
            f"with structure {spec(tangents)}"
        )
    for found, name in ((leaves, "primals"), (given, "tangents")):
        if not found:
            raise RuntimeError(f"{_NAME}: Expected {name} to contain at least one Tensor.")
        for x in found:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"{_NAME}: Expected {name} to only contain Tensors, got {type(x)}")
    for p, t in zip(leaves, given, strict=True):
        for x, word in ((p, "primal"), (t, "tangent")):
            if x._value.dtype.kind in "iub":
                raise ValueError(f"Expected {word} to be floating point or complex, but got: {x.dtype}")
        if p.shape != t.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(p.shape)} while the given forward gradient is of size "
                f"{list(t.shape)}."
            )
    return leaves, given, structure


def linearize(func: Callable, *primals: Any) -> tuple:
    """The value of `func` and a function from tangents of primals to the tangent of the value.

    Arguments:
        func: a function of tensors.
        primals: its arguments.

    Returns:
        `(result, jvp_fn)`; `jvp_fn(*tangents)` gives the derivative in their direction.
    """
    leaves, structure = tree.flatten(primals)
    value = func(*primals)

    def jvp_fn(*tangents: Any) -> Any:
        given, t_structure = tree.flatten(tangents)
        if structure != t_structure:
            raise RuntimeError(
                f"Expected the tangents {spec(tangents)} to have the same argspec as the primals {spec(primals)}"
            )
        for k, (p, t) in enumerate(zip(leaves, given, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(p, what) != getattr(t, what):
                    raise RuntimeError(
                        f"tangent:{k} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                        f"{getattr(p, what)} of the corresponding primal."
                    )
        return jvp(func, primals, tangents)[1]

    return value, jvp_fn

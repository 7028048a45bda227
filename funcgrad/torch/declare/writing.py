"""What functions of torch have in common that write: `out=`, `name_`, and how often torch itself writes on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.base.dtypes import CXX_NAMES, can_cast
from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.kernels import (
    check_not_recorded,
    check_partial_overlap,
    check_result_fits,
    chosen,
    no_cast,
    resize_out,
    warn_of_lost_parts,
    written_with,
)
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.fast import write_quickly
from funcgrad.torch.tensor.levels import check_no_fallback
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import copied
from funcgrad.torch.tensor.values import new
from funcgrad.torch.texts import writing as texts


def write_out(
    name: str,
    result: Any,
    out: Any,
    args: tuple = (),
    exact: bool | str = False,
    castable: str = "",
    stacklevel: int = 5,
) -> Any:
    """Write results into the tensors given as out=, which are resized if need be; `op` tells of exact and castable."""
    check_no_fallback(f"{name}.out", *args)
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        if len(out) != len(result):
            raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
        function, _, names = castable.partition(": ")
        each = [f"{function}: {n}" for n in names.split()] or [""] * len(result)
        found = [
            write_out(name, r, o, args, exact, c, stacklevel + 2) for r, o, c in zip(result, out, each, strict=True)
        ]
        return type(result)(found) if type(result) is not tuple and hasattr(type(result), "_fields") else tuple(found)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    check_not_recorded(name, out, result)
    if exact and out.dtype is not result.dtype:
        text = texts.NOT_THE_DTYPE if exact is True else exact
        c_names = {"expected_c": CXX_NAMES[result.dtype.name], "found_c": CXX_NAMES[out.dtype.name]}
        raise RuntimeError(text.format(**c_names, expected=result.dtype.title, found=out.dtype.title))
    if not can_cast(result.dtype, out.dtype):
        raise _not_castable(castable, result.dtype, out.dtype) if castable else no_cast(result.dtype, out.dtype)
    resized = out.shape != result.shape
    if resized:
        resize_out(out, result._value.shape, stacklevel)
    check_partial_overlap(out, args)
    inplace.store(out, result._value if result._plain else result._resolved())
    if not resized:  # which has moved the version on
        inplace.bump(out)
    return out


def _not_castable(castable: str, expected: Any, found: Any) -> RuntimeError:
    function, _, result = castable.partition(": ")
    return RuntimeError(
        texts.NOT_CASTABLE.format(function=function, result=result, expected=expected.title, found=found.title)
    )


_QUICK = frozenset(["AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0"])
"""The operations of two operands that are looked at by `write_quickly` first."""


def in_place(f: Callable, name: str, op: Operation | Callable | None = None, recorded: bool = True) -> Callable:
    """`x.f_(...)`: the result of f is written into x, with its history.

    Arguments:
        f: what computes it.
        name: of f.
        op: the elementwise operation that f is, if it is one: shapes and dtypes are looked at before it computes; or
            a function that chooses it by the keywords.
        recorded: whether autograd takes note of it.
    """
    written = name + "_"
    plain = None if op is None else chosen(op, {})
    ufunc = plain.impl if plain is not None and plain.name in _QUICK and type(plain.impl) is np.ufunc else None

    def g(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if ufunc is not None and len(args) == 1:
            alpha = kwargs.get("alpha") if kwargs else 1
            if len(kwargs) < 2 and type(alpha) in (int, float) and write_quickly(ufunc, self, args[0], alpha):
                return self
        inplace.check_inplace(self, *args, name=written, named=kwargs, recorded=recorded)
        inplace.check_overlap(self)
        check_partial_overlap(self, args)
        if op is not None and not state.transforms:
            check_result_fits(chosen(op, kwargs), self, args, kwargs)
        # hooks may keep what they are given, and so does a transform, whose argument is then written into
        kept = state.pack_hooks or isinstance(self._value, Array)
        result = f(former(self) if kept else self, *args, **kwargs)
        node = result._node
        if node is not None and node.saved and any(t is self for t, _, _ in node.saved):
            result = f(former(self), *args, **kwargs)  # what is saved is not to be written over
        if op is not None and chosen(op, kwargs).result == "bool":
            warn_of_lost_parts(chosen(op, kwargs), written_with(self, args, kwargs), self)
        return inplace.write(self, result, recorded)

    g.__name__ = g.__qualname__ = written
    g.__doc__ = f"As `{name}`, writing the result into this tensor."
    return g


def count_writes(found: Any, writes: int | tuple[int, int]) -> None:
    """Of inference tensors, used outside the mode, the new results have the versions that torch's own writes left.

    Arguments:
        found: a tensor, or a tuple of them.
        writes: how often torch writes into each; or into one that is alone, and into each of several.
    """
    several = isinstance(found, tuple)
    times = writes if isinstance(writes, int) else writes[several]
    for t in found if several else (found,):
        if not t._inference:
            for _ in range(times):
                t._bump()


def counted(found: Any, writes: int | tuple[int, int], *operands: Tensor) -> Any:
    """What was found, with its versions counted if all operands are inference tensors, see `count_writes`."""
    for x in operands:
        if not x._inference:
            return found
    count_writes(found, writes)
    return found


def counted_view(found: Tensor, writes: int, *operands: Tensor) -> Tensor:
    """As `counted`, where torch's result is besides a view of what it wrote into."""
    for x in operands:
        if not x._inference:
            return found
    if found._inference or not found._plain:
        return found
    count_writes(found, writes)
    return found.as_strided(found._value.shape, found.stride())


def former(x: Tensor) -> Tensor:
    """A tensor with a copy of x's values and with x's history, to be saved by an operation that writes into x."""
    t = new(Tensor)
    t._node, t._nr, t._requires, t._accumulate = x._made_by(), x._nr, x._requires, x._accumulate
    t._set(value=copied(x._value), lazy=x._lazy, tangent=x._tangent)
    return t

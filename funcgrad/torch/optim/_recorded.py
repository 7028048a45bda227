"""Steps in a program that torch.compile records: the rules compute with symbols, in the arithmetic for arrays.

A rule writes into the arrays that it is given (`OnArrays`). Here they are `Written`s, which NumPy's functions write
into as into arrays; so the program does just what the step in memory does, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from funcgrad.torch.optim._arithmetic import OnArrays
from funcgrad.torch.tensor.levels import unseen, without
from funcgrad.torch.tensor.traced import write_traced
from funcgrad.torch.tensor.values import F4, F8, raw, wrapped
from funcgrad.torch.texts import optim as texts


class Written(NDArrayOperatorsMixin):
    """A symbol in the place of an array that NumPy's functions write into.

    Arguments:
        value: what it holds, a tracer.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)
    ndim = property(lambda self: self.value.ndim)

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, out: Any = None, **options: Any) -> Any:
        if method != "__call__" or options or ufunc.nout != 1:
            return NotImplemented
        found = ufunc(*[_value(x) for x in operands])
        if out is None:
            return Written(found)
        target: Written = out[0]
        target.value = found.astype(target.dtype) if found.dtype != target.dtype else found
        return target

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        if kwargs or function not in (np.copy, np.where):
            return NotImplemented
        return Written(self.value if function is np.copy else np.where(*[_value(x) for x in args]))

    def astype(self, kind: Any, copy: bool = True) -> Written:
        """The same in another dtype."""
        return Written(self.value.astype(kind))

    def __setitem__(self, where: Any, x: Any) -> None:
        if where is not ...:
            raise TypeError(f"only all of it is written into, not {where!r}")
        self.value = _value(x)


def _value(x: Any) -> Any:
    return x.value if type(x) is Written else x


def recorded(rule: Callable, writes: int, maximize: bool, step: Any, tensors: list, others: list, numbers: dict) -> Any:
    """Carry out a rule for one parameter, its gradient and its state, as `each` does in memory.

    Raises:
        RuntimeError: they are of such kinds that it would not do it in memory.
    """
    kinds = {(raw(t).dtype, raw(t).shape) for t in tensors if t is not None}
    if len(kinds) > 1 or raw(tensors[0]).dtype not in (F4, F8):
        raise RuntimeError(texts.RECORDED)
    levels = unseen()
    values: list[Any] = [None if t is None else Written(without(raw(t), levels)) for t in tensors]
    before = [None if v is None else v.value for v in values]
    if maximize:
        values[1] = -values[1]
    result = rule(OnArrays, step, *values, *others, **numbers)
    for k, (t, v, old) in enumerate(zip(tensors, values, before, strict=True)):
        if t is None or v is None or k == 1:
            continue
        if v.value is not old:
            write_traced(t, v.value, levels)
        for _ in range(1 if k else writes):
            t._bump()
    return None if result is None else wrapped(result.value)

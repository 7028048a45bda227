"""Lowering: how one equation is written as Python over NumPy.

Most are a call of the primitive's own implementation. Those that programs on small arrays spend their time in have a
shorter form: an operator, a method, a ufunc's own reduce.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend import small_matrices
from funcgrad.compile.numpy_backend.parts import add_to_part, is_view, sum_of_parts
from funcgrad.core.array import raw, wrap
from funcgrad.core.cotangent import stretch
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, elementwise, fft, index, reduce, structural

NO_GAPS = (elementwise.isfinite, elementwise.isinf, elementwise.isnan, elementwise.signbit)
"""What NumPy 2.4 with AVX-512 computes wrongly into an array with gaps, so that it gets none but buffers."""

_OPERATORS = {
    elementwise.add: "{} + {}",
    elementwise.subtract: "{} - {}",
    elementwise.multiply: "{} * {}",
    elementwise.divide: "{} / {}",
    elementwise.negative: "-{}",
}
_ROW = 1 << 10  # the length of rows up to which their sums need not be pairwise


class Names:
    """The names that a program uses for what is no local variable: functions, parameters, constants."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}
        self._known: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no other value gets the id of one that was known
        self._constants: dict[Any, np.ndarray] = {}
        self._counts: dict[str, int] = {}  # of the names that begin with a hint

    def of(self, value: Any, hint: str) -> str:
        """The name of a value; the same value has one name."""
        if id(value) in self._known:
            return self._known[id(value)]
        name = self.reserved(hint)
        self.scope[name] = value
        self._known[id(value)] = name
        self._kept.append(value)
        return name

    def reserved(self, hint: str) -> str:
        """A name for what will be defined later."""
        n = self._counts.get(hint, 0)
        name = f"{hint}_{n}" if n > 1 else hint
        while name in self.scope:
            n = max(n, 1) + 1
            name = f"{hint}_{n}"
        self.scope[name], self._counts[hint] = None, n
        return name

    def constant(self, value: np.ndarray, hint: str) -> str:
        """The name of an array; those with the same elements have one name."""
        key = (value.shape, value.dtype, value.tobytes())
        return self.of(self._constants.setdefault(key, value), hint)


def expression(e: Equation, args: list[str], names: Names) -> str:
    """The Python expression of an equation.

    Arguments:
        e: an equation that is no `item`.
        args: how its operands are written.
        names: for functions and parameters.
    """
    p, params = e.primitive, e.params
    if p in _OPERATORS:
        args = [_scalar(i, e, a, names) for i, a in zip(e.inputs, args, strict=True)]
        if _plain(e):
            return _OPERATORS[p].format(*args)
    if p is contract.matmul or type(e.inputs[0] if e.inputs else None) is Equation:
        short = _SHORT.get(p)
        text = None if short is None else short(e, args, names)
        if text is not None:
            return text
    if isinstance(p.impl, np.ufunc) and not p.multiple:
        args = [_scalar(i, e, a, names) for i, a in zip(e.inputs, args, strict=True)]
    words = args + [f"{k}={literal(v, k, names)}" for k, v in params.items()]
    return f"{names.of(p.impl, p.name)}({', '.join(words)})"


def statement(e: Equation, args: list[str], place: str, names: Names) -> str:
    """The Python statement that writes the result of an equation into an array.

    Arguments:
        e, args: the equation, and how its operands are written.
        place: the array, which may be one of the operands.
        names: for functions.
    """
    p = e.primitive
    if p is contract.matmul:
        return f"{args[0]}.dot({args[1]}, {place})"
    if p in (fft.fft, fft.ifft):
        n, axis, norm = [e.params[k] for k in ("n", "axis", "norm")]
        return f"{names.of(getattr(np.fft, p.name), p.name)}({args[0]}, {n}, {axis}, {norm!r}, {place})"
    if p in (index.index_set, index.index_add):
        where = _place(e.params["index"], None if e.inputs[2] is None else args[2], names)
        if p is index.index_set:
            return f"{place}[{where}] = {args[1]}"
        view = e.inputs[2] is None and e.dtype.kind in "fc" and dtype_of(e.inputs[1]) == e.dtype
        view = view and is_view(e.params["index"], e.shape, shape_of(e.inputs[1]))
        return f"{names.of(add_to_part if view else index.add_at, 'add_at')}({place}, {where}, {args[1]})"
    args = [_scalar(i, e, a, names) for i, a in zip(e.inputs, args, strict=True)]
    form = _OPERATORS.get(p, "").split()
    if len(form) == 3 and _plain(e) and place in args:
        if args[0] == place:
            return f"{place} {form[1]}= {args[1]}"
        if p in (elementwise.add, elementwise.multiply):
            return f"{place} {form[1]}= {args[0]}"
    out = "out=" if p in (elementwise.maximum, elementwise.minimum) else ""  # NumPy asks for it
    return f"{names.of(p.impl, p.name)}({', '.join(args)}, {out}{place})"


def _place(where: Any, indices: str | None, names: Names) -> str:
    """An index, in which the rows of the array of indices are in their places."""
    if indices is not None and type(where) is str:
        return f"{indices}[0]"
    text = literal(where, "index", names)
    return text if indices is None else f"{names.of(index.fill, 'fill')}({text}, {indices})"


def _plain(e: Equation) -> bool:
    """Whether Python's operators mean NumPy's operation: not so between Python's numbers, or with other classes."""
    return any(type(i) is Equation for i in e.inputs) and all(
        type(i) is Equation or type(i) in (int, float, np.ndarray) for i in e.inputs
    )


def _scalar(x: Any, e: Equation, text: str, names: Names) -> str:
    """How a number beside an array is written: as an array without axes, which NumPy takes up twice as fast."""
    if type(x) not in (int, float) or not e.shape or e.dtype.char not in "fd":
        return text
    if not any(type(i) is Equation and i.dtype == e.dtype and i.shape == e.shape for i in e.inputs):
        return text
    if isinstance(e.primitive.impl, np.ufunc) and not _uniform(e.primitive.impl, e.dtype.char):
        return text
    with np.errstate(over="ignore"):
        value = np.asarray(x, e.dtype)
    hint = f"_{x}".replace(".", "_").replace("-", "minus_").replace("+", "")
    return names.constant(value, hint if hint.isidentifier() else "number")


@functools.cache
def _uniform(ufunc: np.ufunc, char: str) -> bool:
    """Whether the operands of a ufunc may all be of one dtype: the exponents of ldexp are integers."""
    return any(t[: ufunc.nin] == char * ufunc.nin for t in ufunc.types)


def literal(x: Any, hint: str, names: Names) -> str:
    """How a parameter or a constant operand is written."""
    if x is None or type(x) in (int, bool, str):
        return repr(x)
    if type(x) is float and np.isfinite(x):
        return repr(x)
    if type(x) is tuple and all(type(v) is int for v in x):
        return repr(x)
    return names.of(x, hint)


def call_on_raw(call: Any) -> Callable[..., list[Any]]:
    """A call as a function of raw values."""

    def run(*args: Any) -> list[Any]:
        return [raw(o) for o in call(*[wrap(a if hasattr(a, "dtype") else np.asarray(a)) for a in args])]

    return run


def _reduce_sum(e: Equation, args: list[str], names: Names) -> str | None:
    if e.params.get("dtype") is not None:
        return None
    axis, shape = e.params["axis"], e.inputs[0].shape
    if len(shape) == 2 and len(axis) == 1 and e.dtype.char in "fd":
        n, kept = shape[axis[0]], bool(e.params.get("keepdims"))  # a product with ones is the faster sum
        if e.inputs[0].dtype == e.dtype and 0 < n <= _ROW:
            ones = names.constant(np.ones(n, e.dtype), "ones")
            if axis == (0,):
                return f"{ones}.dot({args[0]}){'[None]' if kept else ''}"
            return f"{args[0]}.dot({ones}){'[:, None]' if kept else ''}"
    where = "None" if len(axis) == len(e.inputs[0].shape) else repr(axis[0] if len(axis) == 1 else axis)
    keep = ", None, None, True" if e.params.get("keepdims") else ""
    return f"{names.of(reduce.add_reduce, 'add_reduce')}({args[0]}, {where}{keep})" if axis else None


def _matmul(e: Equation, args: list[str], names: Names) -> str | None:
    x, y = e.inputs
    if not all(type(i) in (Equation, np.ndarray) for i in (x, y)) or x.dtype != y.dtype or x.dtype.char not in "fdFD":
        return None
    return f"{args[0]}.dot({args[1]})" if len(x.shape) <= 2 and len(y.shape) <= 2 else f"{args[0]} @ {args[1]}"


def _outer_product(e: Equation, args: list[str], names: Names) -> str | None:
    vectors = all(len(shape_of(i)) == 1 and dtype_of(i) == e.dtype for i in e.inputs)
    return f"{args[0]}[:, None] * {args[1]}" if vectors and type(e.inputs[0]) is Equation else None


def _reshape(e: Equation, args: list[str], names: Names) -> str | None:
    return f"{args[0]}.reshape({e.params['shape']!r})" if e.params.get("order", "C") == "C" else None


def _transpose(e: Equation, args: list[str], names: Names) -> str | None:
    axes = e.params["axes"]
    return f"{args[0]}.T" if axes == tuple(reversed(range(len(axes)))) else f"{args[0]}.transpose({axes!r})"


def _broadcast_to(e: Equation, args: list[str], names: Names) -> str | None:
    return f"{names.of(stretch, 'broadcast_to')}({args[0]}, {e.params['shape']!r})"


def _roll(e: Equation, args: list[str], names: Names) -> str | None:
    """Two parts in each other's place: `np.roll` takes 5.3 µs for 200 doubles, the parts alone 0.9."""
    if len(e.params["axes"]) != 1:
        return None
    (axis,), (shift,) = e.params["axes"], e.params["shift"]
    shift = shift % e.shape[axis] if e.shape[axis] else 0
    if not shift:
        return f"{args[0]}.copy()"
    head = ":, " * axis
    parts = f"({args[0]}[{head}-{shift}:], {args[0]}[{head}:-{shift}])"
    return f"{names.of(np.concatenate, 'concatenate')}({parts}{f', {axis}' if axis else ''})"


def takes(e: Equation) -> bool:
    """Whether an equation reads rows by their numbers, so many that it pays to read an array from front to back once.

    `take` does that, which copies what has gaps first, and takes three quarters of the time that an index does.
    """
    p, x = e.primitive, e.inputs[0] if e.inputs else None
    if p not in (index.gather, index.getitem) or type(x) is not Equation or 2 * math.prod(e.shape) < math.prod(x.shape):
        return False
    where = e.params["index"]
    numbers = e.inputs[1] if type(where) is str else where
    if type(numbers) not in (Equation, np.ndarray) or numbers.dtype.kind not in "iu":
        return False
    return np.can_cast(numbers.dtype, np.intp)  # which older versions of take ask for


def _getitem(e: Equation, args: list[str], names: Names) -> str | None:
    if takes(e):
        return f"{args[0]}.take({literal(e.params['index'], 'index', names)}, 0)"
    return f"{args[0]}[{literal(e.params['index'], 'index', names)}]"


def _scatter_add(e: Equation, args: list[str], names: Names) -> str | None:
    indices, shape = e.params["indices"], e.params["shape"]
    if e.dtype.kind not in "fc" or any(type(g) is not Equation or g.dtype != e.dtype for g in e.inputs):
        return None
    if not all(is_view(i, shape, g.shape) for i, g in zip(indices, e.inputs, strict=True)):
        return None
    return f"{names.of(sum_of_parts(indices, shape, e.dtype), 'scatter_add')}({', '.join(args)})"


def _gather(e: Equation, args: list[str], names: Names) -> str | None:
    if takes(e):
        return f"{args[0]}.take({args[1]}[0], 0)"
    return f"{args[0]}[{_place(e.params['index'], args[1], names)}]"


def _pick_along_axis(e: Equation, args: list[str], names: Names) -> str | None:
    return f"{args[0]}[{args[1]}]" if len(shape_of(e.inputs[0])) == 1 else None


def _astype(e: Equation, args: list[str], names: Names) -> str | None:
    if e.inputs[0].dtype.kind == "c":
        return None
    return f"{args[0]}.astype({names.of(e.params['dtype'], e.params['dtype'].name)})"


def _stack(e: Equation, args: list[str], names: Names) -> str | None:
    """Small arrays by np.array, which takes a fifth of the time of np.stack: 0.5 µs for two of ten numbers."""
    shape, axis = shape_of(e.inputs[0]), e.params["axis"]
    if not shape or math.prod(e.shape) > _ROW or any(type(i) is not Equation or i.dtype != e.dtype for i in e.inputs):
        return None
    rows = f"{names.of(np.array, 'array')}(({', '.join(args)},))"
    axes = (*range(1, axis + 1), 0, *range(axis + 1, len(e.shape)))
    return rows if not axis else f"{rows}.transpose({axes!r}).copy()"


def _of_matrix(short: Any, p: Any) -> Callable[[Equation, list[str], Names], str | None]:
    """The short form of a function of one matrix, or of a matrix and what it is applied to."""

    def form(e: Equation, args: list[str], names: Names) -> str | None:
        if any(type(i) is not Equation or i.dtype.char not in "dD" or not math.prod(i.shape) for i in e.inputs):
            return None  # NumPy computes in doubles whatever it is given
        if len(e.inputs[0].shape) != 2:
            return None
        return f"{names.of(short, p.name)}({', '.join(args)})"

    return form


_SHORT: dict[Any, Callable[[Equation, list[str], Names], str | None]] = {
    **{p: _of_matrix(short, p) for p, short in small_matrices.SHORT.items()},
    structural.roll: _roll,
    contract.matmul: _matmul,
    contract.outer_product: _outer_product,
    reduce.reduce_sum: _reduce_sum,
    structural.reshape: _reshape,
    structural.transpose: _transpose,
    structural.broadcast_to: _broadcast_to,
    structural.astype: _astype,
    structural.stack: _stack,
    index.getitem: _getitem,
    index.scatter_add: _scatter_add,
    index.gather: _gather,
    index.pick_along_axis: _pick_along_axis,
}

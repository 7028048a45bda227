"""Questions about elements: comparisons, logic, choice by condition."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops import elementwise as core
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.overloads import ARITHMETIC
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.declare.checks import Constant, check_kinds, refusing
from funcgrad.torch.declare.op import TWO_TENSORS, UNARY, WITH_NUMBER, op
from funcgrad.torch.declare.operators import operator
from funcgrad.torch.declare.writing import count_writes, counted
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor.fast import binary_function, unary_function
from funcgrad.torch.tensor.levels import check_no_fallback, check_not_batched
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS, cast, raw, requires, wrapped
from funcgrad.torch.texts import elementwise as texts

# Comparisons. In place they write 0 and 1 into a tensor, which torch records as an operation of derivative zero.


def _comparison(primitive: Any, name: str, doc: str, *names: str, complex_kernel: str = "") -> Callable:
    node = name.capitalize()
    kernel = Operation(primitive, f"{node}Backward0", promote="common", result="bool", again=True)
    fast = binary_function(kernel)
    with_number = Operation(primitive, f"{node}Backward0", promote="common", zero=True, edges=1, result="bool")
    with_tensor = Operation(primitive, f"{node}Backward1", promote="common", zero=True, result="bool")

    def check_ordered(x: Any, y: Any) -> None:
        if x._value.dtype.kind == "c" or type(y) is complex or (type(y) is Tensor and y._value.dtype.kind == "c"):
            check_kinds(complex_kernel, common_dtype((x, y)), "c", x, y)

    def ordered(x: Any, y: Any) -> Any:
        check_ordered(x, y)
        return fast(x, y)

    def written(x: Any, y: Any) -> Any:
        if complex_kernel:
            check_ordered(x, y)
        return (with_tensor if isinstance(y, Tensor) else with_number)(x, y)

    call = ordered if complex_kernel else fast
    return op(name, *WITH_NUMBER, kernel=kernel, inplace=written, names=names, form=".Tensor|.Scalar", doc=doc)(call)


eq = _comparison(core.equal, "eq", "Whether input == other, elementwise.")
ne = _comparison(core.not_equal, "ne", "Whether input != other, elementwise.", "not_equal")
lt = _comparison(core.less, "lt", "Whether input < other, elementwise.", "less", complex_kernel="lt_cpu")
le = _comparison(core.less_equal, "le", "Whether input <= other, elementwise.", "less_equal", complex_kernel="le_cpu")
gt = _comparison(core.greater, "gt", "Whether input > other, elementwise.", "greater", complex_kernel="gt_cpu")
ge = _comparison(
    core.greater_equal, "ge", "Whether input >= other, elementwise.", "greater_equal", complex_kernel="ge_cpu"
)
for _symbol, _call in (("ne", ne), ("lt", lt), ("le", le), ("gt", gt), ("ge", ge)):
    operator(_symbol, _call)


@member_of(Tensor, "__eq__")
def _equals(self: Any, other: Any) -> Any:
    """self == other; of the comparisons only this one takes an ndarray, too."""
    if isinstance(other, np.ndarray):
        try:
            other = wrapped(other).to(of_numpy(other.dtype))
        except TypeError:
            return NotImplemented
    return eq(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented


# Logic.


def _logical(primitive: Any, name: str, doc: str) -> None:
    kernel = Operation(primitive, f"{name.title().replace('_', '')}Backward0", result="bool")
    fast = binary_function(kernel)

    def call(x: Any, y: Any) -> Any:
        if x._value.shape != y._value.shape:
            check_broadcast([x._value, y._value])
        found = fast(x, y)
        return counted(found, 1, x, y) if x._inference else found

    op(name, TWO_TENSORS, kernel=kernel, inplace=True, refusal=ARITHMETIC, doc=doc)(call)


_logical(core.logical_and, "logical_and", "Whether both elements are true; numbers are if they are not zero.")
_logical(core.logical_or, "logical_or", "Whether one of the elements is true, or both.")
_logical(core.logical_xor, "logical_xor", "Whether just one of the elements is true.")
LOGICAL_NOT = Operation(core.logical_not, "LogicalNotBackward0", operands=("self",), result="bool")
op("logical_not", UNARY, inplace=True, writes=1, doc="Whether the element is false, which zero is.")(LOGICAL_NOT)


# Kinds of numbers.


def _question(
    f: Callable, name: str, doc: str, *, real: bool = False, out: bool = False, writes: str = "", fills: str = ""
) -> None:
    """Declare a question about elements.

    Arguments:
        f: the function.
        name: of it.
        doc: its docstring.
        real: whether it refuses complex numbers.
        out: whether it takes out=.
        writes: the kinds of dtype of which torch writes one answer into another.
        fills: those of which it makes the answer and fills it, which inference tensors count.
    """
    kernel = Operation(
        Constant(f) if inspect.isfunction(f) else f,
        f"{name.capitalize()}Backward0",
        operands=("self",),
        result="only bool",
    )
    fast = unary_function(kernel)

    def call(x: Any) -> Any:
        found = fast(x)
        kind = x._value.dtype.kind
        if kind in writes:
            found._bump()
        if kind in fills and x._inference:
            count_writes(found, 1)
        return found

    asked = call if writes or fills else fast
    if real:
        asked = refusing(asked, name, "c", f"{name} does not support complex inputs.", RuntimeError)
    op(name, UNARY if out else "(Tensor input)", kernel=kernel, doc=doc)(asked)


def _posinf(x: Any) -> Any:
    return x == np.inf if x.dtype.kind == "f" else np.zeros_like(x, bool)


def _neginf(x: Any) -> Any:
    return x == -np.inf if x.dtype.kind == "f" else np.zeros_like(x, bool)


def _real_valued(x: Any) -> Any:
    return core.imag(x) == 0 if x.dtype.kind == "c" else np.ones_like(x, bool)


_question(core.isfinite, "isfinite", "Whether the element is neither infinite nor nan.", writes="c", fills="iub")
_question(core.isinf, "isinf", "Whether the element is infinite.", fills="iubc")
_question(core.isnan, "isnan", "Whether the element is nan.")
_question(_posinf, "isposinf", "Whether the element is infinity.", real=True, out=True, fills="iub")
_question(_neginf, "isneginf", "Whether the element is minus infinity.", real=True, out=True, fills="iub")
_question(_real_valued, "isreal", "Whether the element has no imaginary part.", fills="iubfV")


# Equality up to a tolerance.


def _close(x: Any, y: Any, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    close = x == y
    if equal_nan and x.dtype.kind in "fc":
        close = close | (np.isnan(x) & np.isnan(y))
    if rtol == 0 and atol == 0:
        return close
    if x.dtype.kind in "iub":
        kind = dtypes.get_default_dtype().numpy
        x, y = x.astype(kind), y.astype(kind)
    distance = np.abs(x - y)
    return close | (np.isfinite(distance) & (distance <= atol + np.abs(rtol * y)))


ISCLOSE = Operation(Constant(_close), "IscloseBackward0")


@op(
    "isclose",
    "(Tensor input, Tensor other, float rtol = 1e-05, float atol = 1e-08, bool equal_nan = False)",
    records=(ISCLOSE,),
)
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether |input - other| <= atol + rtol * |other|, elementwise.

    Arguments:
        input, other: tensors of one dtype.
        rtol, atol: the relative and the absolute tolerance.
        equal_nan: whether nan is close to nan.
    """
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.title} did not match {other.dtype.title}")
    for word, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{word} must be greater than or equal to zero, but got {tolerance:g}")
    x, y = raw(input), raw(other)
    check_broadcast([x, y])
    found = record(ISCLOSE, (input, other), [x, y], {"rtol": rtol, "atol": atol, "equal_nan": equal_nan})
    # torch writes twice into the result of ==
    for wanted in (equal_nan and x.dtype.kind in "fcV", rtol != 0 or atol != 0):
        if wanted:
            found._bump()
    return found


@op(
    "allclose",
    "(Tensor input, Tensor other, float rtol = 1e-05, float atol = 1e-08, bool equal_nan = False)",
)
def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close, in the sense of isclose."""
    check_not_batched("allclose", input, other)
    return bool(isclose(input, other, rtol, atol, equal_nan)._concrete().all())


@op("equal", "(Tensor input, Tensor other)")
def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same size and the same elements."""
    check_no_fallback("equal", input, other, view=False)
    if input._value.shape != other._value.shape:
        return False
    d = common_dtype((input, other))
    x, y = (cast(t._concrete(), d.numpy) for t in (input, other))
    return bool((x == y).all())


_ISIN = "*, bool assume_unique = False, bool invert = False, Tensor out = None)"


@op(
    "isin",
    f"(Tensor elements, Tensor test_elements, {_ISIN}",
    f"(Number element, Tensor test_elements, {_ISIN}",
    f"(Tensor elements, Number test_element, {_ISIN}",
    method=False,
)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """For each of `elements` whether it is among `test_elements`.

    Arguments:
        elements, test_elements: tensors; one of them may be a number.
        assume_unique: that no element occurs twice, which makes no difference here.
        invert: ask whether it is not.
        out: where to write the result.
    """
    d = common_dtype((elements, test_elements))
    if d.category == dtypes.COMPLEX:
        raise RuntimeError(f"Unsupported input type encountered for isin(): {d.title}")
    x, y = (np.asarray(cast(a._concrete() if isinstance(a, Tensor) else a, d.numpy)) for a in (elements, test_elements))
    found = wrapped(np.asarray(np.isin(x, y, assume_unique=False, invert=invert)))
    if isinstance(elements, Tensor) and isinstance(test_elements, Tensor):
        counted(found, 1, elements, test_elements)
    return found


# Choice.

WHERE = Operation(conventions.choose, "WhereBackward0", operands=("self", "other", "condition"), edges=2)


@op(
    "where",
    "(Tensor condition)",
    "(Tensor condition, Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor condition, Number self, Tensor other)",
    "(Tensor condition, Tensor input, Number other)",
    "(Tensor condition, Number self, Number other)",
    method=False,
    records=(WHERE,),
)
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Elements of input where a condition holds, of other elsewhere; of the condition alone, where it holds.

    Arguments:
        condition: a tensor of booleans.
        input, other: tensors or numbers. All three broadcast.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([-1.0, 2.0])
        >>> torch.where(x > 0, x, 0.0)
        tensor([0., 2.])
    """
    if input is None:
        check_not_batched("where", condition)
        return condition.nonzero(as_tuple=True)
    chosen = condition._value
    if chosen.dtype.kind != "b":
        if chosen.dtype != np.uint8:
            raise RuntimeError(texts.WHERE_OF_NO_BOOL.format(dtype=of_numpy(chosen.dtype).title))
        warn_once(texts.WHERE_OF_UINT8, stacklevel=3)
        chosen = chosen != 0
    d = common_dtype((input, other))
    kind = d.numpy
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):  # beside a number the change of dtype is recorded
        input, other = (a.to(d) if isinstance(a, Tensor) and requires(a) else a for a in (input, other))
    x, y = (cast(raw(a), kind) if isinstance(a, Tensor) else np.asarray(a).astype(kind) for a in (input, other))
    check_broadcast([chosen, x, y])
    found = record(WHERE, (input, other, condition), [x, y, chosen], {})
    if type(found._value) is np.ndarray and found._value.ndim > 1:
        found._value = laid_out(found._value, [chosen, raw(input), raw(other)])
    return found


@op(
    "Tensor.where",
    "(Tensor self, Tensor condition, Tensor other)",
    "(Tensor self, Tensor condition, Number other)",
    records=(WHERE,),
)
def _where_of(self: Any, condition: Any, other: Any) -> Any:
    """Elements of this tensor where a condition holds, of other elsewhere."""
    return where(condition, self, other)

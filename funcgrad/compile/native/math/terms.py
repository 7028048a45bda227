"""Formulas: values with the operators of Python. Nothing is joined or reordered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.compile.native.ir import Function, Value


class Term:
    """A value in a function under construction; an operator writes an instruction. Numbers may stand beside it."""

    __slots__ = ("f", "value")

    def __init__(self, f: Function, value: Value) -> None:
        self.f, self.value = f, value

    def constant(self, x: Any) -> Term:
        """A number in every lane, of the same type."""
        return x if isinstance(x, Term) else Term(self.f, self.f.like(x, self.value))

    def _with(self, name: str, other: Any) -> Term:
        name = f"f{name}" if self.is_float and name in ("add", "sub", "mul", "div") else name
        return Term(self.f, self.f.binary(name, self.value, self.constant(other).value))

    def __add__(self, other: Any) -> Term:
        return self._with("add", other)

    def __sub__(self, other: Any) -> Term:
        return self._with("sub", other)

    def __mul__(self, other: Any) -> Term:
        return self._with("mul", other)

    def __truediv__(self, other: Any) -> Term:
        return self._with("div", other)

    def __radd__(self, other: Any) -> Term:
        return self.constant(other) + self

    def __rsub__(self, other: Any) -> Term:
        return self.constant(other) - self

    def __rmul__(self, other: Any) -> Term:
        return self.constant(other) * self

    def __rtruediv__(self, other: Any) -> Term:
        return self.constant(other) / self

    def __neg__(self) -> Term:
        return Term(self.f, self.f.negative(self.value))

    def __abs__(self) -> Term:
        return Term(self.f, self.f.intrinsic("fabs", self.value))

    def __and__(self, other: Any) -> Term:
        return self._with("and", other)

    def __or__(self, other: Any) -> Term:
        return self._with("or", other)

    def __xor__(self, other: Any) -> Term:
        return self._with("xor", other)

    def __lshift__(self, places: int) -> Term:
        return self._with("shl", places)

    def __rshift__(self, places: int) -> Term:
        return self._with("ashr", places)

    def _compared(self, name: str, other: Any) -> Term:
        name = f"{'o' if self.is_float else 's'}{name}"
        return Term(self.f, self.f.compare(name, self.value, self.constant(other).value))

    def __lt__(self, other: Any) -> Term:
        return self._compared("lt", other)

    def __gt__(self, other: Any) -> Term:
        return self._compared("gt", other)

    def __le__(self, other: Any) -> Term:
        return self._compared("le", other)

    def __ge__(self, other: Any) -> Term:
        return self._compared("ge", other)

    def equals(self, other: Any) -> Term:
        """Whether it is the same number."""
        name = "oeq" if self.is_float else "eq"
        return Term(self.f, self.f.compare(name, self.value, self.constant(other).value))

    @property
    def is_float(self) -> bool:
        """Whether it is no integer."""
        return self.value.kind in ("double", "float")

    @property
    def is_nan(self) -> Term:
        """Whether it is no number."""
        return Term(self.f, self.f.compare("uno", self.value, self.value))

    @property
    def bits(self) -> Term:
        """The bits of a float as an integer."""
        return Term(self.f, self.f.cast("bitcast", self.value, "i64" if self.value.kind == "double" else "i32"))

    @property
    def float(self) -> Term:
        """The float that has these bits."""
        return Term(self.f, self.f.cast("bitcast", self.value, self._float_kind))

    @property
    def as_float(self) -> Term:
        """An integer as a float."""
        return Term(self.f, self.f.cast("sitofp", self.value, self._float_kind))

    @property
    def _float_kind(self) -> str:
        return "double" if self.value.kind == "i64" else "float"

    def in_double(self, function: Callable[[Term], Term]) -> Term:
        """A function of it in double precision, rounded to its own."""
        if self.value.kind == "double":
            return function(self)
        wide = function(Term(self.f, self.f.cast("fpext", self.value, "double")))
        return Term(self.f, self.f.cast("fptrunc", wide.value, self.value.kind))

    def intrinsic(self, name: str, *others: Any) -> Term:
        """What one of LLVM's own functions gives for it."""
        return Term(self.f, self.f.intrinsic(name, self.value, *[self.constant(o).value for o in others]))


def fma(a: Term, b: Any, c: Any) -> Term:
    """a * b + c, rounded once."""
    return a.intrinsic("fma", b, c)


def where(condition: Term, a: Any, b: Any) -> Term:
    """a where the condition holds, else b, of which one is a term."""
    one = a if isinstance(a, Term) else b
    return Term(one.f, one.f.select(condition.value, one.constant(a).value, one.constant(b).value))


def polynomial(x: Term, coefficients: Sequence[float]) -> Term:
    """By Horner; the coefficient of the highest power comes first."""
    p = x.constant(coefficients[0])
    for c in coefficients[1:]:
        p = fma(p, x, c)
    return p


def estrin(x: Term, coefficients: Sequence[float]) -> Term:
    """By Estrin's scheme, which waits less; the constant comes first."""
    terms, power = [x.constant(c) for c in coefficients], x
    while len(terms) > 1:
        pairs = [fma(b, power, a) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, *terms[2 * len(pairs) :]]
        if len(terms) > 1:
            power = power * power
    return terms[0]


def two_sum(a: Any, b: Term) -> tuple[Term, Term]:
    """The rounded sum and what rounding has lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def quick_sum(a: Any, b: Term) -> tuple[Term, Term]:
    """As two_sum, where a is not the smaller one."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Term, b: Any) -> tuple[Term, Term]:
    """The rounded product and what rounding has lost."""
    product = a * b
    return product, fma(a, b, -product)


def formula(function: Callable[..., Term], single: bool = False) -> Callable[..., Value]:
    """A formula as an emitter.

    Arguments:
        function: writes it, in double precision at least.
        single: whether it does so in single precision, too; otherwise that is rounded from double.
    """

    def inner(f: Function, *args: Value) -> Value:
        return function(*[Term(f, a) for a in args]).value

    def emit(f: Function, *args: Value) -> Value:
        if single or args[0].kind == "double":
            return f.shared(f"math.{function.__name__}", inner, *args)
        wide = [f.cast("fpext", a, "double") for a in args]
        return f.cast("fptrunc", f.shared(f"math.{function.__name__}", inner, *wide), "float")

    return emit

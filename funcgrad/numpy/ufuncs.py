"""NumPy's ufuncs as functions of funcgrad.numpy. Each is made of its primitive by `_unary` or `_binary`.

They are the hot path of a program on small arrays: a call finds the trace of its operands and hands the primitive over.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.trace import bind
from funcgrad.core.types import ArrayLike, Bool, Float, Integer, Shaped, dtype_of
from funcgrad.errors import UnsupportedError
from funcgrad.numpy.convert import asarray, operand, reject, wrap
from funcgrad.ops import elementwise as ops

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "isnat",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]

docstrings: dict[str, tuple[str, str, str, str, str]] = {}
"""What the docstring of each function says, by its name: summary, note, arguments, value and dtype of the example."""

_NUMBERS = frozenset({float, int, complex, bool})
_DEFAULTS = {"casting": "same_kind", "order": "K", "subok": True, "signature": None}


def _unary(
    primitive: Primitive, summary: str, args: str, value: str, dtype: str = "float64", note: str = ""
) -> Callable[..., Shaped[Array, "..."]]:
    """The public function of a primitive with one operand.

    Arguments:
        primitive: what it applies.
        summary, note: for its docstring.
        args, value, dtype: the example in its docstring: arguments, and the Array that results.
    """
    impl: Any = primitive.impl

    def function(x: ArrayLike, /, **options: Any) -> Shaped[Array, "..."]:
        if options:
            (x,) = cast(impl, (x,), **options)
        if not isinstance(x, Array):
            x = operand(x)
            if not isinstance(x, Array):
                return wrap(impl(x))
        return x._trace.unary(primitive, x)

    takes, gives = "x: an array.", "an array of the shape of x."
    return _documented(function, primitive.name, takes, gives, summary, args, value, dtype, note)


def _binary(
    primitive: Primitive, summary: str, args: str, value: str, dtype: str = "float64", note: str = ""
) -> Callable[..., Shaped[Array, "..."]]:
    """The public function of a primitive with two operands; the arguments are those of `_unary`."""
    impl: Any = primitive.impl

    def function(x: ArrayLike, y: ArrayLike, /, **options: Any) -> Shaped[Array, "..."]:
        if options:
            x, y = cast(impl, (x, y), **options)
        if not isinstance(x, Array) and type(x) not in _NUMBERS:
            x = operand(x)
        if not isinstance(y, Array) and type(y) not in _NUMBERS:
            y = operand(y)
        if isinstance(x, Array):
            trace = x._trace
            if isinstance(y, Array) and y._trace.level > trace.level:
                trace = y._trace
        elif isinstance(y, Array):
            trace = y._trace
        else:
            return wrap(impl(x, y))
        return trace.binary(primitive, x, y)

    takes = "x, y: arrays, which broadcast against each other."
    gives = "an array of the broadcast shape."
    return _documented(function, primitive.name, takes, gives, summary, args, value, dtype, note)


def _documented(
    function: Callable,
    name: str,
    takes: str,
    gives: str,
    summary: str,
    args: str,
    value: str,
    dtype: str,
    note: str,
) -> Callable:
    """The function with its name and a docstring in the common form."""
    function.__name__ = function.__qualname__ = name
    docstrings[name] = (summary, note, args, value, dtype)
    result = {"bool": "Bool", "int64": "Integer", "uint8": "Integer"}.get(dtype, "Shaped")
    function.__annotations__["return"] = f'{result}[Array, "..."]'
    note = f"\n    {note}\n" if note else ""
    function.__doc__ = f"""{summary}
{note}
    Arguments:
        {takes}
        options: `dtype=` computes in that dtype; NumPy's other options have their defaults only.

    Returns:
        {gives[0].upper()}{gives[1:]}

    Raises:
        LostTraceError: `out=` was given.
        UnsupportedError: `where=` or another option was given.

    Example:
        >>> fnp.{name}({args})
        Array({value}, dtype={dtype})
    """
    return function


def cast(
    ufunc: np.ufunc,
    operands: tuple,
    *,
    name: str | None = None,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    **options: Any,
) -> tuple:
    """The operands of a call with options: cast to what `dtype=` asks for. Options that cannot be had raise.

    Arguments:
        ufunc, operands, out, where, dtype, options: of the call.
        name: of the function, for errors; by default that of the ufunc in funcgrad.numpy.
    """
    short, name = ufunc.__name__, name or f"funcgrad.numpy.{ufunc.__name__}"
    for option, given in options.items():
        if option not in _DEFAULTS:
            raise TypeError(f"{short}() got an unexpected keyword argument {option!r}")
        if given != _DEFAULTS[option]:
            raise UnsupportedError(f"{name} has {option}={_DEFAULTS[option]!r} only, got {given!r}")
    reject(short, out=out)
    if where is not True:
        args = ", ".join("xyzuvw"[: ufunc.nin])
        raise UnsupportedError(
            f"{name} does not have the option where=, which leaves the other elements undefined. "
            f"Say what they are: fnp.where(mask, {name.replace('funcgrad.numpy', 'fnp')}({args}), 0)"
        )
    if dtype is None:
        return operands
    operands = tuple([operand(x) for x in operands])
    kinds = tuple([type(x) if type(x) in (int, float, complex) else dtype_of(x) for x in operands])
    loop = ufunc.resolve_dtypes(
        kinds + (None,) * ufunc.nout,
        signature=(None,) * ufunc.nin + (np.dtype(dtype),) * ufunc.nout,
        casting="same_kind",
    )
    return tuple([asarray(x, d) for x, d in zip(operands, loop[: ufunc.nin], strict=True)])


# Arithmetic.

add = _binary(ops.add, "x + y.", "[1.0, 2.0], 3.0", "[4., 5.]")
subtract = _binary(ops.subtract, "x - y.", "[1.0, 2.0], 3.0", "[-2., -1.]")
multiply = _binary(ops.multiply, "x · y.", "[1.0, 2.0], 3.0", "[3., 6.]")
divide = _binary(ops.divide, "x / y, a floating-point number for integers too.", "[1, 2], 4", "[0.25, 0.5 ]")
floor_divide = _binary(ops.floor_divide, "The largest integer not above x / y.", "-7.0, 2.0", "-4.")
remainder = _binary(ops.remainder, "What floor division leaves: of the sign of y.", "-7.0, 4.0", "1.")
fmod = _binary(ops.fmod, "What division rounded towards zero leaves: of the sign of x.", "-7.0, 4.0", "-3.")
power = _binary(
    ops.power,
    "x to the power y.",
    "[2.0, 3.0], 2",
    "[4., 9.]",
    note="The derivative is 0 by x for y = 0, 0 by y for x = 0, and nan by y for x < 0.",
)
float_power = _binary(ops.float_power, "x to the power y, in double precision at least.", "2, -1", "0.5")
negative = _unary(ops.negative, "-x.", "[1.0, -2.0]", "[-1.,  2.]")
positive = _unary(ops.positive, "+x, a copy.", "[1.0, -2.0]", "[ 1., -2.]")
absolute = _unary(
    ops.absolute,
    "The absolute value; of a complex number its modulus.",
    "[-3.0, 3 + 4j]",
    "[3., 5.]",
    note="The derivative is 1 at a real 0 and 0 at a complex one.",
)
fabs = _unary(ops.fabs, "The absolute value of a real number, as a floating-point number.", "-3", "3.")
sign = _unary(
    ops.sign,
    "-1, 0 or 1 by the sign of a real x; x / |x| of a complex one.",
    "[-2.0, 0.0, 5.0]",
    "[-1.,  0.,  1.]",
)
square = _unary(ops.square, "x².", "[2.0, -3.0]", "[4., 9.]")
sqrt = _unary(ops.sqrt, "The square root.", "[4.0, 9.0]", "[2., 3.]")
cbrt = _unary(ops.cbrt, "The cube root of a real number.", "-8.0", "-2.")
reciprocal = _unary(ops.reciprocal, "1 / x.", "[2.0, 4.0]", "[0.5 , 0.25]")
conjugate = _unary(ops.conjugate, "The complex conjugate.", "1 + 2j", "1.-2.j", "complex128")
gcd = _binary(ops.gcd, "The greatest common divisor of integers.", "12, [8, 9]", "[4, 3]", "int64")
lcm = _binary(ops.lcm, "The least common multiple of integers.", "4, [6, 8]", "[12,  8]", "int64")


# Exponentials and logarithms.

exp = _unary(ops.exp, "e to the power x.", "0.0", "1.")
exp2 = _unary(ops.exp2, "2 to the power x.", "3.0", "8.")
expm1 = _unary(ops.expm1, "exp(x) - 1, accurate for small x.", "0.0", "0.")
log = _unary(ops.log, "The natural logarithm.", "1.0", "0.")
log2 = _unary(ops.log2, "The logarithm to base 2.", "8.0", "3.")
log10 = _unary(ops.log10, "The logarithm to base 10.", "100.0", "2.")
log1p = _unary(ops.log1p, "log(1 + x), accurate for small x.", "0.0", "0.")
_real_logaddexp = _binary(ops.logaddexp, "log(exp(x) + exp(y)) without overflow.", "1000.0, 0.0", "1000.")


@functools.wraps(_real_logaddexp)
def logaddexp(x: ArrayLike, y: ArrayLike, /, **options: Any) -> Shaped[Array, "..."]:
    try:
        return _real_logaddexp(x, y, **options)
    except TypeError:
        x, y = asarray(x), asarray(y)
        if "c" not in (x.dtype.kind, y.dtype.kind):
            raise
    if options:
        x, y = cast(np.add, (x, y), **options)
    larger = np.where(np.less(np.real(x), np.real(y)), y, x)
    alike = np.logical_and(np.isinf(larger), np.equal(x, y))  # the difference of two infinities
    other = np.where(np.less(np.real(x), np.real(y)), x, y)
    ratio = np.where(alike, 0, other) - np.where(alike, 0, larger)
    total = larger + np.log1p(np.exp(ratio))
    return wrap(np.real(total) + 1j * np.arctan2(np.sin(np.imag(total)), np.cos(np.imag(total))))


logaddexp2 = _binary(ops.logaddexp2, "log2(2^x + 2^y) without overflow.", "3.0, 3.0", "4.")


# Trigonometric and hyperbolic functions.

sin = _unary(ops.sin, "The sine of x in radians.", "0.0", "0.")
cos = _unary(ops.cos, "The cosine of x in radians.", "0.0", "1.")
tan = _unary(ops.tan, "The tangent of x in radians.", "0.0", "0.")
arcsin = _unary(ops.arcsin, "The angle in [-π/2, π/2] whose sine is x.", "0.0", "0.")
arccos = _unary(ops.arccos, "The angle in [0, π] whose cosine is x.", "1.0", "0.")
arctan = _unary(ops.arctan, "The angle in (-π/2, π/2) whose tangent is x.", "0.0", "0.")
arctan2 = _binary(
    ops.arctan2,
    "The angle in [-π, π] of the point with ordinate x and abscissa y.",
    "0.0, 1.0",
    "0.",
    note="The derivative at the origin is nan.",
)
hypot = _binary(
    ops.hypot,
    "The hypotenuse sqrt(x² + y²) without overflow.",
    "3.0, 4.0",
    "5.",
    note="The derivative at the origin is 0.",
)
sinh = _unary(ops.sinh, "The hyperbolic sine.", "0.0", "0.")
cosh = _unary(ops.cosh, "The hyperbolic cosine.", "0.0", "1.")
tanh = _unary(ops.tanh, "The hyperbolic tangent.", "0.0", "0.")
arcsinh = _unary(ops.arcsinh, "The inverse of sinh.", "0.0", "0.")
arccosh = _unary(ops.arccosh, "The inverse of cosh that is not negative.", "1.0", "0.")
arctanh = _unary(ops.arctanh, "The inverse of tanh.", "0.0", "0.")
degrees = _unary(ops.degrees, "An angle in radians as degrees.", "0.0", "0.")
radians = _unary(ops.radians, "An angle in degrees as radians.", "0.0", "0.")
rad2deg = _unary(ops.rad2deg, "An angle in radians as degrees.", "0.0", "0.")
deg2rad = _unary(ops.deg2rad, "An angle in degrees as radians.", "0.0", "0.")


# The larger and the smaller.

_TIE = "At a tie each of the two gets half of the gradient."
_CHOICE = "At a tie the gradient is that of y."
maximum = _binary(ops.maximum, "The larger of x and y; nan if one is.", "[1.0, 5.0], 3.0", "[3., 5.]", note=_TIE)
minimum = _binary(ops.minimum, "The smaller of x and y; nan if one is.", "[1.0, 5.0], 3.0", "[1., 3.]", note=_TIE)
fmax = _binary(ops.fmax, "The larger of x and y, nan giving way.", "[1.0, 5.0], 3.0", "[3., 5.]", note=_CHOICE)
fmin = _binary(ops.fmin, "The smaller of x and y, nan giving way.", "[1.0, 5.0], 3.0", "[1., 3.]", note=_CHOICE)


# Rounding, and the parts of floating-point numbers.

_STEPS = "The derivative is zero."
floor = _unary(ops.floor, "The largest integer not above x.", "[1.7, -1.2]", "[ 1., -2.]", note=_STEPS)
ceil = _unary(ops.ceil, "The smallest integer not below x.", "[1.2, -1.7]", "[ 2., -1.]", note=_STEPS)
trunc = _unary(ops.trunc, "x rounded towards zero.", "[1.7, -1.7]", "[ 1., -1.]", note=_STEPS)
rint = _unary(ops.rint, "x rounded to the nearest integer, halves to even.", "[1.7, 2.5]", "[2., 2.]", note=_STEPS)
copysign = _binary(ops.copysign, "The absolute value of x with the sign of y.", "3.0, -1.0", "-3.")
heaviside = _binary(
    ops.heaviside,
    "The step function: 0 for x < 0, 1 for x > 0, and y for x = 0.",
    "[-1.0, 0.0, 2.0], 0.5",
    "[0. , 0.5, 1. ]",
)
nextafter = _binary(ops.nextafter, "The floating-point number next to x in the direction of y.", "1.0, 1.0", "1.")
spacing = _unary(ops.spacing, "The distance from x to the next floating-point number.", "2.0 ** 52", "1.", note=_STEPS)
ldexp = _binary(ops.ldexp, "x · 2^y for integer y.", "3.0, 2", "12.")


def modf(x: ArrayLike, /, **options: Any) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    """The fractional part of x and its integral part, both of the sign of x.

    Arguments:
        x: an array of real numbers.
        options: as for the other ufuncs, e.g. `sin`.

    Returns:
        The two parts. The derivative of the integral part is zero.

    Example:
        >>> fnp.modf(-2.5)
        (Array(-0.5, dtype=float64), Array(-2., dtype=float64))
    """
    if options:
        (x,) = cast(np.modf, (x,), **options)
    fraction, whole = bind(ops.modf, (operand(x),), {})
    return wrap(fraction), wrap(whole)


def frexp(x: ArrayLike, /, **options: Any) -> tuple[Float[Array, "..."], Integer[Array, "..."]]:
    """The mantissa m, with 0.5 <= |m| < 1, and the exponent e of x = m · 2^e.

    Arguments:
        x: an array of real numbers.
        options: as for the other ufuncs, e.g. `sin`; `dtype=` cannot be had.

    Returns:
        Mantissa and exponent; the exponent is an integer.

    Example:
        >>> fnp.frexp(6.0)
        (Array(0.75, dtype=float64), Array(3, dtype=int32))
    """
    if options:
        (x,) = cast(np.frexp, (x,), **options)
    mantissa, exponent = bind(ops.frexp, (operand(x),), {})
    return wrap(mantissa), wrap(exponent)


def divmod(x: ArrayLike, y: ArrayLike, /, **options: Any) -> tuple[Shaped[Array, "..."], Shaped[Array, "..."]]:
    """Floor division and its remainder.

    Arguments:
        x, y: arrays, which broadcast against each other.
        options: as for the other ufuncs, e.g. `add`.

    Returns:
        `(floor_divide(x, y), remainder(x, y))`. The derivative of the quotient is zero.

    Example:
        >>> fnp.divmod(7.5, 2.0)
        (Array(3., dtype=float64), Array(1.5, dtype=float64))
    """
    if options:
        x, y = cast(np.divmod, (x, y), **options)
    quotient, rest = bind(ops.divmod, (operand(x), operand(y)), {})
    return wrap(quotient), wrap(rest)


# Questions, comparisons and logic.

equal = _binary(ops.equal, "Whether x = y.", "[1, 2], 2", "[False,  True]", "bool")
not_equal = _binary(ops.not_equal, "Whether x ≠ y.", "[1, 2], 2", "[ True, False]", "bool")
less = _binary(ops.less, "Whether x < y.", "[1, 2], 2", "[ True, False]", "bool")
less_equal = _binary(ops.less_equal, "Whether x ≤ y.", "[2, 3], 2", "[ True, False]", "bool")
greater = _binary(ops.greater, "Whether x > y.", "[3, 2], 2", "[ True, False]", "bool")
greater_equal = _binary(ops.greater_equal, "Whether x ≥ y.", "[2, 1], 2", "[ True, False]", "bool")
logical_and = _binary(ops.logical_and, "Whether x and y are not zero.", "[1, 0], 2", "[ True, False]", "bool")
logical_or = _binary(ops.logical_or, "Whether x or y is not zero.", "[1, 0], 0", "[ True, False]", "bool")
logical_xor = _binary(ops.logical_xor, "Whether one of x and y is zero.", "[1, 0], 2", "[False,  True]", "bool")
logical_not = _unary(ops.logical_not, "Whether x is zero.", "[1, 0]", "[False,  True]", "bool")
isfinite = _unary(ops.isfinite, "Whether x is neither infinite nor nan.", "[1.0, fnp.inf]", "[ True, False]", "bool")
isinf = _unary(ops.isinf, "Whether x is infinite.", "[1.0, -fnp.inf]", "[False,  True]", "bool")
isnan = _unary(ops.isnan, "Whether x is nan.", "[1.0, fnp.nan]", "[False,  True]", "bool")
signbit = _unary(ops.signbit, "Whether the sign bit of x is set, as in -0.0.", "[1.0, -0.0]", "[False,  True]", "bool")


def isnat(x: np.ndarray, /) -> Bool[Array, "..."]:
    """Whether elements of an ndarray of dates or time differences are NaT. funcgrad's own arrays hold no dates.

    Example:
        >>> fnp.isnat(np.array(["2000-01-01", "NaT"], dtype="datetime64[D]"))
        Array([False,  True], dtype=bool)
    """
    return wrap(np.isnat(x._value if type(x) is Array else x))


# Integers, bit by bit.

bitwise_and = _binary(ops.bitwise_and, "The bits that are set in both.", "6, 3", "2", "int64")
bitwise_or = _binary(ops.bitwise_or, "The bits that are set in one of the two or both.", "6, 3", "7", "int64")
bitwise_xor = _binary(ops.bitwise_xor, "The bits that are set in just one of the two.", "6, 3", "5", "int64")
invert = _unary(ops.invert, "All bits reversed; of a boolean its negation.", "[True, False]", "[False,  True]", "bool")
left_shift = _binary(ops.left_shift, "The bits of x moved left by y places.", "3, 2", "12", "int64")
right_shift = _binary(ops.right_shift, "The bits of x moved right by y places.", "12, 2", "3", "int64")
bitwise_count = _unary(ops.bitwise_count, "The number of bits that are set in |x|.", "[7, 8]", "[3, 1]", "uint8")


# Other names: of NumPy, and of the Python array API standard.

abs = absolute
acos, acosh, asin, asinh, atan, atan2, atanh = arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh
bitwise_invert = bitwise_not = invert
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
conj = conjugate
mod = remainder
pow = power
true_divide = divide

import math

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError
from funcgrad.testing import check_grads

A, B = np.array([0.3, -0.6, 0.9]), np.array([0.5, 0.7, 0.2])
UNARY = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "floor": np.floor,
    "ceil": np.ceil,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x**-0.5,
    "cbrt": np.cbrt,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": lambda x: np.arccosh(x + 1.0),
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "lgamma": np.vectorize(math.lgamma),
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "pow": np.power,
    "atan2": np.arctan2,
    "rem": np.fmod,
}


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand(name):
    f = getattr(lax, name)
    x = B + 1.0 if name == "acosh" else B
    np.testing.assert_allclose(f(x), UNARY[name](B), rtol=1e-13)
    assert f(x.astype(np.float32)).dtype == np.float32
    assert f(float(x[0])) == f(x)[0]
    np.testing.assert_array_equal(fg.vmap(f)(x), f(x))
    np.testing.assert_array_equal(fg.make_tape(f)(x)(x), f(x))
    check_grads(f, (x,), order=2)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_operands(name):
    f = getattr(lax, name)
    x = B + 0.3 if name == "pow" else A
    np.testing.assert_allclose(f(x, B), BINARY[name](x, B), rtol=1e-14)
    np.testing.assert_allclose(f(x, 0.5), BINARY[name](x, 0.5), rtol=1e-14)
    assert f(x.astype(np.float32), 0.5).dtype == np.float32
    check_grads(f, (x, B + 0.01), order=2)


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(name):
    x, y = np.array([1, 2, 3]), np.array([2, 2, 2])
    expected = getattr(x, f"__{name}__")(y)
    for out in (getattr(lax, name)(x, y), getattr(lax, name)(x, 2)):
        assert out.dtype == bool
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_bits(dtype):
    info = np.iinfo(dtype)
    x = np.array([0, 1, 6, 7, 100, info.max, info.min], dtype)
    y = np.array([3, 0, 1, 2, 5, 1, 1], dtype)
    bits = [int(v) % 2**info.bits for v in x]
    np.testing.assert_array_equal(lax.bitwise_and(x, y), x & y)
    np.testing.assert_array_equal(lax.bitwise_or(x, y), x | y)
    np.testing.assert_array_equal(lax.bitwise_xor(x, y), x ^ y)
    np.testing.assert_array_equal(lax.bitwise_not(x), ~x)
    np.testing.assert_array_equal(lax.shift_left(x, y), x << y)
    np.testing.assert_array_equal(lax.shift_right_arithmetic(x, y), x >> y)
    for name, expected in (
        ("population_count", [b.bit_count() for b in bits]),
        ("clz", [info.bits - b.bit_length() for b in bits]),
    ):
        out = getattr(lax, name)(x)
        assert out.dtype == dtype
        np.testing.assert_array_equal(out, expected)
    logical = lax.shift_right_logical(x, y)
    assert logical.dtype == dtype
    np.testing.assert_array_equal(logical, np.array([b >> int(s) for b, s in zip(bits, y, strict=True)]).astype(dtype))


def test_shifts_by_all_bits():
    assert lax.shift_left(np.int64(-1), np.int64(64)) == 0
    assert lax.shift_right_arithmetic(np.int64(-8), np.int64(70)) == -1


def test_integers_divide_towards_zero():
    x, y = np.array([-7, 7, -7, 7]), np.array([2, 2, -2, -2])
    np.testing.assert_array_equal(lax.div(x, y), [-3, 3, 3, -3])
    np.testing.assert_array_equal(lax.rem(x, y), [-1, 1, -1, 1])
    assert lax.div(7, 2) == 3 and lax.div(7.0, 2.0) == 3.5


def test_powers():
    x = np.array([0.0, 1.0, 2.0])
    np.testing.assert_array_equal(lax.pow(x, 2), x**2)
    np.testing.assert_array_equal(lax.pow(x, np.array([1, 2, 3])), [0.0, 1.0, 8.0])
    assert lax.pow(np.float32(2), np.int64(3)).dtype == np.float32
    np.testing.assert_array_equal(lax.integer_pow(x, 3), x**3)
    assert lax.integer_pow(3, 2) == 9
    np.testing.assert_array_equal(fg.vmap(fg.grad(lambda x: lax.integer_pow(x, 3)))(x), 3 * x**2)
    with pytest.raises(ArgumentError, match=r"the exponent must be a Python int, got 2\.5"):
        lax.integer_pow(x, 2.5)


def test_rounding():
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 1e16, -0.2])
    np.testing.assert_array_equal(lax.round(x), [1.0, 2.0, 3.0, -1.0, -2.0, 0.0, 1e16, 0.0])
    np.testing.assert_array_equal(lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), np.rint(x))


def test_the_logistic_function_far_out():
    np.testing.assert_allclose(lax.logistic(np.array([-1000.0, -50.0, 1000.0])), [0.0, np.exp(-50.0), 1.0], rtol=1e-14)
    np.testing.assert_array_equal(fg.vmap(fg.grad(lax.logistic))(np.array([-1000.0, 0.0, 1000.0])), [0.0, 0.25, 0.0])
    assert fg.grad(fg.grad(lax.logistic))(0.0) == 0.0
    np.testing.assert_allclose(lax.logistic(1 + 2j), 1 / (1 + np.exp(-1 - 2j)), rtol=1e-14)


def test_complex_numbers():
    z = lax.complex(A, B)
    np.testing.assert_array_equal(z, A + 1j * B)
    assert lax.complex(np.float32(1), np.float32(np.inf)).dtype == np.complex64
    assert lax.complex(1.0, np.inf).real == 1.0
    np.testing.assert_array_equal(lax.real(z), A)
    np.testing.assert_array_equal(lax.imag(z), B)
    np.testing.assert_array_equal(lax.conj(z), A - 1j * B)
    assert lax.conj(2.0).dtype == np.complex128
    check_grads(lambda x, y: lax.real(lax.complex(x, y) * lax.complex(y, x)), (A, B))


def test_special_functions():
    for f, x, expected in (
        (lax.digamma, (1.0,), -0.5772156649015329),
        (lax.erf_inv, (math.erf(0.3),), 0.3),
        (lax.igamma, (1.0, 2.0), 1 - math.exp(-2.0)),
        (lax.igammac, (1.0, 2.0), math.exp(-2.0)),
        (lax.zeta, (2.0, 1.0), math.pi**2 / 6),
    ):
        np.testing.assert_allclose(f(*x), expected, rtol=1e-13)
    check_grads(lax.erf_inv, (A,))
    check_grads(lambda x: lax.igamma(1.5, x), (B,))
    check_grads(lambda x: lax.zeta(2.5, x), (B,))


def test_other_functions():
    np.testing.assert_array_equal(lax.is_finite(np.array([1.0, np.inf, np.nan])), [True, False, False])
    assert lax.nextafter(0.0, 1.0) == 5e-324


# Nothing is promoted.


@pytest.mark.parametrize(
    "args",
    [
        (A, 1),
        (A, B.astype(np.float32)),
        (A, np.arange(3)),
        (np.arange(3), 1.5),
        (np.arange(3), np.arange(3, dtype=np.int8)),
        (1, 1.5),
    ],
    ids=str,
)
def test_dtypes_must_agree(args):
    with pytest.raises(TypeError, match=r"requires arguments to have the same dtypes, got .*funcgrad\.numpy"):
        lax.add(*args)


@pytest.mark.parametrize(
    "f, message",
    [
        (
            lambda: lax.sin(1),
            "sin does not accept dtype int64. Accepted dtypes are subtypes of floating, complexfloating",
        ),
        (lambda: lax.exp(np.arange(3)), "exp does not accept dtype int64"),
        (lambda: lax.add(True, True), "add does not accept dtype bool"),
        (lambda: lax.max(1j, 1j), "max does not accept dtype complex128"),
        (lambda: lax.real(1.0), "real does not accept dtype float64"),
        (lambda: lax.bitwise_and(1.0, 1.0), "bitwise_and does not accept dtype float64"),
        (lambda: lax.add([1.0], [2.0]), r"add takes arrays and numbers, got \[1.0\] of type list"),
        (lambda: lax.add(A, np.ones((2, 3))), r"same number of dimensions, got shapes \(3,\), \(2, 3\)"),
        (lambda: lax.add(A, np.ones(4)), r"add got incompatible shapes for broadcasting: \(3,\), \(4,\)"),
        (lambda: lax.pow(A, np.arange(4)), "pow got incompatible shapes"),
    ],
)
def test_operands_that_do_not_fit(f, message):
    with pytest.raises(ArgumentError, match=message):
        f()


def test_scalars_and_lengths_of_one_broadcast():
    for y in (1.0, np.float64(1), fnp.asarray(1.0), np.ones(1)):
        np.testing.assert_array_equal(lax.add(A, y), A + 1)
    assert lax.add(np.int8(1), 2).dtype == np.int8


# Choosing.


def test_select():
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(lax.select(x > 1, x, -x), [-1.0, 2.0, 3.0])
    np.testing.assert_array_equal(lax.select(True, x, -x), x)
    np.testing.assert_array_equal(lax.select_n(np.array([0, 1, 2]), x, -x, 2 * x), [1.0, -2.0, 6.0])
    np.testing.assert_array_equal(lax.select_n(x > 1, x, -x), [1.0, -2.0, -3.0])
    np.testing.assert_array_equal(lax.select_n(1, x, -x), -x)
    gradient = fg.grad(lambda x: fnp.sum(lax.select_n(np.array([0, 1, 2]), x, -x, x * x)))(x)
    np.testing.assert_array_equal(gradient, [1.0, -1.0, 6.0])


@pytest.mark.parametrize(
    "args, message",
    [
        ((A > 0, A, 1.0), r"select cases must have the same shapes, got \[\(3,\), \(\)\]"),
        ((A > 0, A, np.arange(3)), "lax.select requires arguments to have the same dtypes"),
        ((A, A, A), "select `which` must be boolean or integer type, got float64"),
        ((np.array([0, 1]), A, A), r"scalar or have the same shape as cases, got `which` shape \(2,\)"),
        ((A > 0, A, A, A), "select with boolean `which` cannot have > 2 cases"),
    ],
)
def test_select_refuses(args, message):
    with pytest.raises(ArgumentError, match=message):
        lax.select_n(*args)


def test_select_without_cases():
    with pytest.raises(ValueError, match="at least one case"):
        lax.select_n(0)


def test_clamp():
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(lax.clamp(0.0, x, 1.0), np.clip(x, 0, 1))
    np.testing.assert_array_equal(lax.clamp(np.zeros(5), x, np.ones(5)), np.clip(x, 0, 1))
    assert lax.clamp(1.0, 0.5, 0.0) == 0.0 and np.isnan(lax.clamp(0.0, np.nan, 1.0))
    assert lax.clamp(0, np.int8(5), 3).dtype == np.int8
    # At the bounds as JAX 0.10: nothing flows to x, nor to the bound.
    np.testing.assert_array_equal(fg.vmap(fg.grad(lambda x: lax.clamp(0.0, x, 1.0)))(x), [0.0, 0.0, 1.0, 0.0, 0.0])
    np.testing.assert_array_equal(fg.vmap(fg.grad(lambda x: lax.clamp(x, 0.5, 1.0)))(x), [0.0, 0.0, 0.0, 0.0, 0.0])
    assert fg.grad(lambda m: lax.clamp(m, 0.5, 1.0))(0.7) == 1.0
    assert fg.grad(lambda m: lax.clamp(0.0, 2.0, m))(1.0) == 1.0
    for args, message in (
        ((0, x, 1.0), "lax.clamp requires arguments to have the same dtypes"),
        ((np.zeros(2), x, 1.0), r"clamp requires min.shape == operand.shape or min.shape == \(\)"),
    ):
        with pytest.raises(ArgumentError, match=message):
            lax.clamp(*args)


def test_platform_dependent():
    assert lax.platform_dependent(0.0, cpu=fnp.cos, default=fnp.sin) == 1.0
    assert lax.platform_dependent(0.0, tpu=fnp.cos, default=fnp.sin) == 0.0
    assert fg.grad(lambda x: lax.platform_dependent(x, cpu=lambda x: x * x))(3.0) == 6.0
    with pytest.raises(TypeError, match="no function for the platform cpu, only for tpu"):
        lax.platform_dependent(0.0, tpu=fnp.cos)

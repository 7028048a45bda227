"""Conventions at ties and singular points, accuracy at extreme arguments, and what the rules keep.

That every rule is right at ordinary points is the business of tests/test_every_primitive.py.
"""

import math

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import registry
from funcgrad.ops import elementwise
from funcgrad.testing import check_grads
from funcgrad.torch.primitives import conventions

inf, nan = math.inf, math.nan
ELSEWHERE = {"matmul", "vecdot", "matvec", "vecmat"}  # contractions
UFUNCS = {f for f in vars(np).values() if isinstance(f, np.ufunc) and f.__name__ not in ELSEWHERE}


def gradients(f, *args):
    """The gradient with respect to each operand, in reverse and in forward mode."""
    args = [float(a) for a in args]
    reverse = fg.grad(f, tuple(range(len(args))))(*args)
    forward = [fg.jvp(lambda x, i=i: f(*args[:i], x, *args[i + 1 :]), (a,), (1.0,))[1] for i, a in enumerate(args)]
    return [float(g) for g in reverse], [float(t) for t in forward]


@pytest.mark.parametrize("ufunc", sorted(UFUNCS - {np.isnat}, key=lambda f: f.__name__), ids=lambda f: f.__name__)
def test_each_ufunc_is_the_implementation_of_one_primitive(ufunc):
    found = [p for p in registry.values() if p.impl is ufunc]
    assert found[0].name == ufunc.__name__
    assert all(p in vars(conventions).values() for p in found[1:])  # declared again, with torch's conventions


# Recorded from jax 0.10.2 in double precision.
@pytest.mark.parametrize(
    "name, args, expected",
    [
        ("maximum", (1, 1), (0.5, 0.5)),
        ("maximum", (2, 1), (1, 0)),
        ("maximum", (inf, inf), (0.5, 0.5)),
        ("maximum", (-inf, -inf), (0.5, 0.5)),
        ("maximum", (1, nan), (0, 0)),
        ("minimum", (1, 1), (0.5, 0.5)),
        ("minimum", (2, 1), (0, 1)),
        ("minimum", (nan, 1), (0, 0)),
        ("fmax", (1, 1), (0, 1)),
        ("fmax", (1, nan), (1, 0)),
        ("fmax", (nan, 1), (0, 1)),
        ("fmax", (nan, nan), (1, 0)),
        ("fmin", (1, 1), (0, 1)),
        ("fmin", (1, nan), (1, 0)),
        ("fmin", (2, 1), (0, 1)),
        ("power", (0, 1), (1, 0)),
        ("power", (0, 2), (0, 0)),
        ("power", (0, 1.5), (0, 0)),
        ("power", (1, 0), (0, 0)),
        ("float_power", (0, 2), (0, 0)),
        ("absolute", (0,), (1,)),
        ("absolute", (-0.0,), (1,)),
        ("absolute", (-3,), (-1,)),
        ("fabs", (0,), (1,)),
        ("sign", (0,), (0,)),
        ("rint", (0.5,), (0,)),
        ("copysign", (0, -1), (-1, 0)),
        ("copysign", (-1, 1), (-1, 0)),
        ("copysign", (-1, -1), (1, 0)),
        ("heaviside", (0, 1), (0, 1)),
        ("heaviside", (1, -1), (0, 0)),
        ("fmod", (-5.5, 2), (1, 2)),
        ("remainder", (-5.5, 2), (1, 3)),
        ("remainder", (1, -1), (1, 1)),
        ("floor_divide", (5.5, 2), (0, 0)),
        ("sinc", (0,), (0,)),
    ],
)
def test_ties_and_singular_points(name, args, expected):
    for got in gradients(getattr(fnp, name), *args):
        assert got == [float(e) for e in expected]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy says what the infinities and nans come from
@pytest.mark.parametrize(
    "name, args, expected",
    [
        ("power", (-2, 2), (-4, nan)),
        ("power", (-2, 3), (12, nan)),
        ("power", (-2, 0.5), (nan, nan)),
        ("power", (0, 0.5), (inf, 0)),
        ("power", (0, -1), (-inf, nan)),
        ("power", (inf, 0), (0, inf)),
        ("sqrt", (0,), (inf,)),
        ("cbrt", (0,), (inf,)),
        ("reciprocal", (0,), (-inf,)),
        ("arctan2", (0, 0), (nan, nan)),
        ("arcsin", (1,), (inf,)),
        ("arccosh", (1,), (inf,)),
        ("logaddexp", (-inf, -inf), (nan, nan)),
    ],
)
def test_infinite_derivatives(name, args, expected):
    for got in gradients(getattr(fnp, name), *args):
        np.testing.assert_array_equal(got, expected)


# Where funcgrad gives the value of the limit and jax 0.10.2 does not.
@pytest.mark.parametrize(
    "name, args, expected",
    [
        ("power", (0, 0), (0, 0)),  # jax: nan by x, although x ** 0 is constant
        ("hypot", (0, 0), (0, 0)),  # jax: 0.5, from the tie and |0|
        ("logaddexp", (inf, 0), (1, 0)),  # jax: 1 for both
        ("logaddexp", (0, -inf), (1, 0)),
        ("fmod", (1, 0.1), (1, -9)),  # jax: -10, but the remainder is that of 9 · 0.1
        ("remainder", (1, 0.1), (1, -9)),
        ("nextafter", (1, 2), (1, 0)),  # jax: not implemented
    ],
)
def test_better_than_the_model(name, args, expected):
    for got in gradients(getattr(fnp, name), *args):
        assert got == [float(e) for e in expected]


tiny = 2.0**-40


@pytest.mark.parametrize(
    "name, args, expected",
    [
        ("arcsin", (1 - tiny,), (1 / math.sqrt(tiny * (2 - tiny)),)),
        ("arccos", (1 - tiny,), (-1 / math.sqrt(tiny * (2 - tiny)),)),
        ("arctanh", (1 - tiny,), (1 / (tiny * (2 - tiny)),)),
        ("arccosh", (1 + tiny,), (1 / math.sqrt(tiny * (2 + tiny)),)),
        ("arccosh", (1e200,), (1e-200,)),
        ("arcsinh", (1e200,), (1e-200,)),
        ("arctan2", (1e200, 1e200), (0.5e-200, -0.5e-200)),
        ("arctan2", (1e-200, 1e-200), (0.5e200, -0.5e200)),
        ("hypot", (3e200, 4e200), (0.6, 0.8)),
        ("log1p", (tiny - 1,), (1 / tiny,)),
        ("logaddexp", (1e10, 1e10), (0.5, 0.5)),
        ("logaddexp", (-50, 0), (math.exp(-50), 1)),
        ("logaddexp", (1000, 0), (1, 0)),
        ("logaddexp2", (-50, 0), (2.0**-50, 1)),
        ("power", (3, 2), (6, 9 * math.log(3))),
        ("frexp", (5,), (0.125,)),
        ("modf", (-2.5,), (1,)),
        ("divmod", (7.5, 2), (1, -3)),
    ],
)
def test_accuracy(name, args, expected):
    f = getattr(fnp, name)
    part = {"frexp": 0, "modf": 0, "divmod": 1}.get(name)
    for got in gradients(f if part is None else lambda *xs: f(*xs)[part], *args):
        np.testing.assert_allclose(got, expected, rtol=4e-15)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 2.5, np.float32(2), np.uint8(0), np.uint8(3)])
def test_power_with_a_number(exponent):
    x, n = np.array([0.5, 2.0]), float(exponent)
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(fnp.power(x, exponent)))(x), n * x ** (n - 1), rtol=1e-15)
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(x**exponent))(x), n * x ** (n - 1), rtol=1e-15)


@pytest.mark.parametrize("kind", ["uint8", "int64", "float64", "bool"])
def test_power_with_an_array_of_exponents_at_zero(kind):
    exponents = np.array([0, 1]) if kind == "bool" else np.array([0, 1, 2, 3])
    exponents = exponents.astype(kind)
    got = fg.grad(lambda x: fnp.sum(x**exponents))(0.0)
    assert float(got) == 1.0


@pytest.mark.parametrize("base, slope", [(2.0, 4 * math.log(2)), (2, 4 * math.log(2)), (0.0, 0.0), (0, 0.0)])
def test_power_of_a_number(base, slope):
    for dtype in (np.float32, np.float64):
        g = fg.grad(lambda y: base**y)(dtype(2))
        assert g.dtype == dtype
        np.testing.assert_allclose(g, slope, rtol=1e-6)


def test_mixed_derivative_of_power_where_the_exponent_is_zero():
    mixed = fg.grad(lambda y: fg.grad(fnp.power)(4.0, y))
    assert float(mixed(0.0)) == 0.25  # d/dy of y x^(y - 1)


@pytest.mark.parametrize(
    "name, mask, kept",
    [
        ("add", (True, True), ()),
        ("negative", (True,), ()),
        ("multiply", (True, True), ("y", "x")),
        ("multiply", (True, False), ("y",)),
        ("divide", (True, False), ("y",)),
        ("divide", (True, True), ("y", "out")),
        ("tanh", (True,), ("out",)),
        ("exp", (True,), ("out",)),
        ("sqrt", (True,), ("out",)),
        ("sin", (True,), ("x",)),
    ],
)
def test_what_is_kept(name, mask, kept):
    assert getattr(elementwise, name).plans[mask].names == kept


@pytest.mark.parametrize(
    "f, z",
    [
        (fnp.absolute, 1 - 2j),
        (fnp.sign, -0.5 + 2j),
        (fnp.conjugate, 1 + 2j),
        (fnp.real, 1 + 2j),
        (fnp.imag, 1 + 2j),
        (fnp.angle, -1 + 2j),
        (fnp.arccosh, -2 + 1j),
        (fnp.arccosh, -2 - 1j),
        (fnp.arcsin, -2 + 1j),
        (fnp.arccos, 2 - 1j),
        (fnp.arcsinh, 0.5 + 2j),
        (fnp.arctanh, -2 + 1j),
        (fnp.sqrt, -2 + 1j),
        (fnp.log, -2 - 1j),
        (fnp.power, -2 - 1j),
        (fnp.tan, -2 - 1j),
    ],
)
def test_complex_derivatives_away_from_the_first_quadrant(f, z):
    args = (np.complex128(z), np.complex128(0.5 - 1j)) if f is fnp.power else (np.complex128(z),)
    check_grads(f, args, order=2)


def test_complex_convention():
    """Recorded from jax 0.10.2: vjp is the transpose without conjugation."""
    z = np.complex128(1 + 2j)
    for f, g, expected in [
        (fnp.absolute, 1.0, z.conjugate() / abs(z)),
        (fnp.conjugate, 3 + 4j, 3 - 4j),
        (fnp.real, 1.0, 1 + 0j),
        (fnp.imag, 1.0, -1j),
        (fnp.angle, 1.0, -0.4 - 0.2j),
        (fnp.square, 1 + 0j, 2 * z),
    ]:
        np.testing.assert_allclose(complex(fg.vjp(f, z)[1](g)[0]), expected, rtol=1e-15)
    assert complex(fg.grad(fnp.absolute)(np.complex128(0))) == 0


def test_higher_derivatives_in_float32_stay_float32():
    for f in (fnp.exp2, fnp.log2, fnp.log10, fnp.logaddexp2, fnp.power, fnp.hypot, fnp.maximum, fnp.deg2rad):
        x = np.float32(1.5)
        g = fg.grad(fg.grad(lambda x, f=f: f(x) if f.__name__ in {"exp2", "log2", "log10", "deg2rad"} else f(x, 3 * x)))
        assert g(x).dtype == np.float32


def test_finite_differences_in_both_operands_at_once():
    x, y = np.array([[0.3], [-1.2]]), np.array([0.7, -0.4, 2.0])
    for f in (fnp.arctan2, fnp.hypot, fnp.logaddexp, fnp.maximum, fnp.fmin, fnp.copysign, fnp.divide):
        check_grads(f, (x, y), order=2)

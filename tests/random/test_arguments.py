"""Shapes, dtypes and parameters that cannot be; every error names the function and the argument."""

import numpy as np
import pytest

from funcgrad import random
from funcgrad.errors import ArgumentError, ShapeError

KEY = random.key(0)

# Functions of a key and a shape, and those that take floating dtypes only.
FLOATING = {
    "uniform": lambda shape=(), dtype=None: random.uniform(KEY, shape, dtype),
    "truncated_normal": lambda shape=(), dtype=None: random.truncated_normal(KEY, -1.0, 1.0, shape, dtype),
    "maxwell": lambda shape=(), dtype=None: random.maxwell(KEY, shape, dtype),
    "double_sided_maxwell": lambda shape=(), dtype=None: random.double_sided_maxwell(KEY, 0.0, 1.0, shape, dtype),
    "gamma": lambda shape=(), dtype=None: random.gamma(KEY, 1.0, shape, dtype),
    "loggamma": lambda shape=(), dtype=None: random.loggamma(KEY, 1.0, shape, dtype),
    "beta": lambda shape=(), dtype=None: random.beta(KEY, 1.0, 1.0, shape, dtype),
    "dirichlet": lambda shape=(), dtype=None: random.dirichlet(KEY, np.ones(2), shape, dtype),
    "chisquare": lambda shape=(), dtype=None: random.chisquare(KEY, 1.0, shape, dtype),
    "f": lambda shape=(), dtype=None: random.f(KEY, 1.0, 1.0, shape, dtype),
    "t": lambda shape=(), dtype=None: random.t(KEY, 1.0, shape, dtype),
    "generalized_normal": lambda shape=(), dtype=None: random.generalized_normal(KEY, 1.0, shape, dtype),
    "ball": lambda shape=(), dtype=None: random.ball(KEY, 2, 2.0, shape, dtype),
    "exponential": lambda shape=(), dtype=None: random.exponential(KEY, shape, dtype),
    "gumbel": lambda shape=(), dtype=None: random.gumbel(KEY, shape, dtype),
    "laplace": lambda shape=(), dtype=None: random.laplace(KEY, shape, dtype),
    "logistic": lambda shape=(), dtype=None: random.logistic(KEY, shape, dtype),
    "cauchy": lambda shape=(), dtype=None: random.cauchy(KEY, shape, dtype),
    "pareto": lambda shape=(), dtype=None: random.pareto(KEY, 1.0, shape, dtype),
    "rayleigh": lambda shape=(), dtype=None: random.rayleigh(KEY, 1.0, shape, dtype),
    "weibull_min": lambda shape=(), dtype=None: random.weibull_min(KEY, 1.0, 1.0, shape, dtype),
    "triangular": lambda shape=(), dtype=None: random.triangular(KEY, 0.0, 1.0, 2.0, shape, dtype),
    "wald": lambda shape=(), dtype=None: random.wald(KEY, 1.0, shape, dtype),
    "binomial": lambda shape=(), dtype=None: random.binomial(KEY, 5, 0.5, shape, dtype),
}
COMPLEX_TOO = {
    "normal": lambda shape=(), dtype=None: random.normal(KEY, shape, dtype),
    "lognormal": lambda shape=(), dtype=None: random.lognormal(KEY, 1.0, shape, dtype),
    "orthogonal": lambda shape=(), dtype=None: random.orthogonal(KEY, 2, shape, dtype),
}
INTEGER = {
    "randint": lambda shape=(), dtype=None: random.randint(KEY, shape, 0, 5, dtype),
    "poisson": lambda shape=(), dtype=None: random.poisson(KEY, 3.0, shape, dtype),
    "geometric": lambda shape=(), dtype=None: random.geometric(KEY, 0.5, shape, dtype),
    "bits": lambda shape=(), dtype="uint32": random.bits(KEY, shape, dtype),
}
OTHERS = {
    "bernoulli": lambda shape=(): random.bernoulli(KEY, 0.5, shape),
    "rademacher": lambda shape=(): random.rademacher(KEY, shape),
    "choice": lambda shape=(): random.choice(KEY, 5, shape),
    "choice of unlike entries": lambda shape=(): random.choice(KEY, 5, shape, p=np.arange(5.0)),
}
SHAPED = FLOATING | COMPLEX_TOO | INTEGER | OTHERS


def each(functions):
    return pytest.mark.parametrize("name, f", functions.items(), ids=functions)


@each(SHAPED)
def test_shapes(name, f):
    bare = f(()).shape
    for shape in ((3,), [2, 3], (0,), (np.int64(2), 1), np.array([2, 2])):
        assert f(shape).shape == tuple(int(n) for n in shape) + bare


@each(SHAPED)
def test_no_shape(name, f):
    name = name.partition(" ")[0]
    with pytest.raises(ArgumentError, match=rf"{name}: shape must be a tuple of ints, got 3; write shape=\(3,\)"):
        f(3)
    with pytest.raises(ArgumentError, match=rf"{name}: shape must hold ints, got \(2.5,\)"):
        f((2.5,))
    with pytest.raises(ArgumentError, match=f"{name}: shape must be a tuple of ints, got 'ab'"):
        f("ab")
    with pytest.raises(ShapeError, match=rf"{name}: shape must not hold negative numbers, got \(2, -1\)"):
        f((2, -1))


@each(FLOATING)
def test_floating_dtypes(name, f):
    assert f().dtype == np.float64
    for dtype in ("float16", np.float32, float):
        assert f(dtype=dtype).dtype == dtype
    for dtype in (int, complex, bool, np.longdouble):
        with pytest.raises(ArgumentError, match=f"{name}: dtype must be float16, float32 or float64, got"):
            f(dtype=dtype)


@each(COMPLEX_TOO)
def test_inexact_dtypes(name, f):
    assert f().dtype == np.float64
    for dtype in ("float32", np.complex64, complex):
        assert f(dtype=dtype).dtype == dtype
    with pytest.raises(ArgumentError, match=f"{name}: dtype must be a floating or complex dtype, got int64"):
        f(dtype=int)


@each(INTEGER)
def test_integer_dtypes(name, f):
    assert f(dtype="uint8").dtype == np.uint8
    with pytest.raises(ValueError, match=f"{name}: dtype must be an (unsigned )?integer dtype, got float64"):
        f(dtype=float)


def test_a_wrong_dtype_is_an_error_of_type_and_of_value():
    for kind in (ArgumentError, TypeError, ValueError):
        with pytest.raises(kind):
            random.uniform(KEY, (), int)


def test_dtypes_of_signs_and_bits():
    assert random.rademacher(KEY).dtype == np.int64 and random.bits(KEY).dtype == np.uint64
    with pytest.raises(ArgumentError, match="rademacher: dtype must hold 1 and -1, got uint8"):
        random.rademacher(KEY, (), np.uint8)
    with pytest.raises(ArgumentError, match="bits: dtype must be an unsigned"):
        random.bits(KEY, (), int)


WRONG = [
    (lambda: random.uniform(KEY, (3,), minval=np.zeros(2)), ShapeError, r"uniform: .* to shape \(3,\).*minval \(2,\)"),
    (lambda: random.uniform(KEY, (), minval=np.zeros(2)), ShapeError, r"uniform: .* to shape \(\)"),
    (lambda: random.uniform(KEY, maxval=1j), ArgumentError, r"uniform: maxval must be real, got complex128\[\]"),
    (lambda: random.randint(KEY, (2,), 0, "a"), ArgumentError, "randint: maxval must be a number or an array, got 'a'"),
    (lambda: random.gamma(KEY, None), ArgumentError, "gamma: a must be a number or an array, got None"),
    (lambda: random.gamma(KEY, np.ones(3), (2,)), ShapeError, r"gamma: .*a \(3,\)"),
    (lambda: random.beta(KEY, np.ones(3), np.ones(2)), ShapeError, r"beta: .*a \(3,\), b \(2,\)"),
    (lambda: random.bernoulli(KEY, 1), ArgumentError, "bernoulli: p must be of a floating dtype, got int64"),
    (lambda: random.bernoulli(KEY, mode="x"), ArgumentError, 'bernoulli: mode must be "high" or "low", got \'x\''),
    (lambda: random.gumbel(KEY, mode="x"), ArgumentError, "gumbel: mode must be"),
    (lambda: random.dirichlet(KEY, 1.0), ShapeError, "dirichlet: alpha must have an axis"),
    (lambda: random.multinomial(KEY, 3, 1.0), ShapeError, "multinomial: p must have an axis"),
    (lambda: random.orthogonal(KEY, -2), ShapeError, "orthogonal: n, m must not"),
    (lambda: random.orthogonal(KEY, 2.5), ArgumentError, "orthogonal: n, m must hold ints"),
    (lambda: random.ball(KEY, 1.5), ArgumentError, "ball: d must hold ints"),
    (lambda: random.ball(KEY, 2, np.ones(2)), ShapeError, r"ball: .*p \(2,\)"),
    (
        lambda: random.multivariate_normal(KEY, np.ones(2), np.eye(3)),
        ShapeError,
        r"multivariate_normal: .*mean \(2,\) and cov \(3, 3\)",
    ),
    (
        lambda: random.multivariate_normal(KEY, np.ones(2), np.eye(2), method="lu"),
        ArgumentError,
        "multivariate_normal: method must be",
    ),
    (lambda: random.permutation(KEY, 5.0), ArgumentError, "permutation: x must be an array or an integer"),
    (lambda: random.permutation(KEY, np.ones((2, 3)), 2), np.exceptions.AxisError, "axis 2"),
    (lambda: random.permutation(KEY, 5, 1), np.exceptions.AxisError, "axis 1"),
    (lambda: random.choice(KEY, 5.0), ArgumentError, "choice: a must be an array or an integer"),
    (lambda: random.choice(KEY, 0, (2,)), ShapeError, r"choice: a has no entries"),
    (lambda: random.choice(KEY, 3, (4,), False), ShapeError, "choice: 4 entries cannot be drawn from 3"),
    (lambda: random.choice(KEY, 3, p=np.ones(4)), ShapeError, r"choice: p must be of shape \(3,\).*got \(4,\)"),
    (lambda: random.choice(KEY, 2, p=[0.5, -0.5]), ArgumentError, "choice: p must hold numbers that are not negative"),
    (lambda: random.choice(KEY, 2, p=[0.0, 0.0]), ArgumentError, "choice: p must hold numbers .* not all zero"),
    (lambda: random.choice(KEY, 2, p=[0.5, np.nan]), ArgumentError, "choice: p must hold"),
    (lambda: random.categorical(KEY, np.arange(3)), ArgumentError, "categorical: dtype must be float16"),
    (lambda: random.categorical(KEY, np.ones((2, 3)), shape=(3,)), ShapeError, r"categorical: .*logits \(2,\)"),
    (lambda: random.categorical(KEY, np.ones(2), shape=(3,), replace=False), ShapeError, "categorical: 3 of 2"),
    (lambda: random.categorical(KEY, np.ones(2), 1), np.exceptions.AxisError, "axis 1"),
]


@pytest.mark.parametrize("f, kind, told", WRONG, ids=[w[2] for w in WRONG])
def test_wrong_arguments(f, kind, told):
    with pytest.raises(kind, match=told):
        f()


def test_parameters_may_be_lists_and_integers():
    assert random.gamma(KEY, [1, 2, 3]).dtype == np.float64
    assert random.uniform(KEY, (2,), np.float32, [0, 1], 2).dtype == np.float32
    np.testing.assert_array_equal(random.gamma(KEY, [1, 2]), random.gamma(KEY, np.array([1.0, 2.0])))


def test_parameters_broadcast():
    assert random.beta(KEY, np.ones((3, 1)), np.ones(2)).shape == (3, 2)
    assert random.binomial(KEY, np.ones((3, 1)), np.full(2, 0.5), (4, 3, 2)).shape == (4, 3, 2)
    assert random.multivariate_normal(KEY, np.ones((3, 1, 2)), np.eye(2) * np.ones((4, 1, 1))).shape == (3, 4, 2)

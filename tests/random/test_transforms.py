"""Random functions under transforms: batches of keys, tapes, and derivatives in the parameters of distributions."""

import numpy as np
import pytest
from scipy import special

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import random
from funcgrad.core.trace import Tracer
from funcgrad.errors import NoValueError
from funcgrad.testing import check_adjoint, check_grads

KEY = random.key(42)
MEAN, COV = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 1.5]])
POSITIVE = np.array([0.05, 0.7, 1.0, 3.0, 40.0])

# Each takes a key and an array of five positive parameters.
SAMPLERS = {
    "split": lambda k, a: random.split(k, 3),
    "fold_in": lambda k, a: random.fold_in(k, fnp.astype(fnp.floor(a[4]), int)),
    "bits": lambda k, a: random.bits(k, (3,), "uint16"),
    "uniform": lambda k, a: random.uniform(k, (2, 5), minval=-a, maxval=a),
    "randint": lambda k, a: random.randint(k, (5,), 0, fnp.ceil(a)),
    "bernoulli": lambda k, a: random.bernoulli(k, a / 50, (3, 5)),
    "rademacher": lambda k, a: random.rademacher(k, (3,)),
    "permutation": lambda k, a: random.permutation(k, a),
    "permutation of rows": lambda k, a: random.permutation(k, fnp.stack([a, a + 1, a + 2])),
    "choice": lambda k, a: random.choice(k, a, (3,)),
    "choice by p": lambda k, a: random.choice(k, 5, (3,), p=a),
    "choice without replacement": lambda k, a: random.choice(k, 5, (3,), False, a),
    "categorical": lambda k, a: random.categorical(k, fnp.log(a), shape=(7,)),
    "categorical without replacement": lambda k, a: random.categorical(k, fnp.log(a), shape=(4,), replace=False),
    "normal": lambda k, a: random.normal(k, (3,)),
    "normal in single precision": lambda k, a: random.normal(k, (3,), "float32"),
    "complex normal": lambda k, a: random.normal(k, (3,), complex),
    "truncated_normal": lambda k, a: random.truncated_normal(k, -a, a),
    "lognormal": lambda k, a: random.lognormal(k, a),
    "multivariate_normal": lambda k, a: random.multivariate_normal(k, a, fnp.diag(a)),
    "maxwell": lambda k, a: random.maxwell(k, (2,)),
    "double_sided_maxwell": lambda k, a: random.double_sided_maxwell(k, a, a),
    "orthogonal": lambda k, a: random.orthogonal(k, 3),
    "gamma": lambda k, a: random.gamma(k, a),
    "loggamma": lambda k, a: random.loggamma(k, a),
    "beta": lambda k, a: random.beta(k, a, a[::-1]),
    "dirichlet": lambda k, a: random.dirichlet(k, a),
    "chisquare": lambda k, a: random.chisquare(k, a),
    "f": lambda k, a: random.f(k, a, a + 1),
    "t": lambda k, a: random.t(k, a),
    "generalized_normal": lambda k, a: random.generalized_normal(k, a[1:], (4,)),
    "ball": lambda k, a: random.ball(k, 2, 1.5, (2,)),
    "exponential": lambda k, a: random.exponential(k, (3,)),
    "gumbel": lambda k, a: random.gumbel(k, (3,)),
    "gumbel high": lambda k, a: random.gumbel(k, (3,), mode="high"),
    "gumbel highest": lambda k, a: random.gumbel(k, (3,), "float32", "highest"),
    "laplace": lambda k, a: random.laplace(k, (3,)),
    "logistic": lambda k, a: random.logistic(k, (3,)),
    "cauchy": lambda k, a: random.cauchy(k, (3,)),
    "pareto": lambda k, a: random.pareto(k, a),
    "rayleigh": lambda k, a: random.rayleigh(k, a),
    "weibull_min": lambda k, a: random.weibull_min(k, a, a, (5,)),
    "triangular": lambda k, a: random.triangular(k, -a, 0.01, a),
    "wald": lambda k, a: random.wald(k, a),
    "poisson": lambda k, a: random.poisson(k, a),
    "binomial": lambda k, a: random.binomial(k, fnp.ceil(a) * 3, 0.4),
    "multinomial": lambda k, a: random.multinomial(k, 30, a / fnp.sum(a)),
    "geometric": lambda k, a: random.geometric(k, a / 100),
}
EVERY = pytest.mark.parametrize("f", SAMPLERS.values(), ids=SAMPLERS)


def test_every_function_is_here():
    public = {n for n, v in vars(random).items() if callable(v) and not n.startswith("_")}
    words = {name.split()[0] for name in SAMPLERS} | {"key"}
    assert public - words == {"PRNGKey", "key_data", "wrap_key_data", "key_impl", "clone"}


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@EVERY
def test_a_batch_of_keys_is_a_loop(f):
    keys, a = random.split(KEY, 4), fnp.array(POSITIVE)
    many = fnp.stack([a, 2 * a, a / 2, a + 1])
    if f is SAMPLERS["orthogonal"] or f is SAMPLERS["maxwell"]:  # linear algebra rounds a batch in another order
        near = np.testing.assert_allclose
    else:
        near = same
    near(fg.vmap(f, (0, None))(keys, a), fnp.stack([f(k, a) for k in keys]))
    near(fg.vmap(f)(keys, many), fnp.stack([f(k, b) for k, b in zip(keys, many)]))
    near(fg.vmap(f, (None, 0))(KEY, many), fnp.stack([f(KEY, b) for b in many]))


@EVERY
def test_a_batch_of_raw_keys_and_batches_in_batches(f):
    keys, a = random.split(random.PRNGKey(42), (2, 2)), fnp.array(POSITIVE)
    nested = fg.vmap(fg.vmap(lambda k: f(k, a)))(keys)
    expected = fnp.stack([fnp.stack([f(k, a) for k in row]) for row in keys])
    np.testing.assert_allclose(nested, expected, rtol=1e-12)


@EVERY
def test_a_tape_takes_the_key(f):
    a = fnp.array(POSITIVE)
    tape = fg.make_tape(f)(KEY, a)
    other = random.key(7)
    same(tape(other, 2 * a), f(other, 2 * a))
    kind = fg.eval_shape(f, KEY, a)
    assert (kind.shape, kind.dtype) == (f(KEY, a).shape, f(KEY, a).dtype)


@EVERY
def test_the_result_is_an_array_and_always_the_same(f):
    first = f(KEY, fnp.array(POSITIVE))
    assert type(first) is fg.Array
    same(first, f(KEY, fnp.array(POSITIVE)))


def test_what_is_batched_has_no_number():
    for f in (random.permutation, random.choice):
        with pytest.raises(NoValueError):
            fg.vmap(lambda n: f(KEY, n))(fnp.arange(1, 3))


# Derivatives


def test_derivatives_of_uniform_in_its_bounds():
    u = random.uniform(KEY, (4,))
    low, high = np.full(4, -1.0), np.full(4, 2.0)
    value, pullback = fg.vjp(lambda a, b: random.uniform(KEY, (4,), minval=a, maxval=b), low, high)
    np.testing.assert_allclose(value, -1 + 3 * u, rtol=1e-15)
    by_low, by_high = pullback(np.ones(4))
    np.testing.assert_allclose(by_low, 1 - u, rtol=1e-14)
    np.testing.assert_allclose(by_high, u, rtol=1e-14)


SMOOTH = {
    "uniform": lambda a: random.uniform(KEY, (2, 5), minval=a, maxval=2 * a),
    "normal": lambda a: a * random.normal(KEY, (5,)) + a,
    "truncated_normal": lambda a: random.truncated_normal(KEY, -a - 0.3, 2.0, dtype=float),
    "lognormal": lambda a: random.lognormal(KEY, a / 10),
    "double_sided_maxwell": lambda a: random.double_sided_maxwell(KEY, a, a**2),
    "pareto": lambda a: random.pareto(KEY, a + 1),
    "rayleigh": lambda a: random.rayleigh(KEY, a),
    "weibull_min": lambda a: random.weibull_min(KEY, a, a + 1, (5,)),
    "triangular": lambda a: random.triangular(KEY, -a, a / 3, a),
    "wald": lambda a: random.wald(KEY, a + 1),
    "permutation": lambda a: random.permutation(KEY, a),
    "choice": lambda a: random.choice(KEY, a, (7,)),
    "choice without replacement": lambda a: random.choice(KEY, a, (3,), False),
}


@pytest.mark.parametrize("f", SMOOTH.values(), ids=SMOOTH)
def test_derivatives_of_formulas(f):
    check_grads(f, (np.array([0.5, 0.7, 1.0, 3.0, 2.0]),), order=2)


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_derivatives_of_multivariate_normal(method):
    def f(mean, root):
        return random.multivariate_normal(KEY, mean, root @ root.T, (4,), method=method)

    check_grads(f, (MEAN, np.linalg.cholesky(COV)), rtol=1e-5)


# P(a, x) stays as it is when a moves, so the derivative is that of the quantile function at a fixed probability.
ORDERS = np.array([0.01, 0.3, 1.0, 2.5, 14.0, 15.0, 30.0, 1e3, 1e5])


def quantile_derivative(a, x, step=1e-3):
    """Of log x, by differences of the inverse of the nearer tail."""
    low, high = special.gammainc(a, x), special.gammaincc(a, x)

    def log_quantile(b):
        return np.log(np.where(low < high, special.gammaincinv(b, low), special.gammainccinv(b, high)))

    h = step * a
    differences = 8 * (log_quantile(a + h) - log_quantile(a - h)) - (log_quantile(a + 2 * h) - log_quantile(a - 2 * h))
    return differences / (12 * h)


@pytest.mark.parametrize("a", ORDERS)
def test_derivatives_of_gamma_are_those_of_its_quantiles(a):
    many = np.full(50, a)
    y, slope = fg.jvp(lambda b: random.loggamma(KEY, b), (many,), (np.ones(50),))
    x = np.exp(np.asarray(y))
    seen = x > 1e-280
    assert seen.any()
    np.testing.assert_allclose(np.asarray(slope)[seen], quantile_derivative(many[seen], x[seen]), rtol=1e-6)
    x, slope = fg.jvp(lambda b: random.gamma(KEY, b), (many,), (np.ones(50),))
    found = np.asarray(slope / fnp.where(x == 0, 1, x))[seen]
    np.testing.assert_allclose(found, quantile_derivative(many[seen], np.asarray(x)[seen]), rtol=1e-6)
    check_adjoint(lambda b: random.gamma(KEY, b), (many,))


def test_derivatives_of_loggamma_where_gamma_underflows():
    """P is x^a / Γ(a + 1) there, so log x = (log P + log Γ(a + 1)) / a."""
    a = 1e-4
    y, slope = fg.jvp(lambda b: random.loggamma(KEY, b, (20,)), (a,), (1.0,))
    assert (np.asarray(y) < -800).any()
    np.testing.assert_allclose(slope, (special.digamma(a + 1) - np.asarray(y)) / a, rtol=1e-6)


def test_derivatives_of_gamma_in_single_precision():
    a = np.float32([0.3, 2.0, 50.0])
    x, slope = fg.jvp(lambda b: random.gamma(KEY, b, dtype="float32"), (a,), (np.ones(3, np.float32),))
    assert slope.dtype == np.float32
    expected = np.asarray(x) * quantile_derivative(a.astype(float), np.asarray(x, float))
    np.testing.assert_allclose(slope, expected, rtol=1e-4)


# The mean of the derivatives is the derivative of the mean.
MEANS = {
    "gamma": (lambda a, n: random.gamma(KEY, a, n), lambda a: a),
    "chisquare": (lambda a, n: random.chisquare(KEY, a, n), lambda a: a),
    "beta": (lambda a, n: random.beta(KEY, a, 2.0, n), lambda a: a / (a + 2)),
    "beta, b": (lambda b, n: random.beta(KEY, 2.0, b, n), lambda b: 2 / (b + 2)),
    "dirichlet": (
        lambda a, n: random.dirichlet(KEY, a * fnp.array([1.0, 0, 0]) + 1, n)[:, 0],
        lambda a: (a + 1) / (a + 3),
    ),
    "t": (lambda a, n: random.t(KEY, a + 6, n) ** 2, lambda a: (a + 6) / (a + 4)),
    "f": (lambda a, n: random.f(KEY, 3.0, a + 8, n), lambda a: (a + 8) / (a + 6)),
    "generalized_normal": (
        lambda p, n: random.generalized_normal(KEY, p, n) ** 2,
        lambda p: special.gamma(3 / p) / special.gamma(1 / p),
    ),
    "ball": (lambda p, n: fnp.sum(fnp.abs(random.ball(KEY, 2, p, n)) ** p, -1), lambda p: 2 / (2 + p)),
}


@pytest.mark.parametrize("f, mean", MEANS.values(), ids=MEANS)
def test_derivatives_of_means(f, mean):
    a, n = 1.3, 20_000
    x, slopes = fg.jvp(lambda a: f(a, (n,)), (a,), (1.0,))
    x, slopes = np.asarray(x), np.asarray(slopes)
    h = 1e-5
    expected = (mean(a + h) - mean(a - h)) / (2 * h)
    assert abs(x.mean() - mean(a)) < 5 * x.std() / np.sqrt(n)
    assert abs(slopes.mean() - expected) < 5 * slopes.std() / np.sqrt(n)
    assert slopes.std() > 0


@pytest.mark.parametrize("a", [0.3, 2.5, 30.0])
def test_second_derivatives_of_gamma_are_those_of_its_quantiles(a):
    x = np.asarray(random.gamma(KEY, a, (20,)))
    low, high = special.gammainc(a, x), special.gammaincc(a, x)
    h = 1e-3 * a

    def quantile(b):
        return np.where(low < high, special.gammaincinv(b, low), special.gammainccinv(b, high))

    expected = (16 * (quantile(a + h) + quantile(a - h)) - quantile(a + 2 * h) - quantile(a - 2 * h) - 30 * x) / (
        12 * h * h
    )
    found = fg.jacfwd(fg.jacrev(lambda b: random.gamma(KEY, b, (20,))))(a)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.max(np.abs(expected)))


def test_numbers_of_events_do_not_move():
    for f in (
        lambda a: random.poisson(KEY, a) * 1.0,
        lambda a: random.binomial(KEY, 10, a / 50).sum(),
        lambda a: random.bernoulli(KEY, a / 50) * 1.0,
        lambda a: random.geometric(KEY, a / 50) * 1.0,
    ):
        assert fg.grad(lambda a: fnp.sum(f(a)))(3.0) == 0


def test_a_key_can_be_an_argument_of_what_is_differentiated():
    def loss(w, key):
        return fnp.sum(w * random.normal(key, (3,)))

    np.testing.assert_array_equal(fg.grad(loss)(np.ones(3), KEY), random.normal(KEY, (3,)))
    cotangents = fg.vjp(loss, np.ones(3), KEY)[1](1.0)
    assert (cotangents[1].dtype, cotangents[1].shape) == (fg.float0, ())
    tape = fg.make_tape(fg.grad(loss))(np.ones(3), KEY)
    np.testing.assert_array_equal(tape(np.ones(3), random.key(1)), random.normal(random.key(1), (3,)))


def test_gradients_of_each_example():
    keys, scales = random.split(KEY, 3), np.array([1.0, 2.0, 5.0])
    each = fg.vmap(fg.grad(lambda a, k: random.gamma(k, a)))(scales, keys)
    np.testing.assert_array_equal(each, [fg.grad(lambda a, k: random.gamma(k, a))(a, k) for a, k in zip(scales, keys)])


def test_no_tracer_is_kept():
    seen = []
    fg.vmap(lambda k: seen.append(random.normal(k)) or k)(random.split(KEY))
    assert isinstance(seen[0], Tracer)
    same(random.normal(KEY, (2,)), random.normal(KEY, (2,)))

"""Integrals of functions and of samples, and initial value problems, against SciPy's, closed forms, differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ConvergenceError, ShapeError, UnsupportedError
from funcgrad.scipy import integrate
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.integrate")
RNG = np.random.default_rng(0)


def close(found, expected, tol=1e-12):
    found = np.asarray(found)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=tol, atol=tol)


# Samples.


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("name", ["trapezoid", "simpson", "cumulative_trapezoid", "cumulative_simpson"])
def test_integrals_of_samples(name, n):
    ours, theirs = getattr(integrate, name), getattr(scipy, name)
    y, x = RNG.standard_normal((3, n)), np.cumsum(RNG.uniform(0.1, 1, n))
    rows = np.cumsum(RNG.uniform(0.1, 1, (3, n)), axis=1)
    calls = [(y, {}), (y, {"dx": 0.3}), (y, {"x": x}), (y, {"x": rows}), (y.T, {"x": x, "axis": 0}), (y + 1j, {"x": x})]
    calls += [(y.T, {"x": rows.T, "axis": 0}), (np.arange(n), {})]
    if name.startswith("cumulative"):
        calls += [(y, {"x": x, "initial": 0}), (y.T, {"axis": 0, "initial": 0})]
    if name == "cumulative_simpson":
        calls += [(y, {"initial": 0.7})]
    for samples, options in calls:
        close(ours(samples, **options), theirs(samples, **options))
    if n > 1:
        check_grads(lambda y, x: ours(y, x=x), (y, x), order=1)
        check_grads(lambda y, d: ours(y, dx=d), (y, 0.4), order=1)
        close(fg.jit(lambda y, x: ours(y, x=x))(y, x), theirs(y, x=x))
        close(fg.vmap(lambda y: ours(y, x=x))(y), theirs(y, x=x))


def test_romberg():
    y = RNG.standard_normal((3, 9))
    for axis, samples in ((1, y), (0, y.T)):
        close(integrate.romb(samples, 0.3, axis), scipy.romb(samples, 0.3, axis))
    check_grads(integrate.romb, (y, 0.3), order=1)
    with pytest.raises(ValueError, match="2\\*\\*k"):
        integrate.romb(y[:, :8])


def test_simpson_with_samples_in_one_place_as_in_scipy():
    x, y = np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])
    close(integrate.simpson(y, x=x), scipy.simpson(y, x=x))
    assert np.isfinite(np.asarray(fg.grad(lambda x: integrate.simpson(y, x=x))(x))).all()


# Functions.


def wave(x, a, c):
    return fnp.exp(-a * x) * fnp.cos(c["k"] * x)


def test_quad_as_in_scipy():
    args = (0.7, {"k": 2.0})
    plain = lambda x: np.exp(-0.7 * x) * np.cos(2.0 * x)
    for a, b in ((0.0, 1.0), (1.0, -2.0), (0.0, np.inf)):
        value, error = integrate.quad(wave, a, b, args)
        expected = scipy.quad(plain, a, b)
        close(value, expected[0], 1e-13)
        close(error, expected[1], 1e-6)
    close(integrate.quad(lambda x: fnp.abs(x - 0.3), 0, 1, points=[0.3])[0], 0.5 * (0.3**2 + 0.7**2))
    close(integrate.quad(lambda x: fnp.exp(1j * x), 0, 1, complex_func=True)[0], (np.exp(1j) - 1) / 1j)
    close(integrate.quad(lambda x, a: a if x < 0.5 else 2 * a, 0, 1, args=3.0, points=[0.5])[0], 4.5)
    jump = lambda a: integrate.quad(lambda x, a: a * a if x < 0.5 else 2 * a, 0, 1, args=a, points=[0.5])[0]
    close(fg.grad(jump)(3.0), 4.0)
    close(fg.jvp(jump, (3.0,), (1.0,))[1], 4.0)
    close(integrate.quad(lambda x: fnp.exp(-(x**2)), -np.inf, np.inf)[0], np.sqrt(np.pi))


def test_derivatives_of_quad():
    def f(a, b, r, k):
        return integrate.quad(wave, a, b, (r, {"k": k}))[0]

    args = (0.2, 1.3, 0.7, 2.0)
    check_grads(f, args, order=2, rtol=1e-5, atol=1e-6)
    check_grads(fg.jit(f), args, order=1, rtol=1e-6, atol=1e-7)
    # ∫₀^∞ exp(-r x) cos(k x) dx = r / (r² + k²)
    g = fg.grad(lambda a, b, r, k: f(a, b, r, k), argnums=(0, 1, 2, 3))(0.0, np.inf, 0.7, 2.0)
    s = 0.7**2 + 2.0**2
    for found, expected in zip(g, (-1.0, 0.0, 1 / s - 2 * 0.7**2 / s**2, -2 * 0.7 * 2.0 / s**2), strict=True):
        close(found, expected, 1e-9)
    closed = fg.grad(lambda r: integrate.quad(lambda x: fnp.exp(-r * x), 0.0, 1.0)[0])  # of what the integrand encloses
    close(closed(2.0), (3 * np.exp(-2) - 1) / 4, 1e-10)
    vector = fg.grad(lambda w: integrate.quad(lambda x: fnp.sum(w * x ** np.arange(3)), 0.0, 2.0)[0])
    close(vector(np.ones(3)), [2.0, 2.0, 8 / 3], 1e-12)
    z = fg.grad(lambda r: fnp.abs(integrate.quad(lambda x: fnp.exp(1j * r * x), 0.0, 1.0, complex_func=True)[0]) ** 2)
    close(z(2.0), (2 * np.sin(2.0) * 2.0 - 4 * (1 - np.cos(2.0))) / 2.0**3, 1e-9)
    nested = fg.grad(lambda c: integrate.quad(lambda x: integrate.quad(lambda y: c * x * y, 0.0, x)[0], 0.0, 1.0)[0])
    close(nested(3.0), 1 / 8, 1e-9)


def test_batches_of_integrals():
    r = np.array([0.5, 1.0, 2.0])
    f = lambda r, b: integrate.quad(lambda x: fnp.exp(-r * x), 0.0, b)
    close(fg.vmap(lambda r: f(r, 1.0)[0])(r), (1 - np.exp(-r)) / r, 1e-10)
    close(fg.vmap(f, in_axes=(0, 0))(r, r)[0], (1 - np.exp(-r * r)) / r, 1e-10)
    close(fg.vmap(fg.grad(lambda r: f(r, np.inf)[0]))(r), -1 / r**2, 1e-8)
    assert fg.vmap(f)(np.zeros(0), np.zeros(0))[0].shape == (0,)


def test_fixed_quad():
    f = lambda x, c: np.sin(c * x)
    close(integrate.fixed_quad(f, 0.1, 1.7, (1.3,), n=4)[0], scipy.fixed_quad(f, 0.1, 1.7, (1.3,), n=4)[0])
    check_grads(lambda a, b, c: integrate.fixed_quad(f, a, b, (c,))[0], (0.1, 1.7, 1.3), order=2)


# Initial value problems.


def orbit(t, y, w, d):
    return [y[1], -w * y[0] - d * y[1] * np.sin(t)]


def test_solve_ivp_as_in_scipy():
    t = np.linspace(0.3, 4.0, 9)
    for span, options in (
        ((0.0, 5.0), {}),
        ((0.0, 5.0), {"t_eval": t, "rtol": 1e-6}),
        ((5.0, 0.0), {"t_eval": t[::-1]}),
        ((0.3, 4.0), {"t_eval": t, "max_step": 0.1}),
    ):
        found = integrate.solve_ivp(orbit, span, [1.0, 0.5], args=(2.0, 0.3), **options)
        expected = scipy.solve_ivp(orbit, span, [1.0, 0.5], args=(2.0, 0.3), **options)
        assert found.success and found.status == 0
        close(found.t, expected.t, 1e-10)
        close(found.y, expected.y, 1e-10)  # the steps are the same
    dense = integrate.solve_ivp(orbit, (0.0, 5.0), [1.0, 0.5], args=(2.0, 0.3), dense_output=True, rtol=1e-9, atol=1e-9)
    exact = scipy.solve_ivp(orbit, (0.0, 5.0), [1.0, 0.5], args=(2.0, 0.3), t_eval=t, rtol=1e-11, atol=1e-11).y
    close(dense.sol(t[::-1]), exact[:, ::-1], 1e-6)
    close(dense.sol(t[3]), exact[:, 3], 1e-6)


def test_derivatives_of_solve_ivp():
    tight = {"rtol": 1e-10, "atol": 1e-10}

    def f(y0, end, w, t):
        a = integrate.solve_ivp(orbit, (0.0, end), y0, t_eval=t, args=(w, 0.3), **tight).y
        return fnp.sum(np.sin(a)) + integrate.solve_ivp(orbit, (0.0, end), y0, args=(w, 0.3), **tight).y[0, -1]

    check_grads(f, (np.array([1.0, 0.5]), 2.0, 2.0, np.array([0.3, 0.9, 1.5])), order=1, rtol=1e-5, atol=1e-6)

    def g(w):
        return integrate.solve_ivp(orbit, (0.0, 2.0), [1.0, 0.5], t_eval=[1.0, 2.0], args=(w, 0.3), **tight).y

    close(fg.jit(g)(2.0), g(2.0))
    close(fg.vmap(g)(np.array([1.0, 2.0]))[1], g(2.0), 1e-7)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: integrate.quad(lambda x: x, np.zeros(2), 1.0), ArgumentError, "real numbers"),
        (lambda: integrate.quad(lambda x: fnp.stack([x, x]), 0.0, 1.0), ArgumentError, "one real number"),
        (lambda: integrate.quad(lambda x: 1j * x, 0.0, 1.0), ArgumentError, "one real number"),
        (lambda: integrate.quad(lambda x: x, 0.0, 1.0, weight="cos"), UnsupportedError, "weight="),
        (lambda: integrate.fixed_quad(lambda x: x, 0.0, np.inf), ValueError, "finite limits"),
        (lambda: integrate.simpson(np.ones(3), x=np.ones(4)), ValueError, "x must be a vector"),
        (lambda: integrate.cumulative_trapezoid(np.ones(3), initial=1), ValueError, "0 or None"),
        (lambda: integrate.cumulative_simpson(np.ones(3), x=np.ones(3)), ValueError, "increase strictly"),
        (lambda: integrate.solve_ivp(orbit, (0, 1), [1.0], method="BDF"), UnsupportedError, '"RK45" only'),
        (lambda: integrate.solve_ivp(orbit, (0, 1), [1.0], events=orbit), UnsupportedError, "events="),
        (lambda: integrate.solve_ivp(orbit, (0, 1), 1.0), ShapeError, "must be a vector"),
        (lambda: integrate.solve_ivp(orbit, (0, 1), [1.0], t_eval=[2.0]), ArgumentError, "lie in t_span"),
        (lambda: integrate.solve_ivp(orbit, (0, 1), [1.0], t_eval=[0.5, 0.2]), ArgumentError, "sorted"),
        (lambda: integrate.solve_ivp(orbit, (0, 1), [1.0], args=2.0), ArgumentError, "must be a tuple"),
        (lambda: integrate.solve_ivp(lambda t, y: y**2, (0, 2), [1.0]), ConvergenceError, "step"),
        (
            lambda: fg.jit(lambda y: integrate.solve_ivp(lambda t, y: y, (0, 2), y).y)(np.ones(1)),
            ArgumentError,
            "t_eval=",
        ),
    ],
)
def test_errors(call, error, text):
    with np.errstate(over="ignore"), pytest.raises(error, match=text):
        call()

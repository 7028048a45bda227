"""root, fixed_point, minimize: results against closed forms, derivatives against those and finite differences."""

import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, NoValueError, ShapeError
from funcgrad.scipy import implicit
from funcgrad.scipy.optimize import ConvergenceError, fixed_point, minimize, root
from funcgrad.testing import check_grads

try:
    import scipy.optimize

    SCIPY = True
except ImportError:
    SCIPY = False
needs_scipy = pytest.mark.skipif(not SCIPY, reason="SciPy does the search")

METHODS = ["newton", *[pytest.param(m, marks=needs_scipy) for m in ("hybr", "lm")]]


def close(found, expected, rtol=1e-7):
    for f, e in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(f), np.asarray(e), rtol=rtol, atol=1e-8)


# root


def circle_and_line(a, b, method="newton"):
    """Where x² + y² = a meets y = b x: at √(a / (1 + b²)) (1, b)."""
    return root(
        lambda p, a: fnp.stack([p[0] ** 2 + p[1] ** 2 - a, p[1] - b * p[0]]),
        np.array([1.0, 1.0]),
        args=(a,),
        method=method,
        tol=1e-13,
    ).x


def exact(a, b):
    return fnp.sqrt(a / (1 + b**2)) * fnp.stack([1.0, b])


@pytest.mark.parametrize("method", [*METHODS, pytest.param("broyden1", marks=needs_scipy)])
def test_root(method):
    def f(a, b):
        return circle_and_line(a, b, method)

    close(f(2.0, 3.0), exact(2.0, 3.0))
    check_grads(f, (2.0, 3.0), order=2)
    both = {"argnums": (0, 1)}
    close(fg.jacfwd(f, **both)(2.0, 3.0), fg.jacfwd(exact, **both)(2.0, 3.0))
    close(fg.jacrev(f, **both)(2.0, 3.0), fg.jacrev(exact, **both)(2.0, 3.0))
    close(
        fg.hessian(lambda *p: f(*p).sum(), **both)(2.0, 3.0), fg.hessian(lambda *p: exact(*p).sum(), **both)(2.0, 3.0)
    )


@pytest.mark.parametrize("method", METHODS)
def test_root_under_vmap_and_on_tapes(method):
    def f(a, b):
        return circle_and_line(a, b, method)

    a, b = np.array([2.0, 3.0, 4.0]), np.array([1.0, 0.5, 2.0])
    close(fg.vmap(f)(a, b), fg.vmap(exact)(a, b))
    close(fg.vmap(fg.jacrev(f))(a, b), fg.vmap(fg.jacrev(exact))(a, b))
    close(fg.vmap(fg.hessian(f))(a, b), fg.vmap(fg.hessian(exact))(a, b))
    total = [fg.grad(lambda b: fg.vmap(g, (0, None))(a, b).sum())(2.0) for g in (f, exact)]
    close(*total)
    tape = fg.make_tape(f)(2.0, 3.0)
    close(tape(3.0, 1.0), exact(3.0, 1.0))
    close(fg.jacrev(tape)(3.0, 1.0), fg.jacrev(exact)(3.0, 1.0))
    close(fg.vmap(tape)(a, b), fg.vmap(exact)(a, b))
    close(fg.make_tape(fg.jacfwd(f))(2.0, 3.0)(3.0, 1.0), fg.jacfwd(exact)(3.0, 1.0))


def test_results_of_root():
    r = root(lambda x: x**2 - 4.0, 1.0, method="newton")
    assert float(r.x) == pytest.approx(2.0) and bool(r.success) and r.x.shape == ()
    assert r.fun.shape == (1,) and abs(float(r.fun[0])) < 1e-12 and int(r.nfev) >= 4


def test_root_of_pytrees():
    def f(c):
        def equations(x, c):
            return [x["u"] * c - 2.0, x["v"] ** 3 - x["u"] * np.array([1.0, 8.0])]

        return root(equations, {"u": 1.0, "v": np.ones(2)}, args=c, method="newton").x

    close(f(2.0), {"u": 1.0, "v": np.array([1.0, 2.0])})
    check_grads(f, (2.0,), order=2)


def test_start_as_in_scipy():
    """Lists of numbers are vectors, and integers become floats."""
    f = lambda x: x**2 - np.array([1.0, 4.0])
    close(root(f, [1, 3], method="newton").x, np.array([1.0, 2.0]))
    close(root(f, (1.0, 3.0), method="newton").x, np.array([1.0, 2.0]))
    assert root(f, np.ones(2, np.float32), method="newton").x.dtype == np.float32


def test_the_start_has_no_derivative():
    close(fg.grad(lambda a: root(lambda x: x**2 - 4.0, a, method="newton").x * a)(1.0), 2.0)


def test_complex_numbers():
    """Their real and imaginary parts are the unknowns."""

    def f(c):
        return root(lambda z: z**2 - c, 1.0 + 1j, method="newton").x

    close(f(-4.0 + 0j), 2j)
    close(fg.jvp(f, (-4.0 + 0j,), (1.0 + 0j,))[1], 1 / (2 * 2j))
    check_grads(f, (-4.0 + 1j,), order=2)
    close(fixed_point(lambda z: 1j * z / 2 + 1, 0j), 1 / (1 - 0.5j))
    if SCIPY:
        r = minimize(lambda z: fnp.sum(fnp.absolute(z - (1 + 2j)) ** 2), np.zeros(2, complex), method="BFGS")
        close(r.x, np.full(2, 1 + 2j), rtol=1e-5)
        assert r.jac.dtype == complex


def test_a_function_that_branches():
    def f(a):
        return root(lambda x: x**2 - a if x > 0 else x - 100.0, 3.0, method="newton").x

    close(f(4.0), 2.0)
    check_grads(f, (4.0,), order=2)
    with pytest.raises(NoValueError):
        fg.vmap(f)(np.ones(2))


@pytest.mark.parametrize("method", METHODS)
def test_no_root_no_derivative(method):
    def f(a):
        return root(lambda x: x**2 + a, 1.0, method=method).x

    assert not root(lambda x: x**2 + 1.0, 1.0, method=method).success
    with pytest.raises(ConvergenceError, match="no root and has no derivative"):
        fg.grad(f)(1.0)
    with pytest.raises(RuntimeError, match="no root and has no derivative"):
        fg.jvp(f, (1.0,), (1.0,))
    assert fg.grad(lambda a: a + fg.stop_gradient(f(a)))(1.0) == 1.0
    close(fg.vmap(fg.grad(f))(np.array([-4.0, 1.0])), np.array([-0.25, np.nan]))


def test_a_singular_jacobian():
    with pytest.raises(np.linalg.LinAlgError, match="implicit function theorem"):
        fg.grad(lambda a: root(lambda x: a * x**2, 0.0, method="newton").x)(1.0)


def test_many_unknowns(monkeypatch):
    """From a number of unknowns on the Jacobian is not written out."""

    def f(a):
        return root(lambda x: x**3 + fnp.roll(x, 1) * 0.2 - a, np.ones(4), method="newton", tol=1e-12).x

    a = np.array([1.0, 2.0, 3.0, 4.0])
    dense = fg.jacrev(f)(a), fg.jacfwd(f)(a), fg.hessian(lambda a: f(a).sum())(a)
    monkeypatch.setattr(implicit, "LARGE", 3)
    close((fg.jacrev(f)(a), fg.jacfwd(f)(a), fg.hessian(lambda a: f(a).sum())(a)), dense)
    with pytest.raises(ConvergenceError, match="singular"):
        fg.grad(lambda a: root(lambda x: x**2 * a, np.zeros(4), method="newton").x.sum())(1.0)


def test_newton_where_full_steps_do_not_do():
    """The plain method diverges for arctan from here."""
    assert float(root(fnp.arctan, 3.0, method="newton").x) == pytest.approx(0.0, abs=1e-12)
    assert not root(lambda x: fnp.exp(x) - 1e5, -8.0, method="newton", options={"maxiter": 2}).success


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert float(root(lambda x: x**2 - 4.0, 1.0).x) == pytest.approx(2.0)
    for call in (
        lambda: root(lambda x: x**2 - 4.0, 1.0, method="lm"),
        lambda: minimize(lambda x: x @ x, np.ones(2), method="BFGS"),
    ):
        with pytest.raises(ImportError, match=r"pip install 'funcgrad\[scipy\]'"):
            call()


# fixed_point


@pytest.mark.parametrize("method", ["del2", "iteration"])
def test_fixed_point(method):
    """x = a / 2 + cos(x) / 3 in each element, and a coupled system."""

    def f(a):
        return fixed_point(lambda x, a: a / 2 + fnp.cos(x) / 3, np.zeros(2), args=(a,), xtol=1e-13, method=method)

    a = np.array([1.0, -2.0])
    x = np.asarray(f(a))
    close(x, a / 2 + np.cos(x) / 3)
    close(fg.jacrev(f)(a), np.diag(0.5 / (1 + np.sin(x) / 3)))
    check_grads(f, (a,), order=2)
    close(fg.vmap(f)(np.stack([a, -a]))[1], f(-a))
    close(fg.make_tape(fg.jacfwd(f))(a)(-a), fg.jacfwd(f)(-a))

    def g(m):
        return fixed_point(lambda x: {"u": fnp.tanh(m @ x["u"]) + 1.0}, {"u": np.zeros(2)}, method="iteration")["u"]

    check_grads(g, (np.array([[0.2, 0.1], [-0.3, 0.1]]),), order=2)


def test_no_fixed_point():
    with pytest.raises(RuntimeError, match="failed to converge after 20 steps, the last value is 2097151"):
        fixed_point(lambda x: 2.0 * x + 1.0, 1.0, maxiter=20, method="iteration")
    assert float(fixed_point(lambda x: 2.0 * x + 1.0, 1.0)) == pytest.approx(-1.0)
    with pytest.raises(ConvergenceError), np.errstate(over="ignore"):  # the acceleration seems to stand still here
        fg.grad(lambda a: fixed_point(lambda x: fnp.exp(a * x), 1.0))(3.0)


# minimize


def bowl(x, a, b):
    return fnp.sum((x - a) ** 4) + fnp.sum((x - b) ** 2) + x[0] * x[1]


OPTIONS = {
    "BFGS": {"gtol": 1e-9},
    "L-BFGS-B": {"gtol": 1e-10, "ftol": 1e-16},
    "CG": {"gtol": 1e-9},
    "Newton-CG": {"xtol": 1e-12},
    "trust-exact": {"gtol": 1e-10},
}


@needs_scipy
@pytest.mark.parametrize(
    "method", [pytest.param(m, marks=[pytest.mark.slow] if m in ("CG", "Newton-CG") else []) for m in OPTIONS]
)
def test_minimize(method):
    def f(a, b):
        return minimize(bowl, np.zeros(2), args=(a, b), method=method, options=OPTIONS[method])

    a, b = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    r = f(a, b)
    close(fg.grad(bowl)(r.x, a, b), np.zeros(2), rtol=1e-6)
    # dx = -H⁻¹ ∂(gradient)/∂a da
    h = np.asarray(fg.hessian(bowl)(r.x, a, b))
    close(fg.jacrev(lambda a: f(a, b).x)(a), np.linalg.solve(h, np.diag(12 * (np.asarray(r.x) - a) ** 2)), rtol=1e-6)
    check_grads(lambda a, b: f(a, b).x, (a, b), order=1, rtol=1e-4, atol=1e-5)
    check_grads(lambda a, b: f(a, b).fun, (a, b), order=2, rtol=1e-4, atol=1e-5)
    close(fg.vmap(lambda a: f(a, b).x)(np.stack([a, -a]))[1], f(-a, b).x)
    close(fg.make_tape(lambda a: f(a, b).x)(a)(-a), f(-a, b).x)


@needs_scipy
def test_results_of_minimize():
    r = minimize(lambda x: fnp.sum((x - 3.0) ** 2) + 1.0, np.zeros(2), method="bfgs")
    assert bool(r.success) and int(r.status) == 0 and float(r.fun) == pytest.approx(1.0)
    close(r.jac, np.zeros(2))
    expected = scipy.optimize.minimize(lambda x: np.sum((x - 3.0) ** 2) + 1.0, np.zeros(2), jac=lambda x: 2 * (x - 3.0))
    close(r.hess_inv, expected.hess_inv)
    assert int(r.nit) >= 1 and int(r.nfev) >= int(r.nit) and r.x.dtype == float
    r = minimize(lambda p: (p["u"] - 3.0) ** 2, {"u": 0.0}, method="l-bfgs-experimental-do-not-rely-on-this")
    assert r.hess_inv is None and float(r.x["u"]) == pytest.approx(3.0)
    r = minimize(
        lambda x: fnp.sum((x - 3) ** 2), np.zeros(2, np.float32), method="BFGS", options={"line_search_maxiter": 9}
    )
    assert r.x.dtype == np.float32


@needs_scipy
def test_no_minimum_no_derivative():
    def f(a):
        return minimize(lambda x: a * x[0] ** 3 + x[0], np.ones(1), method="BFGS", options={"maxiter": 3})

    assert not f(1.0).success
    with pytest.raises(ConvergenceError, match="no minimum"):
        fg.grad(lambda a: f(a).x[0])(1.0)


@needs_scipy
def test_more_digits_than_there_are():
    """The search reports a loss of precision, at the minimum; the derivative exists."""

    def f(a):
        return minimize(
            lambda x: fnp.sum((x - a) ** 2) + 1e6, np.zeros(3), method="BFGS", options={"gtol": 1e-16}
        ).x.sum()

    close(fg.grad(f)(np.pi), 3.0)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: root(lambda x: x[:1], np.ones(2), method="newton"),
            ShapeError,
            "as many numbers as there are unknowns, 2",
        ),
        (lambda: root(lambda x: x, "no"), ArgumentError, "x0"),
        (lambda: fixed_point(lambda x: x[:1], np.ones(2)), ShapeError, "as many numbers as it takes, 2"),
        (lambda: fixed_point(lambda x: x, 1.0, method="fast"), ArgumentError, "del2"),
        (lambda: minimize(lambda x: x, 1.0, args=0.2, method="BFGS"), TypeError, "args argument to .* must be a tuple"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

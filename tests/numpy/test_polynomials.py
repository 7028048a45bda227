"""Polynomials: values are NumPy's, derivatives those of finite differences and closed forms."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError
from funcgrad.testing import check_grads

rng = np.random.default_rng(2)


def close(got, expected, rtol=1e-12):
    assert isinstance(got, fg.Array)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(got), expected, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_polyval(n, shape):
    p, x = rng.normal(size=n), rng.normal(size=shape)
    close(fnp.polyval(p, x), np.asarray(np.polyval(p, x)))
    close(np.polyval(fnp.asarray(p), x), np.asarray(np.polyval(p, x)))
    if n:
        check_grads(fnp.polyval, (p, x), order=2)


def test_polyval_keeps_integers_and_derives_at_a_root_at_zero():
    assert fnp.polyval([3, 0, 1], 5).dtype == int
    assert fg.grad(lambda x: fnp.polyval([1.0, 2.0, 0.0], x))(0.0) == 2.0


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
@pytest.mark.parametrize("n, m", [(3, 3), (2, 4), (4, 1)])
def test_arithmetic(name, n, m):
    a, b = rng.normal(size=n), rng.normal(size=m)
    close(getattr(fnp, name)(a, b), getattr(np, name)(a, b))
    close(getattr(np, name)(fnp.asarray(a), b), getattr(np, name)(a, b))
    check_grads(getattr(fnp, name), (a, b), order=2)


def test_polymul_keeps_leading_zeros_and_their_derivatives():
    assert fnp.polymul([0.0, 1.0], [1.0, 2.0]).tolist() == [0.0, 1.0, 2.0]
    assert fg.grad(lambda t: fnp.polyval(fnp.polymul([t, 1.0], [1.0, 2.0]), 3.0))(0.0) == 3.0 * (3.0 + 2.0)


@pytest.mark.parametrize("n, m", [(4, 2), (3, 3), (2, 4), (5, 1)])
def test_polydiv(n, m):
    u, v = rng.normal(size=n), rng.normal(size=m)
    for got, expected in zip(fnp.polydiv(u, v), np.polydiv(u, v), strict=True):
        close(got, expected, rtol=1e-10)
    check_grads(fnp.polydiv, (u, v), order=2)


@pytest.mark.parametrize("m", [0, 1, 3])
def test_polyder_and_polyint(m):
    p = rng.normal(size=5)
    close(fnp.polyder(p, m), np.polyder(p, m))
    close(fnp.polyint(p, m), np.polyint(p, m))
    close(fnp.polyder([3, 2, 1], m), np.polyder([3, 2, 1], m))
    check_grads(lambda p: fnp.polyder(p, m), (p,))
    check_grads(lambda p: fnp.polyint(p, m), (p,))


@pytest.mark.parametrize("m, k", [(1, 2.0), (2, [1.0, 2.0]), (2, 3.0), (2, [3.0])])
def test_constants_of_integration(m, k):
    p = rng.normal(size=3)
    close(fnp.polyint(p, m, k), np.polyint(p, m, k))
    check_grads(lambda k: fnp.polyint(p, m, k), (np.asarray(k),))


def test_poly_of_roots():
    for z in ([], [2.0], [2, 3, -1], [1j, -1j, 2.0], [1j, 2.0]):
        close(fnp.poly(z), np.asarray(np.poly(z)))
    check_grads(fnp.poly, (rng.normal(size=3),), order=2)
    check_grads(fnp.poly, (rng.normal(size=3) + 1j * rng.normal(size=3),))


def test_poly_of_a_matrix_is_its_characteristic_polynomial():
    a = rng.normal(size=(3, 3))
    close(fnp.poly(a), np.poly(a), rtol=1e-10)
    np.testing.assert_allclose(np.asarray(fg.grad(lambda a: fnp.poly(a)[1])(a)), -np.eye(3), atol=1e-12)


def test_roots():
    for p in ([1.0, 0.0, -4.0], [0.0, 0.0, 1.0, -3.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0, 0.0], [5.0], [1, -3, 2]):
        close(fnp.roots(p), np.roots(p))
    assert fnp.roots([1.0, 0.0, -4.0], strip_zeros=False).dtype == complex


def test_derivatives_of_roots():
    # x² + b x + c: d(root) = -(x db + dc) / (2 x + b)
    gradient = np.asarray(fg.grad(lambda p: fnp.max(fnp.roots(p)))(np.array([1.0, -3.0, 2.0])))
    np.testing.assert_allclose(gradient, [-4.0, -2.0, -1.0])
    check_grads(fnp.roots, (np.array([1.0, 0.5, 2.0, -1.0]),), order=2)
    # a root at zero moves with the last coefficient, and a leading zero stands for a root that comes from infinity
    gradient = np.asarray(fg.grad(lambda p: fnp.min(fnp.roots(p)))(np.array([1.0, -2.0, 0.0])))
    np.testing.assert_allclose(gradient, [0.0, 0.0, 0.5])
    gradient = np.asarray(fg.grad(lambda p: fnp.roots(p)[0])(np.array([0.0, 1.0, -2.0])))
    np.testing.assert_allclose(gradient, [-4.0, -2.0, -1.0])


def test_roots_on_a_tape():
    p = np.array([1.0, -3.0, 2.0])
    with pytest.raises(NoValueError):
        fg.make_tape(fnp.roots)(p)
    tape = fg.make_tape(lambda p: fnp.roots(p, strip_zeros=False))(p)
    np.testing.assert_allclose(np.asarray(tape(p)), np.roots(p))


@pytest.mark.parametrize("deg, columns, weighted", [(0, (), False), (2, (), False), (2, (2,), True), (1, (), True)])
def test_polyfit(deg, columns, weighted):
    x, y = np.array([-1.0, 0.0, 0.5, 1.5, 2.0]), rng.normal(size=(5, *columns))
    w = np.array([1.0, 2.0, 0.5, 1.0, 3.0]) if weighted else None
    close(fnp.polyfit(x, y, deg, w=w), np.polyfit(x, y, deg, w=w), rtol=1e-10)
    check_grads(lambda x, y: fnp.polyfit(x, y, deg, w=w), (x, y), order=2)
    if weighted:
        check_grads(lambda w: fnp.polyfit(x, y, deg, w=w), (w,))


def test_slope_of_a_fit_in_closed_form():
    x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0, 5.0])
    gradient = np.asarray(fg.grad(lambda y: fnp.polyfit(x, y, 1)[0])(y))
    np.testing.assert_allclose(gradient, (x - 1.5) / np.sum((x - 1.5) ** 2), atol=1e-12)


@pytest.mark.parametrize("columns", [(), (2,)])
@pytest.mark.parametrize("cov", [True, "unscaled"])
def test_covariance_of_a_fit(columns, cov):
    x, y = np.array([-1.0, 0.0, 0.5, 1.5, 2.0]), rng.normal(size=(5, *columns))
    for got, expected in zip(fnp.polyfit(x, y, 1, cov=cov), np.polyfit(x, y, 1, cov=cov), strict=True):
        close(got, expected, rtol=1e-10)
    check_grads(lambda x, y: fnp.polyfit(x, y, 1, cov=cov), (x, y))


def test_full_solution_of_a_fit():
    x, y = np.array([-1.0, 0.0, 0.5, 1.5, 2.0]), rng.normal(size=5)
    got, expected = fnp.polyfit(x, y, 2, full=True), np.polyfit(x, y, 2, full=True)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(np.asarray(g), e, rtol=1e-10)


def test_a_fit_of_too_high_a_degree_warns():
    with pytest.warns(np.exceptions.RankWarning):
        fnp.polyfit(np.array([0.0, 1.0]), np.array([1.0, 2.0]), 3)


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda: fnp.polyadd(np.ones((2, 2)), [1.0])),
        (ValueError, lambda: fnp.polyder([1.0], -1)),
        (ValueError, lambda: fnp.polyint([1.0], -1)),
        (ValueError, lambda: fnp.polyint([1.0], 3, [1.0, 2.0])),
        (ValueError, lambda: fnp.poly(np.ones((2, 3)))),
        (ValueError, lambda: fnp.polyfit([1.0], [1.0], -1)),
        (ValueError, lambda: fnp.polyfit([1.0, 2.0], [1.0, 2.0], 1, cov=True)),
        (TypeError, lambda: fnp.polyfit([[1.0]], [1.0], 1)),
        (TypeError, lambda: fnp.polyfit([1.0, 2.0], [1.0], 1)),
        (TypeError, lambda: fnp.polyfit([1.0, 2.0], [1.0, 3.0], 1, w=[1.0])),
    ],
)
def test_arguments_that_do_not_fit_are_refused(error, call):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "p", [[0, 0, 1.0, -3.0, 2.0, 0.0], [2.0, 1.0, -3.0], [0.0, 0.0, 5.0], [0.0, 0.0], [3.0], []], ids=str
)
def test_as_many_roots_as_coefficients_but_one(p):
    p = np.array(p)
    found = np.roots(p)
    expected = np.concatenate([found, np.full(max(len(p) - 1, 0) - len(found), complex(np.nan, np.nan))])
    for f in (lambda p: fnp.roots(p, strip_zeros=False), fg.jit(lambda p: fnp.roots(p, strip_zeros=False))):
        np.testing.assert_allclose(f(p), expected)
        assert f(p).dtype == complex


def test_roots_behind_leading_zeros_have_derivatives():
    f = lambda p: fnp.roots(p, strip_zeros=False)[:2].real
    check_grads(lambda p: f(fnp.concatenate([np.zeros(1), p])), (np.array([1.0, -3.0, 2.0]),), order=1)


@pytest.mark.parametrize("u, v", [([1.0, 2.0, 1.0], [1.0, 1.0]), ([3.0, 5.0, 2.0], [2.0, 1.0]), ([2.0], [1.0, 3.0])])
def test_leading_zeros_are_trimmed_on_request(u, v):
    for a, b in zip(fnp.polydiv(u, v, trim_leading_zeros=True), np.polydiv(u, v), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    product = fnp.polymul([0.0, *u], [0.0, *v], trim_leading_zeros=True)
    np.testing.assert_allclose(product, np.polymul([0.0, *u], [0.0, *v]))


def test_poly_of_complex_roots_compiles():
    z = np.array([1 + 2j, 1 - 2j, 0.5])
    np.testing.assert_allclose(fg.jit(fnp.poly)(z), np.poly(z), atol=1e-12)

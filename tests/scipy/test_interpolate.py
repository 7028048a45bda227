"""funcgrad.scipy.interpolate against SciPy's values; derivatives in values, points and queries against differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import UnsupportedError
from funcgrad.scipy import interpolate
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.interpolate")
RNG = np.random.default_rng(0)
X = np.cumsum(RNG.uniform(0.3, 1, 7))
Y = RNG.standard_normal((7, 2, 3))
QUERIES = [X[2] + 0.1, np.linspace(X[0] - 0.5, X[-1] + 0.5, 8).reshape(2, 4), X]


def close(found, expected, tol=1e-11):
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tol, atol=tol)


def same(make, *, nus=(0, 1, 2), queries=QUERIES):
    """Our interpolator and SciPy's give the same at every query, in all orders of derivatives."""
    ours, theirs = make(interpolate), make(scipy)
    for q in queries:
        for nu in nus:
            close(ours(q, nu) if nu else ours(q), np.asarray(theirs(q, nu) if nu else theirs(q)), 1e-10)


def differentiable(f, *args):
    check_grads(f, args, order=1, rtol=1e-5, atol=1e-6)
    close(fg.jit(f)(*args), np.asarray(f(*args)))
    rows = fg.vmap(f)(*[np.stack([a, a]) for a in args])
    close(rows[1], np.asarray(f(*args)))


BOUNDARIES = ["not-a-knot", "natural", "clamped", ("natural", "not-a-knot"), ("clamped", "natural")]


@pytest.mark.parametrize("n", [2, 3, 4, 7])
@pytest.mark.parametrize("bc_type", [*BOUNDARIES, "values", "periodic"], ids=str)
def test_cubic_splines(bc_type, n):
    y = Y[:n]
    if bc_type == "values":
        bc_type = ((1, RNG.standard_normal((2, 3))), (2, RNG.standard_normal((2, 3))))
    if bc_type == "periodic":
        y = np.concatenate([y[:-1], y[:1]])
    same(lambda m: m.CubicSpline(X[:n], y, bc_type=bc_type))
    same(lambda m: m.CubicSpline(X[:n], y, bc_type=bc_type, extrapolate=False), nus=(0,))


def test_other_cubic_polynomials():
    for n in (2, 3, 7):
        for shape in ((), (2, 3)):
            y = Y[:n] if shape else np.round(2 * Y[:n, 0, 0]) / 2  # with equal neighbours
            same(lambda m, y=y, n=n: m.PchipInterpolator(X[:n], y))
            same(lambda m, y=y, n=n: m.CubicHermiteSpline(X[:n], y, y[::-1].copy()))
            for method in ("akima", "makima"):
                same(lambda m, y=y, n=n, o=method: m.Akima1DInterpolator(X[:n], y, method=o))
                same(lambda m, y=y, n=n, o=method: m.Akima1DInterpolator(X[:n], y, method=o, extrapolate=True))
    same(lambda m: m.CubicSpline(X, Y.transpose(1, 0, 2), axis=1), nus=(0,))
    same(lambda m: m.CubicSpline(X, Y + 1j * Y[::-1]))
    close(interpolate.pchip_interpolate(X, Y, 2.0, 1), scipy.pchip_interpolate(X, Y, 2.0, 1))


def test_piecewise_polynomials():
    c = RNG.standard_normal((3, 6, 2))
    for extrapolate in (True, False, "periodic"):
        same(lambda m, e=extrapolate: m.PPoly(c, X, e))
    same(lambda m: m.PPoly(c, X).derivative())
    same(lambda m: m.PPoly(c, X).antiderivative(2))
    close(interpolate.PPoly(c, X).integrate(X[0] + 0.1, X[4]), scipy.PPoly(c, X).integrate(X[0] + 0.1, X[4]))


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5])
def test_b_splines(k):
    same(lambda m: m.make_interp_spline(X, Y, k), nus=range(k))
    same(lambda m: m.make_interp_spline(X, Y.transpose(1, 0, 2), k, axis=1), nus=(0,))
    t = np.sort(np.concatenate([[X[0]] * (k + 1), X[1:4], [X[-1]] * (k + 1)]))
    c = RNG.standard_normal((len(t) - k - 1, 2))
    for extrapolate in (True, False, "periodic"):
        same(lambda m: m.BSpline(t, c, k, extrapolate), nus=range(k + 1), queries=QUERIES[:2])


def test_b_splines_with_conditions_at_the_ends():
    for bc_type in ("natural", "clamped", "not-a-knot", ([(1, 0.3)], [(2, 0.7)]), (None, [(1, 0.2), (2, 0.1)])):
        if bc_type == (None, [(1, 0.2), (2, 0.1)]):
            t = np.concatenate([[X[0]] * 4, X[1:-1], [X[-1]] * 4])
            same(lambda m, t=t, b=bc_type: m.make_interp_spline(X, Y[:, 0, 0], 3, t, b))
        else:
            y = Y if isinstance(bc_type, str) else Y[:, 0, 0]
            same(lambda m, y=y, b=bc_type: m.make_interp_spline(X, y, bc_type=b))


Q = np.array([X[0] + 0.05, X[2] + 0.11, X[5] - 0.03])


@pytest.mark.parametrize(
    "make",
    [
        interpolate.CubicSpline,
        lambda x, y: interpolate.CubicSpline(x, y, bc_type="natural"),
        lambda x, y: interpolate.CubicSpline(
            x, y - y[-1] * np.arange(7) / 6 + y[0] * (np.arange(7) / 6), bc_type="clamped"
        ),
        interpolate.PchipInterpolator,
        interpolate.Akima1DInterpolator,
        interpolate.make_interp_spline,
        lambda x, y: interpolate.make_interp_spline(x, y, 2),
        lambda x, y: interpolate.make_interp_spline(x, y, bc_type="natural"),
        lambda x, y: interpolate.interp1d(x, y, "cubic"),
        interpolate.interp1d,
    ],
)
def test_derivatives(make):
    differentiable(lambda x, y, q: make(x, y)(q), X, Y[:, 0, 0], Q)
    if make is not interpolate.interp1d:
        s = make(X, Y[:, 0, 0])
        if hasattr(s, "derivative"):
            slopes = fg.vmap(fg.grad(s))(Q)
            close(slopes, np.asarray(s(Q, 1)))
            close(fg.jit(lambda s, q: s(q))(s, Q), np.asarray(s(Q)))  # interpolators are pytrees


def test_derivative_of_a_periodic_spline():
    def f(x, y, q):
        return interpolate.CubicSpline(x, fnp.concatenate([y, y[:1]]), bc_type="periodic")(q)

    differentiable(f, X, Y[:6, 0, 0], Q)


# Grids.

GRID = (X[:4], X[:5] ** 2, np.array([0.1, 0.7, 1.1, 2.0, 2.2, 2.9]))
VALUES = RNG.standard_normal((4, 5, 6, 2))
POINTS = np.stack([RNG.uniform(p[0], p[-1], (3, 2)) for p in GRID], axis=-1)
OUT = POINTS + np.array([5.0, 0.0, 0.0]) * (np.arange(2) == 1)[:, None]


@pytest.mark.parametrize("method", ["linear", "nearest", "slinear", "cubic"])
def test_grids(method):
    exact = {"solver": pytest.importorskip("scipy.sparse.linalg").spsolve} if method == "cubic" else {}
    for options in ({}, {"bounds_error": False}, {"bounds_error": False, "fill_value": 0.7}):
        ours = interpolate.RegularGridInterpolator(GRID, VALUES, method, **options)
        theirs = scipy.RegularGridInterpolator(GRID, VALUES, method, **options, **exact)
        close(ours(POINTS), theirs(POINTS))
        if options:
            close(ours(OUT), theirs(OUT))
        if method in ("linear", "nearest"):
            corners = np.stack(np.meshgrid(*[p[[0, 1, -1]] for p in GRID], indexing="ij"), -1)
            close(ours(corners), theirs(corners))
    if method in ("linear", "nearest"):
        extended = {"bounds_error": False, "fill_value": None}
        close(
            interpolate.RegularGridInterpolator(GRID, VALUES, method, **extended)(OUT),
            scipy.RegularGridInterpolator(GRID, VALUES, method, **extended)(OUT),
        )
        down = (GRID[0][::-1], *GRID[1:])
        args = (down, VALUES, tuple(POINTS[..., i] for i in range(3)), method)
        close(interpolate.interpn(*args), scipy.interpn(*args))


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_derivatives_on_grids(method):
    def f(a, b, c, v, q):
        return interpolate.RegularGridInterpolator((a, b, c), v, method)(q)

    check_grads(f, (*GRID, VALUES, POINTS), order=1, rtol=1e-5, atol=1e-6)
    close(fg.jit(f)(*GRID, VALUES, POINTS), np.asarray(f(*GRID, VALUES, POINTS)))
    g = lambda fill: interpolate.interpn((GRID[0],), VALUES[:, 0, 0], OUT[..., :1], method, False, fill)
    check_grads(g, (0.3,), order=1)


@pytest.mark.parametrize(
    "kind", ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 4]
)
def test_interp1d(kind):
    inside = np.linspace(X[0], X[-1], 9)[1:-1].reshape(7, 1)
    queries = [inside, X[1:-1], (X[1:] + X[:-1]) / 2]
    same(lambda m: m.interp1d(X, Y[:, 0], kind, axis=0), nus=(0,), queries=queries)
    same(lambda m: m.interp1d(X[::-1].copy(), Y[:, 0].T.copy(), kind), nus=(0,), queries=queries)
    outside = [np.array([X[0] - 1, X[3] + 0.1, X[-1] + 0.4])]
    for fill in (0.5, (0.3, 0.9), "extrapolate"):
        given = {"fill_value": fill, "bounds_error": False}
        same(lambda m, o=given: m.interp1d(X, Y[:, 0], kind, axis=0, **o), nus=(0,), queries=outside)
    with pytest.raises(ValueError, match="interpolation range"):
        interpolate.interp1d(X, Y[:, 0], kind, axis=0)(outside[0])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: interpolate.CubicSpline(X, Y[:3]), ValueError, "as long as y"),
        (lambda: interpolate.CubicSpline(X[::-1], Y), ValueError, "increase strictly"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="none"), ValueError, "unknown"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="periodic"), ValueError, "must be equal"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type=((3, 0.0), (1, 0.0))), ValueError, "order 1 or 2"),
        (lambda: interpolate.PchipInterpolator(X, Y * 1j), ValueError, "real values"),
        (lambda: interpolate.PPoly(np.ones((2, 3)), X), ValueError, "6 pieces"),
        (lambda: interpolate.BSpline(X, np.ones(2), 3), ValueError, "n \\+ 4 knots"),
        (lambda: interpolate.make_interp_spline(X, Y, bc_type="periodic"), UnsupportedError, "CubicSpline"),
        (lambda: interpolate.make_interp_spline(X, Y, t=X), ValueError, "7 equations"),
        (lambda: interpolate.RegularGridInterpolator(GRID, VALUES)(OUT), ValueError, "out of bounds in dimension 0"),
        (lambda: interpolate.RegularGridInterpolator(GRID, VALUES[0]), ValueError, "as long as the axes"),
        (lambda: interpolate.RegularGridInterpolator(GRID, VALUES, "pchip"), UnsupportedError, "pchip"),
        (lambda: interpolate.RegularGridInterpolator(GRID, VALUES)(np.ones(2)), ValueError, "3 coordinates"),
        (lambda: interpolate.interp1d(X, Y, "none"), ValueError, "kind must be|as long as"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

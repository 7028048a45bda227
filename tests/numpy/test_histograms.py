"""Histograms against NumPy; derivatives by weights and of bin edges."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError
from funcgrad.testing import check_grads

X = np.array([0.0, 1.0, 1.5, 4.0, 2.0, 3.0, -1.0])
W = np.array([1.0, 0.5, 2.0, 1.0, 3.0, 0.25, 1.5])


def same(ours, theirs):
    assert isinstance(ours, fg.Array) and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)


BINS = [3, [0.0, 1.0, 2.5, 4.0], np.array([-1.0, 1.5, 3.0])]


@pytest.mark.parametrize("bins", [*BINS, "auto", "fd"], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"density": True},
        {"range": (0.0, 3.0)},
        {"weights": W},
        {"weights": W, "density": True},
        *[{"weights": W.astype(dtype)} for dtype in ("i8", "c16", "f4")],
    ],
    ids=lambda o: ",".join(o),
)
def test_histogram(bins, options):
    if isinstance(bins, str) and "weights" in options:
        with pytest.raises(TypeError, match="weighted"):
            fnp.histogram(X, bins, **options)
        return
    ours, theirs = fnp.histogram(X, bins, **options), np.histogram(X, bins, **options)
    same(ours[0], theirs[0])
    same(ours[1], theirs[1])
    if "density" not in options:
        options = {k: v for k, v in options.items() if k == "range"}
        same(fnp.histogram_bin_edges(X, bins, **options), np.histogram_bin_edges(X, bins, **options))


@pytest.mark.parametrize("bins", BINS, ids=str)
@pytest.mark.parametrize("density", [False, True])
def test_derivative_by_weights(bins, density):
    check_grads(lambda w: fnp.histogram(X, bins, density=density, weights=w)[0], (W,), order=2)


def test_derivatives_of_edges():
    edges = fg.vjp(lambda x: fnp.histogram(x, 4)[1], X)
    np.testing.assert_allclose(edges[0], np.histogram(X, 4)[1])
    np.testing.assert_allclose(edges[1](np.eye(5)[1])[0], [0, 0, 0, 0.25, 0, 0, 0.75])  # from -1 to 4
    check_grads(lambda low: fnp.histogram_bin_edges(X, 4, (low, 5.0)), (np.float64(-2.0),))
    widened = fg.vjp(lambda x: fnp.histogram_bin_edges(x, 2), np.ones(2))[0]
    np.testing.assert_allclose(widened, [0.5, 1, 1.5])
    check_grads(lambda b: fnp.histogram(X, b)[1], (np.array([0.0, 1.2, 3.3]),))
    check_grads(lambda x: fnp.histogram(x, 3, density=True)[0], (X,))


def test_counts_are_constant_and_a_choice_of_bins_needs_values():
    assert fg.grad(lambda x: x[0] * fnp.histogram(x, 3)[0][0])(X).tolist() == [2, 0, 0, 0, 0, 0, 0]
    with pytest.raises(NoValueError):
        fg.make_tape(lambda x: fnp.histogram(x, "auto")[0])(X)


@pytest.mark.parametrize("options", [{}, {"minlength": 7}, {"weights": [1.0, 2.0, 4.0, 8.0]}], ids=str)
def test_bincount(options):
    x = np.array([3, 0, 3, 1])
    same(fnp.bincount(x, **options), np.bincount(x, **options))
    same(fnp.bincount(np.array([], int)), np.bincount(np.array([], int)))


@pytest.mark.parametrize("x", [np.asarray(3), np.ones((2, 3), int), np.ones(2)], ids=["one", "matrix", "floats"])
def test_bincount_refuses_the_same_with_a_length_and_under_jit(x):
    with pytest.raises((ValueError, TypeError)) as expected:
        np.bincount(x)
    for f in (lambda x: fnp.bincount(x, length=4), fg.jit(lambda x: fnp.bincount(x, length=4))):
        with pytest.raises(type(expected.value)) as found:
            f(x)
        assert str(found.value) == str(expected.value)


def test_bincount_by_weights_and_to_a_length():
    x, w = np.array([3, 0, 3, 1]), np.array([1.0, 2.0, 4.0, 8.0])
    check_grads(lambda w: fnp.bincount(x, w) ** 2, (w,), order=2)
    assert fnp.bincount(x, length=2).tolist() == [1, 1]
    assert fnp.bincount(x, w, length=2).tolist() == [2, 8]
    np.testing.assert_array_equal(fg.grad(lambda w: fnp.bincount(x, w, length=2)[1] ** 2)(w), [0, 0, 0, 16])
    g = fg.grad(lambda w: fnp.bincount(x, w)[0])(w.astype("f4"))
    assert g.dtype == np.float32


@pytest.mark.parametrize("call, error", [
    (lambda: fnp.bincount(np.array([0.5])), TypeError),
    (lambda: fnp.bincount(np.array([-1])), ValueError),
    (lambda: fnp.bincount(np.array([1, 2]), W), ValueError),
    (lambda: fnp.bincount(np.array([1, 2]), np.array([1j, 2])), TypeError),
    (lambda: fnp.histogram(X, 3, weights=W[1:]), ValueError),
    (lambda: fnp.histogram(X, [2, 1]), ValueError),
    (lambda: fg.vjp(lambda b: fnp.histogram(X, b)[1], np.array([2.0, 1.0])), ValueError),
    (lambda: fnp.histogramdd(np.ones((3, 2)), 2, weights=W), ValueError),
    (lambda: fnp.histogram2d(X, W[1:]), ValueError),
])  # fmt: skip
def test_mistakes(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("bins", [3, [2, 4], [[0, 1, 4], [0.0, 2.0, 3.0]]], ids=str)
@pytest.mark.parametrize("options", [{}, {"density": True}, {"weights": W}, {"weights": W, "density": True},
                                     {"range": [(0, 3), (0, 2)]}, {"weights": W.astype(int)}], ids=str)  # fmt: skip
def test_several_dimensions(bins, options):
    points = np.stack([X, W], 1)
    ours, theirs = fnp.histogramdd(points, bins, **options), np.histogramdd(points, bins, **options)
    same(ours[0], theirs[0])
    for a, b in zip(ours[1], theirs[1], strict=True):
        same(a, b)
    for a, b in zip(fnp.histogram2d(X, W, bins, **options), np.histogram2d(X, W, bins, **options), strict=True):
        same(a, b)
    density = options.get("density")
    check_grads(lambda w: fnp.histogramdd([X, W], bins, density=density, weights=w)[0], (W,), order=2)


def test_one_set_of_edges_for_both_axes():
    edges = np.array([0.0, 1.0, 2.0, 4.0])
    same(fnp.histogram2d(X, W, edges)[0], np.histogram2d(X, W, edges)[0])


def test_given_edges_are_copied():
    edges = np.array([0.0, 1.0, 2.0])
    results = [fnp.histogram_bin_edges(X, edges), fnp.histogram(X, edges)[1], fnp.histogram2d(X, W, [edges, 2])[1]]
    edges[:] = 9
    assert all(r.tolist() == [0, 1, 2] for r in results)


POINTS = np.random.default_rng(5).normal(size=(40, 2))
WEIGHTS = np.random.default_rng(6).uniform(size=40)
EDGES = np.array([-1.0, -0.2, 0.5, 2.0])


@pytest.mark.parametrize("bins", [4, EDGES], ids=["number", "edges"])
@pytest.mark.parametrize("limits", [None, (-1.0, 1.5)])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_without_values(bins, limits, density, weighted):
    w = WEIGHTS if weighted else None
    for x in (POINTS[:, 0], np.arange(40) % 7, np.zeros(40)):
        f = lambda x, w, m=fnp: m.histogram(x, bins, limits, weights=w, density=density)
        with np.errstate(all="ignore"):
            theirs = f(x, w, np)
            for ours in (fg.jit(f)(x, w), [y[0] for y in fg.vmap(f, (0, None))(x[None], w)]):
                for a, b in zip(ours, theirs, strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-12)
                    assert a.dtype == b.dtype
    two = [EDGES, 3] if isinstance(bins, np.ndarray) else bins
    ranges = None if limits is None else [limits, limits]
    g = lambda p, w, m=fnp: m.histogramdd(p, two, ranges, density, w)
    ours, theirs = fg.jit(g)(POINTS, w), g(POINTS, w, np)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    for a, b in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_derivatives_without_values():
    f = lambda x, w: (
        (fnp.histogram(x, 4, weights=w)[0] * np.arange(4.0)).sum() + fnp.histogram(x, 4)[1] @ np.arange(5.0)
    )
    for a, b in zip(
        fg.jit(fg.grad(f, (0, 1)))(POINTS[:, 0], WEIGHTS), fg.grad(f, (0, 1))(POINTS[:, 0], WEIGHTS), strict=True
    ):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_bincount_without_values():
    x = np.array([0, 2, 2, 9, 1])
    np.testing.assert_array_equal(fg.jit(lambda x: fnp.bincount(x, length=4))(x), [1, 1, 2, 0])
    np.testing.assert_array_equal(fg.jit(lambda x: fnp.bincount(x, np.ones(5), length=4))(x), [1.0, 1.0, 2.0, 0.0])

"""funcgrad.scipy.ndimage: values against SciPy's; derivatives in images, weights, coordinates against differences."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.scipy import ndimage
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.ndimage")
RNG = np.random.default_rng(0)
IMAGE = RNG.standard_normal((6, 7))
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]
# Away from where a nearest element changes, and the slope between two: differences would go across.
PLACES = RNG.integers(-9, 14, (2, 5, 6)) + RNG.uniform(0.1, 0.4, (2, 5, 6)) + 0.5 * RNG.integers(0, 2, (2, 5, 6))
INSIDE = np.stack([RNG.uniform(0.1, 4.9, 8), RNG.uniform(0.1, 5.9, 8)])


def close(found, expected, tol=1e-11):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=tol, atol=tol)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_map_coordinates(order, mode):
    if mode == "wrap" and order > 1:
        with pytest.raises(UnsupportedError, match="grid-wrap"):
            ndimage.map_coordinates(IMAGE, PLACES, order, mode)
        return
    # With an edge repeated SciPy's coefficients of so few elements are right to seven digits; ours solve the equations.
    tol = 1e-6 if order > 1 and mode in ("nearest", "grid-constant", "reflect", "grid-mirror") else 1e-10
    for places in (PLACES, INSIDE, np.stack([np.arange(6.0), np.arange(6.0)])):
        expected = scipy.map_coordinates(IMAGE, places, order=order, mode=mode, cval=0.7)
        close(ndimage.map_coordinates(IMAGE, places, order, mode, 0.7), expected, tol)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_derivatives_of_map_coordinates(order, mode):
    if mode == "wrap" and order > 1:
        return

    def f(image, places, value):
        return ndimage.map_coordinates(image, places, order, mode, value)

    check_grads(f, (IMAGE, PLACES, 0.7), order=1, rtol=1e-5, atol=1e-6)
    close(fg.jit(f)(IMAGE, PLACES, 0.7), np.asarray(f(IMAGE, PLACES, 0.7)))
    rows = fg.vmap(f, in_axes=(0, None, None))(np.stack([IMAGE, 2 * IMAGE]), PLACES, 0.0)
    close(rows[1], np.asarray(f(2 * IMAGE, PLACES, 0.0)))


def test_spline_filters():
    large = RNG.standard_normal((40, 30))
    for order in (2, 3):
        for mode in ("mirror", "reflect", "grid-wrap"):
            close(ndimage.spline_filter(large, order, mode=mode), scipy.spline_filter(large, order, mode=mode))
            grid = np.meshgrid(*map(np.arange, IMAGE.shape), indexing="ij")
            close(ndimage.map_coordinates(IMAGE, grid, order, mode), IMAGE)
    check_grads(ndimage.spline_filter, (IMAGE,), order=1)


def test_integers_are_rounded_as_in_scipy():
    whole = (10 * IMAGE).astype(int)
    for order in (0, 1):
        places = INSIDE
        expected = scipy.map_coordinates(whole.astype(float), places, order=order).round().astype(int)
        close(ndimage.map_coordinates(whole, places, order), expected)


@pytest.mark.parametrize("mode", MODES)
def test_filters(mode):
    for n in (1, 2, 3, 4, 9):
        w = RNG.standard_normal(n)
        for origin in {0, -(n // 2), (n - 1) // 2}:
            for axis in (0, 1):
                args = (IMAGE, w, axis)
                for name in ("correlate1d", "convolve1d"):
                    options = {"mode": mode, "cval": 0.7, "origin": origin}
                    if name == "convolve1d":
                        options["origin"] = -origin - (n % 2 == 0)
                    close(getattr(ndimage, name)(*args, **options), getattr(scipy, name)(*args, **options))
        close(ndimage.uniform_filter1d(IMAGE, n, mode=mode), scipy.uniform_filter1d(IMAGE, n, mode=mode))
        close(ndimage.uniform_filter(IMAGE, (n, 2), mode=mode), scipy.uniform_filter(IMAGE, (n, 2), mode=mode))
    for shape in ((3, 3), (2, 3), (4, 1), (9, 8)):
        w = RNG.standard_normal(shape)
        for name in ("correlate", "convolve"):
            close(
                getattr(ndimage, name)(IMAGE, w, mode=mode, cval=0.7),
                getattr(scipy, name)(IMAGE, w, mode=mode, cval=0.7),
            )
    for options in (
        {},
        {"order": 1},
        {"order": (2, 0)},
        {"order": 3},
        {"truncate": 2.0},
        {"radius": 2},
        {"axes": (1,)},
    ):
        ours = ndimage.gaussian_filter(IMAGE, 1.3, mode=mode, **options)
        close(ours, scipy.gaussian_filter(IMAGE, 1.3, mode=mode, **options))
    close(ndimage.gaussian_filter(IMAGE, (0.5, 0.0)), scipy.gaussian_filter(IMAGE, (0.5, 0.0)))


def test_derivatives_of_filters():
    w = RNG.standard_normal((3, 2))
    for mode in MODES[:5]:
        f = lambda x, w, c, m=mode: ndimage.correlate(x, w, mode=m, cval=c)
        check_grads(f, (IMAGE, w, 0.7), order=1)
        close(fg.jit(f)(IMAGE, w, 0.7), np.asarray(f(IMAGE, w, 0.7)))
    check_grads(lambda x, w: ndimage.convolve1d(x, w, 0), (IMAGE, w[:, 0]), order=2)
    for order in (0, 2):
        check_grads(lambda x, s, o=order: ndimage.gaussian_filter(x, s, o), (IMAGE, 0.9), order=1)
    smooth = lambda x: ndimage.gaussian_filter(x, 1.0)
    close(fg.vmap(smooth)(np.stack([IMAGE, IMAGE]))[1], np.asarray(smooth(IMAGE)))
    by_width = fg.jit(fg.grad(lambda s: ndimage.gaussian_filter(IMAGE, s, radius=4)[2, 3]))(0.9)
    h = 1e-5
    at = [scipy.gaussian_filter(IMAGE, 0.9 + d, radius=4)[2, 3] for d in (h, -h)]
    np.testing.assert_allclose(float(by_width), (at[0] - at[1]) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ndimage.map_coordinates(IMAGE, PLACES, 4), UnsupportedError, "orders 0 to 3"),
        (lambda: ndimage.map_coordinates(IMAGE, PLACES[:1], 1), ValueError, "2 axes"),
        (lambda: ndimage.map_coordinates(IMAGE, PLACES, 1, "none"), ValueError, "mode must be"),
        (lambda: ndimage.correlate1d(IMAGE, np.ones(3), mode="none"), ValueError, "mode must be"),
        (lambda: ndimage.correlate1d(IMAGE, np.ones((3, 3))), ValueError, "must be a vector"),
        (lambda: ndimage.correlate1d(IMAGE, np.ones(3), origin=2), ValueError, "origin must be"),
        (lambda: ndimage.correlate(IMAGE, np.ones(3)), ValueError, "2 axes"),
        (lambda: fg.jit(lambda s: ndimage.gaussian_filter(IMAGE, s))(1.0), ArgumentError, "radius="),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

"""funcgrad.scipy.signal against SciPy's values, and its derivatives against finite differences."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.ops import linear_recurrence
from funcgrad.scipy import signal
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.signal")
RNG = np.random.default_rng(0)


def draw(dtype, *shape):
    x = 3 * RNG.standard_normal(shape)
    return x + 1j * RNG.standard_normal(shape) if dtype == "D" else x.astype(dtype)


def same(name, *args, **kwargs):
    """A function gives what SciPy's gives: values, shapes and dtypes; or both raise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(scipy, name)(*args, **kwargs)
        except (ValueError, TypeError) as e:
            with pytest.raises(type(e)):
                getattr(signal, name)(*args, **kwargs)
            return
        found = getattr(signal, name)(*args, **kwargs)
    for f, e in zip(*[x if isinstance(x, tuple) else (x,) for x in (found, expected)], strict=True):
        assert (f.shape, f.dtype) == (e.shape, e.dtype), (name, kwargs)
        single = any(getattr(a, "dtype", None) in ("f", "F") for a in args)
        atol = (2e-5 if single else 1e-12) * (1 + np.abs(e).max(initial=0))
        np.testing.assert_allclose(np.asarray(f), e, rtol=0, atol=atol)


def transformed(f, *args, order=1):
    """Derivatives in both modes, and the same values under jit and vmap."""
    check_grads(f, args, order=order)
    every = fg.vmap(f)(*[np.stack([a, 0.5 * a]) for a in args])
    once = f(*[0.5 * a for a in args])
    for compiled, value in ((fg.jit(f)(*args), f(*args)), (fg.tree.map(lambda x: x[1], every), once)):
        for a, b in zip(fg.tree.leaves(compiled), fg.tree.leaves(value), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-9, atol=1e-11)


SHAPES = [
    ((5,), (3,)), ((3,), (5,)), ((6,), (2,)), ((300,), (200,)), ((5, 4), (2, 3)), ((2, 3), (5, 4)), ((5, 2), (3, 4)),
    ((4, 4), (2, 2)), ((1, 5), (3, 1)), ((4, 3, 5), (2, 2, 2)), ((), ()),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_convolutions(shapes, mode):
    for dtype in "dfDl":
        x, y = draw(dtype, *shapes[0]), draw(dtype, *shapes[1])
        for name in ("convolve", "correlate"):
            for method in ("auto", "direct", "fft"):
                same(name, x, y, mode, method)
        same("fftconvolve", x, y, mode)
        same("oaconvolve", x, y, mode)
        if len(shapes[0]) == 2:
            for name in ("convolve2d", "correlate2d"):
                for boundary, value in (("fill", 0), ("fill", 2), ("wrap", 0), ("symm", 0)):
                    same(name, x, y, mode, boundary, value)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_along_one_axis_and_in_blocks(mode):
    same("fftconvolve", draw("d", 4, 5, 3), draw("d", 1, 7, 3), mode, axes=1)
    same("oaconvolve", draw("d", 2, 3000), draw("d", 1, 20), mode, axes=1)
    same("oaconvolve", draw("D", 20), draw("d", 3000), mode)


def test_derivatives_of_convolutions():
    x, y = RNG.standard_normal((4, 5)), RNG.standard_normal((2, 3))
    for mode in ("full", "same", "valid"):
        for method in ("direct", "fft"):
            transformed(lambda x, y, o=(mode, method): signal.convolve(x, y, *o), x, y, order=2)
            transformed(lambda x, y, o=(mode, method): signal.correlate(x, y, *o), x + 1j * x[::-1], y * 1j)
        for boundary in ("fill", "wrap", "symm"):
            transformed(lambda x, y, o=(mode, boundary): signal.convolve2d(x, y, *o), x, y)
    check_grads(lambda v: signal.convolve2d(x, y, fillvalue=v), (0.7,), order=1)
    transformed(lambda x, y: signal.oaconvolve(x, y), RNG.standard_normal(200), RNG.standard_normal(5))
    check_grads(lambda x: signal.convolve(x, np.ones((9, 9)), "same", "direct"), (x,), order=1)


def by_loops(x, y, axes, dot_axes, mode):
    """convolve with axes and dot_axes by its definition: one convolution by SciPy for each pair of other indices."""
    kept_x = [i for i in range(x.ndim) if i not in axes[0] and i not in dot_axes[0]]
    kept_y = [i for i in range(y.ndim) if i not in axes[1] and i not in dot_axes[1]]
    x = x.transpose(*kept_x, *dot_axes[0], *axes[0])
    y = y.transpose(*kept_y, *dot_axes[1], *axes[1])
    n, m, d = len(kept_x), len(kept_y), len(dot_axes[0])

    def one(i, j):
        total = 0
        for k in np.ndindex(x.shape[n : n + d]):
            a, b = x[i + k], y[j + k]
            total = total + (scipy.convolve(a, b, mode) if np.ndim(a) else a * b)
        return total

    rows = [[one(i, j) for j in np.ndindex(y.shape[:m])] for i in np.ndindex(x.shape[:n])]
    found = np.array(rows)
    return found.reshape(*x.shape[:n], *y.shape[:m], *found.shape[2:])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    "shapes, axes, dot_axes",
    [
        (((4, 3), (3, 2)), ([0], [0]), ((), ())),
        (((4, 3), (3, 2)), ([0], [1]), ((), ())),
        (((4, 3), (3, 2)), ([1, 0], [1, 0]), ((), ())),
        (((4, 3), (5, 3)), ([0], [0]), ((), ())),
        (((3, 3, 2), (3, 2, 3)), ([1], [1]), ([0], [2])),
        (((2, 5, 4, 3), (2, 4, 2, 3, 2)), ([1, 2], [2, 4]), ([0, 3], [0, 3])),
        (((3, 5), (3, 4)), ([], []), ([0], [0])),
        (((3, 5), (3, 7)), ([1], [1]), ([0], [0])),
    ],
    ids=str,
)
def test_convolve_along_some_axes_and_sums_over_others(shapes, axes, dot_axes, mode):
    x, y = draw("d", *shapes[0]), draw("d", *shapes[1])
    found = signal.convolve(x, y, axes=axes, dot_axes=dot_axes, mode=mode)
    np.testing.assert_allclose(np.asarray(found), by_loops(x, y, axes, dot_axes, mode), rtol=1e-10, atol=1e-10)
    check_grads(lambda x, y: signal.convolve(x, y, axes=axes, dot_axes=dot_axes, mode=mode), (x, y), order=1)


def test_gradients_of_large_convolutions_take_no_loop_over_the_image():
    x, y = RNG.standard_normal((400, 400)), RNG.standard_normal((3, 3))
    g = fg.grad(lambda y: fnp.sum(signal.convolve(x, y, method="direct") ** 2))(y)
    h = fg.grad(lambda y: fnp.sum(signal.convolve(x, y, method="fft") ** 2))(y)
    np.testing.assert_allclose(np.asarray(g), np.asarray(h), rtol=1e-9)


# Filters.

FILTERS = [
    scipy.butter(3, 0.3), scipy.butter(2, [0.2, 0.5], "band"), ([1.0, 2.0], [2.0]), ([1.0], [1.0, -0.5]),
    ([1, 2, 3], [2, 1]), ([3.0], [2.0]),
]  # fmt: skip


@pytest.mark.parametrize("b, a", FILTERS, ids=str)
def test_filters(b, a):
    order = max(len(a), len(b)) - 1
    for shape, axis in (((40,), -1), ((3, 40), -1), ((40, 3), 0), ((2,), 0), ((2, 9, 2), 1), ((1,), 0)):
        x = draw("d", *shape)
        state = draw("d", *[order if i == axis % len(shape) else n for i, n in enumerate(shape)])
        same("lfilter", b, a, x, axis)
        same("lfilter", b, a, x, axis, state)
        if shape[axis] == 40 and order:
            for padtype in ("odd", "even", "constant", None):
                same("filtfilt", b, a, x, axis, padtype)
    if order:
        same("lfilter_zi", b, a)
    same("lfiltic", b, a, draw("d", 5), draw("d", 4))
    same("lfiltic", b, a, draw("d", 1))
    same("lfilter", np.float32(b), np.float32(a), draw("f", 9))
    same("lfilter", b, a, draw("D", 9))


def test_chains_of_filters():
    for n in (3, 4):
        sos = scipy.butter(n, 0.2, output="sos")
        x = draw("d", 3, 40)
        same("sosfilt", sos, x)
        same("sosfilt", sos, x.T, 0, draw("d", 2, 2, 3))
        same("sosfilt_zi", sos)
        same("sosfiltfilt", sos, x)


def test_derivatives_of_filters():
    b, a = FILTERS[0]
    x, state = RNG.standard_normal(12), RNG.standard_normal(3)
    check_grads(lambda b, a, x, z: signal.lfilter(b, a, x, zi=z), (b, a, x, state), order=2)
    transformed(lambda b, x: signal.lfilter(b, a, x), b, x)
    check_grads(fg.vmap(lambda a, x: signal.lfilter(b, a, x)), (np.stack([a, a + 0.1]), np.stack([x, 2 * x])), order=1)
    long = RNG.standard_normal(20)
    check_grads(signal.filtfilt, (b, a, long), order=1)
    sos = scipy.butter(4, 0.2, output="sos")
    check_grads(lambda sos, x: signal.sosfiltfilt(sos, x, padlen=5), (sos, long), order=1)
    f = fg.grad(lambda b, a, x: fnp.sum(signal.lfilter(b, a, x) ** 2), argnums=(0, 1, 2))
    for found, expected in zip(fg.jit(f)(b, a, x), f(b, a, x), strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-10)


@pytest.mark.parametrize("n", [1, 5, 63, 64, 65, 1000])
def test_recurrences_without_scipy(n):
    for a in (np.array([0.5]), *[np.asarray(a)[1:] for _, a in FILTERS[:2]], np.zeros(70)):
        x = RNG.standard_normal((2, n))
        expected = scipy.lfilter([1.0], [1.0, *a], x)
        np.testing.assert_allclose(linear_recurrence._by_blocks(x, a), expected, rtol=1e-9, atol=1e-10)


# Spectra.

SPECTRA = [
    {}, {"nperseg": 16}, {"nperseg": 16, "noverlap": 12}, {"nperseg": 15, "noverlap": 4}, {"nperseg": 16, "nfft": 20},
    {"nperseg": 16, "detrend": "linear"}, {"nperseg": 16, "return_onesided": False},
    {"nperseg": 16, "window": RNG.uniform(0.5, 1, 16)}, {"window": ("kaiser", 2.0), "nperseg": 10, "fs": 3.0},
]  # fmt: skip


@pytest.mark.parametrize("options", SPECTRA, ids=[" ".join(o) for o in SPECTRA])
@pytest.mark.parametrize("dtype", "dfD")
def test_spectra(dtype, options):
    x = draw(dtype, 3, 50)
    y = draw("d" if dtype == "D" else dtype, 3, 40)
    for boundary in ("zeros", "even", "odd", "constant", None):
        for padded in (True, False):
            same("stft", x, boundary=boundary, padded=padded, **options)
    same("stft", x.T, axis=0, scaling="psd", **options)
    for average in ("mean", "median"):
        for scaling in ("density", "spectrum"):
            same("welch", x, average=average, scaling=scaling, **options)
            same("csd", x, y, average=average, scaling=scaling, **options)
    if "return_onesided" not in options:
        same("coherence", x[:, :40], y, **options)


@pytest.mark.parametrize("dtype", "dfD")
def test_inverse_transforms_periodograms_and_trends(dtype):
    x = draw(dtype, 3, 50)
    for options in SPECTRA[1:5] + SPECTRA[6:8]:
        if dtype == "D":
            options = {**options, "return_onesided": False}
        spectra = scipy.stft(x, **options)[2]
        rest = {k: v for k, v in options.items() if k != "return_onesided"}
        onesided = options.get("return_onesided", True)
        for boundary in (True, False):
            same("istft", spectra, input_onesided=onesided, boundary=boundary, **rest)
        same("istft", spectra.transpose(1, 0, 2), freq_axis=0, input_onesided=onesided, scaling="psd", **rest)
    for options in ({}, {"nfft": 64}, {"nfft": 20}, {"window": "hann"}, {"scaling": "spectrum", "fs": 2.0}):
        same("periodogram", x, **options)
        same("periodogram", x.T, axis=0, **options)
    for options in ({}, {"type": "constant"}, {"bp": 10}, {"bp": [10, 30]}, {"axis": 0}, {"type": "none"}):
        same("detrend", x, **options)
    if dtype != "D":
        for options in ({}, {"N": 33}, {"N": 64}, {"axis": 0}):
            same("hilbert", x, **options)


def test_derivatives_of_spectra():
    x, window = RNG.standard_normal(40), RNG.uniform(0.5, 1, 16)
    for f in (
        lambda x: signal.stft(x, nperseg=8)[2],
        lambda x: signal.welch(x, nperseg=8)[1],
        lambda x: signal.csd(x, x[::-1], nperseg=9, noverlap=3)[1],
        lambda x: signal.istft(signal.stft(x, nperseg=8)[2] * np.arange(5)[:, None], nperseg=8)[1],
        signal.detrend,
        signal.hilbert,
    ):
        transformed(f, x)
    check_grads(lambda x, w, fs: signal.stft(x, fs, window=w), (x, window, 2.0), order=1)
    check_grads(lambda x, w, fs: signal.welch(x, fs, window=w), (x, window, 2.0), order=1)
    check_grads(lambda x, w: signal.istft(signal.stft(x, window=w)[2], 2.0, w + 0.1)[1], (x, window), order=1)


def test_errors():
    x = np.arange(8.0)
    with pytest.raises(ValueError, match="equally many axes"):
        signal.convolve(x, np.ones((2, 2)))
    with pytest.raises(ValueError, match="at least as long"):
        signal.convolve(np.ones((5, 2)), np.ones((3, 4)), "valid")
    with pytest.raises(ValueError, match="as many axes"):
        signal.convolve(np.ones((5, 2)), np.ones((3, 4)), axes=([0], []))
    with pytest.raises(ValueError, match="zi must have 1 elements"):
        signal.lfilter([1.0], [1.0, 0.5], x, zi=np.ones(3))
    with pytest.raises(ValueError, match="must not be zero"):
        fg.grad(lambda a: signal.lfilter([1.0], [a, 0.5], x)[0])(0.0)
    with pytest.raises(UnsupportedError, match='"pad" only'):
        signal.filtfilt([1.0], [1.0, 0.5], x, method="gust")
    with pytest.raises(ArgumentError, match="takes a real signal"):
        signal.hilbert(x * 1j)
    with pytest.raises(ValueError, match="window must be a vector of 4"):
        signal.istft(np.ones((3, 3)), window=np.ones(5))
    with pytest.warns(UserWarning, match="nperseg = 64"):
        signal.welch(x, nperseg=64)
    with pytest.warns(UserWarning, match="in no segment"):
        signal.istft(np.ones((3, 3)), boundary=False)

"""funcgrad.scipy.fft against SciPy's values, and its derivatives against finite differences."""

import itertools

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.scipy import fft
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.fft")
RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 8, 5))
TYPES = [(f"{i}d{c}t", t) for i in ("", "i") for c in "cs" for t in (1, 2, 3, 4)]
NORMS = [None, "backward", "ortho", "forward"]


def close(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    atol = 1e-12 if expected.dtype.char in "dD" else 2e-5
    np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=atol * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name, kind", TYPES)
@pytest.mark.parametrize("norm", NORMS)
def test_transforms(name, kind, norm):
    ours, theirs = getattr(fft, name), getattr(scipy, name)
    for options in ({}, {"axis": 1}, {"axis": 0, "n": 7}, {"n": 2}, {"orthogonalize": True}, {"orthogonalize": False}):
        for x in (X, X.astype("f"), (9 * X).astype(int)):
            expected = theirs(x, kind, norm=norm, **options)
            close(ours(x, kind, norm=norm, **options), expected)
            # Of a complex array SciPy forgets `orthogonalize`, so both parts are compared.
            close(ours(x * np.complex64(2 - 1j), kind, norm=norm, **options), expected * np.complex64(2 - 1j))
    for options in ({}, {"axes": (0, 1)}, {"axes": 1}, {"s": (4, 6)}, {"s": (-1, 6), "axes": (2, 0)}, {"s": 4}):
        found = getattr(fft, name + "n")(X, kind, norm=norm, **options)
        close(found, getattr(scipy, name + "n")(X, kind, norm=norm, **options))


@pytest.mark.parametrize("name, kind", TYPES)
def test_derivatives(name, kind):
    x = X[:2, :5, 0]
    for norm, n in itertools.product((None, "ortho"), (None, 3, 6)):
        f = lambda x, o=(kind, n, -1, norm): getattr(fft, name)(x, *o)
        check_grads(f, (x,), order=1)
        np.testing.assert_allclose(np.asarray(fg.jit(f)(x)), np.asarray(f(x)), atol=1e-12)
        np.testing.assert_allclose(np.asarray(fg.vmap(f)(x)), np.asarray(f(x)), atol=1e-12)
    check_grads(lambda x: getattr(fft, name + "n")(x, kind), (x,), order=1)


def test_lengths():
    for n in range(1, 1200):
        for real in (False, True):
            assert fft.next_fast_len(n, real) == scipy.next_fast_len(n, real)


def test_the_fourier_transforms_are_those_of_numpy():
    for name in ("fft", "ifft2", "rfftn", "hfft", "fftshift"):
        close(getattr(fft, name)(X), getattr(np.fft, name)(X))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: fft.dct(X, 5), "type must be 1, 2, 3 or 4"),
        (lambda: fft.dct(X, norm="none"), "norm must be"),
        (lambda: fft.idst(X, n=0), "at least 1"),
        (lambda: fft.dct(X, 1, n=1), "two elements"),
        (lambda: fft.dctn(X, s=(2, 3, 4, 5)), "longer than the 3 axes"),
        (lambda: fft.dctn(X, s=(2, 3), axes=(0,)), "same length"),
        (lambda: fft.next_fast_len(0), "positive"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()

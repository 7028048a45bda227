"""numpy.fft against NumPy's own values, in both ways of calling, and its derivatives against differences."""

import inspect

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import LostTraceError
from funcgrad.testing import check_grads

RNG = np.random.default_rng(0)
REAL = RNG.standard_normal((3, 4, 5))
COMPLEX = REAL + 1j * RNG.standard_normal((3, 4, 5))

ONE = [f"{p}fft" for p in ("", "i", "r", "ir", "h", "ih")]
MANY = [f"{p}fft{s}" for p in ("", "i", "r", "ir") for s in ("2", "n")]
ONE_OPTIONS = [
    {}, {"n": 3}, {"n": 8, "axis": 1}, {"norm": "ortho"}, {"n": 7, "axis": 0, "norm": "forward"}, {"norm": "backward"},
]  # fmt: skip
MANY_OPTIONS = [
    {}, {"axes": (1,)}, {"axes": (0, 2)}, {"axes": (2, 0), "s": (4, 3)}, {"axes": (-1, -2), "s": (7, -1)},
    {"norm": "ortho"}, {"axes": (1, 1)}, {"axes": (0, 1, 2), "s": (2, 5, 6), "norm": "forward"},
]  # fmt: skip
CASES = [(f, o) for f in ONE for o in ONE_OPTIONS] + [(f, o) for f in MANY for o in MANY_OPTIONS]


def operand(name, x=None):
    if name.startswith(("r", "ihfft")):
        return REAL if x is None else x.real
    return COMPLEX if x is None else x


@pytest.mark.parametrize("name, options", CASES)
@pytest.mark.parametrize("namespace", [fnp, np], ids=["fnp", "np"])
def test_values_are_those_of_numpy(namespace, name, options):
    x = operand(name)
    if namespace is fnp and name.endswith("2") and len(options.get("axes", (0, 1))) != 2:
        return  # those of funcgrad.numpy take two axes
    for dtype in (x.dtype, x.real.dtype, np.dtype("f"), np.dtype(int)):
        y = (x.real if dtype.kind != "c" else x).astype(dtype)
        expected = getattr(np.fft, name)(y, **options)
        got = getattr(namespace.fft, name)(fg.Array(y), **options)
        assert isinstance(got, fg.Array) and got.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("name, options", CASES)
def test_derivatives(name, options):
    x = operand(name)[:2, :3, :3] if "s" not in options else operand(name)
    check_grads(lambda x: getattr(np.fft, name)(x, **options), (x,), order=1)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("axes", [None, 0, (1, 2), [-1]])
def test_shifts(name, axes):
    expected = getattr(np.fft, name)(REAL, axes)
    np.testing.assert_array_equal(np.asarray(getattr(fnp.fft, name)(REAL, axes)), expected)
    g = fg.grad(lambda x: fnp.sum(getattr(np.fft, name)(x, axes) * expected))(REAL)
    np.testing.assert_array_equal(np.asarray(g), REAL)


@pytest.mark.parametrize("n", [1, 4, 5])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name, n):
    got = getattr(fnp.fft, name)(n, 0.3)
    assert isinstance(got, fg.Array)
    np.testing.assert_array_equal(np.asarray(got), getattr(np.fft, name)(n, 0.3))
    check_grads(lambda d: getattr(fnp.fft, name)(n, d), (np.array(0.7),))


def test_the_inverse_gives_the_derivative_back():
    """Parseval: the sum of |fft(x)|² is n times that of x², so its gradient is 2 n x."""
    x = REAL[0, 0]
    g = fg.grad(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2))(x)
    np.testing.assert_allclose(np.asarray(g), 2 * 5 * x, rtol=1e-13)


def test_a_spectral_derivative_program():
    """A plain NumPy function: the derivative of a periodic signal through its spectrum."""

    def energy(u):
        k = np.fft.rfftfreq(8, 1 / 8) * 2j * np.pi
        return np.sum(np.fft.irfft(k * np.fft.rfft(u), 8) ** 2)

    check_grads(energy, (RNG.standard_normal(8),), order=2)


def test_the_signatures_are_those_of_numpy():
    for name in fnp.fft.__all__:
        ours, theirs = (inspect.signature(getattr(m.fft, name)) for m in (fnp, np))
        assert [(p.name, p.default) for p in ours.parameters.values()] == [
            (p.name, p.default) for p in theirs.parameters.values()
        ], name
    assert set(fnp.fft.__all__) == set(np.fft.__all__)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.fft.fft(REAL, n=0), ValueError, "at least 1, got 0"),
        (lambda: fnp.fft.irfft([1.0]), ValueError, "at least 1, got 0"),
        (lambda: fnp.fft.fft(REAL, norm="unit"), ValueError, "'unit'"),
        (lambda: fnp.fft.hfft(REAL, norm="unit"), ValueError, "'unit'"),
        (lambda: fnp.fft.fft(REAL, axis=3), np.exceptions.AxisError, "axis 3"),
        (lambda: fnp.fft.rfft(COMPLEX), TypeError, "complex128"),
        (lambda: fnp.fft.fftn(REAL, (2, 2), (0,)), ValueError, "same length"),
        (lambda: fnp.fft.rfftn(REAL, axes=()), ValueError, "at least one axis"),
        (lambda: fnp.fft.fft(REAL, out=np.zeros(3)), LostTraceError, "out="),
        (lambda: fnp.fft.fftfreq(2.5), (ValueError, TypeError), "2.5"),
        (lambda: fnp.fft.rfftfreq(2, device="gpu"), ValueError, "gpu"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_transforms_of_two_axes(name):
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    for axes in ([0], (0, 1, 2)):
        with pytest.raises(ValueError, match=f"fft.{name} transforms along two axes.*{name.replace('2', 'n')}"):
            getattr(fnp.fft, name)(x, axes=axes)
        theirs = getattr(np.fft, name)  # takes any number of axes, also of what is differentiated
        np.testing.assert_allclose(theirs(fnp.asarray(x), axes=axes), theirs(x, axes=axes), atol=1e-12)
    for axes in ([2, 3], [-4, -5]):
        with pytest.raises(ValueError, match="out of bounds"):
            getattr(fnp.fft, name)(x, axes=axes)

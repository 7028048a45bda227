"""Fourier transforms in compiled programs: derivatives with fewer operations, and what is added to slices."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

RNG = np.random.default_rng(0)


def left(f, *args):
    return [e.primitive.name for e in fg.jit(f).lower(*args).equations]


def assert_same(f, *args):
    for a, b in zip(fg.tree.leaves(fg.jit(f)(*args)), fg.tree.leaves(f(*args)), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12)


def convolved(x, kernel):
    return fnp.fft.irfft(fnp.fft.rfft(x) * fnp.fft.rfft(kernel), n=x.shape[-1])


def convolved_2d(x, kernel):
    return fnp.fft.irfft2(fnp.fft.rfft2(x, norm="ortho") * fnp.fft.rfft2(kernel), s=x.shape[-2:])


def smoothed(x, kernel):
    """Two steps of an equation in Fourier space, as spectral methods take them."""
    for _ in range(2):
        x = fnp.fft.irfft2(fnp.exp(-fnp.abs(kernel[:, : x.shape[1] // 2 + 1])) * fnp.fft.rfft2(fnp.sin(x)), s=x.shape)
    return x


@pytest.mark.parametrize("shape", [(8, 8), (5, 8), (4, 7), (1, 2)])
@pytest.mark.parametrize("f", [convolved, convolved_2d, smoothed])
def test_the_derivative_of_a_convolution_conjugates_a_spectrum_once(f, shape):
    x, kernel = RNG.normal(size=(2, *shape))

    def loss(x):
        return fnp.sum(fnp.sin(f(x, kernel)) * kernel)

    assert_same(fg.value_and_grad(loss), x)
    fg.testing.check_grads(loss, (x,), order=1)
    found = left(fg.grad(loss), x)
    assert found.count("conjugate") <= 1
    assert_same(fg.grad(lambda x, k: fnp.sum(fnp.sin(f(x, k))), (0, 1)), x, kernel)


def test_what_others_read_and_what_is_no_pair_stays():
    x = RNG.normal(size=(6, 4)) + 1j * RNG.normal(size=(6, 4))
    w = np.array([1.0, 2.0, 2.0, 1.0])

    def shared(x):
        y = fnp.conj(x) * w
        return fnp.conj(fnp.fft.fft(y, axis=0)) * 0.5, y

    assert_same(shared, x)
    assert_same(lambda x: fnp.fft.ifft(fnp.conj(x) * w, axis=0), x)
    assert_same(lambda x: fnp.conj(fnp.fft.fft(fnp.conj(x) * w, axis=1)), x)  # weights along the transform stay inside
    assert_same(lambda x: fnp.conj(fnp.fft.fft(fnp.conj(x) * w, axis=0, norm="ortho")) * (1 / w), x)
    assert_same(lambda x: fnp.conj(fnp.fft.fft(fnp.conj(x) * w, n=4, axis=0)), x)
    assert_same(lambda x: fnp.conj(fnp.fft.fft(fnp.conj(x[0]) * x, n=8, axis=0)), x)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_between_two_conjugates_a_transform_goes_the_other_way(name, norm):
    x = RNG.normal(size=(6, 4)) + 1j * RNG.normal(size=(6, 4))
    f = fg.jit(lambda x: fnp.conj(getattr(fnp.fft, name)(fnp.conj(x), norm=norm)))
    expected = np.conj(getattr(np.fft, name)(np.conj(x), norm=norm))
    np.testing.assert_allclose(np.asarray(f(x)), expected, rtol=1e-12, atol=1e-14)
    assert left(lambda x: fnp.conj(getattr(fnp.fft, name)(fnp.conj(x), norm=norm)), x) == [
        {"fft": "ifft"}.get(name, "fft")
    ]


# Residuals.

MODELS = {
    "less": lambda x, k, c: convolved(x, k) - c,
    "from": lambda x, k, c: c - convolved(x, k),
    "plus": lambda x, k, c: convolved_2d(x, k) + c,
    "alone": lambda x, k, c: -convolved_2d(x, k),
    "more": lambda x, k, c: (
        fnp.fft.irfft2(2 * fnp.fft.rfft2(x) * fnp.fft.rfft2(k) - fnp.fft.rfft2(k), x.shape[-2:]) - c
    ),
}
NORMS = [("backward", "backward"), ("ortho", "forward"), ("forward", "ortho")]


@pytest.mark.parametrize(
    ("name", "shape"), [*[(name, (6, 8)) for name in MODELS], ("plus", (5, 7)), ("more", (2, 3, 4)), ("less", (1, 2))]
)
def test_a_residual_is_compared_in_fourier_space(name, shape):
    model = MODELS[name]
    x, k, c = RNG.normal(size=(3, *shape))

    def loss(x):
        return fnp.mean((3 * model(x, k, c)) ** 2)

    assert left(fg.value_and_grad(loss), x).count("irfft") == 1
    assert_same(fg.value_and_grad(loss), x)


@pytest.mark.parametrize(("forth", "back"), NORMS)
def test_residuals_with_other_normalisations(forth, back):
    x, k, c = RNG.normal(size=(3, 6, 8))

    def model(x):
        return fnp.fft.irfft2(fnp.fft.rfft2(x, norm=forth) * fnp.fft.rfft2(k, norm=back), x.shape, norm=back)

    for loss in (
        lambda x: fnp.sum((model(x) - c) ** 2),
        lambda x: fnp.sum((0.5 * (model(x) - c)) ** 2, keepdims=True)[0, 0],
    ):
        assert left(fg.grad(loss), x).count("irfft") == 1
        assert_same(fg.value_and_grad(loss), x)


ELSE = {
    "weights": lambda x, k, c: fnp.sum(c * (convolved(x, k) - c) ** 2),
    "no square": lambda x, k, c: fnp.sum((convolved(x, k) - c) ** 3),
    "read twice": lambda x, k, c: fnp.sum((y := convolved(x, k) - c) ** 2) + fnp.sum(fnp.sin(y)),
    "a filter": lambda x, k, c: fnp.sum((fnp.fft.irfft2(fnp.fft.rfft2(x) * (k[:, :5] + 1j), x.shape) - c) ** 2),
    "another length": lambda x, k, c: fnp.sum((fnp.fft.irfft(fnp.fft.rfft(x, 9) * fnp.fft.rfft(k, 9), 8) - c) ** 2),
    "other axes": lambda x, k, c: fnp.sum((fnp.fft.irfft(fnp.fft.rfft2(x) * fnp.fft.rfft2(k), 8) - c) ** 2),
    "a row": lambda x, k, c: fnp.sum((convolved(x, k) - c[0]) ** 2),
    "some axes": lambda x, k, c: fnp.sum(fnp.sin(fnp.sum((convolved_2d(x, k) - c) ** 2, axis=1))),
    "kept": lambda x, k, c: fnp.sum((y := convolved(x, k) - c) ** 2) + fnp.sum(fg.stop_gradient(fnp.exp(y))),
}


@pytest.mark.parametrize("loss", ELSE.values(), ids=ELSE)
def test_other_residuals_are_transformed_back(loss):
    x, k, c = RNG.normal(size=(3, 6, 8))
    assert left(fg.value_and_grad(loss), x, k, c).count("irfft") >= 2
    assert_same(fg.value_and_grad(loss), x, k, c)


def test_a_residual_that_is_a_result_is_transformed_back():
    x, k, c = RNG.normal(size=(3, 6, 8))

    def loss(x):
        y = convolved(x, k) - c
        return fnp.sum(y * y), y

    assert_same(fg.value_and_grad(loss, has_aux=True), x)
    assert_same(lambda x: loss(x)[0], x)


# Slices.


def test_cotangents_of_slices_are_added_to_what_has_arrived():
    def loss(x):
        y = fnp.exp(x)
        return fnp.sum(y[1:] * fnp.sin(y[:-1])) + fnp.sum(fnp.cos(y) * x)

    x = RNG.normal(size=(70, 70))
    found = left(fg.grad(loss), x)
    assert "scatter_add" not in found and found.count("index_add") == 2
    assert_same(fg.value_and_grad(loss), x)
    assert "scatter_add" in left(fg.grad(loss), x[:5, :5])


def test_what_is_added_at_numbers_to_zeros_is_added_to_the_other_term():
    numbers = RNG.integers(0, 3000, (40, 5))

    def loss(x, n):
        return fnp.sum(fnp.sin(x[n])) + fnp.sum(x * x)

    x = RNG.normal(size=3000)
    assert_same(fg.value_and_grad(loss), x, numbers)
    before = x.copy()
    gradient = fg.jit(fg.grad(loss))(x, numbers)
    expected = 2 * x
    np.add.at(expected, numbers, np.cos(x[numbers]))
    np.testing.assert_allclose(gradient, expected, rtol=1e-12)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_transforms_write_over_what_nobody_reads(dtype, axis):
    x = (RNG.normal(size=(6, 8)) + 1j * RNG.normal(size=(6, 8))).astype(dtype)

    def f(np_, x):
        y = np_.fft.ifft(np_.exp(np_.fft.fft(x, axis=axis, norm="ortho")), axis=1 - axis)
        return np_.fft.fft(y, axis=axis), np_.fft.fft(y, n=5, axis=axis) + np_.sum(y)

    kernel = fg.jit(lambda x: f(fnp, x), backend="numpy")
    before = x.copy()
    for a in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]):
        for found, expected in zip(kernel(a), f(np, x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == "complex64" else 1e-12)
            assert found.dtype == expected.dtype
        np.testing.assert_array_equal(a, before)
    assert any(line.strip().startswith("ifft(") for line in kernel.source(x).splitlines())

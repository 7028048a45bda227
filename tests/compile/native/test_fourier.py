"""Fourier transforms in machine code, against NumPy's: the distance in ulp of the root mean square of the result."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.native.fourier import steps
from funcgrad.compile.native.fourier.radices import radices
from funcgrad.compile.native.fourier.roots import roots
from funcgrad.compile.native.fourier.transforms import Transform
from funcgrad.compile.native.ir import Module
from funcgrad.compile.native.llvm import target
from funcgrad.compile.numpy_backend.threads import pool

RNG = np.random.default_rng(0)
TRANSFORMS = {"fft": "c", "ifft": "c", "rfft": "f", "irfft": "c"}
WIDTHS = [w for w in (16, 32, 64) if w <= target().bytes]


@pytest.fixture(autouse=True)
def by_themselves(monkeypatch):
    """Transforms of small arrays are parts of their own, as those of large ones, and no steps of a program."""
    monkeypatch.setattr(steps, "_LARGEST", 0)


def numbers(*shape, kind="c", part=np.float64):
    x = RNG.normal(size=(*shape, 2)).astype(part)
    return x[..., 0] + np.array(1j, np.result_type(part, np.complex64)) * x[..., 1] if kind == "c" else x[..., 0].copy()


def natively(f, *args, transforms_outside=0):
    g = fg.jit(f, backend="native")
    found = [np.asarray(x) for x in fg.tree.leaves(g(*args))]
    assert sum("fft" in name for name in g.cost(*args).outside) == transforms_outside
    return found


def close(a, b, n):
    """Whether two transforms of length n agree."""
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    unit = np.finfo(a.dtype).eps * np.sqrt(np.mean(np.abs(b) ** 2))
    assert np.max(np.abs(a - b)) <= (4 + np.log2(n)) * unit


def all_of(x, a, n, axis, norm="backward"):
    """The four transforms of complex and real numbers, by NumPy and in machine code."""
    given = [x, x, a, x]

    def transforms(xp, given):
        return [getattr(xp.fft, k)(v, n, axis, norm) for k, v in zip(TRANSFORMS, given, strict=True)]

    return zip(natively(lambda *g: transforms(fnp, g), *given), transforms(np, given), strict=True)


MORE = [3, 4, 5, 10, 13, 15, 16, 26, 49, 60, 143, 256, 360, 1000, 2048, 4096]


@pytest.mark.parametrize("n", [1, 2, 22, 45, 1024, *[pytest.param(n, marks=pytest.mark.slow) for n in MORE]])
def test_lengths(n):
    """All radices, even and odd: along the last axis blocks and rests of lines, along the first one lanes and rests."""
    for shape, axis in (((11, n), 1), ((n, 19), 0)):
        for found, expected in all_of(numbers(*shape), numbers(*shape, kind="f"), n, axis):
            close(found, expected, n)


@pytest.mark.parametrize(
    ("shape", "axis", "n", "norm"),
    [
        ((5, 9), 1, 12, "ortho"),
        ((9, 11), 0, 12, "forward"),
        ((12, 9), 0, 9, "backward"),
        ((2, 7, 3), 1, 5, "ortho"),
        ((4, 9, 2), 1, 9, "backward"),
        *[
            pytest.param(shape, axis, n, norm, marks=pytest.mark.slow)
            for length, n in ((9, 12), (9, 15), (12, 9), (12, 8), (1, 6), (7, 5), (5, 1))
            for shape, axis in (((5, length), 1), ((length, 9), 0), ((2, length, 3), 1))
            for norm in ("backward", "ortho", "forward")
        ],
    ],
)
def test_lines_are_cut_or_filled_up(shape, axis, n, norm):
    for found, expected in all_of(numbers(*shape), numbers(*shape, kind="f"), n, axis, norm):
        close(found, expected, n)


SHAPES = [
    (24,),
    (6, 12, 10),
    *[pytest.param(s, marks=pytest.mark.slow) for s in ((30, 24, 20), (2, 5, 12, 14), (512,), (3, 1024))],
]


@pytest.mark.parametrize("shape", SHAPES)
def test_axes_and_single_precision(shape):
    for axis, n in enumerate(shape):
        for part in (np.float32, np.float64)[: 1 + (axis == 0)]:
            x, a = numbers(*shape, part=part), numbers(*shape, kind="f", part=part)
            if np.fft.fft(x).dtype == x.dtype:  # older versions of NumPy compute in doubles
                for found, expected in all_of(x, a, n, axis):
                    close(found, expected, n)


def test_real_operands_of_complex_transforms():
    a = numbers(9, 40, kind="f")
    for found, expected in zip(
        natively(lambda a: (fnp.fft.fft(a), fnp.fft.ifft(a, axis=0)), a),
        (np.fft.fft(a), np.fft.ifft(a, axis=0)),
        strict=True,
    ):
        close(found, expected, 40)


def test_operands_with_gaps_and_of_other_orders():
    x = numbers(40, 24)
    for view in (x[::2, ::-1], x.T, np.broadcast_to(x[0], (7, 24)), np.asfortranarray(x), x.astype(">c16")):
        before = view.copy()
        close(natively(lambda x: fnp.fft.fft(x), view)[0], np.fft.fft(view), view.shape[-1])
        assert np.array_equal(view, before)


def test_a_result_is_written_over_what_nobody_reads_any_more():
    x = numbers(64, 64)
    g = fg.jit(lambda x: fnp.fft.ifft(fnp.fft.fft(x * 2, axis=0), axis=0), backend="native")
    before = x.copy()
    close(np.asarray(g(x)), 2 * x, 64)
    assert np.array_equal(x, before)
    close(np.asarray(fg.jit(lambda x: fnp.fft.ifft2(fnp.fft.fft2(x)), backend="native")(x)), x, 64)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_stays_in_its_line(bad):
    for x, name in ((numbers(11, 25, kind=k), n) for n, k in TRANSFORMS.items()):
        x[5, 3] = bad
        found = natively(getattr(fnp.fft, name), x)[0]
        expected = getattr(np.fft, name)(np.delete(x, 5, 0))
        close(np.delete(found, 5, 0), expected, 48)
        assert not np.isfinite(found[5]).any()


def test_huge_and_tiny_lines_beside_each_other():
    x = numbers(12, 32, kind="f") * 10.0 ** np.arange(-150, 150, 25)[:, None]
    for found, a in zip(natively(fnp.fft.rfft, x)[0], x, strict=True):
        close(found, np.fft.rfft(a), 32)


def test_first_and_last_bins_of_an_inverse_are_real():
    x = numbers(9, 13)
    x[:, 0] += 7j
    for n in (24, 25):
        close(natively(lambda x, n=n: fnp.fft.irfft(x, n), x)[0], np.fft.irfft(x, n), n)


@pytest.mark.parametrize("n", [90, pytest.param(256, marks=pytest.mark.slow)])
def test_neither_registers_nor_threads_change_a_bit(n):
    given = [numbers(300, n), numbers(n, 301, kind="f")]

    def f(x, a):
        y = fnp.fft.fft(x)
        return y, fnp.fft.irfft(x, n), fnp.fft.rfft(a, axis=0), fnp.fft.ifft(a, axis=0)

    found = []
    for width, threads in [*[(w, 1) for w in WIDTHS], (WIDTHS[-1], 3)]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(target(), "bytes", width)
            patch.setattr(pool, "size", threads)
            patch.setattr("funcgrad.compile.native.fourier.part._THREADED", 1)
            found.append([x.tobytes() for x in natively(lambda x, a: f(x, a), *given)])  # a function without a program
    assert all(x == found[0] for x in found)


def test_gradients():
    """Of a convolution all the way round; the transforms of the derivative are in machine code, too."""
    x, k = numbers(24, 20, kind="f"), numbers(24, 20, kind="f")

    def loss(x, k):
        return fnp.sum(fnp.fft.irfft2(fnp.fft.rfft2(x) * fnp.fft.rfft2(k), x.shape) ** 3)

    found = natively(fg.grad(loss, (0, 1)), x, k)
    for a, b in zip(found, fg.grad(loss, (0, 1))(x, k), strict=True):
        np.testing.assert_allclose(a, np.asarray(b), rtol=1e-11, atol=1e-9)


def test_loops_keep_what_is_transformed():
    x = numbers(8, 16)

    def f(x):
        return fg.lax.scan(lambda c, _: ((y := fnp.fft.fft(c) / 4), y), x, None, length=3)

    for a, b in zip(natively(f, x), fg.tree.leaves(f(x)), strict=True):
        close(a, np.asarray(b), 16)


def test_a_program_of_small_arrays_holds_its_transforms(monkeypatch):
    """Two steps of an equation in Fourier space, as spectral methods take them, and the derivative."""
    monkeypatch.undo()
    u, k = numbers(12, 16, kind="f"), np.arange(9.0)

    def f(u):
        def step(v, _):
            return v / (1 + k * k) - 0.1j * k * fnp.fft.rfft(fnp.fft.irfft(v, n=16) ** 2), v

        last, rows = fg.lax.scan(step, fnp.fft.rfft(u.T[::-1].T), None, length=2)
        return fnp.sum(fnp.abs(fnp.fft.fft(rows[:, ::3], axis=1)) ** 2) + fnp.sum(fnp.real(last))

    assert "program.steps" in fg.jit(fg.value_and_grad(f), backend="native").source(u)
    for a, b in zip(natively(fg.value_and_grad(f), u), fg.tree.leaves(fg.value_and_grad(f)(u)), strict=True):
        np.testing.assert_allclose(a, np.asarray(b), rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("shape", [(5, 17), (5, 34), (4, 1 << 13), (0, 8)])
def test_what_numpy_does(shape):
    """Large prime factors, very long lines, nothing at all."""
    assert (radices(shape[1]) is None) == (shape[1] % 17 == 0)
    x = numbers(*shape)
    found = natively(lambda x: fnp.fft.fft(x) + 1, x, transforms_outside=1)
    np.testing.assert_array_equal(found[0], np.fft.fft(x) + 1)


def test_calls_with_other_arrays():
    """The same kernel called with what the machine code does not take itself."""
    x = numbers(16, 8)
    g = fg.jit(fnp.fft.fft, backend="native")
    for given in (x, x[::-1], np.asfortranarray(x)):
        close(np.asarray(g(given)), np.fft.fft(given), 8)


def test_roots_of_unity_are_exact_on_the_axes_and_mirror_images():
    for n in (4, 8, 12, 100, 1024):
        w = roots(n)
        assert w[0] == 1
        assert w[n // 4] == -1j
        assert w[n // 2] == -1
        assert np.array_equal(w[1:], w[:0:-1].conj())
        k = np.arange(n)
        angle = 2 * np.longdouble("3.14159265358979323846264338327950288") * k / n
        assert np.max(np.abs(w.real - np.cos(angle))) < 1.2e-16
        assert np.max(np.abs(w.imag + np.sin(angle))) < 1.2e-16


def test_arm64_gets_an_object(arm64):
    made = Module()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target(), "bytes", 16)
        for e in fg.jit(lambda x: fnp.fft.irfft(fnp.fft.rfft(x, axis=0))).lower(np.ones((20, 9))).equations:
            Transform(e).write(made)
    assert arm64(made.text)[:4] == b"\x7fELF"


def test_the_source_names_the_transforms():
    x = numbers(16, 8)
    source = fg.jit(lambda x: fnp.fft.fft(x, axis=0), backend="native").source(x)
    assert "batches of lines" in source

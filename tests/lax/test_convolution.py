"""Convolution and reductions over windows by the names of jax.lax, against sums that are written out."""

import itertools

import numpy as np
import pytest

import funcgrad as fg
from funcgrad import lax
from funcgrad.errors import ArgumentError, ShapeError

rng = np.random.default_rng(0)


def spread(x, by):
    """x with zeros between its elements along the last two axes."""
    n, c, h, w = x.shape
    out = np.zeros((n, c, (h - 1) * by[0] + 1, (w - 1) * by[1] + 1))
    out[:, :, :: by[0], :: by[1]] = x
    return out


def by_hand(x, w, strides, pads, apart=(1, 1), dilation=(1, 1), groups=1):
    """A convolution of two spatial axes, as its formula says it."""
    x = np.pad(spread(x, apart), ((0, 0), (0, 0), *pads))
    w = spread(w, dilation)
    (n, _, *lengths), (o, i, *size) = x.shape, w.shape
    counts = [(m - k) // s + 1 for m, k, s in zip(lengths, size, strides, strict=True)]
    out = np.zeros((n, o, *counts))
    for f, a, b in itertools.product(range(o), *map(range, counts)):
        g = f // (o // groups)
        p, q = a * strides[0], b * strides[1]
        part = x[:, g * i : (g + 1) * i, p : p + size[0], q : q + size[1]]
        out[:, f, a, b] = np.sum(part * w[f], (1, 2, 3))
    return out


@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("apart", [(1, 1), (2, 3), (1, 2)])
@pytest.mark.parametrize("dilation, groups", [((1, 1), 1), ((2, 1), 2)])
def test_conv_general_dilated(strides, apart, dilation, groups):
    x, w, pads = rng.normal(size=(2, 4, 5, 6)), rng.normal(size=(6, 4 // groups, 3, 2)), ((1, 2), (2, 0))
    out = lax.conv_general_dilated(x, w, strides, pads, apart, dilation, feature_group_count=groups)
    np.testing.assert_allclose(out, by_hand(x, w, strides, pads, apart, dilation, groups), atol=1e-12)


def test_negative_padding_takes_elements_away():
    x, w = rng.normal(size=(1, 1, 5, 5)), rng.normal(size=(1, 1, 2, 2))
    out = lax.conv_general_dilated(x, w, (1, 1), ((-1, 1), (0, -2)))
    np.testing.assert_allclose(out, by_hand(x[:, :, 1:, :-2], w, (1, 1), ((0, 1), (0, 0))), atol=1e-12)


def test_groups_of_examples():
    x, w = rng.normal(size=(4, 3, 5, 5)), rng.normal(size=(2, 3, 2, 2))
    out = lax.conv_general_dilated(x, w, (1, 1), "VALID", batch_group_count=2)
    each = [by_hand(x[2 * i : 2 * i + 2], w[i : i + 1], (1, 1), ((0, 0), (0, 0))) for i in range(2)]
    np.testing.assert_allclose(out, np.concatenate(each, 1), atol=1e-12)


def test_axes_in_any_order():
    x, w = rng.normal(size=(2, 3, 5, 6)), rng.normal(size=(4, 3, 2, 2))
    expected = by_hand(x, w, (1, 2), ((0, 0), (0, 0)))
    numbers = ("HNCW", "WIOH", "CWHN")
    out = lax.conv_general_dilated(
        x.transpose(2, 0, 1, 3), w.transpose(3, 1, 0, 2), (2, 1), "VALID", dimension_numbers=numbers
    )
    assert lax.conv_dimension_numbers((5, 2, 3, 6), (2, 3, 4, 2), numbers).lhs_spec == (1, 2, 3, 0)
    np.testing.assert_allclose(np.asarray(out).transpose(3, 0, 2, 1), expected, atol=1e-12)


@pytest.mark.parametrize("word, pads", [("SAME", ((0, 1), (1, 1))), ("SAME_LOWER", ((1, 0), (1, 1))), ("VALID", None)])
def test_words_for_padding(word, pads):
    x, w = rng.normal(size=(1, 1, 5, 6)), rng.normal(size=(1, 1, 2, 3))
    expected = by_hand(x, w, (1, 1), pads or ((0, 0), (0, 0)))
    np.testing.assert_allclose(lax.conv(x, w, (1, 1), word), expected, atol=1e-12)
    np.testing.assert_allclose(lax.conv_with_general_padding(x, w, (1, 1), word, None, None), expected, atol=1e-12)


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3), (4, 2)])
def test_conv_transpose_is_the_transpose(padding, strides):
    w = rng.normal(size=(3, 2, 4, 5))
    x = rng.normal(size=(1, 4 * strides[0], 4 * strides[1], 4))
    numbers = ("NHWC", "HWIO", "NHWC")

    def forward(x):
        return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers)

    out, pullback = fg.vjp(forward, x)
    g = rng.normal(size=out.shape)
    back = lax.conv_transpose(g, w, strides, padding, transpose_kernel=True)
    if padding == "SAME":
        np.testing.assert_allclose(back, pullback(g)[0], atol=1e-12)
    n, m = back.shape[1:3]
    assert not np.any(pullback(g)[0][:, n:]) and np.allclose(
        back[:, : x.shape[1], : x.shape[2]], pullback(g)[0][:, :n, :m]
    )


def test_conv_transpose_with_the_padding_of_the_convolution():
    x, w = rng.normal(size=(1, 4, 3)), rng.normal(size=(3, 3, 2))
    same = lax.conv_transpose(x, w, (2,), ((1, 1),), use_consistent_padding=True)
    np.testing.assert_allclose(same, lax.conv_transpose(x, w, (2,), ((1, 1),)), atol=1e-12)  # 3 - 1 - 1 = 1
    with pytest.raises(ShapeError, match=r"No 4\+ dimensional"):
        lax.conv_transpose(np.ones((1,) * 6), np.ones((1,) * 6), (1,) * 4, "SAME")


def test_patches():
    x = rng.normal(size=(2, 3, 5, 4))
    out = lax.conv_general_dilated_patches(x, (2, 3), (1, 1), "VALID")
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (2, 3))
    np.testing.assert_allclose(out, windows.transpose(0, 1, 4, 5, 2, 3).reshape(2, 18, 4, 2))


def test_dtypes():
    x, w = np.ones((1, 2, 4)), np.ones((3, 2, 2))
    assert lax.conv(x.astype("f2"), w.astype("f2"), (1,), "VALID").dtype == np.float16
    assert lax.conv(x.astype("i4"), w.astype("i4"), (1,), "VALID").dtype == np.int32
    wide = lax.conv(x.astype("f4"), w.astype("f4"), (1,), "VALID", preferred_element_type="f8")
    assert wide.dtype == np.float64
    assert fg.grad(lambda x: lax.conv(x, w.astype("f4"), (1,), "SAME").sum())(x.astype("f4")).dtype == np.float32


X, W = np.ones((2, 4, 4)), np.ones((6, 4, 3))


@pytest.mark.parametrize(
    "message, args, options",
    [
        ("lhs and rhs ndim to be equal, got 3 and 4", (X, np.ones((2, 3, 4, 4)), (1,), "SAME"), {}),
        ("must have the same number of dimensions, but got 1 and 2", (X, W, (1, 1), "SAME"), {}),
        ("expected 'VALID', 'SAME', or 'SAME_LOWER', got FOO", (X, W, (1,), "FOO"), {}),
        ("Wrong number of explicit pads for convolution: expected 1, got 2", (X, W, (1,), [(0, 0)] * 2), {}),
        ("4 // 1 != 3", (X, W[:, :3], (1,), "SAME"), {}),
        ("6 is not a multiple of 4", (X, W[:, :1], (1,), "SAME"), {"feature_group_count": 4}),
        ("3 does not divide 4", (X, W, (1,), "SAME"), {"feature_group_count": 3}),
        ("must be a positive integer, got 0", (X, W, (1,), "SAME"), {"feature_group_count": 0}),
        ("At most one", (X, W, (1,), "SAME"), {"feature_group_count": 2, "batch_group_count": 2}),
        ("3 does not divide 2", (X, W, (1,), "SAME"), {"batch_group_count": 3}),
        ("5 is not a multiple of 2", (X, W[:5], (1,), "SAME"), {"batch_group_count": 2}),
        ("positive numbers as window_strides", (X, W, (0,), "SAME"), {}),
        ("positive numbers as rhs_dilation", (X, W, (1,), "SAME"), {"rhs_dilation": (1, 1)}),
        ("String padding is not implemented", (X, W, (1,), "SAME"), {"lhs_dilation": (2,)}),
        ("must be length 3, got 2", (X, W, (1,), "SAME"), {"dimension_numbers": ("NHC", "OIW")}),
        ("must be tuple/list or None", (X, W, (1,), "SAME"), {"dimension_numbers": 3}),
        ("elements must be strings", (X, W, (1,), "SAME"), {"dimension_numbers": (1, 2, 3)}),
        ("must have length equal", (X, W, (1,), "SAME"), {"dimension_numbers": ("NHWC", "OIW", "NCW")}),
        ("same set of spatial", (X, W, (1,), "SAME"), {"dimension_numbers": ("NCH", "OIH", "NCW")}),
        ("'N' and 'C' exactly once, got NNC", (X, W, (1,), "SAME"), {"dimension_numbers": ("NCH", "OIH", "NNC")}),
        (
            "duplicate characters",
            (X[..., None], W[..., None], (1, 1), "SAME"),
            {"dimension_numbers": ("NCHH", "OIHH", "NCHH")},
        ),
        ("requires arguments to have the same dtypes", (X, W.astype(int), (1,), "SAME"), {}),
        (
            "must have the same number of dimensions",
            (X, np.ones((2, 3)), (1,), ((0, 0),)),
            {"dimension_numbers": lax.ConvDimensionNumbers((0, 1, 2), (0, 1, 2), (0, 1, 2))},
        ),
    ],
)
def test_what_does_not_fit(message, args, options):
    with pytest.raises((ArgumentError, TypeError), match=message):
        lax.conv_general_dilated(*args, **options)


# Windows.


def reduced(x, start, f, size, strides, pads, dilation):
    """Windows combined one element after the other, those in the padding left out."""
    counts = [
        (n + a + b - (k - 1) * d - 1) // s + 1
        for n, k, s, (a, b), d in zip(x.shape, size, strides, pads, dilation, strict=True)
    ]
    out = np.empty(counts)
    for window in itertools.product(*map(range, counts)):
        found = start
        for place in itertools.product(*map(range, size)):
            at = [i * s + p * d - a for i, s, p, d, (a, _) in zip(window, strides, place, dilation, pads, strict=True)]
            if all(0 <= i < n for i, n in zip(at, x.shape, strict=True)):
                found = f(found, x[tuple(at)])
        out[window] = found
    return out


@pytest.mark.parametrize(
    "windows",
    [
        ((2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1)),
        ((2, 2), (2, 2), ((0, 0), (1, 1)), (1, 1)),
        ((3, 2), (1, 3), ((1, 1), (0, 1)), (2, 1)),
        ((5, 6), (1, 1), ((0, 0), (0, 0)), (1, 1)),
        ((1, 2), (1, 1), ((0, 0), (3, 0)), (1, 1)),
    ],
)
def test_reduce_window(windows):
    x = rng.normal(size=(5, 6))
    for start, f, by_numpy in [
        (0.0, lax.add, np.add),
        (2.0, lax.add, np.add),
        (-np.inf, lax.max, np.maximum),
        (np.inf, lax.min, np.minimum),
        (1.0, lax.mul, np.multiply),
        (0.5, lambda a, b: fg.numpy.hypot(a, b), np.hypot),
    ]:
        np.testing.assert_allclose(
            lax.reduce_window(x, start, f, *windows[:3], None, windows[3]), reduced(x, start, by_numpy, *windows)
        )


def test_reduce_window_of_spread_elements_and_of_several_arrays():
    x = np.array([1.0, 4.0, 2.0])
    out = lax.reduce_window(x, -np.inf, lax.max, (2,), (1,), "VALID", (2,))
    np.testing.assert_array_equal(out, [1, 4, 4, 2])
    both = lax.reduce_window((x, np.arange(3)), (-np.inf, -1), _argmax, (2,))
    np.testing.assert_array_equal(both[1], [1, 1])
    shifted = fg.grad(lambda s: lax.reduce_window(x, s, lax.add, (2,)).sum())(
        0.0
    )  # the start is in each of two windows
    assert shifted == 2


def _argmax(a, b):
    later = b[0] > a[0]
    return fg.numpy.where(later, b[0], a[0]), fg.numpy.where(later, b[1], a[1])


def test_ties_and_nan():
    x = np.array([3.0, 3.0, 1.0, np.nan])
    g = fg.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (1,))[:2].sum())(x)
    np.testing.assert_array_equal(g, [1, 1, 0, 0])
    np.testing.assert_array_equal(lax.reduce_window(x, -np.inf, lax.max, (2,), (2,)), [3, np.nan])
    g = fg.vjp(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2,), (2,)), x)[1](np.ones(2))[0]
    np.testing.assert_array_equal(g, [1, 0, 0, 1])


def test_windows_in_the_padding_have_no_derivative():
    x = np.array([2.0, 1.0])
    out, pullback = fg.vjp(lambda x: lax.reduce_window(x, -np.inf, lax.max, (1,), (1,), ((1, 2),)), x)
    np.testing.assert_array_equal(out, [-np.inf, 2, 1, -np.inf, -np.inf])
    np.testing.assert_array_equal(pullback(np.arange(5.0))[0], [1, 2])
    tangent = fg.jvp(lambda x: lax.reduce_window(x, -np.inf, lax.max, (1,), (1,), ((1, 2),)), (x,), (x,))[1]
    np.testing.assert_array_equal(tangent, [0, 2, 1, 0, 0])


def test_integers_and_booleans():
    x = np.array([3, 1, 2], np.int8)
    np.testing.assert_array_equal(lax.reduce_window(x, np.int8(-128), lax.max, (2,), padding=((1, 1),)), [3, 3, 2, 2])
    np.testing.assert_array_equal(lax.reduce_window(x, np.int8(127), lax.min, (2,)), [1, 1])
    np.testing.assert_array_equal(lax.reduce_window(x > 1, False, lax.max, (2,)), [True, True])
    np.testing.assert_array_equal(lax.reduce_window(x > 1, True, lax.min, (2,)), [False, False])
    assert lax.reduce_window(x, np.int8(0), lax.add, (2,)).dtype == np.int8


@pytest.mark.parametrize(
    "message, args, options",
    [
        ("wrong number of window_dimensions", (X, 0.0, lax.add, (2,)), {}),
        ("inconsistent window_strides", (X, 0.0, lax.add, (2, 2, 2), (1,)), {}),
        ("window_strides must have every element be strictly positive", (X, 0.0, lax.add, (2, 2, 2), (0, 1, 1)), {}),
        ("init_values to be scalars", (X, np.zeros(2), lax.add, (2, 2, 2)), {}),
        ("one structure", ((X, X), 0.0, lax.add, (2, 2, 2)), {}),
        ("operands of one shape", ((X, W), (0.0, 0.0), lax.add, (2, 2, 2)), {}),
        ("a pair of padding for each of 3 axes", (X, 0.0, lax.add, (2, 2, 2)), {"padding": [(0, 0)]}),
    ],
)
def test_windows_that_do_not_fit(message, args, options):
    with pytest.raises(ArgumentError, match=message):
        lax.reduce_window(*args, **options)

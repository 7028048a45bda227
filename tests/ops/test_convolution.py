"""Convolution of many examples in pieces, and in the dtypes that the samples of the primitives have not."""

import numpy as np
import pytest

from funcgrad.ops import convolution
from funcgrad.ops.convolution import conv, conv_input, conv_kernel

rng = np.random.default_rng(0)


@pytest.mark.parametrize("block", [1, 500, 5000, 1 << 21])
@pytest.mark.parametrize("shape, size", [((5, 4, 9), (3,)), ((3, 2, 12, 11), (3, 2))])
def test_pieces_make_no_difference(block, shape, size, monkeypatch):
    params = {"strides": (2,) * len(size), "padding": ((1, 2),) * len(size), "dilation": (1,) * len(size), "groups": 2}
    x, w = rng.normal(size=shape), rng.normal(size=(6, shape[1] // 2, *size))
    y = conv(x, w, **params)
    monkeypatch.setattr(convolution, "BLOCK", block)
    g = rng.normal(size=y.shape)
    np.testing.assert_allclose(conv(x, w, **params), y, atol=1e-12)
    to_x, to_w = conv_input(g, w, lengths=shape[2:], **params), conv_kernel(x, g, size=size, **params)
    np.testing.assert_allclose(np.vdot(g, y), np.vdot(to_x, x))
    np.testing.assert_allclose(np.vdot(g, y), np.vdot(to_w, w))


def test_halves_are_added_up_in_single_precision():
    x, w = np.full((1, 1, 4096), 1, np.float16), np.full((1, 1, 4096), 0.25, np.float16)
    params = {"strides": (1,), "padding": ((0, 0),), "dilation": (1,), "groups": 1}
    out = conv(x, w, **params)
    assert out.dtype == np.float16 and out.item() == 1024
    assert conv_input(out, w, lengths=(4096,), **params).dtype == np.float16
    assert conv_kernel(x, out, size=(4096,), **params).dtype == np.float16


def test_nothing_to_sum():
    params = {"strides": (1,), "padding": ((0, 0),), "dilation": (1,), "groups": 1}
    np.testing.assert_array_equal(conv(np.ones((2, 0, 4)), np.ones((3, 0, 2)), **params), np.zeros((2, 3, 3)))
    assert conv_input(np.ones((2, 0, 3)), np.ones((0, 1, 2)), lengths=(4,), **params).shape == (2, 1, 4)
    assert conv_kernel(np.ones((0, 1, 4)), np.ones((0, 3, 3)), size=(2,), **params).shape == (3, 1, 2)
    with pytest.raises(ValueError, match="does not fit"):
        conv.shape(np.ones((1, 2, 3)), np.ones((1, 1, 1)), **params)

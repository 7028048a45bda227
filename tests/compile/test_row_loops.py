"""NumPy's buffers are as long as a row while large arrays are computed, and as they were afterwards."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.numpy_backend.row_loops import buffer_for

RNG = np.random.default_rng(0)


@pytest.fixture
def sizes(monkeypatch):
    """The lengths that buffers were given."""
    found, original = [], np.setbufsize
    monkeypatch.setattr(np, "setbufsize", lambda size: (found.append(size), original(size))[1])
    return found


def differences(x):
    y = x[1:, :-1] - x[:-1, 1:]
    return y * y + fnp.sum(y, 1, keepdims=True), y + x[0, 1:]


@pytest.mark.parametrize(("row", "size"), [(300, 304), (1025, 1024), (100, None)])
def test_groups(row, size, sizes):
    x = RNG.normal(size=(40_000 // row, row))
    found = fg.jit(differences, backend="numpy")(x)
    assert set(sizes) == (set() if size is None else {size, np.getbufsize()})
    for a, b in zip(found, differences(fnp.asarray(x)), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(80, 300), (1000, 600)])
def test_cotangents_of_slices(shape, sizes):
    x = RNG.normal(size=shape)

    def loss(x):
        return fnp.sum((x[1:, :-1] - x[:-1, 1:]) ** 2) + fnp.sum(fnp.sin(x[:, 1:]))

    found = fg.jit(fg.grad(loss), backend="numpy")(x)
    assert sizes
    np.testing.assert_allclose(np.asarray(found), np.asarray(fg.grad(loss)(x)), rtol=1e-12, atol=1e-12)
    assert np.getbufsize() == sizes[-1] != sizes[0]


def test_what_the_caller_has_set_stays_where_an_error_ends_a_group():
    before = np.setbufsize(4096)
    try:
        f = fg.jit(lambda x: 1 / (x[:, 1:] - x[:, :-1]), backend="numpy")
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            f(np.ones((100, 300)))
        assert np.getbufsize() == 4096
    finally:
        np.setbufsize(before)


def test_lengths_of_buffers_are_those_that_numpy_takes():
    for row in (200, 255, 256, 1000, 4096):
        size = buffer_for(row)
        assert size % 16 == 0
        assert row <= size < 2 * row
    assert buffer_for(199) is buffer_for(4097) is None

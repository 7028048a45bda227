"""packbits and unpackbits against NumPy's, eagerly, under jit and under vmap."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape, axis", [((19,), None), ((3, 17), None), ((3, 17), 1), ((9, 2), 0), ((2, 0), -1)])
@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_both_ways(shape, axis, bitorder):
    bits, octets = RNG.integers(0, 3, shape), RNG.integers(0, 256, shape, dtype=np.uint8)
    pack = lambda x: fnp.packbits(x, axis, bitorder)
    for run in (pack, fg.jit(pack), lambda x: fg.vmap(pack)(x[None])[0]):
        for x in (bits, bits > 0):
            ours, theirs = run(x), np.packbits(x, axis, bitorder)
            np.testing.assert_array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype
    for count in (None, 3, 200, -3):
        if 0 in shape and count is not None:  # NumPy gives memory that it did not write
            continue
        unpack = lambda x, count=count: fnp.unpackbits(x, axis, count, bitorder)
        for run in (unpack, fg.jit(unpack), lambda x, unpack=unpack: fg.vmap(unpack)(x[None])[0]):
            ours, theirs = run(octets), np.unpackbits(octets, axis, count, bitorder)
            np.testing.assert_array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype


def test_plain_numpy_comes_here():
    assert isinstance(np.packbits(fnp.array([1, 0, 1])), fg.Array)
    assert isinstance(np.unpackbits(fnp.array([3], fnp.uint8)), fg.Array)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: fnp.packbits([1.0]), TypeError),
        (lambda: fnp.packbits([1], bitorder="middle"), ValueError),
        (lambda: fnp.unpackbits(fnp.array([1])), TypeError),
        (lambda: fnp.unpackbits(fnp.array([1], fnp.uint8), bitorder="middle"), ValueError),
        (lambda: fnp.unpackbits(fnp.array([1], fnp.uint8), count=-9), ValueError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error, match=r"bits|bitorder"):
        call()

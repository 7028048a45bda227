"""Checks of programs that are machine code from beginning to end."""

import numpy as np

import funcgrad as fg


def whole(f, *args):
    """A compiled function that is machine code from its beginning to its end."""
    jitted = fg.jit(f, backend="native")
    assert "define internal i32 @program.steps" in jitted.source(*args)
    return jitted


def check(f, *args, rtol):
    """The function is one program, and gives what it gives with NumPy."""
    found, expected = fg.tree.leaves(whole(f, *args)(*args)), fg.tree.leaves(f(*args))
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=rtol)

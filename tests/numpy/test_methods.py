"""Methods of Array beside those of the same name in the namespace: view and byteswap, against ndarray's."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError, ImmutableArrayError

NARROW = np.arange(16, dtype=np.uint8).reshape(2, 8)
DTYPES = ["u1", "i1", "i2", "u4", "i8", "f4", "f8", "c8", "c16", "f2"]
ways = pytest.mark.parametrize("way", [lambda f: f, fg.jit], ids=["eager", "jit"])


@ways
@pytest.mark.parametrize("old", DTYPES)
@pytest.mark.parametrize("new", DTYPES)
def test_view(way, old, new):
    x = np.tile(NARROW, (1, 2)).view(old)
    theirs = x.view(new)
    ours = way(lambda x: fnp.asarray(x).view(new))(x)
    assert ours.dtype == theirs.dtype and np.asarray(ours).tobytes() == theirs.tobytes() and ours.shape == theirs.shape
    np.testing.assert_array_equal(way(lambda x: fnp.asarray(x).view())(x), x)


@ways
@pytest.mark.parametrize("dtype", [*DTYPES, "?"])
def test_byteswap(way, dtype):
    x = NARROW.view(dtype) if dtype not in ("c16", "?") else np.array([[1.5 + 2j], [0]]).astype(dtype)
    for y in (x, x[0, 0]):
        theirs = np.asarray(y).byteswap()
        ours = way(lambda x: fnp.asarray(x).byteswap())(y)
        assert ours.dtype == theirs.dtype and np.asarray(ours).tobytes() == theirs.tobytes()


def test_bits_have_no_derivative_without_a_word():
    for f in (lambda x: x.byteswap(), lambda x: x.view("f4").sum().astype(float)):
        with pytest.raises(FuncgradError, match="bits"):
            fg.grad(lambda x, f=f: fnp.sum(f(x)))(fnp.ones(2))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda x: x.byteswap(inplace=True), ImmutableArrayError),
        (lambda x: x[0].view("i4"), ValueError),
        (lambda x: x.view("c16"), ValueError),
        (lambda x: x.view(np.ndarray), TypeError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error, match=r"byteswap|view"):
        call(fnp.ones(3))

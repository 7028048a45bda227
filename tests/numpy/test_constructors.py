import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

CALLS = [
    ("array", ([[1, 2], [3, 4.5]],), {}),
    ("array", ([1, 2],), {"dtype": "float32", "ndmin": 3}),
    ("asarray", (3,), {"dtype": complex}),
    ("asanyarray", ([True, False],), {}),
    ("ascontiguousarray", (1.0,), {}),
    ("asfortranarray", ([[1.0, 2.0]],), {}),
    ("require", ([1.0],), {"dtype": "float32", "requirements": "C"}),
    ("zeros", ((2, 3),), {}),
    ("zeros", (2, int), {}),
    ("ones", (2,), {}),
    ("ones", ((2, 0), "F"), {}),
    ("full", ((2, 3), 7), {}),
    ("full", ((2, 3), [1.0, 2.0, 3.0]), {}),
    ("full", (2, 1.5, int), {}),
    ("zeros_like", ([1, 2],), {}),
    ("ones_like", ([1, 2],), {"dtype": float, "shape": (3, 1)}),
    ("full_like", ([1, 2], 2.7), {}),
    ("full_like", ([1.0, 2.0], 3), {"shape": 4}),
    ("arange", (4,), {}),
    ("arange", (1.0, 2.0, 0.25), {}),
    ("arange", (5, 1, -2), {}),
    ("arange", (3,), {"dtype": "float32"}),
    ("linspace", (0, 5), {}),
    ("linspace", (0, 5, 4), {"endpoint": False}),
    ("linspace", ([0.0, 1.0], [5.0, 7.0], 3), {"axis": -1}),
    ("linspace", (0, 5, 3), {"dtype": int}),
    ("linspace", (np.float32(0), np.float32(1), 3), {}),
    ("logspace", (0, 2, 5), {"base": 2.0}),
    ("geomspace", (1, 256, 9), {}),
    ("geomspace", (-1.0, -8.0, 4), {}),
    ("eye", (3,), {}),
    ("eye", (2, 4, 1, "float32"), {}),
    ("identity", (2,), {}),
    ("tri", (3, 4, -1), {}),
    ("vander", ([1.0, 2.0, 3.0],), {}),
    ("vander", ([1, 2, 3], 2), {"increasing": True}),
    ("vander", (np.float32([1, 2]), 0), {}),
    ("frombuffer", (np.arange(3.0).tobytes(),), {"count": 2}),
    ("fromiter", (range(5), int, 3), {}),
    ("fromstring", ("1 2 3",), {"sep": " ", "dtype": int}),
    ("from_dlpack", (np.arange(3.0),), {}),
]


@pytest.mark.parametrize("name, args, kwargs", CALLS, ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)])
def test_like_numpy(name, args, kwargs):
    got = getattr(fnp, name)(*args, **kwargs)
    assert isinstance(got, fg.Array)
    np.testing.assert_array_equal(np.asarray(got), getattr(np, name)(*args, **kwargs), strict=True)


def test_empty():
    assert fnp.empty((2, 3), int).shape == (2, 3) and fnp.empty_like([1, 2]).dtype == np.int64


def test_an_array_is_given_back_and_an_ndarray_copied():
    a = fnp.ones(3)
    assert fnp.array(a) is a and fnp.asarray(a) is a and fnp.asarray(a, dtype=float) is a
    raw = np.ones(3)
    buffer = bytearray(raw.tobytes())
    b, c = fnp.asarray(raw), fnp.frombuffer(buffer)
    raw[:] = 9
    buffer[:8] = b"\x01" * 8
    assert b.tolist() == c.tolist() == [1, 1, 1]


def test_lists_may_hold_tracers():
    g = fg.grad(lambda x: (fnp.array([[x, 1.0], [2.0, x * x]], dtype="float32") ** 2).sum())(3.0)
    assert g == 2 * 3 + 4 * 27 and g.dtype == np.float64
    assert fg.grad(lambda x: fnp.fromiter((x * k for k in range(4)), float).sum())(1.0) == 6
    check_grads(lambda x: fnp.array([x, [1.0, 2.0]], ndmin=3) ** 2, (np.array([3.0, 4.0]),))


def test_like_of_a_tracer_is_a_constant_and_full_is_not():
    def f(x):
        assert type(np.zeros_like(x)) is fg.Array
        return (np.ones_like(x) + np.full_like(x, x[0]) + fnp.full((2, 3), x) + fnp.full(3, [x[0], x[1], 2.0])).sum()

    assert fg.grad(f)(np.array([1.0, 2.0, 3.0])).tolist() == [6 + 2 + 2, 2 + 2, 2]
    assert fnp.full_like(fnp.arange(2), 2.9).tolist() == [2, 2]


def traced(f, *args):
    """What f gives under vjp."""
    return np.asarray(fg.vjp(f, *args)[0])


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
@pytest.mark.parametrize("start, stop", [(1.0, 2.5), (np.array([1.0, 3.0]), 2.0), (1.0, np.array([[1.0], [9.0]]))])
def test_ranges_of_tracers_have_numpys_values(start, stop, num, endpoint):
    for name in ("linspace", "logspace", "geomspace"):
        f, g = getattr(fnp, name), getattr(np, name)
        axis = -1 if np.ndim(stop) else 0
        got = traced(lambda a, b, f=f, axis=axis: f(a, b, num, endpoint, axis=axis), start, stop)
        np.testing.assert_allclose(got, g(start, stop, num, endpoint, axis=axis), rtol=1e-13)
        check_grads(lambda a, b, f=f, axis=axis: f(a, b, num, endpoint, axis=axis), (start, stop))


@pytest.mark.parametrize("dtypes", [("uint8", "uint8"), ("bool", "bool"), ("float32", "bool"), ("int8", "float32")])
def test_ranges_between_ends_of_any_dtype_are_the_same_compiled(dtypes):
    start, stop = np.array([3, 1]).astype(dtypes[0]), np.array([1, 0]).astype(dtypes[1])
    found, expected = fg.jit(lambda a, b: fnp.linspace(a, b, 5))(start, stop), np.linspace(start, stop, 5)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_more_ranges_of_tracers():
    def lin(a, b):
        return fnp.linspace(a, b, 5, retstep=True)

    (values, step), _ = fg.vjp(lin, 0.0, 1.0)
    assert values.tolist() == [0, 0.25, 0.5, 0.75, 1] and step == 0.25
    check_grads(lin, (0.0, 1.0))
    assert fg.vjp(lambda a: fnp.linspace(a, 1, 3), np.float32(0))[0].dtype == np.float32
    assert fg.make_tape(lambda a: fnp.linspace(a, 9, 4, dtype=int))(0.5)(0.5).tolist() == [0, 3, 6, 9]
    check_grads(lambda b: fnp.logspace(0.0, 2.0, 4, base=b), (3.0,))
    base = np.array([2.0, 3.0])
    got = traced(lambda b: fnp.logspace(0.0, 2.0, 4, base=b, axis=-1), base)
    np.testing.assert_allclose(got, np.logspace(0.0, 2.0, 4, base=base, axis=-1))
    check_grads(lambda z: fnp.geomspace(z, 1 + 2j, 4), (np.array(1j),))


def test_arange_of_tracers():
    f = lambda a, s: fnp.arange(a, 2.0, s)
    np.testing.assert_allclose(traced(f, 0.3, 0.25), np.arange(0.3, 2.0, 0.25))
    check_grads(f, (0.3, 0.25))
    assert fg.grad(lambda stop: fnp.arange(stop).sum())(2.5) == 0
    assert fg.vjp(lambda a: fnp.arange(a, 3.0), np.float32(0))[0].dtype == np.arange(np.float32(0), 3.0).dtype
    with pytest.raises(fg.errors.NoValueError, match="arange"):
        fg.eval_shape(fnp.arange, 3.0)


def test_vander_is_smooth_at_zero():
    assert fg.grad(lambda x: fnp.vander(x).sum())(np.array([0.0, 0.0, 2.0])).tolist() == [1, 1, 5]
    check_grads(fnp.vander, (np.array([0.5, -2.0, 0.0]),), order=2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.array(["a"]), fg.errors.ArgumentError, "numbers and booleans"),
        (lambda: fnp.zeros(2, dtype=object), fg.errors.ArgumentError, "dtype object"),
        (lambda: fnp.zeros(2, device="gpu"), ValueError, "device 'cpu'"),
        (lambda: fnp.zeros((2, -1)), ValueError, "negative"),
        (lambda: fnp.zeros(2.5), TypeError, "iterable|parameter"),
        (lambda: fnp.fromiter([1.0], float, 2), ValueError, "2 elements were expected"),
        (lambda: fnp.require([1.0], requirements="W"), fg.errors.UnsupportedError, "immutable"),
        (lambda: fnp.vander([[1.0]]), ValueError, "takes a vector"),
        (lambda: fg.grad(lambda x: fnp.linspace(x, 1.0, -1).sum())(0.0), ValueError, "negative"),
        (lambda: fnp.geomspace(0.0, 1.0), ValueError, "zero"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


SINGLE = np.float32(1)


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
@pytest.mark.parametrize("other", [4, 4.0, np.float32(4), np.float64(4), [4], [4.0], np.int32(4)])
def test_dtype_of_ranges_is_the_same_under_a_transform(name, other):
    f = getattr(fnp, name)
    expected = getattr(np, name)(SINGLE, other, 3).dtype
    assert f(SINGLE, other, 3).dtype == expected
    assert fg.vjp(lambda a: f(a, other, 3), SINGLE)[0].dtype == expected
    assert fg.vjp(lambda b: f(other, b, 3), SINGLE)[0].dtype == getattr(np, name)(other, SINGLE, 3).dtype

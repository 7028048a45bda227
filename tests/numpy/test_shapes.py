import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.arange(24.0).reshape(2, 3, 4)

CALLS = [
    ("reshape", (A, (4, -1)), {}),
    ("reshape", (A, -1), {}),
    ("reshape", (A, [6, 4]), {"order": "F"}),
    ("reshape", (np.asfortranarray(A), (6, 4)), {"order": "A"}),
    ("reshape", (A, (6, 4)), {"order": "A"}),
    ("reshape", (A, np.array([8, 3])), {}),
    ("ravel", (A,), {}),
    ("ravel", (A,), {"order": "F"}),
    ("ravel", (A.transpose(2, 0, 1),), {"order": "K"}),
    ("ravel", (np.asfortranarray(A),), {"order": "A"}),
    ("resize", (A, (5, 7)), {}),
    ("resize", (A, 3), {}),
    ("resize", (A, (0, 2)), {}),
    ("resize", (np.zeros(0), (2, 2)), {}),
    ("expand_dims", (A, 1), {}),
    ("expand_dims", (A, (0, -1)), {}),
    ("squeeze", (A[:, :1],), {}),
    ("squeeze", (A[:1, :1],), {"axis": 0}),
    ("squeeze", (A[:1, :1],), {"axis": (-2, 0)}),
    ("transpose", (A,), {}),
    ("transpose", (A, (1, -1, 0)), {}),
    ("permute_dims", (A, (2, 0, 1)), {}),
    ("matrix_transpose", (A,), {}),
    ("swapaxes", (A, 0, -1), {}),
    ("moveaxis", (A, 0, -1), {}),
    ("moveaxis", (A, (0, 1), (-1, 0)), {}),
    ("rollaxis", (A, 2), {}),
    ("rollaxis", (A, 0, 3), {}),
    ("rollaxis", (A, -1, -2), {}),
    ("broadcast_to", (A[0], (3, 3, 4)), {}),
    ("broadcast_to", (2.0, 3), {}),
    ("tile", (A, 2), {}),
    ("tile", (A, (2, 1)), {}),
    ("tile", (A[0, 0], (2, 1, 3)), {}),
    ("tile", (A, ()), {}),
    ("tile", (2.0, (2, 2)), {}),
    ("tile", (A, (0, 2)), {}),
    ("repeat", (A, 2), {}),
    ("repeat", (A, 2), {"axis": 1}),
    ("repeat", (A, [1, 0, 2]), {"axis": 1}),
    ("repeat", (A, [3]), {"axis": -1}),
    ("repeat", (3.0, 2), {}),
    ("repeat", (A, 0), {"axis": 0}),
    ("flip", (A,), {}),
    ("flip", (A, 1), {}),
    ("flip", (A, (0, -1)), {}),
    ("fliplr", (A,), {}),
    ("flipud", (A,), {}),
    *[("rot90", (A, k), {}) for k in (-1, 0, 1, 2, 3)],
    ("rot90", (A,), {"axes": (2, 1)}),
    ("roll", (A, 2), {}),
    ("roll", (A, (1, -2)), {"axis": (0, 2)}),
    ("roll", (A, 1), {"axis": (0, 1)}),
    ("roll", (A, (1, 2)), {"axis": 1}),
    ("roll", (A, (1, 2)), {}),
    ("atleast_1d", (2.0,), {}),
    ("atleast_2d", (2.0,), {}),
    ("atleast_2d", (A[0, 0],), {}),
    ("atleast_3d", (2.0,), {}),
    ("atleast_3d", (A[0, 0],), {}),
    ("atleast_3d", (A[0],), {}),
    ("atleast_3d", (A,), {}),
    ("copy", (A,), {}),
    ("trim_zeros", (np.array([0.0, 0, 1, 0, 2, 0]),), {}),
    ("trim_zeros", (np.array([0.0, 0, 1, 0, 2, 0]), "f"), {}),
    ("trim_zeros", (np.array([0.0, 0, 1, 0, 2, 0]), "b"), {}),
    ("trim_zeros", (np.zeros(3),), {}),
    ("trim_zeros", (np.zeros(3), "f"), {}),
    ("trim_zeros", (np.zeros(3), "b"), {}),
    ("trim_zeros", (np.pad(A[0], ((1, 2), (0, 3))),), {}),
    ("trim_zeros", (np.pad(A[0], ((1, 2), (0, 3))),), {"axis": 1}),
    ("astype", (A, np.float32), {}),
    ("astype", (A, "complex128"), {}),
    ("astype", (np.array([0.0, 2.5]), int), {}),
    ("astype", (np.array([0.0, 2.5j]), bool), {}),
]


@pytest.mark.parametrize("name, args, kwargs", CALLS, ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)])
def test_like_numpy(name, args, kwargs):
    expected = getattr(np, name)(*args, **kwargs)
    got = getattr(fnp, name)(*args, **kwargs)
    assert isinstance(got, fg.Array) and got.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(got), expected, strict=True)

    wrapped = fnp.asarray(args[0])  # plain NumPy on an Array, and on a tracer
    np.testing.assert_array_equal(np.asarray(getattr(np, name)(wrapped, *args[1:], **kwargs)), expected)
    if expected.dtype.kind in "fc":
        value, _ = fg.vjp(lambda x: getattr(np, name)(x, *args[1:], **kwargs), args[0])
        np.testing.assert_array_equal(np.asarray(value), expected)


@pytest.mark.parametrize("name, args, kwargs", CALLS, ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)])
def test_derivatives(name, args, kwargs):
    f = getattr(fnp, name)
    x = np.asarray(args[0])
    if name == "trim_zeros":  # a step would move the zeros
        kept = f(x, *args[1:], **kwargs)
        weights = np.arange(1.0, 1 + kept.size).reshape(kept.shape)
        g = fg.grad(lambda x: (f(x, *args[1:], **kwargs) * weights).sum())(x)
        assert sorted(np.asarray(g)[np.asarray(g) != 0]) == list(range(1, 1 + weights.size))
        return
    if kwargs.get("order") in ("A", "K"):  # finite differences do not keep the layout
        moved = f(x, *args[1:], **kwargs)
        g = fg.grad(lambda x: (f(x, *args[1:], **kwargs) * moved).sum())(x)
        np.testing.assert_array_equal(np.asarray(g), x)
        return
    if np.dtype(args[1] if name == "astype" else float).kind in "bi" or "float32" in str(args[1:]):
        return
    check_grads(lambda x: f(x, *args[1:], **kwargs) ** 2, (x,))


def test_gradients_are_moved_elements():
    w = np.arange(6.0).reshape(3, 2)
    g = fg.grad(lambda x: (fnp.reshape(x, (3, 2), order="F") * w).sum())(np.zeros((2, 3)))
    assert g.tolist() == [[0, 4, 3], [2, 1, 5]]
    assert fg.grad(lambda x: (fnp.repeat(x, [1, 0, 2]) * np.array([1.0, 2, 3])).sum())(np.zeros(3)).tolist() == [
        1,
        0,
        5,
    ]
    assert fg.grad(lambda x: (fnp.tile(x, 2) * np.arange(4.0)).sum())(np.zeros(2)).tolist() == [2, 4]
    assert fg.grad(lambda x: (fnp.roll(x, 1) * np.arange(3.0)).sum())(np.zeros(3)).tolist() == [1, 2, 0]


def test_size_shape_ndim():
    assert fnp.shape([[1, 2, 3]]) == (1, 3) and fnp.shape(2.0) == () and fnp.ndim(A) == 3
    assert fnp.size(A) == 24 and fnp.size(A, -1) == 4 and fnp.size(A, (0, 1)) == 6
    assert fg.grad(lambda x: fnp.shape([x, x])[0] * np.size(x) * x)(1.0) == 2


def test_broadcasting():
    x, y = fnp.broadcast_arrays(A[0], 2.0)
    assert x.shape == y.shape == (3, 4)
    assert fnp.broadcast_shapes((3, 1), 2, (1, 1, 1)) == (1, 3, 2)
    a, b = fnp.atleast_2d(1.0, A)
    assert a.shape == (1, 1) and b.shape == A.shape
    gx, gy = fg.grad(lambda x, y: np.multiply(*np.broadcast_arrays(x, y)).sum(), (0, 1))(
        np.ones((2, 1)), np.arange(3.0)
    )
    assert gx.tolist() == [[3], [3]] and gy.tolist() == [2, 2, 2]


@pytest.mark.parametrize("total, expected", [(2, [1, 2]), (3, [1, 2, 2]), (5, [1, 2, 2, 2, 2])])
def test_repeat_to_a_total_length(total, expected):  # as jax.numpy.repeat
    assert fnp.repeat([1.0, 2.0], [1, 2], total_repeat_length=total).tolist() == expected


def test_complex_to_real_warns_once():
    with pytest.warns(np.exceptions.ComplexWarning) as caught:
        assert fnp.astype(np.array([1 + 2j]), float).tolist() == [1]
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fnp.astype(np.array([1 + 2j, 0]), bool).tolist() == [True, False]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.reshape(A, (5, -1)), ValueError, "size 24 into shape"),
        (lambda: fnp.reshape(A, (-1, -1)), ValueError, "only one"),
        (lambda: fnp.reshape(A, (-2, -12)), ValueError, "negative|one unknown"),
        (lambda: fnp.reshape(A, 23), ValueError, "size 24 into shape"),
        (lambda: fnp.roll(A, (1, 2, 3), (0, 1)), ValueError, "one shift for each axis"),
        (lambda: fnp.reshape(A, 24, order="Z"), ValueError, "order must be"),
        (lambda: fnp.squeeze(A, 0), ValueError, "axis 0 of shape"),
        (lambda: fnp.transpose(A, (0, 1)), ValueError, "each of the 3 axes"),
        (lambda: fnp.transpose(A, (0, 1, 1)), ValueError, "repeated"),
        (lambda: fnp.expand_dims(A, 5), np.exceptions.AxisError, "out of bounds"),
        (lambda: fnp.matrix_transpose([1.0]), ValueError, "two axes"),
        (lambda: fnp.moveaxis(A, (0, 1), 0), ValueError, "same length"),
        (lambda: fnp.repeat(A, [1, 2, 3], axis=0), ValueError, "broadcast"),
        (lambda: fnp.repeat(A, 1.5), fg.errors.ArgumentError, "must be integers"),
        (lambda: fnp.repeat(A, -1), ValueError, "negative"),
        (lambda: fnp.rot90(A, axes=(0, 1, 2)), ValueError, "two axes"),
        (lambda: fnp.resize(A, -1), ValueError, "negative"),
        (lambda: fnp.trim_zeros(A, "x"), ValueError, "trim must be"),
        (lambda: fnp.astype(A, object), fg.errors.ArgumentError, "cannot become object"),
        (lambda: fg.eval_shape(fnp.trim_zeros, A), fg.errors.NoValueError, "trim_zeros"),
        (lambda: fg.eval_shape(lambda x: fnp.reshape(x, 24, order="A"), A), fg.errors.NoValueError, "order"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.arange(1.0, 25.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "f, axis",
    [
        (lambda v: v[0] * v[-1], 1),
        (lambda v: v[::-1] * v, 0),
        (lambda v: np.stack([v, 2 * v], axis=1), -1),
        (lambda v: v[:, None] * v, 1),
    ],
)
def test_apply_along_axis(f, axis):
    expected = np.apply_along_axis(f, axis, A)
    np.testing.assert_array_equal(np.asarray(fnp.apply_along_axis(f, axis, A)), expected, strict=True)
    check_grads(lambda x: np.apply_along_axis(f, axis, x), (A,))


def test_apply_along_axis_passes_arguments():
    assert fnp.apply_along_axis(lambda v, k, s: v[k] * s, 0, [[1.0, 2.0]], 0, s=3).tolist() == [3, 6]


@pytest.mark.parametrize("axes", [0, (0, 2), [1, -1]])
def test_apply_over_axes(axes):
    np.testing.assert_array_equal(
        np.asarray(fnp.apply_over_axes(fnp.sum, A, axes)), np.apply_over_axes(np.sum, A, axes)
    )
    check_grads(lambda x: np.apply_over_axes(np.sum, x, axes) ** 2, (A,))


def test_fromfunction():
    np.testing.assert_array_equal(
        np.asarray(fnp.fromfunction(lambda i, j: i - 2 * j, (2, 3))), np.fromfunction(lambda i, j: i - 2 * j, (2, 3))
    )
    assert fg.grad(lambda a: fnp.fromfunction(lambda i, j: a * i * j, (3, 3)).sum())(1.0) == 9


def branch(x, y):
    """Which is larger."""
    return x if x > y else y * y


def test_vectorize():
    x, y = np.array([[1.0], [5.0]]), np.array([0.5, 3.0, 6.0])
    np.testing.assert_array_equal(np.asarray(fnp.vectorize(branch)(x, y)), np.vectorize(branch)(x, y))
    check_grads(fnp.vectorize(branch), (x, y))
    assert fnp.vectorize(branch).__doc__ == "Which is larger."
    assert fnp.vectorize(branch, doc="words").__doc__ == "words"


def test_vectorize_results():
    a, b = fnp.vectorize(lambda x: (x, 2 * x), otypes="df")([1, 2])
    assert (a.dtype, b.dtype, b.tolist()) == (np.float64, np.float32, [2, 4])
    assert fnp.vectorize(lambda x: x, otypes=[float])(np.zeros((0, 2))).shape == (0, 2)
    # NumPy takes the dtype of the first result, and so would cut 2.5 to 2
    assert fnp.vectorize(lambda x: 0 if x < 0 else x)([-1.0, 2.5]).tolist() == [0, 2.5]


def test_vectorize_excluded_and_keywords():
    poly = fnp.vectorize(lambda p, x: sum(c * x**k for k, c in enumerate(p)), excluded=["p"])
    assert poly(p=[1, 2, 3], x=[0.0, 1.0]).tolist() == [1, 6]
    assert fnp.vectorize(lambda p, x: p[0] * x, excluded=[0])([2, 9], [1.0, 2.0]).tolist() == [2, 4]


def test_vectorize_signature():
    matvec = fnp.vectorize(lambda a, v: a @ v, signature="(m,n),(n)->(m)")
    v = np.arange(4.0)
    np.testing.assert_allclose(np.asarray(matvec(A, v)), A @ v)
    check_grads(matvec, (A, v))

    @fnp.vectorize(signature="(n)->(),(n)")
    def norm(v):
        return (v * v).sum(), 2 * v

    total, twice = norm(A)
    assert total.shape == (2, 3) and twice.shape == A.shape
    assert fnp.vectorize(lambda v: v, otypes="d", signature="(n)->(n)")(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.vectorize(branch)([], []), ValueError, "otypes="),
        (lambda: fnp.vectorize(branch, signature="(n->()"), ValueError, "a signature looks like"),
        (lambda: fnp.vectorize(branch, signature="(n),(n)->()")(A), TypeError, "2 arguments, but 1"),
        (lambda: fnp.vectorize(branch, signature="(n),(n)->()")(A[0], A[0, 0, :2]), ValueError, "axis n has length 2"),
        (lambda: fnp.vectorize(lambda v: v, signature="(n)->()")(A), ValueError, "result 0 has shape"),
        (lambda: fnp.vectorize(lambda v: v, signature="(n)->(),()")(A), ValueError, "2 results were expected"),
        (lambda: fnp.vectorize(lambda x: fnp.stack([x, x]))(A), ValueError, "must give numbers"),
        (lambda: fnp.vectorize(lambda v: v, otypes="d", signature="(n)->(k)")(np.zeros((0, 3))), ValueError, "unknown"),
        (lambda: fnp.apply_along_axis(lambda v: v, 0, np.zeros((2, 0))), ValueError, "no slices"),
        (lambda: fnp.apply_over_axes(lambda a, i: a.sum(), A, 0), ValueError, "keep or remove one of 3"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_vectorize_passes_none_on():
    f = fnp.vectorize(lambda x, y: x if y is None else x + y)
    np.testing.assert_array_equal(f(fnp.arange(3), None), [0, 1, 2])
    np.testing.assert_array_equal(f(fnp.arange(3), y=None), [0, 1, 2])
    np.testing.assert_array_equal(f(fnp.arange(3), 10), [10, 11, 12])
    with pytest.raises(ValueError, match=r"the arguments \[1\], which are None"):
        fnp.vectorize(lambda x, y: x, signature="(k),(k)->(k)")(fnp.arange(3), None)

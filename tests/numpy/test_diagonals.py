import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.arange(12.0).reshape(3, 4)
T = np.arange(24.0).reshape(2, 3, 4)

CALLS = [
    ("diag", (A,), {}),
    ("diag", (A, -1), {}),
    ("diag", (A, 9), {}),
    ("diag", (A[0], 2), {}),
    ("diag", (A[0], -1), {}),
    ("diagflat", (A, 1), {}),
    ("diagonal", (T,), {}),
    ("diagonal", (T, 1, -1, 0), {}),
    ("diagonal", (T,), {"offset": -1, "axis1": 1, "axis2": 2}),
    ("tril", (A,), {}),
    ("tril", (T, -1), {}),
    ("tril", (A[0],), {}),
    ("triu", (A, 1), {}),
    ("triu", (T,), {}),
    ("triu", (A[0], -1), {}),
]


@pytest.mark.parametrize("name, args, kwargs", CALLS, ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)])
def test_like_numpy_with_derivatives(name, args, kwargs):
    expected = getattr(np, name)(*args, **kwargs)
    np.testing.assert_array_equal(np.asarray(getattr(fnp, name)(*args, **kwargs)), expected, strict=True)
    check_grads(lambda x: getattr(np, name)(x, *args[1:], **kwargs) ** 2, (args[0],))


def test_masks_keep_infinities_out():
    x = np.array([[1.0, np.inf], [np.nan, 2.0]])
    assert fnp.triu(x).tolist() == [[1, np.inf], [0, 2]]
    assert fg.grad(lambda x: fnp.tril(x, -1).sum())(x).tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: fnp.diag(T), "vector or a matrix"),
        (lambda: fnp.diagonal([1.0]), "two axes"),
        (lambda: fnp.diagonal(A, 0, 1, 1), "different"),
        (lambda: fnp.tril(1.0), "0-d"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()

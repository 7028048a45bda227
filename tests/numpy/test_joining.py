import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.arange(6.0).reshape(2, 3)
B = np.arange(10.0, 16.0).reshape(2, 3)
V, W = A[0], B[0]

JOIN = [
    ("concatenate", (A, B), {}),
    ("concatenate", (A, B), {"axis": -1}),
    ("concatenate", (A, V), {"axis": None}),
    ("concatenate", (A.astype("float32"), B.astype(int)), {}),
    ("concatenate", (A, B), {"dtype": "float32"}),
    ("concat", (A, B[:, :1]), {"axis": 1}),
    ("stack", (A, B), {}),
    ("stack", (A, B), {"axis": -1}),
    ("stack", (1.0, 2, 3.5), {}),
    ("stack", (np.float32(1), np.float32(2)), {}),
    ("vstack", (V, A), {}),
    ("hstack", (V, 2.0), {}),
    ("hstack", (A, B), {}),
    ("dstack", (A, B), {}),
    ("dstack", (V, W), {}),
    ("column_stack", (V, W), {}),
    ("column_stack", (V[:2], A), {}),
]
IDS = [f"{i}-{c[0]}" for i, c in enumerate(JOIN)]


@pytest.mark.parametrize("name, parts, kwargs", JOIN, ids=IDS)
def test_like_numpy(name, parts, kwargs):
    expected = getattr(np, name)(list(parts), **kwargs)
    got = getattr(fnp, name)(list(parts), **kwargs)
    np.testing.assert_array_equal(np.asarray(got), expected, strict=True)
    plain = getattr(np, name)([fnp.asarray(p) for p in parts], **kwargs)
    assert isinstance(plain, fg.Array)
    np.testing.assert_array_equal(np.asarray(plain), expected, strict=True)


@pytest.mark.parametrize("name, parts, kwargs", JOIN, ids=IDS)
def test_derivatives(name, parts, kwargs):
    if not kwargs.get("dtype"):
        parts = [np.asarray(p, dtype=float) for p in parts]
        check_grads(lambda *xs: getattr(np, name)(xs, **kwargs) ** 2, tuple(parts))


def test_rows_of_an_array_join():
    assert np.array_equal(fnp.concatenate(fnp.asarray(A)), A.ravel())
    assert fg.grad(lambda x: (fnp.hstack(x) * np.arange(6.0)).sum())(A).tolist() == [[0, 1, 2], [3, 4, 5]]


BLOCKS = [
    [[A, B], [np.ones((1, 4)), np.zeros((1, 2))]],
    [V, 1.0],
    [[1.0, 2.0], [3.0, 4.0]],
    A,
    [[[A]], [[B]]],
    [[A], [B[:1]], [V]],
]


@pytest.mark.parametrize("blocks", BLOCKS)
def test_block(blocks):
    np.testing.assert_array_equal(np.asarray(fnp.block(blocks)), np.block(blocks), strict=True)


def test_block_derivative():
    check_grads(lambda a, b: np.block([[a, b], [b, 2.0 * a]]) ** 2, (A, B))


SPLIT = [
    ("split", (np.arange(6.0), 3), {}),
    ("split", (np.arange(6.0), [1, 4, 9]), {}),
    ("split", (A, (1,)), {"axis": 1}),
    ("array_split", (np.arange(7.0), 3), {}),
    ("array_split", (np.arange(2.0), 3), {}),
    ("array_split", (A, 2), {"axis": 1}),
    ("hsplit", (A, 3), {}),
    ("hsplit", (V, [1]), {}),
    ("vsplit", (A, 2), {}),
    ("dsplit", (np.arange(8.0).reshape(2, 2, 2), 2), {}),
    ("unstack", (A,), {}),
    ("unstack", (A,), {"axis": -1}),
]


@pytest.mark.parametrize("name, args, kwargs", SPLIT, ids=[f"{i}-{c[0]}" for i, c in enumerate(SPLIT)])
def test_taking_apart(name, args, kwargs):
    expected = getattr(np, name)(*args, **kwargs)
    for got in (
        getattr(fnp, name)(*args, **kwargs),
        getattr(np, name)(fnp.asarray(args[0]), *args[1:], **kwargs),
    ):
        assert type(got) is type(expected) and len(got) == len(expected)
        for x, y in zip(got, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(x), y, strict=True)
    check_grads(lambda x: [p**2 for p in getattr(fnp, name)(x, *args[1:], **kwargs)], (args[0],))


def test_append():
    np.testing.assert_array_equal(np.asarray(fnp.append(A, B, axis=0)), np.append(A, B, axis=0))
    assert fg.grad(lambda x: np.append(x, [5.0, 6.0]) @ np.arange(4.0))(np.ones(2)).tolist() == [0, 1]


def test_a_caller_may_change_constants_afterwards():
    constant = np.ones(2)
    y, pullback = fg.vjp(
        lambda x: fnp.concatenate([x, constant]) * fnp.concatenate([constant, x]), np.array([2.0, 3.0])
    )
    constant[:] = 100
    assert y.tolist() == [2, 3, 2, 3] and pullback(np.ones(4))[0].tolist() == [2, 2]


def test_many_scalars():
    x = np.arange(300.0)
    g = fg.grad(lambda x: (fnp.stack([x[i] * i for i in range(300)]) ** 2).sum())(x)
    np.testing.assert_allclose(np.asarray(g), 2 * x**3)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.concatenate([]), ValueError, "at least one"),
        (lambda: fnp.concatenate(2.0), TypeError, "sequence of arrays"),
        (lambda: fnp.concatenate([1.0, 2.0]), ValueError, "use stack"),
        (lambda: fnp.concatenate([A, V]), ValueError, "dimension"),
        (lambda: fnp.concatenate([V, W], out=np.zeros(6)), fg.errors.LostTraceError, "out="),
        (lambda: fnp.concatenate([V, W], dtype=int), TypeError, "casting='same_kind'"),
        (lambda: fnp.stack([V, A]), ValueError, "one shape"),
        (lambda: fnp.stack(x for x in [V]), TypeError, "make it a list|parameter"),
        (lambda: fnp.block([[A], B]), ValueError, "one depth"),
        (lambda: fnp.block([]), ValueError, "must not be empty"),
        (lambda: fnp.block((A, B)), TypeError, "tuple"),
        (lambda: fnp.split(V, 2), ValueError, "no 2 equal parts"),
        (lambda: fnp.split(V, 0), ValueError, "positive"),
        (lambda: fnp.vsplit(V, 1), ValueError, "at least 2 axes"),
        (lambda: fnp.dsplit(A, 1), ValueError, "at least 3 axes"),
        (lambda: fnp.unstack(1.0), ValueError, "0-d"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()

"""Indexing and its functions: NumPy's values, gradients of what is read, and what cannot change afterwards."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError
from funcgrad.numpy.indexing import normalize_index
from funcgrad.ops.index import HERE
from funcgrad.testing import check_grads

X = np.arange(24.0).reshape(2, 3, 4)
MASK = X % 5 < 2
INDICES = [
    0,
    -1,
    np.int8(1),
    slice(None, None, -1),
    slice(np.int64(0), np.int64(1)),
    (1, 2),
    (..., 0),
    None,
    (None, 1, ..., slice(1, 3)),
    [0, 1, 1],
    [],
    range(2),
    True,
    np.array(1),
    (np.array(1), slice(None), np.array([0, 3])),
    (0, slice(None), [1, 1]),
    (slice(None), np.array([[0], [2]]), [1, 3]),
    MASK,
    (0, MASK[0]),
    (slice(None), [True, False, True]),
    (),
    ...,
]


def as_arrays(index):
    """The index with funcgrad Arrays for ndarrays."""
    if isinstance(index, tuple):
        return tuple(as_arrays(i) for i in index)
    return fnp.asarray(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("index", INDICES, ids=str)
class TestEveryIndex:
    def test_value(self, index):
        for i in (index, as_arrays(index)):
            out = fnp.asarray(X)[i]
            assert out.shape == X[index].shape
            np.testing.assert_array_equal(out, X[index])

    def test_gradient_counts_how_often_an_element_is_read(self, index):
        read = fg.vjp(lambda x: x[index], X)
        expected = np.zeros(X.size)
        np.add.at(expected, np.arange(X.size).reshape(X.shape)[index], 1.0)
        (g,) = read[1](fnp.ones_like(read[0]))
        np.testing.assert_array_equal(g, expected.reshape(X.shape))

    def test_recorded(self, index):
        tape = fg.make_tape(lambda x: x[index])(X)
        np.testing.assert_array_equal(tape(X), X[index])


@pytest.mark.parametrize("index", [2, (0, 3), [5], (0, 0, 0, 0), 1.0, "a", np.array([1.0]), np.ones(3, bool)], ids=str)
def test_bad_index(index):
    for read in (lambda f, x: f(x), lambda f, x: f(fnp.asarray(x)), fg.vjp, lambda f, x: fg.make_tape(f)(x)):
        with pytest.raises(IndexError):
            read(lambda x: x[index], X)


class TestSnapshot:
    """Nothing that a caller does to an index afterwards shows."""

    def test_index_array(self):
        i, x = np.array([0, 1]), np.array([1.0, 2.0, 3.0])
        tape = fg.make_tape(lambda x: x[i])(x)
        out, pullback = fg.vjp(lambda x: x[i], x)
        i[:] = 2
        np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, 1.0, 0.0])
        np.testing.assert_array_equal(tape(x), [1.0, 2.0])
        np.testing.assert_array_equal(out, [1.0, 2.0])

    def test_mask(self):
        mask = np.array([True, False])
        _, pullback = fg.vjp(lambda x: x[mask], np.ones(2))
        mask[:] = False
        np.testing.assert_array_equal(pullback(np.ones(1))[0], [1.0, 0.0])

    def test_array_that_take_reads(self):
        x = np.ones(2)
        out = fnp.take(x, [0, 1])
        x[:] = 5
        np.testing.assert_array_equal(out, 1.0)


class TestTracedIndices:
    """Under make_tape integer arrays are operands; a boolean one has no values."""

    @pytest.mark.parametrize(
        "read, index",
        [
            (lambda x, i: x[i], 1),
            (lambda x, i: x[i], [[0, 1], [1, 1]]),
            (lambda x, i: x[:, i], [2, 0, 0]),
            (lambda x, i: x[1, :, i], [2, 0, 0]),
            (lambda x, i: x[i, 0, [1, 2, 1]], [1, 0, 1]),
            (lambda x, i: x[i, i[:1]], [1, 0]),
            (lambda x, i: x[0, i[0], i], [1, 0]),
            (lambda x, i: fnp.take(x, i, axis=1, mode="wrap"), [7, -1]),
            (lambda x, i: fnp.take(x, i, axis=2, mode="clip"), [7, -1]),
            (lambda x, i: x[fnp.argsort(x[:, 0, 0] * (i - 1))], 0),
        ],
    )
    def test_reads(self, read, index):
        index = np.array(index)
        tape = fg.make_tape(read)(X, index)
        np.testing.assert_array_equal(tape(X, index), np.asarray(read(fnp.asarray(X), index)))

        def loss(x, i):
            return (read(x, i) ** 2).sum()

        gradient = fg.make_tape(fg.grad(loss))(X, index)
        np.testing.assert_array_equal(gradient(X, index), fg.grad(loss)(X, index))

    def test_mask(self):
        with pytest.raises(NoValueError, match="x as an index"):
            fg.make_tape(lambda x: x[x > 0])(X)

    def test_normalize_index(self):
        seen = []
        f = lambda i, j: seen.append(normalize_index((0, i, slice(2), j))) or i
        fg.make_tape(f)(np.array([1]), np.array([[2], [3]]))
        index, indices = seen[0]
        assert index == (0, HERE, slice(2), HERE)
        assert indices.shape == (2, 2, 1)


def test_rows():
    def f(x):
        a, b = x
        return (a * b).sum() + sum(row[0] for row in iter(x))

    x = X[0, :2]
    np.testing.assert_array_equal(fg.grad(f)(x), x[::-1] + np.eye(1, 4))
    with pytest.raises(TypeError, match="0-d"):
        iter(fnp.asarray(1.0))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
@pytest.mark.parametrize("indices", [1, [0, 1, 1], [[-1], [0]], []])
def test_take(axis, mode, indices):
    expected = np.take(X, np.array(indices, int), axis=axis, mode=mode)
    np.testing.assert_array_equal(fnp.take(X, indices, axis=axis, mode=mode), expected)
    check_grads(lambda x: fnp.take(x, indices, axis=axis, mode=mode) ** 2, (X / 10,), order=2)


def test_take_out_of_bounds():
    np.testing.assert_array_equal(fnp.take(X[0, 0], [-9, 9], mode="clip"), [0.0, 3.0])
    np.testing.assert_array_equal(fnp.take(X[0, 0], [-9, 9], mode="wrap"), [3.0, 1.0])
    with pytest.raises(IndexError):
        fnp.take(X, 100)
    with pytest.raises(ValueError, match="mode"):
        fnp.take(X, 0, mode="nothing")


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_take_along_axis(axis):
    order = np.argsort(-X, axis=axis)
    np.testing.assert_array_equal(fnp.take_along_axis(X, order, axis), np.take_along_axis(X, order, axis))
    out, pullback = fg.vjp(lambda x: np.take_along_axis(x, order, axis), X)
    np.testing.assert_array_equal(pullback(out)[0], X)  # a permutation, and its transpose undoes it


def test_take_along_axis_refuses():
    with pytest.raises(IndexError, match="integers"):
        fnp.take_along_axis(X, X, 0)
    with pytest.raises(ValueError, match="axes"):
        fnp.take_along_axis(X, [0], 0)


def test_compress_and_extract():
    np.testing.assert_array_equal(fnp.compress([0, 1], X, axis=1), np.compress([0, 1], X, axis=1))
    np.testing.assert_array_equal(fnp.compress(MASK.ravel(), X), np.compress(MASK.ravel(), X))
    np.testing.assert_array_equal(fnp.extract(MASK, X), X[MASK])
    np.testing.assert_array_equal(fg.grad(lambda x: np.extract(MASK, x).sum())(X), MASK)
    with pytest.raises(ValueError, match="one axis"):
        fnp.compress(MASK, X)
    with pytest.raises(NoValueError):
        fg.make_tape(lambda x: fnp.compress(x[0, 0] > 0, x))(X)


@pytest.mark.parametrize("f", ["nonzero", "flatnonzero", "argwhere"])
def test_nonzero_family(f):
    ours, theirs = getattr(fnp, f), getattr(np, f)
    for x in (X, MASK, np.zeros((0, 2))):
        np.testing.assert_array_equal(ours(x), theirs(x))
        np.testing.assert_array_equal(theirs(fnp.asarray(x)), theirs(x))
    with pytest.raises(NoValueError, match=f):
        fg.make_tape(lambda x: ours(x))(X)
    places = fg.vjp(lambda x: x.sum() * len(ours(x)), X)[0]
    assert places == X.sum() * len(theirs(X))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("obj", [0, -1, [0, 1], slice(0, 1), [True, False], np.array([], int), []], ids=str)
def test_delete(axis, obj):
    if isinstance(obj, list) and obj and obj[0] is True:
        obj = np.arange(X.size if axis is None else X.shape[axis]) == 1
    expected = np.delete(X, obj, axis)
    np.testing.assert_array_equal(fnp.delete(X, obj, axis), expected)
    gradient = fg.grad(lambda x: (np.delete(x, obj, axis) ** 2).sum() / 2)(X)
    np.testing.assert_array_equal(gradient, np.isin(X, expected) * X)


INSERTIONS = [
    (1, 7.0, None),
    (-1, [7.0, 8.0], None),
    ([0, 0, 2], [7.0, 8.0, 9.0], None),
    ([2, 0], 7.0, 1),
    (1, 7.0, 1),
    (0, np.arange(8.0).reshape(2, 4), 1),
    ([1], np.arange(8.0).reshape(2, 1, 4), 1),
    ([0, 2], np.arange(4.0), 1),
    (slice(0, 2), 7.0, 0),
    ([], 7.0, 1),
    ([True, False, True], 5.0, 1),
    (2, 1, 2),
]


@pytest.mark.parametrize("obj, values, axis", INSERTIONS, ids=str)
def test_insert(obj, values, axis):
    theirs = np.flatnonzero(obj) if obj == [True, False, True] else obj
    np.testing.assert_array_equal(fnp.insert(X, obj, values, axis), np.insert(X, theirs, values, axis))
    values = np.asarray(values, float)
    check_grads(lambda x, v: np.insert(x, theirs, v, axis) ** 2, (X / 10, values / 10), order=2)


def test_insert_casts_and_checks():
    assert fnp.insert(np.array([1, 2]), 0, 3.7).tolist() == [3, 1, 2]
    with pytest.raises(IndexError):
        fnp.insert(X, 99, 1.0)


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_triangles(k):
    for ours, theirs in ((fnp.tril_indices, np.tril_indices), (fnp.triu_indices, np.triu_indices)):
        np.testing.assert_array_equal(ours(3, k, 4), theirs(3, k, 4))
        np.testing.assert_array_equal(ours(3, k), theirs(3, k))
    np.testing.assert_array_equal(fnp.tril_indices_from(X[0], k), np.tril_indices_from(X[0], k))
    np.testing.assert_array_equal(np.triu_indices_from(fnp.asarray(X[0]), k), np.triu_indices_from(X[0], k))
    np.testing.assert_array_equal(fnp.mask_indices(3, fnp.triu, k), np.mask_indices(3, np.triu, k))
    with pytest.raises(ValueError, match="2-d"):
        fnp.tril_indices_from(X)


def test_diagonals():
    np.testing.assert_array_equal(fnp.diag_indices(3, 3), np.diag_indices(3, 3))
    np.testing.assert_array_equal(fnp.diag_indices_from(X[:, :2, 0]), np.diag_indices(2))
    with pytest.raises(ValueError, match="one length"):
        fnp.diag_indices_from(X)
    np.testing.assert_array_equal(fg.grad(lambda x: x[fnp.diag_indices(3)].sum())(X[0, :, :3]), np.eye(3))


def test_flat_and_multiple_indices():
    multi = (np.array([0, 1]), np.array([2, 5]))
    for mode in ("wrap", "clip", ("raise", "wrap")):
        np.testing.assert_array_equal(
            fnp.ravel_multi_index(multi, (2, 3), mode), np.ravel_multi_index(multi, (2, 3), mode)
        )
    np.testing.assert_array_equal(
        fnp.ravel_multi_index(fnp.unravel_index([1, 5], (2, 3), "F"), (2, 3), order="F"), [1, 5]
    )
    with pytest.raises(ValueError):
        fnp.ravel_multi_index(multi, (2, 3))
    with pytest.raises(ValueError):
        fnp.unravel_index(6, (2, 3))


def one_example(f):
    return lambda *args: fg.tree.map(lambda y: y[0], fg.vmap(f)(*[x[None] for x in args]))


ways = pytest.mark.parametrize("way", [lambda f: f, fg.jit, one_example], ids=["eager", "jit", "vmap"])
TABLE = np.arange(12.0).reshape(3, 4)


@ways
def test_take_with_a_fill_value(way):
    i = np.array([[0, -1], [4, -5]], np.int8)
    by_hand = np.where((i >= -4) & (i < 4), TABLE[:, np.clip(i, -4, 3)], np.nan)
    np.testing.assert_array_equal(way(lambda x, i: fnp.take(x, i, 1, mode="fill"))(TABLE, i), by_hand)
    np.testing.assert_array_equal(way(lambda x, i: fnp.take(x, i, 1, mode=None))(TABLE, i), by_hand)
    got = way(lambda x, i: fnp.take(x, i, 1, fill_value=7.0, unique_indices=True, indices_are_sorted=True))(TABLE, i)
    np.testing.assert_array_equal(got, np.where(np.isnan(by_hand), 7.0, by_hand))
    assert fnp.take(fnp.arange(3), 5, mode="fill") == np.iinfo(int).min
    check_grads(lambda x: fnp.take(x, i, 1, fill_value=x[0, 0]), (TABLE,), order=2)


@ways
@pytest.mark.parametrize("mode", ["fill", "drop", "clip", "promise_in_bounds", "one_hot"])
@pytest.mark.parametrize("wrap", [True, False])
def test_modes_of_take_along_axis(way, mode, wrap):
    i = np.array([[0, -1, 4, -5]])
    reached = np.where(i < 0, i + 4, i) if wrap else i
    clipped = np.clip(reached, 0, 3)
    fill = 0.0 if mode == "one_hot" else 9.0
    keeps = mode in ("clip", "promise_in_bounds")
    expected = np.where(keeps | (reached == clipped), np.take_along_axis(TABLE, clipped, 1), fill)
    f = lambda x, i: fnp.take_along_axis(x, i, 1, mode, 9.0, wrap_negative_indices=wrap)
    np.testing.assert_array_equal(way(f)(TABLE, i), expected)
    check_grads(lambda x: f(x, i), (TABLE,), order=2)


def test_take_along_axis_raises_by_default():
    for i, wrap in (([[9]], None), ([[-1]], False)):
        with pytest.raises(IndexError):
            fnp.take_along_axis(TABLE, i, 1, wrap_negative_indices=wrap)
    with pytest.raises(ValueError, match="mode"):
        fnp.take_along_axis(TABLE, [[0]], 1, mode="raise")


@ways
def test_put_along_axis_leaves_out_what_is_out_of_bounds(way):
    i, v = np.array([[0, 9], [1, 2], [-4, 3]]), np.array([[50.0, 60.0]])
    f = lambda x, i, v: fnp.put_along_axis(x, i, v, 1, inplace=False, mode="drop")
    expected = TABLE.copy()
    for row, places in enumerate(i):
        for k, place in enumerate(places):
            if -4 <= place < 4:
                expected[row, place] = v[0, k]
    if way is not one_example:
        np.testing.assert_array_equal(way(f)(TABLE, i, v), expected)
    else:
        np.testing.assert_array_equal(way(f)(TABLE, i, v), f(TABLE, i, v))
    with pytest.raises(ValueError, match="inplace=False"):
        fnp.put_along_axis(TABLE.copy(), i, v, 1, mode="drop")


@ways
def test_indices_without_values_where_they_decide_no_shape(way):
    x = np.array([5.0, 6.0, 7.0, 8.0])
    for at in (2, -1, 0, 4):
        got = way(lambda x, i: fnp.insert(x, i, 1.5))(x, np.array(at))
        np.testing.assert_array_equal(got, np.insert(x, at, 1.5))
    at = np.array([3, 0, 3])
    got = way(lambda x, i: fnp.insert(x, i, [1.0, 2.0, 3.0]))(x, at)
    np.testing.assert_array_equal(got, np.insert(x, at, [1.0, 2.0, 3.0]))
    got = way(lambda x, i: fnp.delete(x, i, assume_unique_indices=True))(x, np.array([-1, 0]))
    np.testing.assert_array_equal(got, [6.0, 7.0])
    mask = np.array([True, False, True, True])
    got = way(lambda x, m: fnp.place(x, m, [1.0, 2.0], inplace=False))(x, mask)
    expected = x.copy()
    np.place(expected, mask, [1.0, 2.0])
    np.testing.assert_array_equal(got, expected)
    got = way(lambda x, r: fnp.repeat(x, r, total_repeat_length=6))(x, np.array([2, 0, 1, 2]))
    np.testing.assert_array_equal(got, [5.0, 5.0, 7.0, 8.0, 8.0, 8.0])


@ways
@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_flat_indices_without_values(way, mode, order):
    i, j = np.array([0, 2, 5]), np.array([3, -1, 1])
    f = lambda i, j: fnp.ravel_multi_index((i, j), (3, 4), mode=mode, order=order)
    np.testing.assert_array_equal(way(f)(i, j), np.ravel_multi_index((i, j), (3, 4), mode=mode, order=order))
    flat = np.array([0, 7, 11])
    got = way(lambda k: fnp.unravel_index(k, (3, 4), order))(flat)
    np.testing.assert_array_equal(got, np.unravel_index(flat, (3, 4), order))
    assert fnp.ravel_multi_index((i, j), (9, 9), "ignore", dtype=np.int32).tolist() == [3, 17, 46]
    with pytest.raises(ValueError, match="mode"):
        fnp.ravel_multi_index((i, j), (9, 9), "drop")


@ways
@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_diagonals_whose_number_has_no_value(way, k):
    np.testing.assert_array_equal(way(lambda k: fnp.eye(3, 4, k))(np.array(k)), np.eye(3, 4, k))
    np.testing.assert_array_equal(way(lambda k: fnp.tri(3, 4, k, dtype=int))(np.array(k)), np.tri(3, 4, k, dtype=int))

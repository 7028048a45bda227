"""Results of a stated length: NumPy's own result, cut off or filled up, eagerly and where there are no values."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError
from funcgrad.testing import check_grads

RNG = np.random.default_rng(0)
A = np.array([[0.0, 7.0, 0.0, -1.0], [5.0, 0.0, 7.0, 7.0]])
X, Y = np.array([3.0, 1.0, 3.0, 2.0, 8.0, 1.0]), np.array([9.0, 2.0, 3.0, 3.0, 5.0])
ROWS = np.array([[1.0, 2.0], [0.0, 2.0], [1.0, 2.0], [0.0, 1.0], [1.0, 1.0]])


def fitted(x, size, fill):
    """A result of NumPy at the length `size`."""
    return np.concatenate([x[:size], np.full((max(size - len(x), 0), *x.shape[1:]), fill, x.dtype)])


def one_example(f):
    return lambda *args: fg.tree.map(lambda y: y[0], fg.vmap(f)(*[x[None] for x in args]))


ways = pytest.mark.parametrize("way", [lambda f: f, fg.jit, one_example], ids=["eager", "jit", "vmap"])
sizes = pytest.mark.parametrize("size", [0, 1, 3, 10])


@ways
@sizes
def test_places(way, size):
    i, j = np.nonzero(A)
    got = way(lambda a: fnp.nonzero(a, size=size))(A)
    np.testing.assert_array_equal(got, [fitted(i, size, 0), fitted(j, size, 0)])
    got = way(lambda a: fnp.where(a, size=size, fill_value=(-1, 9)))(A)
    np.testing.assert_array_equal(got, [fitted(i, size, -1), fitted(j, size, 9)])
    got = way(lambda a: fnp.argwhere(a, size=size, fill_value=-2))(A)
    np.testing.assert_array_equal(got, fitted(np.argwhere(A), size, -2))
    got = way(lambda a: fnp.flatnonzero(a, size=size, fill_value=99))(A)
    np.testing.assert_array_equal(got, fitted(np.flatnonzero(A), size, 99))
    assert way(lambda a: fnp.argwhere(a, size=size))(np.array(2.0)).shape == (size, 0)
    assert [i.tolist() for i in way(lambda a: fnp.nonzero(a, size=size))(np.zeros((0, 2)))] == 2 * [[0] * size]


def test_masks_of_a_function():
    np.testing.assert_array_equal(fnp.mask_indices(3, fnp.triu, 1, size=2), [[0, 0], [1, 2]])


@ways
@pytest.mark.parametrize("size", [0, 1, 2, 4])
@pytest.mark.parametrize("mask", [[True, False, True, True], [False, True], [False] * 4], ids=str)
def test_compress_and_extract(way, size, mask):
    mask = np.array(mask)
    got = way(lambda m, a: fnp.compress(m, a, 1, size=size, fill_value=0.5))(mask, A)
    np.testing.assert_array_equal(got, fitted(np.compress(mask, A, 1).T, size, 0.5).T)
    got = way(lambda m, a: fnp.extract(m, a, size=size, fill_value=0.5))(A > 0, A)
    np.testing.assert_array_equal(got, fitted(A[A > 0], size, 0.5))
    check_grads(lambda a: fnp.compress(mask, a, 1, size=size, fill_value=a[0, 0]), (A,), order=2)


@ways
@sizes
@pytest.mark.parametrize("fill", [None, -3.0])
def test_sets(way, size, fill):
    def check(name, *args, default=None, **options):
        theirs = getattr(np, name)(*args, **options)
        ours = way(lambda *args: getattr(fnp, name)(*args, size=size, fill_value=fill, **options))(*args)
        np.testing.assert_array_equal(ours, fitted(theirs, size, theirs[0] if default is None else default))

    check("unique", X, default=fill)
    check("union1d", X, Y, default=fill)
    check("setxor1d", X, Y, default=fill)
    check("setdiff1d", X, Y, default=fill or 0.0)
    check("setdiff1d", X[2:5], Y, default=fill or 0.0, assume_unique=True)
    common, i, j = np.intersect1d(X, Y, return_indices=True)
    ours = way(lambda x, y: fnp.intersect1d(x, y, return_indices=True, size=size, fill_value=fill))(X, Y)
    expected = (fitted(common, size, common[0] if fill is None else fill), fitted(i, size, 6), fitted(j, size, 5))
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@ways
@sizes
@pytest.mark.parametrize("x, axis", [(X, None), (A, None), (ROWS, 0), (ROWS.T, 1), (np.arange(6) % 4, 0)], ids=str)
def test_unique_with_all_its_results(way, size, x, axis):
    values, first, inverse, counts = np.unique(x, True, True, True, axis)
    ours = way(lambda x: fnp.unique(x, True, True, True, axis, size=size))(x)
    along = axis or 0
    front = np.moveaxis(values, along, 0)
    np.testing.assert_array_equal(np.moveaxis(np.asarray(ours[0]), along, 0), fitted(front, size, front[0]))
    np.testing.assert_array_equal(ours[1], fitted(first, size, first[0]))
    np.testing.assert_array_equal(np.ravel(ours[2]), np.ravel(inverse))
    np.testing.assert_array_equal(ours[3], fitted(counts, size, 0))
    assert [o.dtype for o in ours] == [values.dtype] + 3 * [np.dtype(int)]


def test_nan():
    x = np.array([np.nan, 1.0, np.nan])
    assert fnp.unique(x, size=3, fill_value=0.0)[2] == 0
    assert np.isnan(fnp.unique(x, size=3, fill_value=0.0, equal_nan=False)[2])
    assert fnp.unique_counts(x, size=4).counts.tolist() == [1, 1, 1, 0]
    assert fnp.unique_all(X, size=2).indices.tolist() == [1, 3]
    assert fnp.unique_inverse(X, size=2).inverse_indices.tolist() == [2, 0, 2, 1, 3, 0]
    assert fnp.unique_values(X, size=2).tolist() == [1.0, 2.0]


def test_of_nothing():
    assert fnp.unique(np.zeros(0), size=2, fill_value=7.0).tolist() == [7.0, 7.0]
    assert fnp.unique(np.zeros((0, 2)), axis=0, size=1, fill_value=7.0).tolist() == [[7.0, 7.0]]
    assert fnp.intersect1d([1.0], [2.0], size=2).tolist() == [0.0, 0.0]
    assert fnp.intersect1d(np.zeros(0), [2.0], size=1, return_indices=True)[2].tolist() == [1]
    assert fnp.setdiff1d(np.zeros(0), [2.0], size=1).tolist() == [0.0]
    assert fnp.setxor1d(np.zeros(0), np.zeros(0), size=1).tolist() == [0.0]
    with pytest.raises(ValueError, match="fill_value"):
        fnp.unique(np.zeros(0), size=2)


@pytest.mark.parametrize(
    "f, picked",
    [
        (lambda x: fnp.unique(x, size=6), [1, 2, 0, 3, 1, 1]),
        (lambda x: fnp.union1d(x, [7.0], size=7), [1, 2, 0, None, 3, 1, 1]),
        (lambda x: fnp.intersect1d(x, X[3:], size=4), [2, 3, 2, 2]),
        (lambda x: fnp.setdiff1d(x, [3.0], size=4), [1, 2, 3, None]),
        (lambda x: fnp.setxor1d(x, [3.0, 9.0], size=5), [1, 2, 3, None, 1]),
    ],
)
def test_derivatives_are_those_of_the_elements_picked(f, picked):
    x = np.array([3.0, 1.5, 2.0, 8.0])
    expected = [np.zeros(4) if i is None else np.eye(4)[i] for i in picked]
    for jacobian in (fg.jacfwd(f), fg.jacrev(f), fg.jit(fg.jacrev(f))):
        np.testing.assert_array_equal(jacobian(x), expected)


def test_a_fill_value_is_differentiated():
    check_grads(lambda x: fnp.unique(x, size=6, fill_value=x[3] ** 2), (np.array([3.0, 1.5, 2.0, 8.0]),), order=2)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.nonzero(1.0, size=2), ValueError, "one or more axes"),
        (lambda: fnp.nonzero(A, size=2, fill_value=(1, 2, 3)), ValueError, "tuple of 2"),
        (lambda: fnp.nonzero(A, size=-1), ValueError, "must not be negative"),
        (lambda: fnp.nonzero(A, size=2.0), TypeError, "size|integer"),
        (lambda: fnp.compress([True], X, size=7), ValueError, "got 7 for length 6"),
        (lambda: fnp.where(A, A, A, size=2), ValueError, "without x and y"),
        (lambda: fg.jit(fnp.nonzero)(A), NoValueError, "nonzero"),
        (lambda: fg.jit(fnp.unique)(A), NoValueError, "unique"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_as_jax():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    with jax.enable_x64(True):
        for size in (1, 3, 9):
            for name, args in {
                **dict.fromkeys(["nonzero", "flatnonzero", "argwhere", "unique", "unique_all", "unique_counts"], (A,)),
                **dict.fromkeys(["union1d", "intersect1d", "setdiff1d", "setxor1d"], (X, Y)),
            }.items():
                ours, theirs = getattr(fnp, name)(*args, size=size), getattr(jnp, name)(*args, size=size)
                for a, b in zip(fg.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
                    np.testing.assert_array_equal(a, b, err_msg=f"{name} {size}")

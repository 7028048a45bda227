import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

X, Y, Z = np.arange(2.0), np.arange(3), np.arange(4.0)


def same(got, expected):
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            same(a, b)
    else:
        assert isinstance(got, fg.Array)
        np.testing.assert_array_equal(np.asarray(got), expected, strict=True)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("xs", [(X,), (X, Y), (X, Y, Z), (X, 2.0), ()])
def test_meshgrid(xs, indexing, sparse):
    same(fnp.meshgrid(*xs, indexing=indexing, sparse=sparse), np.meshgrid(*xs, indexing=indexing, sparse=sparse))
    if xs:
        same(np.meshgrid(fnp.asarray(xs[0]), *xs[1:], indexing=indexing), np.meshgrid(*xs, indexing=indexing))


def test_meshgrid_derivative():
    check_grads(lambda x, z: fnp.meshgrid(x, Y, z), (X, Z))


@pytest.mark.parametrize("shape, dtype, sparse", [((2, 3), int, False), ((2, 3), "float32", True), ((), int, False)])
def test_indices(shape, dtype, sparse):
    same(fnp.indices(shape, dtype, sparse), np.indices(shape, dtype, sparse))


def test_ix_():
    same(fnp.ix_([0, 1], [True, False, True]), np.ix_([0, 1], [True, False, True]))
    same(fnp.ix_([], [2]), np.ix_([], [2]))


@pytest.mark.parametrize(
    "key",
    [
        slice(3),
        slice(0, 1, 5j),
        slice(1, 2, 0.25),
        (slice(2), slice(1, 4)),
        (slice(0, 1, 3j), slice(2)),
        (slice(2), slice(3), slice(-1, 1, 3j)),
    ],
)
def test_grids_by_slices(key):
    same(fnp.mgrid[key], np.mgrid[key])
    same(fnp.ogrid[key], np.ogrid[key])


@pytest.mark.parametrize(
    "key",
    [
        (X, 5, Z),
        slice(0, 3),
        (slice(0, 1, 3j), 2),
        (np.float32([1, 2]), 0.1),
        (np.int8([1]), 2),
        ("0,2", X, X),
        ("-1", np.ones((2, 2)), np.zeros((2, 1))),
        ("0,2,0", X, X),
        ("1,2,0", X, X),
        ("0,3,1", X, X),
        ([1, 2, 3], 4),
    ],
)
def test_r_(key):
    same(fnp.r_[key], np.r_[key])


@pytest.mark.parametrize("key", [(X, X), (np.ones((2, 2)), X), slice(3), (slice(2), X)])
def test_c_(key):
    same(fnp.c_[key], np.c_[key])


def test_brackets_are_differentiated():
    check_grads(lambda a, x: fnp.r_[0.0:a:4j, x, a] ** 2, (2.0, X))
    check_grads(lambda x: fnp.c_[x, x**2], (X,))
    check_grads(lambda a: fnp.mgrid[0.0:a:3j, 0.0:2.0], (1.5,))
    assert repr(fnp.r_) == "<funcgrad.numpy.r_>" and repr(fnp.mgrid) == "<funcgrad.numpy.mgrid>"


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: fnp.meshgrid(X, Y, indexing="ji"), ValueError, "indexing must be"),
        (lambda: fnp.ix_(np.ones((2, 2))), ValueError, "takes vectors"),
        (lambda: fnp.r_["0,2"], ValueError, "at least one"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_index_expressions():
    x = fnp.arange(12).reshape(3, 4)
    assert fnp.s_[1:, ::2] == np.s_[1:, ::2] and fnp.index_exp[1:] == (slice(1, None),)
    np.testing.assert_array_equal(x[fnp.s_[1:, ::2]], x[1:, ::2])


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("text", ["r", "c"])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_vectors_as_matrices(name, text):
    ours, theirs = getattr(fnp, name)[text, [1, 2, 3], [4, 5, 6]], getattr(np, name)[text, [1, 2, 3], [4, 5, 6]]
    np.testing.assert_array_equal(ours, np.asarray(theirs))
    with pytest.raises(ValueError, match="'asdf'"):
        getattr(fnp, name)["asdf", [1, 2]]

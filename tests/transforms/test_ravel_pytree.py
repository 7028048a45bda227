"""ravel_pytree: there and back, dtypes, derivatives, equality of the way back."""

import pickle

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError


@pytest.mark.parametrize(
    "tree, dtype",
    [
        ([np.array([3.0], "f"), np.ones((2, 2), "f")], "f"),
        ([np.array([3], "i4"), {"a": np.arange(4, dtype="i4").reshape(2, 2)}], "i4"),
        ((np.array([3]), np.ones((2, 2))), "d"),
        ((np.array([True]), np.arange(3, dtype="i4")), "i4"),
        ((np.array([1.0], "f"), np.array([[1, 2 + 3j]], "F")), "F"),
        ({"a": 1.5, "b": (2, None), "c": np.zeros((0, 3))}, "d"),
        ((), "f"),
        (fnp.arange(3.0), "d"),
    ],
)
def test_there_and_back(tree, dtype):
    vector, unravel = fg.ravel_pytree(tree)
    leaves, treedef = fg.tree.flatten(tree)
    arrays = [np.asarray(x) for x in leaves]
    assert vector.shape == (sum(a.size for a in arrays),) and vector.dtype == np.dtype(dtype)
    found, structure = fg.tree.flatten(unravel(vector))
    assert structure == treedef
    for x, a in zip(found, arrays, strict=True):
        assert x.dtype == a.dtype and x.shape == a.shape and x.tolist() == a.tolist()


def test_leaves_of_one_dtype_take_that_of_the_vector():
    """As in JAX: a gradient, a mask, a vector in other precision has the same structure."""
    vector, unravel = fg.ravel_pytree((np.zeros(2, "f"), np.zeros((1, 2), "f")))
    mask = unravel(vector > 0)
    assert [x.dtype for x in mask] == [bool, bool] and [x.shape for x in mask] == [(2,), (1, 2)]
    assert unravel(np.arange(4.0))[1].dtype == np.float64


def test_leaves_of_several_dtypes_keep_theirs():
    vector, unravel = fg.ravel_pytree((np.zeros(2), np.zeros(2, int)))
    with pytest.raises(ArgumentError, match="dtype bool, but expected dtype float64"):
        unravel(vector > 0)


@pytest.mark.parametrize("shape", [(3,), (5,), (2, 2), ()])
def test_another_length(shape):
    with pytest.raises(ShapeError, match=r"\(4,\), got"):
        fg.ravel_pytree((np.zeros(2), np.zeros(2)))[1](np.zeros(shape))


def test_the_way_back_is_a_value():
    x, y = (np.zeros(2), {"a": 1.0}), (np.ones(2), {"a": 5.0})
    unravel, other = fg.ravel_pytree(x)[1], fg.ravel_pytree(y)[1]
    assert unravel == other == pickle.loads(pickle.dumps(unravel)) and hash(unravel) == hash(other)
    assert unravel != fg.ravel_pytree((np.zeros(3), {"a": 1.0}))[1] and unravel != fg.ravel_pytree((1, np.ones(2)))[1]
    assert repr(unravel) == "Unravel(PyTreeDef((*, {'a': *})), ((2,), ()))"


def test_derivatives_and_batches():
    tree = {"w": np.array([[1.0, 2.0], [3.0, 4.0]]), "b": np.array([5.0])}
    f = lambda p: fnp.sum(p["w"] ** 2) * p["b"][0]
    vector, unravel = fg.ravel_pytree(tree)
    gradient = fg.grad(lambda v: f(unravel(v)))(vector)
    assert gradient.tolist() == fg.ravel_pytree(fg.grad(f)(tree))[0].tolist() == [30.0, 10.0, 20.0, 30.0, 40.0]
    assert fg.grad(lambda p: fnp.sum(fg.ravel_pytree(p)[0] ** 2))(tree)["b"].tolist() == [10.0]
    batch = fg.vmap(unravel)(np.arange(15.0).reshape(3, 5))
    assert batch["w"].shape == (3, 2, 2) and batch["b"].tolist() == [[0.0], [5.0], [10.0]]

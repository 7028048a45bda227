"""vmap where programs written for JAX rely on it: arguments that are no arrays, nested axes, batches of size zero."""

from collections import OrderedDict, namedtuple
from functools import partial

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, TreeError

X = np.arange(6.0).reshape(3, 2)
Point = namedtuple("Point", "x y")


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12)


# What all examples share


@pytest.mark.parametrize("shared", [fnp.sin, "word", None, object(), {"f": fnp.sin, "n": 3}, np.array(["a"])])
def test_shared_values_pass_as_they_are(shared):
    seen = []
    fg.vmap(lambda x, s: seen.append(s) or x, in_axes=(0, None))(X, shared)
    assert seen == [shared] if not isinstance(shared, np.ndarray) else seen[0] is shared


def test_a_function_as_argument():
    close(fg.vmap(lambda f, x: f(x), in_axes=(None, 0))(lambda x: x + 1, X), X + 1)


def test_shared_numbers_stay_python_numbers():
    """So that they give the result no dtype, and may be a part of a shape."""
    x = X.astype(np.float32)
    assert fg.vmap(lambda x, c: x * c, in_axes=(0, None))(x, 2.0).dtype == np.float32
    assert fg.vmap(lambda x, n: fnp.tile(x, n), in_axes=(0, None))(x, 2).shape == (3, 4)


def test_shared_arrays_are_immutable():
    w, seen = np.ones(2), []
    out = fg.vmap(lambda x, w: seen.append(w) or w, in_axes=(0, None), out_axes=None)(X, w)
    w[0] = 5.0
    assert type(seen[0]) is fg.Array and out.tolist() == seen[0].tolist() == [1.0, 1.0]


def test_shared_values_of_an_outer_transform():
    gradient = fg.grad(lambda w: fg.vmap(lambda x, w: x @ w, in_axes=(0, None))(X, w).sum())(np.ones(2))
    close(gradient, X.sum(0))


def test_mapped_values_must_be_arrays():
    for bad in ("word", object(), np.array([1, None]), np.array(["a", "b", "c"])):
        with pytest.raises(TypeError, match="not a valid JAX type"):
            fg.vmap(lambda x, y: x)(X, bad)


def test_a_list_is_no_array_but_a_container():
    with pytest.raises(ValueError, match="its rank should be at least 1, but is only 0"):
        fg.vmap(lambda x: x)([[1, 2], [3, 4]])


# Axes


@pytest.mark.parametrize(
    "value, axes",
    [
        ((X, (X[:, :, None], X.T)), ((0, (0, 1)),)),
        ((X, Point(X[:, :, None], X.T)), ((0, Point(0, -1)),)),
        ((X, [X[:, :, None], X.T]), ((0, [0, 1]),)),
        ([X, {"a": X[:, :, None], "b": X.T}], ([0, {"a": 0, "b": 1}],)),
        ((X, OrderedDict(a=X[:, :, None], b=X.T)), ((0, OrderedDict(a=-3, b=1)),)),
        ((X, {"a": X[:, :, None], "b": X}), ((0, 0),)),
        ({"p": X, "q": {"r": X, "s": X}}, 0),
    ],
)
def test_axes_as_pytrees(value, axes):
    leaves = fg.tree.leaves(value)
    shapes = []
    fg.vmap(lambda tree: shapes.extend(x.shape for x in fg.tree.leaves(tree)), in_axes=axes)(value)
    assert shapes == [(2, 1) if x.ndim == 3 else (2,) for x in leaves]


def test_in_axes_as_a_list():
    f = lambda a, b: a + b
    close(fg.vmap(f, in_axes=[0, None])(X, 1.0), fg.vmap(f, in_axes=(0, None))(X, 1.0))


@pytest.mark.parametrize(
    "out_axes, shapes",
    [
        (0, [(3, 2, 4), (3,), (3, 2)]),
        (-1, [(2, 4, 3), (3,), (2, 3)]),
        ({"a": 1, "b": (0, -1)}, [(2, 3, 4), (3,), (2, 3)]),
        ({"a": -2, "b": 0}, [(2, 3, 4), (3,), (3, 2)]),
        ({"a": 2, "b": (None, 1)}, [(2, 4, 3), (), (2, 3)]),
    ],
)
def test_axes_of_the_result_as_pytrees(out_axes, shapes):
    f = lambda x: {"a": fnp.outer(x, np.ones(4)), "b": (7.0, x), "c": None}
    if isinstance(out_axes, dict):
        out_axes = {**out_axes, "c": None}
    out = fg.vmap(f, out_axes=out_axes)(X)
    assert [x.shape for x in fg.tree.leaves(out)] == shapes and out["c"] is None


def test_results_without_arrays():
    assert fg.vmap(lambda x: None)(X) is None and fg.vmap(lambda x: (x, ()))(X)[1] == ()
    close(fg.vmap(lambda x: 3)(X), [3, 3, 3])
    close(fg.vmap(lambda x: np.zeros(2), out_axes=-1)(X), np.zeros((2, 3)))


def test_axes_are_checked_before_the_function_is_called():
    for options in ({"in_axes": {"a": 0}}, {"in_axes": False}, {"in_axes": (np.array(0),)}, {"out_axes": "a"}):
        with pytest.raises(ArgumentError, match="must be an int, None, or"):
            fg.vmap(lambda x: 1 / 0, **options)
    with pytest.raises(TreeError, match=r"len\(in_axes\)=2, len\(args\)=1"):
        fg.vmap(lambda *xs: 1 / 0, in_axes=(0, 0))(X)


def test_sum_match():
    """As JAX 0.10: a result that differs, but shall have no axis of examples, is summed over them."""
    f = lambda x: (x, x[0] > 1, 7.0)
    total, count, constant = fg.vmap(f, out_axes=None, sum_match=True)(X)
    close(total, X.sum(0))
    assert count == 2 and constant == 7.0
    gradient = fg.grad(lambda x: fg.vmap(lambda x: x**2, out_axes=None, sum_match=True)(x).sum())(X)
    close(gradient, 2 * X)


def test_spmd_axis_name_changes_nothing():
    close(fg.vmap(fnp.sum, spmd_axis_name="devices")(X), X.sum(1))


# The number of examples


def test_axis_size_alone():
    close(fg.vmap(lambda: 3.0, axis_size=2)(), [3.0, 3.0])
    close(fg.vmap(lambda: 3.0, axis_size=2, out_axes=None)(), 3.0)
    assert fg.vmap(lambda x, y: x + y, in_axes=(None, None), axis_size=4)(X, 1.0).shape == (4, 3, 2)
    close(fg.vmap(lambda x: x, in_axes=None, axis_size=1)(1.0), [1.0])


@pytest.mark.parametrize(
    "f, shape",
    [
        (lambda x: x, (0, 2)),
        (fnp.sum, (0,)),
        (lambda x: fnp.sort(x)[::-1], (0, 2)),
        (fg.grad(lambda x: fnp.sum(fnp.sin(x) * x)), (0, 2)),
        (lambda x: fnp.linalg.inv(fnp.outer(x, x) + fnp.eye(2)), (0, 2, 2)),
        (lambda x: fg.vmap(fnp.tanh)(x), (0, 2)),
    ],
)
def test_a_batch_without_examples(f, shape):
    assert fg.vmap(f)(np.zeros((0, 2))).shape == shape
    assert fg.vmap(f, out_axes=-1)(np.zeros((0, 2))).shape == (*shape[1:], 0)


# Functions


def test_functions_of_every_kind():
    class Scaled:
        def __init__(self, s):
            self.s = s

        def __call__(self, x):
            return self.s * x

    close(fg.vmap(Scaled(2.0))(X), 2 * X)
    close(fg.vmap(partial(np.dot, np.ones(2)))(X), X.sum(1))
    close(fg.vmap(np.add)(X, X), 2 * X)
    close(partial(fg.vmap, in_axes=1)(fnp.sum)(X), X.sum(0))


def test_keyword_arguments():
    f = lambda a, b=1.0, **further: (2 * a, 3 * b, further)
    by_name, by_position = fg.vmap(f)(a=X, b=X[:, 0]), fg.vmap(f)(X, X[:, 0])
    for i in range(2):
        close(by_name[i], by_position[i])
    out = fg.vmap(f)(X, z=X, y=(X, None))[2]
    assert out.keys() == {"y", "z"} and out["y"][1] is None
    close(out["z"], X)
    close(fg.vmap(lambda x, *, s=2.0: x * s)(X), 2 * X)


def test_matrix_products_by_nesting():
    a, b = np.random.default_rng(0).standard_normal((2, 3, 3))
    matvec = fg.vmap(fnp.vdot, in_axes=(0, None))
    close(fg.vmap(matvec, in_axes=(None, 1), out_axes=1)(a, b), a @ b)


def test_cotangents_of_integers_are_batched():
    """They are of dtype float0, which no Array has."""
    f = lambda x, n: fg.grad(lambda x, n: fnp.sum(x * n), argnums=(0, 1), allow_int=True)(x, n)
    dx, dn = fg.vmap(f, out_axes=(0, -1))(X, np.arange(6).reshape(3, 2))
    close(dx, np.arange(6).reshape(3, 2))
    assert dn.shape == (2, 3) and dn.dtype == fg.float0
    (back,) = fg.vmap(lambda g: (g,), in_axes=1)(dn)
    assert back.shape == (3, 2) and back.dtype == fg.float0

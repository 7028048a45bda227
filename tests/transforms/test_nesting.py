"""Transforms nest deep within Python's own limit on calls: each level takes few frames."""

import sys
import threading

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

X = np.linspace(0.1, 1.0, 3)


def nested(transform, depth):
    def f(x):
        return fnp.sin(x)

    for _ in range(depth):
        f = transform(f)
    return f


def in_a_thread(call):
    """What a call gives in a thread, where nothing is on the stack yet, under the default limit."""
    found = []

    def run():
        try:
            found.append(call())
        except RecursionError as e:
            found.append(e)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    return found[0]


@pytest.mark.parametrize(
    ("transform", "depth"),
    [(fg.jit, 100), (fg.checkpoint, 130), (fg.named_call, 80)],
    ids=["jit", "checkpoint", "named_call"],
)
def test_gradients_of_nested_transforms(transform, depth):
    f = nested(transform, depth)
    np.testing.assert_allclose(in_a_thread(lambda: fg.grad(lambda x: fnp.sum(f(x)))(X)), np.cos(X))


def test_other_transforms_of_nested_jits():
    f = nested(fg.jit, 100)
    np.testing.assert_allclose(in_a_thread(lambda: f(X)), np.sin(X))
    np.testing.assert_allclose(in_a_thread(lambda: fg.jvp(f, (X,), (X,))[1]), np.cos(X) * X)
    np.testing.assert_allclose(in_a_thread(lambda: fg.vmap(f)(np.stack([X, X]))), np.sin([X, X]))


@pytest.mark.parametrize("transform", [fg.checkpoint, fg.named_call])
def test_nested_calls_compile(transform):
    f = nested(transform, 130)
    np.testing.assert_allclose(in_a_thread(lambda: fg.jit(f)(X)), np.sin(X))


def test_a_checkpoint_in_checkpoints_prints_once_where_it_runs_once(capsys):
    def loud(x):
        fg.debug.print("{}", x[0])
        return fnp.sin(x)

    f = fg.checkpoint(lambda x: fg.checkpoint(loud)(x) * 2.0)
    np.testing.assert_allclose(fg.vjp(f, X)[0], 2.0 * np.sin(X))
    assert capsys.readouterr().out.split() == ["0.1"]


def test_deeply_nested_pytrees():
    tree = X
    for _ in range(5000):
        tree = [tree]
    (found,) = fg.tree.leaves(fg.jit(lambda t: fg.tree.map(fnp.sin, t))(tree))
    np.testing.assert_allclose(found, np.sin(X))
    for _ in range(6000):
        tree = [tree]
    with pytest.raises(fg.errors.TreeError, match="nested more than 10000 deep"):
        fg.jit(lambda t: t)(tree)

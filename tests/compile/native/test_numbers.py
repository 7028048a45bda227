"""Programs of numbers in machine code: what Python's floats give, for every layout of arguments, without a leak."""

import gc
import math
import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.native.llvm import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def kernel(f, *args):
    """The kernel of a function; a second call makes sure that it is a builtin one."""
    jitted = fg.jit(f, backend="native")
    jitted(*args)
    made = jitted.lower(*args).compile().compiled.call.body.kernel
    assert type(made) is type(len)
    return made


def scalar_chain(x, y):
    for _ in range(5):
        x = fnp.sin(x) * y + fnp.exp(-x * x)
    return x


UNARY = [
    *["sin", "cos", "tan", "exp", "log", "tanh", "sinh", "cosh", "log1p", "expm1", "log10", "sqrt", "arctan", "arcsin"],
    *["arccos", "arcsinh", "arctanh", "absolute", "sign", "negative", "square", "reciprocal"],
]


@pytest.mark.parametrize("name", UNARY)
def test_functions_are_those_of_numpy(name):
    x = np.array([0.25, 0.5, 0.999, 1e-9])
    run = kernel(lambda x: getattr(fnp, name)(x), x)
    assert np.testing.assert_allclose(run(x)[0], getattr(np, name)(x), rtol=1e-15) is None


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "arctan2", "hypot", "power"]
)
def test_functions_of_two(name):
    x, y = np.array([1.5, 2.0, 0.25]), np.array([2.0, -1.0, 0.25])
    np.testing.assert_allclose(kernel(getattr(fnp, name), x, y)(x, y)[0], getattr(np, name)(x, y), rtol=1e-15)


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_comparisons_and_choices(name):
    x, y = np.array([1.0, 2.0, math.nan]), np.array([1.0, 3.0, 0.0])

    def f(x, y):
        c = getattr(fnp, name)(x, y)
        return c, fnp.logical_not(c), fnp.where(c, x, 2.0 * y)[:2], fnp.logical_or(c, y > 2.0)

    c = getattr(np, name)(x, y)
    found = kernel(f, x, y)(x, y)
    assert [o.dtype for o in found] == [bool, bool, float, bool]
    for got, want in zip(found, (c, ~c, np.where(c, x, 2 * y)[:2], c | (y > 2)), strict=True):
        np.testing.assert_array_equal(got, want)


def test_it_differentiates_and_says_what_it_does():
    f = fg.jit(fg.value_and_grad(scalar_chain), backend="native")
    value, gradient = f(0.7, 1.3)
    e = 1e-6
    assert float(value) == pytest.approx(float(scalar_chain(0.7, 1.3)), rel=1e-14)
    assert float(gradient) == pytest.approx(
        float(scalar_chain(0.7 + e, 1.3) - scalar_chain(0.7 - e, 1.3)) / (2 * e), rel=1e-5
    )
    source = f.source(0.7, 1.3)
    assert "define ptr @program" in source
    assert "0x" in source or "fmul" in source


X = np.array([[1.0, 2.0], [3.0, 4.0]])
LAYOUTS = {
    "plain": X,
    "columns first": np.asfortranarray(X),
    "gaps": np.repeat(X, 3, axis=1)[:, ::3],
    "backwards": X[::-1, ::-1].copy()[::-1, ::-1],
    "other bytes": X.astype(X.dtype.newbyteorder()),
    "unaligned": np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(2, 2),
    "read-only": np.broadcast_to(X, (2, 2)),
    "dtype of its own": np.frombuffer(X.tobytes(), np.dtype([("x", "<f8")]))["x"].reshape(2, 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_of_any_layout(layout):
    x = LAYOUTS[layout]
    before = x.copy()
    run = kernel(lambda x, y: (x * y, fnp.sum(x)), X, 2.0)
    product, total = run(x, np.float64(3.0))
    np.testing.assert_array_equal(product, 3 * X)
    assert type(total) is np.float64
    assert total == 10.0
    assert product.flags.owndata
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("y", [3.0, 3, np.float64(3.0), np.asarray(3.0), np.asarray([3.0])[0]])
def test_numbers_of_any_class(y):
    assert kernel(lambda x, y: x * y, X, 2.0)(X, y)[0][1, 1] == 12.0


def test_what_is_no_such_argument_is_left_to_numpy():
    run = kernel(lambda x, y: x * y, X, 2.0)
    assert run(np.ones((3, 2)), 2.0)[0].shape == (3, 2)
    assert run(X.astype(np.float32), np.float32(2.0))[0].dtype == np.float32
    with pytest.raises(TypeError):
        run(X)
    with pytest.raises(TypeError):
        run(X, "text")


def test_what_is_not_finite_warns_as_numpy_does():
    run = kernel(lambda x: 1.0 / x, np.ones(3))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        out = run(np.array([1.0, 0.0, -0.0]))[0]
    np.testing.assert_array_equal(out, [1.0, math.inf, -math.inf])


def test_integers_and_truth_values_go_in_and_out():
    def f(n, flag, x):
        return n + 1, fnp.logical_not(flag), fnp.where(flag, x, x * 2.0)

    given = np.int64(2**62), np.bool_(True), np.array([1.0, 2.0])
    n, flag, x = kernel(f, *given)(*given)
    assert type(n) is np.int64
    assert n == 2**62 + 1
    assert type(flag) is np.bool_
    assert not flag
    np.testing.assert_array_equal(x, [1.0, 2.0])


@pytest.mark.parametrize("k", [-1, 0, 1, 2, 3])
def test_a_choice_enters_one_branch(k):
    def f(k, x):
        return fg.lax.switch(k, [lambda x: x, lambda x: fnp.sin(x) * x, lambda x: x[::-1]], x)

    x = np.array([1.0, 2.0])
    got = fg.jit(f, backend="native")(np.int64(k), x)
    np.testing.assert_allclose(np.asarray(got), [x, np.sin(x) * x, x[::-1]][min(max(k, 0), 2)], rtol=1e-15)


def test_references_are_counted():
    run = kernel(lambda x, y: (x * y, fnp.sum(x)), X, 2.0)
    x, y = X.copy(), np.float64(2.0)
    gc.collect()
    before = [sys.getrefcount(v) for v in (x, y, np.ndarray, np.float64, np.dtype(float), run)]
    blocks = sys.getallocatedblocks()
    for _ in range(100_000):
        run(x, y)
    for _ in range(1000):  # by the other ways too
        run(LAYOUTS["gaps"], y)
    with np.errstate(all="ignore"):
        for _ in range(1000):
            run(x * math.inf, y)
    gc.collect()
    after = [sys.getrefcount(v) for v in (x, y, np.ndarray, np.float64, np.dtype(float), run)]
    assert all(abs(a - b) < 50 for a, b in zip(before, after, strict=True))
    assert sys.getallocatedblocks() - blocks < 2000


def test_results_are_referred_to_once():
    product, total = kernel(lambda x: (x * 2.0, fnp.sum(x)), X)(X)
    assert sys.getrefcount(product) == 2
    assert sys.getrefcount(total) == 2


def test_the_code_lives_as_long_as_the_function():
    f = fg.jit(lambda x: x * 2.0 + 1.0, backend="native")
    f(X)
    run = f.lower(X).compile().compiled.call.body.kernel
    f.clear_cache()
    del f
    gc.collect()
    np.testing.assert_array_equal(run(X)[0], 2 * X + 1)

"""frompyfunc, and the methods of the namespace's ufuncs, against the methods of NumPy's."""

import itertools

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ImmutableArrayError, LostTraceError, UnsupportedError
from funcgrad.testing import check_grads

NAMES = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "logaddexp",
    "hypot",
    "logical_and",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
]
RNG = np.random.default_rng(0)
ways = pytest.mark.parametrize("way", [lambda f: f, fg.jit], ids=["eager", "jit"])


def draw(shape, dtype):
    if dtype == "?":
        return RNG.random(shape) < 0.5
    return RNG.integers(0, 5, shape).astype(dtype) if dtype in "iI" else RNG.uniform(0.5, 1.5, shape).astype(dtype)


def cases():
    for name in NAMES:
        ufunc = getattr(np, name)
        for dtype in "dFIi?":
            if f"{dtype}{dtype}->{dtype}" in ufunc.types:
                yield name, dtype


def same(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    assert np.asarray(ours).dtype == theirs.dtype and np.shape(ours) == np.shape(theirs)


@pytest.mark.filterwarnings("ignore")  # powers and quotients of integers
@ways
@pytest.mark.parametrize("name, dtype", list(cases()))
def test_methods(way, name, dtype):
    f, g = getattr(fnp, name), getattr(np, name)
    x, mask, start = draw((4, 3), dtype), RNG.random((4, 3)) < 0.5, draw((), dtype)
    for axis in (0, -1) if g.identity is None else (0, 1, -1, None, (0, 1)):
        same(way(lambda x, axis=axis: f.reduce(x, axis))(x), g.reduce(x, axis))
        same(way(lambda x, s, axis=axis: f.reduce(x, axis, initial=s))(x, start), g.reduce(x, axis, initial=start))
        full = lambda x, m, s, axis=axis: f.reduce(x, axis, where=m, initial=s)
        same(way(full)(x, mask, start), g.reduce(x, axis, where=mask, initial=start))
    same(way(lambda x: f.accumulate(x, 0))(x), g.accumulate(x, 0))
    for indices in ([0, 2, 1], [], [3]):
        i = np.array(indices, np.int32)
        same(way(lambda x, i: f.reduceat(x, i, 0))(x, i), g.reduceat(x, i, 0))
    for i, v in itertools.product([np.array([1, -1, 1]), np.array(2)], [draw(3, dtype), draw((), dtype)]):
        expected = x.copy()
        g.at(expected, i, v)
        same(way(lambda x, i, v: f.at(x, i, v, inplace=False))(x, i, v), expected)
    same(way(f.outer)(x, start), g.outer(x, start))
    same(way(f.outer)(x, x[0]), g.outer(x, x[0]))


@pytest.mark.parametrize("name", [*NAMES, "negative", "sin", "sqrt", "divmod", "frexp"])
def test_properties(name):
    f, g = getattr(fnp, name), getattr(np, name)
    assert (f.nin, f.nout, f.nargs, f.identity) == (g.nin, g.nout, g.nin, g.identity)
    assert isinstance(f, fnp.ufunc)


def test_what_is_no_ufunc():
    for x in (fnp.sum, np.sum, [], {}, 1.0):
        assert not isinstance(x, fnp.ufunc)


def test_unary_at():
    x = fnp.array([4.0, 9.0, 16.0])
    assert fnp.sqrt.at(x, [0, 0, 2], inplace=False).tolist() == [np.sqrt(2.0), 9.0, 4.0]
    buffer = np.array([4.0, 9.0])
    fnp.sqrt.at(buffer, 0)
    assert buffer.tolist() == [2.0, 9.0]
    with pytest.raises(ImmutableArrayError, match=r"fnp.sqrt.at\(y, i, inplace=False\)"):
        fnp.sqrt.at(x, 0)
    with pytest.raises(LostTraceError, match=r"fnp.add.at|add.at"):
        fg.grad(lambda v: fnp.add.at(buffer, 0, v))(1.0)
    with pytest.raises(TypeError, match="1 operands"):
        fnp.add.at(x, 0, inplace=False)


SCALAR = {
    "add": (lambda x, y: x + y, 0),
    "sub": (lambda x, y: x - y, None),
    "larger": (lambda x, y: x if x > y else y, None),
}


@pytest.mark.parametrize("name", SCALAR)
def test_frompyfunc_is_numpys(name):
    func, identity = SCALAR[name]
    f, g = fnp.frompyfunc(func, 2, 1, identity=identity), np.frompyfunc(func, 2, 1, identity=identity)

    def check(ours, theirs):
        np.testing.assert_array_equal(ours, np.asarray(theirs, float))

    x, y = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 1))
    check(f(x, y), g(x, y))
    check(f.outer(x, y), g.outer(x, y))
    mask = RNG.random((4, 3)) < 0.5
    for axis in (0, 1, -1):
        options = {"keepdims": True, "initial": 2, "where": mask}
        check(f.reduce(x, axis), g.reduce(x, axis))
        check(f.reduce(x, axis, **options), g.reduce(x, axis, **options))
        check(f.accumulate(x, axis), g.accumulate(x, axis))
        check(f.reduceat(x, [0, 2, 1], axis), g.reduceat(x, [0, 2, 1], axis))
    check(f.reduce(x, None), g.reduce(x.ravel()))
    expected = x.copy()
    g.at(expected, [1, 1, -1], x[0])
    check(f.at(x, [1, 1, -1], x[0], inplace=False), expected)
    assert f(np.zeros((0, 3)), y[:1]).shape == (0, 3)


def test_frompyfunc_of_several_results():
    both = fnp.frompyfunc(lambda x: (x, x > 0), 1, 2)
    a, b = both([1.0, -1.0])
    assert a.tolist() == [1.0, -1.0] and b.tolist() == [True, False]
    a, b = both(np.zeros(0))
    assert (a.dtype, b.dtype) == (np.dtype(float), np.dtype(bool))
    with pytest.raises(ValueError, match="should give 1 results, it gives 2"):
        fnp.frompyfunc(lambda x: (x, x), 1, 1)([1.0])


def test_frompyfunc_differentiates_and_compiles():
    f = fnp.frompyfunc(lambda x, y: fnp.sin(x) * y, 2, 1, identity=1.0)
    x = np.array([[0.3, 0.7], [1.1, 0.2], [0.9, 0.4]])
    for g in (f.reduce, f.accumulate, lambda x: f.reduceat(x, [0, 2]), lambda x: f.outer(x, x[0])):
        check_grads(g, (x,), order=2)
        np.testing.assert_allclose(fg.jit(g)(x), g(x), rtol=1e-14)
        np.testing.assert_allclose(fg.vmap(g)(x[None])[0], g(x), rtol=1e-14)
    at = lambda x, v: f.at(x, [1, 1], v, inplace=False)
    check_grads(at, (x, x[:2]), order=2)


def test_frompyfunc_is_a_value():
    func = SCALAR["add"][0]
    f = fnp.frompyfunc(func, 2, 1, identity=0)
    assert (f.nin, f.nout, f.nargs, f.identity, f._func) == (2, 1, 2, 0, func)
    assert f == fnp.frompyfunc(func, 2, 1, identity=0) and hash(f) == hash(fnp.frompyfunc(func, 2, 1, identity=0))
    assert f != fnp.frompyfunc(func, 2, 1) and f != func
    assert repr(f) == "<funcgrad.numpy.ufunc '<lambda>'>" and isinstance(f, fnp.ufunc)
    for name in ("nin", "nout", "nargs", "identity", "_func"):
        with pytest.raises(AttributeError):
            setattr(f, name, 3)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda f, x: f(x), TypeError, "takes 2 arrays, got 1"),
        (lambda f, x: f(x, x, out=x), LostTraceError, "out="),
        (lambda f, x: f(x, x, where=x > 0), UnsupportedError, "where="),
        (lambda f, x: f.reduce(np.zeros(0)), ValueError, "no identity; a reduction of no elements needs initial="),
        (lambda f, x: f.reduce(x, where=x > 0), ValueError, "no identity; where= needs initial="),
        (lambda f, x: f.accumulate(x, None), ValueError, "one axis"),
        (lambda f, x: f.reduceat(x, 1), ValueError, "vector of indices"),
        (lambda f, x: f.at(x, 0, 1.0), ImmutableArrayError, "inplace=False"),
        (lambda f, x: f.at(np.ones(2), 0, 1.0), TypeError, "inplace=False"),
        (lambda f, x: fnp.frompyfunc(abs, 1, 1).reduce(x), ValueError, "functions of two numbers"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call(fnp.frompyfunc(lambda x, y: x - y, 2, 1), fnp.ones(3))

import collections

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.errors import ArgumentError, ShapeError

X = np.array([3.0, 1.0, 4.0, 1.0, 5.0])


def add(total, x):
    return total + x, total * x


def recorded(f):
    return lambda *args: fg.make_tape(f)(*args)(*args)


BOTH = pytest.mark.parametrize("run", [lambda f: f, recorded], ids=["run", "recorded"])


@BOTH
def test_values(run):
    total, ys = run(lambda x: lax.scan(add, 0.0, x))(X)
    assert total == X.sum()
    np.testing.assert_array_equal(ys, X * (np.cumsum(X) - X))


@BOTH
def test_reverse(run):
    total, sums = run(lambda x: lax.scan(lambda c, x: (c + x, c + x), 0, x, reverse=True))(X)
    assert total == X.sum()
    np.testing.assert_array_equal(sums, np.cumsum(X[::-1])[::-1])


@BOTH
def test_nothing_to_loop_over(run):
    carry, ys = run(lambda c: lax.scan(lambda c, x: (c + 1, (c, x)), c, None, length=4))(0)
    assert carry == 4 and ys[1] is None
    np.testing.assert_array_equal(ys[0], np.arange(4))
    assert run(lambda c: lax.scan(lambda c, _: (c * 2, None), c, length=3))(1) == (8, None)


@BOTH
def test_no_steps(run):
    carry, ys = run(lambda x: lax.scan(lambda c, x: (c + x, (x, fnp.ones((2, 3)))), 0, x))(np.zeros((0,), np.float32))
    assert (carry.dtype, ys[0].dtype, ys[0].shape, ys[1].shape) == (np.float32, np.float32, (0,), (0, 2, 3))
    assert run(lambda c: lax.scan(lambda c, _: (c + 1, None), c, length=0))(5) == (5, None)
    assert lax.scan(lambda c, _: (c + 1, None), 5, length=-2) == (5, None)


@BOTH
def test_containers(run):
    Point = collections.namedtuple("Point", "x y")

    def step(carry, rows):
        return {"p": Point(carry["p"].y, rows[0])}, Point({"a": rows[1]["b"] * carry["p"].x}, [None, rows[0]])

    xs = (X, {"b": np.arange(10.0).reshape(5, 2)})
    carry, ys = run(lambda xs: lax.scan(step, {"p": Point(7.0, 8.0)}, xs))(xs)
    assert carry == {"p": Point(1.0, 5.0)}
    np.testing.assert_array_equal(ys.x["a"], xs[1]["b"] * np.array([7, 8, 3, 1, 4])[:, None])
    np.testing.assert_array_equal(ys.y[1], X)
    assert ys.y[0] is None


def test_no_carry():
    carry, ys = lax.scan(lambda c, x: (c, x * x), None, X)
    assert carry is None
    np.testing.assert_array_equal(ys, X * X)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64", "complex64"])
@BOTH
def test_a_number_takes_on_the_dtype_that_the_function_gives(run, dtype):
    x = np.arange(3).astype(dtype)
    carry, ys = run(lambda x: lax.scan(lambda c, x: (c + x, c), 0, x))(x)
    assert carry.dtype == ys.dtype == dtype and carry == 3
    np.testing.assert_array_equal(ys, [0, 0, 1])


def test_rows_of_numbers():
    _, ys = lax.scan(lambda c, x: (c + 1, c), 0, np.zeros(3))
    assert ys.dtype == int and type(ys) is fg.Array
    np.testing.assert_array_equal(ys, [0, 1, 2])
    np.testing.assert_array_equal(lax.scan(lambda c, x: (c, 1.5), None, np.zeros(2))[1], [1.5, 1.5])


@pytest.mark.parametrize("options", [{"unroll": 2}, {"unroll": 0}, {"unroll": True}, {"_split_transpose": True}])
def test_options_that_change_nothing(options):
    assert lax.scan(add, 0.0, X, **options)[0] == X.sum()
    assert lax.scan(add, 0.0, X, length=5.0)[0] == X.sum()


def test_nothing_the_caller_owns_is_seen_later():
    x = np.ones((2, 3))
    _, ys = lax.scan(lambda c, row: (row, row), x[0], x)
    x[:] = 7
    np.testing.assert_array_equal(ys, np.ones((2, 3)))


def test_many_rows():
    """More than are joined at once; each is read and written once in either direction."""
    x = np.linspace(0, 1, 5000)

    def f(x):
        return fnp.sum(lax.scan(lambda c, t: (c * 0.5 + t, c * t), 0.0, x)[1])

    before, after = np.zeros(5000), np.zeros(5000)  # what each row is multiplied with, as the later and the earlier one
    for k in range(1, 5000):
        before[k] = 0.5 * before[k - 1] + x[k - 1]
        after[-k - 1] = 0.5 * after[-k] + x[-k]
    np.testing.assert_allclose(fg.grad(f)(x), before + after, rtol=1e-12)


def test_cotangents_of_rows_cost_what_they_read():
    tape = fg.vjp(lambda x: lax.scan(lambda c, t: (fnp.sin(c) + t, None), 0.0, x)[0], X)[1].tape
    assert [e.primitive.name for e in tape].count("getitem") == 5
    assert "stack" not in str(tape)


def test_derivatives_in_the_loop():
    """The body takes a gradient, and the loop is differentiated: gradient descent as a function of its target."""

    def descend(target):
        def step(x, _):
            return x - 0.1 * fg.grad(lambda x: fnp.sum((x - target) ** 2))(x), None

        return lax.scan(step, fnp.zeros(2), length=10)[0]

    for f in (descend, fg.make_tape(descend)(np.ones(2))):
        _, pullback = fg.vjp(f, fnp.array([1.0, 2.0]))
        np.testing.assert_allclose(pullback(fnp.ones(2))[0], np.full(2, 1 - 0.8**10), rtol=1e-13)


# Errors.


@pytest.mark.parametrize(
    "xs, options, message",
    [
        (
            (X, X[:4], {"a": X}),
            {},
            r"(?s)different leading axis sizes: 5, 4, 5\..*xs\[1\]: shape \(4,\).*xs\[2\]\['a'\]",
        ),
        (X, {"length": 4}, r"scan got `length` argument of 4 which disagrees with leading axis sizes \[5\]"),
        ((X, X[:4]), {"length": 4}, r"leading axis sizes \[5, 4\]"),
        ([1, 2, 3], {}, "scan got value with no leading axis to scan over: 1, 2, 3"),
        ((X, 3.0), {}, "scan got value with no leading axis to scan over: 3.0"),
        (None, {}, "scan got no values to scan over and `length` not provided"),
        (X, {"unroll": -1}, "`unroll` must be a `bool` or a non-negative `int`, got -1"),
    ],
)
def test_lengths_that_contradict(xs, options, message):
    with pytest.raises(ValueError, match=message):
        lax.scan(lambda c, x: (c, None), 0, xs, **options)


def test_a_length_that_is_none():
    with pytest.raises(ArgumentError, match=r"length must be an int, got 2\.5"):
        lax.scan(lambda c, x: (c, None), 0, None, length=2.5)


@pytest.mark.parametrize("out", [np.float32(0), (0, 0, 0)])
@BOTH
def test_results_that_are_no_pair(run, out):
    with pytest.raises(ArgumentError, match="scan body output must be a pair"):
        run(lambda x: lax.scan(lambda c, x: out, 0, x))(X)


WRONG = {
    "length": (
        (1, (2, 3)),
        lambda c, x: ((0, 0, 0), x),
        "scan body function carry input and carry output must have the same pytree structure, but they differ.*"
        "The input carry c is a tuple of length 2 but the corresponding component of the carry output is a tuple of "
        "length 3, so the lengths do not match",
    ),
    "type": ((1, 2), lambda c, x: ([1, 2], x), "tuple of length 2 .* list of length 2, so their Python types differ"),
    "place": (
        ({"a": np.int32(0)},) * 2,
        lambda c, x: (({"a": c[0]["a"], "b": 0},) * 2, x),
        r"component c\[0\] is a <class 'dict'> with 1 child but .* a <class 'dict'> with 2 children",
    ),
    "types": (
        (fnp.array(0, "int32"),) * 3,
        lambda c, _: ((c[0].astype("float32"), c[1].astype("float32").reshape(1, 1), c[2]), None),
        r"\* the input carry component c\[0\] has type int32\[\] but the corresponding output carry component has type "
        r"float32\[\], so the dtypes do not match;\n"
        r"  \* the input carry component c\[1\] has type int32\[\] but the corresponding output carry component has "
        r"type float32\[1,1\], so the dtypes do not match, and the shapes do not match\.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
@BOTH
def test_carries_that_change(run, name):
    start, f, message = WRONG[name]
    with pytest.raises(ArgumentError, match=f"(?s){message}"):
        run(lambda x: lax.scan(f, start, x))(X)


def test_results_that_change_their_structure():
    with pytest.raises(ArgumentError, match="the results of all steps must have one structure"):
        lax.scan(lambda c, x: (c, (x,) if x > 3 else [x]), 0, fnp.asarray(X))


def test_f_is_no_function():
    with pytest.raises(TypeError, match="f argument should be a callable"):
        lax.scan(3, 0, X)


# map


@pytest.mark.parametrize("batch_size", [None, 1, 2, 5, 7])
def test_map(batch_size):
    f = lambda t: {"y": t["x"] * t["m"], "n": (t["x"].sum(), None)}
    xs = {"x": np.arange(15.0).reshape(5, 3), "m": X}
    out = lax.map(f, xs, batch_size=batch_size)
    np.testing.assert_array_equal(out["y"], xs["x"] * X[:, None])
    np.testing.assert_array_equal(out["n"][0], xs["x"].sum(axis=1))
    gradient = fg.grad(lambda x: fnp.sum(lax.map(lambda t: t**3, x, batch_size=batch_size)))(X)
    np.testing.assert_allclose(gradient, 3 * X**2, rtol=1e-14)


@pytest.mark.parametrize("batch_size", [None, 3])
def test_map_of_nothing(batch_size):
    assert lax.map(lambda x: x * fnp.ones(2), np.zeros(0), batch_size=batch_size).shape == (0, 2)


def test_map_errors():
    with pytest.raises(TypeError, match="f argument should be a callable"):
        lax.map(3, X)
    with pytest.raises(ValueError, match="batch_size must be positive, got 0"):
        lax.map(lambda x: x, X, batch_size=0)
    for xs in ((X, X[:3]), (X, 1.0), ()):
        with pytest.raises(ShapeError, match="one length along the first axis"):
            lax.map(lambda x: x, xs, batch_size=2)

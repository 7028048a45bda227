"""vmap itself: its axes, its errors, how it nests, what it costs. tests/test_every_primitive.py has the rules."""

import re

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import registry
from funcgrad.errors import ArgumentError, LeakedTracerError, NoValueError, ShapeError, TreeError

X = np.arange(6.0).reshape(3, 2)
EIGHT = np.arange(8)


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12)


def loop(f, *columns):
    return np.stack([np.asarray(f(*xs)) for xs in zip(*columns, strict=True)])


# Axes


def test_first_axis_by_default():
    out = fg.vmap(lambda x: x.sum() + x.shape[0])(X)
    assert isinstance(out, fg.Array)
    close(out, X.sum(1) + 2)


@pytest.mark.parametrize("axis", [1, -1])
def test_another_axis(axis):
    close(fg.vmap(fnp.sum, in_axes=axis)(X), X.sum(0))


def test_an_axis_for_each_argument():
    y = np.arange(12.0).reshape(2, 2, 3)
    f = fg.vmap(lambda a, b, c: a @ b * c, in_axes=(0, -1, None))
    close(f(X, y, 2.0), loop(lambda a, b: a @ b * 2, X, np.moveaxis(y, -1, 0)))
    close(fg.vmap(lambda a, b, c: a @ b * c, in_axes=[0, 2, None])(X, y, 2.0), f(X, y, 2.0))


def test_axes_are_a_prefix_of_the_arguments():
    p = {"w": X, "b": (np.ones(2), 3.0)}
    f = fg.vmap(lambda p, s: p["w"] * p["b"][0] + p["b"][1] * s, in_axes=({"w": 0, "b": None}, None))
    close(f(p, 2.0), X + 6)
    g = fg.vmap(lambda p: p["w"].sum() + p["b"][0].sum() * p["b"][1], in_axes=({"w": 1, "b": (0, None)},))
    close(g(p), X.sum(0) + 3)


def test_keyword_arguments_along_their_first_axis():
    f = fg.vmap(lambda x, *, scale, shift: x * scale + shift["s"])
    close(f(X, scale=np.arange(3.0), shift={"s": X}), X * np.arange(3.0)[:, None] + X)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis_of_the_result(axis):
    out = fg.vmap(lambda x: fnp.outer(x, x), out_axes=axis)(X)
    close(np.moveaxis(np.asarray(out), axis, 0), loop(lambda x: np.outer(x, x), X))


def test_an_axis_for_each_result():
    a, b, c = fg.vmap(lambda x: (x, {"k": 2 * x}, 7.0), out_axes=(0, 1, None))(X)
    close(a, X)
    close(b["k"], 2 * X.T)
    assert c.shape == () and float(c) == 7.0


def test_a_result_that_is_the_same_for_all_is_repeated():
    y = fnp.array([1.0, 2.0])
    close(fg.vmap(lambda x: y, out_axes=1)(X), np.stack([y] * 3, 1))
    assert fg.vmap(lambda x: y, out_axes=None)(X).tolist() == [1.0, 2.0]


def test_none_of_the_arguments():
    close(fg.vmap(lambda x: x + 1, in_axes=None, axis_size=2)(1.0), [2.0, 2.0])
    close(fg.vmap(lambda: fnp.arange(2), axis_size=3)(), [[0, 1]] * 3)


def test_none_and_empty_containers_are_no_arguments():
    close(fg.vmap(lambda x, y, z: x)(X, None, ()), X)


def test_no_examples():
    out = fg.vmap(lambda x: (x @ x, fnp.sort(x), x.astype(int), fnp.linalg.norm(x)))(np.zeros((0, 2)))
    assert [(o.shape, o.dtype) for o in out] == [((0,), "d"), ((0, 2), "d"), ((0, 2), int), ((0,), "d")]


def test_what_an_example_looks_like():
    def f(x):
        assert (x.shape, x.ndim, x.size, x.dtype, len(x)) == ((2, 4), 2, 8, np.float64, 2)
        assert "vmap" in str(x) and "batched" in f"{x}"
        a, b = x
        return a - b

    close(fg.vmap(f)(np.ones((3, 2, 4))), np.zeros((3, 4)))


def test_the_caller_may_write_into_the_arguments_later():
    x = X.copy()
    out = fg.vmap(lambda x: x)(x)
    x[:] = 0
    close(out, X)


def test_the_name_stays():
    def f(x):
        return x

    assert fg.vmap(f).__name__ == "f"


# Errors


@pytest.mark.parametrize(
    "error, message, run",
    [
        (ArgumentError, "vmap takes a function, got 3 of type int", lambda: fg.vmap(3)),
        (
            TreeError,
            "a tuple of entries corresponding to the positional arguments passed to the function, but got "
            "len(in_axes)=1, len(args)=2",
            lambda: fg.vmap(np.add, in_axes=(0,))(X, X),
        ),
        (
            ArgumentError,
            "in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed to "
            "the function, but got {'a': 0}. For one argument that is a pytree write ({'a': 0},)",
            lambda: fg.vmap(lambda p: p, in_axes={"a": 0}),
        ),
        (
            ArgumentError,
            "in_axes must be an int, None, or (nested) container with those types as leaves, but got 1.0 of type float",
            lambda: fg.vmap(lambda p: p, in_axes=(1.0,)),
        ),
        (
            ArgumentError,
            "out_axes must be an int, None, or (nested) container with those types as leaves, but got True of type "
            "bool in {'a': True}",
            lambda: fg.vmap(lambda p: p, out_axes={"a": True}),
        ),
        (ArgumentError, "in_axes must be an int", lambda: fg.vmap(lambda p: p, in_axes=True)),
        (
            TreeError,
            "in_axes specification must be a tree prefix of the corresponding value; got specification ({'b': 0},) "
            "for value tree PyTreeDef(({'a': *},)). Mismatch details: ",
            lambda: fg.vmap(lambda p: p, in_axes=({"b": 0},))({"a": X}),
        ),
        (TreeError, "out_axes specification must be a tree prefix", lambda: fg.vmap(lambda p: p, out_axes=(0, 1))(X)),
        (
            ArgumentError,
            "must be passed at least one argument containing an array or axis_size must be specified, got empty "
            "*args=({},) and **kwargs={'y': None}",
            lambda: fg.vmap(lambda p, y: p)({}, y=None),
        ),
        (
            ArgumentError,
            "must have at least one non-None value in in_axes or axis_size must be specified",
            lambda: fg.vmap(lambda p: p, in_axes=None)(X),
        ),
        (
            ShapeError,
            "vmap got inconsistent sizes for array axes to be mapped:\n"
            "  * one axis had size 3: axis 0 of argument p['a'] of type float64[3,2];\n"
            "  * one axis had size 2: axis 0 of kwargs['y'] of type float64[2]\n",
            lambda: fg.vmap(lambda p, y: p)({"a": X}, y=np.ones(2)),
        ),
        (
            ShapeError,
            "mapped:\n"
            "  * most axes (3 of them) had size 3, e.g. axis 0 of argument p[0] of type float64[3,2];\n"
            "  * some axes (2 of them) had size 2, e.g. axis 1 of args[1][0] of type float64[3,2]\n",
            lambda: fg.vmap(lambda p, *q: p, in_axes=(0, 1))([X, X, X], [X, X]),
        ),
        (
            ShapeError,
            "mapped:\n"
            "  * the `axis_size` argument was 4;\n"
            "  * one axis had size 3: axis 0 of argument p of type float64[3,2]\n",
            lambda: fg.vmap(lambda p: p, axis_size=4)(X),
        ),
        (ShapeError, "axis 0 of args[0] of type", lambda: fg.vmap(max)(X, np.ones(2))),
        (ArgumentError, "axis_size must be an int", lambda: fg.vmap(lambda p: p, axis_size=-1)),
        (
            ShapeError,
            "vmap was requested to map its argument along axis 2, which implies that its rank should be at least 3, "
            "but is only 2 (its shape is (3, 2)): this is argument p.",
            lambda: fg.vmap(lambda p: p, in_axes=2)(X),
        ),
        (
            ShapeError,
            "along axis 0, which implies that its rank should be at least 1, but is only 0 (its shape is ()): this is "
            "argument q. For a value that all examples share give None in in_axes",
            lambda: fg.vmap(lambda p, q: p)(X, 1.0),
        ),
        (
            ShapeError,
            "axis 2 is out of bounds for a result that has 2 axes with that of the examples; it must lie between -2 "
            "and 1",
            lambda: fg.vmap(lambda p: p, out_axes=2)(X),
        ),
        (
            ArgumentError,
            "vmap has mapped output but out_axes is None: at vmap out_axes['a'], the result differs from example to "
            "example",
            lambda: fg.vmap(lambda p: {"a": p}, out_axes=None)(X),
        ),
        (
            ArgumentError,
            "vmap has mapped output (axis_name=i) but out_axes is None",
            lambda: fg.vmap(lambda p: p, out_axes=None, axis_name="i")(X),
        ),
        (ArgumentError, "argument 1 must be an array", lambda: fg.vmap(lambda p, q: p)(X, "q")),
        (ArgumentError, "argument q must be an array", lambda: fg.vmap(lambda p, q: p)(X, q="q")),
        (ArgumentError, "Output from batched function at [1] must be", lambda: fg.vmap(lambda p: (p, "q"))(X)),
    ],
)
def test_errors(error, message, run):
    with pytest.raises(error, match=re.escape(message)):
        run()


@pytest.mark.parametrize(
    "action, use",
    [
        ("bool(x)", lambda x: bool(x[0] > 0)),
        ("float(x)", lambda x: float(x[0])),
        ("int(x)", lambda x: int(x[0])),
        ("x.item()", lambda x: x[0].item()),
        ("x.tolist()", lambda x: x.tolist()),
        ("np.asarray(x)", np.asarray),
        ("x as an index", lambda x: x[x > 0]),
        ("x as an index", lambda x: [1, 2, 3][x[0].astype(int)]),
        ("nonzero(x)", fnp.nonzero),
    ],
)
def test_a_batch_has_no_single_value(action, use):
    with pytest.raises(NoValueError, match=re.escape(action) + r".* on a batched value, for each example of type"):
        fg.vmap(use)(X)


def test_a_batched_value_that_leaks():
    kept = []
    fg.vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(LeakedTracerError, match="vmap made"):
        kept[0] + 1


# With other transforms


def f(x):
    return fnp.sum(fnp.sin(x) * x[0]) + x[1] ** 3


def test_gradient_of_each_example():
    close(fg.vmap(fg.grad(f))(X), loop(fg.grad(f), X))
    values, grads = fg.vmap(fg.value_and_grad(f))(X)
    close(values, loop(f, X))
    close(grads, loop(fg.grad(f), X))


def test_gradient_through_a_batch():
    close(fg.grad(lambda x: fg.vmap(f)(x).sum())(X), loop(fg.grad(f), X))


def test_gradient_of_what_the_examples_share():
    w = np.array([0.5, -1.0])
    g = fg.grad(lambda w: fg.vmap(lambda x: f(x * w))(X).sum())(w)
    close(g, sum(fg.grad(lambda w: f(x * w))(w) for x in fnp.array(X)))
    each = fg.vmap(fg.grad(lambda w, x: f(x * w)), in_axes=(None, 0))(w, X)
    close(each.sum(0), g)


def test_jacobian_by_rows_and_by_columns():
    def h(x):
        return fnp.stack([x[0] * x[1], fnp.exp(x[0]), x[1] ** 2])

    x = fnp.array([0.3, 0.7])
    expected = [[0.7, 0.3], [np.exp(0.3), 0], [0, 1.4]]
    close(fg.vmap(fg.vjp(h, x)[1])(np.eye(3))[0], expected)
    close(fg.vmap(lambda t: fg.jvp(h, (x,), (t,))[1], out_axes=1)(np.eye(2)), expected)


def hessian(f):
    return lambda x: fg.vmap(fg.vjp(fg.grad(f), x)[1])(np.eye(x.size))[0]


def forward_hessian(f):
    return lambda x: fg.vmap(lambda t: fg.jvp(fg.grad(f), (x,), (t,))[1])(np.eye(x.size))


def test_hessians_of_a_batch():
    expected = loop(lambda x: np.stack([fg.grad(lambda x: fg.grad(f)(x)[i])(x) for i in range(2)]), X)
    close(fg.vmap(hessian(f))(X), expected)
    close(fg.vmap(forward_hessian(f))(X), expected)
    close(fg.vmap(hessian(lambda x: hessian(f)(x).sum()))(X)[0], hessian(lambda x: hessian(f)(x).sum())(X[0]))


def test_closures_over_tracers_of_other_levels():
    def outer(w):
        inner = fg.vmap(lambda x: fg.grad(lambda v: fnp.sum(fnp.sin(v * x * w)))(1.0))  # x of vmap, w of grad
        return inner(X).sum()

    def plain(w):
        return sum(fg.grad(lambda v: fnp.sum(fnp.sin(v * x * w)))(1.0) for x in fnp.array(X))

    close(fg.grad(outer)(0.7), fg.grad(plain)(0.7))

    def batched_outside(a):
        return fg.grad(lambda w: fg.vmap(lambda x: x * w * a)(fnp.ones(4)).sum() ** 2)(0.5)

    close(fg.vmap(batched_outside)(np.arange(3.0)), 16 * np.arange(3.0) ** 2)


def test_nested_with_different_sizes():
    a, b = np.arange(3.0), np.arange(4.0)
    table = fg.vmap(lambda x: fg.vmap(lambda y: x * 10 + y)(b))(a)
    close(table, a[:, None] * 10 + b)
    both = fg.vmap(fg.vmap(lambda x, y: x - y, in_axes=(None, 0)), in_axes=(0, None), out_axes=1)(a, b)
    close(both, (a[:, None] - b).T)


def test_distances_of_all_pairs():
    d = fg.vmap(fg.vmap(lambda x, y: fnp.linalg.norm(x - y), (0, None)), (None, 0))(X, X + 1)
    close(d, np.linalg.norm(X[None] - (X + 1)[:, None], axis=-1))


def test_cotangents_of_integers_pass():
    x, i = fg.vmap(lambda x, i: fg.vjp(lambda x, i: x[i], x, i)[1](1.0))(X, np.array([0, 1, 0]))
    assert x.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert i.dtype == fg.float0 and i.shape == (3,)
    _, pullback = fg.vjp(lambda x: (x, fnp.argmax(x)), X[0])
    close(fg.vmap(lambda g, n: pullback((g, n))[0])(X, np.zeros(3, fg.float0)), X)


def test_make_tape_of_a_batch():
    tape = fg.make_tape(fg.vmap(fg.grad(f)))(X)
    close(tape(X + 1), loop(fg.grad(f), X + 1))
    assert fg.eval_shape(fg.vmap(f), X) == fg.ShapeDtypeStruct((3,), float)


def test_numpy_functions_on_batched_values():
    close(fg.vmap(lambda x: np.sin(x) + np.concatenate([x[1:], x[:1]]))(X), np.sin(X) + X[:, ::-1])


# Indexing. Where NumPy puts the dimension of an array index depends on what is beside it.


@pytest.mark.parametrize(
    "index",
    [
        lambda i: (i,),
        lambda i: (slice(None), i),
        lambda i: (..., i),
        lambda i: (None, i, 0),
        lambda i: (0, slice(None), i),
        lambda i: (i, slice(None), i),
        lambda i: (i, None, 1),
        lambda i: (i, ..., i),
        lambda i: (slice(None), i, np.array([[0], [1]])),
        lambda i: (np.array([[0], [1]]), slice(None), i),
        lambda i: (slice(None), True, i),
        lambda i: (np.array([True, False]), slice(None), i),
        lambda i: (slice(1), ..., i[..., 0]),
        lambda i: (i[..., 0], slice(None), i),
    ],
)
@pytest.mark.parametrize("batched", [(0, 0), (0, None), (None, 0)])
def test_reading_and_writing_with_indices(index, batched):
    rng = np.random.default_rng(0)
    x, i = rng.standard_normal((3, 2, 3, 2)), np.array([[0, 1], [1, 1], [-1, 0]])
    given = [a if b == 0 else a[0] for a, b in zip((x, i), batched, strict=True)]
    columns = [a if b == 0 else [a[0]] * 3 for a, b in zip((x, i), batched, strict=True)]
    expected = loop(lambda x, i: x[index(i)], *columns)
    close(fg.vmap(lambda x, i: x[index(i)], batched)(*given), expected)
    for v in (rng.standard_normal(expected.shape), rng.standard_normal((3, 1)), rng.standard_normal(3)):
        for name in ("set", "add", "max"):

            def write(x, i, v, name=name):
                return getattr(fnp.asarray(x).at[index(i)], name)(v)

            close(fg.vmap(write, (*batched, 0))(*given, v), loop(write, *columns, v))
            close(fg.vmap(write, (*batched, None))(*given, v[0]), loop(write, *columns, [v[0]] * 3))


def test_repeated_indices_with_values_that_broadcast():
    i = np.array([[0, 1], [0, 0]])
    assert fnp.zeros(2).at[i].add(np.array([1.0, 2.0])).tolist() == [4.0, 2.0]
    assert fnp.zeros(2).at[i].max(np.array([1.0, 2.0])).tolist() == [2.0, 2.0]


# Cost


def counted(f, *args):
    """The names of the primitives that f carries out, reshapes and transposes apart."""
    names = [e.primitive.name for e in fg.make_tape(f)(*args).equations]
    return sorted(n for n in names if n not in ("reshape", "transpose"))


@pytest.mark.parametrize("size", [2, 50])
def test_a_shared_matrix_makes_one_product(size):
    w, x, m = np.ones((2, 4)), np.ones((size, 2)), np.ones((size, 5, 2))
    for f, operand, shape in [
        (lambda x: x @ w, x, (size, 4)),
        (lambda x: w.T @ x, x, (size, 4)),
        (lambda x: x @ w, m, (5 * size, 4)),
        (lambda x: w.T @ x.T, m, (5 * size, 4)),
        (lambda x: fnp.dot(x, w), m, (5 * size, 4)),
    ]:
        tape = fg.make_tape(fg.vmap(f))(operand)
        products = [e for e in tape.equations if e.primitive.name == "matmul"]
        assert [e.shape for e in products] == [shape]


def test_a_shared_matrix_is_solved_with_once():
    a, b = np.eye(3) + 1, np.arange(12.0).reshape(4, 3)
    tape = fg.make_tape(fg.vmap(lambda b: fnp.linalg.solve(a, b)))(b)
    assert [e.shape for e in tape.equations if e.primitive.name == "solve"] == [(3, 4)]
    close(tape(b), np.linalg.solve(a, b.T).T)


def test_the_number_of_operations_does_not_depend_on_the_size():
    def model(w, x):
        h = fnp.tanh(x @ w)
        return fnp.sum(fnp.sort(h)[1:] * fnp.cumsum(h)[:-1]) + fnp.linalg.det(fnp.outer(h, h) + fnp.eye(4))

    w, step = np.ones((2, 4)), fg.vmap(fg.grad(model), in_axes=(None, 0))
    assert counted(step, w, np.ones((2, 2))) == counted(step, w, np.ones((1000, 2)))


def test_without_a_rule_example_by_example():
    assert registry["roots"].batch is None
    p = np.array([[1.0, -3.0, 2.0], [1.0, 0.0, -4.0]])
    close(fg.vmap(lambda p: fnp.sort(fnp.roots(p, strip_zeros=False)))(p), [[1, 2], [-2, 2]])


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_of_any_length(mode):
    rng = np.random.default_rng(0)
    for n, m in ((5, 3), (3, 5), (200, 100)):
        x, y = rng.standard_normal((2, n)), rng.standard_normal((2, m))
        close(fg.vmap(lambda x, y: fnp.convolve(x, y, mode))(x, y), loop(lambda x, y: np.convolve(x, y, mode), x, y))
        close(fg.vmap(lambda x: fnp.convolve(x, y[0], mode))(x), loop(lambda x: np.convolve(x, y[0], mode), x))


@pytest.mark.parametrize(
    "f, remedy",
    [
        (lambda i: np.arange(5.0)[i], r"funcgrad.numpy.asarray\(a\)\[x\], or funcgrad.numpy.take"),
        (lambda i: [10, 20, 30][i[0]], r"funcgrad.numpy.asarray\(a\)\[x\] for a list"),
        (lambda i: range(i[0]), "fori_loop instead of range"),
        (lambda i: i[0] if i[0] > 1 else i[1], "where instead of `if`"),
        (lambda i: float(i[0]), "instead of those of math"),
        (lambda i: fnp.arange(3)[i > 0], r"where\(mask, a, 0\) instead of a\[mask\]"),
    ],
)
def test_the_remedy_fits_what_was_asked_of_a_batched_value(f, remedy):
    with pytest.raises(fg.errors.NoValueError, match=remedy):
        fg.vmap(f)(np.array([[0, 1], [2, 1]]))


def test_the_remedy_for_an_ndarray_at_batched_indices_works():
    a, i = np.arange(5.0), np.array([[0, 1], [2, 1]])
    for f in (lambda i: fnp.asarray(a)[i], lambda i: fnp.take(a, i)):
        np.testing.assert_array_equal(fg.vmap(f)(i), a[i])

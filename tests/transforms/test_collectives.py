"""Collective operations against loops over the examples: values, derivatives, crossed axes, errors."""

import re

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, AxisNameError, ShapeError
from funcgrad.lax import parallel as lax
from funcgrad.testing import check_grads

N = 3
PERM = [(0, 2), (2, 1)]


def batch(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal((N, *shape))


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12)


def permuted(xs):
    out = [np.zeros_like(x) for x in xs]
    for source, target in PERM:
        out[target] = xs[source]
    return out


def dealt(parts_of, join, axis):
    """all_to_all in a loop: example i gets part i of each example."""
    return lambda xs: [join([parts_of(x)[i] for x in xs], axis=axis) for i in range(N)]


# For each operation on an example: the same as a function of the list of all examples, and the shape of an example.
OPERATIONS = {
    "psum": (lambda x: lax.psum(x, "i"), lambda xs: [sum(xs)] * N, (2,)),
    "pmean": (lambda x: lax.pmean(x, "i"), lambda xs: [np.mean(xs, axis=0)] * N, (2,)),
    "pmax": (lambda x: lax.pmax(x, "i"), lambda xs: [np.max(xs, axis=0)] * N, (2,)),
    "pmin": (lambda x: lax.pmin(x, "i"), lambda xs: [np.min(xs, axis=0)] * N, (2,)),
    "all_gather": (lambda x: lax.all_gather(x, "i"), lambda xs: [np.stack(xs)] * N, (2,)),
    "all_gather at -1": (lambda x: lax.all_gather(x, "i", axis=-1), lambda xs: [np.stack(xs, axis=-1)] * N, (2, 2)),
    "all_gather tiled": (
        lambda x: lax.all_gather(x, "i", axis=1, tiled=True),
        lambda xs: [np.concatenate(xs, axis=1)] * N,
        (2, 2),
    ),
    "psum_scatter": (lambda x: lax.psum_scatter(x, "i"), lambda xs: list(sum(xs)), (N, 2)),
    "psum_scatter at -1": (
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=-1),
        lambda xs: list(np.moveaxis(sum(xs), -1, 0)),
        (2, N),
    ),
    "psum_scatter tiled": (
        lambda x: lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True),
        lambda xs: np.split(sum(xs), N, axis=1),
        (2, 2 * N),
    ),
    "ppermute": (lambda x: lax.ppermute(x, "i", PERM), permuted, (2,)),
    "pshuffle": (lambda x: lax.pshuffle(x, "i", [1, 2, 0]), lambda xs: [xs[1], xs[2], xs[0]], (2,)),
    "pbroadcast": (lambda x: lax.pbroadcast(x, "i", 1), lambda xs: [xs[1]] * N, (2,)),
    "all_to_all": (lambda x: lax.all_to_all(x, "i", 0, 0), dealt(list, np.stack, 0), (N, 2)),
    "all_to_all 0 to 1": (lambda x: lax.all_to_all(x, "i", 0, 1), dealt(list, np.stack, 1), (N, 2)),
    "all_to_all 1 to 0": (lambda x: lax.all_to_all(x, "i", 1, 0), dealt(lambda x: list(x.T), np.stack, 0), (2, N)),
    "all_to_all tiled": (
        lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True),
        dealt(lambda x: np.split(x, N), np.concatenate, 1),
        (2 * N, 2),
    ),
    "pswapaxes": (lambda x: lax.pswapaxes(x, "i", 1), dealt(lambda x: list(x.T), np.stack, 1), (2, N)),
    "of a tree": (
        lambda x: lax.psum({"a": x, "b": (2 * x, 1.0)}, "i")["b"][0] * lax.psum((x, 2), "i")[1],
        lambda xs: [2 * sum(xs) * 2 * N] * N,
        (2,),
    ),
    "with axis_index": (
        lambda x: x * (1 + lax.axis_index("i")),
        lambda xs: [x * (1 + i) for i, x in enumerate(xs)],
        (2,),
    ),
}
each = pytest.mark.parametrize("op, loop, shape", OPERATIONS.values(), ids=OPERATIONS)


@each
def test_values(op, loop, shape):
    x = batch(*shape)
    close(fg.vmap(op, axis_name="i")(x), np.stack(loop(list(x))))


@each
def test_derivatives_from_outside(op, loop, shape):
    check_grads(fg.vmap(lambda x: fnp.sin(op(x)), axis_name="i"), (batch(*shape),), order=2)


@each
def test_derivatives_inside(op, loop, shape):
    """Within the batch: a pullback adds up what comes back from all examples, a pushforward sees all tangents."""
    x, t = batch(*shape), batch(*shape, seed=1)
    whole = fg.vmap(op, axis_name="i")
    ct = np.random.default_rng(2).standard_normal(whole(x).shape)
    close(fg.vmap(lambda x, ct: fg.vjp(op, x)[1](ct)[0], axis_name="i")(x, ct), fg.vjp(whole, x)[1](ct)[0])
    close(fg.vmap(lambda x, t: fg.jvp(op, (x,), (t,))[1], axis_name="i")(x, t), fg.jvp(whole, (x,), (t,))[1])


@each
def test_second_derivatives_inside(op, loop, shape):
    def f(x):
        return fnp.sum(fnp.sin(op(x)) ** 2)

    def hessian_product(outer):
        return lambda x, v: fg.grad(lambda x: fnp.vdot(fg.grad(outer)(x), v))(x)

    x, v = batch(*shape), batch(*shape, seed=1)
    total = lambda x: fnp.sum(fg.vmap(f, axis_name="i")(x))
    close(fg.vmap(hessian_product(f), axis_name="i")(x, v), hessian_product(total)(x, v))


@each
def test_under_the_other_transforms(op, loop, shape):
    x = batch(*shape)
    whole = fg.vmap(op, axis_name="i")
    expected = whole(x)
    close(fg.make_tape(whole)(x)(x), expected)
    close(fg.vmap(lambda x: fg.make_tape(op)(x)(x), axis_name="i")(x), expected)
    assert fg.eval_shape(whole, x).shape == expected.shape
    close(fg.vmap(fg.checkpoint(op), axis_name="i")(x), expected)
    pulled = fg.vjp(whole, x)[1](expected)[0]
    close(fg.vjp(fg.vmap(fg.checkpoint(op), axis_name="i"), x)[1](expected)[0], pulled)
    close(fg.vmap(lambda x, ct: fg.vjp(fg.checkpoint(op), x)[1](ct)[0], axis_name="i")(x, expected), pulled)


@each
def test_an_unnamed_batch_around_and_inside(op, loop, shape):
    """vmap inside the named one: a batch of operations. vmap around it: a batch of batches."""
    x = np.random.default_rng(0).standard_normal((N, 4, *shape))
    expected = np.stack([np.stack(loop(list(x[:, k]))) for k in range(4)])
    close(fg.vmap(fg.vmap(op, axis_name="i"), in_axes=1)(x), expected)
    close(fg.vmap(fg.vmap(op), axis_name="i")(x), np.moveaxis(expected, 0, 1))
    close(
        fg.vmap(fg.vmap(op, in_axes=-1, out_axes=-1), axis_name="i")(np.moveaxis(x, 1, -1)),
        np.moveaxis(expected, 0, -1),
    )


@pytest.mark.parametrize("names", ["i", "j", ("i", "j"), ("j", "i"), ["i"], ()])
@pytest.mark.parametrize(
    "op, whole", [(lax.psum, np.sum), (lax.pmean, np.mean), (lax.pmax, np.max), (lax.pmin, np.min)]
)
def test_crossed_axes(op, whole, names):
    """Two named batches, whichever is inside; the axes of x are i, j, and one of the example."""
    x = np.random.default_rng(0).standard_normal((2, 3, 2))
    expected = x - whole(x, axis=tuple(["ij".index(n) for n in names]), keepdims=True)
    f = lambda x: x - op(x, names)
    close(fg.vmap(fg.vmap(f, axis_name="j"), axis_name="i")(x), expected)
    j_outside = fg.vmap(fg.vmap(f, axis_name="i"), in_axes=1, out_axes=1, axis_name="j")
    close(j_outside(x), expected)
    check_grads(j_outside, (x,), order=2)


def test_several_axes_count_as_one():
    """The first name varies slowest."""
    x = np.random.default_rng(0).standard_normal((2, 3, 6))
    nested = lambda f, **options: fg.vmap(fg.vmap(f, axis_name="j", **options), axis_name="i", **options)
    close(nested(lambda x: lax.axis_index(("i", "j")))(x), np.arange(6).reshape(2, 3))
    close(nested(lambda x: lax.axis_index(("j", "i")))(x), np.arange(6).reshape(3, 2).T)
    close(nested(lambda x: lax.all_gather(x, ("i", "j")), out_axes=None)(x), x.reshape(6, 6))
    close(nested(lambda x: lax.all_gather(x, ("j", "i")), out_axes=None)(x), x.transpose(1, 0, 2).reshape(6, 6))
    close(nested(lambda x: lax.all_gather(x, ("i", "j"), tiled=True), out_axes=None)(x), x.reshape(36))
    close(nested(lambda x: lax.all_to_all(x, ("i", "j"), 0, 0))(x), x.reshape(6, 6).T.reshape(2, 3, 6))
    sizes = []
    nested(lambda x: sizes.append((lax.axis_size("j"), lax.axis_size(("i", "j")))))(x)
    assert sizes == [(3, 6)]


def test_of_two_axes_with_one_name_the_inner_is_meant():
    x = np.arange(6.0).reshape(2, 3)
    total = fg.vmap(fg.vmap(lambda x: lax.psum(x, "i"), axis_name="i"), axis_name="i")
    close(total(x), np.broadcast_to(x.sum(1, keepdims=True), (2, 3)))


@pytest.mark.parametrize("name", ["batch", 0, ("a", 1), frozenset({1})])
def test_names_are_any_values_that_compare(name):
    axis_name = (name,) if isinstance(name, tuple) else name
    close(fg.vmap(lambda x: lax.psum(x, axis_name), axis_name=name)(batch()), np.full(N, batch().sum()))


@pytest.mark.parametrize("op", ["psum", "pmean", "pmax", "pmin", "all_gather", "pbroadcast"])
def test_a_result_that_is_the_same_for_all_need_not_be_repeated(op):
    f, loop, shape = OPERATIONS[op]
    close(fg.vmap(f, axis_name="i", out_axes=None)(batch(*shape)), loop(list(batch(*shape)))[0])


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "f4", "D"])
def test_dtypes(dtype):
    """As in JAX 0.10 a sum keeps the dtype, and wraps around; booleans are counted; a mean of integers divides."""
    x = np.full(N, 100).astype(dtype)
    found = [fg.vmap(lambda x: op(x, "i"), axis_name="i")(x) for op in (lax.psum, lax.pmean, lax.pmax)]
    counted = np.dtype(int) if dtype == "?" else x.dtype
    with np.errstate(over="ignore"):
        total = sum(x.astype(counted))
    assert [f.dtype for f in found] == [counted, x.dtype if dtype in ("f4", "D") else float, x.dtype]
    assert found[0].tolist() == [total.item()] * N and found[2].tolist() == x.tolist()
    tape = fg.make_tape(fg.vmap(lambda x: lax.psum(x, "i"), axis_name="i"))(x)
    assert tape.outputs[0].dtype == counted


def test_of_python_numbers():
    seen = []
    fg.vmap(lambda x: seen.append([lax.psum(n, "i") for n in (1, 0.5, True)]), axis_name="i")(batch())
    assert seen == [[3, 1.5, 3]] and [type(n) for n in seen[0]] == [int, float, int]
    close(fg.vmap(lambda x: fnp.full(lax.psum(1, "i"), x), axis_name="i")(batch()), np.repeat(batch()[:, None], N, 1))


def test_of_values_that_are_the_same_for_all():
    shared = np.array([1.0, 2.0])
    f = lambda x, w: (lax.psum(w, "i"), lax.pmean(w, "i"), lax.all_gather(w, "i"), lax.pmax(shared, "i"))
    found = fg.vmap(f, in_axes=(0, None), axis_name="i", out_axes=None)(batch(), shared)
    for a, b in zip(found, (3 * shared, shared, np.stack([shared] * 3), shared), strict=True):
        close(a, b)
    # As JAX 0.10: a value that all share is one for each example, so each gradient is that of its own copy.
    gradients = fg.vmap(fg.grad(lambda w, x: lax.psum(w * x, "i")), in_axes=(None, 0), axis_name="i")(
        2.0, np.arange(3.0)
    )
    close(gradients, [0.0, 3.0, 6.0])


def test_no_examples():
    x = np.zeros((0, 2))
    for op in (lax.psum, lax.pmax, lax.pmin):
        assert fg.vmap(lambda x, op=op: op(x, "i"), axis_name="i")(x).shape == (0, 2)
    close(fg.vmap(lambda x: lax.psum(x, "i"), axis_name="i", out_axes=None)(x), np.zeros(2))


def test_in_a_function_with_its_own_rule():
    @fg.custom_vjp
    def centred(x):
        return x - lax.pmean(x, "i")

    centred.defvjp(lambda x: (centred(x), None), lambda _, g: (g - lax.pmean(g, "i"),))
    x = batch(2)
    expected = fg.vjp(lambda x: x - fnp.mean(x, axis=0), x)[1](x)[0]
    close(fg.vjp(fg.vmap(centred, axis_name="i"), x)[1](x)[0], expected)
    close(fg.vmap(lambda x, g: fg.vjp(centred, x)[1](g)[0], axis_name="i")(x, x), expected)


def test_a_normalised_batch():
    """Batch normalisation written for one example, against that of the whole batch."""

    def normalised(x):
        return (x - lax.pmean(x, "i")) / fnp.sqrt(lax.pmean((x - lax.pmean(x, "i")) ** 2, "i") + 1e-3)

    def whole(x):
        return (x - fnp.mean(x, axis=0)) / fnp.sqrt(fnp.var(x, axis=0) + 1e-3)

    x = batch(4)
    close(fg.vmap(normalised, axis_name="i")(x), whole(x))
    close(fg.vjp(fg.vmap(normalised, axis_name="i"), x)[1](x)[0], fg.vjp(whole, x)[1](x)[0])


def mapped(f, x=None, **options):
    return lambda: fg.vmap(f, axis_name="i", **options)(batch(N) if x is None else x)


@pytest.mark.parametrize(
    "error, message, run",
    [
        (AxisNameError, "unbound axis name: i; there is none here", lambda: lax.psum(1.0, "i")),
        (AxisNameError, "unbound axis name: j; those here are", mapped(lambda x: lax.pmax(x, "j"))),
        (AxisNameError, "unbound axis name: j", mapped(lambda x: lax.all_to_all(x, ("i", "j"), 0, 0))),
        (AxisNameError, "unbound axis name: i", lambda: fg.vmap(lambda x: lax.axis_index("i"))(batch())),
        (AxisNameError, "unbound axis name: i", lambda: lax.axis_size("i")),
        (ArgumentError, "duplicate axis name", mapped(lambda x: lax.psum(x, ("i", "i")))),
        (ArgumentError, "psum: argument 0", mapped(lambda x: lax.psum("word", "i"))),
        (
            ArgumentError,
            "axis_index_groups is not supported",
            mapped(lambda x: lax.psum(x, "i", axis_index_groups=[[0]])),
        ),
        (ShapeError, "axis=2 is out of range", mapped(lambda x: lax.all_gather(x, "i", axis=2))),
        (ShapeError, "can't be dealt out", mapped(lambda x: lax.psum_scatter(x, "i"), batch(2))),
        (ShapeError, "can't be dealt out", mapped(lambda x: lax.psum_scatter(x, "i", tiled=True), batch(4))),
        (ShapeError, "axis 1 is out of range", mapped(lambda x: lax.psum_scatter(x, "i", scatter_dimension=1))),
        (ArgumentError, "takes the name of one axis", mapped(lambda x: lax.psum_scatter(x, ()))),
        (ArgumentError, "perm must pair numbers from 0 to 2", mapped(lambda x: lax.ppermute(x, "i", [(0, 3)]))),
        (ArgumentError, "at most once as source", mapped(lambda x: lax.ppermute(x, "i", [(0, 1), (0, 2)]))),
        (ArgumentError, "each number from 0 to 2 once", mapped(lambda x: lax.pshuffle(x, "i", [0, 0, 1]))),
        (ArgumentError, "source must be a number from 0 to 2, got 3", mapped(lambda x: lax.pbroadcast(x, "i", 3))),
        (ShapeError, "must have the size of 'i', 3", mapped(lambda x: lax.all_to_all(x, "i", 0, 0), batch(2))),
        (
            ShapeError,
            "must be a multiple of the size",
            mapped(lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), batch(4)),
        ),
        (ShapeError, "axis 0 is out of range", mapped(lambda x: lax.all_to_all(x, "i", 0, 0), batch())),
        (ShapeError, "axis -2 is out of range", mapped(lambda x: lax.all_to_all(x, "i", 0, -2))),
    ],
)
def test_errors(error, message, run):
    with pytest.raises(error, match=re.escape(message)):
        run()


def test_a_tape_with_a_name_is_for_use_inside():
    tapes = []
    fg.vmap(lambda x: tapes.append(fg.make_tape(lambda y: lax.psum(y, "i"))(x)), axis_name="i")(batch())
    with pytest.raises(AxisNameError, match="unbound axis name: i"):
        tapes[0](1.0)
    close(fg.vmap(tapes[0], axis_name="i")(batch()), np.full(N, batch().sum()))

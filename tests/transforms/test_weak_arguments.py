"""Python numbers among arguments have no dtype of their own, whatever a function is wrapped in.

`x * 2.0` leaves a float32 x as it is, and so does `f(x, 2.0)` where f is checkpointed, named, compiled, or has a rule
of its own. JAX gives the same dtypes in every case here (recorded with 64-bit types enabled).
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

X = fnp.asarray(np.arange(1, 5, dtype="float32"))


def product(x, s):
    return x * s


def with_jvp():
    f = fg.custom_jvp(product)
    f.defjvp(lambda p, t: (product(*p), t[0] * p[1] + (p[0] * t[1] if t[1].dtype != fg.float0 else 0)))
    return f


def with_vjp():
    f = fg.custom_vjp(product)

    def backward(kept, g):
        x, s = kept
        return g * s, fnp.sum(g * x).astype("float64") if s.dtype.kind == "f" else None

    f.defvjp(lambda x, s: (product(x, s), (x, s)), backward)
    return f


def with_zeros():
    f = fg.custom_vjp(product)
    f.defvjp(
        lambda x, s: (x.value * s.value, (x.value, s.value)), lambda kept, g: (g * kept[1], None), symbolic_zeros=True
    )
    return f


WRAPPED = {
    "checkpoint": lambda: fg.checkpoint(product),
    "named_call": lambda: fg.named_call(product),
    "jit": lambda: fg.jit(product),
    "custom_jvp": with_jvp,
    "custom_vjp": with_vjp,
    "custom_vjp, symbolic zeros": with_zeros,
    "checkpoint of jit": lambda: fg.checkpoint(fg.jit(product)),
    "jit of checkpoint": lambda: fg.jit(fg.checkpoint(product)),
    "named_call of custom_jvp": lambda: fg.named_call(with_jvp()),
}

TRANSFORMS = {
    "as it is": lambda f: f,
    "jit": fg.jit,
    "jit, number computed": lambda f: fg.jit(lambda x, s: f(x, 2 * s - s)),
    "jit, closed over": lambda f: lambda x, s: fg.jit(lambda x: f(x, s))(x),
    "grad": lambda f: lambda x, s: fg.grad(lambda x: fnp.sum(f(x, s)))(x),
    "grad of jit": lambda f: lambda x, s: fg.grad(lambda x: fnp.sum(fg.jit(f)(x, s)))(x),
    "jit of grad": lambda f: fg.jit(fg.grad(lambda x, s: fnp.sum(f(x, s)))),
    "vmap": lambda f: fg.vmap(f, (0, None)),
    "vmap of grad": lambda f: fg.vmap(fg.grad(f), (0, None)),
    "vmap of jit": lambda f: fg.vmap(fg.jit(f), (0, None)),
    "jit of vmap": lambda f: fg.jit(fg.vmap(f, (0, None))),
    "scan": lambda f: lambda x, s: fg.lax.scan(lambda c, _: (f(c, s), None), x, length=2)[0],
    "jit of scan": lambda f: fg.jit(lambda x, s: fg.lax.scan(lambda c, _: (f(c, s), None), x, length=2)[0]),
    "cond": lambda f: lambda x, s: fg.lax.cond(x[0] > 0, f, lambda x, s: x, x, s),
    "jit of cond": lambda f: fg.jit(lambda x, s: fg.lax.cond(x[0] > 0, f, lambda x, s: x, x, s)),
    "make_tape": lambda f: lambda x, s: fg.make_tape(f)(x, s)(x, s),
}


@pytest.mark.parametrize("s", [2.5, 3])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("wrapped", WRAPPED)
def test_a_number_leaves_the_dtype_of_arrays_alone(wrapped, transform, s):
    found = TRANSFORMS[transform](WRAPPED[wrapped]())(X, s)
    expected = TRANSFORMS[transform](product)(X, s)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("wrap", [fg.checkpoint, fg.named_call, fg.jit, lambda f: fg.checkpoint(fg.jit(f))])
def test_what_is_computed_from_numbers_alone_is_a_number(wrap):
    twice = wrap(lambda s: {"twice": 2 * s, "array": fnp.sin(s), "same": s})

    def scaled(x, s):
        return [(x * leaf).dtype for leaf in fg.tree.leaves(twice(s))]

    kinds = [np.float64, np.float32, np.float32]  # the result of a function of arrays is an array
    seen = []
    assert scaled(X, 2.5) == kinds
    fg.jit(lambda x, s: seen.append(scaled(x, s)))(X, 2.5)
    fg.grad(lambda x: (seen.append(scaled(x, 2.5)), fnp.sum(x))[1])(X)
    assert seen == [kinds, kinds]


def test_an_array_of_no_dimensions_has_a_dtype():
    for wrap in WRAPPED.values():
        assert wrap()(X, fnp.asarray(2.5)).dtype == wrap()(X, np.float64(2.5)).dtype == np.float64


def test_eval_shape_and_tapes_know_numbers():
    assert fg.eval_shape(product, X, 2.5) == fg.ShapeDtypeStruct((4,), "float32")
    assert fg.eval_shape(product, fg.ShapeDtypeStruct((4,), "int8"), 2).dtype == np.int8
    assert fg.eval_shape(product, X, fg.ShapeDtypeStruct((), "float64")).dtype == np.float64
    tape = fg.make_tape(lambda x, s: x * (2 * s + 1))(X, 2.5)
    assert tape(X, 2.5).dtype == np.float32
    np.testing.assert_array_equal(tape(X, 1.5), 4.0 * np.arange(1, 5))


def test_tangents_of_numbers_are_numbers():
    seen = []
    f = fg.custom_jvp(product)

    @f.defjvp
    def rule(primals, tangents):
        seen.append([(t * X).dtype for t in (primals[1], tangents[1])])
        return product(*primals), tangents[0] * primals[1] + primals[0] * tangents[1]

    assert fg.jvp(lambda x: f(x, 2.5), (X,), (X,))[1].dtype == np.float32
    assert fg.grad(lambda x: fnp.sum(fg.jit(f)(x, 2.5)))(X).dtype == np.float32
    assert seen
    assert all(kinds == [np.float32, np.float32] for kinds in seen)

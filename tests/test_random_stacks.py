"""Random programs under random stacks of up to four transforms, against loops and finite differences.

A program takes a vector to a vector of the same length. Each transform makes such a function of such a function: a
directional derivative, a row of the Jacobian, a sum over a batch, or nothing but another way to run it. What it should
be is computed by NumPy alone, in extended precision: batches by loops, derivatives by central differences, nested as
deep as the stack is. The expression is the same Python code in both cases, for NumPy's functions take arrays of either
kind.
"""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.jit import jit
from funcgrad.lax.parallel import psum

pytestmark = pytest.mark.no_cover

N = 2
STEP = np.longdouble(0.004)
EXTENDED = np.finfo(np.longdouble).eps < 1e-18

UNARY = [
    np.sin,
    np.cos,
    np.tanh,
    np.arctan,
    lambda x: np.exp(-x * x),
    lambda x: np.sqrt(2.0 + x * x),
    lambda x: np.log(2.0 + x * x),
    lambda x: x[::-1] * 0.7,
    lambda x: np.cumsum(x, axis=0) / 2,
    lambda x: x * x[0],
    lambda x: np.sum(x, axis=0) - x * x,
    lambda x: np.stack([x[1] * x[0], x[0]]),
    lambda x: np.concatenate([x[1:], x[:1]]) / (2.0 + x * x),
    lambda x: x.reshape(N, 1) @ x.reshape(1, N) @ np.cos(x),
    lambda x: np.where(np.asarray([True, False]), x, np.sin(x)),
    lambda x: x**3 / 3,
]
BINARY = [lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - 0.5 * b, lambda a, b: a / (2.0 + b * b)]


def program(rng):
    """A random straight-line program of three to six operations."""
    steps = []
    for k in range(rng.integers(3, 7)):
        if rng.random() < 0.6:
            steps.append((UNARY[rng.integers(len(UNARY))], [rng.integers(max(0, k - 2), k + 1)]))
        else:
            steps.append((BINARY[rng.integers(len(BINARY))], [rng.integers(k + 1), k]))

    def f(x):
        values = [x]
        for operation, operands in steps:
            values.append(operation(*[values[i] for i in operands]))
        return values[-1]

    return f


# Each transform: of f, and of the reference r, with a vector v and points of a batch.


def difference(r, x, v):
    """The derivative of r at x along v: a central difference of fourth order."""
    h = STEP
    return (8 * (r(x + h * v) - r(x - h * v)) - (r(x + 2 * h * v) - r(x - 2 * h * v))) / (12 * h)


def forward(r, v, points):
    return lambda x: difference(r, x, v)


def backward(r, v, points):
    return lambda x: np.stack([np.sum(v * difference(r, x, e)) for e in np.eye(N, dtype=np.longdouble)])


def batch(r, v, points):
    return lambda x: sum(r(x + p) * c for p, c in zip(points, v, strict=True))


def nothing(r, v, points):
    return r


def custom(f):
    """f with rules of its own, which are the right ones."""
    g = fg.custom_jvp(lambda x: f(x))
    g.defjvp(lambda primals, tangents: fg.jvp(f, primals, tangents))
    return g


def custom_reverse(f):
    g = fg.custom_vjp(lambda x: f(x))
    g.defvjp(lambda x: fg.vjp(f, x), lambda pullback, ct: pullback(ct))
    return g


TRANSFORMS = {
    "jvp": (forward, lambda f, v, points: lambda x: fg.jvp(f, (x,), (v,))[1]),
    "linearize": (forward, lambda f, v, points: lambda x: fg.linearize(f, x)[1](v)),
    "jacfwd": (forward, lambda f, v, points: lambda x: fg.jacfwd(f)(x) @ v),
    "vjp": (backward, lambda f, v, points: lambda x: fg.vjp(f, x)[1](v)[0]),
    "grad": (backward, lambda f, v, points: fg.grad(lambda x: np.sum(f(x) * v))),
    "jacrev": (backward, lambda f, v, points: lambda x: v @ fg.jacrev(f)(x)),
    "vmap": (batch, lambda f, v, points: lambda x: v @ fg.vmap(lambda p: f(x + p))(points)),
    "vmap, last axis": (batch, lambda f, v, points: lambda x: fg.vmap(f, 1, 1)((x + points).T) @ v),
    "vmap, psum": (
        batch,
        lambda f, v, points: (
            lambda x: fg.vmap(lambda p, c: psum(c * f(x + p), "batch"), axis_name="batch", out_axes=None)(points, v)
        ),
    ),
    "scan": (
        batch,
        lambda f, v, points: (
            lambda x: fg.lax.scan(lambda total, pc: (total + pc[1] * f(x + pc[0]), None), fnp.zeros(N), (points, v))[0]
        ),
    ),
    "fori_loop": (
        batch,
        lambda f, v, points: (
            lambda x: fg.lax.fori_loop(
                0, N, lambda i, total: total + fnp.asarray(v)[i] * f(x + fnp.asarray(points)[i]), fnp.zeros(N)
            )
        ),
    ),
    "checkpoint": (nothing, lambda f, v, points: fg.checkpoint(f)),
    "checkpoint, products": (
        nothing,
        lambda f, v, points: fg.checkpoint(f, policy=fg.checkpoint_policies.dots_saveable),
    ),
    "named_call": (nothing, lambda f, v, points: fg.named_call(f, name="part")),
    "custom_jvp": (nothing, lambda f, v, points: custom(f)),
    "custom_vjp": (nothing, lambda f, v, points: custom_reverse(f)),
    "jit": (nothing, lambda f, v, points: jit(f)),
    "jit in jit": (nothing, lambda f, v, points: jit(lambda x: jit(f)(x))),
    "tape": (nothing, lambda f, v, points: lambda x: fg.make_tape(f)(x)(x)),
    "cond": (nothing, lambda f, v, points: lambda x: fg.lax.cond(x[0] > -9.0, f, lambda y: y, x)),
    "while_loop": (
        nothing,
        lambda f, v, points: (
            lambda x: fg.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, f(c[1])), (fnp.asarray(0), x))[1]
        ),
    ),
}
FORWARD = ("jvp", "linearize", "jacfwd", "custom_jvp")  # what custom_vjp refuses to go through


def stack(rng):
    """Names of one to four transforms, the innermost first, of which at most three differentiate."""
    names = list(TRANSFORMS)
    while True:
        chosen = [names[i] for i in rng.integers(len(names), size=rng.integers(1, 5))]
        kinds = [TRANSFORMS[n][0] for n in chosen]
        if sum(k in (forward, backward) for k in kinds) > 3:
            continue
        if "custom_vjp" in chosen and any(n in FORWARD for n in chosen[chosen.index("custom_vjp") :]):
            continue
        return chosen


@pytest.mark.skipif(not EXTENDED, reason="nested differences need the extended precision of x86")
@pytest.mark.parametrize("seed", range(150))
def test_random_stack(seed):
    rng = np.random.default_rng(seed)
    f = reference = program(rng)
    x = rng.uniform(-1, 1, N)
    names = stack(rng)
    for name in names:
        v, points = rng.uniform(-1, 1, N), rng.uniform(-0.5, 0.5, (N, N))
        expected, transform = TRANSFORMS[name]
        f = transform(f, v, points)
        reference = expected(reference, v.astype(np.longdouble), points.astype(np.longdouble))
    found, exact = np.asarray(f(x)), reference(x.astype(np.longdouble)).astype(float)
    scale = 1 + np.max(np.abs(exact))
    np.testing.assert_allclose(found, exact, rtol=3e-4, atol=3e-5 * scale, err_msg=" of ".join(reversed(names)))
    assert found.dtype == np.float64

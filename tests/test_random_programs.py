"""Random expressions under random stacks of transforms, against plain evaluation and finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_adjoint, check_grads

pytestmark = pytest.mark.no_cover

UNARY = [
    fnp.sin,
    fnp.tanh,
    fnp.arctan,
    lambda x: fnp.exp(-x * x),
    lambda x: x * x,
    lambda x: -x,
    lambda x: fnp.log1p(x * x),
    lambda x: fnp.sqrt(1.0 + x * x),
    lambda x: x[::-1],
    lambda x: x[1:].sum() * x,
    lambda x: fnp.cumsum(x) / 3.0,
    lambda x: fnp.roll(x, 1) + x[0],
    lambda x: x.at[1].multiply(0.5),
    lambda x: fnp.where(x > 0.3, x, x * x),
    lambda x: fnp.concatenate([x[2:], x[:2]]),
    lambda x: fnp.stack([x, x * 2.0]).sum(axis=0),
    lambda x: x.reshape(3, 1) @ fnp.ones((1, 3)) @ x / 5.0,
    lambda x: fnp.outer(x, fnp.tanh(x)).mean(axis=1),
    lambda x: fnp.einsum("i,j->i", x, fnp.cos(x)),
    lambda x: fnp.linalg.solve(fnp.eye(3) * 4.0 + fnp.outer(fnp.tanh(x), fnp.tanh(x)), x),
    lambda x: np.sin(x) + np.sum(np.cos(x)),
    lambda x: fnp.array([x[0] * x[1], x[2], fnp.logsumexp(x)]),
]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - 2.0 * b,
    lambda a, b: a * b,
    lambda a, b: a / (2.0 + b * b),
    lambda a, b: fnp.hypot(a, b + 3.0),
    lambda a, b: a * b[0] + fnp.vdot(a, b),
    lambda a, b: fnp.arctan2(a, 3.0 + b * b),
]

expressions = st.recursive(
    st.sampled_from(["x", "c"]),
    lambda inner: st.one_of(
        st.tuples(st.integers(0, len(UNARY) - 1), inner), st.tuples(st.integers(0, len(BINARY) - 1), inner, inner)
    ),
    max_leaves=6,
)
C = np.array([0.4, -0.3, 0.8])
points = st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3).map(np.array)


def compiled(expression):
    def run(x, e):
        if e == "x":
            return x
        if e == "c":
            return fg.Array(C)
        if len(e) == 2:
            return UNARY[e[0]](run(x, e[1]))
        return BINARY[e[0]](run(x, e[1]), run(x, e[2]))

    return lambda x: run(fnp.asarray(x), expression)


# Each takes a function of vectors to a function of vectors.
TRANSFORMS = {
    "jvp": lambda f: lambda x: fg.jvp(f, (x,), (x * 0.5 + 1.0,))[1],
    "vjp": lambda f: lambda x: fg.vjp(f, x)[1](fnp.cos(f(x)))[0],
    "grad": lambda f: fg.grad(lambda x: fnp.sum(f(x) ** 2)),
    "tape": lambda f: lambda x: fg.make_tape(f)(x)(x),
}


@given(expressions, points)
def test_first_derivatives_in_both_modes(expression, x):
    f = compiled(expression)
    check_adjoint(f, (x,), rtol=1e-8)


SMOOTH = [u for k, u in enumerate(UNARY) if k != 13]


@given(st.lists(st.integers(0, len(SMOOTH) - 1), min_size=1, max_size=3), points)
def test_chains_against_finite_differences(chain, x):
    def f(x):
        x = fnp.asarray(x)
        for k in chain:
            x = SMOOTH[k](x)
        return x

    check_grads(f, (x / 2.0,), order=2, rtol=1e-5, atol=1e-5)


@given(expressions, st.lists(st.sampled_from(sorted(TRANSFORMS)), min_size=1, max_size=3), points)
def test_stacks_of_transforms_evaluate_the_same_in_both_modes(expression, stack, x):
    """The derivative of a transformed function along x is the same forward and backward, and on its tape."""
    f = compiled(expression)
    for name in stack:
        f = TRANSFORMS[name](f)
    value = np.asarray(f(x))
    if not np.isfinite(value).all():
        return
    np.testing.assert_allclose(fg.make_tape(f)(x)(x), value, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(fg.vjp(f, x)[0], value, rtol=1e-12, atol=1e-12)
    check_adjoint(f, (x,), rtol=1e-6)

"""Random programs of nested control flow under random stacks of transforms, against the same with Python's own.

A program is a tree: leaves change a vector smoothly, inner nodes choose between programs or repeat them, according to
the vector. Each is built twice, of funcgrad.lax and of `if`, `for` and `while`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax

pytestmark = pytest.mark.no_cover

X = np.array([[0.7, -0.3], [-1.2, 0.4], [0.2, 1.5]])


def number(x):
    return x._concrete("a decision")


SMOOTH = [
    lambda x: fnp.sin(x) + 0.5 * x,
    lambda x: x * x[::-1],
    lambda x: fnp.tanh(x.sum()) - x,
    lambda x: fnp.sqrt(x * x + 0.1),
]


class Leaf:
    def __init__(self, k):
        self.f = self.plain = SMOOTH[k]

    def __repr__(self):
        return f"Leaf({SMOOTH.index(self.f)})"


class Node:
    def __init__(self, *parts):
        self.parts = parts

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"


class Sequence(Node):
    def f(self, x):
        return self.parts[1].f(self.parts[0].f(x))

    def plain(self, x):
        return self.parts[1].plain(self.parts[0].plain(x))


class Choice(Node):
    """The second branch is not differentiable at 0, which the first one is for."""

    def f(self, x):
        return lax.cond(x[0] > 0.1, self.parts[0].f, lambda y: self.parts[1].f(y) / (0.1 - x[0] + 1e-9) * 0.1, x)

    def plain(self, x):
        return self.parts[0].plain(x) if x[0] > 0.1 else self.parts[1].plain(x) / (0.1 - x[0] + 1e-9) * 0.1


class Choices(Node):
    def f(self, x):
        return lax.switch(fnp.floor(2 * x[1]).astype(int), [p.f for p in self.parts], x)

    def plain(self, x):
        i = min(max(int(number(fnp.floor(2 * x[1]))), 0), len(self.parts) - 1)
        return self.parts[i].plain(x)


class While(Node):
    """At most three steps, as long as the vector is long."""

    def f(self, x):
        return lax.while_loop(
            lambda s: (s[0] @ s[0] > 0.8) & (s[1] < 3), lambda s: (0.7 * self.parts[0].f(s[0]), s[1] + 1), (x, 0)
        )[0]

    def plain(self, x):
        n = 0
        while x @ x > 0.8 and n < 3:
            x, n = 0.7 * self.parts[0].plain(x), n + 1
        return x


class Fori(Node):
    """As many steps as the second element says."""

    def f(self, x):
        n = fnp.floor(fnp.abs(x[1]) * 2).astype(int)
        return lax.fori_loop(0, fnp.minimum(n, 3), lambda i, y: self.parts[0].f(y) / (i + 1) + x * 0.1, x)

    def plain(self, x):
        y = x
        for i in range(min(int(number(fnp.floor(fnp.abs(x[1]) * 2))), 3)):
            y = self.parts[0].plain(y) / (i + 1) + x * 0.1
        return y


class Scan(Node):
    def f(self, x):
        rows = fnp.stack([x, 0.5 * x, x * x])
        y, found = lax.scan(lambda y, row: (self.parts[0].f(y) * 0.5 + row, y * row), x, rows, reverse=True)
        return y + found[0] - found[2]

    def plain(self, x):
        y, found = x, []
        for row in (x * x, 0.5 * x, x):
            found.append(y * row)
            y = self.parts[0].plain(y) * 0.5 + row
        return y + found[2] - found[0]


programs = st.recursive(
    st.builds(Leaf, st.integers(0, len(SMOOTH) - 1)),
    lambda p: st.one_of(
        st.builds(Sequence, p, p),
        st.builds(Choice, p, p),
        st.builds(Choices, p, p, p),
        st.builds(While, p),
        st.builds(Fori, p),
        st.builds(Scan, p),
    ),
    max_leaves=4,
)

TRANSFORMS = {
    "grad": lambda f: lambda x: fg.grad(lambda x: fnp.sum(f(x) * np.array([1.0, 0.3])))(x),
    "jvp": lambda f: lambda x: fg.jvp(f, (x,), (fnp.cos(x),))[1],
    "make_tape": lambda f: lambda x: fg.make_tape(f)(x)(x),
    "checkpoint": fg.checkpoint,
    "linearize": lambda f: lambda x: fg.linearize(f, x)[1](fnp.array([1.0, -2.0])),
}
DIFFERENTIATE = {"grad", "jvp", "linearize"}


@given(programs, st.lists(st.sampled_from(sorted(TRANSFORMS)), max_size=3))
def test_nested_programs(program, stack):
    f, reference = program.f, program.plain
    for name in stack:
        f = TRANSFORMS[name](f)
        if name in DIFFERENTIATE:
            reference = TRANSFORMS[name](reference)
    with np.errstate(over="ignore", invalid="ignore"):  # derivatives of random programs may be anything
        expected = np.stack([reference(x) for x in X])
        for found in (np.stack([f(x) for x in X]), fg.vmap(f)(X), fg.make_tape(fg.vmap(f))(X)(X)):
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.slow
@given(programs, st.lists(st.sampled_from(sorted(TRANSFORMS)), min_size=2, max_size=4))
def test_deep_stacks(program, stack):
    test_nested_programs.hypothesis.inner_test(program, stack)

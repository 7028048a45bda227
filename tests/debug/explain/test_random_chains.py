"""Random chains of operations, some of which lose the gradient: `fg.explain` names the one that does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn

M = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.3, 0.2, 1.8]])

HEALTHY = [
    lambda x: x + 0.1 * np.sin(x),
    lambda x: x @ M,
    lambda x: fnp.cumsum(x),
    lambda x: fnp.roll(x, 1)[::-1],
    lambda x: fnp.stack([x, 2.0 * x]).sum(axis=0) / 3.0,
    lambda x: fnp.concatenate([x[2:], x[:2]]),
    lambda x: fg.vmap(lambda v: v / 2.0)(x),
    lambda x: fg.jit(lambda v: v * 1.5)(x),
    lambda x: fg.lax.scan(lambda c, r: (c + r, c + 2.0 * r), 0.0, x)[1],
    lambda x: fg.checkpoint(lambda v: v - 0.1)(x),
    lambda x: x.at[1].add(0.5),
    lambda x: np.logaddexp(x / 10.0, 0.0),
]
"""Functions whose Jacobian is regular."""

CUT = [
    ("stop_gradient", lambda x: fg.stop_gradient(x)),
    ("rounding", lambda x: np.floor(x)),
    ("integers", lambda x: 1.0 * x.astype(int)),
    ("comparison", lambda x: 1.0 * (x > 0.1)),
    ("indices", lambda x: 1.0 * fnp.argsort(x)),
]
FLAT = [
    ("times zero", lambda x: 0.0 * x),
    ("clipped", lambda x: fnp.clip(x, 1e6, 2e6)),
    ("relu", lambda x: nn.relu(x - 1e9)),
    ("where", lambda x: fnp.where(np.array([False, False, False]), x, 1.0)),
    ("saturated", lambda x: np.tanh(x + 1e9)),
    ("overwritten", lambda x: x.at[:].set(1.0)),
    ("cancelled", lambda x: x - x),
    ("rounding", lambda x: np.sign(x)),
]
SHAPE = [("shape", lambda x: fnp.ones_like(x))]

operations = st.one_of(
    st.sampled_from([(None, f) for f in HEALTHY]),
    st.sampled_from([(None, f) for f in HEALTHY]),
    st.sampled_from(CUT + FLAT + SHAPE),
)


def expected(chain):
    """The kind of the operation that is to blame: what ends all paths, else the first cut, else what comes first.

    That two terms cancel can be seen only if something comes back to them.
    """
    for kinds in (SHAPE, CUT, [k for k in FLAT if k[0] != "cancelled"], FLAT):
        found = [kind for kind, f in chain if (kind, f) in kinds]
        if found:
            return found[0]
    return None


@given(st.lists(operations, min_size=1, max_size=7), st.lists(st.floats(0.3, 1.5), min_size=3, max_size=3))
def test_a_chain_is_broken_where_the_first_link_is(chain, point):
    def f(x):
        for _, operation in chain:
            x = operation(x)
        return np.sum(x * np.array([1.0, 2.0, 4.0]))

    x = np.array(point)
    e = fg.explain(f, x)
    np.testing.assert_allclose(e.gradient[0], fg.grad(f)(x), rtol=1e-9, atol=1e-300)
    kind = expected(chain)
    assert {g.kind for g in e.findings if g.severity != "note"} == ({kind} if kind else set()), str(e)
    assert e.ok == (kind is None)

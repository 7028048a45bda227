"""The backward walk adds up cotangents of every kind, and only ever writes into arrays of its own."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import registry
from funcgrad.testing.samples import samples


def test_a_sum_that_turns_into_a_tracer_takes_further_terms():
    """The inner walk meets, for y: two plain cotangents, then one that depends on a, then a plain one."""

    def inner(a):
        return fg.grad(lambda y: fnp.sum(((y + 1) + a * y) + (y + y)))(np.ones(3))

    expected = [1 + 2.0 + 2] * 3
    assert inner(2.0).tolist() == expected
    value, pullback = fg.vjp(inner, 2.0)
    assert value.tolist() == expected and float(pullback(np.ones(3))[0]) == 3.0
    value, tangent = fg.jvp(inner, (2.0,), (1.0,))
    assert value.tolist() == expected and tangent.tolist() == [1.0] * 3


def test_a_sum_that_turns_sparse_takes_further_terms():
    g = fg.grad(lambda y: fnp.sum(((y + 1) + y[0]) + (y + y)))(np.ones(3))
    assert g.tolist() == [1 + 3 + 2, 3, 3]


STEPS = [
    lambda a, u, v: u + v,
    lambda a, u, v: u - v,
    lambda a, u, v: u * a,
    lambda a, u, v: a * u + v,
    lambda a, u, v: u[::-1],
    lambda a, u, v: u + u[0],
    lambda a, u, v: u[np.array([0, 0, 2])] + v,
    lambda a, u, v: fnp.sin(u),
    lambda a, u, v: u * v * 0.1,
    lambda a, u, v: fnp.modf(u)[0] + v,
    lambda a, u, v: fnp.concatenate([u[:1], v[1:]]),
    lambda a, u, v: u + fnp.sum(v),
    lambda a, u, v: fg.grad(lambda q: fnp.sum(q * u * a + q * v + v))(u),
]


@pytest.mark.parametrize("in_place_from", [0, 1 << 16])
def test_values_are_the_same_under_every_transform(monkeypatch, in_place_from):
    """The gradient of a random program has one value, whoever differentiates it further."""
    from funcgrad.transforms import walk

    monkeypatch.setattr(walk, "_LARGE", in_place_from)
    y0, w = np.array([0.3, -0.7, 1.2]), np.array([1.0, 2.0, 3.0])
    for seed in range(60):

        def program(a, y, seed=seed):
            rng = np.random.default_rng(seed)
            values = [y, y + 1.0]
            for _ in range(rng.integers(4, 14)):
                i, j = rng.integers(len(values), size=2)
                values.append(STEPS[rng.integers(len(STEPS))](a, values[i], values[j]))
            return sum(fnp.sum(v * 0.3) for v in values)

        def gradient(a, program=program):
            return fg.grad(lambda y: program(a, y))(y0)

        value, pullback = fg.vjp(gradient, 1.3)
        same, tangent = fg.jvp(gradient, (1.3,), (1.0,))
        np.testing.assert_allclose(value, gradient(1.3), rtol=1e-10)
        np.testing.assert_allclose(same, gradient(1.3), rtol=1e-10)
        np.testing.assert_allclose(pullback(w)[0], np.dot(w, tangent), rtol=1e-9)

        def f(y, program=program):
            return program(1.3, y)

        forward = fg.jvp(fg.grad(f), (y0,), (w,))[1]
        np.testing.assert_allclose(fg.vjp(fg.grad(f), y0)[1](w)[0], forward, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(fg.grad(lambda y, f=f: fg.jvp(f, (y,), (w,))[1])(y0), forward, rtol=1e-9, atol=1e-12)


def test_the_caller_s_cotangent_is_not_summed_into():
    """modf hands its cotangent on as it came; large sums are made in place, but not in an Array of the caller."""
    x, w = np.linspace(0.1, 5, 20000), fnp.ones(20000)
    _, pullback = fg.vjp(lambda x: (fnp.modf(x)[0], x * 2.0), x)
    for _ in range(2):
        (g,) = pullback((w, fnp.ones(20000)))
        assert set(g.tolist()) == {3.0} and set(w.tolist()) == {1.0}


DIFFERENTIABLE = sorted(name for name, p in registry.items() if p.differentiable and set(p.dtypes) & set("dD"))


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_in_place_sums_touch_nothing_else(monkeypatch, name):
    """With sums made in place at every size: cotangents and results stay, and calling again gives the same."""
    from funcgrad.transforms import walk

    monkeypatch.setattr(walk, "_LARGE", 0)
    primitive, rng = registry[name], np.random.default_rng(0)
    for dtype in set(primitive.dtypes) & set("dD"):
        for sample in samples(primitive, dtype):
            places = [
                i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray | np.generic) and a.dtype.kind in "fc"
            ]
            if not places:
                continue

            def f(*xs, sample=sample, places=places):
                args = list(sample.args)
                for i, x in zip(places, xs, strict=True):
                    args[i] = x
                return primitive(*args, **sample.params), [x * 2.0 for x in xs]

            def cotangent(o):
                w = rng.normal(size=o.shape) + (1j * rng.normal(size=o.shape) if o.dtype.kind == "c" else 0.0)
                return fg.Array(np.asarray(w).astype(o.dtype) if o.dtype.kind in "fc" else np.zeros(o.shape, o.dtype))

            with np.errstate(all="ignore"):
                y, pullback = fg.vjp(f, *[sample.args[i] for i in places])
                w = fg.tree.map(cotangent, y)
                before = [np.array(a) for a in fg.tree.leaves((y, w))]
                first, again = pullback(w), pullback(w)
                alone = pullback((w[0], [v * 0 for v in w[1]]))
            for a, b in zip(fg.tree.leaves((y, w)), before, strict=True):
                np.testing.assert_array_equal(a, b)
            for a, b, c, v in zip(first, again, alone, w[1], strict=True):
                np.testing.assert_array_equal(a, b)
                np.testing.assert_allclose(a, np.asarray(c) + 2 * np.asarray(v), rtol=1e-12, atol=1e-12)

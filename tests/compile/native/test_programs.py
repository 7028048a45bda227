"""Programs of arrays in machine code: the values of NumPy's own calls, products to the last bit, and nothing shared."""

import functools
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.native import plans
from funcgrad.compile.native.blas import blas
from funcgrad.compile.native.llvm import missing

sys.path.append(str(Path(__file__).parent))
from whole_programs import check, whole

pytestmark = pytest.mark.skipif(bool(missing()) or blas() is None, reason=missing() or "NumPy's BLAS is not found")
RNG = np.random.default_rng(7)


def normal(*shape, dtype="float64"):
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


ROUNDING = {"float64": 1e-12, "float32": 1e-4, "complex128": 1e-12, "complex64": 1e-4}


check = functools.partial(check, rtol=1e-13)


SHAPES = [
    *[
        ((8, 32), (32, 32)),
        ((3, 5), (5, 1)),
        ((1, 50), (50, 7)),
        ((1, 33), (33, 1)),
        ((33, 1), (1, 33)),
        ((6, 1), (1, 1)),
    ],
    *[((40,), (40, 50)), ((50, 40), (40,)), ((70,), (70,)), ((1,), (1, 40)), ((100, 100), (100, 100))],
    *[((4, 40, 3), (4, 3, 50)), ((2, 1, 40, 3), (5, 3, 3)), ((40, 3), (4, 3, 50)), ((5, 1, 9), (9, 50))],
]


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_products_are_those_of_numpy_to_the_last_bit(turned, dtype):
    def oriented(xs):
        return [x.mT if turn and x.ndim > 1 else x for x, turn in zip(xs, turned * len(SHAPES), strict=False)]

    def products(*xs):
        xs = oriented(xs)
        return [x @ y for x, y in zip(xs[::2], xs[1::2], strict=True)]

    args = [np.ascontiguousarray(x) for x in oriented([normal(*s, dtype=dtype) for pair in SHAPES for s in pair])]
    found, xs = whole(products, *args)(*args), oriented(args)
    for product, x, y in zip(found, xs[::2], xs[1::2], strict=True):
        if max(x.ndim, y.ndim) <= 2 and x.shape[-1] > 8:  # shorter sums may be written out
            np.testing.assert_array_equal(np.asarray(product), np.dot(x, y))
        else:
            np.testing.assert_allclose(
                np.asarray(product), x @ y, rtol=1e-4, atol=1e-12 if dtype == "float64" else 1e-4
            )


def test_complex_programs():
    def f(x, w, k):
        def step(c, row):
            c = fnp.exp(0.02j * c @ w) * fnp.conj(row) + row.T[:1, 0] * k
            return c, (fnp.abs(c), c.imag, fnp.sum(c, axis=0), fnp.sum(c))

        last, rows = fg.lax.scan(step, x[0], x)
        return (
            last,
            rows,
            fnp.stack([last, last * 2j], axis=1),
            fnp.pad(last.T.reshape(20, -1), ((1, 0), (0, 2))),
            k * 2,
        )

    def energy(x, w):
        return fnp.sum(fnp.abs(f(x, w, 1j)[2]) ** 2)

    args = normal(3, 10, 40, dtype="complex128"), normal(40, 40, dtype="complex128")
    check(f, *args, np.complex128(1 + 2j), rtol=1e-12)
    check(fg.value_and_grad(energy, argnums=(0, 1)), *args, rtol=1e-11)


def test_a_matrix_times_its_transposed_is_symmetric():
    for x in (normal(50, 30), normal(30, 50)):
        found = np.asarray(whole(lambda x: x @ x.T, x)(x))
        np.testing.assert_array_equal(found, x @ x.T)
        np.testing.assert_array_equal(found, found.T)


def network(w1, b1, w2, b2, x, wanted):
    h = fnp.tanh(x @ w1 + b1)
    scores = h @ w2 + b2
    return fnp.mean(fg.nn.logsumexp(scores, axis=1) - fnp.sum(scores * wanted, axis=1))


@pytest.mark.parametrize(("batch", "width"), [(1, 3), (1, 64), (2, 1), (9, 8), (9, 17), (32, 64)])
def test_networks_of_any_size(batch, width):
    args = normal(5, width), normal(width), normal(width, 40), normal(40), normal(batch, 5), normal(batch, 40)
    check(fg.value_and_grad(network, argnums=(0, 1, 2, 3)), *args)


def recurrent(w, u, b, xs, h):
    def step(h, x):
        h = fnp.tanh(h @ w + x @ u + b)
        return h, (h[0], fnp.max(h, axis=1), h > 0.5)

    return fg.lax.scan(step, h, xs)


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_recurrent_networks_forwards_and_backwards(steps):
    args = normal(40, 40) / 6, normal(3, 40), normal(40), normal(steps, 5, 3), normal(5, 40)
    check(recurrent, *args)
    check(fg.grad(lambda *args: fnp.sum(recurrent(*args)[0] ** 2), argnums=(0, 1, 2, 3, 4)), *args)
    reverse = lambda w, xs: fg.lax.scan(lambda c, x: (fnp.tanh(x @ w + c[::-1]), c), xs[0], xs, reverse=True)
    check(reverse, normal(40, 40), normal(steps, 5, 40))


def test_loops_in_loops_and_carries_that_change_places():
    def f(x, y):
        def inner(c, row):
            a, b = c
            return (b, fnp.sin(a) + row), a

        def outer(c, _):
            c, rows = fg.lax.scan(inner, c, c[0] @ np.eye(40))
            return c, rows[-1]

        return fg.lax.scan(outer, (x, y), None, length=3)

    check(f, normal(40, 40), normal(40, 40))


def test_loops_that_decide_and_choices():
    def f(w, x, k):
        def step(state):
            n, x = state
            x = fg.lax.cond(fnp.sum(x) > 0.0, lambda x: x @ w, lambda x: fnp.tanh(x)[::-1] + 0.1, x)
            return n + 1, fg.lax.switch(n, [lambda x: x, lambda x: -x, fnp.sin], x)

        def more(state):
            return (state[0] < 9) & (fnp.max(fnp.abs(state[1])) < 40.0)

        n, x = fg.lax.while_loop(more, step, (0, x))
        return n, x, fg.checkpoint(lambda x: fnp.exp(-x * x) @ w)(x), fg.lax.cond(k, lambda: x, lambda: x * 2)

    w = normal(40, 40) / 5
    for x in (normal(3, 40), np.full((3, 40), 50.0), -np.ones((3, 40))):
        for k in (True, False):
            check(f, w, x, np.bool_(k))
    check(lambda x: fg.lax.while_loop(lambda c: fnp.sum(c) < 0.0, lambda c: c + 1.0, x), normal(3, 40) ** 2)


MOVES = {
    "concatenate": lambda x: fnp.concatenate([x, x[:2], fnp.sin(x)]),
    "stack": lambda x: fnp.stack([x, x * 2], axis=1) @ np.ones(50),
    "stack at the end": lambda x: fnp.stack([x, x * 2, x], axis=-1),
    "roll": lambda x: fnp.roll(x, (3, -60), (0, 1)) * x,
    "roll round itself": lambda x: fnp.roll(x, 12, 0) + fnp.roll(x, 1, 1),
    "pad": lambda x: fnp.pad(x, ((1, 2), (0, 3))) + 1.0,
    "a slice backwards": lambda x: fnp.exp(x[::-2, 3:40:5]) + fnp.sum(x),
    "a row and a column": lambda x: x[1] + x[:, -1:] * x[0, 0],
    "its gradient": fg.grad(lambda x: fnp.sum(x[2:, ::3] ** 2) + fnp.sum(x[-1] * x[0]) + x[3, 4]),
    "transposed and reshaped": lambda x: fnp.sin(x.T.reshape(25, 24)) @ x.reshape(24, 25),
    "a diagonal": lambda x: fnp.diagonal(x, 1) * fnp.diagonal(x[::-1]),
    "set": lambda x: fnp.asarray(x).at[2, ::2].set(x[1, ::2] * 2).at[-1].add(1.5),
    "sums": lambda x: [
        fnp.sum(x.reshape(3, 4, 50) * 2, axis=a, keepdims=True) for a in (0, 1, 2, (0, 2), (1, 2), (0, 1))
    ],
    "extrema": lambda x: [g(x * x, axis=a) for g in (fnp.max, fnp.min) for a in (None, 0, 1)],
    "softmax": lambda x: (fg.nn.softmax(x), fg.nn.log_softmax(x, axis=0), fg.nn.logsumexp(x)),
    "outer": fg.grad(lambda x: fnp.sum(fnp.sin(x @ np.ones(50)) * fnp.mean(x, axis=1)) + fnp.vecdot(x, x)[0]),
    "other dtypes": lambda x: (x > 0, (x * 10).astype("int32") + 1, x.astype("float32") * 2, fnp.any(x > 0, axis=0)),
}


@pytest.mark.parametrize("move", MOVES)
def test_what_moves_joins_and_reduces(move):
    check(MOVES[move], normal(12, 50))


def regular(*shape, dtype="float64"):
    return normal(*shape, dtype=dtype) + 8 * np.eye(shape[-1], dtype=dtype)


def both_determinants(x):
    return tuple(fnp.linalg.slogdet(x))


SYSTEMS = {
    "a vector": (fnp.linalg.solve, (5, 5), (5,)),
    "a matrix": (fnp.linalg.solve, (60, 60), (60, 3)),
    "stacks": (fnp.linalg.solve, (4, 6, 6), (4, 6, 7)),
    "one matrix for a stack": (fnp.linalg.solve, (6, 6), (3, 6, 7)),
    "turned": (lambda a, b: fnp.linalg.solve(a.mT, b.mT), (6, 6), (7, 6)),
    "an inverse": (fnp.linalg.inv, (40, 40)),
    "inverses": (lambda a: fnp.linalg.inv(a.mT), (3, 2, 6, 6)),
    "a determinant": (both_determinants, (40, 40)),
    "determinants": (both_determinants, (9, 6, 6)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_systems_are_solved_as_numpy_solves_them(dtype):
    args = {
        name: [(regular if k == 0 else normal)(*shape, dtype=dtype) for k, shape in enumerate(shapes)]
        for name, (_, *shapes) in SYSTEMS.items()
    }

    def all_of(args):
        return {name: f(*args[name]) for name, (f, *_) in SYSTEMS.items()}

    found, expected = whole(all_of, args)(args), all_of(args)
    for name, (f, *_) in SYSTEMS.items():
        for a, b in zip(fg.tree.leaves(found[name]), fg.tree.leaves(expected[name]), strict=True):
            if f is both_determinants:  # its logarithms are added up
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12 if dtype == "float64" else 1e-5)
            else:
                np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_the_determinants_of_exchanged_and_singular_matrices():
    turned, singular = np.eye(9)[::-1] * 2, np.ones((9, 9))
    check(lambda x: fnp.linalg.slogdet(x)[0], np.stack([turned, np.eye(9), -np.eye(9), singular]))
    f = whole(lambda x: fnp.where(fnp.linalg.slogdet(x)[1] < -100, 1.0, 2.0), singular)
    assert [float(f(x)) for x in (singular, turned)] == [1.0, 2.0]


def test_a_singular_matrix_raises_what_numpy_raises():
    f = whole(
        lambda a, b: fg.lax.scan(lambda c, _: (fnp.linalg.solve(a, c), c), b, None, length=3),
        normal(40, 40),
        np.ones(40),
    )
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        f(np.ones((40, 40)), np.ones(40))


def test_a_filter_with_small_matrices_and_its_gradient():
    def value(a, q, ys):
        def step(state, y):
            m, p = a @ state[0], a @ state[1] @ a.T + q @ q.T
            s = p[:2, :2] + np.eye(2)
            gain, r = fnp.linalg.solve(s, p[:2]).T, y - m[:2]
            cost = fnp.dot(r, fnp.linalg.solve(s, r)) + fnp.linalg.slogdet(s)[1]
            return (m + gain @ r, p - gain @ p[:2]), cost

        return fnp.sum(fg.lax.scan(step, (np.zeros(6), np.eye(6)), ys)[1])

    check(fg.value_and_grad(value, argnums=(0, 1)), normal(6, 6) / 3, normal(6, 6), normal(20, 2), rtol=1e-11)


def test_arrays_without_an_order_of_their_own():
    x, w = normal(20, 30), normal(30, 20)
    f = whole(lambda x, w: fnp.tanh(x @ w), x, w)
    for a, b in [
        (np.asfortranarray(x), w),
        (x[::-1], w[:, ::-1]),
        (normal(40, 60)[::2, ::2], w),
        (x, np.ones((30, 20))),
    ]:
        np.testing.assert_array_equal(np.asarray(f(a, b)), np.asarray(f(a.copy(), b.copy())))
        np.testing.assert_allclose(np.asarray(f(a, b)), np.tanh(a @ b), rtol=1e-14, atol=1e-14)


def test_results_are_nobody_elses():
    x, constant = normal(40, 50), normal(40, 50)
    f = whole(lambda x: (x, x, x.T, constant, fnp.sin(x), fnp.sin(x), x[0, 0], 1.5), x)
    found = [np.asarray(a) for a in f(x)]
    again = [np.asarray(a) for a in f(x)]
    for k, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in (x, constant, *found[k + 1 :], *again) if b.ndim)
    np.testing.assert_array_equal(found[2], x.T)
    np.testing.assert_array_equal(found[3], constant)


def test_what_is_not_finite_is_left_to_numpy_which_warns():
    f = whole(lambda x, w: fnp.exp(x @ w), normal(4, 40), normal(40, 40))
    x = np.full((4, 40), 1e3)
    with pytest.warns(RuntimeWarning, match="overflow"):
        found = f(x, np.eye(40))
    assert np.all(np.asarray(found) == np.inf)
    with pytest.raises(Exception, match="shape"):
        f(normal(4, 40), normal(30, 40))


def test_long_programs_are_left_to_groups(monkeypatch):
    def f(x, w):
        return fnp.tanh(fnp.tanh(x @ w) @ w[:, :30]) @ w[:30]

    args = normal(3, 40), normal(40, 40)
    check(f, *args)
    monkeypatch.setattr(plans, "MOST", 3)
    assert "program.steps" not in fg.jit(lambda *args: f(*args), backend="native").source(*args)


def test_what_is_called_often_leaks_nothing():
    x, w = normal(4, 40), normal(40, 40) / 9
    f = fg.jit(fg.value_and_grad(lambda w: fnp.sum(fnp.tanh(x @ w) @ w)), backend="native")
    f(w)
    before = sys.getallocatedblocks()
    for _ in range(2000):
        f(w)
    assert sys.getallocatedblocks() - before < 500


def test_a_long_loop_can_be_interrupted(interrupted):
    def f(x, n):
        return fg.lax.scan(lambda x, _: (fnp.sin(x), None), x, None, length=100_000_000)[0]

    x = normal(100)
    f = whole(f, x, 1)
    with interrupted(0.2):
        f(x, 1)

"""Loops in compiled programs: what they compute, how they are written, and what the pass over scans leaves."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax
from funcgrad.compile.numpy_backend.program import arrays_program
from funcgrad.compile.passes.loops import loops

RNG = np.random.default_rng(0)
W, XS = RNG.normal(size=(3, 3)) / 2, RNG.normal(size=(6, 3))
WIDE = RNG.normal(size=(5, 40))


def lorenz(s):
    x, y, z = s[0], s[1], s[2]
    return fnp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - (8 / 3) * z])


def pendulum(s, _):
    angle, speed = s
    speed = speed - 0.1 * fnp.sin(angle)
    return (angle + 0.1 * speed, speed), fnp.maximum(angle, speed)


def gated(h, x):
    gate = fnp.where(h > 0, fnp.exp(-h), fnp.minimum(x, 1.0))
    return fnp.tanh(W @ h) * gate + x, (h * h, fnp.sum(gate))


def collatz(n):
    def step(c):
        n, k = c
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), k + 1

    return lax.while_loop(lambda c: c[0] > 1, step, (n, 0))[1]


def newton(a):
    return lax.while_loop(
        lambda c: abs(c[0] ** 2 - a) > 1e-12, lambda c: (c[0] - (c[0] ** 2 - a) / (2 * c[0]), c[1] + 1), (a, 0)
    )


def bisection(a):
    def halved(c):
        low, high, n = c
        middle = 0.5 * (low + high)
        low, high = lax.cond(middle * middle > a, lambda: (low, middle), lambda: (middle, high))
        return low, high, n + 1

    return lax.while_loop(lambda c: c[1] - c[0] > 1e-9, halved, (0.0, a + 1.0, 0))


def three_ways(c, x):
    which = fnp.where(x > 0.5, 2, fnp.where(x > -0.5, 1, 0))
    return lax.switch(which, [lambda c: -c, lambda c: fnp.sin(c) + x, lambda c: fnp.stack([c[1], 2.0])], c), x > c[0]


PROGRAMS = {
    "a choice of numbers": (bisection, (2.0,)),
    "a choice of three": (lambda c: lax.scan(three_ways, c, XS[:, 0]), (XS[0, :2],)),
    "a choice alone": (lambda x: lax.cond(x > 1, lambda x: (x * x, 1.0), lambda x: (fnp.exp(x), x), x), (0.5,)),
    "numbers": (lambda s: lax.scan(lambda s, _: (s + 0.01 * lorenz(s), s[0]), s, None, length=20), (np.ones(3),)),
    "numbers and rows": (lambda a: lax.scan(pendulum, (a, 0.5), fnp.arange(9.0)), (1.0,)),
    "from the last": (lambda a, xs: lax.scan(lambda c, x: (c * x + a, c - x), a, xs, reverse=True), (0.5, XS[:, 0])),
    "rows of numbers": (lambda xs: lax.scan(lambda c, x: (c + fnp.sum(x * x), x / c), 1.0, xs), (XS,)),
    "rows from the last": (lambda xs: lax.scan(lambda c, x: (c + x[0], x * c), 1.0, xs, reverse=True), (XS,)),
    "arrays": (lambda xs: lax.scan(gated, fnp.zeros(3), xs), (XS,)),
    "wide": (lambda xs: lax.scan(lambda c, x: (fnp.sin(c) + x, c), fnp.ones(40), xs, reverse=True), (WIDE,)),
    "a carry that stays": (lambda w: lax.scan(lambda c, x: ((c[0], c[1] * c[0] + x), c[0]), (w, w), XS), (XS[0],)),
    "a counter": (lambda x: lax.fori_loop(0, 7, lambda i, y: y * 1.5 + i, x), (2.0,)),
    "counted at run time": (lambda x, n: lax.fori_loop(0, n, lambda i, y: y * 1.5 + i, x), (2.0, 7)),
    "while": (newton, (2.0,)),
    "while on arrays": (
        lambda x: lax.while_loop(lambda x: fnp.sum(x * x) > 1, lambda x: fnp.matmul(W, x) / 2, x), (10 * XS[0],)
    ),
    "integers": (collatz, (27,)),
    "a loop in a loop": (
        lambda xs: lax.scan(lambda c, x: (lax.fori_loop(0, 3, lambda i, y: fnp.sin(y) + x[i], c), c), 1.0, xs), (XS,)
    ),
    "a choice in a loop": (
        lambda xs: lax.scan(lambda c, x: (lax.cond(x[0] > c, lambda: c * x[1], lambda: c - x[2]), c), 1.0, xs), (XS,)
    ),
    "a checkpoint in a loop": (
        lambda xs: lax.scan(lambda c, x: (fg.checkpoint(lambda c: fnp.tanh(c * x))(c), None), fnp.ones(3), xs), (XS,)
    ),
    "no steps": (lambda x: lax.scan(lambda c, x: (c + x, c), x, fnp.zeros(0)), (1.0,)),
    "an empty carry": (lambda xs: lax.scan(lambda _, x: (None, x * x), None, xs)[1], (XS,)),
    "nothing but an effect on integers": (lambda n: lax.fori_loop(0, n, lambda i, k: k + 2, 0), (5,)),
}  # fmt: skip


def close(found, expected, rtol=1e-12):
    assert fg.tree.structure(found) == fg.tree.structure(expected)
    for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", ["numpy", "eager"])
def test_values(name, backend):
    f, args = PROGRAMS[name]
    close(fg.jit(f, backend=backend)(*args), f(*args))


@pytest.mark.parametrize("name", [n for n, (_, args) in PROGRAMS.items() if np.asarray(args[0]).dtype == float])
@pytest.mark.parametrize("backend", ["numpy", "eager"])
def test_derivatives(name, backend):
    f, args = PROGRAMS[name]

    def total(*xs):
        leaves = [o for o in fg.tree.leaves(f(*xs)) if o.dtype == float]
        return sum([fnp.sum(fnp.sin(o)) for o in leaves], 0.0)

    close(fg.jit(fg.value_and_grad(total), backend=backend)(*args), fg.value_and_grad(total)(*args), 1e-10)
    close(fg.grad(fg.jit(total, backend=backend))(*args), fg.grad(total)(*args), 1e-10)
    tangents = tuple([np.asarray(a) * 0.5 if np.asarray(a).dtype == float else np.zeros((), fg.float0) for a in args])
    close(fg.jit(lambda *xs: fg.jvp(total, xs, tangents), backend=backend)(*args), fg.jvp(total, args, tangents), 1e-10)
    if "while" not in name and "run time" not in name:
        close(fg.jit(fg.hessian(total), backend=backend)(*args), fg.hessian(total)(*args), 1e-9)


@pytest.mark.parametrize("name", [n for n, (_, args) in PROGRAMS.items() if len(args) == 1])
def test_batches(name):
    f, (x,) = PROGRAMS[name]
    batch = np.stack([np.asarray(x)] * 3) * np.arange(1, 4).reshape(3, *[1] * np.ndim(x))
    close(fg.jit(fg.vmap(f))(batch), fg.vmap(f)(batch), 1e-10)
    close(fg.vmap(fg.jit(f))(batch), fg.vmap(f)(batch), 1e-10)


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_of_numbers_and_of_arrays_agree(name):
    f, args = PROGRAMS[name]
    lowered = fg.jit(f).lower(*args)
    found = arrays_program(lowered)(*[np.asarray(a)[()] for a in args])
    for a, b in zip(found, fg.tree.leaves(f(*args)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_small_steps_are_written_as_numbers_and_others_as_calls_of_numpy():
    f, args = PROGRAMS["numbers"]
    assert "for _ in range(20):" in fg.jit(f, backend="numpy").source(*args)
    f, args = PROGRAMS["wide"]
    assert "for row_y1, v1 in zip(reversed(y1[:-1]), reversed(v1)):\n" in fg.jit(f, backend="numpy").source(*args)
    assert "while True:" in fg.jit(newton, backend="numpy").source(2.0)


SEVEN = RNG.normal(size=(7, 7)) / 4  # so many that steps on them are no loops of numbers


def carries_kept(c, x):
    """The first carry is kept as it is given, the second as it is computed, the third both times."""
    a, b, d = c
    a, b, d2 = fnp.tanh(SEVEN @ a + x), SEVEN @ b - a, d * x + b
    return (a, b, d2), (c[0], b, d, d2, d2, a[:2])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 1, 6])
def test_rows_are_computed_where_they_are_kept(reverse, length):
    def f(c, xs):
        return lax.scan(carries_kept, c, xs, reverse=reverse)

    c, xs = tuple(SEVEN[:3]), SEVEN[:length]
    source = fg.jit(f, backend="numpy").source(c, xs)
    assert [line.split("(")[0] for line in source.split("\n") if line.endswith(", row_y3)")] == ["        tanh"]
    before = [x.copy() for x in (*c, xs)]
    found, expected = fg.jit(f)(c, xs), f(c, xs)
    close(found, expected, 1e-12)
    for x, y in zip((*c, xs), before, strict=True):
        np.testing.assert_array_equal(x, y)

    def total(c, xs):
        return sum([fnp.sum(fnp.sin(x)) for x in fg.tree.leaves(f(c, xs))])

    close(fg.jit(fg.grad(total, argnums=(0, 1)))(c, xs), fg.grad(total, argnums=(0, 1))(c, xs), 1e-10)


def test_rows_of_results_that_a_group_computes_are_kept():
    def f(x):
        return lax.scan(lambda c, _: (fnp.sin(c) * c - 1.0, (c, fnp.exp(-c))), x, None, length=3)

    x = RNG.normal(size=(300, 100))  # so large that operations are carried out together
    assert "[...] = " in fg.jit(f, backend="numpy").source(x)
    close(fg.jit(f)(x), f(x), 1e-12)


@pytest.mark.parametrize("x", [np.inf, np.nan, 1e200, 0.0, -0.0])
def test_what_has_no_finite_result_is_left_to_numpy(x):
    def f(x):
        return lax.scan(lambda c, _: (c * c, fnp.exp(c) / x), x, None, length=5)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        np.testing.assert_array_equal(fg.jit(f)(x)[1], f(x)[1])
        np.testing.assert_array_equal(np.signbit(fg.jit(f)(x)[0]), np.signbit(f(x)[0]))


def test_integers_wrap_around_as_in_numpy():
    def f(n):
        return lax.fori_loop(0, 4, lambda i, n: n + 2**30, n)

    far = 2**63 - 2**31
    with np.errstate(over="ignore"):
        assert fg.jit(f)(far) == f(np.int64(far)) == -(2**63) + 2**31


def smaller(f, *args):
    """The scan after the pass, and the tape around it."""
    tape = loops(fg.make_tape(f)(*args))
    (scan,) = [e for e in tape.equations if e.primitive.name == "scan"]
    close(tape.run([fnp.asarray(a) for a in args])[0], f(*args))
    return scan, tape


def test_results_that_nobody_reads_go():
    scan, _ = smaller(lambda x: lax.scan(lambda c, x: ((c[0] + x, c[1] * x), x * 3.0), (1.0, 1.0), x)[0][0], XS[0])
    assert scan.shape == ((),)
    assert len(scan.primitive.body.step.tape) == 1


def test_a_carry_that_leads_to_one_that_is_read_stays():
    scan, _ = smaller(lambda x: lax.scan(lambda c, x: ((c[0] + c[1], c[1] * x), None), (1.0, 1.0), x)[0][0], XS[0])
    assert scan.shape == ((), ())


def test_what_is_the_same_in_each_step_is_computed_before():
    scan, tape = smaller(lambda w: lax.scan(lambda c, x: (c * fnp.exp(w * 2.0) + x, None), w, XS)[0], XS[0])
    assert [e.primitive.name for e in tape.equations][:2] == ["multiply", "exp"]
    assert [e.primitive.name for e in scan.primitive.body.step.tape] == ["multiply", "add"]


def test_nothing_is_computed_before_a_loop_without_steps():
    def f(w):
        return lax.scan(lambda c, x: (c + fnp.log(w) + x, None), w, fnp.zeros((0, 3)))[0]

    np.testing.assert_array_equal(fg.jit(f)(-np.ones(3)), -np.ones(3))  # and no warning about the logarithm


def test_a_carry_that_no_step_changes_is_a_constant():
    scan, _ = smaller(lambda w: lax.scan(lambda c, x: ((c[0], c[1] * c[0] + x), None), (w, w), XS)[0][1], XS[0])
    assert scan.primitive.body.carry == 1 and scan.primitive.body.constants == 1


def test_known_constants_are_part_of_the_step():
    def f(x):
        return lax.scan(lambda c, _: ((c[0], c[1] * c[0]), None), (1.0, x), None, length=3)[0][1]

    assert fg.jit(f)(2.0) == 2.0
    assert len(fg.jit(f).lower(2.0)) == 0  # for x * 1 is x, so no step changes anything


def test_what_a_simplified_step_computes_of_rows_alone_leaves_the_loop():
    def f(a, xs):
        def step(c, x):
            h, total = c
            h = fnp.tanh(a * h + x)
            return (h, total - 0.5 * fnp.sum(x * h)), None

        return lax.scan(step, (fnp.ones(40), 0.0), xs)[0][1]

    a, xs = RNG.normal(size=40), RNG.normal(size=(9, 40))
    *_, back = [e for e in fg.jit(fg.grad(f)).lower(a, xs).equations if e.primitive.name == "scan"]
    operations = [e.primitive.name for e in back.primitive.body.step.tape.equations]
    assert operations == ["add", "multiply", "multiply"]  # without -0.5 * x
    close(fg.jit(fg.grad(f))(a, xs), fg.grad(f)(a, xs), 1e-12)


def test_rows_that_are_given_back_are_the_array():
    def f(x):
        return lax.scan(lambda c, x: (c * x, x), 1.0, x)

    assert len(loops(fg.make_tape(lambda x: f(x)[1])(XS[0]))) == 0
    assert fg.jit(f)(XS[0])[1].tolist() == XS[0].tolist()


def recurrent(w, u, b, h, xs):
    def step(h, x):
        return fnp.tanh(h @ w + x @ u + b), fnp.sum(fnp.exp(x) * h[..., :2])

    h, ys = lax.scan(step, h, xs)
    return fnp.sum(h * h) + fnp.sum(fnp.cos(ys))


RECURRENT = [RNG.normal(size=shape) / 2 for shape in [(4, 4), (2, 4), (4,)]]


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("length", [3, 20])
def test_what_needs_no_carry_is_done_for_all_rows_at_once(batch, length):
    h, xs = RNG.normal(size=(*batch, 4)), RNG.normal(size=(length, *batch, 2))
    gradient = fg.value_and_grad(recurrent, (0, 1, 2, 3, 4))
    close(fg.jit(gradient)(*RECURRENT, h, xs), gradient(*RECURRENT, h, xs), 1e-11)
    lowered = fg.jit(gradient).lower(*RECURRENT, h, xs)
    forward, backward = [e.primitive.body for e in lowered.equations if e.primitive.name == "scan"]
    products = [[e.primitive.name for e in s.step.tape].count("matmul") for s in (forward, backward)]
    if (
        length == 20
    ):  # one product with the carry in each step, there and back; the sums for w, u, b and rows are outside
        assert products == [1, 1]
        assert backward.carry == 1
    else:  # with few steps it is not worth it
        assert products[0] == 2 and backward.carry > 1


def test_what_a_step_reads_of_its_sum_stays_in_the_loop():
    def f(w, xs):
        def step(c, x):
            total, h = c
            return (total + fnp.outer(x, h), fnp.sin(h) + fnp.sum(total) * w), None

        return lax.scan(step, (fnp.zeros((3, 3)), w), xs)[0][0]

    xs = RNG.normal(size=(12, 3))
    close(fg.jit(f)(XS[0], xs), f(XS[0], xs), 1e-11)


def test_sums_of_products_begin_with_the_first_carry():
    def f(start, xs, ys):
        return lax.scan(lambda c, xy: (c + xy[0].T @ xy[1], None), start, (xs, ys))[0]

    start, xs, ys = RNG.normal(size=(4, 5)), RNG.normal(size=(9, 2, 4)), RNG.normal(size=(9, 2, 5))
    np.testing.assert_allclose(fg.jit(f)(start, xs, ys), start + np.einsum("nij,nik->jk", xs, ys), rtol=1e-13)
    assert not any(e.primitive.name == "scan" for e in fg.jit(f).lower(start, xs, ys).equations)


@pytest.mark.parametrize("shapes", [((), (3,)), ((3,), ()), ((2, 1), (3,)), ((3,), (2, 1))])
def test_rows_meet_constants_as_in_a_step(shapes):
    """A constant with more axes than a row is stretched over it, not over the rows."""
    row, const = shapes
    xs, c = RNG.normal(size=(10, *row)), RNG.normal(size=const)
    total = np.zeros(np.broadcast_shapes(row, const))

    def f(xs, c):
        return lax.scan(lambda s, x: (s * 0.5 + fnp.where(x > c, x, c) * x, x - c), total, xs)

    close(fg.jit(f)(xs, c), f(xs, c))
    close(
        fg.jit(fg.grad(lambda *a: fnp.sum(f(*a)[0]), (0, 1)))(xs, c),
        fg.grad(lambda *a: fnp.sum(f(*a)[0]), (0, 1))(xs, c),
    )


def test_random_numbers_for_all_steps_are_drawn_at_once():
    def walk(key):
        def step(x, key):
            x = fnp.sin(x) + fg.random.normal(key, (3,))
            return x, x

        return lax.scan(step, fnp.zeros(3), fg.random.split(key, 12))[1]

    key = fg.random.key(0)
    close(fg.jit(walk)(key), walk(key))
    (scan,) = [e for e in fg.jit(walk).lower(key).equations if e.primitive.name == "scan"]
    assert {e.primitive.name for e in scan.primitive.body.step.tape} == {"sin", "add"}


def test_rows_that_are_known_when_it_is_compiled():
    def f(x):
        return lax.scan(lambda c, t: (c + fnp.exp(-0.1 * t) * c, t * t), x, fnp.arange(10.0))

    close(fg.jit(f)(XS[0]), f(XS[0]))
    (scan,) = [e for e in fg.jit(f).lower(XS[0]).equations if e.primitive.name == "scan"]
    assert [e.primitive.name for e in scan.primitive.body.step.tape] == ["multiply", "add"]


def test_a_next_carry_that_begins_with_a_constant_array():
    constant = np.arange(3.0)

    def f(x):
        return lax.scan(lambda c, t: ((constant + fnp.sin(c[1]) * t, c[0]), None), (x, x), fnp.arange(10.0))[0]

    close(fg.jit(f)(XS[0]), f(XS[0]))


def test_cotangents_of_slices_are_added_to_what_a_loop_carries_in_place():
    def f(u):
        def step(u, _):
            return u.at[1:-1].add(0.1 * (u[2:] + u[:-2] - 2 * u[1:-1])), None

        return fnp.sum(lax.scan(step, u, None, length=5)[0] ** 2)

    u = np.random.default_rng(0).normal(size=3000)
    backward = fg.jit(fg.grad(f), backend="numpy")
    np.testing.assert_allclose(backward(u), fg.grad(f)(u), rtol=1e-12)
    assert "zeros" not in backward.source(u) and "scatter_add" not in backward.source(u)

"""The NumPy backend: tiles, numbers and plain calls all give what the tape gives, equation by equation."""

import math
import re
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.numpy_backend import numbers, parts, schedule, tiles
from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.compile.numpy_backend.layouts import Layout, layout
from funcgrad.compile.numpy_backend.liveness import Liveness
from funcgrad.compile.numpy_backend.program import arrays_program, program
from funcgrad.compile.numpy_backend.pulls import Pulls
from funcgrad.compile.passes import simplified
from funcgrad.core.primitive import registry
from funcgrad.ops.structural import roll
from funcgrad.testing import samples
from funcgrad.testing.samples import as_function


def rows_last(group, needed):
    """The layout with the rows last, where it is possible."""
    return Layout(group.merged(), not any(e.primitive is roll for e in group.members))


@pytest.fixture(params=[False, True], ids=["rows first", "rows last"])
def small_tiles(request, monkeypatch):
    """Groups from the smallest arrays on, tiles of a few elements, two threads, in both layouts."""
    if request.param:
        monkeypatch.setattr(tiles, "layout", rows_last)
    monkeypatch.setattr(schedule, "LARGE", 2)
    monkeypatch.setattr(tiles, "TILE_BYTES", 32)
    monkeypatch.setattr(tiles, "THREADED", 1)
    monkeypatch.setattr(tiles.pool, "size", 2)


@pytest.mark.parametrize("f", [fnp.isnan, fnp.isinf, fnp.isfinite, fnp.signbit])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_questions_of_numbers_into_turned_tiles(f, dtype):
    """NumPy answers them wrongly where the array for the answers has gaps."""
    x = np.random.default_rng(0).choice([1.0, -2.0, np.nan, -np.inf], (15000, 3)).astype(dtype)
    told, largest = fg.jit(lambda x: (f(x), fnp.max(fnp.where(f(x), 0.5, x), axis=1)), backend="numpy")(x)
    expected = np.array([[getattr(np, f.__name__)(v) for v in row] for row in x.tolist()])
    np.testing.assert_array_equal(told, expected)
    np.testing.assert_array_equal(largest, np.max(np.where(expected, 0.5, x), axis=1))


def tape_of(f, *args):
    return simplified(inline(fg.make_tape(f)(*args)))


def assert_same(found, expected):
    """The same to rounding, which for a sum is that of its terms: of the largest number that there is."""
    expected = [np.asarray(b) for b in expected]
    largest = max(
        [float(np.max(np.abs(b), initial=1, where=np.isfinite(b))) for b in expected if b.dtype.kind in "fc"] or [1]
    )
    for a, b in zip(map(np.asarray, found), expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.kind in "fc":
            eps = np.finfo(a.dtype).eps
            np.testing.assert_allclose(a, b, rtol=100 * eps, atol=100 * eps * largest)
        else:
            np.testing.assert_array_equal(a, b)


def check(compile_tape, f, *args):
    """The kernel of f gives what f gives, twice, changes no argument, and its results are its own."""
    with np.errstate(all="ignore"):
        expected = [np.array(o) for o in fg.tree.leaves(f(*map(fnp.asarray, args)))]
        kernel = compile_tape(tape_of(f, *args))
        given = [np.array(a) for a in args]
        first = kernel(*given)
        assert_same(first, expected)
        kept = [np.array(o) for o in first]
        kernel(*[a + a.dtype.type(1) for a in given])
        for a, b in zip(first, kept, strict=True):
            np.testing.assert_array_equal(a, b, err_msg="a later call wrote into a result")
    for a, b in zip(given, args, strict=True):
        np.testing.assert_array_equal(a, b, err_msg="an argument was changed")
    return kernel


@pytest.mark.no_cover
@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_every_primitive_in_tiles(small_tiles, primitive):
    for code in primitive.dtypes:
        for sample in samples(primitive, code):
            f, args = as_function(primitive, sample)
            if args and all(a.dtype.kind != "b" for a in map(np.asarray, args)):

                def between(*xs, f=f):  # with something elementwise before and after, to be grouped with
                    out = f(*[x * 0.9 if x.dtype.kind in "fc" else x for x in xs])
                    return [o * o for o in out] if isinstance(out, tuple) else out * out

                check(arrays_program, between, *map(np.asarray, args))


def layer_norm(x):
    d = x - fnp.mean(x, axis=-1, keepdims=True)
    return d / fnp.sqrt(fnp.mean(d * d, axis=-1, keepdims=True) + 1e-5)


def attention(x):
    q = x.reshape(2, 5, 2, 3).transpose(0, 2, 1, 3)
    p = fnp.exp(q @ q.transpose(0, 1, 3, 2))
    p = p / fnp.sum(p, axis=-1, keepdims=True)
    return fnp.sum((p @ q) ** 2)


FUNCTIONS = {
    "elementwise": lambda x: fnp.sum(fnp.tanh(x) * fnp.exp(-x * x)),
    "rows": lambda x: fnp.sum(layer_norm(x) ** 3),
    "bias": lambda x: fnp.sum(fnp.tanh(x + x[0, 0]) * x[:, :1]),
    "logsumexp": lambda x: fnp.mean(fnp.logsumexp(x, axis=2)) + fnp.sum(fnp.logsumexp(x, axis=0)),
    "mixture": lambda x: fnp.sum(fnp.logsumexp(-fnp.sum((x[:, None] - x[0]) ** 2, axis=3), axis=1)),
    "few terms": lambda x: fnp.sum(fnp.exp(fnp.sum(x.reshape(20, 3)[:, None, :] * 0.3, axis=2, keepdims=True)) ** 2),
    "rolls": lambda x: fnp.sum(fnp.roll(x * x, 3, 0) * fnp.roll(x, -1, 1) + fnp.roll(fnp.tanh(x), 2, 2) * x),
    "rolls and what they roll": lambda x: fnp.sum(
        fnp.roll(x * 0.5, 3, 0) * (x * 0.5) + fnp.roll(x + 1, 1, 2) * (x + 1)
    ),
    "round the grid": lambda x: fnp.sum(fnp.sin(fnp.roll(x, 1, 0) - fnp.roll(x, -9, 0) + fnp.roll(x, 0, 1)) * x),
    "truth values": lambda x: fnp.sum(fnp.sum(x[..., :4] > 0, axis=2).astype(x.dtype) * fnp.sum(x * x, axis=2)),
    "shapes that join": lambda x: fnp.sum(fnp.tanh(x[:, :, 0] * x[:, :, 1]) / fnp.sqrt(fnp.sum(x * x, axis=2) + 1.0)),
    "extrema": lambda x: fnp.sum(fnp.max(x * x, axis=0) * fnp.min(x, axis=(0, 1))),
    "where": lambda x: fnp.sum(fnp.where(x > 0, x, fnp.sin(x))),
    "casts": lambda x: fnp.sum((x * 2).astype("float32").astype("float64") * x),
    "reductions between": lambda x: fnp.sum(fnp.sin(x - fnp.sum(x * x, axis=0)) * fnp.cos(x)),
    "moved": lambda x: fnp.sum(fnp.tanh(x).transpose(2, 0, 1).reshape(6, 10) * fnp.sin(x).reshape(6, 10)),
    "attention": attention,
}


def check_values_and_gradients(f):
    x = np.random.default_rng(0).normal(size=(2, 5, 6))
    check(program, f, x)
    check(program, fg.value_and_grad(f), x)
    check(program, fg.value_and_grad(f), np.asfortranarray(x))
    check(arrays_program, fg.value_and_grad(f), x.astype("float32"))


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_values_and_gradients(f):
    check_values_and_gradients(f)


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_values_and_gradients_in_tiles(f, small_tiles):
    check_values_and_gradients(f)


def row_program(steps, x):
    y = x
    for step in steps:
        y = ROW_STEPS[step](y, x)
    return fnp.sum(y), y, fnp.sum(y, axis=0)


ROW_STEPS = [
    lambda y, x: y * x + 1.0,
    lambda y, x: fnp.tanh(y),
    lambda y, x: y - fnp.mean(y, axis=2, keepdims=True),
    lambda y, x: y - fnp.max(y, axis=(1, 2), keepdims=True),
    lambda y, x: y * fnp.mean(y, axis=0),
    lambda y, x: y + x[1],
    lambda y, x: y / (2.0 + fnp.sum(y * y)),
    lambda y, x: fnp.where(y > x, y, 0.5),
    lambda y, x: fnp.swapaxes(fnp.swapaxes(y, 1, 2) * 0.5, 1, 2),
    lambda y, x: (y.reshape(20, 3) + fnp.sum(y, axis=(0, 1))).reshape(4, 5, 3),
    lambda y, x: fnp.broadcast_to(fnp.sum(y, axis=1, keepdims=True), (4, 5, 3)),
    lambda y, x: y[::-1],
    lambda y, x: fnp.roll(y, 1, 0) + fnp.roll(x, -2, 1) * fnp.roll(y, 4, 2),
]


@given(st.lists(st.integers(0, len(ROW_STEPS) - 1), max_size=7), st.booleans())
def test_random_programs_in_tiles(steps, last):
    with pytest.MonkeyPatch.context() as patch:
        if last:
            patch.setattr(tiles, "layout", rows_last)
        patch.setattr(schedule, "LARGE", 2)
        patch.setattr(tiles, "TILE_BYTES", 64)
        x = 0.5 * np.random.default_rng(1).normal(size=(4, 5, 3))
        check(arrays_program, lambda x: row_program(steps, x), x)
        check(arrays_program, fg.grad(lambda x: row_program(steps, x)[0]), x)


# Groups.


def alone(tape):
    """The plan of a tape without a target."""
    return schedule.schedule(tape, Pulls(tape, None))


def plan_of(f, *args):
    return alone(tape_of(f, *args))


def test_softmax_and_its_gradient_by_rows_are_one_group():
    def loss(x):
        e = fnp.exp(x - fnp.logsumexp(x, axis=1).reshape(400, 1))
        return fnp.sum(e * e)

    plan = plan_of(fg.grad(loss), np.ones((400, 100)))
    assert [type(step) for step in plan] == [Group]


def test_what_is_cheap_is_computed_again():
    def loss(x):  # the differences are 25 times as large as x
        return fnp.sum(fnp.logsumexp(-fnp.sum((x[:, None] - x[:25]) ** 2, axis=2), axis=1) ** 2)

    plan = plan_of(fg.value_and_grad(loss), np.ones((500, 10)))
    found = [step for step in plan if isinstance(step, Group)]
    assert found and all(step.shape[0] == 500 for step in found)


@pytest.mark.parametrize(
    "f, shape, last",
    [
        (lambda x: fnp.sum(fnp.exp(-fnp.sum((x[:, None] - x[:40]) ** 2, axis=2))), (500, 3), True),
        (lambda x: fnp.sum(layer_norm(x) ** 3), (500, 100), False),  # nothing is stretched but one number for each row
        (lambda x: fnp.sum(fnp.tanh(x) * x), (100_000,), False),  # there is nothing but rows
    ],
)
def test_where_rows_are_narrow_and_stretched_they_come_last(f, shape, last):
    (group,) = [step for step in plan_of(f, np.ones(shape)) if isinstance(step, Group)]
    assert layout(group, []).last == last


def test_a_long_sum_is_that_of_numpy_or_better():
    rng = np.random.default_rng(0)
    for size in (1, 511, 512, 100_000):
        x = rng.normal(size=size).astype("float32")
        exact = math.fsum(x)
        scale = np.finfo("float32").eps * math.fsum(abs(x))
        assert abs(tiles.total(x) - exact) <= 4 * scale
    for special in (np.inf, np.nan):
        np.testing.assert_array_equal(tiles.total(np.array([1.0, special] * 600)), special)
    with np.errstate(invalid="ignore"):
        assert np.isnan(tiles.total(np.array([np.inf, -np.inf] * 600)))


def chained(x, w):
    h = fnp.tanh(x @ w)  # a group that may write over the product
    g = fnp.exp(-h * h).T @ h
    return fnp.sum(g @ (h.T @ h)) + fnp.sum(h[:, ::-1] * h), g.reshape(-1), h


def test_groups_write_over_what_nobody_reads_any_more(small_tiles):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(6, 5)), rng.normal(size=(5, 4))
    check(arrays_program, chained, x, w)
    check(arrays_program, fg.grad(lambda x, w: chained(x, w)[0], (0, 1)), x, w)


@pytest.mark.parametrize(
    "f, count",
    [
        (lambda p: fnp.exp(p), 1),
        (lambda p: fnp.exp(p.reshape(300, 200).T.reshape(600, 100)), 1),
        (lambda p: (fnp.exp(p), p), 0),  # it is a result
        (lambda p: fnp.exp(p) @ fnp.swapaxes(p, 0, 1), 0),  # it is read later
        (lambda p: fnp.exp(p) @ p.reshape(600, 100)[:100], 0),  # and so is a part of it
        (lambda p: fnp.exp(p[::2]), 0),  # the result would hold twice the memory that it needs
    ],
)
def test_what_a_group_may_write_over(f, count):
    x = np.ones((600, 100))
    tape = tape_of(lambda x: f(x @ fnp.ones((100, 100))), x)
    plan = alone(tape)
    (k,) = [k for k, step in enumerate(plan) if isinstance(step, Group)]
    lent = Liveness(plan, set(tape.outputs)).lent(k, plan[k])
    assert len(lent) == count


def test_memory_is_taken_over():
    x = np.ones((600, 100))
    w = np.full((100, 100), 1e-3)
    run = program(tape_of(lambda x: fnp.exp(fnp.exp(x @ w) @ w), x))
    run(x)
    tracemalloc.start()
    try:
        run(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.2 * x.nbytes  # the operand and the result of a product; exponentials need no more


def test_small_arrays_make_no_groups():
    assert not any(isinstance(s, Group) for s in plan_of(fg.grad(FUNCTIONS["rows"]), np.ones((2, 5, 6))))


def test_sums_do_not_depend_on_the_number_of_threads(monkeypatch):
    x = np.random.default_rng(0).normal(size=400_000)
    found = []
    for size in (1, 2, 3):
        monkeypatch.setattr(tiles.pool, "size", size)
        found.append(program(tape_of(FUNCTIONS["elementwise"], x))(x)[0])
    assert found[0] == found[1] == found[2]


def test_several_threads_may_call_one_program():
    xs = [np.random.default_rng(k).normal(size=(300, 200)) for k in range(4)]
    run = program(tape_of(fg.value_and_grad(FUNCTIONS["rows"]), xs[0]))
    alone = [run(x) for x in xs]
    found = [None] * 4

    def work(k):
        for _ in range(5):
            found[k] = run(xs[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for a, b in zip(found, alone, strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])


# Numbers.


def lorenz_step(s):
    x, y, z = s[0], s[1], s[2]
    return s + 0.01 * fnp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z])


NUMBER_FUNCTIONS = {
    "scalar chain": (lambda x: fnp.tanh(fnp.sin(x) * 1.5 + x), 0.7),
    "solver": (lambda s: fnp.sum(lorenz_step(lorenz_step(s)) ** 2), [1.0, 2.0, 3.0]),
    "indices": (lambda x: x[0] * x[-1] + fnp.sum(x[1:] * x[:-1]), [1.0, 2.0, 3.0, 4.0]),
    "matrix": (lambda x: fnp.sum(x.T[::-1] * x[0] + fnp.sum(x, axis=1)), [[1.0, 2.0], [3.0, 4.0]]),
    "choices": (lambda x: fnp.sum(fnp.where(x > 1.5, fnp.maximum(x, x[0]), fnp.minimum(-x, 0.3))), [1.0, 2.0]),
    "powers": (lambda x: fnp.sum(x**3 + fnp.sqrt(x) + x**0.5 + abs(-x)), [1.0, 2.0]),
}


@pytest.mark.parametrize("f, x", NUMBER_FUNCTIONS.values(), ids=NUMBER_FUNCTIONS)
def test_tiny_programs_are_numbers(f, x):
    x = np.array(x)
    assert numbers.suitable(tape_of(f, x))
    check(program, f, x)
    kernel = check(program, fg.value_and_grad(f), x)
    assert "with_numpy" in kernel.source or not numbers.suitable(tape_of(fg.value_and_grad(f), x))


@pytest.mark.parametrize(
    "f, x",
    [
        (lambda x: 1.0 / x, 0.0),
        (lambda x: fnp.log(x), 0.0),
        (lambda x: fnp.log(x), -1.0),
        (lambda x: fnp.sqrt(x), -1.0),
        (lambda x: fnp.exp(x), 1000.0),
        (lambda x: x**0.5, -2.0),
        (lambda x: x * x, 1e200),
        (lambda x: fnp.sin(x), math.inf),
        (lambda x: fnp.maximum(x, 1.0), math.nan),
        (lambda x: fnp.minimum(1.0, x), math.nan),
        (lambda x: fnp.where(x > 0, x, -x), math.nan),
    ],
)
def test_where_python_raises_numpy_answers_and_warns(f, x):
    x = np.float64(x)
    run = program(tape_of(f, x))
    for report in ("ignore", "raise"):
        with np.errstate(all=report):
            try:
                expected = np.asarray(f(fnp.asarray(x)))
            except FloatingPointError:
                with pytest.raises(FloatingPointError):
                    run(x)
            else:
                np.testing.assert_array_equal(run(x)[0], expected)


def test_signs_of_zero_stay():
    def f(x):
        return -x, x * 0.0, x + 0.0, fg.grad(lambda y: y[0] * -0.0)(fnp.stack([x, x]))

    x = np.float64(-0.0)
    for a, b in zip(program(tape_of(f, x))(x), f(fnp.asarray(x)), strict=True):
        np.testing.assert_array_equal(np.signbit(np.asarray(a)), np.signbit(np.asarray(b)))


def test_other_dtypes_and_large_arrays_are_not_numbers():
    f = NUMBER_FUNCTIONS["indices"][0]
    assert not numbers.suitable(tape_of(f, np.ones(4, "float32")))
    assert not numbers.suitable(tape_of(f, np.ones(4, complex)))
    assert not numbers.suitable(tape_of(f, np.ones(100)))


LARGE = np.random.default_rng(5).normal(size=(20000, 1))


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: fnp.sum(fnp.where(x > 0, x, fnp.ones((20000, 3)))), (LARGE,)),
        (lambda x: fnp.sum(fnp.where(x > 0, x, fnp.ones((20000, 3))), axis=1), (LARGE,)),
        (
            lambda r, m: (fnp.sum(fnp.where(r > 0, r, fnp.full((20000, 3), 2.0)), axis=0), fnp.exp(m)),
            (LARGE[:3, 0], np.broadcast_to(LARGE, (20000, 3))),
        ),
        (lambda x, z: fnp.sum(fnp.exp(x) * z) + fnp.sum(fnp.exp(x)), (LARGE, np.ones((20000, 0)))),
        (
            lambda x: fnp.sum(fnp.exp(x), (1, 2)).reshape(3, 1, 1) * fnp.full((5, 2), 0.5),
            (LARGE[:9996].reshape(3, -1, 2),),
        ),
    ],
)
def test_members_have_the_shape_of_their_equations(f, args):
    """Whoever makes them so wide: a constant that is one number everywhere, or nobody, for there are no elements."""
    found, expected = fg.tree.leaves(fg.jit(f)(*args)), fg.tree.leaves(f(*args))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_functions_of_any_name_are_called_in_a_program():
    def v0(r, x):  # a name that the program has for its first argument
        return 2.0 * r * x

    x = np.linspace(0.0, 1.0, 100)
    for double in (v0, lambda r, x: 2.0 * r * x):
        f = fg.jit(lambda x, double=double: fg.custom_derivatives.linear_call(double, double, x, fnp.sin(x)))
        np.testing.assert_allclose(f(x), 2.0 * x * np.sin(x))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: fnp.sum(fnp.tanh(x) * fnp.exp(y)),  # all elements
        lambda x, y: fnp.exp(fnp.sum(fnp.tanh(x) * fnp.exp(y), axis=1)),  # each row
        lambda x, y: fnp.exp(x - fnp.sum(fnp.sin(y) ** 2, axis=1, keepdims=True)),
        lambda x, y: fnp.sum((fnp.sin(x)[:, None, :4] - y[:7, :4]) * fnp.cos(x)[:, :7, None], axis=0),  # all rows
    ],
)
def test_sums_of_products_in_tiles(f, dtype):
    rng = np.random.default_rng(0)
    x, y = [rng.normal(size=(700, 64)).astype(dtype) for _ in range(2)]
    close = {"rtol": 1e-11 if dtype == "float64" else 1e-3, "atol": 1e-3 if dtype == "float32" else 1e-12}
    np.testing.assert_allclose(fg.jit(f)(x, y), f(x, y), **close)
    source = fg.jit(f, backend="numpy").source(x, y)
    assert "vecdot(" in source or "total_product(" in source
    for bad in (np.inf, np.nan):
        x[3, 2] = y[5, 3] = bad
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(fg.jit(f)(x, y), f(x, y), **close)


def test_what_another_group_computes_again_is_not_computed_here():
    def loss(w, v, x):
        h = x @ w
        return fnp.sum(fnp.square(0.5 * h * (1 + fnp.tanh(0.8 * (h + 0.04 * h * h * h))) @ v))

    rng = np.random.default_rng(0)
    args = rng.normal(size=(60, 80)), rng.normal(size=(80, 60)), rng.normal(size=(400, 60))
    source = fg.jit(fg.grad(loss)).source(*args)

    for text in source.split("def "):
        for name in re.findall(r"^ +(y\d+) = \w+\(.*b\d+\)$", text, re.M):
            assert len(re.findall(rf"\b{name}\b", text)) > 1, text


SMALL_MATRICES = {
    "inv": (fnp.linalg.inv, np.linalg.inv),
    "det": (fnp.linalg.det, np.linalg.det),
    "slogdet": (lambda a: fnp.linalg.slogdet(a)[1], lambda a: np.linalg.slogdet(a)[1]),
    "solve a vector": (lambda a: fnp.linalg.solve(a, a[0]), lambda a: np.linalg.solve(a, a[0])),
    "solve a matrix": (lambda a: fnp.linalg.solve(a, a.T), lambda a: np.linalg.solve(a, a.T)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.complex64])
@pytest.mark.parametrize("name", SMALL_MATRICES)
def test_functions_of_one_matrix_are_those_of_numpy(name, dtype):
    f, expected = SMALL_MATRICES[name]
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3)).astype(dtype)
    if a.dtype.kind == "c":
        a += 1j * rng.normal(size=(3, 3)).astype(dtype)
    for x in (a, a.T, a[::-1]):
        found = fg.jit(f)(x)
        np.testing.assert_array_equal(found, expected(x))
        assert found.dtype == expected(x).dtype
    a[1, 1] = np.nan
    with np.errstate(invalid="ignore"):  # NumPy warns in det and slogdet
        np.testing.assert_array_equal(fg.jit(f)(a), expected(a))


@pytest.mark.parametrize("name", SMALL_MATRICES)
def test_functions_of_a_singular_matrix_do_what_numpy_s_do(name):
    f, expected = SMALL_MATRICES[name]
    a = np.ones((2, 2))
    if name in ("det", "slogdet"):
        np.testing.assert_array_equal(fg.jit(f)(a), expected(a))
    else:
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            fg.jit(f)(a)


@pytest.mark.parametrize("shift", [0, 1, -1, 3, 7, -12])
@pytest.mark.parametrize(
    ("shape", "axis"), [((5,), 0), ((3, 4), 0), ((3, 4), 1), ((3, 4), None), ((2, 3, 4), -2), ((0,), 0)]
)
def test_small_arrays_are_shifted_round_as_numpy_does(shape, axis, shift):
    x = np.random.default_rng(0).normal(size=shape)
    for a in (x, x.T if axis is None else x[::-1]):
        np.testing.assert_array_equal(
            arrays_program(fg.jit(lambda a: fnp.roll(a, shift, axis)).lower(a))(a)[0], np.roll(a, shift, axis)
        )


@pytest.mark.parametrize("shape", [(50,), (50, 3)])
@pytest.mark.parametrize("known", [False, True])
def test_rows_that_are_read_by_their_numbers(shape, known):
    """Many rows are read by take, whatever the array looks like in memory, and what is read may be written over."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(-50, 50, (40, 30))
    w = rng.normal(size=(40, 30, *shape[1:]))

    def f(x, n):
        return fnp.sum(w * x[numbers if known else n])

    kernel = fg.jit(fg.value_and_grad(f), backend="numpy")
    for x in (rng.normal(size=shape), rng.normal(size=shape[::-1]).T, rng.normal(size=(100, *shape[1:]))[::2]):
        before = x.copy()
        value, gradient = kernel(x, numbers)
        expected = np.zeros(shape)
        np.add.at(expected, numbers, w)
        np.testing.assert_allclose(value, np.sum(w * x[numbers]), rtol=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-12)
        np.testing.assert_array_equal(x, before)
    assert ".take(" in kernel.source(x, numbers)
    if not known:
        with pytest.raises(IndexError, match="out of bounds"):
            kernel(x, numbers + 1)
        for kind in ("uint8", "int32", "uint64"):
            np.testing.assert_allclose(kernel(x, (numbers % 50).astype(kind))[0], np.sum(w * x[numbers]), rtol=1e-12)
    few = fg.jit(lambda x, n: x[n], backend="numpy")
    assert ".take(" not in few.source(x, numbers[0, :2])
    np.testing.assert_array_equal(few(x, numbers[0, :2]), x[numbers[0, :2]])


PARTS = {
    "slices": lambda u: u[2:] - 2 * u[1:-1] + u[:-2],
    "numbers": lambda u: u[0] * u[-1] + fnp.sum(u[1:3]),
    "steps": lambda u: fnp.sum(u[::2] * u[::2]) - u[::-1] * u,
    "a number and slices": lambda u: u[..., 0] * u[None, :, 1][0],
    "arrays": lambda u: u[np.array([0, 0, 2])] * u[1:4],
    "masks": lambda u: u[np.arange(5) % 2 == 0] * u[1:4],
}


@pytest.mark.parametrize("shape", [(5,), (5, 5)])
@pytest.mark.parametrize("name", PARTS)
def test_sums_of_parts(name, shape):
    if len(shape) == 1 and name == "a number and slices":
        return
    x = np.random.default_rng(0).normal(size=shape)
    g = fg.grad(lambda u: fnp.sum(fnp.sin(PARTS[name](u))))
    np.testing.assert_allclose(arrays_program(fg.jit(g).lower(x))(x)[0], g(x), rtol=1e-13)


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (np.s_[1:-1], np.ones((3, 5))),
        (np.s_[1:-1, 2], 0.5),
        (np.s_[0], np.ones(5)),
        (np.s_[0, 1], 2.0),
        (np.s_[..., None, 1], np.ones((5, 1))),
        (np.array([0, 0, 3]), np.ones((3, 5))),
    ],
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_additions_in_a_loop_to_a_part_of_the_carry(index, value, dtype):
    x = np.arange(25).reshape(5, 5).astype(dtype)

    def f(x, v):
        return fg.lax.scan(lambda c, _: (c.at[index].add(v), None), x, None, length=3)[0]

    v = np.asarray(value, dtype)
    expected = x.copy()
    for _ in range(3):
        np.add.at(expected, index, v)
    found = fg.jit(f)(x, v)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == dtype


def test_the_terms_of_a_loss_wait_for_each_other_and_not_its_derivative():
    """The first term stays open while the second is computed, so its derivative is a member of the same group."""
    x, y = np.random.default_rng(0).normal(size=(2, 300, 400))

    def f(x, y):
        return fnp.mean(fnp.sin(x) ** 2) + 0.1 * fnp.mean(fnp.exp(y[1:, :300]) ** 2)

    tape = simplified(inline(fg.make_tape(fg.value_and_grad(f, (0, 1)))(x, y)))
    plan = alone(tape)
    assert [len(g.reductions) for g in plan if isinstance(g, Group)] == [1, 1]
    check(program, fg.value_and_grad(f, (0, 1)), x, y)


@pytest.mark.parametrize("seed", range(30))
def test_numbers_that_wait_for_several_groups(seed):
    """Sums of arrays of several shapes, numbers computed of them, and arrays computed of those."""

    def f(*xs):
        rng = np.random.default_rng(seed)
        arrays, numbers_ = list(xs), [fnp.sum(xs[0])]
        for _ in range(12):
            a, b = arrays[rng.integers(len(arrays))], numbers_[rng.integers(len(numbers_))]
            kind = rng.integers(4)
            if kind == 0:
                numbers_.append(fnp.sum(fnp.tanh(a)))
            elif kind == 1:
                numbers_.append(0.1 * b - fnp.sin(numbers_[rng.integers(len(numbers_))]))
            elif kind == 2:
                arrays.append(fnp.cos(a) + fnp.tanh(b))
            else:
                arrays.append(fnp.sin(a) * 0.5)
        return (*numbers_, *[fnp.sum(a, axis=0) for a in arrays])

    rng = np.random.default_rng(1)
    args = [rng.normal(size=s) for s in ((150, 120), (120, 150), (20000,))]
    found = fg.jit(f, backend="numpy")(*args)
    for a, b in zip(found, f(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_a_roll_all_the_way_round_is_no_other_name_for_a_buffer():
    x = np.random.default_rng(3).normal(size=(12_000, 2))
    found = fg.jit(lambda x: fnp.roll(x * 2, 2, -1) + fnp.roll(x, -1, -1) * x)(x)
    np.testing.assert_array_equal(found, x * 2 + np.roll(x, -1, -1) * x)


def test_what_a_group_computes_again_is_not_rolled_in_it():
    """e is cheap to compute again, which the group of h does; its roll reads other rows than those of a tile."""

    def f(xp, x):
        e = x * xp.max(x, axis=0, keepdims=True)
        h = e * xp.max(e, axis=0, keepdims=True)
        return h / (h * h + 1), xp.sum(h), e * xp.roll(e, 4, 0)

    x = np.random.default_rng(4).normal(size=200_000)
    for found, expected in zip(fg.jit(lambda x: f(fnp, x))(x), f(np, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_large_sum_of_parts_is_formed_some_rows_at_a_time(monkeypatch):
    monkeypatch.setattr(parts, "_MUCH", 1)
    monkeypatch.setattr(parts, "_TOGETHER", 700)

    def loss(x):
        inner = x[2:, 1:-1] * x[:-2, 1:-1] - x[1:-1, 2:] * x[1:-1, :-2]
        return fnp.sum(inner * inner) + fnp.sum(fnp.sin(x[20:60, 3:4]) * x[40:80]) + fnp.sum(x[5:5] ** 2)

    x = np.random.default_rng(0).normal(size=(90, 30))
    check(arrays_program, fg.grad(loss), x)
    check(arrays_program, fg.grad(lambda x: loss(x) + fnp.sum(x[::3] ** 2) + fnp.sum(x[4] ** 2)), x)

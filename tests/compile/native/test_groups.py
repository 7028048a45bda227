"""Groups in machine code give what NumPy's tiles give."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import nn
from funcgrad.compile.native import layout, plans
from funcgrad.compile.native import target as native
from funcgrad.compile.native.llvm import target
from funcgrad.compile.numpy_backend.threads import pool

RNG = np.random.default_rng(0)


@pytest.fixture
def taken(monkeypatch):
    """For each group that the target was asked for, whether it took it."""
    found = []

    def part(*args):
        made = original(*args)
        found.append(made is not None)
        return made

    original = native.group_part
    monkeypatch.setattr(native, "group_part", part)
    monkeypatch.setattr(plans, "MOST", 0)  # no program is one function, or a few
    return found


def check(f, *args, rtol=2e-13, atol=1e-13):
    found, expected = [fg.tree.leaves(fg.jit(f, backend=b)(*args)) for b in ("native", "numpy")]
    for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol * np.max(np.abs(b[np.isfinite(b)]), initial=1))


def rational(x, y):
    return x * y / (y * y + 1) - x


def flat(x):
    y = rational(x, x + 1)
    return y, fnp.sum(y), fnp.max(y), fnp.min(x * 2)


@pytest.mark.parametrize("size", [16384, *range(16384 + 7, 16384 + 10), 32768 + 15, 140001])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_tails_are_neither_left_out_nor_written_beyond(size, dtype, taken):
    loose = dtype == "float32"
    check(flat, RNG.normal(size=size).astype(dtype), rtol=1e-4 if loose else 2e-13, atol=1e-5 if loose else 1e-13)
    assert taken == [True]


def waves(x, y):
    turned = x * fnp.conj(y)
    real = turned.real * abs(x)
    rows = fnp.sum(turned, -1, keepdims=True)
    return (
        x / (y * y + 2),
        real,
        fnp.sum(turned),
        fnp.where(real > 0, x, 2j * y),
        rows,
        fnp.sum(turned.imag, 0),
        real * y,
    )


@pytest.mark.parametrize("shape", [(200, 101), (5003, 4), (3, 7001)])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_numbers(shape, dtype, taken):
    x, y = [(RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype) for _ in range(2)]
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if dtype == "complex64" else {}
    check(waves, x, y, **tolerance)
    check(fg.grad(lambda x, y: fnp.sum(abs(x * y) ** 2 + (x - y).real)), x, y, **tolerance)
    assert all(taken)
    assert len(taken) >= 2


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "int64", "bool"])
def test_integers_and_truth_values_are_exact(dtype, taken):
    x = RNG.integers(0, 2 if dtype == "bool" else 9, 20001).astype(dtype)
    check(lambda x: (x == 1, fnp.sum(x & x), fnp.max(x | x), fnp.sum((x == 0).astype(dtype))), x, rtol=0, atol=0)
    assert taken == [True]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0])
def test_special_values(value, taken):
    x = RNG.normal(size=20001)
    x[-3] = value
    with np.errstate(all="ignore"):
        check(lambda x: (fnp.sum(x * 1.5), fnp.max(x * 2), fnp.min(x * 2), x + 1), x)
    assert taken == [True]


def shares(x):
    e = rational(x, x) ** 2 + 1 + fnp.max(x, -1, keepdims=True) - x
    return e / fnp.sum(e, -1, keepdims=True)


PROGRAMS = {
    "rows beside": lambda x: (x * x[0] + 1, fnp.sum(x * x[1] * x, 0), fnp.sum(x * x[2])),
    "columns beside": lambda x: (x * x[:, :1] + 1, fnp.sum(x * x[:, :1] * x, 0)),
    "reductions in rows": lambda x: (shares(x), fnp.sum(shares(x) * x, 0), fnp.sum(shares(x) * x)),
    "extrema over rows": lambda x: (fnp.max(x * 2, 0), fnp.min(x * 3, 0), fnp.max(x * 4)),
    "softmax": lambda x: (nn.softmax(x * 2, axis=1), fnp.sum(nn.log_softmax(x * 3, axis=1) * x, 0)),
    "logsumexp": lambda x: (
        fnp.logsumexp(x * 2, axis=1, keepdims=True),
        fnp.sum(fnp.logsumexp(fnp.where(x > 9, x, -fnp.inf), axis=1)),
        fnp.logsumexp(fnp.where(x > 1, fnp.inf, x), axis=1),
    ),
    "within rows": lambda x: fnp.sum(fnp.transpose((x * 2).reshape(len(x), -1, 2), (0, 2, 1)) * 3, 1),
}


@pytest.mark.parametrize("width", [2, 10, 16, 38, 130])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_rows(name, width, taken):
    check(PROGRAMS[name], RNG.normal(size=(20001 // width + 40, width)))
    if name != "within rows":
        assert taken and all(taken)


def mixture(x, m):
    q = fnp.sum((x[:, None, :] - m) ** 2, -1)
    return fnp.sum(fnp.min(q, 1))


@pytest.mark.parametrize("shape", [(1001, 10), (500, 40)])
def test_distances_and_their_gradients(shape, taken):
    check(fg.value_and_grad(mixture, argnums=(0, 1)), RNG.normal(size=shape), RNG.normal(size=(25, shape[1])))
    assert taken and all(taken)


def test_rows_of_another_shape_read_operands_without_rows(taken):
    def f(x, b, c):
        return fnp.sum(fnp.tanh(fnp.reshape(x * 2 + b, (4096, 4, 3))) * c, axis=2)

    check(f, RNG.normal(size=(4096, 3, 4)), RNG.normal(size=(3, 4)), RNG.normal(size=(4, 3)))
    assert taken == [True]


VIEWS = [lambda x: x[::-1], lambda x: x.T, lambda x: x[:, ::2], lambda x: np.broadcast_to(x[0], (400, 200))]


@pytest.mark.parametrize("view", VIEWS)
def test_operands_with_gaps_are_copied(view, taken):
    check(flat, view(RNG.normal(size=(300, 200))))
    assert taken == [True]


@pytest.mark.parametrize("shape", [(300_000,), (20_000, 30), (40_000, 10)])
def test_threads_change_no_bit(shape, monkeypatch):
    x = RNG.normal(size=shape)

    def f(x):
        return rational(x, x + 1), fnp.sum(x * x + x), fnp.sum(rational(x, x), 0)

    found = []
    for n in (1, 4):
        monkeypatch.setattr(pool, "size", n)
        found.append([np.asarray(a).tobytes() for a in fg.jit(f, backend="native")(x)])
    assert found[0] == found[1]


@pytest.mark.parametrize("shape", [(20_003,), (500, 50), (5001, 5), (300, 67)])
def test_the_width_of_registers_changes_no_bit(shape, monkeypatch):
    x, found = RNG.normal(size=shape), []
    for width in (16, 32, 64):
        if width <= target().bytes:
            monkeypatch.setattr(target(), "bytes", width)
            f = fg.jit(lambda x: (fnp.sum(x * x), fnp.sum(x * 2 + x, -1), fnp.sum(x * x + 1, 0)), backend="native")
            found.append([np.asarray(a).tobytes() for a in f(x)])
        monkeypatch.undo()
    assert len(set(map(tuple, found))) == 1


def test_what_has_no_machine_code_is_left_to_numpy(taken):
    check(lambda x: fnp.sum(fnp.real(x * fnp.log(x))), RNG.normal(size=20000) * (1 + 1j))
    assert taken and not any(taken)


OVER = {
    "elementwise": (lambda x, w: fnp.tanh(x @ w + 1) * 2, 1),
    "softmax": (lambda x, w: nn.softmax(x @ w * 0.5, axis=1), 1),
    "read by a later nest": (lambda x, w: centred(fnp.exp((t := x @ w) * 0.1), t), 1),
    "read in another order": (
        lambda x, w: (t := x @ w) * 2 + fnp.transpose(t.reshape(-1, 4, 4), (0, 2, 1)).reshape(t.shape),
        0,
    ),
    "rolled": (lambda x, w: fnp.roll(x @ w, 1, 0) * 2, 0),
    "one number in a row": (lambda x, w: fnp.sin(x @ w[:, 0]) * 2, 1),
    "the caller's": (lambda x, w: x * 2 + 1, 0),
}


def centred(e, t):
    """e first, then what needs a sum of its rows and t once more."""
    return e * 3, t * fnp.sum(e, axis=1, keepdims=True)


@pytest.mark.parametrize("rows", [66000, 70001])
@pytest.mark.parametrize("name", list(OVER))
def test_results_are_written_over_operands_that_nobody_reads_any_more(name, rows, monkeypatch):
    def part(*args):
        made = original(*args)
        taken.append(len(made.taken))
        return made

    taken, original = [], native.group_part
    monkeypatch.setattr(native, "group_part", part)
    f, count = OVER[name]
    x, w = RNG.normal(size=(rows, 24)), RNG.normal(size=(24, 16))
    given = x.copy(), w.copy()
    check(f, x, w)
    assert (x == given[0]).all() and (w == given[1]).all()
    assert taken and sum(taken) == count


COLUMNS = {
    "sums and extrema": lambda x: (fnp.sum(x, 0), fnp.max(x, 0), fnp.min(x, 0, keepdims=True), x + 1),
    "several axes": lambda x: (fnp.sum(x.reshape(-1, 5, 4, 3), (0, 1)), x + 1),
    "of a transposed array": lambda x: (fnp.sum(x.T, 0), x + 1),
    "mean and variance": lambda x: (fnp.mean(x, 0), fnp.var(x, 0, ddof=1), fnp.std(x, 0)),
    "normed": lambda x: (x - fnp.mean(x, 0)) / fnp.std(x, 0),
    "rows": lambda x: fnp.var(x, 1, keepdims=True),
}


@pytest.mark.parametrize("name", list(COLUMNS))
def test_arrays_that_are_there_are_summed_up(name, taken):
    x = RNG.normal(size=(700, 60))
    check(COLUMNS[name], x)
    assert taken and all(taken)
    np.testing.assert_allclose(fg.jit(lambda x: fnp.var(x, 0, ddof=1), backend="native")(x), np.var(x, 0, ddof=1))


ROLLS = {
    "along rows": lambda x: fnp.roll(x, 1, 0) * x - fnp.roll(x, -3, 0),
    "within rows": lambda x: fnp.roll(x * 2, 2, -1) + fnp.roll(x, -1, -1) * x,
    "sums": lambda x: (
        fnp.sum(fnp.roll(x, 5, 0) * x, 0),
        fnp.sum(fnp.roll(x, 1, -1) * x),
        fnp.sum(fnp.roll(x, 7, 0), 0),
    ),
    "of a kept value": lambda x: fnp.roll(y := x - fnp.sum(x, -1, keepdims=True), 1, -1) * y,
    "in the middle": lambda x: fnp.roll(fnp.exp(x), 1, x.ndim - 2) * fnp.roll(x, x.shape[0] // 2, 0),
    "of truth values": lambda x: fnp.roll(x > 0, 1, 0) & fnp.roll(x > 0, -1, -1),
}


# What lies elsewhere in a row is read by what is computed of an operand that has been given up.
ELSEWHERE = {
    "rolled": lambda x: fnp.roll(fnp.sin(x) * x, -2, 1),
    "turned": lambda x: fnp.transpose(fnp.sin(fnp.reshape(x, (-1, 10, 10))) * 2, (0, 2, 1)).reshape(x.shape),
}


@pytest.mark.parametrize("name", list(ELSEWHERE))
def test_a_result_is_not_written_over_what_is_still_to_be_read(name, taken):
    f, x = ELSEWHERE[name], fnp.asarray(RNG.normal(size=(200, 20, 5)))
    places = (slice(None, None, 2), np.array([1, 3]), 1)
    check(lambda x: f(x.at[places].add(1.0)), x)
    assert any(taken)


@pytest.mark.parametrize("shape", [(20_003,), (16_384,), (700, 50), (300, 64), (60, 20, 17), (4000, 3, 2)])
@pytest.mark.parametrize("name", list(ROLLS))
def test_rolled_arrays(name, shape, taken, monkeypatch):
    x, found = RNG.normal(size=shape), []
    check(ROLLS[name], x)
    assert taken and all(taken)
    for width, threads in ((16, 1), (32, 3)):
        monkeypatch.setattr(target(), "bytes", width)
        monkeypatch.setattr(pool, "size", threads)
        found.append([np.asarray(a).tobytes() for a in fg.tree.leaves(fg.jit(ROLLS[name], backend="native")(x))])
    assert found[0] == found[1]


def test_a_step_of_the_heat_equation_and_its_gradient(taken):
    def heat(u):
        for axis in (0, 1):
            u = u + 0.1 * (fnp.roll(u, 1, axis) + fnp.roll(u, -1, axis) - 2 * u)
        return fnp.sum(u * u)

    check(fg.value_and_grad(heat), RNG.normal(size=(150, 130)))
    assert taken and all(taken)


@pytest.mark.parametrize(
    ("f", "shape", "across"),
    [
        (lambda x: nn.softmax(x * 2, axis=1), (10_000, 10), True),
        (lambda x: nn.softmax(x * 2, axis=1), (10_000, 16), False),
        (lambda x: x * x + 1, (10_000, 10), False),
        (fg.grad(lambda m: mixture(np.ones((1001, 10)), m)), (25, 10), True),
    ],
)
def test_lanes_are_rows_where_that_costs_less(f, shape, across, monkeypatch):
    def asked(*args):
        answers.append(original(*args))
        return answers[-1]

    answers, original = [], layout.rows_are_lanes
    monkeypatch.setattr(layout, "rows_are_lanes", asked)
    fg.jit(lambda x: f(x), backend="native")(RNG.normal(size=shape))
    assert across in answers

"""Operations that are steps of programs of arrays by themselves: on the samples of their records, and in loops."""

import functools
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.linalg
from funcgrad.compile.native.blas import blas
from funcgrad.compile.native.llvm import missing
from funcgrad.core.primitive import registry
from funcgrad.ops import reduce
from funcgrad.testing import samples

sys.path.append(str(Path(__file__).parents[1]))
from array_operands import of_arrays

sys.path.append(str(Path(__file__).parent))
from whole_programs import check, whole

pytestmark = pytest.mark.skipif(bool(missing()) or blas() is None, reason=missing() or "NumPy's BLAS is not found")
RNG = np.random.default_rng(5)
MANY = RNG.normal(size=(2, 20))  # too many for a program of numbers
PRIMITIVES = {
    "getitem": "fdFD",
    "gather": "fdFD",
    "scatter_add": "fdFD",
    "index_set": "fdFD",
    "index_add": "fdFD",
    "take_along_axis": "fdFD",
    "pick_along_axis": "fdFD",
    "scatter_along_axis": "fdFD",
    "argmax": "fd",
    "argmin": "fd",
    "sort": "fd",
    "argsort": "fd",
    "tril": "fdFD",
    "triu": "fdFD",
    "embed_diagonal": "fdFD",
    "einsum": "fdFD",
    "cumsum": "fdFD",
    "cumprod": "fdFD",
    "recurrence": "fdFD",
    "shift": "fdFD",
    "searchsorted": "fd",
    "solve": "fdFD",
    "inv": "fdFD",
    "slogdet": "fd",
    "det": "fd",
    "cholesky": "fd",
    "inv_lower": "fd",
    "eigh": "fd",
    "eigvalsh": "fd",
    "triangular_solve": "fd",
    "index_min": "fd",
    "bincount": "d",
    "index_max": "fd",
    "dot": "dD",
    "matvec": "fdFD",
    "vecmat": "fd",
    "convolve": "fdFD",
    "norm": "fd",
    "difference": "fdFD",
    "reduce_prod": "fdFD",
}


check = functools.partial(check, rtol=1e-12)


@pytest.mark.parametrize("name, code", [(name, code) for name, codes in PRIMITIVES.items() for code in codes])
def test_every_sample(name, code):
    (primitive,) = [p for p in registry.values() if p.name == name]
    parts = [of_arrays(primitive, s) for s in samples(primitive, code)]
    parts = [(f, args) for f, args in parts if all(math.prod(np.shape(a)) for a in (*args, *fg.tree.leaves(f(*args))))]
    assert parts

    def every(many, *args):
        given = iter(args)
        return [f(*[next(given) for _ in xs]) for f, xs in parts], many * many

    check(every, MANY, *[a for _, xs in parts for a in xs], rtol=1e-11 if code in "dD" else 1e-4)


def test_the_scores_of_labels():
    """Cross entropy: of the two arrays that are an index one is a constant."""
    labels = np.array([2, 0, 4, 4, 1, 3])

    def loss(w, x, labels):
        s = fnp.tanh(x @ w)
        return fnp.mean(fg.nn.logsumexp(s, axis=1) - s[np.arange(6), labels])

    check(fg.value_and_grad(loss), RNG.normal(size=(3, 5)), RNG.normal(size=(6, 3)), labels)


def changing(order):
    """A loop whose step changes a long array in places; before or after that, others read it."""

    def step(c, row):
        y, total = c
        i, v = row
        old = fnp.sum(y[i : i + 1] if isinstance(i, int) else y[i]) + y[::-1][3]
        if order == "view":
            y = y.at[1:4].add(y[2:5] * 0.5)
        before = y * 1.0
        y = y.at[i].set(v).at[i].add(y[i] if order == "read" else total)
        if order == "late":
            total = total + before[5]
        return (y, total * 0.5 + old), (y[:3], before[0] if order == "late" else total)

    def f(y, rows, v):
        return fg.lax.scan(step, (y, 0.0), (rows, v))

    return f


@pytest.mark.parametrize("order", ["plain", "read", "late", "view"])
def test_loops_change_arrays_where_they_are_or_copy_them(order):
    args = RNG.normal(size=50), np.array([3, -1, 3, 48]), RNG.normal(size=4)
    check(changing(order), *args)
    check(fg.grad(lambda y, v: fnp.sum(changing(order)(y, args[1], v)[0][0] ** 2), (0, 1)), args[0], args[2])


def test_a_step_that_changes_a_carry_copies_nothing():
    def f(y, rows):
        return fg.lax.scan(lambda y, i: (y.at[i].add(1.0), None), y, rows)[0]

    source = whole(f, np.zeros(50), np.arange(6)).source(np.zeros(50), np.arange(6))
    assert source.count("call void @copy") == 2  # into the carry, and out of it
    y = np.zeros(50)
    assert fnp.sum(fg.jit(f, backend="native")(y, np.array([2, 2, -1]))) == 3.0
    assert not y.any()


def test_carries_that_swap_or_stay():
    def f(x, y, rows):
        def step(c, i):
            a, b, fixed = c
            return (b.at[i].set(a[i]), a, fixed), fixed[i]

        return fg.lax.scan(step, (x, y, x + y), rows)

    check(f, RNG.normal(size=40), RNG.normal(size=40), np.array([0, 5, 39]))


@pytest.mark.parametrize("wrong", [40, -41, 2**40])
def test_numbers_out_of_bounds_are_an_error(wrong):
    def f(x, i):
        return x[i], x.at[i].add(1.0)

    jitted = whole(f, MANY.reshape(-1), np.array([3, -40]))
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        jitted(MANY.reshape(-1), np.array([3, wrong]))


def test_negative_numbers_are_of_no_bin():
    jitted = whole(lambda x: reduce.bincount(x, MANY.reshape(-1), length=40), np.arange(40))
    np.testing.assert_array_equal(jitted(np.arange(40)[::-1]), MANY.reshape(-1)[::-1])
    with pytest.raises(ValueError, match="negative"):
        jitted(np.full(40, -1))


def test_programs_with_tables():
    """A table between its nodes, messages in a graph, and charges on a grid."""

    def table(y, x):
        i = fnp.clip(fnp.floor(x * 8).astype(int), 0, 18)
        w = x * 8 - i
        return fnp.sum(y[i] * (1 - w) + y[i + 1] * w)

    ends = RNG.integers(0, 12, (2, 40))

    def messages(w, h):
        for _ in range(2):
            h = h + fg.ops.segment_sum(fnp.tanh(h[ends[0]] @ w + h[ends[1]]), ends[1], 12)
        return fnp.sum(h * h)

    def charges(x, v):
        i = fnp.floor(x).astype(int) % 16
        rho = fnp.zeros(16).at[i].add(1 - (x - i)).at[(i + 1) % 16].add(x - i)
        return fnp.sum((v + (fnp.roll(rho, 1) - fnp.roll(rho, -1))[i]) ** 2)

    check(fg.value_and_grad(table, (0, 1)), RNG.normal(size=20), RNG.uniform(0, 2, 50))
    check(fg.value_and_grad(messages, (0, 1)), RNG.normal(size=(6, 6)), RNG.normal(size=(12, 6)))
    check(fg.value_and_grad(charges, (0, 1)), RNG.uniform(0, 16, 60), RNG.normal(size=60))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_order_of_equal_elements_and_of_nan(dtype):
    x = RNG.integers(0, 5, (3, 40)).astype(dtype)
    if x.dtype.kind == "f":
        x[0, [3, 7]], x[1, [0, 39]], x[2, [1, 2]] = np.nan, -np.inf, np.inf
    a, v = np.sort(x[0]), x[1]

    def f(x, a, v):
        places = [fnp.searchsorted(a, v, side) for side in ("left", "right")]
        orders = [fnp.argsort(x, axis=k, stable=True) for k in (0, 1)]
        return fnp.sort(x), orders, [g(x, axis=k) for g in (fnp.argmax, fnp.argmin) for k in (None, 0, 1)], places

    compiled = whole(f, x, a, v)
    for found, expected in zip(*[fg.tree.leaves(g(x, a, v)) for g in (compiled, f)], strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
    if x.dtype.kind == "f":  # what is not finite was computed with NumPy
        orders = fg.jit(lambda *xs: f(*xs)[1:], backend="native")
        for found, expected in zip(*[fg.tree.leaves(g) for g in (orders(x, a, v), f(x, a, v)[1:])], strict=True):
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_matrices_without_a_factor_or_an_inverse():
    positive, diagonal = np.eye(7) * 2.0, np.diag([1.0, 2, 3, 0, 4, 5, 6])
    f = whole(lambda a: fnp.log(fnp.diagonal(fnp.linalg.cholesky(a))), positive)
    np.testing.assert_allclose(f(positive), np.log(2) / 2 * np.ones(7), rtol=1e-15)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        f(-positive)
    # the derivative of the determinant of a singular matrix is there all the same
    slope = whole(fg.value_and_grad(fnp.linalg.det), positive)
    np.testing.assert_allclose(slope(diagonal)[1][3, 3], 720.0, rtol=1e-12)
    assert slope(diagonal)[0] == 0.0


@pytest.mark.parametrize("n", [7, 40])
def test_derivatives_of_likelihoods(n):
    x, y = RNG.normal(size=(n, 2)), RNG.normal(size=n)

    def process(scale, noise):
        k = fnp.exp(-0.5 * fnp.sum((x[:, None] - x) ** 2, axis=2) * scale) + noise * np.eye(n)
        lower = fnp.linalg.cholesky(k)
        return y @ fnp.linalg.solve(k, y) / 2 + fnp.sum(fnp.log(fnp.diagonal(lower)))

    def spread(w):
        values, vectors = fnp.linalg.eigh(fnp.einsum("ij,ik->jk", x * w, x * w))
        return values[-1] - fnp.log(values[0]) + fnp.sum(vectors[:, -1] ** 4)

    check(fg.value_and_grad(process, (0, 1)), 0.7, 0.3, rtol=1e-9)
    check(fg.value_and_grad(lambda w, m: spread(w) + fnp.sum(m * m), (0, 1)), np.array([0.5, 2.0]), MANY, rtol=1e-9)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.at[1, 0:-1:-2].add(0.5),
        lambda x: x.at[fnp.array([1, 0]), 3:3].set(2.0) + 1,
        lambda x: (x[[1, 0], 3:3] * 2, fnp.cumsum(x[:0], 0)),
    ],
    ids=["slices", "numbers", "read"],
)
def test_parts_without_elements(f):
    x = fnp.asarray(MANY)
    for a, b in zip(fg.tree.leaves(fg.jit(f, backend="native")(x)), fg.tree.leaves(f(x)), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def test_what_numpy_computes_in_half_precision_is_left_to_it():
    found = fg.jit(lambda m: (fnp.signbit(m > 0), m * m), backend="native")(MANY)[0]
    assert not np.any(found)


def test_extrema_of_segments_and_triangles():
    ids = RNG.integers(0, 5, 40)

    def f(x, lower, b):
        least, greatest = [g(x, ids, 6) for g in (fg.ops.segment_min, fg.ops.segment_max)]
        first = fg.scipy.linalg.solve_triangular(lower, b, lower=True)
        return fnp.sum(greatest[:5] * least[:5]) + first @ fg.scipy.linalg.cho_solve((lower, True), b)

    lower = np.tril(RNG.normal(size=(7, 7))) + 3 * np.eye(7)
    check(fg.value_and_grad(f, (0, 1, 2)), RNG.normal(size=40), lower, RNG.normal(size=7), rtol=1e-10)

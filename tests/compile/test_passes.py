"""Each pass keeps the values of a program: on the samples of every primitive, and on random programs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import PASSES, simplified
from funcgrad.compile.passes.accumulations import BLOCK, accumulations
from funcgrad.compile.passes.products import products
from funcgrad.compile.passes.scatters import scatters
from funcgrad.core.primitive import registry
from funcgrad.testing import samples
from funcgrad.testing.samples import as_function

EVERY = (*PASSES, accumulations, scatters, simplified)
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.3, 2.0]


def values(tape, args):
    with np.errstate(all="ignore"):
        return [np.asarray(o) for o in tape.run([fnp.asarray(a) for a in args])]


def assert_keeps(run, f, *args):
    """A pass gives a program with the same results: the same kinds, signs of zero and nans, numbers to rounding."""
    tape = inline(fg.make_tape(f)(*args))
    return assert_keeps_tape(run, tape, values(tape, args), args)


def assert_each_keeps(f, *args):
    """Each pass does, on a program that is recorded once."""
    tape = inline(fg.make_tape(f)(*args))
    expected = values(tape, args)
    for run in EVERY:
        try:
            assert_keeps_tape(run, tape, expected, args)
        except Exception as error:
            error.add_note(f"after the pass {run.__name__}")
            raise


def assert_keeps_tape(run, tape, expected, args):
    before = [str(e) for e in tape.equations]
    other = run(tape)
    assert [str(e) for e in tape.equations] == before, "the old tape was changed"
    if other is tape:
        return tape
    for a, b in zip(values(other, args), expected, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.kind in "fc":
            eps = np.finfo(a.dtype).eps
            np.testing.assert_allclose(a, b, rtol=20 * eps, atol=20 * eps)
            zero = b.real == 0
            np.testing.assert_array_equal(np.signbit(a.real)[zero], np.signbit(b.real)[zero])
        else:
            np.testing.assert_array_equal(a, b)
    return other


def names(tape):
    return [e.primitive.name for e in tape.equations]


@pytest.mark.parametrize("primitive", registry.values(), ids=lambda p: p.name)
def test_every_primitive_keeps_its_values(primitive):
    for code in primitive.dtypes:
        for sample in samples(primitive, code):
            f, args = as_function(primitive, sample)
            if args:
                assert_each_keeps(f, *args)


STEPS = [
    lambda x: x + 0.0,
    lambda x: x - 0.0,
    lambda x: x * 1.0,
    lambda x: x * -1.0,
    lambda x: x / 1.0,
    lambda x: -(-x),
    lambda x: x * x,
    lambda x: x**2,
    lambda x: 0.0 * x,
    lambda x: x + (-x),
    lambda x: x - (-x),
    lambda x: fnp.sin(x) + fnp.sin(x),
    lambda x: x.reshape(3, 3).T.T.reshape(9),
    lambda x: fnp.broadcast_to(x, (2, 9))[1] * fnp.broadcast_to(x[0], (9,)),
    lambda x: x + fnp.mean(x.reshape(3, 3), axis=0, keepdims=True).reshape(3)[1],
    lambda x: fnp.where(x > 0, x, fnp.zeros(9)),
    lambda x: x.astype("float32").astype(x.dtype),
    lambda x: x * fnp.full(9, 2.0) - fnp.ones(9),
    lambda x: 0.5 * -(x * 0.25 * fnp.exp(x)),
    lambda x: (x / 2.0) * x[:1] + x * -3.0,
    lambda x: x**3 - x**-3,
    lambda x: x * fnp.exp(x) * x + fnp.exp(x) * (x * x) - x * (-x * fnp.exp(x)),
    lambda x: (x.reshape(3, 3, 1) * fnp.ones((3, 3, 2)) @ fnp.ones((2, 3))).sum(axis=2).reshape(9),
]


@given(st.lists(st.sampled_from(STEPS), max_size=6), st.lists(st.sampled_from(SPECIAL), min_size=9, max_size=9))
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.filterwarnings("ignore")  # of NumPy, about infinities
def test_random_programs_with_infinities_nan_and_signed_zeros(dtype, steps, numbers):
    def f(x):
        for step in steps if dtype != "complex128" else [s for s in steps if s is not STEPS[16] and s is not STEPS[15]]:
            x = step(x)
        return x

    assert_each_keeps(f, np.array(numbers, dtype))


def test_integers_keep_their_values():
    assert_each_keeps(lambda n: (n * 1 + 0) // 2 - (-n) + n * n, np.array([3, -4, 0, 2**40]))


# What each pass is for.


@pytest.mark.parametrize(
    "f, left",
    [
        (lambda x: x * 1.0, []),
        (lambda x: x - 0.0, []),
        (lambda x: x + 0.0, ["add"]),  # which makes -0.0 positive
        (lambda x: 0.0 * x, ["multiply"]),  # which is nan for an infinity
        (lambda x: -(-x), []),
        (lambda x: x * fnp.ones(6), []),
        (lambda x: x * x, ["square"]),
        (lambda x: x.reshape(2, 3).T.T.reshape(6), []),
        (lambda x: fnp.cos(x) * fnp.cos(x), ["cos", "square"]),
        (lambda x: x**3, ["square", "multiply"]),
        (lambda x: x**5 + x**4, ["square", "square", "multiply", "add"]),
        (lambda x: x**-4, ["square", "square", "divide"]),
        (lambda x: x**9, ["power"]),
        (lambda x: -x * x, ["square", "negative"]),
        (lambda x: fg.grad(lambda y: fnp.sum(y * y * y))(x), ["square", "multiply"]),
        (
            lambda x: fnp.exp(x) * x * fnp.sin(x) + x * (fnp.sin(x) * fnp.exp(x)),
            ["exp", "multiply", "sin"] + 2 * ["multiply"],
        ),
        (lambda x: (x * 2.0) * fnp.exp(x) - x * fnp.exp(x), ["multiply", "exp"] + 2 * ["multiply"] + ["subtract"]),
        (lambda x: 0.5 + x * 3.0 * x + x, ["multiply", "multiply", "add", "add"]),
        (lambda x: x**2.5, ["power"]),
        (lambda x: 4.0 * -(0.1 * x), ["multiply"]),
        (lambda x: -(x[:1] * fnp.exp(x)) * 0.5, ["getitem", "exp", "multiply", "multiply"]),
        (lambda x: -fnp.exp(x) / 4 + fnp.exp(x), ["exp", "multiply", "add"]),
        (lambda x: (0.5 * x * fnp.sin(x)) * 2.0, ["sin", "multiply"]),
        (lambda x: 1e-300 * (1e300 * x), ["multiply", "multiply"]),  # which is infinite for 1e10
        (lambda x: 1e300 * (1e-300 * x), ["multiply", "multiply"]),
        (lambda x: x + fnp.exp(fnp.zeros(6)), ["add"]),
        (lambda x: fnp.broadcast_to(x[0], (6,)) * x, ["getitem", "multiply"]),
        (lambda x: x - fnp.mean(x), ["reduce_sum", "divide", "subtract"]),
        (lambda x: x.reshape(1, 2, 3) @ fnp.ones((3, 2)), ["reshape", "matmul", "reshape"]),
    ],
)
def test_what_is_left(f, left):
    x = np.linspace(-1, 1, 6)
    tape = assert_keeps(simplified, f, x)
    assert names(tape) == left


def test_a_constant_that_is_large_but_one_number_becomes_that_number():
    tape = assert_keeps(simplified, lambda x: x * fnp.asarray(np.full((200, 200), 2.0)), np.ones((200, 200)))
    assert [i for e in tape.equations for i in e.inputs if not hasattr(i, "plan")] == [2.0]
    single = assert_keeps(simplified, lambda x: x * fnp.full((200, 200), 2.0), np.ones((200, 200), "float32"))
    assert single.outputs[0].dtype == np.float64


def rnn(w, b, xs):
    h = fnp.zeros((2, 3))
    for t in range(12):
        h = fnp.tanh(xs[t] @ w + h @ w + b)
    return fnp.sum(h * h)


def test_the_gradient_of_a_loop_multiplies_by_blocks():
    rng = np.random.default_rng(0)
    args = 0.5 * rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(12, 2, 3))
    f = fg.grad(rnn, (0, 1))
    tape = assert_keeps(simplified, f, *args)
    before = inline(fg.make_tape(f)(*args))
    # Forward and back each step multiplies once; the inputs are one product together, and so are the contributions to
    # w, but for those that are left over by the last block.
    assert names(before).count("matmul") > 40
    assert names(tape).count("matmul") <= 12 + 12 + 2 + 24 % BLOCK


def test_rows_that_are_multiplied_backwards_are_in_order():
    w, xs = np.arange(9.0).reshape(3, 3), np.arange(60.0).reshape(10, 2, 3)

    def f(w, xs):
        return fnp.stack([xs[t] @ w for t in reversed(range(10))])

    tape = assert_keeps(accumulations, f, w, xs)
    assert names(tape).count("matmul") == 1


@pytest.mark.parametrize("terms", [7, 8, 20])
def test_sums_of_products_with_other_terms_between(terms):
    def f(a, b):
        total = fnp.zeros((3, 3))
        for k in range(terms):
            total = total + a[k] @ b[k]
        return total, total * 2

    rng = np.random.default_rng(1)
    assert_keeps(accumulations, f, rng.normal(size=(terms, 3, 2)), rng.normal(size=(terms, 2, 3)))


def test_a_product_that_is_only_read_transposed_lies_in_memory_as_it_is_read():
    def f(w, x):
        return fg.grad(lambda w: fnp.sum(fnp.sin(x @ w.T)))(w)

    w, x = np.random.default_rng(0).normal(size=(2, 4, 3))
    assert fg.jit(f)(w, x).flags.c_contiguous
    tape = assert_keeps(products, f, w, x)
    assert names(tape)[-1] == "matmul"
    tape = assert_keeps(products, lambda a, b: ((a.T @ b).T, a.T @ b + 1), w, x)
    assert names(tape).count("matmul") == 2
    both = simplified(inline(fg.make_tape(lambda a, b: ((p := a.T @ b).T, p + 1))(w, x)))
    assert names(both).count("matmul") == 1
    stack = np.random.default_rng(1).normal(size=(4, 5, 3))
    assert_keeps(products, lambda v, y: (v @ fnp.swapaxes(y, 1, 2)).T, w[0], stack)
    assert_keeps(products, lambda y, v: (fnp.swapaxes(y, 1, 2) @ v).T, stack, stack[0, :, 0])


def test_what_is_added_to_a_large_array_in_few_places_is_added_there():
    def f(x, i):
        return fg.grad(lambda x: x[i] * fnp.sin(x[i + 1]) + fnp.sum(x * x))(x)

    x = np.random.default_rng(0).normal(size=3000)
    tape = assert_keeps(scatters, f, x, 7)
    assert "index_add" in names(tape) and "scatter_along_axis" not in names(tape)
    small = assert_keeps(scatters, f, x[:20], 7)
    assert "index_add" not in names(small)


def test_gates_of_a_circuit_are_products_of_matrices():
    def energy(angles, state):
        for q in range(4):
            c, s = fnp.cos(angles[q]), fnp.sin(angles[q])
            gate = fnp.stack([fnp.stack([c, -s]), fnp.stack([s, c])]).astype(complex)
            state = fnp.moveaxis(fnp.tensordot(gate, state, ((1,), (q,))), 0, q)
            state = fnp.einsum("ab,xbyz->xayz", gate, state)
        return fnp.sum(fnp.abs(state) ** 2 * fnp.arange(16.0).reshape(2, 2, 2, 2))

    rng = np.random.default_rng(0)
    angles, state = rng.normal(size=4), rng.normal(size=(2, 2, 2, 2)) + 1j
    for bad in (1.0, np.nan, np.inf):
        state[0, 0, 1, 0] = bad
        with np.errstate(all="ignore"):
            expected = fg.value_and_grad(energy)(angles, state)
            found = fg.jit(fg.value_and_grad(energy))(angles, state)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    names = {e.primitive.name for e in fg.jit(fg.grad(energy)).lower(angles, state).equations}
    assert "matmul" in names and not names & {"einsum", "tensordot"}

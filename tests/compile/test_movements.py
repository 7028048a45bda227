"""What moves elements, in compiled programs: as few copies as there can be, and all elements in their places."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified

ITEMS = np.arange(48.0)


def assert_keeps(run, f, *args):
    """A pass gives a program with the same results to rounding, signs of zero included; that program."""
    with np.errstate(all="ignore"):
        other = run(inline(fg.make_tape(f)(*args)))
        found = other.run([fnp.asarray(a) for a in args])
        expected = f(*args)
    for x, y in zip(found, expected if type(expected) is tuple else (expected,), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12)
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(np.signbit(np.asarray(x).real), np.signbit(np.asarray(y).real))
    return other


def names(tape):
    return [e.primitive.name for e in tape.equations]


def chain(x, seed):
    """Takes x apart and moves its axes, three times: by how many axes, and in which order, is drawn."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        factors = rng.permutation([2, 2, 2, 2, 3, 1])
        cuts = np.sort(rng.choice(np.arange(1, 6), rng.integers(1, 5), replace=False))
        shape = [int(np.prod(part)) for part in np.split(factors, cuts)]
        x = x.reshape(shape).transpose([int(a) for a in rng.permutation(len(shape))])
    return x.reshape(48)


@pytest.mark.parametrize("seed", range(40))
def test_elements_that_are_moved_several_times_arrive_where_they_do_one_by_one(seed):
    tape = assert_keeps(simplified, lambda x: chain(x, seed), ITEMS)
    np.testing.assert_array_equal(np.asarray(fg.jit(lambda x: chain(x, seed))(ITEMS)), chain(ITEMS, seed))
    assert names(tape).count("transpose") <= 3


@pytest.mark.parametrize(
    "f, left",
    [
        (lambda x: x.reshape(2, 24).T.reshape(2, 12, 2).transpose(0, 2, 1).reshape(48), "reshape transpose reshape"),
        (lambda x: x.reshape((2,) * 4 + (3,)).transpose(1, 0, 2, 3, 4).reshape(48), "reshape transpose reshape"),
        (lambda x: x.reshape(2, 24).T.reshape(24, 2).T.reshape(48), ""),
        (lambda x: x.reshape(6, 8).T.reshape(8, 6).T.reshape(48), ""),
        (
            lambda x: x.reshape(6, 8).T.reshape(6, 8).T.reshape(48),
            "reshape transpose " * 2 + "reshape",
        ),
    ],
)
def test_what_is_left_of_movements(f, left):
    tape = assert_keeps(simplified, f, ITEMS)
    assert names(tape) == left.split()
    largest = max([len(e.shape) for e in tape.equations], default=0)
    assert largest <= 4


def test_a_copy_that_others_read_is_made_once():
    def f(x):
        copy = x.reshape(4, 12).T.reshape(48)
        return copy.reshape(2, 24).T.reshape(48) * copy

    tape = assert_keeps(simplified, f, ITEMS)
    assert names(tape).count("transpose") == 2


def test_a_gate_and_its_gradient_read_one_copy_of_the_state():
    def energy(gate, state):
        state = fnp.einsum("ab,lbr->lar", gate, state)
        return fnp.sum(fnp.sin(fnp.einsum("ab,lbr->lar", gate, state)))

    args = np.random.default_rng(0).normal(size=(2, 2)), np.random.default_rng(1).normal(size=(3, 2, 5))
    tape = assert_keeps(simplified, fg.grad(energy, (0, 1)), *args)
    copies = [e for e in tape.equations if e.primitive.name == "reshape" and e.inputs[0].plan is not None]
    read = [e.inputs[0].inputs[0] for e in copies if e.inputs[0].primitive.name == "transpose"]
    assert len(read) == len(set(read)), "something is copied twice"


@pytest.mark.parametrize(
    "subscripts", ["abc,cb->a", "abc,bd->acd", "xab,xcb->xac", "xab,xca->xbc", "ab,cb->ac", "ab,ba->"]
)
def test_contractions_whichever_axes_are_rows(subscripts):
    sizes = dict(zip("abcdx", (2, 3, 4, 5, 2), strict=True))
    shapes = [[sizes[a] for a in s] for s in subscripts.split("->")[0].split(",")]
    rng = np.random.default_rng(0)
    x, y = [rng.normal(size=s) + 1j * rng.normal(size=s) for s in shapes]
    found = fg.jit(lambda x, y: fnp.einsum(subscripts, x, y))(x, y)
    np.testing.assert_allclose(np.asarray(found), np.einsum(subscripts, x, y), rtol=1e-12, atol=1e-14)


def test_a_real_matrix_is_made_complex_once_for_all_its_products():
    def f(a, x):
        return a @ (a @ (a @ x))

    a, x = np.arange(4.0).reshape(2, 2), np.arange(6.0).reshape(2, 3) * 1j
    tape = assert_keeps(simplified, f, a, x)
    assert names(tape) == ["astype", "matmul", "matmul", "matmul"]
    single = assert_keeps(simplified, lambda a, x: a @ x, a, np.ones((2, 3), "float32"))
    assert single.outputs[0].dtype == np.float64


# Parts of a sum.

ROWS = np.array([[1.0, -0.0, np.nan], [np.inf, -0.0, 2.0]])


@pytest.mark.parametrize(
    "f, left",
    [
        (lambda x: fg.grad(lambda x: x[0] @ fnp.sin(x[1]))(x), "stack"),
        (lambda x: fg.grad(lambda x: fnp.sum(x[:, 0] * x[:, 2] * x[:, 1]))(x), "stack"),
        (lambda x: fg.grad(lambda x: fnp.sum(x[..., 0] * x[..., 2] * x[..., -2] * x[..., 0]))(x), "stack"),
        (lambda x: fg.grad(lambda x: x[0] @ fnp.sin(x[0]))(x), "scatter_add"),  # of one row nothing is known
        (lambda x: fg.grad(lambda x: x[0] @ x[1] + fnp.sum(fnp.sin(x[:, 1])))(x), "scatter_add"),
        (lambda x: fg.grad(lambda x: x[..., 0] @ x[0, :2])(x), "scatter_add"),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of NumPy, about infinities
def test_the_gradient_of_rows_is_their_stack(f, left):
    tape = assert_keeps(simplified, f, ROWS)
    assert {"stack", "scatter_add"} & set(names(tape)) == {left}
    np.testing.assert_array_equal(np.asarray(fg.jit(f)(ROWS)), np.asarray(f(ROWS)))


def test_what_goes_to_the_same_part_is_added_up_first():
    def f(x):
        return fg.grad(lambda x: fnp.sum(x[1:] * x[:-1] * fnp.sin(x[1:]) * fnp.exp(x[:-1])))(x)

    tape = assert_keeps(simplified, f, np.linspace(0, 1, 7))
    assert [len(e.inputs) for e in tape.equations if e.primitive.name == "scatter_add"] == [2]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_small_arrays_are_stacked_by_array(axis):
    f = fg.jit(lambda x, y: fnp.stack([fnp.sin(x), y, x * y], axis=axis))
    x, y = np.random.default_rng(0).normal(size=(2, 2, 3))
    found = np.asarray(f(x, y))
    np.testing.assert_array_equal(found, np.stack([np.sin(x), y, x * y], axis))
    assert found.flags.c_contiguous


@pytest.mark.parametrize(
    "shape, made, taken",
    [((2, 8, 2, 2), (2, 32), True), ((2, 8, 2, 32), (2, 512), True), ((2, 64, 2, 64), (2, -1), False)]
    + [((2, 256, 2, 4), (2, -1), True), ((2, 4, 2, 4), (2, 2, 2, 2, 4), False), ((40, 2, 40, 6), (40, -1), False)],
)
def test_small_copies_in_short_runs_are_read_by_number(shape, made, taken):
    x = np.random.default_rng(0).normal(size=shape) + 1j
    f = fg.jit(lambda x: fnp.sin(x).transpose(2, 1, 0, 3).reshape(made), backend="numpy")
    for a in (x, x[::-1], np.asfortranarray(x)):
        np.testing.assert_array_equal(f(a), np.sin(a).transpose(2, 1, 0, 3).reshape(made))
    assert (".take(" in f.source(x)) == taken


def test_steps_of_a_loop_keep_what_they_move():
    xs = np.random.default_rng(0).normal(size=(6, 3, 4))

    def step(c, x):
        moved = fnp.tanh(c @ x[:, :3]).T.reshape(3, 4)
        return moved.reshape(4, 3) * 0.5, moved

    def run(xs):
        return fg.lax.scan(step, fnp.ones((4, 3)), xs)

    for a, b in zip(fg.jit(run, backend="numpy")(xs), run(xs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)

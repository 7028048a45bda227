"""grad reads large arrays of the caller where they lie: nobody writes to them meanwhile, and nothing aliases them."""

import gc
import threading

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.transforms import loans
from funcgrad.transforms.loans import LARGE, Loans

N = LARGE // 8


@pytest.fixture
def x():
    found = np.linspace(0.1, 1.0, N)
    yield found
    assert not loans._lent, "everything was given back"


def gradients(f, x):
    """What grad and value_and_grad give; the flag of x is what it was."""
    before = x.flags.writeable
    value, g = fg.value_and_grad(f)(x)
    np.testing.assert_array_equal(g, fg.grad(f)(x))
    assert x.flags.writeable == before
    return value, np.asarray(g)


@pytest.mark.parametrize("place", ["input", "constant"])
def test_writing_while_the_gradient_runs_raises(x, place):
    def f(w):
        y = w * x
        x[0] = 5.0
        return fnp.sum(y * x)

    before = x.copy()
    with pytest.raises(ValueError, match="read-only"):
        fg.grad(f)(x if place == "input" else np.ones(N))
    np.testing.assert_array_equal(x, before)
    x[0] = 2.0  # its flag is what it was


@pytest.mark.parametrize("writer", ["the owner", "a new view"])
def test_writing_by_another_way_raises(x, writer):
    big = np.concatenate([x, x])
    part = big[:N]

    def f(w):
        y = fnp.sum(w * part)
        (big if writer == "the owner" else part[::2])[:] = 0
        return y

    with pytest.raises(ValueError, match="read-only"):
        fg.grad(f)(1.0)
    big[0] = part[1] = 3.0


def test_small_arrays_are_copied():
    small = np.ones(3)

    def f(w):
        y = w * small
        small[:] = 7.0
        return fnp.sum(y)

    np.testing.assert_array_equal(fg.grad(f)(np.ones(3)), np.ones(3))


def test_pullbacks_keep_copies(x):
    before = x.copy()
    _, pullback = fg.vjp(lambda w: fnp.sum(w * x), np.ones(N))
    _, push = fg.linearize(lambda w: fnp.sum(w * x), np.ones(N))
    x[:] = 0
    np.testing.assert_array_equal(pullback(1.0)[0], before)
    np.testing.assert_allclose(push(np.ones(N)), before.sum())


@pytest.mark.parametrize("kind", ["read-only", "read-only view", "writable view of read-only", "foreign", "stretched"])
def test_arrays_of_all_kinds(kind, x):
    values = x.copy()
    if kind == "read-only":
        x.flags.writeable = False
        y = x
    elif kind == "read-only view":
        y = x[:]
        y.flags.writeable = False
    elif kind == "writable view of read-only":
        y = x[:]
        x.flags.writeable = False
    elif kind == "foreign":
        y = np.frombuffer(bytearray(x.tobytes()))
    else:
        y = np.broadcast_to(x[:1], N)
        values = np.full(N, x[0])
    flags = y.flags.writeable, x.flags.writeable
    value, g = gradients(lambda w: fnp.sum(w * w * y), y)
    np.testing.assert_allclose(value, np.sum(values**3))
    np.testing.assert_allclose(g, 2 * values**2)
    assert (y.flags.writeable, x.flags.writeable) == flags


def test_flags_after_an_exception(x):
    def f(w):
        fnp.sum(w * x)
        raise KeyError("of the user")

    with pytest.raises(KeyError):
        fg.grad(f)(x)
    assert x.flags.writeable

    @fg.custom_vjp
    def bad(w):
        return w

    def backward(_, g):
        assert not x.flags.writeable
        raise KeyError("of the user")

    bad.defvjp(lambda w: (w, None), backward)
    with pytest.raises(KeyError):
        fg.grad(lambda w: fnp.sum(bad(w * x)))(np.ones(N))
    assert x.flags.writeable


def test_loans_that_are_dropped_are_given_back(x):
    held = Loans()
    assert held.borrow(x) is x
    assert held.borrow(x) is x
    del held
    gc.collect()
    assert x.flags.writeable


def test_nested_gradients(x):
    def inner(v):
        return fnp.sum(fnp.sin(v * x))

    def outer(w):
        h = fg.grad(inner)(w)
        assert not x.flags.writeable
        return fnp.sum(h * x)

    w = np.full(N, 0.5)
    np.testing.assert_allclose(gradients(outer, w)[1], -np.sin(w * x) * x**3)
    assert x.flags.writeable

    def first_alone(w):
        y = fg.grad(inner)(x)  # no loan of the outer one yet
        x[0] = 0.1
        return fnp.sum(w * y)

    gradients(first_alone, w)


def test_two_overlapping_views(x):
    big = np.concatenate([x, x, x])
    a, b = big[: 2 * N], big[N:]
    first, second = Loans(), Loans()
    first.borrow(a)
    second.borrow(b)
    first.give_back()
    assert not (big.flags.writeable or a.flags.writeable or b.flags.writeable)
    second.give_back()
    assert big.flags.writeable and a.flags.writeable and b.flags.writeable


def test_two_threads(x):
    start, found = threading.Barrier(2), []

    def f(w):
        y = fnp.sum(w * w * x)
        start.wait(10)
        return y

    def run():
        for _ in range(5):
            found.append(np.asarray(fg.grad(f)(x)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 10 and x.flags.writeable
    for g in found:
        np.testing.assert_allclose(g, 2 * x**2)


def store_stopped(w, x, kept):
    kept.append(fg.stop_gradient(w))
    kept.append(fg.stop_gradient(w[::-1]))
    return fnp.sum(w * x), None


def store_in_a_custom_rule(w, x, kept):
    @fg.custom_vjp
    def f(v):
        return v * 1.0

    def forward(v):
        kept.append(v)
        return v * 1.0, v

    f.defvjp(forward, lambda v, g: (g,))
    return fnp.sum(f(w)), None


def residual_as_gradient(w, x, kept):
    @fg.custom_vjp
    def f(v):
        return fnp.sum(v)

    f.defvjp(lambda v: (fnp.sum(v), v), lambda v, g: (v,))
    return f(w), None


def as_aux(w, x, kept):
    return fnp.sum(w * x), {"itself": w, "part": w.reshape(2, -1)[1], "stopped": fg.stop_gradient(w)}


@pytest.mark.parametrize("f", [store_stopped, store_in_a_custom_rule, residual_as_gradient, as_aux])
def test_nothing_that_leaves_shows_memory_of_the_caller(x, f):
    kept = []
    (value, aux), g = fg.value_and_grad(lambda w: f(w, x, kept), has_aux=True)(x)
    left = [value, g, *kept, *fg.tree.leaves(aux)]
    before = [np.array(a) for a in left]
    x[:] = -1.0
    for a, b in zip(left, before, strict=True):
        assert not np.may_share_memory(a._value, x)
        np.testing.assert_array_equal(a, b)


def test_the_value_is_no_view(x):
    value, _ = fg.value_and_grad(lambda w: w[..., 3])(x)
    before = float(value)
    x[:] = -1.0
    assert float(value) == before


def test_integers_are_copied():
    n = np.arange(N)
    kept = []
    g = fg.grad(lambda i: (kept.append(i), 1.0)[1], allow_int=True)(n)
    assert g.dtype == fg.float0
    n[:] = 0
    assert int(kept[0][5]) == 5


@pytest.mark.parametrize("dtype", ["float32", "complex128", ">f8"])
def test_other_dtypes(x, dtype):
    y = x.repeat(2).astype(dtype)
    before = y.copy()
    _, g = gradients(lambda w: fnp.sum(fnp.abs(w * y) ** 2), y)
    np.testing.assert_allclose(g, 2 * np.abs(before) ** 2 * np.conj(before), rtol=1e-5)
    assert y.flags.writeable

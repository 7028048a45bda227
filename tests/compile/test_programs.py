"""Which programs are kept, for how long, and that nothing else is."""

import copy
import gc
import linecache
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile import programs
from funcgrad.errors import LeakedTracerError, NoValueError

X = np.linspace(0.2, 1.5, 4)


def counted(f):
    """f, and a list that grows whenever Python runs it."""
    runs = []

    def g(*args):
        runs.append(None)
        return f(*args)

    return g, runs


# What is freed.


def sources():
    gc.collect()
    return sum(name.startswith("<funcgrad") for name in linecache.cache)


def loss(big):
    return lambda x: fnp.sum(fnp.sin(x) * big * fnp.cos(x + big))


MAKERS = {
    "plain": lambda f, x: fg.jit(f)(x),
    "grad of jit": lambda f, x: fg.grad(fg.jit(f))(x),
    "jit of grad": lambda f, x: fg.jit(fg.grad(f))(x),
    "vmap": lambda f, x: fg.vmap(fg.jit(f))(np.stack([x, x])),
    "jvp": lambda f, x: fg.jvp(fg.jit(f), (x,), (x,)),
    "inside another": lambda f, x: fg.grad(lambda x: fg.jit(f)(x))(x),
    "closing over a tracer": lambda f, x: fg.grad(lambda w: fg.jit(lambda y: f(y) * w)(x))(2.0),
    "scan": lambda f, x: fg.jit(lambda x: fg.lax.scan(lambda c, _: (c + f(x), None), 0.0, length=3))(x),
    "bound method": lambda f, x: fg.jit(type("Holder", (), {"run": lambda self, x: f(x)})().run)(x),
    "static argument": lambda f, x: fg.jit(lambda x, g: g(x), static_argnums=1)(x, f),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("size", [50, 70_000])  # the second runs in tiles
@pytest.mark.parametrize("name", MAKERS)
def test_nothing_outlives_the_function(name, size):
    before = sources()
    big = fnp.full(size, 0.5)
    ref = weakref.ref(big)
    MAKERS[name](loss(big), np.ones(size))
    del big
    assert sources() == before
    assert ref() is None


def test_a_source_is_there_for_tracebacks_as_long_as_its_program():
    before = sources()
    f = fg.jit(loss(fnp.ones(70_000)))
    f(np.ones(70_000))
    assert sources() > before
    f.clear_cache()
    assert sources() == before


# How many are kept.


def test_the_number_of_programs_is_bounded(monkeypatch):
    monkeypatch.setattr(programs, "MOST", 8)
    f, runs = counted(lambda x: x + 1)
    g = fg.jit(f)
    for n in range(20):
        g(np.ones(n))
        g(np.ones(0))  # in use all the time, so it stays
        g([np.ones(n)][0])
    assert g._cache_size() == 8
    assert len(runs) < 25
    before = len(runs)
    assert g(np.ones(19)).shape == (19,)
    assert len(runs) == before
    g(np.ones(1))
    assert len(runs) == before + 1


def test_forms_of_a_function_share_programs_unless_their_options_differ():
    f, runs = counted(lambda x, n: x * n)
    assert fg.jit(f)(2.0, 3) == fg.jit(f)(2.0, 3) == 6.0
    assert len(runs) == 1
    assert fg.jit(f, static_argnums=1)(2.0, 3) == fg.jit(f, static_argnums=1)(2.0, 3) == 6.0
    assert len(runs) == 2
    assert fg.jit(f, backend="eager")(2.0, 3) == 6.0
    assert len(runs) == 3


# Pullbacks and linearized functions as arguments.


def indexed(x):
    return fnp.sum(fnp.sin(x) * x[::-1] * fnp.where(x > 0, x, 1.0)) * x[np.array([0, 1])]


PASSED = {
    "vjp": lambda f, x: fg.vjp(f, x)[1],
    "linearize": lambda f, x: fg.linearize(f, x)[1],
    "linear_transpose": lambda f, x: fg.linear_transpose(fg.linearize(f, x)[1], x),
}
FUNCTIONS = {
    "primitives": indexed,
    "a compiled function": fg.jit(indexed),
    "scan": lambda x: fg.lax.scan(lambda c, _: (fnp.sin(c) * c, c[0]), x, length=3)[0],
}


@pytest.mark.parametrize("name", PASSED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_linear_functions_that_do_the_same_share_a_program(name, function):
    f, make = FUNCTIONS[function], PASSED[name]
    apply = fg.jit(lambda linear, v: linear(v))
    for k in range(4):
        x = fnp.asarray(X + k)
        v = x if name == "linearize" else f(x)
        linear = make(f, x)
        for a, b in zip(fg.tree.leaves(apply(linear, v)), fg.tree.leaves(linear(v)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)
    assert apply._cache_size() == 1


@pytest.mark.parametrize("name", ["vjp", "linearize"])
@pytest.mark.parametrize(
    "f, g",
    [
        (lambda x: fnp.sin(x) * x, lambda x: fnp.sin(x) * fnp.sum(x)),
        (lambda x: x[:2] * 2.0, lambda x: x[2:] * 2.0),
        (lambda x: x[np.array([0, 1])], lambda x: x[np.array([0, 2])]),
        (lambda x: x * 2.0, lambda x: x * x[0]),
        (lambda x: (x, fnp.sin(x))[0] * fnp.sin(x), lambda x: fnp.sin(fnp.sin(x)) * fnp.sin(x)),
        (lambda x: fnp.sum(x.reshape(2, 2), 0), lambda x: fnp.sum(x.reshape(2, 2), 1)),
    ],
)
def test_linear_functions_that_do_not_do_the_same_have_programs_of_their_own(name, f, g):
    apply = fg.jit(lambda linear, v: linear(v))
    for h in (f, g):
        linear = PASSED[name](h, fnp.asarray(X))
        v = fnp.asarray(X) if name == "linearize" else h(fnp.asarray(X)) + 1.0
        for a, b in zip(fg.tree.leaves(apply(linear, v)), fg.tree.leaves(linear(v)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)
    assert apply._cache_size() == 2
    assert fg.tree.structure(PASSED[name](f, X)) == fg.tree.structure(PASSED[name](f, X + 1))
    assert fg.tree.structure(PASSED[name](f, X)) != fg.tree.structure(PASSED[name](g, X))


def test_a_program_for_a_pullback_does_not_keep_its_residuals():
    apply = fg.jit(lambda pullback, v: pullback(v))
    _, pullback = fg.vjp(lambda x: fnp.exp(x) * 2.0, X)
    residuals = [r for e in pullback.equations for r in e.residuals if isinstance(r, np.ndarray)]
    refs = [weakref.ref(r) for r in residuals]
    assert refs
    apply(pullback, X)
    del pullback, residuals
    gc.collect()
    assert [r() for r in refs] == [None] * len(refs)
    _, pullback = fg.vjp(lambda x: fnp.exp(x) * 2.0, X + 1)
    np.testing.assert_allclose(apply(pullback, X)[0], 2.0 * np.exp(X + 1) * X)
    assert apply._cache_size() == 1


def test_the_structure_of_a_pullback_survives_pickling():
    _, pullback = fg.vjp(indexed, X)
    leaves, structure = fg.tree.flatten(pickle.loads(pickle.dumps(pullback)))
    assert structure == fg.tree.structure(pullback)
    ct = fnp.ones(2)
    np.testing.assert_array_equal(fg.tree.unflatten(structure, leaves)(ct)[0], pullback(ct)[0])


# Closing over values of a transform.


def test_a_function_that_closes_over_a_tracer_is_not_compiled():
    box = []
    g, runs = counted(lambda y: fnp.sin(y * box[-1]) * y)
    compiled = fg.jit(g)

    def outer(w):
        box.append(w)
        return compiled(3.0)

    for w in (0.5, 0.7):
        np.testing.assert_allclose(fg.grad(outer)(w), 9.0 * np.cos(3.0 * w), rtol=1e-12)
        np.testing.assert_allclose(fg.vmap(outer)(X * w), np.sin(3.0 * X * w) * 3.0, rtol=1e-12)
    assert compiled._cache_size() == 0
    assert len(runs) == 4
    box.append(fnp.asarray(2.0))
    assert compiled(3.0) == compiled(3.0) == np.sin(6.0) * 3.0
    assert compiled._cache_size() == 1
    assert len(runs) == 5


@pytest.mark.parametrize("transform", [fg.grad, fg.vmap, lambda f: fg.grad(lambda y: f(f(y)))])
def test_transforms_of_a_function_that_closes_over_a_tracer(transform):
    def outer(wrap):
        return lambda w: fnp.sum(
            fnp.stack([transform(wrap(lambda y: fnp.sin(y * w) * y))(y) for y in points[transform]])
        )

    points = dict.fromkeys([transform], (0.3, 0.8)) | {fg.vmap: (X, X + 1)}
    found, expected = fg.value_and_grad(outer(fg.jit))(0.7), fg.value_and_grad(outer(lambda f: f))(0.7)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(fg.vmap(outer(fg.jit))(X), fg.vmap(outer(lambda f: f))(X), rtol=1e-12)


def test_rules_of_the_user_hold_in_what_is_not_compiled():
    @fg.custom_jvp
    def slow(y):
        return fnp.sin(y)

    slow.defjvp(lambda primals, tangents: (slow(*primals), 10.0 * tangents[0]))
    for _ in range(2):
        assert fg.grad(lambda w: fg.jit(lambda y: slow(y * w))(3.0))(2.0) == 30.0


def test_what_it_gives_is_an_array_all_the_same():
    box = []
    compiled = fg.jit(lambda x, s: {"x": x, "s": 2 * s, "n": 1, "y": x * box[-1], "a": np.ones(2)})

    def outer(w):
        box.append(w)
        out = compiled(x, 2.0)
        assert all(isinstance(leaf, fg.Array) for leaf in fg.tree.leaves(out))
        assert (fnp.ones(2, "float32") * out["s"]).dtype == np.float32
        return fnp.sum(out["y"])

    x = np.ones(3)
    for _ in range(2):
        assert fg.grad(outer)(2.0) == 3.0
    integers = fg.grad(fg.jit(lambda n, y: y * box[-1] * n), argnums=(0, 1), allow_int=True)

    def of_integers(w):
        box.append(w)
        by_n, by_y = integers(3, 2.0)
        assert by_n.dtype == fg.float0
        return by_y

    for _ in range(2):
        assert fg.grad(of_integers)(2.0) == 3.0


# Threads, exceptions, copies.


def test_threads_that_compile_at_the_same_time_agree():
    start, inside = threading.Barrier(4), threading.Barrier(4)

    def f(x):
        inside.wait(timeout=10)  # all of them record
        return fnp.sin(x) * 2.0

    g = fg.jit(f)

    def work(k):
        start.wait(timeout=10)
        return np.asarray(g(X + k))

    with ThreadPoolExecutor(4) as pool:
        for k, found in enumerate(pool.map(work, range(4))):
            np.testing.assert_allclose(found, np.sin(X + k) * 2.0, rtol=1e-15)
    assert g._cache_size() == 1


def test_mutual_recursion_in_threads_ends():
    @fg.jit
    def even(x):
        return x if x.shape == (0,) else odd(x[1:])

    @fg.jit
    def odd(x):
        return x + 1.0 if x.shape == (0,) else even(x[1:])

    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(f, np.ones(6)) for f in (even, odd)]
        assert [r.result(timeout=30).shape for r in found] == [(0,), (0,)]


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, RecursionError])
def test_an_exception_while_recording_leaves_nothing_behind(error):
    fail = [True]

    def f(x):
        y = fnp.sin(x)
        if fail:
            kept.append(y)
            raise error("boom")
        return y

    kept = []
    g = fg.jit(f)
    for call in (g, lambda x: fg.grad(lambda x: fnp.sum(g(x)))(x), fg.vmap(g)):
        with pytest.raises(error):
            call(X)
    assert g._cache_size() == 0
    with pytest.raises(LeakedTracerError):
        kept[0] + 1
    assert fnp.sin(1.0) == np.sin(1.0), "no trace is running"
    del fail[:]
    np.testing.assert_array_equal(g(X), np.sin(X))


def module_function(x):
    return 3.0 * x


@fg.jit
def decorated(x):
    return 2.0 * x


def test_pickles_and_copies():
    decorated(X)
    for other in (pickle.loads(pickle.dumps(decorated)), copy.copy(decorated), copy.deepcopy(decorated)):
        assert other is decorated
    f = fg.jit(module_function, static_argnames=())
    f(X)
    for other in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        np.testing.assert_array_equal(other(X), 3.0 * X)
        assert other.cache_info().misses == 0, "it is the same function, whose programs there are"


# What leaks out.


def test_a_leaked_value_is_explained():
    kept = []

    def my_step(x, y):
        z = fnp.sin(x)
        kept.append(z)
        kept.append(y)
        kept.append(fg.lax.scan(lambda c, _: (c * y, c), x, length=2)[0])
        return x

    fg.jit(my_step)(X, 2.0)
    made, argument, looped = kept
    message = r"test_programs.py, line \d+: made \+ 1.*jit recorded the function my_step.*line test_programs.py, line "
    with pytest.raises(LeakedTracerError, match=message + r"\d+: z = fnp.sin\(x\).*argument x\..*side effect.*Return"):
        made + 1
    with pytest.raises(LeakedTracerError, match=r"argument y\. A side effect"):
        fg.jit(lambda x: x + argument)(1.0)
    with pytest.raises(LeakedTracerError, match=r"lax.scan.*arguments? x and y"):
        fg.jit(my_step)(looped, 1.0)
    assert not any("differentiated" in str(leak_of(x)) for x in kept)


def leak_of(x):
    with pytest.raises(LeakedTracerError) as info:
        x + 1
    return info.value


def test_values_that_leak_while_recording_within_a_gradient():
    kept = []
    f = fg.jit(lambda x: (kept.append(x * 2.0), x * x)[1])
    fg.grad(f)(1.0)
    with pytest.raises(LeakedTracerError, match="jit recorded the function"):
        kept[0] * 1.0
    with pytest.raises(NoValueError):
        fg.grad(fg.jit(lambda x: x if x > 0 else -x))(1.0)


def test_a_value_that_leaks_from_vmap_is_not_said_to_be_differentiated():
    kept = []
    fg.vmap(lambda x: (kept.append(2 * x), x)[1])(X)
    with pytest.raises(
        LeakedTracerError, match=r"that vmap made is used outside the call.*function that is mapped"
    ) as info:
        kept[0] + 1
    assert "differentiated" not in str(info.value)

"""Entries, the short way into compiled functions: they give what the general way gives, for all arguments."""

import gc
import threading
import weakref
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.programs import MOST_ENTRIES
from funcgrad.errors import ArgumentError

Pair = namedtuple("Pair", "low high")
X = np.linspace(0.5, 2.0, 6)

STRUCTURES = {
    "array": (X,),
    "Array": (fnp.asarray(X),),
    "list": ([X, X[:3], X[0]],),
    "tuple of one": ((X,),),
    "nested": ({"b": [X, (X, None)], "a": {1: X, 0: np.float64(2)}}, X),
    "namedtuple": (Pair(X, [2.0, fnp.asarray(X)]),),
    "OrderedDict": (OrderedDict(z=X, a=X),),
    "empty containers": ([], {}, (), None),
    "nothing": (),
    "numbers": (2.0, 3, True, 1j),
    "NumPy scalars": (np.float32(2), np.int8(3), np.bool_(True), np.complex64(1j)),
    "0-d": (np.array(2.0), fnp.asarray(2.0)),
    "weak": (fg.jit(lambda x: x * 2)(3.0), fg.jit(lambda x: x)(2)),
    "too deep": ([[[[[[[[[[[[[[[[[[X]]]]]]]]]]]]]]]]]],),
    **{d: ([X.astype(d), X.astype(d)[0]],) for d in ("f4", "i8", "u1", "?", "c8", "f2", "g", ">f8", "q")},
}


def alike(found, expected):
    assert fg.tree.structure(found) == fg.tree.structure(expected)
    for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        assert getattr(a, "weak", False) == getattr(b, "weak", False)
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


FUNCTIONS = {
    "itself": lambda *xs: xs,
    "first": lambda *xs: fg.tree.leaves(xs)[:1],
    "twice": lambda *xs: fg.tree.map(lambda x: x + x, {"r": xs, "n": None}),
    "as a namedtuple": lambda *xs: Pair(fg.tree.map(lambda x: x * 3, xs), 4.0),
}


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_calls_give_what_the_first_one_gave(structure, function):
    args = STRUCTURES[structure]
    f = fg.jit(lambda *xs: FUNCTIONS[function](*xs))
    first = f(*args)
    for n in range(3):
        alike(f(*args), first)
        assert f.cache_info() == (n + 1, 1, 1)


def general(f, args, kwargs):
    """What a function gives that has not been called before."""
    try:
        return fg.jit(lambda *xs, **named: f(*xs, **named))(*args, **kwargs)
    except Exception as e:  # whatever it raises is compared
        return type(e)


OTHERS = [
    (([X, 2.0],), {}),
    (([X, 3],), {}),
    (([X, True],), {}),
    (([X, 2**70],), {}),
    (([X, np.float64(2)],), {}),
    (([X, np.array(2.0)],), {}),
    (([X, np.array([2.0])],), {}),
    (([X, np.float32(2)],), {}),
    (([fnp.asarray(X), fnp.asarray(2.0)],), {}),
    (([X.astype(">f8"), 2.0],), {}),
    (([X.astype("f4"), 2.0],), {}),
    (([X[:3], 2.0],), {}),
    (([X.reshape(2, 3), 2.0],), {}),
    (((X, 2.0),), {}),
    ((type("List", (list,), {})([X, 2.0]),), {}),
    (([X, 2.0, 2.0],), {}),
    (({0: X, 1: 2.0},), {}),
    (({0: X, 2: 2.0},), {}),
    ((Pair(X, 2.0),), {}),
    (([X, "a"],), {}),
    (([X, None],), {}),
    (([np.ma.array(X), 2.0],), {}),
    (([X.astype(object), 2.0],), {}),
    (([[1.0, 2.0], 2.0],), {}),
    ((), {"p": [X, 2.0]}),
    ((), {"q": [X, 2.0]}),
    (([X, 2.0],), {"q": X}),
    (([X, 2.0], X), {}),
    ((), {}),
]


def test_any_arguments_after_any_others():
    def f(p, q=1.0):
        return p[0] * p[1], q

    expected = [general(f, *o) for o in OTHERS]
    g = fg.jit(f)
    for _ in range(2):
        for (args, kwargs), wanted in zip(OTHERS, expected, strict=True):
            for _ in range(3):
                if isinstance(wanted, type):
                    with pytest.raises(wanted):
                        g(*args, **kwargs)
                else:
                    alike(g(*args, **kwargs), wanted)
    assert len(g._programs.entries) == MOST_ENTRIES


def test_an_entry_is_made_once_for_a_program():
    f = fg.jit(lambda xs: fnp.sum(xs[0]))
    for _ in range(4):
        for n in range(2 * MOST_ENTRIES):
            assert f([np.ones(n)]) == n
    assert len(f._programs.entry_of) == 2 * MOST_ENTRIES
    assert f.cache_info() == (6 * MOST_ENTRIES, 2 * MOST_ENTRIES, 2 * MOST_ENTRIES)


def test_static_arguments():
    f = fg.jit(lambda x, n, g: g(x[0]) * n, static_argnums=(1, 2))
    for _ in range(3):
        assert f([X], 2, fnp.sum) == 2 * X.sum()
        assert f([X], 2.0, fnp.sum) == 2 * X.sum()
        assert f([X], 3, fnp.max) == 6.0
        assert f([X], n=3, g=fnp.max) == 6.0
    with pytest.raises(ArgumentError, match="Non-hashable"):
        f([X], [2], fnp.sum)


class Equal:
    """Is equal to others of its kind with the same number, which may change."""

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return type(other) is Equal and self.n == other.n

    def __hash__(self):
        return hash(self.n)


def test_a_static_argument_that_has_changed():
    f = fg.jit(lambda x, c: x * c.n, static_argnums=1)
    c = Equal(2)
    for _ in range(3):
        assert f(3.0, c) == 6.0
    c.n = 5
    assert f(3.0, c) == 15.0


def test_methods():
    class Scale:
        def __init__(self, s):
            self.s = s

        @fg.jit(static_argnums=0)
        def of(self, x):
            return x["x"] * self.s

    two, three = Scale(2.0), Scale(3.0)
    for _ in range(3):
        assert two.of({"x": 1.5}) == 3.0 and three.of({"x": 1.5}) == 4.5


def test_results_do_not_change_with_the_arguments():
    f = fg.jit(lambda xs: (xs[0], xs[0][::2], xs[1]))
    x, y = np.ones(4), np.ones(2)
    for _ in range(3):
        a, b, c = f([x, y])
        x[:], y[:] = 7.0, 7.0
        np.testing.assert_array_equal(np.concatenate([a, b, c]), np.ones(8))
        x[:], y[:] = 1.0, 1.0


def test_tracers_observers_and_disable_jit_go_the_general_way():
    f = fg.jit(lambda p: p["a"] * fnp.log(p["b"]))
    p = {"a": X, "b": X}
    for _ in range(3):
        f(p)
    np.testing.assert_allclose(fg.grad(lambda x: fnp.sum(f({"a": x, "b": X})))(X), np.log(X))
    assert fg.vmap(f)(p).shape == X.shape
    assert fg.eval_shape(f, p).shape == X.shape
    with fg.disable_jit():
        before = f.cache_info()
        f(p)
        assert f.cache_info() == before
    with pytest.raises(FloatingPointError), fg.debug.nans():
        f({"a": X, "b": -X})


def test_a_program_that_closes_over_a_tracer_has_no_entry():
    held = [2.0]
    f = fg.jit(lambda p: p[0] * held[0])
    for _ in range(3):
        f([3.0])
    f.clear_cache()

    def through(w):
        held[0] = w
        return f([3.0])

    for _ in range(3):
        assert fg.grad(through)(5.0) == 3.0
    assert f._programs.entries == ()


def test_clear_cache_forgets_entries():
    scale = [1.0]
    f = fg.jit(lambda p: p[0] * scale[0])
    for _ in range(3):
        assert f([2.0]) == 2.0
    scale[0] = 4.0
    assert f([2.0]) == 2.0
    f.clear_cache()
    assert f([2.0]) == 8.0
    scale[0] = 1.0
    fg.clear_caches()
    assert f([2.0]) == 2.0


def test_another_kernel_takes_the_place_of_the_first():
    f = fg.jit(lambda p: p[0] + 1.0)
    for _ in range(3):
        f([2.0])
    (program,) = f._programs.by_key.values()

    def other(x):
        return (x + 10.0,)

    other.source = "another"
    program.replace_kernel(other)
    assert f([2.0]) == f.lower([2.0]).compile()([2.0]) == 12.0
    assert f.source([2.0]) == "another"


def test_entries_die_with_the_function():
    gc.disable()
    try:
        big = fnp.ones(50)
        ref = weakref.ref(big)
        f = fg.jit(lambda p, b=big: p[0] * b)
        for _ in range(3):
            f([X[0]])
        del f, big
        assert ref() is None
    finally:
        gc.enable()


def test_two_threads_with_two_structures():
    f = fg.jit(lambda p: fg.tree.map(lambda x: x * 2, p))
    wrong = []

    def run(p, wanted):
        for _ in range(300):
            if fg.tree.structure(f(p)) != wanted:
                wrong.append(p)

    args = [[X, X], {"a": X}, (X, [2.0])]
    threads = [threading.Thread(target=run, args=(p, fg.tree.structure(p))) for p in args]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []

"""What `jit` is: when it records, what it takes and gives, what it refuses."""

import copy
import functools
import gc
import inspect
import operator
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.disable import disable_jit
from funcgrad.compile.jit import jit
from funcgrad.errors import (
    ArgumentError,
    BooleanIndexError,
    IntegerRangeError,
    LeakedTracerError,
    NoValueError,
    TreeError,
)

X = np.linspace(-1.0, 2.0, 5)


def counted(f):
    """f, and a list that grows whenever Python runs it."""
    runs = []

    @functools.wraps(f)
    def g(*args, **kwargs):
        runs.append(None)
        return f(*args, **kwargs)

    return g, runs


# When the function is recorded.


def test_python_runs_once_for_each_kind_of_argument():
    f, runs = counted(lambda x: fnp.sin(x) * 2.0)
    g = jit(f)
    for x in (X, X + 1, fnp.asarray(X)):
        np.testing.assert_allclose(g(x), np.sin(np.asarray(x)) * 2.0, rtol=1e-15)
    assert len(runs) == 1
    g(X[:3])
    assert len(runs) == 2
    assert g(X.astype("float32")).dtype == np.float32
    assert len(runs) == 3
    g((X[:3])[::-1])
    assert len(runs) == 3
    g(1.0), g(2.0)
    assert len(runs) == 4
    g(fnp.asarray(1.0))
    assert len(runs) == 5, "an array has a dtype of its own, a number has not"
    assert g.cache_info().misses == g.cache_info().currsize == g._cache_size() == 5
    g.clear_cache()
    assert g.cache_info() == (0, 0, 0)
    g(X)
    assert len(runs) == 6


def test_structures_are_told_apart():
    f, runs = counted(lambda t: fg.tree.map(lambda x: x + 1, t))
    g = jit(f)
    assert g({"a": X, "b": (X, None)})["b"][1] is None
    assert isinstance(g([1.0, 2.0]), list)
    assert isinstance(g((1.0, 2.0)), tuple)
    assert len(runs) == 3
    assert g((3.0, 4.0)) == (4.0, 5.0)
    assert len(runs) == 3


def test_two_compiled_forms_of_a_function_share_its_programs():
    f, runs = counted(lambda x: x + 1)
    assert jit(f)(2) == 3
    assert jit(f)(3) == 4
    assert len(runs) == 1


def test_programs_die_with_the_function():
    x = fnp.ones(10)
    f = (lambda x: lambda: x)(x)
    g = jit(f)
    x = weakref.ref(x)
    g(), g()
    del f
    g()
    assert x() is not None
    del g
    gc.collect()
    assert x() is None


def test_keyword_arguments():
    f, runs = counted(lambda x, y, z=3: 100 * x + 10 * y + z)
    g = jit(f)
    assert g(1, 2, 3) == 123
    assert g(1, 2, z=4) == 124
    assert g(1, z=5, y=2) == 125
    assert g(1, y=3, z=5) == 135
    assert g(1, 2) == 123
    assert len(runs) == 4


def test_keywords_may_have_any_name():
    g = jit(lambda **kwargs: kwargs)
    given = {"self": 1.0, "args": 2.0, "kwargs": 3.0, "f": 4.0}
    assert g(**given) == given
    assert g.lower(**given).compile()(**given) == g.trace(**given)(**given) == given
    assert g.eval_shape(**given)["self"] == fg.ShapeDtypeStruct((), "float64")
    assert jit(fg.grad(lambda x, **kwargs: x * kwargs["self"]))(2.0, **given) == 1.0


def test_arguments_are_not_changed():
    def f(d, values):
        d["b"] = values.pop() * 2
        return d

    d, values = {"a": 1.0}, [2.0, 3.0]
    assert jit(f)(d, values) == {"a": 1.0, "b": 6.0}
    assert (d, values) == ({"a": 1.0}, [2.0, 3.0])


# Static arguments.


def test_static_arguments_are_part_of_the_program():
    f, runs = counted(lambda x, n, flag=False: x**n if flag else -x)
    g = jit(f, static_argnums=(1, 2))
    assert g(2.0, 3, True) == 8.0
    assert g(3.0, 3, True) == 27.0
    assert len(runs) == 1
    assert g(3.0, 2, flag=True) == 9.0
    assert g(3.0, n=2, flag=True) == 9.0
    assert g(3.0, 2) == -3.0
    assert len(runs) == 4


@pytest.mark.parametrize("options", [{"static_argnums": 0}, {"static_argnames": "x"}, {"static_argnums": [-1]}])
def test_static_by_position_and_by_name(options):
    def f(x):
        assert x == "foo"
        return 1

    g = jit(f, **options)
    assert g("foo") == 1
    assert g(x="foo") == 1
    assert jit(lambda x=4: x, **options)() == 4


def test_both_given_may_disagree():
    def kinds(x, y):
        seen.append((isinstance(x, fg.Array), isinstance(y, fg.Array)))
        return 1

    seen = []
    by_number = jit(kinds, static_argnums=1, static_argnames=())
    by_number(2, "foo"), by_number(1, y=2)
    by_name = jit(kinds, static_argnums=(), static_argnames="y")
    by_name(2, 3), by_name(1, y="foo")
    mixed = jit(kinds, static_argnums=(1,), static_argnames="x")
    mixed(2, "foo"), mixed(1, y=3), mixed(x="foo", y=3)
    number, name = [(True, False), (True, True)], [(True, True), (True, False)]
    assert seen == [*number, *name, (True, False), (True, True), (False, True)]


def test_equal_static_values_of_different_types_are_different():
    f, runs = counted(lambda k: fnp.zeros(2) + k)
    g = jit(f, static_argnums=0)
    for k in (1, True, 1.0, 1, True, 1.0):
        g(k)
    assert len(runs) == 3


def test_static_arguments_compare_by_eq():
    class Same:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            return isinstance(other, Same)

    f, runs = counted(lambda x, _: x * 100)
    g = jit(f, static_argnums=(1,))
    assert g(1, Same()) == g(1, Same()) == 100
    assert len(runs) == g._cache_size() == 1


def test_a_static_argument_must_be_hashable_and_comparable():
    g = jit(lambda x, y: x + 3, static_argnums=[1])
    with pytest.raises(ValueError, match=r"Non-hashable static arguments are not supported(.|\n)*numpy.ndarray"):
        g(1, np.asarray(1))

    class Incomparable:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise NotImplementedError("not today")

    g(1, Incomparable())
    with pytest.raises(ValueError, match="static arguments should be comparable using __eq__"):
        g(1, Incomparable())

    class Unhashable:
        def __hash__(self):
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        g(1, Unhashable())


@pytest.mark.parametrize("what", ["static", "donate"])
def test_arguments_that_there_are_not(what):
    def f(a, b, c): ...
    def g(a, /, b, *, c): ...
    def h(a, /, b, c, *args, **kwargs): ...

    for numbers in ((0, 1), (0, 1, -3)):
        jit(f, **{f"{what}_argnums": numbers})
    jit(h, **{f"{what}_argnums": (0, 999, -999)})
    jit(h, **{f"{what}_argnames": ("b", "whatever")})
    jit(lambda: 0, **{f"{what}_argnums": ()})
    for function, numbers in ((f, (0, 3)), (f, -4), (g, 3), (g, -3)):
        with pytest.raises(ValueError, match=f"{what}_argnums=.*but only accepts"):
            jit(function, **{f"{what}_argnums": numbers})
    with pytest.raises(ValueError, match=r"invalid argnames \{'zz'\}.*does not take these args"):
        jit(f, **{f"{what}_argnames": ("b", "zz")})
    for name in ("a", "args"):
        with pytest.raises(ValueError, match=rf"invalid argnames \{{'{name}'\}}.*positional-only"):
            jit(h, **{f"{what}_argnames": (name, "c")})


def test_static_and_donated_exclude_each_other():
    with pytest.raises(ValueError, match="static_argnames and donate_argnames cannot intersect"):
        jit(lambda x: x, static_argnames="x", donate_argnames="x")
    with pytest.raises(ValueError, match="cannot intersect"):
        jit(lambda x: x, static_argnums=0, donate_argnums=0)


def test_donation_is_a_hint():
    x = fnp.ones(3)
    np.testing.assert_array_equal(jit(lambda x: x + 1, donate_argnums=0)(x), 2)
    np.testing.assert_array_equal(x, 1)


# What can be compiled.


def test_decorator_with_options():
    @functools.partial(jit, static_argnames="n")
    def f(x, n):
        return x**n

    @jit(static_argnames="n")
    def g(x, n):
        return x**n

    assert f(2.0, n=3) == g(2.0, 3) == 8.0


def test_wrapped_attributes():
    def f(x: int) -> int:
        """docstring of f."""
        return x + 1

    f.some_value = 4
    g = jit(f)
    for name in ("__doc__", "__name__", "__module__", "__qualname__", "__annotations__", "some_value"):
        assert getattr(g, name) == getattr(f, name)
    assert inspect.signature(g) == inspect.signature(f)
    assert repr(g) == f"<PjitFunction of {f!r}>"


def test_repr_of_what_has_none():
    class Shy:
        def __call__(self):
            return 0

        def __repr__(self):
            raise ValueError("invalid repr")

    assert repr(jit(Shy())) == "<PjitFunction>"


def test_methods():
    class Scale:
        def __init__(self, by):
            self.by = by

        @functools.partial(jit, static_argnums=0)
        def compiled(self, x):
            return self.by * x

        def plain(self, x):
            return self.by * x

        __call__ = plain

    a, b = Scale(2.0), Scale(3.0)
    assert a.compiled(5.0) == 10.0
    assert b.compiled(5.0) == 15.0
    assert jit(a.plain)(5.0) == 10.0
    assert jit(b)(5.0) == 15.0


def test_other_callables():
    np.testing.assert_array_equal(jit(operator.add, static_argnums=(1,))(X, 1), X + 1)
    np.testing.assert_array_equal(jit(functools.partial(fnp.multiply, 2.0))(X), 2 * X)
    np.testing.assert_array_equal(jit(fnp.negative)(X), -X)
    np.testing.assert_array_equal(jit(np.negative)(fnp.asarray(X)), -X)

    class Slotted:
        __slots__ = ()

        def __call__(self, x):
            return x + 1

    assert jit(Slotted())(3.0) == 4.0


@pytest.mark.parametrize(
    "f, message",
    [
        (3, "Expected a callable value"),
        (classmethod(lambda cls: 0), "Expected a callable value"),
        (staticmethod(lambda: 0), "staticmethod arguments are not supported"),
        ((lambda: (yield)), "Expected a function, got a generator function"),
    ],
)
def test_not_functions(f, message):
    with pytest.raises(TypeError, match=message):
        jit(f)


# Values.


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 1, 3)])
def test_dtypes_and_shapes(dtype, shape):
    x = (np.arange(int(np.prod(shape))) % 2).reshape(shape).astype(dtype)

    def f(x):
        return {"sum": fnp.sum(x), "double": x + x, "same": x, "where": fnp.where(x > 0, x, x[..., None][..., 0])}

    for backend in ("numpy", "eager"):
        found, expected = jit(f, backend=backend)(x), f(fnp.asarray(x))
        assert found.keys() == expected.keys()
        for k in found:
            assert (found[k].dtype, found[k].shape) == (expected[k].dtype, expected[k].shape)
            np.testing.assert_array_equal(found[k], expected[k])


def test_results_without_arrays():
    assert jit(lambda x: None)(X) is None
    assert jit(lambda: ())() == ()
    assert jit(lambda x: {"one": 1, "x": x})(2.0) == {"one": 1, "x": 2.0}
    assert isinstance(jit(lambda: 1)(), fg.Array)
    np.testing.assert_array_equal(jit(lambda: X)(), X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x,
        lambda x: x[1:],
        lambda x: x.reshape(5, 1),
        lambda x: x * 1,
        lambda x: (x.T, fnp.real(x)),
        lambda x: fnp.asarray(x),
        lambda x: x.astype(x.dtype),
        lambda x: fnp.broadcast_to(x, (2, 5)),
        lambda x: fnp.split(x, [2]),
        lambda x: fg.lax.cond(fnp.sum(x) > 0, lambda x: x, lambda x: x, x),
        lambda x: jit(lambda x: x)(x),
    ],
)
def test_nobody_can_write_into_a_result(f):
    x = X.copy()
    g = jit(f)
    for _ in range(3):  # the first call is not like the others
        before = fg.tree.map(lambda r: np.array(r), g(x))
        found = g(x)
        x += 1.0
        fg.tree.map(np.testing.assert_array_equal, found, before)
    assert x.flags.writeable
    compiled = g.lower(x).compile()
    found, before = compiled(x), fg.tree.map(lambda r: np.array(r), compiled(x))
    x += 1.0
    fg.tree.map(np.testing.assert_array_equal, found, before)


def test_a_constant_is_what_it_was():
    c = np.ones(5)
    f = jit(lambda x: (x + c, c))
    f(X)
    c[:] = 7.0
    np.testing.assert_array_equal(f(X)[0], X + 1)
    np.testing.assert_array_equal(f(X)[1], 1)


def test_the_same_array_twice():
    x = fnp.asarray(X)
    a, b = jit(lambda x, y: (x + y, x - y))(x, x)
    np.testing.assert_array_equal(a, 2 * X)
    np.testing.assert_array_equal(b, 0 * X)


def test_many_arguments_and_nan():
    assert jit(lambda xs: sum(xs))(list(range(500))) == sum(range(500))
    assert np.isnan(jit(lambda x: 1 + x * 0)(np.nan))
    assert jit(copy.deepcopy)(1.0) == jit(copy.copy)(1.0) == 1.0


def test_integers_beyond_int64():
    f = jit(lambda n: n)
    assert f(5).dtype == np.int64
    assert f(2**63).dtype == np.uint64
    assert f(2**63) == 2**63
    for number in (2**70, -(2**63) - 1, 10**5000):
        with pytest.raises(IntegerRangeError, match=r"argument path is n\. (.|\n)* bits does not fit"):
            f(number)
        with pytest.raises(OverflowError):
            fg.Array(number)
    assert f(-(2**63)) == -(2**63)


# Weak numbers.

WEAK = [
    lambda x, s: x * s,
    lambda x, s: s - x,
    lambda x, s: x * (2 * s + 1),
    lambda x, s: fnp.where(x > 0, x, s),
    lambda x, s: fnp.maximum(x, s),
    lambda x, s: x < s,
    lambda x, s: x**s,
    lambda x, s: x * abs(-s),
    lambda x, s: x + s * fnp.ones(5, "float32"),
    lambda x, s: x * (s > 1),
    lambda x, s: x * (s / 2),
    lambda x, s: x.at[0].set(s),
    lambda x, s: fnp.full(3, s),
    lambda x, s: x * fnp.asarray(s, dtype=x.dtype),
    lambda x, s: fnp.clip(x, -s, s),
    lambda x, s: x * fnp.sin(s),
    lambda x, s: (x // s, x % s),
]


@pytest.mark.parametrize("s", [2.5, 3, 0.1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "complex64"])
@pytest.mark.parametrize("f", WEAK)
def test_numbers_leave_dtypes_alone_as_without_jit(f, dtype, s):
    x = fnp.asarray(np.array([1, 2, 3, 1, 4]).astype(dtype))
    try:
        expected = f(x, s)
    except TypeError:
        return  # such as remainders of complex numbers
    for found in (jit(f)(x, s), jit(f)(x, s=s), jit(lambda x, s: jit(f)(x, s))(x, s)):
        for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
            assert a.dtype == b.dtype
            exact = a.dtype.kind not in "fc"
            np.testing.assert_allclose(a, b, rtol=0 if exact else 4 * np.finfo(a.dtype).eps, atol=0)


def test_weak_results_of_nested_functions_stay_weak():
    x = fnp.ones(3, "float32")
    twice = jit(lambda s: 2 * s)
    assert jit(lambda x, s: x * twice(s))(x, 0.1).dtype == np.float32
    assert jit(lambda x, s: x * twice(twice(s)))(x, 0.1).dtype == np.float32


def test_comparisons_with_numbers_out_of_range():
    x = fnp.asarray(np.array([1, 100], "int8"))
    np.testing.assert_array_equal(jit(lambda x, n: x < n)(x, 300), [True, True])


def test_a_compiled_step_in_a_loop_that_starts_from_a_number():
    xs = fnp.asarray(np.arange(3, dtype="float32"))
    step = jit(lambda c, x: (c + x, 2 * c))
    total, seen = fg.lax.scan(step, 0, xs)
    assert total.dtype == np.float32
    assert total == 3.0
    np.testing.assert_array_equal(seen, [0, 0, 2])


# Errors.

ASKS = {
    "if": (lambda x: x if x > 0 else -x, "cond.*where"),
    "while": (lambda x: [x for _ in iter(lambda: bool(x > 0), False)], "while_loop"),
    "float": (lambda x: float(x), "static"),
    "int": (lambda x: int(x), "static"),
    "index": (lambda x: [1, 2][x.astype(int)], "static"),
    "range": (lambda x: list(range(x.astype(int))), "fori_loop"),
    "asarray": (lambda x: np.asarray(x, float) + 1, "funcgrad.numpy"),
    "item": (lambda x: x.item(), "static"),
}


@pytest.mark.parametrize("index", [lambda x: x[x > 0], lambda x: x[:, x[0] > 0], lambda x: x[None][0, x > 0]])
def test_a_boolean_index_says_how_to_keep_the_shape(index):
    with pytest.raises(
        BooleanIndexError, match=r"Array boolean indices must be concrete; got bool\[(.|\n)*where\(mask"
    ):
        jit(index)(np.ones((2, 2)))
    assert issubclass(BooleanIndexError, IndexError)
    np.testing.assert_array_equal(jit(lambda x: x.at[x > 0].set(2.0))(X), np.where(X > 0, 2.0, X))


@pytest.mark.parametrize("name", ASKS)
def test_asking_for_a_number(name):
    f, remedy = ASKS[name]
    with pytest.raises(NoValueError, match=rf"test_jit.py, line \d+: (.|\n)*the argument x\.(.|\n)*{remedy}"):
        jit(f)(1.0)
    assert jit(lambda x: x + 1)(1.0) == 2.0


def test_the_error_names_the_arguments_that_matter():
    def f(tree, n, other):
        return other if tree["k"][1] * n > 0 else n

    with pytest.raises(NoValueError, match=r"value of the argument tree\['k'\]\[1\] and the argument n\."):
        jit(f)({"k": [1.0, 2.0]}, 3, other=1.0)
    with pytest.raises(NoValueError, match=r"value of the argument other\."):
        jit(lambda *args, other: args[0] if other else args[1])(1.0, 2.0, other=True)


def test_print_shows_what_is_known(capsys):
    def f(x):
        print(x, f"{x}")
        return x

    jit(f)(X)
    assert capsys.readouterr().out == "Tracer<jit, level 1>(float64[5]) Tracer<jit, level 1>(float64[5])\n"
    with pytest.raises(NoValueError, match="format"):
        jit(lambda x: f"{x:.2f}")(1.0)


def test_writing_into_a_plain_array():
    def f(x):
        buffer = np.zeros(3)
        buffer[0] = x
        return buffer

    with pytest.raises(NoValueError, match=r"buffer\[0\] = x(.|\n)*\.at\[i\]\.set\(x\)"):
        jit(f)(1.0)


def test_static_arguments_may_be_asked():
    assert jit(lambda x, n: x * 2 if n else x, static_argnames="n")(3.0, n=True) == 6.0


def test_a_tracer_that_is_stored_has_no_meaning_later():
    stored = []

    def f(x):
        stored.append(x * 2)
        return x

    jit(f)(1.0)
    with pytest.raises(LeakedTracerError, match=r"Encountered an unexpected tracer(.|\n)*jit"):
        stored[0] + 1


@pytest.mark.parametrize(
    "call, place",
    [
        (lambda f: f("foo", 1), "x"),
        (lambda f: f(1, {"k": ["foo"]}), r"y\['k'\]\[0\]"),
        (lambda f: f(1, y="foo"), "y"),
        (lambda f: f(1, 2, 3, "foo"), r"args\[1\]"),
        (lambda f: f(1, 2, z="foo"), "z"),
    ],
)
def test_arguments_that_are_no_arrays(call, place):
    def f(x, y, *args, **kwargs):
        return x

    with pytest.raises(TypeError, match=rf"argument {place} of (.|\n)*'foo' of type <.*'str'> is not a valid JAX type"):
        call(jit(f))


def test_masked_arrays_and_results_that_are_no_arrays():
    with pytest.raises(ValueError, match="masked"):
        jit(lambda x: x)(np.ma.array([1, 2], mask=[True, False]))
    with pytest.raises(TypeError, match=r"jit: the result of the function at \['k'\].*object"):
        jit(lambda x: {"k": object()})(1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        jit(lambda x, y: x)(1.0)


def test_an_unknown_backend():
    with pytest.raises(
        ArgumentError, match=r"no backend 'gpu'; those there are: \['eager', 'native', 'native_only', 'numpy', 'tiers'"
    ):
        jit(lambda x: x, backend="gpu")


# Stages.


def test_stages():
    def f(x, scale=1.0):
        return {"y": fnp.sqrt(x**2) * 1.0 + scale}

    g = jit(f)
    traced = g.trace(X)
    assert len(traced) == 4
    assert str(traced).startswith("tape(a: float64[5]):")
    lowered = traced.lower()
    assert len(lowered) < len(traced)
    assert lowered.out_info == {"y": fg.ShapeDtypeStruct((5,), "float64")} == g.eval_shape(X)
    compiled = lowered.compile()
    for stage in (traced, lowered, compiled):
        np.testing.assert_allclose(stage(X)["y"], np.abs(X) + 1.0)
        assert "sqrt" in stage.as_text()
    assert compiled.source == g.source(X)
    np.testing.assert_allclose(g.lower(X, scale=2.0).compile()(X, scale=3.0)["y"], np.abs(X) + 3.0)
    g.lower(fg.ShapeDtypeStruct((5,), "float64"), scale=1.0).compile()(X, scale=3.0)


def test_an_executable_is_strict():
    def f(x, y):
        return x + y["hi"]

    compiled = jit(f).lower(X, {"hi": 1.0}).compile()
    with pytest.raises(TypeError, match="Function compiled with input pytree does not match the input pytree it was"):
        compiled([X], {"hi": 1.0})
    with pytest.raises(TreeError):
        compiled(X, y={"hi": 1.0})
    with pytest.raises(
        TypeError, match=r"Argument types differ .*\nArgument 'x' compiled with float64\[5\] and called with int64\[5\]"
    ):
        compiled(np.arange(5), {"hi": 1.0})
    with pytest.raises(TypeError, match=r"Argument 'y\['hi'\]' compiled with float64\[\] and called with int64\[\]"):
        compiled(X, {"hi": 1})
    with pytest.raises(TypeError, match="Cannot apply JAX transformations to a function lowered"):
        fg.vmap(lambda x: compiled(X, {"hi": x}))(X)


def test_cost():
    def f(a, b):
        return fnp.sum(fnp.sin(a @ b))

    found = jit(f).cost(np.ones((4, 3)), np.ones((3, 5)))
    assert found.equations == 3
    assert found.flops == 2 * 4 * 3 * 5 + 20 + 20
    assert found.bytes_read == 8 * (12 + 15 + 20 + 20)
    assert found.bytes_written == 8 * (20 + 20 + 1)
    assert found.peak_bytes == 8 * (12 + 15 + 20 + 20)
    assert jit(f).lower(np.ones((4, 3)), np.ones((3, 5))).cost_analysis() == {
        "flops": found.flops,
        "bytes accessed": found.bytes_read + found.bytes_written,
    }


# disable_jit, threads.


def test_disable_jit():
    f, runs = counted(lambda x: x if x > 0 else -x)
    g = jit(f)
    with disable_jit():
        assert g(fnp.asarray(-2.0)) == 2.0
        assert g(np.asarray([3.0])) == 3.0
        with disable_jit(False), pytest.raises(NoValueError):
            g(1.0)
    assert len(runs) == 3
    with pytest.raises(NoValueError):
        g(1.0)


def test_disable_jit_holds_for_one_thread():
    f, runs = counted(lambda x: x + 1)
    g = jit(f)
    g(1.0)
    with disable_jit(), ThreadPoolExecutor(1) as other:
        assert other.submit(g, 2.0).result() == 3.0
    assert len(runs) == 1


def test_threads_share_a_function():
    f = jit(lambda x: fnp.sum(fnp.sin(x) * x) + x.size)
    g = jit(fg.grad(f))
    start = threading.Barrier(4)

    def work(seed):
        start.wait()
        rng = np.random.default_rng(seed)
        for n in (1, 5, 1, 40_000, 5, 7):
            x = rng.standard_normal(n)
            np.testing.assert_allclose(f(x), np.sum(np.sin(x) * x) + n, rtol=1e-12)
            np.testing.assert_allclose(g(x), np.cos(x) * x + np.sin(x), rtol=1e-12, atol=1e-14)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, k) for k in range(4)]:
            done.result()


F32 = fnp.asarray(np.arange(4, dtype="float32"))


@pytest.mark.parametrize(
    "f, s",
    [
        (lambda s: fg.lax.fori_loop(0, 3, lambda i, c: c * 0.5, s), 1),
        (lambda s: fg.lax.scan(lambda c, x: (c + x, c * x), s, F32), 0),
        (lambda s: fg.lax.scan(lambda c, x: (c + x, c * x), s, F32), 0.5),
        (lambda s: fg.lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] * 2.5, c[1] + F32.sum()), (s, s)), 1),
        (lambda s: fg.lax.cond(s > 0, lambda s: s * F32, lambda s: F32, s), 2.0),
        (lambda s: fg.vmap(lambda x, s: x * s, (0, None))(F32, s), 2.0),
        (lambda s: fg.value_and_grad(lambda s: fnp.sum(F32 * s))(s), 2.0),
        (lambda s: fg.jvp(lambda s: F32 * s, (s,), (1.0,)), 2.0),
    ],
)
def test_numbers_that_loops_and_transforms_get(f, s):
    found, expected = jit(f)(s), f(s)
    for a, b in zip(fg.tree.leaves(found), fg.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_the_compiled_programs_of_many_dead_functions_are_gone():
    held = []
    for k in range(3):
        big = fnp.full(1000, float(k))
        held.append(weakref.ref(big))
        jit(lambda x, big=big: x + big)(1.0)
        del big
    gc.collect()
    assert [r() for r in held] == [None] * 3


def test_what_stages_say_about_arguments_and_results():
    def f(x, *, scale):
        return {"y": x * scale}

    traced = fg.jit(f).trace(X, scale=np.float64(2.0))
    arguments = ((fg.ShapeDtypeStruct((5,), "float64"),), {"scale": fg.ShapeDtypeStruct((), "float64")})
    for stage in (traced, traced.lower(), traced.lower().compile()):
        assert stage.in_avals == stage.args_info == arguments
        assert stage.in_tree == fg.tree.structure(((0,), {"scale": 0}))
        assert stage.out_info == {"y": fg.ShapeDtypeStruct((5,), "float64")}
        np.testing.assert_array_equal(stage(X, scale=np.float64(3.0))["y"], 3 * X)
        with pytest.raises(TreeError):
            stage(X)
    assert traced.fun_name == traced.lower().fun_name == "f"
    assert traced.out_avals == traced.out_info


def test_effects_of_an_inner_function_on_values_that_are_known(capsys):
    @fg.jit
    def shout(x):
        fg.debug.print("x = {}", x)
        return x

    outer = fg.jit(lambda y: (shout(1.0), y)[1])
    outer(1.0), outer(2.0)
    assert capsys.readouterr().out == "x = 1.0\n" * 2
    fg.make_tape(lambda y: (shout(1.0), y)[1])(2.0)
    assert capsys.readouterr().out == ""


def test_very_many_arguments_and_results():
    xs = [float(k) for k in range(3000)]
    found = fg.jit(lambda xs: [2 * x for x in xs])(xs)
    np.testing.assert_array_equal(np.array(found), 2 * np.arange(3000))


def test_roots_and_linear_systems_are_parts_of_the_program():
    a, b = np.array([[4.0, 1.0], [0.5, 3.0]]), np.array([1.0, 2.0])

    def newton(f, x):
        return fg.lax.fori_loop(0, 9, lambda _, x: x - fnp.linalg.solve(fg.jacobian(f)(x), f(x)), x)

    def loss(b):
        f = lambda x: a @ x + fnp.tanh(x) - b
        x = fg.lax.custom_root(f, fnp.zeros(2), newton, lambda g, y: fnp.linalg.solve(fg.jacobian(g)(y), y))
        y = fg.lax.custom_linear_solve(
            lambda v: a @ v, x, lambda _, v: fnp.linalg.solve(a, v), lambda _, v: fnp.linalg.solve(a.T, v)
        )
        return fnp.sum(x * y)

    decides = lambda mv, v: v / 4 if np.sum(np.asarray(v)) > 0 else v / 2  # what decides by values stays a call
    system = lambda b: fg.lax.custom_linear_solve(lambda v: 4 * v, b, decides, symmetric=True)
    found, expected = jit(fg.value_and_grad(loss)), fg.value_and_grad(loss)(b)
    for x, y in zip(found(b), expected, strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12)
    assert [e.primitive.name for e in found.lower(b).equations if hasattr(e.primitive, "body")] == ["fori_loop"]
    np.testing.assert_array_equal(np.asarray(jit(system)(b)), b / 4)
